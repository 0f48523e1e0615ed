// Writes cards as JSON: the array that the original app reads, the object with everything, or one object per line.
// Invariant: what is written is read back as the same cards.

import Decks
import Files
import Templates
import Values

struct JSONCardWriter: CardRowWriter {
  enum Form {
    /// An array of cards, without schedules.
    case array
    /// An object with the deck, its options, the note types, and the cards, each on a line.
    case object
    /// The contents of that object as one object per line.
    case lines
  }

  private let sink: FileSink
  private let form: Form
  private let contents: DeckContents
  private let hasSchedule: Bool
  private var isFirst = true

  init(_ sink: FileSink, _ form: Form, _ contents: DeckContents, hasSchedule: Bool) {
    (self.sink, self.form, self.contents, self.hasSchedule) = (sink, form, contents, hasSchedule)
  }

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
    return source.lost(card, hasSchedule: hasSchedule)
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

/// Builds the elements of a list of cards.
enum JSONElementWriter {
  static func card(_ card: CardRecord, _ source: ExportSource, hasSchedule: Bool) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.beginRecord()
    writer.field("prompt", card.prompt)
    writer.field("answer", card.answer)
    if let note = source.note, !source.isFirst {
      writer.field(JSONName.noteGuid, note.record.guid)
    } else {
      writer.field("guid", source.note?.record.guid ?? card.guid)
      writeTags(source.note?.record.tags ?? card.tags, &writer)
    }
    if let document = card.document { writer.field("document", document) }
    if !source.subdeck.isEmpty { writer.field("subdeck", source.subdeck) }
    if let note = source.note {
      if source.isFirst { write(note.record, note.type, source.ordinals, &writer) }
      writer.name(JSONName.ordinal)
      writer.write(.integer(card.ordinal))
    }
    let plan = CardPlan(card)
    if hasSchedule, !plan.isPlain {
      writer.name(JSONName.schedule)
      writer.write(plan.value)
    }
    if hasSchedule, !source.log.isEmpty {
      writer.name(JSONName.reviews)
      writer.write(CardLog.value(source.log))
    }
    for field in card.fields { field.write(to: &writer) }
    writer.endRecord()
    return writer.take()
  }

  private static func writeTags(_ tags: [String], _ writer: inout JSONWriter) {
    if tags.isEmpty { return }
    writer.name("tags")
    writer.beginList()
    for tag in tags { writer.write(tag) }
    writer.endList()
  }

  private static func write(
    _ note: NoteRecord, _ type: NoteType, _ ordinals: [Int]?, _ writer: inout JSONWriter
  ) {
    writer.field(JSONName.noteType, type.name)
    writer.name(JSONName.noteFields)
    writer.beginRecord()
    for (name, html) in zip(type.fields, note.fields) { writer.field(name, html) }
    writer.endRecord()
    guard let ordinals else { return }
    writer.name(JSONName.ordinals)
    writer.write(.list(ordinals.map { .integer($0) }))
  }

  static func object(_ fields: [CardField]) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.beginRecord()
    for field in fields { field.write(to: &writer) }
    writer.endRecord()
    return writer.take()
  }

  static func options(_ options: (subdeck: String, options: [CardField])) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.beginRecord()
    if !options.subdeck.isEmpty { writer.field("subdeck", options.subdeck) }
    writer.name(JSONName.deckOptions)
    writer.write(json: String(decoding: object(options.options), as: UTF8.self))
    writer.endRecord()
    return writer.take()
  }

  static func type(_ type: NoteType) -> [UInt8] { Array(value(type).json(.compact).utf8) }

  /// Returns a note type for a file with one object per line.
  static func definition(_ type: NoteType) -> [UInt8] {
    Array(Value.record([(JSONName.noteType, value(type))]).json(.compact).utf8)
  }

  private static func value(_ type: NoteType) -> Value {
    .record([
      ("name", .text(type.name)), ("cloze", .boolean(type.isCloze)), ("fields", .list(type.fields.map { .text($0) })),
      (
        "cards",
        .list(
          type.cards.map { card in
            .record([("name", .text(card.name)), ("front", .text(card.front)), ("back", .text(card.back))])
          })
      ), ("css", .text(type.css)),
    ])
  }
}
