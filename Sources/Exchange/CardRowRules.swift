// The rules that a row must follow before it becomes a card. Invariant: a refused row is not written anywhere.

import Decks
import Text

extension CardRow {
  /// Returns why the row's prompt and answer cannot be imported into any deck; nil when no reason is known.
  func refusal() throws -> RowRefusal? {
    if let reason = start.invalidReason { return RowRefusal(code: reason.code, message: reason.message) }
    do {
      switch content {
      case .texts: try checked { _ in }
      case .formatted: try checkSides(sides)
      case .note, .card, .type, .options: break
      }
      return nil
    } catch let refusal as RowRefusal {
      return refusal
    }
  }

  /// Checks two sides of HTML: as with any card, neither may be blank. An exception is the back of a row with a guid,
  /// which may be empty, because such a row was written from a note.
  func checkSides(_ sides: [String]) throws(RowRefusal) {
    if sides[0].trimmed.isEmpty { throw RowRefusal(DeckError.emptyPrompt) }
    let isOfNote = sides[1].isEmpty && !guid.isEmpty
    if sides[1].trimmed.isEmpty, !isOfNote { throw RowRefusal(DeckError.emptyAnswer) }
  }

  /// Checks the fields and the document of a note by the rules for those of a card.
  func checkBeside() throws {
    if fields.isEmpty, document == nil { return }
    var card = CardRow()
    (card.prompt, card.answer) = (Array("p".utf8), Array("a".utf8))
    (card.fields, card.document) = (fields, document)
    try card.checked { _ in }
  }

  /// Validates the row as a card and passes it to `body`.
  /// - Throws: `RowRefusal` for the first rule that the row breaks.
  func checked<T>(_ body: (CheckedCard) throws -> T) throws -> T {
    try prompt.withUnsafeBufferPointer { prompt in
      try answer.withUnsafeBufferPointer { answer in
        try guid.withUnsafeBufferPointer { guid in
          let card: CheckedCard
          do throws(DeckError) {
            card = try CheckedCard(
              prompt: prompt, answer: answer, guid: guid, tags: tags, fields: fields, document: document)
          } catch {
            throw RowRefusal(error)
          }
          return try body(card)
        }
      }
    }
  }
}
