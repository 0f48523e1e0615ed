// Streams lists of cards into a pipe as they are read: bytes go from SQLite's row into the line that is written.
// Invariant: the list is never held as a whole; in JSON a card is the same as in `card show --json`.

import Commands
import Decks
import LuaRuntime
import Templates
import Text
import Values
import Workspace

/// A writer of card lists, as lines of a table or as JSON.
struct CardListStream {
  /// Bytes to collect before writing.
  private static let chunk = 64 << 10
  /// Cards read per batch.
  private static let page = 512
  /// Rows that are measured to decide the column widths.
  private static let measured = 500

  private let session: Session
  private let cards: CardSequence
  private var left: Int
  private var bytes: [UInt8] = []

  init(_ cards: CardSequence, limit: Int?, _ session: Session) {
    (self.cards, self.session) = (cards, session)
    left = limit ?? .max
    bytes.reserveCapacity(Self.chunk * 2)
  }

  /// - Returns: whether there was at least one card.
  mutating func writeTable(_ columns: [CardProperty]) throws -> Bool {
    var reader = RowReader(cards, session)
    var first: [TableRow] = []
    var row = TableRow()
    var layout: TableLayout?
    func begin(_ bytes: inout [UInt8]) {
      layout = TableLayout(columns.map(\.heading), first)
      if let layout { layout.write(layout.headings, to: &bytes) }
      for row in first { layout?.write(row, to: &bytes) }
      first = []
    }
    try forEachRow { card, position, bytes in
      row.removeAll()
      for column in columns { try reader.add(column, of: card, position, to: &row) }
      if let layout { layout.write(row, to: &bytes) } else { first.append(row) }
      if first.count == Self.measured { begin(&bytes) }
    }
    if !first.isEmpty { begin(&bytes) }
    flush()
    return layout != nil
  }

  /// Writes one card per line.
  mutating func writeJSON(_ columns: [CardProperty]) throws {
    var reader = RowReader(cards, session)
    var writer = JSONWriter(.line)
    try forEachRow { card, position, bytes in
      writer.beginRecord()
      for column in columns { try reader.write(column, of: card, position, to: &writer) }
      writer.endRecord()
      writer.endLine()
      writer.take(into: &bytes)
    }
    flush()
  }

  private mutating func forEachRow(_ body: (ListedCard, Int, inout [UInt8]) throws -> Void) throws {
    while left > 0 {
      let goesOn = try cards.readRows(atMost: min(Self.page, left)) { card, position in
        try body(card, position, &bytes)
        left -= 1
        if bytes.count > Self.chunk { flush() }
      }
      if !goesOn { return }
      try session.stopIfInterrupted()
    }
  }

  private mutating func flush() {
    session.console.write(String(decoding: bytes, as: UTF8.self))
    bytes.removeAll(keepingCapacity: true)
  }
}

/// Reads fields of cards from the row in place; fields that the row does not have come from the card handle.
private struct RowReader {
  private let cards: CardSequence
  private let session: Session
  private let moment: StudyMoment
  /// The decks' names, each looked up once.
  private var decks: [DeckID: String] = [:]
  /// The field names of note types in output order, by type name; each looked up once.
  private var types: [String: [(name: String, place: Int)]] = [:]

  init(_ cards: CardSequence, _ session: Session) {
    (self.cards, self.session) = (cards, session)
    moment = session.studyMoment
  }

  /// The bytes of a field that is a text of the row.
  private func bytes(_ property: CardProperty, of card: ListedCard) -> UnsafeBufferPointer<UInt8>? {
    switch property {
    case .prompt: card.prompt
    case .answer: card.answer
    case .guid: card.guid
    case .note: card.noteGuid
    case .noteType: card.noteType
    default: nil
    }
  }

  /// Any other field except the tags.
  private mutating func value(_ property: CardProperty, of card: ListedCard, _ position: Int) throws -> Value {
    switch property {
    case .position: .integer(position)
    case .deck: .text(try decks.kept(card.deck) { [cards] in try cards.card(card).deck().record().name })
    case .document where !card.hasDocument: .null
    // In the form that Lua sees, which is also the JSON of a single card.
    case .fields: session.scripting.value(of: LuaValue(try cards.card(card).value(of: property)))
    default: try card.value(of: property, at: moment) ?? cards.card(card).value(of: property)
    }
  }

  mutating func add(_ property: CardProperty, of card: ListedCard, _ position: Int, to row: inout TableRow) throws {
    if let bytes = bytes(property, of: card) { return row.add(bytes) }
    if property == .tags { return row.add(card.tags) }
    if let text = property.ownText(of: card, at: moment) { return row.add(text) }
    row.add(property.text(try value(property, of: card, position), session))
  }

  mutating func write(
    _ property: CardProperty, of card: ListedCard, _ position: Int, to writer: inout JSONWriter
  ) throws {
    writer.name(property.rawValue)
    if let bytes = bytes(property, of: card) { return writer.write(bytes) }
    if property == .fields, !card.hasFields { return try writeFields(of: card, to: &writer) }
    guard property == .tags else { return writer.write(try value(property, of: card, position)) }
    writer.beginList()
    for tag in card.tags.split(separator: UInt8(ascii: " ")) { writer.write(UnsafeBufferPointer(rebasing: tag)) }
    writer.endList()
  }

  /// Writes the fields of the card's note by name, in the order in which Lua's tables are written.
  fileprivate mutating func writeFields(of card: ListedCard, to writer: inout JSONWriter) throws {
    let names = try fieldNames(of: card)
    let values = card.noteFields
    writer.beginRecord()
    for (name, place) in names {
      writer.name(name)
      if place < values.count { writer.write(values[place]) } else { writer.write("") }
    }
    writer.endRecord()
  }

  private mutating func fieldNames(of card: ListedCard) throws -> [(name: String, place: Int)] {
    let type = String(decoding: card.noteType, as: UTF8.self)
    if let known = types[type] { return known }
    let fields = try cards.card(card).note().type().record().fields
    let names = fields.enumerated().map { (name: $0.element, place: $0.offset) }.sorted {
      $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
    types[type] = names
    return names
  }
}
