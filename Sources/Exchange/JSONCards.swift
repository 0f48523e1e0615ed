// Cards as a JSON array of objects: {"prompt": ..., "answer": ...}, and whatever more they hold.
// Invariant: every key that Deckhand does not know is kept in the card's fields.

import Decks
import Problems
import Text
import Values

final class JSONCards: CardRows {
  private let source: ByteSource
  private var reader: JSONReader<ByteSource>
  private var isOpen = false
  private var isDone = false

  init(_ source: ByteSource) {
    self.source = source
    reader = JSONReader(source, rowLimit: rowLimit)
  }

  func next(into row: inout CardRow) throws -> Bool {
    if isDone { return false }
    guard try goesOn() else { return false }
    try reader.skipBlanks()
    reader.beginRow()
    row.clear(line: source.line)
    row.column = source.column
    if try source.peek() == UInt8(ascii: "{") {
      try object(into: &row)
    } else {
      var raw: [UInt8] = []
      try reader.value(into: &raw, depth: 1)
      row.refuse(.badRow, "an object with prompt and answer expected")
    }
    return true
  }

  /// Whether another card follows.
  private func goesOn() throws -> Bool {
    let close = UInt8(ascii: "]")
    if isOpen {
      if try reader.goesOn(until: close) { return true }
    } else {
      try reader.expect(UInt8(ascii: "["))
      isOpen = true
      if try !reader.isEmpty(until: close) { return true }
    }
    isDone = true
    try reader.skipBlanks()
    if try source.peek() != nil { throw try source.expected("the end of the file") }
    return false
  }

  private func object(into row: inout CardRow) throws {
    let close = UInt8(ascii: "}")
    source.skip()
    if try !reader.isEmpty(until: close) {
      repeat {
        let name = try reader.name()
        if let invalidReason = name.anyInvalidReason { row.refuse(.badText, "the name of a value \(invalidReason)") }
        if name.bytes.withUnsafeBufferPointer({ hasEndlessMarks($0) }) {
          // It would take minutes to compare such a name with any other.
          row.refuse(.badText, "the name of a value has more than \(longestMarkRun) combining marks in a row")
          _ = try reader.piece()
        } else {
          try member(name.bytes, into: &row)
        }
        try reader.checkRow()
      } while try reader.goesOn(until: close)
    }
  }

  private func member(_ name: [UInt8], into row: inout CardRow) throws {
    switch String(decoding: name, as: UTF8.self) {
    case "prompt": row.prompt = try text("prompt", &row)
    case "answer": row.answer = try text("answer", &row)
    case "guid": row.guid = try text("guid", &row) ?? []
    case "document": row.document = try text("document", &row).map { String(decoding: $0, as: UTF8.self) }
    case "subdeck": row.subdeck = try text("subdeck", &row).map { String(decoding: $0, as: UTF8.self) } ?? ""
    case "tags": try tags(into: &row)
    case let other: try field(other, into: &row)
    }
  }

  /// A text, or nil for null and for what is not a text, which is refused.
  private func text(_ what: String, _ row: inout CardRow) throws -> [UInt8]? {
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

  /// A list of texts, or one text in which spaces part them.
  private func tags(into row: inout CardRow) throws {
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
    } while try reader.goesOn(until: UInt8(ascii: "]"))
  }

  private func field(_ name: String, into row: inout CardRow) throws {
    let (piece, invalidReason) = try reader.piece()
    let value = CardFieldValue(piece)
    if let invalidReason { row.refuse(.badText, "the value of \"\(name)\" \(invalidReason)") }
    // Of a key that stands there twice the last value counts, as most readers of JSON have it.
    if let index = row.fields.firstIndex(where: { $0.name == name }) {
      row.fields[index].value = value
    } else {
      row.addField(name, value)
    }
  }
}
