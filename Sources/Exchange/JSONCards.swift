// Cards as JSON: an array of objects, an object with everything (deck, options, note types, cards), or one object per
// line. Invariant: every unknown key of a card is kept in the card's fields; memory holds one card at a time; what is
// written is read back as the same cards.

import Decks
import Files
import Problems
import Templates
import Text
import Values

final class JSONCards: RowSource {
  private let source: ByteSource
  private let isLines: Bool
  private var element: JSONElement
  private var row = CardRow()
  private(set) var found = ImportFindings()
  private var (names, hasCards): ([String], Bool) = ([], false)
  private var account: LineAccount { source.account }
  var report: LineReport { account.report }

  init(_ source: ByteSource, isLines: Bool) {
    (self.source, self.isLines) = (source, isLines)
    element = JSONElement(source)
    found.encoding = source.encoding
    if !isLines { source.account.countElements() }
  }

  func forEach(_ body: (inout CardRow) throws -> Void) throws {
    try element.reader.skipBlanks()
    if isLines {
      try forEachLine(body)
    } else {
      switch try source.peek() {
      case UInt8(ascii: "["): try forEachElement(body) { try $0.read(into: &$1) }
      case UInt8(ascii: "{"): try forEachMember(body)
      default: throw try source.expected("\"[\" or \"{\"")
      }
      try element.reader.skipBlanks()
      if try source.peek() != nil { throw try source.expected("the end of the file") }
      if !hasCards { throw ExchangeError.noCards(path: source.path, keys: names) }
    }
    source.endAccount()
  }

  private func forEachLine(_ body: (inout CardRow) throws -> Void) throws {
    while try source.peek() != nil {
      try element.read(into: &row)
      count(row.start.line, to: source.line)
      try source.endLine()
      try body(&row)
      try element.reader.skipBlanks()
    }
  }

  private func forEachElement(
    _ body: (inout CardRow) throws -> Void, _ read: (inout JSONElement, inout CardRow) throws -> Void
  ) throws {
    try element.reader.expect(UInt8(ascii: "["))
    hasCards = true
    use()
    if try element.reader.isEmpty(until: UInt8(ascii: "]")) { return }
    repeat {
      try element.reader.skipBlanks()
      try read(&element, &row)
      count(account.nextElement())
      try body(&row)
    } while try element.reader.hasNext(until: UInt8(ascii: "]"))
  }

  private func use() {
    let number = account.nextElement()
    account.use(number...number)
  }

  /// Counts an element: options and note types are used, everything else is a row.
  private func count(_ first: Int, to last: Int? = nil) {
    let lines = first...(last ?? first)
    if row.content.isCard || row.start.invalidReason != nil { account.row(lines) } else { account.use(lines) }
  }

  /// Reads the members of the object with everything; unknown ones are skipped.
  private func forEachMember(_ body: (inout CardRow) throws -> Void) throws {
    source.skip()
    if try element.reader.isEmpty(until: UInt8(ascii: "}")) { return }
    repeat {
      element.reader.beginRow()
      let (line, column) = (source.line, source.column)
      let name = String(decoding: try element.reader.name().bytes, as: UTF8.self)
      switch name {
      case "cards": try forEachElement(body) { try $0.read(into: &$1) }
      case "note_types": try forEachElement(body) { try $0.readType(into: &$1) }
      case "options":
        hasCards = true
        row.clear(line: line, column: column)
        try element.readOptions(into: &row)
        count(account.nextElement())
        try body(&row)
      case "deckhand", "deck":
        try element.reader.skip()
        use()
      default: try skip(name, line)
      }
    } while try element.reader.hasNext(until: UInt8(ascii: "}"))
  }

  private func skip(_ name: String, _ line: Int) throws {
    if names.count < 100 { names.append(name) }
    try element.reader.skip()
    let number = account.nextElement()
    account.leave(number...number, .unknownKey, name: printable(name, limit: 60), at: line)
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
  let deck: String
  let options: [(subdeck: String, options: [CardField])]
  let types: [NoteType]
  let hasSchedule: Bool
  private(set) var isFirst = true

  var holdsOptions: Bool { form != .array }

  mutating func begin() throws {
    switch form {
    case .array: try sink.append("[")
    case .object:
      try beginObject()
      for inner in options where !inner.subdeck.isEmpty { try append(JSONElementWriter.options(inner)) }
    case .lines:
      for options in options { try append(JSONElementWriter.options(options)) }
      for type in types { try append(JSONElementWriter.definition(type)) }
    }
  }

  private func beginObject() throws {
    try sink.append("{\"deckhand\": 1,\n\"deck\": " + Value.text(deck).json(.compact))
    if let own = options.first(where: { $0.subdeck.isEmpty }) {
      try sink.append(",\n\"options\": ")
      try sink.append(JSONElementWriter.object(own.options))
    }
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
