// A folder that a deck is built from: its description and its sources, with stamps that tell whether a file has
// changed.
// Invariant: sources are sorted by path; names that begin with a dot, an underscore or README are not sources; links
// are not followed, so that a folder cannot bring in files from elsewhere; a file with the same stamp is not read.

public import Decks
import Files
import Problems
import Text
import Values

/// A folder of sources. Its `deck.json` gives the deck's name; without one the deck has the name of the folder.
///
///     let folder = try BuildFolder("spanish", isInterrupted: environment.isInterrupted)
///     folder.name        // "Spanish"
///     folder.sources     // animals.md, verbs/irregular.csv, ...
public struct BuildFolder {
  private static let sourceLimit = 100_000

  public let path: String
  let description: BuildDescription
  /// The files that cards are made from, sorted by path.
  public let sources: [BuildSource]
  /// Links, pipes and other special files that are skipped although they have the name of a source or lead to a folder.
  let passedOver: [String]
  let media: [BuildMediaFile]
  let formats: FormatTable

  /// - Parameter formats: those that plugins add, of which the description may name some.
  public init(_ path: String, formats: FormatTable = FormatTable(), isInterrupted: @escaping () -> Bool) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    if path.isEmpty { throw BuildError.nothingToBuild(folder: path) }
    self.path = path
    description = try BuildDescription(inFolder: path, isInterrupted: isInterrupted)
    self.formats = formats
    let named = try description.formats.map { try ($0.ending, Self.format($0, in: formats)) }
    (sources, passedOver) = try Self.content(of: path, named)
    // Paths that differ only in their Unicode normal form are equal as strings; ASCII has one form.
    var others: Set<String> = []
    for source in sources where !source.path.utf8.allSatisfy({ $0 < 0x80 }) {
      let (isNew, other) = others.insert(source.path)
      if !isNew { throw BuildError.sameSource(path: path + "/" + source.path, other: path + "/" + other) }
    }
    if sources.isEmpty, !fileExists(path + "/" + BuildDescription.fileName) {
      throw BuildError.nothingToBuild(folder: path)
    }
    let media = path + "/media"
    self.media = try FileFacts.at(media, followingLinks: false)?.kind == .folder ? Self.files(media) : []
  }

  public var name: String { description.name }
  public var namespace: String { description.namespace }
  public var options: [(name: DeckOptions.Name, text: String)] { description.options }

  /// - Throws: `badDescription` for a format that is unknown or off: its cards would be missing.
  private static func format(
    _ given: (ending: String, name: String, fault: (String) -> BuildError), in formats: FormatTable
  ) throws -> CardFormat {
    let format: CardFormat
    do { format = try formats.format(of: "a." + given.ending, given: formats.format(named: given.name)) } catch {
      throw given.fault((error as? any Problem)?.message ?? "\(error)")
    }
    if format.isAdded, format.endings.contains(given.ending) { return format }
    throw given.fault("\(quoted(given.name)) is no format of a plugin for files that end with .\(given.ending)")
  }

  // MARK: Files

  package static func sources(in folder: String) throws -> [BuildSource] { try content(of: folder, []).sources }

  private static func content(
    of folder: String, _ formats: [(ending: String, CardFormat)]
  ) throws -> (sources: [BuildSource], passedOver: [String]) {
    var found: (sources: [BuildSource], passedOver: [String]) = ([], [])
    try list(folder, formats, below: "", into: &found)
    found.sources.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    return found
  }

  private static func list(
    _ folder: String, _ formats: [(ending: String, CardFormat)], below: String,
    into found: inout (sources: [BuildSource], passedOver: [String])
  ) throws {
    for name in try Folder.names(in: folder) where canBeSource(name) {
      let path = folder + "/" + name
      guard let facts = try FileFacts.at(path, followingLinks: false) else { continue }
      let relative = below.isEmpty ? name : below + "/" + name
      let kind = BuildSource.Kind(path: name, formats)
      switch facts.kind {
      case .folder:
        if relative != "media" { try list(path, formats, below: relative, into: &found) }
      case .file:
        guard let kind else { continue }
        var source = BuildSource(path: relative, kind: kind, stamp: SourceStamp(facts))
        source.stamp.inode ^= Int(source.formatHash)
        found.sources.append(source)
        if found.sources.count > sourceLimit {
          throw BuildError.tooMany(path: folder, what: "\(grouped(sourceLimit)) sources")
        }
      default:
        if kind != nil || Folder.isFolder(path) { found.passedOver.append(relative) }
      }
    }
  }

  /// Whether a file name may belong to a source. A README describes the folder.
  fileprivate static func canBeSource(_ name: some StringProtocol) -> Bool {
    name.first != "." && name.first != "_" && !name.prefix(6).lowercased().hasPrefix("readme")
  }

  private static func files(_ folder: String) throws -> [BuildMediaFile] {
    try Folder.names(in: folder).filter { !$0.hasPrefix(".") }.compactMap { name in
      let path = folder + "/" + name
      guard let facts = try FileFacts.at(path, followingLinks: false), facts.kind == .file else { return nil }
      return BuildMediaFile(name: name, path: path, stamp: SourceStamp(facts))
    }
  }
}

struct BuildMediaFile {
  let name: String
  let path: String
  let stamp: SourceStamp
  /// The path within the folder, for a file that a source names; empty for the files in `media`.
  var place = ""
}

public struct BuildSource {
  enum Kind: Equatable {
    case cards(CardFormat)
    case generator

    private static let native: [(ending: String, CardFormat)] = [
      (".md", .md), (".csv", .csv), (".tsv", .tsv), (".jsonl", .jsonl),
    ]

    /// Returns nil for a file that is not a source.
    init?(path: String, _ formats: [(ending: String, CardFormat)] = []) {
      let added = formats.first { path.hasSuffix("." + $0.ending) }
      let format = (added ?? Self.native.first { path.hasSuffix($0.ending) })?.1
      guard format != nil || path.hasSuffix(".lua") else { return nil }
      self = format.map { .cards($0) } ?? .generator
    }
  }

  /// The path within the folder: `verbs/irregular.csv`.
  public let path: String
  let kind: Kind
  package fileprivate(set) var stamp: SourceStamp
  /// What distinguishes a file from the same one in another format; 0 for native formats.
  var formatHash: Int64 {
    if case .cards(let format) = kind, format.isAdded { BuildIDs.hash([format.name]) } else { 0 }
  }

  init(path: String, kind: Kind, stamp: SourceStamp) { (self.path, self.kind, self.stamp) = (path, kind, stamp) }

  /// A source with cards that may not be saved yet; nil for a path that a build skips.
  package init?(unsaved path: String) {
    let parts = path.split(separator: "/")
    guard let name = parts.last, parts.allSatisfy({ BuildFolder.canBeSource($0) }),
      parts.count == 1 || parts[0] != "media", let kind = Kind(path: String(name)), kind != .generator
    else { return nil }
    self.init(path: path, kind: kind, stamp: SourceStamp())
  }

  /// Whether the file contains the cards itself, and does not have to be run to make them.
  package var hasText: Bool { kind != .generator }

  /// The path of the source's folder within the folder that is built; empty for that folder itself.
  var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }

  /// The name of the nested deck that the source's folder is built into.
  var subdeck: String { path.split(separator: "/").dropLast().joined(separator: "::") }
}

package struct SourceStamp: Equatable {
  var size = 0
  var modified = 0
  var inode = 0
}

extension SourceStamp {
  init(_ facts: FileFacts) {
    self.init(
      size: facts.size, modified: facts.modified.seconds &* 1_000_000_000 &+ facts.modified.nanoseconds,
      inode: Int(truncatingIfNeeded: facts.inode))
  }
}

/// The files that a generator read: for each its stamp and the hash of its content, or just 0 if the file is gone. They
/// are stored as JSON in the column `inputs`, which is empty for a source without any.
struct BuildInputs: Equatable {
  private let files: Value.Record

  init(stored: String) { files = ServerRows.record(stored) }

  /// Reads the present state of files. A file with the same stamp as in an earlier state is not read.
  init(
    _ paths: [String], since before: BuildInputs? = nil, in folder: String, isInterrupted: @escaping () -> Bool
  ) throws {
    files = Value.Record(
      try Set(paths).sorted().map { path -> (String, Value) in
        let file = folder + "/" + path
        guard let facts = try FileFacts.at(file), facts.kind == .file else { return (path, .list([.integer(0)])) }
        // The stamp is from before the file is read, so a write in the meantime gives another stamp.
        let stamp = SourceStamp(facts)
        let parts = [stamp.size, stamp.modified, stamp.inode].map { Value.integer($0) }
        if let known = before?.files[path], let state = known.list, state.count == 4, state.starts(with: parts) {
          return (path, known)
        }
        let hash = try BuildIDs.hash(ofFile: file, isInterrupted: isInterrupted)
        return (path, .list(parts + [.integer(Int(hash))]))
      })
  }

  var paths: [String] { files.names }
  var stored: String { files.isEmpty ? "" : Value.record(files).json }

  /// Whether both have the same files with the same content.
  func isSame(as other: BuildInputs) -> Bool {
    files.fields.elementsEqual(other.files.fields) { $0.name == $1.name && $0.value.list?.last == $1.value.list?.last }
  }
}
