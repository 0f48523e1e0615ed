// Reads the members of a ZIP file, and writes one, through libzip; and the ZIP files of media that are exchanged with a
// sync server (SyncRules.md, "Media"). Invariant: only stored and deflated members are read; memory is one buffer; the
// declared size of a member is not trusted; every medium is named exactly once; nothing is unpacked to a path.

import CZip
import Files
import Glibc
import Text
import Values

/// Whether libzip is installed. Without it no package is read or written. Reading this property loads the library.
var canReadPackages: Bool { deckhand_zip() != nil }

final class ZipFile {
  struct Member {
    let index: UInt64
    let name: String
    /// The compressed size in bytes.
    let packed: UInt64
  }

  let path: String
  private let zip: deckhand_zip_functions
  private let archive: OpaquePointer
  private let holdsFolders: Bool
  private(set) var members: [String: Member] = [:]
  static let mostMembers = 1_000_000

  /// - Parameters:
  ///   - path: the file to open.
  ///   - name: the name of the file in errors.
  ///   - holdsFolders: whether members may be in folders, as in an EPUB book or a package that was packed again.
  init(_ path: String, named name: String, holdsFolders: Bool = false) throws(PackageError) {
    guard let zip = deckhand_zip()?.pointee else { throw .noLibrary(path: name) }
    var code: Int32 = 0
    guard let archive = zip.open(path, ZIP_RDONLY | ZIP_CHECKCONS, &code) else {
      let reason = code == ZIP_ER_NOZIP ? "is not a ZIP file" : "is a truncated or damaged ZIP file"
      throw .notAPackage(path: name, reason: reason)
    }
    (self.path, self.zip, self.archive, self.holdsFolders) = (name, zip, archive, holdsFolders)
    try readNames()
  }

  deinit { zip.discard(archive) }

  private func readNames() throws(PackageError) {
    let count = zip.get_num_entries(archive, 0)
    guard count <= ZipFile.mostMembers else {
      throw .refused(path: path, place: "it", reason: "contains more than \(grouped(ZipFile.mostMembers)) files")
    }
    for index in 0..<UInt64(max(0, count)) {
      var status = zip_stat_t()
      guard zip.stat_index(archive, index, UInt32(ZIP_FL_ENC_STRICT), &status) == 0, let bytes = status.name,
        let name = String(validatingCString: bytes)
      else { throw .refused(path: path, place: "file \(index + 1)", reason: "has a name that is not UTF-8") }
      let place = "the file \(quoted(name))"
      try check(name, place)
      guard status.encryption_method == ZIP_EM_NONE else {
        throw .refused(path: path, place: place, reason: "is encrypted")
      }
      guard status.comp_method == ZIP_CM_STORE || status.comp_method == ZIP_CM_DEFLATE else {
        throw .refused(path: path, place: place, reason: "uses an unsupported compression method")
      }
      guard members[name] == nil else { throw .refused(path: path, place: place, reason: "occurs twice") }
      members[name] = Member(index: index, name: name, packed: status.comp_size)
    }
  }

  /// Checks that a member's name has no path, unless folders are allowed, and no control characters.
  private func check(_ name: String, _ place: String) throws(PackageError) {
    let parts = holdsFolders ? name.split(separator: "/", omittingEmptySubsequences: false) : [name[...]]
    // The name of a folder ends in a slash.
    let isPlain = (parts.count > 1 && parts.last == "" ? parts.dropLast() : parts[...]).allSatisfy { part in
      !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 255
        && !part.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    }
    if !isPlain || name.utf8.count > 4_096 {
      throw .refused(path: path, place: place, reason: "has an unsafe name")
    }
  }

  /// Drops what is added when the unpacked files are packed again: the files of macOS, and a folder around all others.
  func unwrap() {
    guard members.keys.contains(where: { $0.utf8.contains(UInt8(ascii: "/")) }) else { return }
    members = members.filter { name, _ in
      !name.hasPrefix("__MACOSX/") && !name.hasSuffix("/") && lastPart(of: name) != ".DS_Store"
    }
    let folders = Set(members.keys.map { name in name.firstIndex(of: "/").map { String(name[...$0]) } ?? "" })
    guard folders.count == 1, let folder = folders.first else { return }
    members = Dictionary(uniqueKeysWithValues: members.map { (String($0.key.dropFirst(folder.count)), $0.value) })
  }

  /// Passes a member's bytes to `piece`, one buffer at a time.
  func read(_ member: Member, _ piece: (UnsafeRawBufferPointer) throws -> Void) throws {
    let place = "the file \(quoted(member.name))"
    guard let file = zip.fopen_index(archive, member.index, 0) else {
      throw PackageError.damaged(path: path, place: place, reason: "cannot be read")
    }
    defer { _ = zip.fclose(file) }
    let size = 1 << 17
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = zip.fread(file, buffer, UInt64(size))
      if count == 0 { return }
      guard count > 0 else { throw PackageError.damaged(path: path, place: place, reason: "is corrupt") }
      try piece(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
    }
  }
}

/// A ZIP file that is being written: each member is a byte range of an existing file.
final class ZipBuilder {
  private let path: String
  private let name: String
  private let zip: deckhand_zip_functions
  private let archive: OpaquePointer
  private var isOpen = true

  init(_ path: String, named name: String) throws(PackageError) {
    guard let zip = deckhand_zip()?.pointee else { throw .noLibrary(path: name) }
    var code: Int32 = 0
    guard let archive = zip.open(path, ZIP_CREATE | ZIP_TRUNCATE, &code) else {
      throw .damaged(path: name, place: "its temporary file", reason: "cannot be created")
    }
    (self.path, self.name, self.zip, self.archive) = (path, name, zip, archive)
  }

  deinit { if isOpen { zip.discard(archive) } }

  /// Adds a member.
  /// - Parameter isDeflated: whether the bytes are deflated; otherwise they are stored.
  func add(_ name: String, from file: String, offset: Int, count: Int, isDeflated: Bool) throws(PackageError) {
    guard let source = zip.source_file(archive, file, UInt64(offset), Int64(count)) else { throw failure }
    let index = zip.file_add(archive, name, source, UInt32(ZIP_FL_ENC_UTF_8))
    guard index >= 0 else {
      zip.source_free(source)
      throw failure
    }
    let method = isDeflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE
    // Always dated 1 January 1980, so that the same cards produce the same bytes. 6 is zlib's default level.
    guard zip.set_file_compression(archive, UInt64(index), method, isDeflated ? 6 : 0) == 0,
      zip.file_set_dostime(archive, UInt64(index), 0, 0x21, 0) == 0
    else { throw failure }
  }

  /// Writes the whole file.
  /// - Throws: `FileError` if it cannot be written, or `PackageError`.
  func finish() throws {
    guard zip.close(archive) == 0 else {
      let number = deckhand_zip_write_error(archive)
      if number > 0 { throw FileError(path, .write, number: number) }
      throw failure
    }
    isOpen = false
  }

  private var failure: PackageError {
    // libzip 1.11 declares that this is never null.
    let text: UnsafePointer<CChar>? = zip.error_text(archive)
    return .damaged(
      path: name, place: "its temporary file", reason: text.map { String(cString: $0) } ?? "cannot be written")
  }
}

/// A file of an archive.
///
///     for file in try MediaArchive.read(bytes, in: folder) { print(file.name, file.bytes.count) }
public typealias ArchivedMedia = (name: String, bytes: [UInt8]?)

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
      files.append((name, try content(member)))
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
