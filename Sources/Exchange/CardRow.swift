// One row of a file on its way into a deck, whatever the format.
// Invariant: a row is either whole or has a reason for which it is refused; a broken file is an error instead.

package import Decks
import Problems
package import Templates
import Text

/// The bytes are those of the file, unescaped, and not checked yet.
package struct CardRow {
  package var prompt: [UInt8] = []
  package var answer: [UInt8] = []
  package var guid: [UInt8] = []
  package var tags: [String] = []
  var fields: [CardField] = []
  var document: String?
  /// The deck within the one that is imported into, empty for itself.
  package var subdeck = ""
  package var content = RowContent.texts
  /// Pictures and sounds beside the file that the texts name.
  var media: [(name: String, path: String)] = []
  /// Of a note: the numbers of the cards that it has; nil for all that its type makes.
  var ordinals: [Int]?
  var schedule: CardPlan?
  /// The answers that it had.
  var log: [LoggedReview] = []
  var start = RowStart()

  package init() {}

  mutating func clear(line: Int, column: Int? = nil) {
    prompt.removeAll(keepingCapacity: true)
    answer.removeAll(keepingCapacity: true)
    guid.removeAll(keepingCapacity: true)
    if !tags.isEmpty { tags.removeAll(keepingCapacity: true) }
    if !fields.isEmpty { fields.removeAll(keepingCapacity: true) }
    document = nil
    if !subdeck.isEmpty { subdeck = "" }
    content = .texts
    if !media.isEmpty { media = [] }
    ordinals = nil
    schedule = nil
    if !log.isEmpty { log = [] }
    start = RowStart(line: line, column: column)
  }

  mutating func addField(_ name: String, _ value: CardFieldValue) {
    if fields.count < CardField.limit {
      fields.append(CardField(name, value))
    } else {
      refuse(.badText, "there are more than \(grouped(CardField.limit)) fields")
    }
  }

  /// The first reason is the one that is reported.
  mutating func refuse(_ code: ProblemCode.Failure, _ message: String) {
    if start.invalidReason == nil { start.invalidReason = (.failure(code), message) }
  }
}

extension CardRow {
  /// Gives a picture or a sound another name.
  mutating func rename(_ old: String, to new: String) {
    func renamed(_ html: String) -> String { MediaNames.renaming(old, to: new, in: html) }
    switch content {
    case .note(let type, let fields, let ordinal):
      content = .note(type: type, fields.map { ($0.name, renamed($0.html)) }, ordinal: ordinal)
    case .texts, .formatted:
      // A sound is a plain text.
      prompt = Array(renamed(String(decoding: prompt, as: UTF8.self)).utf8)
      answer = Array(renamed(String(decoding: answer, as: UTF8.self)).utf8)
    case .card, .type, .options: break
    }
  }

  /// The prompt and the answer as HTML.
  var sides: [String] {
    [prompt, answer].map { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if case .formatted = content { return text }
      return FieldHTML.html(ofPlain: text.trimmed)
    }
  }
}

extension CardRow {
  /// Has it say that its prompt and its answer are these texts and nothing else.
  mutating func takeSidesAsHTML() {
    let sides = sides.map { Array($0.utf8) }
    (prompt, answer) = (sides[0], sides[1])
    content = .formatted
  }
}

/// Where a row begins, and why it is refused.
struct RowStart {
  var line = 1
  /// Of an element of a list: the column that it begins at.
  var column: Int?
  var invalidReason: (code: ProblemCode, message: String)?
}

/// What a row gives.
package enum RowContent {
  /// A card of its prompt and its answer.
  case texts
  /// A card whose prompt and answer are HTML.
  case formatted
  /// A note. Fields are HTML; without names they are in the order of the type's. The row is about the card of that
  /// number.
  case note(type: String, [(name: String?, html: String)], ordinal: Int? = nil)
  /// Another card of a note that came before, whose guid is the row's.
  case card(ordinal: Int)
  /// A definition of a note type, and no card at all.
  case type(NoteTypeDraft)
  /// The options of the row's deck, and no card at all.
  case options([CardField])
}

/// A file's rows from its beginning to its end.
protocol CardRows {
  /// What was found out about the file, once the first row has been read.
  var found: ImportFindings { get }
  /// Whether a plain text of the file says that it has no formatting.
  var holdsFormatting: Bool { get }
  /// - Returns: false at the end of the file.
  func next(into row: inout CardRow) throws -> Bool
}

extension CardRows {
  var holdsFormatting: Bool { false }
}

/// Bytes that a row may have.
let rowLimit = 1_000_000
