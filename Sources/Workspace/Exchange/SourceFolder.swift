// A folder of `build` while its sources are being edited: the problems of its sources, new ids for their rows, and the
// names (tags, decks, note types) that may be written in them.
// Invariant: neither the folder nor the collection is changed. After an edit only the edited source is parsed again.
// The collection is read on every request, since another process may change it.

import Decks
package import Exchange
import Files
import Problems
import Storage
package import Templates
import Text

/// The sources of a folder, as an editor has them.
package final class SourceFolder {
  private struct Known {
    let reading: SourceReading
    /// The stamp of the file; nil while an editor has the source open.
    let stamp: SourceStamp?
  }

  /// The largest supported source, in bytes.
  private static let longest = 64 << 20

  package let path: String
  private let workspace: Workspace
  private var known: [String: Known] = [:]
  /// How many rows with each id each source has.
  private var owners: [String: [String: Int]] = [:]
  /// The files whose problems may have changed since they were last requested.
  private var stale: Set<String> = []
  private var description: Result<BuildDescription, BuildError>?
  /// The description as the editor has it; nil if the file counts.
  private var descriptionText: [UInt8]?
  private var rules: (SourceRules, changeCount: Int)?
  private var unread: [String: SourceProblem] = [:]

  /// Reads nothing yet.
  package init(_ path: String, in workspace: Workspace) { (self.path, self.workspace) = (path, workspace) }

  private var isInterrupted: @Sendable () -> Bool { workspace.environment.isInterrupted }

  // MARK: Files and edits

  /// Reads the files that changed on disk.
  package func refresh() throws {
    try refreshDescription()
    let sources = try BuildFolder.sources(in: path).filter { $0.hasText && !isOfPlugin($0.path) }
    let there = Set(sources.map(\.path))
    for (path, source) in known where source.stamp != nil && !there.contains(path) { forget(path) }
    for source in sources {
      if let before = known[source.path], before.stamp == nil || before.stamp == source.stamp { continue }
      do throws(FileError) {
        let bytes = try FileText.bytes(path + "/" + source.path, limit: Self.longest, isInterrupted: isInterrupted)
        unread[source.path] = nil
        put(read(bytes, source), source.stamp)
      } catch {
        unread[source.path] = SourceProblem(error)
        stale.insert(source.path)
      }
    }
  }

  /// Whether a format of a plugin reads a source, which an editor then leaves alone.
  private func isOfPlugin(_ name: String) -> Bool {
    guard case .success(let description)? = description else { return false }
    return description.formats.contains { name.hasSuffix("." + $0.ending) }
  }

  private func read(_ bytes: [UInt8], _ source: BuildSource) -> SourceReading {
    SourceReading(bytes, of: source, in: path, reusing: known[source.path]?.reading, isInterrupted: isInterrupted)
  }

  /// Whether a file name within the folder is that of a source or of the description.
  package static func isSourceName(_ name: String) -> Bool {
    name == BuildDescription.fileName || BuildSource(unsaved: name) != nil
  }

  /// Sets the text of a source, or of the description, as an editor has it.
  package func edit(_ name: String, to text: [UInt8]) throws {
    if name == BuildDescription.fileName {
      descriptionText = text
      try refreshDescription()
    } else if let source = BuildSource(unsaved: name), !isOfPlugin(name) {
      put(read(text, source), nil)
    }
  }

  /// Called when the editor closes a file: the file on disk counts again.
  package func close(_ name: String) throws {
    if name == BuildDescription.fileName { descriptionText = nil } else { forget(name) }
    try refresh()
  }

  private func refreshDescription() throws {
    let file = path + "/" + BuildDescription.fileName
    let before = description.flatMap(Self.problem)
    do {
      let found =
        try descriptionText.map { try BuildDescription($0, file) }
        ?? BuildDescription(inFolder: path, isInterrupted: isInterrupted)
      description = .success(found)
    } catch let error as BuildError {
      description = .failure(error)
    }
    if before != description.flatMap(Self.problem) { stale.insert(BuildDescription.fileName) }
  }

  private static func problem(_ description: Result<BuildDescription, BuildError>) -> BuildError? {
    if case .failure(let error) = description { error } else { nil }
  }

  private func forget(_ name: String) {
    if let before = known.removeValue(forKey: name) { setOwners(name, before.reading, nil) }
    unread[name] = nil
    stale.insert(name)
  }

  private func put(_ reading: SourceReading, _ stamp: SourceStamp?) {
    let before = known.updateValue(Known(reading: reading, stamp: stamp), forKey: reading.path)
    setOwners(reading.path, before?.reading, reading)
    stale.insert(reading.path)
  }

  /// Updates the owners of ids. The problems of other sources with the same ids may have changed.
  private func setOwners(_ name: String, _ old: SourceReading?, _ new: SourceReading?) {
    let (before, after) = (old?.ids ?? [], new?.ids ?? [])
    // Their problems mention line numbers, which may have changed.
    for id in before { stale.formUnion(sharers(of: id)) }
    guard before != after else { return }
    for id in before {
      owners[id]?[name] = nil
      if owners[id]?.isEmpty == true { owners[id] = nil }
    }
    for id in after { owners[id, default: [:]][name, default: 0] += 1 }
    for id in after { stale.formUnion(sharers(of: id)) }
  }

  /// Returns the sources of an id that several rows have; none for any other id.
  private func sharers(of id: String) -> [String] {
    guard let counts = owners[id], counts.count > 1 || counts.values.contains(where: { $0 > 1 }) else { return [] }
    return Array(counts.keys)
  }

  // MARK: Problems

  /// Returns the files whose problems may have changed since the last call: sources, removed sources, `deck.json`.
  package func takeChangedFiles() throws -> [String] {
    try refreshRules()
    defer { stale = [] }
    return stale.sorted()
  }

  package func problems(of name: String) throws -> [SourceProblem] {
    if name == BuildDescription.fileName { return description.flatMap(Self.problem).map { [SourceProblem($0)] } ?? [] }
    if let problem = unread[name] { return [problem] }
    guard let reading = known[name]?.reading else { return [] }
    let refused = try refreshRules().problems(of: reading)
    let all = reading.problems + refused + repeated(reading)
    return all.sorted { ($0.line, $0.column ?? 0) < ($1.line, $1.column ?? 0) }
  }

  /// Returns a problem for each row whose id another row has too. It names the first such row.
  private func repeated(_ reading: SourceReading) -> [SourceProblem] {
    let shared = Set(reading.ids).filter { !sharers(of: $0).isEmpty }
    // The first two rows with each id: one of them is another one.
    var rows: [String: [(path: String, index: Int, line: Int)]] = [:]
    for path in Set(shared.flatMap { sharers(of: $0) }).sorted() {
      for (index, entry) in (known[path]?.reading.entries ?? []).enumerated()
      where !entry.isLink && shared.contains(entry.id) && rows[entry.id, default: []].count < 2 {
        rows[entry.id, default: []].append((path, index, entry.line))
      }
    }
    return reading.entries.enumerated().compactMap { index, entry -> SourceProblem? in
      guard !entry.isLink, let other = rows[entry.id]?.first(where: { $0.path != reading.path || $0.index != index })
      else { return nil }
      return .sameID(entry, in: reading.path, other: "\(other.path):\(other.line)")
    }
  }

  @discardableResult
  private func refreshRules() throws -> SourceRules {
    let types = try workspace.readIfMade { try NoteTypeTable.list($0) } ?? []
    if let (rules, changeCount) = rules {
      if changeCount == workspace.changeCount || rules.types == types {
        self.rules?.changeCount = workspace.changeCount
        return rules
      }
      stale.formUnion(known.keys)
    }
    let rules = SourceRules(types, Workspace.schema, isInterrupted: isInterrupted)
    self.rules = (rules, workspace.changeCount)
    return rules
  }

  package func source(_ name: String) -> SourceReading? { known[name]?.reading }

  /// Returns the most recently read text of a file.
  package func text(of name: String) -> [UInt8] {
    name == BuildDescription.fileName ? descriptionText ?? [] : known[name]?.reading.text.bytes ?? []
  }

  /// Returns new ids for rows; rows that cannot have an id are left out.
  package func newIDs(of indices: [Int], _ reading: SourceReading) throws -> [Int: String] {
    let wanted = indices.filter { reading.canHaveID($0) || reading.needsColumn }
    guard case .success(let description)? = description, !wanted.isEmpty else { return [:] }
    let isTaken = { (name: String) in self.owners[name] != nil }
    return try workspace.readIfMade { try reading.newIDs(of: wanted, $0, description, isTaken: isTaken) }
      ?? reading.newIDs(of: wanted, nil, description, isTaken: isTaken)
  }

  package func tags() throws -> [String] {
    var tags = Set(try workspace.readIfMade { try NoteTable.tags($0) } ?? [])
    for source in known.values { for entry in source.reading.entries { tags.formUnion(entry.tags) } }
    return tags.sorted()
  }

  package func decks() throws -> [String] {
    var decks: Set<String> = []
    for source in known.values { decks.formUnion(source.reading.entries.map(\.subdeck)) }
    if case .success(let description)? = description {
      let start = description.name + "::"
      for deck in try workspace.readIfMade({ try DeckTable.list($0) }) ?? [] where deck.name.hasPrefix(start) {
        decks.insert(String(deck.name.dropFirst(start.count)))
      }
    }
    return decks.filter { !$0.isEmpty }.sorted()
  }

  package func noteTypes() throws -> [NoteType] { try refreshRules().types }
}

extension Workspace {
  /// Reads the collection; returns nil if there is none, without creating it.
  fileprivate func readIfMade<T>(_ body: (Database) throws -> T) throws -> T? {
    _ = try store()
    return try fileExists(collectionPath) ? read(body) : nil
  }
}

extension ExchangeOperations {
  /// Whether a deck was built from a folder without a description.
  package func isBuilt(_ path: String) throws -> Bool {
    guard let description = BuildDescription(ofName: lastPart(of: path)) else { return false }
    return try workspace.readIfMade { try description.isBuilt($0) } ?? false
  }
}

extension SourceReading {
  fileprivate var ids: [String] { entries.compactMap { $0.isLink || $0.id.isEmpty ? nil : $0.id } }
}
