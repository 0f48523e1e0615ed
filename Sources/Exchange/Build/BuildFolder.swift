// A folder that a deck is built from: its description and its sources.
// Invariant: sources come in one order, by their paths; what begins with a dot, an underscore or README is none; links
// are not followed, so that a folder cannot bring files from elsewhere.

public import Decks
import Files
import Problems
import Text
import Values

/// A folder of sources. Its `deck.json` says the deck's name; without one it is the folder's.
///
///     let folder = try BuildFolder("spanish", isInterrupted: environment.isInterrupted)
///     folder.name        // "Spanish"
///     folder.sources     // animals.md, verbs/irregular.csv, ...
public struct BuildFolder {
  /// Sources that a folder may have.
  private static let sourceLimit = 100_000

  public let path: String
  let description: BuildDescription
  /// The files that cards are made of, by path.
  public let sources: [BuildSource]
  /// What stands in the place of a source or a folder and is not read: links, pipes and the like.
  let passedOver: [String]
  /// The files in `media`.
  let media: [BuildMediaFile]

  /// - Throws: `BuildError`, `FileError`.
  public init(_ path: String, isInterrupted: @escaping () -> Bool) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    if path.isEmpty { throw BuildError.nothingToBuild(folder: path) }
    self.path = path
    description = try BuildDescription(inFolder: path, isInterrupted: isInterrupted)
    (sources, passedOver) = try Self.content(of: path)
    var seen: [String: String] = [:]
    for source in sources {
      // Two such paths are one text.
      if let other = seen.updateValue(source.path, forKey: source.path) {
        throw BuildError.sameSource(path: path + "/" + source.path, other: path + "/" + other)
      }
    }
    if sources.isEmpty, !fileExists(path + "/" + BuildDescription.fileName) {
      throw BuildError.nothingToBuild(folder: path)
    }
    let media = path + "/media"
    self.media = try FileFacts.at(media, followingLinks: false)?.kind == .folder ? Self.files(media) : []
  }

  /// The deck's name.
  public var name: String { description.name }
  /// What ids are made unique with; empty where ids are guids as they are.
  public var namespace: String { description.namespace }
  /// The deck's options, as `deck options` takes them.
  public var options: [(name: DeckOptions.Name, text: String)] { description.options }

  // MARK: Files

  /// The sources of a folder, by path.
  package static func sources(in folder: String) throws -> [BuildSource] { try content(of: folder).sources }

  private static func content(of folder: String) throws -> (sources: [BuildSource], passedOver: [String]) {
    var found: (sources: [BuildSource], passedOver: [String]) = ([], [])
    try list(folder, below: "", into: &found)
    found.sources.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    return found
  }

  private static func list(
    _ folder: String, below: String, into found: inout (sources: [BuildSource], passedOver: [String])
  ) throws {
    for name in try Folder.names(in: folder) where canBeSource(name) {
      let path = folder + "/" + name
      guard let facts = try FileFacts.at(path, followingLinks: false) else { continue }
      let relative = below.isEmpty ? name : below + "/" + name
      let kind = BuildSource.Kind(path: name)
      switch facts.kind {
      case .folder:
        if relative != "media" { try list(path, below: relative, into: &found) }
      case .file:
        guard let kind else { continue }
        found.sources.append(BuildSource(path: relative, kind: kind, stamp: SourceStamp(facts)))
        if found.sources.count > sourceLimit {
          throw BuildError.tooMany(path: folder, what: "\(grouped(sourceLimit)) sources")
        }
      default:
        if kind != nil || Folder.isFolder(path) { found.passedOver.append(relative) }
      }
    }
  }

  /// A README describes the folder.
  fileprivate static func canBeSource(_ name: some StringProtocol) -> Bool {
    name.first != "." && name.first != "_" && !name.prefix(6).lowercased().hasPrefix("readme")
  }

  private static func files(_ folder: String) throws -> [BuildMediaFile] {
    try Folder.names(in: folder).sorted().compactMap { name in
      let path = folder + "/" + name
      guard let facts = try FileFacts.at(path, followingLinks: false), facts.kind == .file else { return nil }
      return BuildMediaFile(name: name, path: path, stamp: SourceStamp(facts))
    }
  }
}

/// A picture or a sound of a folder.
struct BuildMediaFile {
  let name: String
  let path: String
  let stamp: SourceStamp
  /// From the folder, of one that a source names; empty for those in `media`.
  var place = ""
}

/// A file that cards are made of.
public struct BuildSource {
  enum Kind: Equatable {
    case cards(CardFormat)
    case generator

    /// nil for a file that is no source.
    init?(path: String) {
      if path.hasSuffix(".lua") {
        self = .generator
        return
      }
      let endings: [(String, CardFormat)] = [(".md", .md), (".csv", .csv), (".tsv", .tsv), (".jsonl", .jsonl)]
      guard let format = endings.first(where: { path.hasSuffix($0.0) })?.1 else { return nil }
      self = .cards(format)
    }
  }

  /// Within the folder: `verbs/irregular.csv`.
  public let path: String
  let kind: Kind
  package let stamp: SourceStamp

  init(path: String, kind: Kind, stamp: SourceStamp) { (self.path, self.kind, self.stamp) = (path, kind, stamp) }

  /// A source of cards that may not be saved yet; nil for what a build passes over.
  package init?(unsaved path: String) {
    let parts = path.split(separator: "/")
    guard let name = parts.last, parts.allSatisfy({ BuildFolder.canBeSource($0) }),
      parts.count == 1 || parts[0] != "media", let kind = Kind(path: String(name)), kind != .generator
    else { return nil }
    self.init(path: path, kind: kind, stamp: SourceStamp())
  }

  /// Whether its cards are written in it, and not made by running it.
  package var hasText: Bool { kind != .generator }

  /// The deck within the built one that its folder is built to.
  var subdeck: String {
    path.split(separator: "/").dropLast().joined(separator: "::")
  }
}
