// Archives with files and ends at every size near a buffer boundary.

import Files
import TestSupport

@testable import Archives

@Suite struct ArchiveTests {
  private let folder = TemporaryFolder()
  private static let buffer = 1 << 17

  private func write(_ files: [(name: String, bytes: [UInt8])]) throws -> String {
    let path = folder.file("a.tar.zst")
    try AtomicFile.write(path, Replacement(isInterrupted: { false })) { sink in
      let archive = try ArchiveWriter(sink)
      for (name, bytes) in files { try archive.add(name, bytes) }
      try archive.finish()
    }
    return path
  }

  private func check(_ path: String, _ files: [(name: String, bytes: [UInt8])], pieces: Int) throws {
    let reader = try ArchiveReader(path, isInterrupted: { false })
    for (name, bytes) in files {
      #expect(try reader.next() == ArchiveReader.Entry(name: name, size: bytes.count))
      var read: [UInt8] = []
      while case let some = try reader.read(pieces), !some.isEmpty { read += some }
      #expect(read == bytes, "\(name)")
    }
    #expect(try reader.next() == nil)
  }

  @Test(arguments: StreamContent.allCases)
  func `files of any size in one archive`(_ content: StreamContent) throws {
    let files = streamSizes(buffer: Self.buffer, reach: 1).map { ("f\($0)", content.bytes($0)) }
    let path = try write(files)
    try check(path, files, pieces: Self.buffer)
    try check(path, files, pieces: Self.buffer - 1)
  }

  @Test(arguments: StreamContent.allCases)
  func `archives may end anywhere, but truncated ones are refused`(_ content: StreamContent) throws {
    for size in streamSizes(buffer: Self.buffer) where size > 1 << 14 || size % 7 == 0 {
      let files = [("one", content.bytes(size))]
      let path = try write(files)
      try check(path, files, pieces: Self.buffer)
      let whole = try #require(folder.read("a.tar.zst"))
      try folder.write(Array(whole.dropLast()), to: "cut")
      #expect(throws: ArchiveError.self, "\(size)") { try check(folder.file("cut"), files, pieces: Self.buffer) }
    }
  }

  @Test(arguments: StreamContent.allCases)
  func `gzip data may have any size`(_ content: StreamContent) throws {
    var limits = PackedLimits()
    limits.unpacked = 1 << 19
    for size in streamSizes(buffer: 1 << 15) {
      let files = try PackedFiles(folder: "p", [PackedFile("f", content.bytes(size))], path: "p", limits: limits)
      #expect(try PackedFiles(unpacking: files.packed(as: "p", limits: limits), path: "p", limits: limits) == files)
    }
  }

  @Test func `only what can be unpacked within the limit is packed`() throws {
    var limits = PackedLimits()
    // A header, one block, and an end of two blocks.
    limits.unpacked = 4 * 512
    let files = try PackedFiles(folder: "p", [PackedFile("f", [1])], path: "p", limits: limits)
    #expect(try PackedFiles(unpacking: files.packed(as: "p", limits: limits), path: "p", limits: limits) == files)
    limits.unpacked -= 1
    #expect(throws: ArchiveError.self) { try files.packed(as: "p", limits: limits) }
  }
}
