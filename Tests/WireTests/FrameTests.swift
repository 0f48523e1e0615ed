// Frames at every size near a buffer boundary, and invalid frames.

import Glibc
import TestSupport
import Testing
import Wire

@Suite struct FrameTests {
  private let folder = TemporaryFolder()

  private func reading<Result>(_ bytes: [UInt8], _ body: (Int32) throws -> Result) throws -> Result {
    let file = open(try folder.write(bytes, to: "frames"), O_RDONLY)
    defer { close(file) }
    return try body(file)
  }

  @Test func `frames of any size come back one after the other`() throws {
    let sizes = streamSizes(buffer: 1 << 16)
    let path = try folder.write([], to: "frames")
    let file = open(path, O_WRONLY)
    for size in sizes {
      #expect(StandardFrames.write(StreamContent.random.bytes(size), limit: size, to: file))
      #expect(!StandardFrames.write([UInt8](repeating: 0, count: size + 1), limit: size, to: file))
    }
    close(file)
    try reading(#require(folder.read("frames"))) { input in
      for size in sizes {
        #expect(StandardFrames.read(limit: size, from: input) == StreamContent.random.bytes(size), "\(size)")
      }
      #expect(StandardFrames.read(limit: 1 << 20, from: input) == nil)
    }
  }

  @Test func `a frame that is truncated or too long is refused`() throws {
    let frame = try #require(FrameHead.bytes(5)) + Array("hello".utf8)
    for count in 0..<frame.count {
      #expect(try reading(Array(frame.prefix(count))) { StandardFrames.read(limit: 100, from: $0) } == nil, "\(count)")
    }
    #expect(try reading(frame) { StandardFrames.read(limit: 4, from: $0) } == nil)
    #expect(try reading(frame) { StandardFrames.read(limit: 5, from: $0) } == Array("hello".utf8))
    #expect(FrameHead.bytes(1 << 32) == nil)
  }

  @Test func `byte strings of any size within a message come back, but no truncated ones`() throws {
    for size in streamSizes(buffer: 1 << 14) {
      let bytes = StreamContent.random.bytes(size)
      var writer = WireWriter()
      writer.data(bytes)
      writer.byte(7)
      var reader = WireReader(writer.bytes)
      #expect(try reader.data() == bytes)
      #expect(try reader.byte() == 7 && reader.isAtEnd)
      var cut = WireReader(Array(writer.bytes.dropLast(2)))
      if size > 0 { #expect(throws: WireError()) { try cut.data() } }
    }
  }
}
