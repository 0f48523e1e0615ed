// Packs the collection and the media of an exported package into a ZIP file.
// Invariant: its bytes depend only on its contents, never on the time or the place.

import Archives
import Decks
import Files
import Text
import Values

struct PackageBuilder {
  let path: String
  let scratch: Scratch
  let destination: ExchangeSettings

  private struct Part {
    let name: String
    let file: String
    var offset = 0
    let count: Int
    var isDeflated = false
  }

  /// Writes the package to its path, and removes the collection.
  /// - Returns: the size of the package in bytes.
  func build(collection: String, media: [MediaRecord], _ kinds: FileKinds) throws -> Int {
    let parts = destination.format == .apkgLegacy ? try legacy(collection, media) : try latest(collection, media)
    let package = scratch.path("package")
    let builder = try ZipBuilder(package, named: path)
    for part in parts {
      try builder.add(part.name, from: part.file, offset: part.offset, count: part.count, isDeflated: part.isDeflated)
    }
    try builder.finish()
    // The package contains them: no third copy is on the disk while it is copied to its path.
    for file in Set(parts.map(\.file)) where parentFolder(of: file) == scratch.folder { try Folder.removeFile(file) }
    var count = 0
    var options = Replacement.exported(kinds, isInterrupted: destination.isInterrupted)
    options.isExport = !destination.isOwn
    try AtomicFile.writeGiven(path, options) { sink in
      try pieces(of: package) { try sink.append($0) }
      count = sink.count
    }
    return count
  }

  private func pieces(of path: String, _ piece: (UnsafeRawBufferPointer) throws -> Void) throws {
    try ByteFile(path, isInterrupted: destination.isInterrupted).forEachPiece(piece)
  }

  private func temporary(_ name: String, _ body: (FileSink) throws -> Void) throws -> String {
    let file = scratch.path(name)
    var options = Replacement.internalFile(temporaryName: name + ".new")
    options.isSynced = false
    try AtomicFile.write(file, options, body)
    return file
  }

  // MARK: The latest version: everything in zstd frames, one after another in one file

  private func latest(_ collection: String, _ media: [MediaRecord]) throws -> [Part] {
    var ends: [(name: String, end: Int)] = []
    // Level 3, zstd's default, takes three times as long for a collection and does not compress better.
    let frames = try FrameWriter(level: 2)
    let file = try temporary("parts") { sink in
      try sink.append([0x08, 0x03])
      ends.append(("meta", sink.count))
      try pieces(of: collection) { try frames.feed($0, isLast: false) { try sink.append($0) } }
      try frames.feed(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true) { try sink.append($0) }
      try Folder.removeFile(collection)
      ends.append(("collection.anki21b", sink.count))
      var entries = ProtobufWriter()
      for (index, record) in media.enumerated() {
        if destination.isInterrupted() { throw PackageError.interrupted(path: path) }
        let content = try content(of: record)
        try content.withUnsafeBytes { bytes in
          try frames.feed(bytes, isLast: true) { try sink.append($0) }
          var entry = ProtobufWriter()
          entry.bytes(1, record.name.utf8)
          entry.number(2, bytes.count)
          entry.bytes(3, sha1(bytes))
          entries.bytes(1, entry.bytes)
        }
        ends.append(("\(index)", sink.count))
      }
      try entries.bytes.withUnsafeBytes { try frames.feed($0, isLast: true) { try sink.append($0) } }
      ends.append(("media", sink.count))
    }
    var start = 0
    return ends.map { name, end in
      defer { start = end }
      return Part(name: name, file: file, offset: start, count: end - start)
    }
  }

  private func content(of record: MediaRecord) throws -> [UInt8] {
    try FileText.bytes(
      destination.mediaPath(record), limit: PackageFile.mostMediaBytes, isInterrupted: destination.isInterrupted)
  }

  // MARK: The legacy version: plain files

  private func legacy(_ collection: String, _ media: [MediaRecord]) throws -> [Part] {
    let names = Value.record(media.enumerated().map { ("\($0)", .text($1.name)) }).json
    let list = try temporary("media") { try $0.append(names) }
    let meta = try temporary("meta") { try $0.append([0x08, 0x02]) }
    let size = try FileFacts.at(collection)?.size ?? 0
    var parts = [
      Part(name: "meta", file: meta, count: 2),
      Part(name: "collection.anki21", file: collection, count: size, isDeflated: true),
      Part(name: "media", file: list, count: names.utf8.count),
    ]
    for (index, record) in media.enumerated() {
      parts.append(Part(name: "\(index)", file: destination.mediaPath(record), count: record.size))
    }
    return parts
  }
}
