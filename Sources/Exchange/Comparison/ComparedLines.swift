// A JSON Lines file for comparison and merging: an entry for each object, with its members as fields.
// Invariant: every member is preserved, whatever it is; a line that no side changed is written back byte for byte.

import Decks
import Text
import Values

struct ComparedLines {
  private(set) var content = ComparedContent()
  let hasMark: Bool
  /// The line of each entry.
  private var lines: [ComparedKind: PackedRecords] = [:]
  private var fields = FieldNames.none
  private static let limits = JSONLimits(bytes: rowLimit, depth: 32, values: 100_000, string: rowLimit)
  private static let first = [
    "prompt", "answer", "guid", JSONName.noteGuid, "tags", "document", "subdeck", JSONName.noteType,
    JSONName.noteFields, JSONName.ordinal, JSONName.schedule, JSONName.reviews,
  ]

  /// - Parameter keepsLines: whether `merged` will be called.
  init(_ source: ByteSource, _ settings: ExchangeSettings, keepsLines: Bool) throws {
    hasMark = source.hasMark
    var number = 0
    while let raw = try source.takeLine() {
      number += 1
      if raw.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      let value: Value
      do throws(JSONFailure) { value = try JSONParser.parse(raw, limits: Self.limits) } catch {
        throw ExchangeError.badFile(path: source.path, line: number, column: error.column, expected: error.words)
      }
      guard let members = value.record else {
        throw ExchangeError.badFile(
          path: source.path, line: number, column: 1, expected: "an object expected, \(value.kind) found")
      }
      let kind = append(members, settings)
      if keepsLines { lines[kind, default: PackedRecords()].append { $0.rest(raw) } }
    }
  }

  private mutating func append(_ members: Value.Record, _ settings: ExchangeSettings) -> ComparedKind {
    var (names, values, tags): ([String], [String], [String]) = ([], [], [])
    var conflicts: [MergeConflict] = []
    for (name, value) in Self.flattened(members) {
      switch (name, value) {
      case ("tags", .list(let list)): tags = list.map { $0.text ?? $0.json }
      case ("tags", .text(let text)): tags = Tags.separated(text)
      case (MergeConflict.name, .list): conflicts = MergeConflict.list(of: value.json) ?? []
      default:
        names.append(name)
        values.append(value.text ?? value.json)
      }
    }
    let (kind, name) = Self.identity(members, settings.key)
    if fields.list != names { fields = FieldNames(names) }
    var entry = ComparedEntry(
      key: name, title: members["prompt"]?.text ?? "", fields: fields, values: values, tags: tags)
    entry.conflicts = conflicts
    content[kind].append(entry)
    return kind
  }

  private static func identity(_ members: Value.Record, _ key: String?) -> (ComparedKind, String) {
    if members[JSONName.deckOptions] != nil { return (.deck, members["subdeck"]?.text ?? "") }
    if let type = members[JSONName.noteType]?.record { return (.noteType, type["name"]?.text ?? "") }
    if let key { return (.note, members[key].map { $0.text ?? $0.json } ?? "") }
    let guid = members["guid"]?.text ?? members[JSONName.noteGuid]?.text ?? members["prompt"]?.text ?? ""
    let ordinal = members[JSONName.ordinal]?.integer ?? 0
    return (.note, ordinal == 0 ? guid : "\(guid)/\(ordinal + 1)")
  }

  /// Returns the members; those of a nested object are named `name/member`.
  private static func flattened(_ members: Value.Record) -> [(String, Value)] {
    members.fields.flatMap { field -> [(String, Value)] in
      guard let inner = field.value.record, !inner.isEmpty else { return [(field.name, field.value)] }
      return inner.fields.map { ("\(field.name)/\($0.name)", $0.value) }
    }
  }

  // MARK: Writing

  /// Returns the merged file, with options and note types first, as they were written.
  func merged(_ result: MergeResult, with theirs: ComparedLines) -> [UInt8] {
    var bytes: [UInt8] = []
    for kind in [ComparedKind.deck, .noteType, .note] {
      for entry in result.content[kind].entries {
        bytes += raw(entry, kind) ?? theirs.raw(entry, kind) ?? joined(entry, kind, theirs)
        bytes.append(0x0A)
      }
    }
    return bytes
  }

  private func raw(_ entry: ComparedEntry, _ kind: ComparedKind) -> [UInt8]? {
    guard let own = content[kind][entry.key], own.isSame(as: entry) else { return nil }
    return line(of: entry, kind)
  }

  private func line(of entry: ComparedEntry, _ kind: ComparedKind) -> [UInt8]? {
    content[kind].place(of: entry.key).flatMap { lines[kind]?[$0] }.map { Array($0.rest) }
  }

  /// Returns a line with members of both sides; each value comes from one of the sides.
  private func joined(_ entry: ComparedEntry, _ kind: ComparedKind, _ theirs: ComparedLines) -> [UInt8] {
    let sides = [self, theirs].compactMap { $0.line(of: entry, kind) }
      .compactMap { ServerRows.parse(String(decoding: $0, as: UTF8.self))?.record }
    let flat = sides.map { Dictionary(firstOf: Self.flattened($0)) }
    var members: [(String, Value)] = []
    var inner: [String: [(String, Value)]] = [:]
    for (name, text) in zip(entry.fields.list, entry.values) {
      let values = flat.compactMap { $0[name] }
      guard let value = values.first(where: { ($0.text ?? $0.json) == text }) else { continue }
      if let slash = name.firstIndex(of: "/"), sides.contains(where: { $0[String(name[..<slash])]?.record != nil }) {
        let outer = String(name[..<slash])
        if inner[outer] == nil { members.append((outer, .null)) }
        inner[outer, default: []].append((String(name[name.index(after: slash)...]), value))
      } else {
        members.append((name, value))
      }
    }
    members = members.map { ($0, inner[$0].map { .record($0) } ?? $1) }
    let tags = entry.markedTags
    if !tags.isEmpty { members.append(("tags", .list(tags.map { .text($0) }))) }
    if !entry.conflicts.isEmpty { members.append((MergeConflict.name, MergeConflict.value(entry.conflicts))) }
    let order = { (name: String) in Self.first.firstIndex(of: name) ?? Self.first.count }
    let sorted = members.enumerated().sorted { (order($0.element.0), $0.offset) < (order($1.element.0), $1.offset) }
    return Array(Value.record(sorted.map(\.element)).json(.compact).utf8)
  }
}
