// Collections of other programs, opened for reading, with their media: packages, Anki's own folder, CrowdAnki folders.
// Invariant: nothing is written where they are: Anki's file is copied with its log, and the copy is read. A link in a
// folder of media is not followed.

import Decks
import Files
import Storage
import Text

/// The media files of a collection, by name.
struct ForeignMedia {
  /// Nil if the files are in a folder.
  private(set) var package: PackageFile?
  private var paths: [String: String] = [:]
  /// The files that a CrowdAnki deck lists; nil for other collections.
  var listed: Set<String>?
  private let isInterrupted: () -> Bool

  /// - Parameter kinds: files beside the collection are read only if the user typed its path.
  init(
    _ path: String, _ format: CardFormat, _ kinds: FileKinds, in scratch: Scratch, isInterrupted: @escaping () -> Bool
  ) throws {
    self.isInterrupted = isInterrupted
    guard format == .anki2 || format == .crowdanki else {
      package = try PackageFile(path, kinds, scratch: scratch, isInterrupted: isInterrupted)
      return
    }
    // Anki's own folder may be a link to another disk; one that came from others could be a link to private files.
    let folder = parentFolder(of: path) + (format == .anki2 ? "/collection.media" : "/media")
    guard kinds == .any, try FileFacts.at(folder, followingLinks: format == .anki2)?.kind == .folder else { return }
    for name in try Folder.names(in: folder) where PackageFile.isPlain(name.composed) {
      let file = folder + "/" + name
      if try FileFacts.at(file, followingLinks: false)?.kind == .file { paths[name.composed] = file }
    }
  }

  var names: [String] { package.map { Array($0.media.keys) } ?? Array(paths.keys) }

  func contains(_ name: String) -> Bool { paths[name] != nil || package?.media[name] != nil }

  /// Returns the content of a file; nil if there is none of that name.
  func content(of name: String) throws -> [UInt8]? {
    if let package { return try package.media[name].map { try package.content(of: $0) } }
    let limit = PackageFile.mostMediaBytes
    return try paths[name].map { try FileText.bytes($0, limit: limit, isInterrupted: isInterrupted) }
  }

  /// Returns the SHA-1 of a file's content.
  func digest(of name: String) throws -> [UInt8] {
    if let package, let file = package.media[name] { return try package.digest(of: file) }
    return try (content(of: name) ?? []).withUnsafeBytes(sha1)
  }
}

struct ForeignCollection {
  let file: ExclusiveDatabase
  private(set) var media: ForeignMedia
  /// The notes of a CrowdAnki deck that cannot be imported.
  private(set) var lines = LineReport()

  /// - Parameters:
  ///   - scratch: the folder for copies; it must live as long as the collection.
  ///   - now: seconds since 1970, the time at which the notes of a CrowdAnki deck count as changed.
  init(
    _ path: String, _ format: CardFormat, _ kinds: FileKinds, in scratch: Scratch, now: Double,
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws {
    media = try ForeignMedia(path, format, kinds, in: scratch, isInterrupted: isInterrupted)
    let copy = scratch.path("collection")
    if format == .crowdanki {
      let deck = try CrowdAnkiReader(path, kinds, into: copy, now: now, isInterrupted: isInterrupted)
      (file, lines, media.listed) = (deck.file, deck.lines, deck.listed)
      return
    }
    if format == .anki2 {
      try copyDatabase(path, to: copy, isInterrupted: isInterrupted)
      // Anki keeps its file open: what it had not written is not in the copy.
      if isOpenForWriting(try finalTarget(of: path)) {
        throw PackageError.refused(path: path, place: "it", reason: "is open in Anki: close Anki, or export a package")
      }
    }
    _ = try media.package?.unpackCollection()
    file = try PackageFile.reading(path) {
      try ForeignDatabase.open(
        copy, hasJournal: fileExists(copy + "-wal"), collations: ["unicase"], isInterrupted: isInterrupted)
    }
  }
}

extension CardFormat {
  /// Returns the file in a folder of Anki or CrowdAnki, and its format, also for a JSON file of CrowdAnki whose format
  /// the user did not name; nil for any other path.
  public static func ofAnki(_ path: String, given: CardFormat? = nil) throws -> (path: String, format: CardFormat)? {
    let files = [("deck.json", crowdanki), ("\(lastPart(of: path)).json", crowdanki), ("collection.anki2", anki2)]
    if Folder.isFolder(path) { return files.map { (path + "/" + $0.0, $0.1) }.first { fileExists($0.0) } }
    guard given == nil, path.lowercased().hasSuffix(".json"), try FileFacts.at(path)?.kind == .file else { return nil }
    let source = try ByteSource(path: path, SourceOptions(isInterrupted: isNeverInterrupted))
    let start = String(decoding: source.buffered.filter { !isASCIISpace($0) }, as: UTF8.self)
    return start.hasPrefix("{") && start.contains(text: #""__type__":"Deck""#) ? (path, crowdanki) : nil
  }
}
