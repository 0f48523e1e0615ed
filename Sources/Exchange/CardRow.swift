// One row of a file on its way into a deck, whatever the format.
// Invariant: a row is either whole or has a reason for which it is refused; a broken file is an error instead.

import Decks
import Problems

/// The bytes are those of the file, unescaped, and not checked yet.
struct CardRow {
  var prompt: [UInt8]?
  var answer: [UInt8]?
  var guid: [UInt8] = []
  var tags: [String] = []
  var fields: [CardField] = []
  var document: String?
  /// The deck within the one that is imported into, empty for itself.
  var subdeck = ""
  /// The line that the row begins at.
  var line = 1
  /// Of an element of a list: the column that it begins at.
  var column: Int?
  var invalidReason: (code: ProblemCode, message: String)?

  mutating func clear(line: Int) {
    prompt = nil
    answer = nil
    guid.removeAll(keepingCapacity: true)
    tags.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    document = nil
    subdeck = ""
    self.line = line
    column = nil
    invalidReason = nil
  }

  mutating func addField(_ name: String, _ value: CardFieldValue) {
    if fields.count < CardField.limit {
      fields.append(CardField(name, value))
    } else {
      refuse(.badText, "the fields are more than 1,000")
    }
  }

  /// The first reason is the one that is reported.
  mutating func refuse(_ code: ProblemCode.Failure, _ message: String) {
    if invalidReason == nil { invalidReason = (.failure(code), message) }
  }
}

/// A file's rows from its beginning to its end.
protocol CardRows {
  /// - Returns: false at the end of the file.
  func next(into row: inout CardRow) throws -> Bool
}

/// Bytes that a row may have.
let rowLimit = 1_000_000
