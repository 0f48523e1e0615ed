// zstd frames at every size near a buffer boundary.

import TestSupport

@testable import Archives

@Suite struct FrameTests {
  private func packed(_ bytes: [UInt8], with writer: FrameWriter, pieces: Int) throws -> [UInt8] {
    var packed: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      try bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes {
        try writer.feed($0, isLast: false) { packed += $0 }
      }
    }
    try writer.feed(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true) { packed += $0 }
    return packed
  }

  private func unpacked(_ packed: some RandomAccessCollection<UInt8>, pieces: Int) throws -> [UInt8] {
    let reader = try FrameReader(limit: UnpackedLimit(bytes: 1 << 20))
    var bytes: [UInt8] = []
    let packed = Array(packed)
    for start in stride(from: 0, to: packed.count, by: pieces) {
      try packed[start..<min(start + pieces, packed.count)].withUnsafeBytes {
        try reader.feed($0) { bytes += $0 }
      }
    }
    try reader.finish()
    return bytes
  }

  @Test(arguments: StreamContent.allCases, [(1 << 20, 1 << 20), (1 << 17, 1 << 16), (4097, 1 << 17)])
  func `a frame of any size decompresses to its input`(_ content: StreamContent, pieces: (written: Int, read: Int))
    throws
  {
    // The headers of a frame and its blocks shift the boundaries of the compressed data by some bytes.
    let sizes = streamSizes(buffer: FrameReader.piece, reach: content == .random ? 16 : 3)
    let writer = try FrameWriter(level: 1)
    for size in sizes {
      let bytes = content.bytes(size)
      let packed = try packed(bytes, with: writer, pieces: pieces.written)
      #expect(try unpacked(packed, pieces: pieces.read) == bytes, "\(size)")
      #expect(throws: FrameFault.damaged(reason: "it ends too early"), "\(size)") {
        try unpacked(packed.dropLast(), pieces: pieces.read)
      }
    }
  }

  @Test func `frames may follow one another, but only complete ones`() throws {
    let writer = try FrameWriter(level: 1, hasCheckSum: true)
    let full = [UInt8](repeating: 7, count: FrameReader.piece)
    let frame = try packed(full, with: writer, pieces: 1 << 20)
    #expect(try unpacked(frame + frame, pieces: 1 << 20) == full + full)
    for cut in [1, 3, frame.count - 1] {
      #expect(throws: FrameFault.self) { try unpacked(frame + frame.prefix(cut), pieces: 1 << 20) }
    }
    #expect(throws: FrameFault.self) { try unpacked(frame + Array("and more".utf8), pieces: 1 << 20) }
    #expect(throws: FrameFault.damaged(reason: "it ends too early")) { try unpacked([], pieces: 1) }
    #expect(throws: FrameFault.damaged(reason: "it is not a zstd file, or it was changed")) {
      try unpacked(Array("prompt,answer\nel perro,the dog\n".utf8), pieces: 1 << 20)
    }
  }

  @Test(arguments: [1, 8]) func `frames of zstd's first formats are refused, whole and in pieces`(pieces: Int) throws {
    let old: [UInt8] = [0x25, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0]
    #expect(throws: FrameFault.damaged(reason: "it is not a zstd file, or it was changed")) {
      try unpacked(old, pieces: pieces)
    }
    let frame = try packed([7], with: FrameWriter(level: 1), pieces: 1)
    #expect(throws: FrameFault.damaged(reason: "Unknown frame descriptor")) {
      try unpacked(frame + old, pieces: pieces)
    }
    let skipped: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 9]
    #expect(try unpacked(skipped + frame, pieces: pieces) == [7])
  }

  @Test func `data beyond the limit is not decompressed`() throws {
    let frame = try packed([UInt8](repeating: 7, count: 1 << 20 | 1), with: FrameWriter(level: 1), pieces: 1 << 20)
    #expect(throws: FrameFault.tooLarge) { try unpacked(frame, pieces: 1 << 20) }
  }
}
