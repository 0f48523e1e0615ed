// What can go wrong with notes, note types and media, as facts, and the words for it.
// Invariant: codes never change; every message says which value it is about and what to do instead.

public import Problems
import Text

public enum NoteError: Problem, Equatable {
  case typeNotFound(name: String, suggestion: String?)
  case typeExists(name: String)
  /// `reason` completes "a note type ...".
  case badType(reason: String)
  case badTemplate(card: String, side: CardSide, fault: TemplateFault)
  /// A field that the note's type does not have.
  case noField(name: String, type: String, suggestion: String?)
  /// `reason` completes "the field "Front" ...".
  case badField(name: String, reason: String)
  /// The first field of a note is empty.
  case emptyNote(field: String)
  /// A note of a cloze type without a cloze.
  case noCloze
  /// A change of a note type takes cards or texts away, and nobody has agreed to it yet.
  case losesCards(type: String, cards: Int, notes: Int)
  /// A card's text that is made from the fields of its note by a template.
  case madeFromNote(what: String)
  /// A field holds formatting that plain text would lose.
  case formatted(field: String)
  case typeInUse(name: String, notes: Int)
  case tooLarge(what: String)
  case mediaNotFound(name: String, suggestion: String?)
  /// `reason` completes "the name of a media file ...".
  case badMediaName(name: String, reason: String)

  public var code: String {
    switch self {
    case .typeNotFound, .mediaNotFound, .noField: "not_found"
    case .typeExists: "exists"
    case .badType: "bad_type"
    case .badTemplate: "bad_template"
    case .badField: "bad_text"
    case .emptyNote: "empty_note"
    case .noCloze: "no_cloze"
    case .losesCards: "loses_cards"
    case .madeFromNote: "made_from_note"
    case .formatted: "formatted"
    case .typeInUse: "in_use"
    case .tooLarge: "too_large"
    case .badMediaName: "bad_name"
    }
  }

  public var title: String {
    switch self {
    case .typeNotFound: "No such note type"
    case .typeExists: "The note type is there already"
    case .badType: "This cannot be a note type"
    case .badTemplate: "This template cannot be used"
    case .noField: "No such field"
    case .badField: "This text cannot be kept"
    case .emptyNote: "The note is empty"
    case .noCloze: "The note has no cloze"
    case .losesCards: "Cards would be removed"
    case .madeFromNote: "The text is made from a note"
    case .formatted: "The field holds formatting"
    case .typeInUse: "The note type is in use"
    case .tooLarge: "Too large"
    case .mediaNotFound: "No such media file"
    case .badMediaName: "This cannot be a media file's name"
    }
  }

  public var message: String {
    switch self {
    case .typeNotFound(let name, let near): "no note type is called \(quoted(name))\(hint(near))"
    case .typeExists(let name):
      "a note type called \(quoted(name)) is there already; names that differ only in capitals are the same"
    case .badType(let reason): "a note type \(reason)"
    case .badTemplate(let card, let side, let fault):
      "the \(side.rawValue) of the card \(quoted(card)) \(fault.reason)"
    case .noField(let name, let type, let near):
      "the note type \(quoted(type)) has no field called \(quoted(name))\(hint(near))"
    case .badField(let name, let reason): "the field \(quoted(name)) \(reason)"
    case .emptyNote(let field): "the field \(quoted(field)), the note's first, is empty"
    case .noCloze: "the note has no cloze: write at least one, as {{c1::hidden}}"
    case .losesCards(let type, let cards, let notes):
      "the change of the note type \(quoted(type)) takes away \(NoteError.lost(cards, notes)); confirm it to go on"
    case .madeFromNote(let what): "the \(what) is made from note fields; set card.note.fields"
    case .formatted(let field):
      "the field \(quoted(field)) holds formatting that plain text would lose; set the field of the note itself"
    case .typeInUse(let name, let notes): "the note type \(quoted(name)) has \(counted(notes, "note")); remove them first"
    case .tooLarge(let what): "\(what) is too large"
    case .mediaNotFound(let name, let near): "no media file is called \(quoted(name))\(hint(near))"
    case .badMediaName(let name, let reason): "the name of a media file \(reason): \(quoted(name))"
    }
  }

  public var details: [(name: String, value: ProblemDetail)] {
    switch self {
    case .typeNotFound(let name, let near), .mediaNotFound(let name, let near), .noField(let name, _, let near):
      [("name", .text(name))] + (near.map { [("suggestion", .text($0))] } ?? [])
    case .typeExists(let name), .badField(let name, _), .typeInUse(let name, _), .badMediaName(let name, _):
      [("name", .text(name))]
    case .badTemplate(let card, let side, _): [("card", .text(card)), ("side", .text(side.rawValue))]
    case .losesCards(_, let cards, let notes): [("cards", .integer(cards)), ("notes", .integer(notes))]
    case .emptyNote(let field), .formatted(let field): [("name", .text(field))]
    default: []
    }
  }

  private static func lost(_ cards: Int, _ notes: Int) -> String {
    let texts = "the texts of removed fields in \(counted(notes, "note"))"
    if notes == 0 { return counted(cards, "card") }
    return cards == 0 ? texts : "\(counted(cards, "card")) and \(texts)"
  }
}

public enum CardSide: String, Sendable {
  case front, back
}

private func hint(_ near: String?) -> String { near.map { " (did you mean \(quoted($0))?)" } ?? "" }
