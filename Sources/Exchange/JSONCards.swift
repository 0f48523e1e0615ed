// Cards as JSON: an array of objects, an object with everything (deck, options, note types, cards), or one object per
// line. Invariant: every unknown key of a card is kept in the card's fields; memory holds one card at a time; what is
// written is read back as the same cards.

import Decks
import Files
import Problems
import Templates
import Text
import Values

final class JSONCards: CardRows {
  private enum Place {
    case beginning, inArray, inObject, inTypes, inCards, inLines, end
  }

  private let source: ByteSource
  private var element: JSONElement
  private var place: Place
  /// Whether the current list has already yielded an element.
  private var hasElement = false
  private(set) var found = ImportFindings()
  var account: LineAccount { source.account }
  private var (names, hasCards): ([String], Bool) = ([], false)

  init(_ source: ByteSource, isLines: Bool) {
    self.source = source
    element = JSONElement(source)
    place = isLines ? .inLines : .beginning
    found.encoding = source.encoding
    if !isLines { source.account.countElements() }
  }

  func next(into row: inout CardRow) throws -> Bool {
    while true {
      switch place {
      case .beginning: try open()
      case .inArray, .inCards:
        if try hasNext() {
          try element.read(into: &row)
          count(row, account.nextElement())
          return true
        }
        place = place == .inArray ? .end : .inObject
      case .inTypes:
        if try hasNext() {
          try element.readType(into: &row)
          count(row, account.nextElement())
          return true
        }
        place = .inObject
      case .inObject: if try member(into: &row) { return true }
      case .inLines:
        try element.reader.skipBlanks()
        if try source.peek() == nil {
          source.endAccount()
          return false
        }
        try element.read(into: &row)
        count(row, row.start.line, to: source.line)
        try source.endLine()
        return true
      case .end:
        try element.reader.skipBlanks()
        if try source.peek() != nil { throw try source.expected("the end of the file") }
        if !hasCards { throw ExchangeError.noCards(path: source.path, keys: names) }
        source.endAccount()
        return false
      }
    }
  }

  private func open() throws {
    try element.reader.skipBlanks()
    switch try source.peek() {
    case UInt8(ascii: "["):
      (place, hasCards) = (.inArray, true)
      use()
    case UInt8(ascii: "{"):
      place = .inObject
      isFirstMember = true
    default: throw try source.expected("\"[\" or \"{\"")
    }
    source.skip()
    hasElement = false
  }

  private var isFirstMember = false

  private func use() {
    let number = account.nextElement()
    account.use(number...number)
  }

  /// Counts an element: options and note types are used, everything else is a row.
  private func count(_ row: CardRow, _ first: Int, to last: Int? = nil) {
    let lines = first...(last ?? first)
    if row.content.isCard || row.start.invalidReason != nil { account.row(lines) } else { account.use(lines) }
  }

  private func hasNext() throws -> Bool {
    let close = UInt8(ascii: "]")
    let isThere = try hasElement ? element.reader.hasNext(until: close) : !element.reader.isEmpty(until: close)
    hasElement = true
    if isThere { try element.reader.skipBlanks() }
    return isThere
  }

  // MARK: The object with everything

  /// Reads the next member. Returns true when it made a row, false when it was skipped or a list was entered.
  private func member(into row: inout CardRow) throws -> Bool {
    let close = UInt8(ascii: "}")
    let isThere = try isFirstMember ? !element.reader.isEmpty(until: close) : element.reader.hasNext(until: close)
    isFirstMember = false
    guard isThere else {
      place = .end
      return false
    }
    element.reader.beginRow()
    let (line, column) = (source.line, source.column)
    let name = String(decoding: try element.reader.name().bytes, as: UTF8.self)
    switch name {
    case "cards": try enter(.inCards)
    case "note_types": try enter(.inTypes)
    case "options":
      hasCards = true
      row.clear(line: line, column: column)
      try element.readOptions(into: &row)
      count(row, account.nextElement())
      return true
    case "deckhand", "deck":
      try element.reader.skip()
      use()
    default: try skip(name, line)
    }
    return false
  }

  private func skip(_ name: String, _ line: Int) throws {
    if names.count < 100 { names.append(name) }
    try element.reader.skip()
    let number = account.nextElement()
    account.leave(number...number, .unknownKey, name: printable(name, limit: 60), at: line)
  }

  private func enter(_ list: Place) throws {
    try element.reader.expect(UInt8(ascii: "["))
    hasCards = true
    use()
    (place, hasElement) = (list, false)
  }
}

struct JSONCardWriter: CardRowWriter {
  enum Form {
    case array
    /// An object with the deck, its options, the note types, and the cards, each on a line.
    case object
    case lines
  }

  let sink: FileSink
  let form: Form
  let contents: DeckContents
  let hasSchedule: Bool
  private(set) var isFirst = true

  var holdsOptions: Bool { form != .array }

  mutating func begin() throws {
    switch form {
    case .array: try sink.append("[")
    case .object:
      try beginObject()
      for inner in contents.options where !inner.subdeck.isEmpty { try append(JSONElementWriter.options(inner)) }
    case .lines:
      for options in contents.options { try append(JSONElementWriter.options(options)) }
      for type in contents.ownTypes { try append(JSONElementWriter.definition(type)) }
    }
  }

  private func beginObject() throws {
    try sink.append("{\"deckhand\": 1,\n\"deck\": " + Value.text(contents.name).json(.compact))
    if let own = contents.options.first(where: { $0.subdeck.isEmpty }) {
      try sink.append(",\n\"options\": ")
      try sink.append(JSONElementWriter.object(own.options))
    }
    let types = contents.ownTypes
    for (index, type) in types.enumerated() {
      try sink.append(index == 0 ? ",\n\"note_types\": [\n" : ",\n")
      try sink.append(JSONElementWriter.type(type))
    }
    try sink.append(types.isEmpty ? ",\n\"cards\": [" : "\n],\n\"cards\": [")
  }

  mutating func write(_ card: CardRecord, _ source: ExportSource) throws -> Set<CardPart> {
    let element = JSONElementWriter.card(card, source, hasSchedule: hasSchedule)
    if element.count > rowLimit { return [.largeCards] }
    try append(element)
    return []
  }

  private mutating func append(_ element: [UInt8]) throws {
    if form != .lines { try sink.append(isFirst ? "\n" : ",\n") }
    isFirst = false
    try sink.append(element)
    if form == .lines { try sink.append("\n") }
  }

  func end() throws {
    if form == .lines { return }
    try sink.append((isFirst ? "]" : "\n]") + (form == .object ? "}\n" : "\n"))
  }
}

enum JSONElementWriter {
  private static func record(_ fields: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.beginRecord()
    fields(&writer)
    writer.endRecord()
    return writer.take()
  }

  static func card(_ card: CardRecord, _ source: ExportSource, hasSchedule: Bool) -> [UInt8] {
    record { writer in
      writer.field("prompt", card.prompt)
      writer.field("answer", card.answer)
      if let note = source.note, !source.isFirst {
        writer.field(JSONName.noteGuid, note.record.guid)
      } else {
        writer.field("guid", source.note?.record.guid ?? card.guid)
        let tags = source.note?.record.tags ?? card.tags
        if !tags.isEmpty { writer.field("tags", .list(tags.map { .text($0) })) }
      }
      if let document = card.document { writer.field("document", document) }
      if !source.subdeck.isEmpty { writer.field("subdeck", source.subdeck) }
      if let note = source.note {
        if source.isFirst { write(note.record, note.type, source.ordinals, &writer) }
        writer.field(JSONName.ordinal, .integer(card.ordinal))
      }
      let plan = CardPlan(card)
      if hasSchedule, !plan.isPlain { writer.field(JSONName.schedule, plan.value) }
      if hasSchedule, !source.log.isEmpty { writer.field(JSONName.reviews, CardLog.value(source.log)) }
      for field in card.fields { field.write(to: &writer) }
    }
  }

  private static func write(_ note: NoteRecord, _ type: NoteType, _ ordinals: [Int]?, _ writer: inout JSONWriter) {
    writer.field(JSONName.noteType, type.name)
    writer.name(JSONName.noteFields)
    writer.beginRecord()
    for (name, html) in zip(type.fields, note.fields) { writer.field(name, html) }
    writer.endRecord()
    if let ordinals { writer.field(JSONName.ordinals, .list(ordinals.map { .integer($0) })) }
  }

  static func object(_ fields: [CardField]) -> [UInt8] {
    record { writer in for field in fields { field.write(to: &writer) } }
  }

  static func options(_ options: (subdeck: String, options: [CardField])) -> [UInt8] {
    record { writer in
      if !options.subdeck.isEmpty { writer.field("subdeck", options.subdeck) }
      writer.name(JSONName.deckOptions)
      writer.write(json: String(decoding: object(options.options), as: UTF8.self))
    }
  }

  static func type(_ type: NoteType) -> [UInt8] { Array(value(type).json(.compact).utf8) }

  static func definition(_ type: NoteType) -> [UInt8] {
    Array(Value.record([(JSONName.noteType, value(type))]).json(.compact).utf8)
  }

  private static func value(_ type: NoteType) -> Value {
    let cards = type.cards.map { Value.record(["name": $0.name, "front": $0.front, "back": $0.back]) }
    return .record(["name": type.name, "cloze": type.isCloze, "fields": type.fields, "cards": cards, "css": type.css])
  }
}

extension JSONWriter {
  fileprivate mutating func field(_ name: String, _ value: Value) {
    self.name(name)
    write(value)
  }
}
