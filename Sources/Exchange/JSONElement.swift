// Reads one JSON element as a row: a card, a note, a note type, or a deck's options.
// Invariant: an unusable value makes the row invalid, not the file.

import Decks
import Problems
import Templates
import Text
import Values

/// Names of members with a special meaning, besides those for a card's own parts.
enum JSONName {
  static let noteType = "note_type"
  static let noteFields = "note_fields"
  static let noteGuid = "note_guid"
  static let ordinal = "ordinal"
  /// The ordinals of the note's cards, present when it lacks some that its type makes.
  static let ordinals = "ordinals"
  static let schedule = "schedule"
  static let reviews = "reviews"
  /// The options of a deck within the exported one; `subdeck` names the deck.
  static let deckOptions = "deck_options"
}

struct JSONElement {
  var reader: JSONReader<ByteSource>
  private let source: ByteSource
  private static let limits = JSONLimits(bytes: rowLimit, depth: 32, values: 100_000, string: rowLimit)

  init(_ source: ByteSource) {
    self.source = source
    reader = JSONReader(source, rowLimit: rowLimit)
  }

  mutating func read(into row: inout CardRow) throws {
    try begin(&row)
    guard try source.peek() == UInt8(ascii: "{") else {
      try reader.skip()
      return row.refuse(.badRow, "an object with prompt and answer expected")
    }
    try object(into: &row)
    readNote(&row)
    if row.fields.isEmpty { return }
    readHistory(&row)
  }

  mutating func readType(into row: inout CardRow) throws {
    try begin(&row)
    if let type = try value(&row, "the note type") { define(type, &row) }
  }

  mutating func readOptions(into row: inout CardRow) throws { setOptions(try value(&row, "the options"), &row) }

  private mutating func begin(_ row: inout CardRow) throws {
    try reader.skipBlanks()
    reader.beginRow()
    row.clear(line: source.line, column: source.column)
  }

  // MARK: Members

  private mutating func object(into row: inout CardRow) throws {
    let close = UInt8(ascii: "}")
    source.skip()
    if try reader.isEmpty(until: close) { return }
    var names = JSONNames()
    repeat {
      let name = try reader.name()
      if let reason = names.add(name) { row.refuse(.badRow, "the card \(reason)") }
      if let invalidReason = name.anyInvalidReason { row.refuse(.badText, "the name of a value \(invalidReason)") }
      if name.bytes.withUnsafeBufferPointer({ hasTooManyMarks($0) }) {
        // Comparing such a name with any other would take minutes.
        row.refuse(.badText, "the name of a value has more than \(longestMarkRun) combining marks in a row")
        try reader.skip()
      } else {
        try member(name.bytes, into: &row)
      }
      try reader.checkRow()
    } while try reader.hasNext(until: close)
  }

  private mutating func member(_ name: [UInt8], into row: inout CardRow) throws {
    switch String(decoding: name, as: UTF8.self) {
    case "prompt": row.prompt = try text("prompt", &row) ?? []
    case "answer": row.answer = try text("answer", &row) ?? []
    case "guid": row.guid = try text("guid", &row) ?? []
    case "document": row.document = try text("document", &row).map { String(decoding: $0, as: UTF8.self) }
    case "subdeck": row.subdeck = try text("subdeck", &row).map { String(decoding: $0, as: UTF8.self) } ?? ""
    case "tags": try tags(into: &row)
    case let other: try field(other, into: &row)
    }
  }

  /// Returns a text; nil for null. Other values refuse the row and return nil.
  private mutating func text(_ what: String, _ row: inout CardRow) throws -> [UInt8]? {
    if try source.peek() == UInt8(ascii: "\"") {
      let text = try reader.text()
      if let invalidReason = text.invalidReason { row.refuse(.badText, "the \(what) \(invalidReason)") }
      return text.bytes
    }
    var raw: [UInt8] = []
    try reader.value(into: &raw, depth: 2)
    if raw != Array("null".utf8) { row.refuse(.badRow, "the \(what) must be a text in quotes") }
    return nil
  }

  /// Reads tags: a list of texts, or one text of tags separated by spaces.
  private mutating func tags(into row: inout CardRow) throws {
    guard try source.peek() == UInt8(ascii: "[") else {
      row.tags = try text("tags", &row).map { Tags.separated(String(decoding: $0, as: UTF8.self)) } ?? []
      return
    }
    source.skip()
    row.tags = []
    if try reader.isEmpty(until: UInt8(ascii: "]")) { return }
    repeat {
      try reader.skipBlanks()
      if let tag = try text("tag", &row) { row.tags.append(String(decoding: tag, as: UTF8.self)) }
    } while try reader.hasNext(until: UInt8(ascii: "]"))
  }

  private mutating func field(_ name: String, into row: inout CardRow) throws {
    let (piece, invalidReason) = try reader.piece()
    let value = CardFieldValue(piece)
    if let invalidReason { row.refuse(.badText, "the value of \"\(name)\" \(invalidReason)") }
    row.addField(name, value)
  }

  /// Parses a value as a tree. If it is invalid, refuses the row and returns nil.
  private mutating func value(_ row: inout CardRow, _ what: String) throws -> Value? {
    var raw: [UInt8] = []
    if let invalidReason = try reader.value(into: &raw) {
      row.refuse(.badText, "\(what) \(invalidReason)")
      return nil
    }
    do throws(JSONFailure) { return try JSONParser.parse(raw, limits: Self.limits) } catch {
      row.refuse(.badRow, "\(what): \(error.words)")
      return nil
    }
  }

  // MARK: Notes, schedules, logs

  /// Removes a field of the card that is JSON, if `isWanted` accepts it, and parses it. If it is invalid, refuses the
  /// row and returns nil.
  private func take(_ name: String, _ row: inout CardRow, where isWanted: (String) -> Bool) -> Value? {
    guard let index = row.fields.firstIndex(where: { $0.name == name }), case .json(let json) = row.fields[index].value,
      isWanted(json)
    else { return nil }
    row.fields.remove(at: index)
    do throws(JSONFailure) { return try JSONParser.parse(Array(json.utf8), limits: Self.limits) } catch {
      row.refuse(.badRow, "\(name): \(error.words)")
      return nil
    }
  }

  private func takeObject(_ name: String, _ row: inout CardRow) -> Value? { take(name, &row) { $0.hasPrefix("{") } }

  private func takeText(_ name: String, _ row: inout CardRow) -> String? {
    guard let index = row.fields.firstIndex(where: { $0.name == name }), case .text(let text) = row.fields[index].value
    else { return nil }
    row.fields.remove(at: index)
    return text
  }

  private func readNote(_ row: inout CardRow) {
    if row.fields.isEmpty { return }
    if let options = takeObject(JSONName.deckOptions, &row) { return setOptions(options, &row) }
    if let type = takeObject(JSONName.noteType, &row) { return define(type, &row) }
    if let fields = takeObject(JSONName.noteFields, &row)?.record {
      guard let type = takeText(JSONName.noteType, &row) else {
        return row.refuse(.badRow, "a note needs the name of its type in \(JSONName.noteType)")
      }
      let ordinal = take(JSONName.ordinal, &row) { _ in true }?.integer
      readOrdinals(&row)
      row.content = .note(
        type: type, fields.fields.map { ($0.name, $0.value.text ?? $0.value.json(.compact)) }, ordinal: ordinal)
    } else if let guid = takeText(JSONName.noteGuid, &row) {
      guard let ordinal = take(JSONName.ordinal, &row, where: { _ in true })?.integer, ordinal >= 0 else {
        return row.refuse(.badRow, "the card of a note needs its \(JSONName.ordinal), from 0")
      }
      row.guid = Array(guid.utf8)
      row.content = .card(ordinal: ordinal)
    }
  }

  private func readOrdinals(_ row: inout CardRow) {
    guard let list = take(JSONName.ordinals, &row, where: { $0.hasPrefix("[") })?.list else { return }
    let numbers = list.compactMap(\.integer).filter { $0 >= 0 }
    guard !list.isEmpty, numbers.count == list.count else {
      return row.refuse(.badRow, "ordinals must be the numbers of the note's cards, from 0")
    }
    row.ordinals = numbers
  }

  // A schedule or a log without the parts of one stays a field.

  /// Reads the schedule and the log. A schedule without a memory gets it from the answers, which are then those of
  /// another program.
  private func readHistory(_ row: inout CardRow) {
    let reviews = take(JSONName.reviews, &row) { json in
      json.hasPrefix("[") && ["at", "rating"].allSatisfy { json.contains(text: "\"\($0)\"") }
    }
    let log = reviews?.list ?? []
    // Each answer of our own log has a state.
    let isReplayed = !log.isEmpty && log.allSatisfy { $0.record?["state"] == nil }
    let given = take(JSONName.schedule, &row) { json in
      json.hasPrefix("{") && (json.contains(text: "\"state\"") || isReplayed)
    }
    do throws(DeckError) {
      if isReplayed, given?.record?["stability"]?.double == nil {
        row.histories = [try CardHistory(given?.record ?? Value.Record(), log)]
      } else {
        row.schedule = try given?.record.map { (record) throws(DeckError) in try CardPlan(record) }
        row.log = try CardLog.log(log)
      }
    } catch {
      row.refuse(.badRow, error.message)
    }
  }

  private func define(_ value: Value, _ row: inout CardRow) {
    let type = ValueReader(value)
    do throws(ShapeFailure) {
      var draft = NoteTypeDraft(
        name: try type["name"].text(),
        fields: try type["fields"].elements().map { (field) throws(ShapeFailure) in try field.text() },
        cards: try type["cards"].elements().map { (card) throws(ShapeFailure) in
          CardTemplate(try card["name"].text(), front: try card["front"].text(), back: try card["back"].text())
        })
      if let css = value.record?["css"]?.text { draft.css = css }
      draft.isCloze = value.record?["cloze"] == .boolean(true)
      row.content = .type(draft)
    } catch {
      let isWithin = error.pointer.description.dropFirst().contains("/")
      let parts = isWithin ? "fields that are texts, and cards with name, front and back" : "a name, fields and cards"
      row.refuse(.badRow, "a note type must have \(parts)")
    }
  }

  private func setOptions(_ value: Value?, _ row: inout CardRow) {
    guard let record = value?.record else {
      return row.refuse(.badRow, "options must be an object with names and values")
    }
    row.content = .options(
      record.fields.map { field in
        CardField(field.name, field.value.text.map { .text($0) } ?? .json(field.value.json(.compact)))
      })
  }
}
