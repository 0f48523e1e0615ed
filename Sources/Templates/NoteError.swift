// What can go wrong with notes, note types and media, and the messages for it.
// Invariant: codes never change; every message names the value concerned and the remedy.

public import Problems
import Text

public enum NoteError: Problem, Equatable {
  case typeNotFound(name: String, suggestion: String?)
  case typeExists(name: String)
  /// `reason` completes "a note type ...".
  case badType(reason: String)
  case badTemplate(card: String, side: CardSide, fault: TemplateFault)
  case noField(name: String, type: String, suggestion: String?, fields: [String])
  /// `reason` completes "the field "Front" ...".
  case badField(name: String, reason: String)
  case emptyNote(field: String)
  case noCloze
  /// A change of a note type would remove cards or texts, and has not been confirmed yet.
  case losesCards(type: String, cards: Int, notes: Int)
  /// The card's text is rendered from the fields of its note by a template.
  case madeFromNote(what: String, fields: [String])
  case formatted(field: String)
  case typeInUse(name: String, notes: Int)
  /// `users` names notes and note types.
  case mediaInUse(name: String, users: String)
  case tooLarge(what: String)
  case otherType(type: String)
  /// A row is of a card that the note with its guid does not make.
  case noSuchCard(guid: String, number: Int)
  case mediaNotFound(name: String, suggestion: String?)
  /// The user or a time limit stopped the operation; nothing was changed.
  case interrupted
  /// `reason` completes "the name of a media file ...".
  case badMediaName(name: String, reason: String)

  public var report: ProblemReport {
    switch self {
    case .noField(let name, let type, let near, let fields):
      ProblemReport(
        .notFound, "No such field",
        "the note type \(quoted(type)) has no field called \(quoted(name))\(didYouMean(near)); it has "
          + fields.map { printable($0) }.joined(separator: ", "),
        ["name": name, "suggestion": near])
    case .badField(let name, let reason):
      ProblemReport(.badText, "This text cannot be stored", "the field \(quoted(name)) \(reason)", ["name": name])
    case .emptyNote(let field):
      ProblemReport(
        .emptyNote, "The note is empty", "the field \(quoted(field)), the note's first, is empty", ["name": field])
    case .noCloze:
      ProblemReport(.noCloze, "The note has no cloze", "the note has no cloze: write at least one, as {{c1::hidden}}")
    case .madeFromNote(let what, let fields):
      ProblemReport(
        .madeFromNote, "The text is made from a note",
        "the \(what) is made from fields of the note (\(fields.map { printable($0) }.joined(separator: ", "))); "
          + "change those: `note edit CARD --set FIELD=TEXT`, in Lua card.note.fields.FIELD")
    case .formatted(let field):
      ProblemReport(
        .formatted, "The field contains formatting",
        "the field \(quoted(field)) contains formatting that plain text would lose; `note edit NOTE --set FIELD=TEXT` "
          + "takes HTML with --html, and replaces it with plain text with --plain; in Lua card.note.fields.FIELD is "
          + "HTML",
        ["name": field])
    case .tooLarge(let what): ProblemReport(.tooLarge, "Too large", "\(what) is too large")
    case .otherType(let type):
      ProblemReport(
        .badValue, "The note is of another type",
        "a note with this guid already exists, of the type \(quoted(type)), which has other fields")
    case .noSuchCard(let guid, let number):
      ProblemReport(
        .badRow, "No such card",
        "the note with the guid \(quoted(guid)) makes no card \(grouped(number)); give the row another guid, or change "
          + "the note so that it makes the card")
    case .interrupted: ProblemReport(.interrupted, "Interrupted", "interrupted; nothing was changed")
    case .mediaNotFound(let name, let near):
      ProblemReport(
        .notFound, "No such media file", "no media file is called \(quoted(name))\(didYouMean(near))",
        ["name": name, "suggestion": near])
    case .mediaInUse(let name, let users):
      ProblemReport(
        .inUse, "The media file is in use",
        "the media file \(quoted(name)) is used by \(users); --force removes it all the same", ["name": name])
    case .badMediaName(let name, let reason):
      ProblemReport(
        .badName, "Invalid name for a media file", "the name of a media file \(reason): \(quoted(name))",
        ["name": name])
    case .typeNotFound, .typeExists, .badType, .badTemplate, .losesCards, .typeInUse: typeReport
    }
  }

  private var typeReport: ProblemReport {
    switch self {
    case .typeNotFound(let name, let near):
      ProblemReport(
        .notFound, "No such note type", "no note type is called \(quoted(name))\(didYouMean(near))",
        ["name": name, "suggestion": near])
    case .typeExists(let name):
      ProblemReport(
        .exists, "The note type already exists",
        "a note type called \(quoted(name)) already exists; names that differ only in case are the same",
        ["name": name])
    case .badTemplate(let card, let side, let fault):
      ProblemReport(
        .badTemplate, "This template cannot be used",
        "the \(side.rawValue) of the card \(quoted(card)) \(fault.reason)", ["card": card, "side": side.rawValue])
    case .losesCards(let type, let cards, let notes):
      ProblemReport(
        .losesCards, "Cards would be removed",
        "the change to the note type \(quoted(type)) removes \(NoteTypeLoss(cards: cards, notes: notes).inWords); "
          + "confirm it to continue",
        ["name": type, "cards": cards, "notes": notes])
    case .typeInUse(let name, let notes):
      ProblemReport(
        .inUse, "The note type is in use",
        "the note type \(quoted(name)) has \(counted(notes, "note")); remove \(notes == 1 ? "it" : "them") first",
        ["name": name, "notes": notes])
    case .badType(let reason): ProblemReport(.badType, "Invalid note type", "a note type \(reason)")
    default: ProblemReport(.badType, "Invalid note type", "the note type is invalid")
    }
  }
}

public enum CardSide: String, Sendable {
  case front, back
}
