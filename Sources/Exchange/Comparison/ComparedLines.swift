// A JSON Lines file for comparison and merging: an entry for each object, with its members as fields.
// Invariant: every member is preserved, whatever it is; a line that no side changed is written back byte for byte.

import Decks
import Text
import Values

struct ComparedLines {
  /// The line of each entry is kept with it.
  private(set) var content: ComparedContent
  let hasMark: Bool
  private var fields = FieldNames.none
  private static let limits = JSONLimits(bytes: rowLimit, depth: 32, values: 100_000, string: rowLimit)
  private static let first = [
    "prompt", "answer", "guid", JSONName.noteGuid, "tags", "document", "subdeck", JSONName.noteType,
    JSONName.noteFields, JSONName.ordinal, JSONName.schedule, JSONName.reviews,
  ]

  /// - Parameters:
  ///   - keepsLines: whether `merge` will be called for these lines, or for some that have them as their base.
  ///   - base: a content that probably has most of the lines.
  init(_ source: ByteSource, _ settings: ExchangeSettings, keepsLines: Bool, base: ComparedContent) throws {
    hasMark = source.hasMark
    content = ComparedContent(base.records)
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
      append(members, keepsLines ? raw : [], settings, base)
    }
  }

  private mutating func append(
    _ members: Value.Record, _ line: [UInt8], _ settings: ExchangeSettings, _ base: ComparedContent
  ) {
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
    content[kind].append(entry, keeping: line, likely: base[kind])
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

  /// Writes the merged file, with options and note types first, as they were written.
  func merge(_ result: MergeResult, with theirs: ComparedLines, write: ([UInt8]) throws -> Void) throws {
    for kind in [ComparedKind.deck, .noteType, .note] {
      let (merged, sides) = (result.content[kind], [content[kind], theirs.content[kind]])
      var next = [0, 0]
      for place in 0..<merged.count {
        let line = sides.indices.lazy.compactMap { side in
          sides[side].place(ofSameAs: place, in: merged, next: &next[side]).map { sides[side].kept(at: $0) }
        }.first
        try write(line.map { Array($0) } ?? joined(merged.entry(at: place), sides))
        try write([0x0A])
      }
    }
  }

  /// Returns a line with members of both sides; each value comes from one of the sides.
  private func joined(_ entry: ComparedEntry, _ sides: [ComparedList]) -> [UInt8] {
    let sides = sides.compactMap { side in side.place(of: entry.key).map { side.kept(at: $0) } }
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
