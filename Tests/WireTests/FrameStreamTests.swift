// Tests of frames over a descriptor: every size near the buffer size, and every way in which the other side can fail.

import Glibc
import TestSupport

@testable import Wire

@Suite struct FrameStreamTests {
  private func ends() throws -> (FrameStream, FrameStream, Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    // Buffer space for a frame of the tests, so that one thread can send and then receive.
    var room: Int32 = 1 << 20
    for end in ends { setsockopt(end, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size)) }
    return (
      FrameStream(input: ends[0], output: ends[0], longest: 150_000, isSocket: true),
      FrameStream(input: ends[1], output: ends[1], longest: 150_000, isSocket: true, spinWait: true), ends[0], ends[1]
    )
  }

  @Test(arguments: [0, 1, 3, 4, 5, 4096, 65_531, 65_532, 65_533, 65_536, 65_537, 131_068, 131_072, 150_000])
  func `a frame arrives as it was sent, whatever its size, and so does the next`(_ size: Int) throws {
    let (here, there, _, _) = try ends()
    let frame = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for _ in 0..<3 {
      try here.send(frame)
      #expect(try there.receive() == frame)
    }
    try here.send([1])
    try here.send(frame.suffix(100) + [2])
    try here.send([3])
    #expect(try there.receive() == [1])
    #expect(try there.receive() == frame.suffix(100) + [2])
    #expect(try there.receive() == [3])
  }

  @Test func `a frame that is too long is neither sent nor received`() throws {
    let (here, there, raw, _) = try ends()
    #expect(throws: FrameEnd.tooLong) { try here.send([UInt8](repeating: 0, count: 150_001)) }
    for length: UInt32 in [150_001, 1 << 31, .max] {
      let (_, there, raw, _) = try ends()
      withUnsafeBytes(of: length.littleEndian) { _ = write(raw, $0.baseAddress, 4) }
      #expect(throws: FrameEnd.tooLong) { try there.receive() }
    }
    #expect(FrameHead.bytes(1 << 32) == nil)
    _ = (there, raw)
  }

  @Test func `an end at any byte is the end of the conversation`() throws {
    for size in [0, 1, 2, 3, 4, 5, 9] {
      let (here, there, raw, _) = try ends()
      _ = here
      let bytes: [UInt8] = [6, 0, 0, 0, 1, 2, 3, 4, 5]
      _ = write(raw, bytes, size)
      close(raw)
      #expect(throws: FrameEnd.gone) { try there.receive() }
    }
    // Nobody reads: an error, not a signal.
    let (here, _, _, raw) = try ends()
    close(raw)
    #expect(throws: FrameEnd.gone) { try here.send([1]) }
  }

  @Test func `a waiting side is asked whether to go on`() throws {
    let (here, there, _, raw) = try ends()
    var limit = timeval(tv_sec: 0, tv_usec: 1_000)
    setsockopt(raw, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var asked = 0
    #expect(throws: CancellationError.self) {
      _ = try there.receive {
        asked += 1
        if asked == 3 { throw CancellationError() }
      }
    }
    try here.send([7])
    #expect(try there.receive() == [7])
  }
}

private struct Alone: WireMessage {
  init(from reader: inout WireReader) throws(WireError) { _ = try reader.data() }
}

private struct Followed: WireMessage {
  let (data, last): ([UInt8], UInt8)
  init(from reader: inout WireReader) throws(WireError) { (data, last) = (Array(try reader.data()), try reader.byte()) }
}

@Suite struct WireBytesTests {
  @Test func `byte strings of any size within a message come back, but no truncated ones`() throws {
    for size in streamSizes(buffer: 1 << 14) {
      let bytes = StreamContent.random.bytes(size)
      var writer = WireWriter()
      writer.data(bytes)
      writer.byte(7)
      let read = try Followed(decoding: writer.bytes)
      #expect(read.data == bytes && read.last == 7)
      #expect(throws: WireError()) { try Alone(decoding: writer.bytes) }
      let cut = Array(writer.bytes.dropLast(2))
      if size > 0 { #expect(throws: WireError()) { try Alone(decoding: cut) } }
    }
  }
}
