// What a row of a file must keep to before it is a card. Invariant: a row that is refused was written nowhere.

import Decks
import Text

extension CardRow {
  /// Why a prompt and an answer cannot be imported, wherever they would go; nil where nothing is known of it.
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

  /// Neither of two sides of HTML may be blank, as of any card. What comes with an id was written from a note: its back
  /// may be empty.
  func checkSides(_ sides: [String]) throws(RowRefusal) {
    if sides[0].trimmed.isEmpty { throw RowRefusal(DeckError.emptyPrompt) }
    let isOfNote = sides[1].isEmpty && !guid.isEmpty
    if sides[1].trimmed.isEmpty, !isOfNote { throw RowRefusal(DeckError.emptyAnswer) }
  }

  /// What a note keeps beside its fields has the rules of a card's.
  func checkBeside() throws {
    if fields.isEmpty, document == nil { return }
    var card = CardRow()
    (card.prompt, card.answer) = (Array("p".utf8), Array("a".utf8))
    (card.fields, card.document) = (fields, document)
    try card.checked { _ in }
  }

  /// Lends the row as a card to be written.
  /// - Throws: `RowRefusal` for the first rule that it breaks.
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
