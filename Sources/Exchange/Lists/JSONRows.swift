// Lists in JSON, as other programs and language models write them: objects with any names, pairs, an object of texts.
// Invariant: what is in no row is left and named; a broken text is an error with its place. Unlike Deckhand's own JSON,
// such a file is in memory as a whole, which is bounded.

import Decks
import Text
import Values

/// The rows of the lists in a value: objects or lists, each with the deck that it is in.
struct JSONLists {
  private(set) var rows: [(value: Value, deck: String, line: Int)] = []
  private(set) var left: [String] = []
  private(set) var uses = 0
  /// The keys that name a deck.
  private static let nameKeys = ["name", "title", "deck"]

  /// - Parameter isLines: whether each value is a row, as in JSON Lines.
  /// - Throws: `noCards` if there is no list, or several that are no decks.
  init(_ values: [(value: Value, line: Int)], isLines: Bool, path: String) throws(ExchangeError) {
    if !isLines {
      add(values[0].value, in: "")
    } else if Self.isList(.list(values.map(\.value)), isLoose: true) {
      rows = values.map { ($0.value, "", $0.line) }
    }
    if rows.isEmpty {
      throw .noCards(path: path, keys: (values[0].value.list?.first ?? values[0].value).names)
    }
  }

  /// Whether a value is a list of objects whose names include those of the sides of a card, or of pairs.
  private static func isList(_ value: Value, isLoose: Bool) -> Bool {
    guard let items = value.list else { return false }
    let names = items.prefix(100).flatMap(\.names).distinct { $0 }
    let arePairs =
      isLoose && items.contains { $0.list?.count ?? 0 > 1 } && items.allSatisfy { $0.list?.isEmpty == false }
    return arePairs || ListNames.sides(of: names, isLoose: isLoose) != nil
  }

  private mutating func add(_ value: Value, in deck: String) {
    if Self.isList(value, isLoose: true) { return take(value.list ?? [], in: deck) }
    let members = value.record?.fields ?? []
    if let decks = members.first(where: { ["decks", "children"].contains($0.name) }), let inner = decks.value.list {
      let before = (rows.count, left.count)
      for deckBelow in inner {
        let (name, count) = (Self.nameKeys.lazy.compactMap { deckBelow.record?[$0]?.text?.trimmed }.first, rows.count)
        add(deckBelow, in: [deck, name ?? ""].filter { !$0.isEmpty }.joined(separator: "::"))
        if rows.count == count { left.append(name ?? decks.name) }
      }
      if rows.count > before.0 {
        left += members.map(\.name).filter { $0 != decks.name && !Self.nameKeys.contains($0) }
        return uses += 1
      }
      left.removeSubrange(before.1...)
    }
    if search(value, in: deck) { return }
    if ListNames.sides(of: value.names) != nil { return take([value], in: deck) }
    guard members.count > 1, members.allSatisfy({ $0.value.text != nil }) else { return }
    take(members.map { .list([.text($0.name), $0.value]) }, in: deck)
  }

  /// Takes the only list within an object, at most three levels down; whatever is beside it is left.
  private mutating func search(_ value: Value, in deck: String) -> Bool {
    for isLoose in [false, true] {
      let found = Self.lists(in: value, depth: 0, isLoose: isLoose)
      guard found.count == 1 else { continue }
      left += found[0].beside.filter { deck.isEmpty || !Self.nameKeys.contains($0) }
      take(found[0].items, in: deck)
      return true
    }
    return false
  }

  private static func lists(in value: Value, depth: Int, isLoose: Bool) -> [(items: [Value], beside: [String])] {
    (value.record?.fields ?? []).flatMap { field -> [(items: [Value], beside: [String])] in
      let beside = value.names.filter { $0 != field.name }
      if isList(field.value, isLoose: isLoose) { return [(field.value.list ?? [], beside)] }
      let inner = depth < 2 ? lists(in: field.value, depth: depth + 1, isLoose: isLoose) : []
      return inner.map { ($0.items, beside + $0.beside) }
    }
  }

  private mutating func take(_ items: [Value], in deck: String) {
    uses += 1
    rows += items.map { ($0, deck, 0) }
  }
}

extension Value { fileprivate var names: [String] { record?.fields.map(\.name) ?? [] } }

final class JSONRows: ListRows {
  private let lists: JSONLists
  private let known: [String]
  private var place = 0

  init(_ source: ByteSource, _ lists: JSONLists) {
    self.lists = lists
    let names = lists.rows.prefix(1_000).flatMap(\.value.names).distinct { $0 }
    let hasDecks = !names.isEmpty && !names.contains("deck") && lists.rows.contains { !$0.deck.isEmpty }
    known = names + (hasDecks ? ["deck"] : [])
    super.init(source)
    if lists.uses == 0 { return }
    source.account.countElements()
    for _ in 0..<lists.uses {
      let number = source.account.nextElement()
      source.account.use(number...number)
    }
    for name in lists.left { leave(name) }
  }

  private func leave(_ name: String) {
    let number = source.account.nextElement()
    source.account.leave(number...number, .unknownKey, name: printable(name, limit: 60), at: 1)
  }

  override func place(of line: Int) -> (line: Int, column: Int?) { (line, lists.uses > 0 ? 0 : nil) }

  override var names: [String]? { known.isEmpty ? nil : known }

  override func next() throws -> Int? {
    guard place < lists.rows.count else { return nil }
    let (value, deck, line) = lists.rows[place]
    place += 1
    let number = line > 0 ? line : source.account.nextElement()
    let cells = known.map { name in
      value.record?[name].map { text(of: $0, isTags: ListNames.role(of: name) == .tags) }
        ?? (name == "deck" ? deck : "")
    }
    set(value.record == nil ? (value.list ?? []).map { text(of: $0) } : cells, lastLine: number)
    invalidReason = count == 0 ? "an object with the two sides of a card expected" : nil
    for field in value.record?.fields ?? []
    where line == 0 && (field.value.record != nil || !known.contains(field.name)) {
      leave(field.name)
    }
    return number
  }

  /// Returns the text of a cell: the texts of a list are joined, and an object is left.
  private func text(of value: Value, isTags: Bool = false) -> String {
    if value == .null || value.record != nil { return "" }
    guard let list = value.list else { return value.text ?? value.json(.compact) }
    return list.map { text(of: $0) }.filter { !$0.isEmpty }
      .map { isTags ? Tags.separated($0).joined(separator: "_") : $0 }.joined(separator: isTags ? " " : ", ")
  }

  /// Whether all names can be compared: with thousands of combining marks that takes minutes.
  private static func hasShortNames(_ value: Value) -> Bool {
    guard let record = value.record else { return value.list?.allSatisfy(hasShortNames) ?? true }
    return record.fields.allSatisfy { $0.name.utf8.count <= ListNames.longest && hasShortNames($0.value) }
  }

  /// The most bytes of a file that is read as a whole.
  private static let limit = 64_000_000

  /// Reads the lists of a file that is not in Deckhand's form.
  static func cards(_ source: ByteSource, _ options: TableOptions, isLines: Bool) throws -> TableCards {
    var reader = JSONReader(source, rowLimit: limit)
    var values: [(value: Value, line: Int)] = []
    try reader.skipBlanks()
    repeat {
      let (line, column) = (source.line, source.column)
      reader.beginRow()
      var raw: [UInt8] = []
      var reason = try reader.value(into: &raw).map { "it \($0)" }
      let limits = JSONLimits(bytes: limit, depth: 32, values: 5_000_000, string: rowLimit)
      do throws(JSONFailure) {
        if reason == nil { values.append((try JSONParser.parse(raw, limits: limits, keepsOrder: true), line)) }
      } catch {
        reason = error.words
      }
      if let reason {
        throw ExchangeError.badFile(path: source.path, line: line, column: column, expected: reason)
      }
      if isLines { try source.endLine() }
      try reader.skipBlanks()
    } while try isLines && source.peek() != nil
    if try source.peek() != nil { throw try source.expected("the end of the file") }
    if let (_, line) = values.first(where: { !hasShortNames($0.value) }) {
      throw ExchangeError.badFile(
        path: source.path, line: line, column: 1, expected: "names of at most \(ListNames.longest) bytes expected")
    }
    let lists = try JSONLists(values, isLines: isLines, path: source.path)
    return try TableCards(source, options) { JSONRows($0, lists) }
  }
}

extension JSONCards {
  /// The keys of Deckhand's own form.
  private static let ownKeys = [
    "deckhand", "__type__", "note_types", JSONName.noteType, JSONName.noteFields, JSONName.noteGuid,
    JSONName.deckOptions, "prompt",
  ]

  /// Whether a file that begins so is in Deckhand's form: prompts and answers, or an object with everything.
  static func isOwn(_ start: ArraySlice<UInt8>) -> Bool {
    guard let first = start.first(where: { !isASCIISpace($0) }), "[{".utf8.contains(first) else { return true }
    let text = String(decoding: start, as: UTF8.self)
    return ownKeys.contains { key in
      text.split(at: "\"\(key)\"").dropFirst().contains { $0.first { !$0.isWhitespace } == ":" }
    }
  }
}
