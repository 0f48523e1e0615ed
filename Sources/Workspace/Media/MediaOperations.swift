// The media files of an account: pictures and sounds that cards refer to by name, pictures of documents, which have no
// names, and a folder in which other programs leave media. Invariant: a file is named after the hash of its content and
// never changes. When a name or a document is removed, its file stays until `clean`, so that the removal can be undone.
// A file leaves the folder of other programs only after its content is stored.

import CardDocuments
public import Decks
public import Files
import Storage
import Templates
import Text

public struct MediaCheck: Sendable {
  /// Names that notes, cards or note types use but that have no file.
  public var missing: [(name: String, references: MediaReferences)] = []
  /// Names that nothing uses. Names that begin with `_` are left out, because templates can use them in ways that
  /// cannot be detected.
  public var unused: [MediaRecord] = []
  /// Names whose file is gone or has the wrong size.
  public var damaged: [String] = []
  /// The number of files without a name, and their size in bytes.
  public var leftover: (files: Int, bytes: Int) = (0, 0)
}

/// The media of a workspace.
public struct MediaOperations {
  let workspace: Workspace

  /// The largest media file, in bytes.
  public static let limit = 100 << 20

  var folder: String { workspace.folder + "/media" }

  /// The endings of pictures that many programs cannot show, and of what is kept in their place.
  private static let kept = ["heic": "jpg", "heif": "jpg", "avif": "jpg", "bmp": "png", "tif": "png", "tiff": "png"]

  /// Adds a file under its own name, or under another one if that name has other content.
  /// - Returns: the name to write in a field: `[sound:NAME]`, `<img src="NAME">`.
  /// - Throws: `FileError`, `NoteError.badMediaName`.
  public func add(from path: String, _ kinds: FileKinds = .plain) throws -> String {
    let bytes = try FileText.bytes(path, limit: Self.limit, kinds, isInterrupted: workspace.isInterrupted)
    let parts = lastPart(of: path).split(separator: ".")
    if let kept = Self.kept[parts.last?.lowercased() ?? ""], parts.count > 1 {
      do {
        let picture = try workspace.drawing.picture(from: bytes, longSide: 4096, asJPEG: kept == "jpg")
        return try add(picture.png, named: parts.dropLast().joined(separator: ".") + "." + kept)
      } catch is PictureFailure {
        // What cannot be decoded here is kept as it is.
      }
    }
    return try add(bytes, named: lastPart(of: path))
  }

  /// Adds several files as one operation: all of them, or none if one cannot be read.
  public func add(from paths: [String], _ kinds: FileKinds = .plain) throws -> [String] {
    if paths.count == 1 { return [try add(from: paths[0], kinds)] }
    return try workspace.perform(.addMedia, count: { $0.count }) { _ in try paths.map { try add(from: $0, kinds) } }
  }

  /// Adds bytes under a name.
  public func add(_ bytes: [UInt8], named name: String) throws -> String {
    let name = try MediaNames.checked(name)
    _ = try workspace.store(for: "media")
    if bytes.count > MediaOperations.limit { throw NoteError.tooLarge(what: "a media file of more than 100 MiB") }
    return try add(bytes, hash: ContentHash(of: bytes).description, named: name)
  }

  /// Adds bytes whose hash is known.
  @discardableResult
  func add(_ bytes: [UInt8], hash: String, named name: String) throws -> String {
    try workspace.perform(.addMedia) { db in
      let name = try MediaTable.add(db, name: name, hash: hash, size: bytes.count)
      try write(bytes, hash: hash)
      return name
    }
  }

  /// Writes content to its file, unless it exists or this is a rehearsal. `settleNew`, called before the commit, makes
  /// it durable.
  func write(_ bytes: [UInt8], hash: String) throws {
    let path = folder + "/" + hash
    if workspace.rehearsal.isOn || workspace.unit.newMedia[path] != nil { return }
    // A file left by an operation that a power failure interrupted may have the right size but not the content.
    let isThere =
      try FileFacts.at(path, followingLinks: false)?.size == bytes.count
      && FileText.bytes(path, limit: bytes.count, isInterrupted: workspace.isInterrupted) == bytes
    if !isThere {
      try makePrivateFolder(folder)
      // In the account's folder, which the next start sweeps; it need not list all media for that.
      let attempt = Int(workspace.environment.random.entropy() % 1_000)
      var options = Replacement.internalFile(temporaryName: "../" + Leftovers.temporary(for: "media", attempt: attempt))
      options.isSynced = false
      try AtomicFile.write(path, bytes, options)
    }
    workspace.unit.newMedia[path] = !isThere
  }

  /// Prepares new contents for the commit: removes those that only rolled-back operations wrote, and makes the others
  /// durable.
  func settleNew() throws {
    if workspace.unit.mayHaveUnnamedMedia {
      workspace.unit.mayHaveUnnamedMedia = false
      for path in removeUnnamed() { workspace.unit.newMedia[path] = nil }
    }
    try syncNew()
  }

  /// Makes new contents durable: many files with a single call, since each call on its own waits for the disk.
  func syncNew() throws {
    let paths = workspace.unit.newMedia.keys
    if paths.isEmpty { return }
    if paths.count > Self.mostSyncedAlone {
      try Folder.syncFileSystem(of: folder)
      // A sync writes contents before it names them, and another process may have removed one in between.
      for path in paths where !fileExists(path) { try Folder.syncFile(path) }
    } else {
      for path in paths { try Folder.syncFile(path) }
      Folder.sync(folder)
    }
  }

  private static let mostSyncedAlone = 8

  /// Removes the contents that were written for a rolled-back operation and that nothing else refers to.
  func discardNew() {
    removeUnnamed()
    (workspace.unit.newMedia, workspace.unit.mayHaveUnnamedMedia) = ([:], false)
  }

  /// Removes the new contents that nothing refers to.
  @discardableResult
  private func removeUnnamed() -> [String] {
    let written = workspace.unit.newMedia.filter(\.value).keys
    if written.isEmpty { return [] }
    // Files that remain are found by `doctor media`.
    do { return try removeLeftovers { leftovers in leftovers.filter(written.contains) } } catch { return [] }
  }

  public func all() throws -> [MediaRecord] { try workspace.read { try MediaTable.list($0) } }

  /// Returns the path of a media file's content.
  /// - Throws: `NoteError.mediaNotFound` with the nearest name.
  public func path(_ name: String) throws -> String {
    folder + "/" + (try workspace.read { try MediaTable.find($0, name) }).hash
  }

  /// Removes names, all of them or none.
  /// - Throws: `NoteError.mediaNotFound`.
  public func remove(_ names: [String]) throws {
    try workspace.perform(.removeMedia, count: { _ in names.count }) { db in
      for name in names { try MediaTable.remove(db, name) }
    }
  }

  /// Compares the media in use with the existing files. Changes nothing.
  public func check() throws -> MediaCheck {
    let (known, references) = try workspace.read { (try MediaTable.list($0), try MediaTable.references($0)) }
    let names = Set(known.map(\.name))
    var check = MediaCheck()
    check.missing = references.filter { !names.contains($0.key) }.sorted { $0.key < $1.key }
      .map { (name: $0.key, references: $0.value) }
    check.unused = known.filter { references[$0.name] == nil && !$0.name.utf8.starts(with: "_".utf8) }
    for file in known where try FileFacts.at(folder + "/" + file.hash)?.size != file.size {
      check.damaged.append(file.name)
    }
    for file in try leftovers() {
      check.leftover.files += 1
      check.leftover.bytes += try FileFacts.at(file)?.size ?? 0
    }
    return check
  }

  /// Removes the files that no longer have a name. Does nothing in a unit of work, which may be rolled back.
  /// - Returns: how many were removed.
  @discardableResult
  public func clean() throws -> Int {
    _ = try workspace.store(for: "media")
    if workspace.isInUnit || workspace.rehearsal.isOn { return 0 }
    return try removeLeftovers { $0 }.count
  }

  /// Runs as an operation, so that no other process is between writing a content and naming it.
  private func removeLeftovers(_ choice: ([String]) -> [String]) throws -> [String] {
    try workspace.store(for: "media").operation("removing media files") { _ in
      let files = try choice(leftovers())
      for file in files { try Folder.removeFile(file) }
      return files
    }
  }

  /// Returns the hashes of all contents that a name or a document refers to.
  static func named(_ db: Database) throws -> Set<String> {
    try MediaTable.hashes(db).union(DocumentTable.pictures(db))
  }

  private func leftovers() throws -> [String] {
    let named = try workspace.read { try Self.named($0) }
    return try Folder.names(in: folder).filter { !named.contains($0) }.map { folder + "/" + $0 }
  }

  func content(_ hash: String) throws -> [UInt8]? {
    let path = folder + "/" + hash
    guard try FileFacts.at(path) != nil else { return nil }
    return try FileText.bytes(path, limit: MediaOperations.limit, isInterrupted: workspace.isInterrupted)
  }

  private var inbox: String { workspace.folder + "/inbox" }

  /// Returns the folder, created if it does not exist.
  public func ensureInbox() throws -> String {
    _ = try workspace.store(for: "media")
    try makePrivateFolder(inbox)
    return inbox
  }

  /// Imports the files in the folder, each replacing the existing file of the same name.
  /// - Returns: the imported files as they were then, for `clearInbox` once the change is committed.
  public func importInbox() throws -> [(path: String, facts: FileFacts)] {
    if try workspace.rehearsal.isOn || FileFacts.at(inbox)?.kind != .folder { return [] }
    var taken: [(path: String, facts: FileFacts)] = []
    for name in try Folder.names(in: inbox) where !name.hasPrefix(".") {
      let path = inbox + "/" + name
      guard let facts = try importable(name, path) else { continue }
      let bytes = try FileText.bytes(path, limit: MediaOperations.limit, isInterrupted: workspace.isInterrupted)
      do { try remove([name]) } catch NoteError.mediaNotFound {
        // There is nothing to replace.
      }
      _ = try add(bytes, named: name)
      taken.append((path, facts))
    }
    return taken
  }

  /// Returns the facts of a file that can be imported; nil for any other.
  private func importable(_ name: String, _ path: String) throws -> FileFacts? {
    do throws(NoteError) {
      guard try MediaNames.checked(name) == name else { return nil }
    } catch {
      // A name from another program that no media file can have: the file stays in the folder.
      return nil
    }
    guard let facts = try FileFacts.at(path, followingLinks: false) else { return nil }
    guard facts.kind == .file, facts.size <= MediaOperations.limit, !isOpenForWriting(path) else { return nil }
    return facts
  }

  /// Removes the imported files, except those that were written to since, or are about to be.
  public func clearInbox(_ files: [(path: String, facts: FileFacts)]) throws {
    for file in files where !isOpenForWriting(file.path) {
      guard try FileFacts.at(file.path, followingLinks: false) == file.facts else { continue }
      try Folder.removeFile(file.path)
    }
  }
}

/// The kind of file that a name indicates.
enum MediaContent: String {
  case picture, sound

  /// Returns nil for an extension without fixed first bytes, such as .mp3.
  init?(ofName name: String) {
    switch name.lowercased().split(separator: ".").last {
    case "png", "jpg", "jpeg", "gif", "webp", "svg": self = .picture
    case "ogg", "oga", "opus", "wav", "flac": self = .sound
    default: return nil
    }
  }

  /// How many bytes `matches` examines.
  static let headSize = 4096

  /// - Parameter head: the first bytes of the file.
  func matches(_ head: [UInt8]) -> Bool {
    switch self {
    case .picture:
      let starts: [[UInt8]] = [[0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8), Array("BM".utf8)]
      return starts.contains { head.starts(with: $0) } || isRIFF(head, "WEBP") || isISOMedia(head) || isSVG(head)
    case .sound:
      let starts = ["OggS", "fLaC", "ID3"].map { Array($0.utf8) }
      return starts.contains { head.starts(with: $0) } || isRIFF(head, "WAVE") || isISOMedia(head)
    }
  }

  /// RIFF files have their type after their size.
  private func isRIFF(_ head: [UInt8], _ type: String) -> Bool {
    head.starts(with: Array("RIFF".utf8)) && head.dropFirst(8).starts(with: Array(type.utf8))
  }

  /// AVIF, HEIC and MPEG-4 files have their type after the size of their first box.
  private func isISOMedia(_ head: [UInt8]) -> Bool { head.dropFirst(4).starts(with: Array("ftyp".utf8)) }

  private func isSVG(_ head: [UInt8]) -> Bool {
    // SVG in UTF-16 or compressed is accepted as well.
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0x1F, 0x8B]) {
      return true
    }
    return String(decoding: head, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }.hasPrefix("<")
  }
}

extension MediaOperations {
  /// Returns what a media file is called but is not, judging by its first bytes, such as "picture"; nil if nothing is
  /// wrong or the file does not exist.
  /// - Throws: `NoteError.mediaNotFound`, `FileError`.
  public func misnamed(_ name: String) throws -> String? {
    guard let content = MediaContent(ofName: name) else { return nil }
    let path = try path(name)
    guard fileExists(path) else { return nil }
    let file = try ByteFile(path, followingLinks: false, isInterrupted: workspace.isInterrupted)
    let head = try file.bytes(at: 0, count: min(MediaContent.headSize, file.facts.size))
    return content.matches(head) ? nil : content.rawValue
  }
}
