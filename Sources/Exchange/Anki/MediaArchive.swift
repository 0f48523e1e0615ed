// ZIP files of media as exchanged with a sync server: members `0`, `1`, ... and `_meta`, which maps them to names.
// Source: SyncRules.md, "Media".
// Invariant: reading is bounded whatever sizes the members declare; every member is named exactly once; nothing is
// unpacked to a path.

import Files
import Glibc
import Text
import Values

/// A file of an archive.
///
///     for file in try MediaArchive.read(bytes, in: folder) { print(file.name, file.bytes.count) }
public struct ArchivedMedia: Equatable, Sendable {
  public let name: String
  /// Nil for a deleted file.
  public let bytes: [UInt8]?

  public init(name: String, bytes: [UInt8]?) { (self.name, self.bytes) = (name, bytes) }
}

public enum MediaArchive {
  /// Most bytes that one archive may unpack to: the largest file, and room for further ones.
  public static let mostBytes = 110 << 20
  private static let meta = "_meta"
  private static let metaLimits = JSONLimits(bytes: 1 << 20, depth: 4, values: 1000, string: 1 << 16)

  /// Returns the SHA-1 that media are compared by, as 40 hexadecimal digits.
  public static func digest(_ bytes: [UInt8]) -> String { hexadecimal(bytes.withUnsafeBytes(sha1)) }

  // MARK: Reading

  /// Unpacks an archive.
  /// - Parameters:
  ///   - bytes: the archive.
  ///   - folder: the account's folder, in which the archive is stored while it is read.
  /// - Throws: `PackageError`.
  public static func read(_ bytes: [UInt8], in folder: String) throws -> [ArchivedMedia] {
    let scratch = try Scratch(.package, in: folder)
    let path = scratch.path("media.zip")
    try AtomicFile.write(path, bytes, .internalFile(temporaryName: "media.new"))
    let zip = try ZipFile(path, named: "the server's media")
    var left = mostBytes
    func content(_ member: ZipFile.Member) throws -> [UInt8] {
      var content: [UInt8] = []
      try zip.read(member) { piece in
        left -= piece.count
        if left < 0 { throw refusal("unpacks to more than \(mostBytes >> 20) MiB") }
        content += piece
      }
      return content
    }
    guard let meta = zip.members[meta] else { throw refusal("does not list its files") }
    var files: [ArchivedMedia] = []
    for (member, name) in try names(content(meta)) {
      guard let member = zip.members[member] else { throw refusal("lists a file that it does not contain") }
      files.append(ArchivedMedia(name: name, bytes: try content(member)))
    }
    guard files.count == zip.members.count - 1, Set(files.map(\.name)).count == files.count else {
      throw refusal("does not list each of its files exactly once")
    }
    return files
  }

  /// Parses `_meta`: `{"0": "a.png"}`.
  private static func names(_ bytes: [UInt8]) throws -> [(member: String, name: String)] {
    let parsed: Value
    do throws(JSONFailure) { parsed = try JSONParser.parse(bytes, limits: metaLimits) } catch {
      throw refusal("lists its files in invalid JSON")
    }
    let fields = parsed.record?.fields ?? []
    let names = fields.compactMap { field in field.value.text.map { (member: field.name, name: $0) } }
    guard parsed.record != nil, names.count == fields.count else {
      throw refusal("lists file names that are not texts")
    }
    return names
  }

  private static func refusal(_ reason: String) -> PackageError {
    .refused(path: "the server's media", place: "the archive", reason: reason)
  }

  // MARK: Writing

  /// Packs files in their order.
  /// - Returns: the bytes of the archive.
  public static func bytes(of files: [ArchivedMedia], in folder: String) throws -> [UInt8] {
    let scratch = try Scratch(.package, in: folder)
    let path = scratch.path("media.zip")
    let builder = try ZipBuilder(path, named: "media to send")
    var entries: [Value] = []
    func add(_ member: String, _ bytes: [UInt8]) throws {
      let file = scratch.path("file-\(member)")
      try AtomicFile.write(file, bytes, .internalFile(temporaryName: "new-\(member)"))
      try builder.add(member, from: file, offset: 0, count: bytes.count, isDeflated: false)
    }
    for (index, file) in files.enumerated() {
      if let bytes = file.bytes { try add(String(index), bytes) }
      entries.append(.list([.text(file.name), file.bytes.map { _ in .text(String(index)) } ?? .null]))
    }
    try add(meta, JSONWriter.bytes(of: .list(entries)))
    try builder.finish()
    return try FileText.bytes(path, limit: mostBytes + (1 << 20), isInterrupted: isNeverInterrupted)
  }
}
