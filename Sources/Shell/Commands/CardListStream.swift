// Lists of cards into a pipe, as they are read: bytes go from SQLite's row into the line that is written. Invariant:
// the list is never held as a whole; in JSON a card is what `card show --json` answers.

import Bindings
import Commands
import Decks
import LuaRuntime
import Templates
import Text
import Values
import Workspace

/// A list as lines of a table, or as JSON.
struct CardListStream {
  /// Bytes that are written at once.
  private static let chunk = 64 << 10
  /// Cards that are read at once.
  private static let page = 512
  /// Rows that decide how wide the columns are.
  private static let measured = 500
  /// Characters of a cell.
  static let longestCell = 2_000

  private let session: Session
  private let cards: CardSequence
  private var left: Int
  private var bytes: [UInt8] = []

  init(_ cards: CardSequence, limit: Int?, _ session: Session) {
    (self.cards, self.session) = (cards, session)
    left = limit ?? .max
    bytes.reserveCapacity(Self.chunk * 2)
  }

  /// - Returns: whether there was any card.
  mutating func writeTable(_ columns: [CardColumn]) throws -> Bool {
    var names = DeckNames(cards)
    var first: [TableRow] = []
    var row = TableRow()
    var layout: TableLayout?
    func begin(_ bytes: inout [UInt8]) {
      layout = TableLayout(columns.map(\.heading), first)
      layout?.writeHeadings(to: &bytes)
      for row in first { layout?.write(row, to: &bytes) }
      first = []
    }
    try forEachRow { session, card, position, bytes in
      row.removeAll()
      for column in columns { try column.add(card, position, to: &row, &names, session) }
      if let layout { layout.write(row, to: &bytes) } else { first.append(row) }
      if first.count == Self.measured { begin(&bytes) }
    }
    if !first.isEmpty { begin(&bytes) }
    flush()
    return layout != nil
  }

  /// One card a line.
  /// - Parameter columns: nil for all that Lua sees of a card.
  mutating func writeJSON(_ columns: [CardColumn]?) throws {
    var writer = CardJSON(columns, cards, session)
    try forEachRow { _, card, position, bytes in try writer.write(card, position, to: &bytes) }
    flush()
  }

  private mutating func forEachRow(
    _ body: (Session, ListedCard, Int, inout [UInt8]) throws -> Void
  ) throws {
    while left > 0 {
      let goesOn = try cards.readRows(atMost: min(Self.page, left)) { card, position in
        try body(session, card, position, &bytes)
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

/// The names of decks, each asked for once.
private struct DeckNames {
  let cards: CardSequence
  private var names: [DeckID: String] = [:]

  init(_ cards: CardSequence) { self.cards = cards }

  mutating func name(_ row: ListedCard) throws -> String {
    if let known = names[row.deck] { return known }
    let name = try cards.card(row).deck().record().name
    names[row.deck] = name
    return name
  }
}

extension CardColumn {
  /// Adds the cell of a card that is being read.
  fileprivate func add(
    _ card: ListedCard, _ position: Int, to row: inout TableRow, _ names: inout DeckNames, _ session: Session
  ) throws {
    switch self {
    case .position: row.add(session.grouped(position))
    case .deck: row.add(try names.name(card))
    case .prompt: row.add(card.prompt)
    case .answer: row.add(card.answer)
    case .tags: row.add(card.tags)
    case .state:
      let isBuried = card.buriedUntil != nil && card.isBuried(at: session.studyMoment)
      row.add(Self.stateName(card.state, isSuspended: card.isSuspended, isBuried: isBuried))
    case .guid: row.add(card.guid)
    default: row.add(value(try card.record(), position, session).map(Self.words) ?? "")
    }
  }
}

// MARK: A table

/// The cells of one row of a table, one behind the other.
private struct TableRow {
  private(set) var bytes: [UInt8] = []
  private(set) var cells: [(end: Int, width: Int)] = []

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
  }

  mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
    guard text.count <= CardListStream.longestCell, text.isPlainASCII else {
      return add(String(decoding: text, as: UTF8.self))
    }
    bytes.append(contentsOf: text)
    cells.append((bytes.count, text.count))
  }

  mutating func add(_ text: String) {
    let shown = printable(text, limit: CardListStream.longestCell)
    bytes.append(contentsOf: shown.utf8)
    cells.append((bytes.count, shown.displayWidth))
  }
}

/// Columns whose widths are fixed: a longer cell moves the rest of its line.
private struct TableLayout {
  private let headings: TableRow
  private let widths: [Int]
  private let areRight: [Bool]

  init(_ columns: [TableText.Column], _ rows: [TableRow]) {
    var headings = TableRow()
    for column in columns { headings.add(column.title) }
    widths = columns.indices.map { place in
      rows.reduce(headings.cells[place].width) { max($0, $1.cells[place].width) }
    }
    self.headings = headings
    areRight = columns.map { $0.alignment == .right }
  }

  func writeHeadings(to line: inout [UInt8]) { write(headings, to: &line) }

  func write(_ row: TableRow, to line: inout [UInt8]) {
    let blank = UInt8(ascii: " ")
    let lineStart = line.count
    var start = 0
    for (place, cell) in row.cells.enumerated() {
      let blanks = repeatElement(blank, count: max(0, widths[place] - cell.width))
      if place > 0 { line.append(contentsOf: repeatElement(blank, count: 2)) }
      if areRight[place] { line.append(contentsOf: blanks) }
      line.append(contentsOf: row.bytes[start..<cell.end])
      if !areRight[place] { line.append(contentsOf: blanks) }
      start = cell.end
    }
    while line.count > lineStart, line.last == blank { line.removeLast() }
    line.append(UInt8(ascii: "\n"))
  }
}

// MARK: JSON

/// Cards as records of JSON.
private struct CardJSON {
  /// The fields of a card in Lua that its row alone answers.
  private enum RowField: String {
    case prompt, answer, tags, document, note, guid, deck, position, state, due, stability, difficulty, reps, lapses
    case flag, buried, fields
  }

  private let session: Session
  private let columns: [CardColumn]?
  /// What Lua sees of a card.
  private let fields: [(description: FieldDescription, known: RowField?)]
  private let moment: StudyMoment
  private var names: DeckNames
  /// The names of the fields of note types, each asked for once, and in which order they are written.
  private var types: [NoteTypeID: [(name: String, place: Int)]] = [:]
  private var writer = JSONWriter(.line)

  init(_ columns: [CardColumn]?, _ cards: CardSequence, _ session: Session) {
    (self.columns, self.session) = (columns, session)
    let type = session.lua.types.first { $0.name == "card" }
    fields = (type?.fields ?? []).map { ($0, RowField(rawValue: $0.name)) }
    moment = session.studyMoment
    names = DeckNames(cards)
  }

  mutating func write(_ card: ListedCard, _ position: Int, to bytes: inout [UInt8]) throws {
    writer.beginRecord()
    if let columns {
      for column in columns { try write(column, of: card, position) }
    } else {
      for (description, known) in fields {
        writer.name(description.name)
        guard let known, try write(known, of: card, position) else {
          writer.write(value(description, of: names.cards.card(card)))
          continue
        }
      }
    }
    writer.endRecord()
    writer.endLine()
    writer.take(into: &bytes)
  }

  /// A field that needs more than the row: what it names may be gone.
  private func value(_ field: FieldDescription, of card: CardHandle) -> Value {
    do {
      return session.value(of: try field.read(card))
    } catch {
      return .record([("error", .text(String(describing: error)))])
    }
  }

  private mutating func write(_ column: CardColumn, of card: ListedCard, _ position: Int) throws {
    writer.name(column.rawValue)
    switch column {
    case .deck: writer.write(try names.name(card))
    case .prompt: writer.write(card.prompt)
    case .answer: writer.write(card.answer)
    case .position: writer.write(.integer(position))
    case .guid: writer.write(card.guid)
    default: writer.write(column.value(try card.record(), position, session) ?? .null)
    }
  }

  /// - Returns: false where the row does not say it.
  private mutating func write(_ field: RowField, of card: ListedCard, _ position: Int) throws -> Bool {
    switch field {
    case .prompt: writer.write(card.prompt)
    case .answer: writer.write(card.answer)
    case .guid: writer.write(card.guid)
    case .tags:
      writer.beginList()
      for tag in card.tags.split(separator: UInt8(ascii: " ")) { writer.write(UnsafeBufferPointer(rebasing: tag)) }
      writer.endList()
    case .document where card.hasDocument: return false
    case .document: writer.write(.null)
    case .note: writer.write(card.noteGuid)
    case .deck: writer.write(try names.name(card))
    case .position: writer.write(.integer(position))
    case .state: writer.write(card.isSuspended ? "suspended" : card.state.name)
    case .due: write(card.schedule.due)
    case .stability: write(card.schedule.stability)
    case .difficulty: write(card.schedule.difficulty)
    case .reps: writer.write(.integer(card.schedule.reps))
    case .lapses: writer.write(.integer(card.schedule.lapses))
    case .flag: writer.write(.integer(card.flag))
    case .buried: writer.write(.boolean(card.isBuried(at: moment)))
    case .fields where card.hasFields: return false
    case .fields: try writeFields(card)
    }
    return true
  }

  private mutating func writeFields(_ card: ListedCard) throws {
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
    if let known = types[card.noteType] { return known }
    let fields = try names.cards.card(card).note().type().record().fields
    let names = fields.enumerated().map { (name: $0.element, place: $0.offset) }.sorted {
      $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
    types[card.noteType] = names
    return names
  }

  private mutating func write(_ number: Double?) { writer.write(number.map { Value.number($0) } ?? .null) }
}
