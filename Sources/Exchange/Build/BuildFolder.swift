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
  /// Bytes that a deck.json may have.
  private static let descriptionLimit = 1 << 20
  /// Sources that a folder may have.
  private static let sourceLimit = 100_000

  public let path: String
  /// The deck's name.
  public let name: String
  /// What ids are made unique with; empty where ids are guids as they are.
  public let namespace: String
  /// The deck's options, as `deck options` takes them.
  public let options: [(name: DeckOptions.Name, text: String)]
  /// The files that cards are made of, by path.
  public let sources: [BuildSource]
  /// The files in `media`.
  let media: [BuildMediaFile]

  /// - Throws: `BuildError`, `FileError`.
  public init(_ path: String, isInterrupted: @escaping () -> Bool) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    let description = path + "/deck.json"
    let isDescribed = fileExists(description)
    let facts = isDescribed ? try Self.read(description, isInterrupted) : (try Self.name(of: path), "", [])
    (name, namespace, options) = (facts.0, facts.1, facts.2)
    var found: [BuildSource] = []
    try Self.list(path, below: "", into: &found)
    if !isDescribed, found.isEmpty { throw BuildError.nothingToBuild(folder: path) }
    sources = found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    media = Folder.isFolder(path + "/media") ? try Self.files(path + "/media") : []
  }

  /// The last part of a path, as a deck is called.
  private static func name(of path: String) throws -> String {
    guard Folder.isFolder(path) else { throw BuildError.nothingToBuild(folder: path) }
    let name = String(path.split(separator: "/").last ?? "")
    do throws(DeckError) { _ = try DeckName(name) } catch {
      throw BuildError.badDescription(path: path + "/deck.json", reason: "is needed, as \(error.message)")
    }
    return name
  }

  // MARK: deck.json

  private static let keys = ["name", "namespace", "options"]

  private static func read(
    _ path: String, _ isInterrupted: @escaping () -> Bool
  ) throws -> (name: String, namespace: String, options: [(name: DeckOptions.Name, text: String)]) {
    let bytes = try FileText.bytes(path, limit: descriptionLimit, isInterrupted: isInterrupted)
    do {
      let limits = JSONLimits(bytes: descriptionLimit, depth: 16, values: 10_000, string: 100_000)
      let whole = try ValueReader(JSONParser.parse(bytes, limits: limits)).asRecord()
      for (key, _) in try whole.fields() where !keys.contains(key) {
        throw BuildError.badDescription(
          path: path,
          reason: "no key is called \(quoted(key))\(didYouMean(key, among: keys)); \(keys.joined(separator: ", "))")
      }
      let name = try whole["name"].text("the deck's name")
      do throws(DeckError) { _ = try DeckName(name) } catch {
        throw BuildError.badDescription(path: path, reason: error.message)
      }
      let namespace = whole["namespace"].value == nil ? "" : try whole["namespace"].text()
      let options = whole["options"].value == nil ? [] : try whole["options"].fields("options by their names")
      return (name, namespace, try options.map { (try option($0.name, path), try text($0.reader)) })
    } catch let failure as JSONFailure {
      throw BuildError.badDescription(path: path, reason: failure.words)
    } catch let failure as ShapeFailure {
      let found = failure.found.map { ", \($0) found" } ?? ""
      throw BuildError.badDescription(path: path, reason: "at \(failure.pointer): \(failure.expected) expected\(found)")
    }
  }

  private static func option(_ name: String, _ path: String) throws(BuildError) -> DeckOptions.Name {
    if let known = DeckOptions.Name(rawValue: name) { return known }
    let hint = didYouMean(name, among: DeckOptions.Name.allCases.map(\.rawValue))
    throw .badDescription(path: path, reason: "no option is called \(quoted(name))\(hint); `deck options` lists them")
  }

  /// The value of an option as `deck options` takes it: a list is its parts with blanks between.
  private static func text(_ reader: ValueReader) throws(ShapeFailure) -> String {
    switch reader.value {
    case .text(let text): return text
    case .boolean(let flag): return flag ? "on" : "off"
    case .integer(let number): return String(number)
    case .number(let number): return "\(number.value)"
    case .list:
      var parts: [String] = []
      for element in try reader.elements() { parts.append(try text(element)) }
      return parts.joined(separator: " ")
    default: throw reader.failure("a text, a number, true or false")
    }
  }

  // MARK: Files

  private static func list(_ folder: String, below: String, into found: inout [BuildSource]) throws {
    for name in try Folder.names(in: folder) where canBeSource(name) {
      let path = folder + "/" + name
      guard let facts = try FileFacts.at(path, followingLinks: false) else { continue }
      let relative = below.isEmpty ? name : below + "/" + name
      switch facts.kind {
      case .folder where relative != "media": try list(path, below: relative, into: &found)
      case .file:
        guard let kind = BuildSource.Kind(path: name) else { continue }
        found.append(BuildSource(path: relative, kind: kind, stamp: SourceStamp(facts)))
        if found.count > sourceLimit { throw BuildError.tooMany(path: folder, what: "\(grouped(sourceLimit)) sources") }
      default: continue
      }
    }
  }

  /// A README describes the folder.
  private static func canBeSource(_ name: String) -> Bool {
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
  let stamp: SourceStamp

  /// The deck within the built one that its folder is built to.
  var subdeck: String {
    path.split(separator: "/").dropLast().joined(separator: "::")
  }
}
