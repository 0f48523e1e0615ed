// Byte strings within a message at every size near a buffer boundary, and truncated ones.

import TestSupport
import Testing
import Wire

@Suite struct WireBytesTests {
  @Test func `byte strings of any size within a message come back, but no truncated ones`() throws {
    for size in streamSizes(buffer: 1 << 14) {
      let bytes = StreamContent.random.bytes(size)
      var writer = WireWriter()
      writer.data(bytes)
      writer.byte(7)
      let read = try writer.bytes.readWhole { reader throws(WireError) in (Array(try reader.data()), try reader.byte())
      }
      #expect(read.0 == bytes && read.1 == 7)
      #expect(throws: WireError()) {
        try writer.bytes.readWhole { reader throws(WireError) in Array(try reader.data()) }
      }
      let cut = Array(writer.bytes.dropLast(2))
      if size > 0 {
        #expect(throws: WireError()) { try cut.readWhole { reader throws(WireError) in Array(try reader.data()) } }
      }
    }
  }
}
