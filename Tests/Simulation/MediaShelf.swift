// One user's media on a sync server, as Anki's server stores them: files by name, each with the USN of its last
// change. Invariant: a file that is uploaded twice is stored once and keeps its USN.

import Files
import Values

@testable import Exchange

struct MediaShelf {
  private(set) var files: [String: [UInt8]] = [:]
  private var changes: [String: Int] = [:]
  private var last = 0

  /// - Parameters:
  ///   - body: JSON, or an archive.
  ///   - folder: where archives are written and read.
  /// - Returns: the response; nil for an unknown call.
  mutating func answer(_ call: String, _ body: [UInt8], _ given: Value, in folder: String) throws -> [UInt8]? {
    let record = given.record ?? Value.Record()
    switch call {
    case "msync/begin": return MediaShelf.data(.record(["usn": .integer(last)]))
    case "msync/mediaChanges":
      let known = record["lastUsn"]?.integer ?? 0
      let news = changes.filter { $0.value > known }.sorted { $0.value < $1.value }.map { name, usn in
        Value.list([.text(name), .integer(usn), .text(files[name].map(MediaArchive.digest) ?? "")])
      }
      return MediaShelf.data(.list(news))
    case "msync/downloadFiles": return try archive((record["files"]?.list ?? []).compactMap(\.text), in: folder)
    case "msync/uploadChanges":
      let taken = try take(body, in: folder)
      return MediaShelf.data(.list([.integer(taken), .integer(last)]))
    case "msync/mediaSanity": return MediaShelf.data(.text(record["local"]?.integer == files.count ? "OK" : "FAILED"))
    default: return nil
    }
  }

  private static func data(_ value: Value) -> [UInt8] {
    JSONWriter.bytes(of: .record(["data": value, "err": .text("")]))
  }

  /// In the archive, `_meta` is `{"0": "a.png"}`, and the entry `0` holds the bytes of that file.
  private func archive(_ names: [String], in folder: String) throws -> [UInt8] {
    let scratch = try Scratch(.package, in: folder)
    let path = scratch.path("sent.zip")
    let builder = try ZipBuilder(path, named: path)
    var members: [(String, [UInt8])] = []
    var meta: [(String, Value)] = []
    for (index, name) in names.enumerated() {
      guard let bytes = files[name] else { continue }
      members.append((String(index), bytes))
      meta.append((String(index), .text(name)))
    }
    for (member, bytes) in members + [("_meta", JSONWriter.bytes(of: .record(meta)))] {
      let file = scratch.path("member-\(member)")
      try AtomicFile.write(file, bytes)
      try builder.add(member, from: file, offset: 0, count: bytes.count, isDeflated: false)
    }
    try builder.finish()
    return try FileText.bytes(path, limit: 256 << 20, isInterrupted: { false })
  }

  /// In the archive, `_meta` is `[["a.png", "0"], ["gone.png", null]]`.
  private mutating func take(_ archive: [UInt8], in folder: String) throws -> Int {
    let scratch = try Scratch(.package, in: folder)
    let path = scratch.path("given.zip")
    try AtomicFile.write(path, archive)
    let zip = try ZipFile(path, named: path)
    func content(_ name: String) throws -> [UInt8] {
      guard let member = zip.members[name] else { throw RowsFault(description: "the archive has no \(name)") }
      var bytes: [UInt8] = []
      try zip.read(member) { bytes += $0 }
      return bytes
    }
    let limits = JSONLimits(bytes: 1 << 20, depth: 8, values: 10_000, string: 1 << 16)
    let entries = try JSONParser.parse(content("_meta"), limits: limits).list ?? []
    for entry in entries.compactMap(\.list) where entry.count == 2 {
      let name = entry[0].text ?? ""
      let bytes = try entry[1].text.map(content)
      if files[name] == bytes, changes[name] != nil || bytes == nil { continue }
      last += 1
      (files[name], changes[name]) = (bytes, last)
    }
    return entries.count
  }
}
