// A package as a container: its version, its unpacked collection, its media by name; and the folders of Anki and
// CrowdAnki, which have the same parts.
// Invariant: the output is bounded whatever the package declares; a media file has the hash that the package declares,
// and a new name if the account has another file of its name. Nothing is written in a folder: Anki's file is copied
// with its log, and the copy is read. A link in a folder of media is not followed.

import Archives
import Decks
import Files
public import Problems
import Storage
import Text
import Values

/// An opened `.apkg`, `.colpkg` or folder.
///
///     let package = try PackageFile("a.apkg", as: .apkg, .plain, scratch: scratch, isInterrupted: isInterrupted)
///     let collection = try package.collection(now: now)
final class PackageFile {
  /// The format of the container; the raw value is the version number in `meta`.
  enum Version: Int {
    case legacy1 = 1
    case legacy2 = 2
    case latest = 3

    var collection: String {
      switch self {
      case .legacy1: "collection.anki2"
      case .legacy2: "collection.anki21"
      case .latest: "collection.anki21b"
      }
    }
  }

  struct MediaFile {
    fileprivate var member: ZipFile.Member?
    /// The SHA-1 of the content as the package declares it; nil when it declares none.
    fileprivate var sha1: [UInt8]?
    /// Where it is in a folder.
    fileprivate var path: String?
  }

  let version: Version
  let path: String
  private let format: CardFormat
  private let kinds: FileKinds
  private(set) var media: [String: MediaFile] = [:]
  /// The media that a CrowdAnki deck lists, and its notes that cannot be imported, once it was read.
  private(set) var (listed, lines): (Set<String>?, LineReport) = (nil, LineReport())
  /// Nil for a folder.
  private let zip: ZipFile?
  private let scratch: Scratch
  private let isInterrupted: @Sendable () -> Bool

  var isFolder: Bool { zip == nil }

  static let mostCollectionBytes = 8_000_000_000
  static let mostMediaBytes = 100 << 20
  private static let mostNameBytes = 64 << 20

  /// - Parameter kinds: kinds other than plain files only when the user typed the path; such files are copied first.
  init(
    _ path: String, as format: CardFormat, _ kinds: FileKinds, scratch: Scratch,
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws {
    (self.path, self.format, self.kinds) = (path, format, kinds)
    (self.scratch, self.isInterrupted) = (scratch, isInterrupted)
    if format == .anki2 || format == .crowdanki {
      (zip, version) = (nil, .legacy1)
      try readFolder()
      return
    }
    let file = try ByteFile.given(path, kinds, isInterrupted: isInterrupted)
    var source = path
    // ZIP needs random access, so a pipe or standard input is copied to a file.
    if file.size == nil || path == "-" {
      source = scratch.path("input")
      try AtomicFile.write(source, .internalFile(temporaryName: "input.new")) { sink in
        try file.forEachPiece { piece in
          if sink.count > PackageFile.mostCollectionBytes {
            throw PackageError.refused(
              path: path, place: "it", reason: "has more than \(grouped(PackageFile.mostCollectionBytes)) bytes")
          }
          try sink.append(piece)
        }
      }
    }
    let zip = try ZipFile(source, named: path, holdsFolders: true)
    zip.unwrap()
    (self.zip, version) = (zip, try PackageFile.version(of: zip, path))
    try readMedia()
  }

  private static func version(of zip: ZipFile, _ path: String) throws -> Version {
    if let meta = zip.members["meta"] {
      let fields: [WireField]
      do { fields = try ProtobufReader.fields(try bytes(of: meta, in: zip, limit: 1000)[...]) } catch is WireFault {
        throw PackageError.damaged(path: path, place: "the file meta", reason: "is not in Anki's format")
      }
      guard let known = Version(rawValue: fields.last { $0.number == 1 }?.integer ?? 0) else {
        throw PackageError.newer(path: path)
      }
      return known
    }
    if zip.members[Version.legacy2.collection] != nil { return .legacy2 }
    guard zip.members[Version.legacy1.collection] != nil else {
      throw PackageError.notAPackage(path: path, reason: "contains no collection")
    }
    return .legacy1
  }

  private static func bytes(of member: ZipFile.Member, in zip: ZipFile, limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try zip.read(member) { piece in
      guard bytes.count + piece.count <= limit else {
        throw PackageError.refused(
          path: zip.path, place: "the file \(quoted(member.name))", reason: "has more than \(grouped(limit)) bytes")
      }
      bytes.append(contentsOf: piece)
    }
    return bytes
  }

  // MARK: Unpacking

  private func unpack(
    _ member: ZipFile.Member, limit: UnpackedLimit, _ piece: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let place = "the file \(quoted(member.name))"
    func checked<T>(_ body: () throws -> T) throws -> T {
      do { return try body() } catch let fault as FrameFault {
        switch fault {
        case .damaged: throw PackageError.damaged(path: path, place: place, reason: "is corrupt")
        case .tooLarge, .outOfMemory:
          throw PackageError.refused(path: path, place: place, reason: "unpacks to far more than is allowed")
        }
      }
    }
    var count = 0
    let frames = version == .latest ? try checked { try FrameReader(limit: limit) } : nil
    try checked {
      try zip?.read(member) { bytes in
        if isInterrupted() { throw PackageError.interrupted(path: path) }
        if let frames { return try frames.feed(bytes, piece) }
        count += bytes.count
        guard limit.allows(count, of: Int(clamping: member.packed)) else { throw FrameFault.tooLarge }
        try piece(bytes)
      }
      try frames?.finish()
    }
  }

  /// Opens a copy of the collection for reading.
  /// - Parameter now: seconds since 1970, when the notes of CrowdAnki count as changed.
  func collection(now: Double) throws -> ExclusiveDatabase {
    let target = scratch.path("collection")
    switch format {
    case .crowdanki:
      let deck = try CrowdAnkiReader(path, kinds, into: target, now: now, isInterrupted: isInterrupted)
      (listed, lines) = (deck.listed, deck.lines)
      return deck.file
    case .anki2:
      try copyDatabase(path, to: target, isInterrupted: isInterrupted)
      // Anki keeps its file open: what it had not written is not in the copy.
      if isOpenForWriting(try finalTarget(of: path)) {
        throw PackageError.refused(path: path, place: "it", reason: "is open in Anki: close Anki, or export a package")
      }
    default:
      guard let member = zip?.members[version.collection] else {
        throw PackageError.damaged(path: path, place: "it", reason: "lacks the file \(version.collection)")
      }
      var options = Replacement.internalFile(temporaryName: "collection.new")
      options.isSynced = false
      try AtomicFile.write(target, options) { sink in
        try unpack(member, limit: UnpackedLimit(bytes: PackageFile.mostCollectionBytes)) { try sink.append($0) }
      }
    }
    return try PackageFile.reading(path) {
      try ForeignDatabase.open(
        target, hasJournal: fileExists(target + "-wal"), collations: ["unicase"], isInterrupted: isInterrupted)
    }
  }

  /// Returns the content of a media file.
  /// - Throws: `damaged` when its hash is not the one that the package declares.
  func content(of file: MediaFile) throws -> [UInt8] {
    var bytes: [UInt8] = []
    guard let member = file.member else {
      return try FileText.bytes(file.path ?? path, limit: PackageFile.mostMediaBytes, isInterrupted: isInterrupted)
    }
    try unpack(member, limit: UnpackedLimit(bytes: PackageFile.mostMediaBytes)) { bytes.append(contentsOf: $0) }
    if let sha1 = file.sha1, bytes.withUnsafeBytes(Text.sha1) != sha1 {
      throw PackageError.damaged(
        path: path, place: "the media file \(quoted(member.name))", reason: "does not match its checksum")
    }
    return bytes
  }

  /// Runs `body`, which reads a package's database, and reports SQLite's errors as errors of the package.
  static func reading<T>(_ path: String, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as StorageError {
      if case .interrupted = error { throw PackageError.interrupted(path: path) }
      if error.isNoDatabase {
        throw PackageError.notAPackage(path: path, reason: "contains no SQLite database")
      }
      throw PackageError.damaged(path: path, place: "its collection", reason: "cannot be read (\(error.reason))")
    }
  }

  /// Returns the SHA-1 of a media file's content: the declared one, or else that of the content itself.
  func digest(of file: MediaFile) throws -> [UInt8] {
    if let known = file.sha1 { return known }
    return try content(of: file).withUnsafeBytes(Text.sha1)
  }

  // MARK: Names of media

  /// Reads the names of the files beside the collection, if they may be read: only when the user typed the path.
  private func readFolder() throws {
    // Anki's own folder may be a link to another disk; one that came from others could be a link to private files.
    let folder = parentFolder(of: path) + (format == .anki2 ? "/collection.media" : "/media")
    guard kinds == .any, try FileFacts.at(folder, followingLinks: format == .anki2)?.kind == .folder else { return }
    for (name, path) in try Folder.names(in: folder).map({ ($0, "\(folder)/\($0)") }) {
      if try FileFacts.at(path, followingLinks: false)?.kind == .file { media[name.composed] = MediaFile(path: path) }
    }
  }

  private func readMedia() throws {
    guard let member = zip?.members["media"] else { return }
    var bytes: [UInt8] = []
    try unpack(member, limit: UnpackedLimit(bytes: PackageFile.mostNameBytes)) { bytes.append(contentsOf: $0) }
    if version == .latest { try readEntries(bytes) } else { try readObject(bytes) }
  }

  private var faultyMedia: PackageError {
    .damaged(path: path, place: "the file \"media\"", reason: "is not in Anki's format")
  }

  /// `{"0": "name.png"}`
  private func readObject(_ bytes: [UInt8]) throws {
    let limits = JSONLimits(bytes: PackageFile.mostNameBytes, depth: 4, values: ZipFile.mostMembers, string: 1 << 16)
    let object: Value
    do throws(JSONFailure) { object = try JSONParser.parse(bytes, limits: limits) } catch { throw faultyMedia }
    guard let record = object.record else { throw faultyMedia }
    for field in record.fields {
      guard let name = field.value.text else { throw faultyMedia }
      try add(name, member: field.name, sha1: nil)
    }
  }

  private func readEntries(_ bytes: [UInt8]) throws {
    do {
      let entries = try ProtobufReader.fields(bytes[...]).filter { $0.number == 1 }
      guard entries.count <= ZipFile.mostMembers else { throw faultyMedia }
      for (index, entry) in entries.enumerated() {
        var (name, sha1) = ("", [UInt8]())
        for field in try ProtobufReader.fields(entry.bytes) {
          if field.number == 1 { name = String(validating: field.bytes, as: UTF8.self) ?? "" }
          if field.number == 3 { sha1 = Array(field.bytes) }
        }
        guard sha1.count == 20 else { throw faultyMedia }
        try add(name, member: "\(index)", sha1: sha1)
      }
    } catch is WireFault { throw faultyMedia }
  }

  /// Adds a media file. Its name must not contain a path, and must be in the normal form.
  private func add(_ given: String, member: String, sha1: [UInt8]?) throws {
    let name = given.composed
    let isPlain =
      !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 1024
      && !name.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "/" || $0 == "\\" }
    if !isPlain {
      throw PackageError.refused(path: path, place: "the media file \(quoted(given))", reason: "has an unsafe name")
    }
    if sha1 != nil, !name.utf8.elementsEqual(given.utf8) { throw faultyMedia }
    // As in Anki, a file that the package names but does not contain counts as missing.
    guard let member = zip?.members[member] else { return }
    media[name] = MediaFile(member: member, sha1: sha1)
  }
}

/// Why a package cannot be read or written.
///
///     catch PackageError.newer(let path) { ... }
public enum PackageError: Problem, Equatable {
  /// Neither a package nor a collection. `reason` completes "it ...".
  case notAPackage(path: String, reason: String)
  /// A part of the package is corrupt. `place` names it: `the file media`, `note 1600000000000`.
  case damaged(path: String, place: String, reason: String)
  /// It contains something that neither our packages nor Anki's contain, or more than the limits allow.
  case refused(path: String, place: String, reason: String)
  case newer(path: String)
  case noLibrary(path: String)
  case interrupted(path: String)

  public var report: ProblemReport {
    switch self {
    case .notAPackage(let path, let reason):
      ProblemReport(
        .badFile, "Not a package",
        "\(quoted(path)) is not an Anki package: it \(printable(reason))", ["path": path]
      ).importingNothing
    case .damaged(let path, let place, let reason):
      ProblemReport(
        .damaged, "The package is damaged",
        "\(quoted(path)) is damaged: \(printable(place)) \(printable(reason)); export it again",
        ["path": path, "place": place]
      ).importingNothing
    case .refused(let path, let place, let reason):
      ProblemReport(
        .fileRefused, "The package is refused",
        "\(quoted(path)) is refused: \(printable(place)) \(printable(reason))",
        ["path": path, "place": place]
      ).importingNothing
    case .newer(let path):
      ProblemReport(
        .newer, "The package is newer than this program",
        "\(quoted(path)) was written by a newer version of Anki; export it there with support for older versions, or "
          + "update this program", ["path": path])
    case .noLibrary(let path):
      ProblemReport(
        .notHere, "Packages cannot be read here",
        "\(quoted(path)) is an Anki package, and reading it needs libzip; install Debian's libzip4 or libzip5",
        ["path": path])
    case .interrupted(let path):
      ProblemReport(
        .interrupted, "Interrupted", "interrupted while working with \(quoted(path)); nothing was changed",
        ["path": path])
    }
  }
}
