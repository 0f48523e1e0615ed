// The operations of a workspace, and the descriptions of what they did for undo steps.
// Invariant: every change of a workspace is one of these operations.

import Decks
import Text

/// The kind of an operation: one transaction, one undo step.
public enum Operation: String, Sendable {
  case createDeck = "creating a deck"
  case renameDeck = "renaming a deck"
  case removeDeck = "removing a deck"
  case changeDeckOptions = "changing a deck's options"
  case changePresets = "changing presets"
  case addCards = "adding cards"
  case editCard = "editing a card"
  case moveCard = "moving a card"
  case removeCards = "removing cards"
  case importCards = "importing cards"
  /// An import or a batch all of whose cards exist already.
  case updateCards = "updating cards"
  case buildDeck = "building a deck"
  case mergeDeck = "merging into a deck"
  case settleConflicts = "settling conflicts"
  case spreadCards = "spreading overdue cards"
  case pauseStudy = "pausing study"
  case answerCard = "answering a card"
  case importAnswers = "importing answers"
  case addNote = "adding a note"
  case editNote = "editing a note"
  case removeNotes = "removing notes"
  case createNoteType = "creating a note type"
  case editNoteType = "editing a note type"
  case removeNoteType = "removing a note type"
  case addMedia = "adding a media file"
  case removeMedia = "removing media files"
  case mineText = "adding cards from a text"
  case listWords = "changing the list of known words"
  case savePlace = "saving a place in a text"
  case speakCards = "adding speech"
  case saveGame = "saving a game"
  case changeSettings = "changing settings"
  case changeDocuments = "changing documents"
  case fillDocuments = "making documents from cards"
  case removeDocument = "removing a document"
  case link = "linking with a sync server"
  case unlink = "ending the link with a sync server"
  case sync = "syncing"
  case syncMedia = "syncing media"
  case mend = "repairing"
  case takeBack = "undoing an answer"

  /// Those that leave every card at its position.
  static let unmoving: Set<Operation> = [
    .changeDeckOptions, .changePresets, .editCard, .answerCard, .takeBack, .importAnswers, .saveGame, .changeSettings,
    .changeDocuments, .fillDocuments, .removeDocument, .createNoteType, .removeNoteType, .addMedia, .removeMedia,
    .syncMedia, .listWords, .savePlace, .link, .unlink, .spreadCards, .pauseStudy,
  ]

  /// Whether its subject is a card; a description of several cards names none.
  var namesOneCard: Bool { [.answerCard, .editCard, .moveCard].contains(self) }

  /// Describes what was done: "adding 3 cards to Spanish", "answering "el gato": good".
  /// - Parameter details: replaces the count in the description.
  func words(_ subject: String?, _ count: Int, _ details: String? = nil) -> String {
    let name = subject.map { printable($0, limit: namesOneCard ? 400 : 60) }
    let cards = namesOneCard && count == 1 ? name ?? counted(count, "card") : counted(count, "card")
    func named(_ word: String) -> String { name.map { word + $0 } ?? "" }
    switch self {
    case .addCards: return "adding \(cards)\(named(" to "))"
    case .importCards: return "importing \(cards)\(named(" into "))"
    case .updateCards: return "updating \(cards)\(named(" in "))"
    case .importAnswers: return "importing \(counted(count, "answer"))\(named(" into "))"
    case .buildDeck: return "building\(named(" ")) (\(details ?? cards))"
    case .mergeDeck: return "merging\(named(" into "))" + (count > 0 ? " (\(counted(count, "note")))" : "")
    case .removeCards: return "removing \(cards)\(named(" from "))"
    case .editCard: return "editing \(cards)"
    case .moveCard: return "moving \(cards)"
    case .spreadCards: return "spreading \(counted(count, "overdue card"))\(named(" over "))"
    case .answerCard: return "answering \(cards)"
    case .removeDeck: return "removing\(named(" "))" + (count > 0 ? " with \(cards)" : "")
    case .createDeck: return "creating the deck\(named(" "))"
    case .addNote: return "adding \(counted(count, "note"))\(named(" to "))"
    case .editNote: return "editing \(counted(count, "note"))"
    case .removeNotes: return "removing \(counted(count, "note"))"
    case .addMedia: return "adding \(counted(count, "media file"))"
    case .removeMedia: return "removing \(counted(count, "media file"))"
    case .mineText: return "adding \(cards)\(named(" to ")) from a text"
    case .listWords: return "changing \(counted(count, "word")) in the list of known words"
    case .speakCards: return "adding speech to \(cards)"
    case .renameDeck, .changeDeckOptions, .changePresets, .createNoteType, .editNoteType, .removeNoteType, .link,
      .unlink:
      return rawValue + named(": ")
    case .syncMedia: return "syncing \(counted(count, "media file"))\(named(" with "))"
    case .sync: return "syncing \(counted(count, "row"))\(named(" with "))"
    case .fillDocuments: return "making \(counted(count, "document")) from cards"
    case .changeDocuments: return count == 1 ? "changing a document" : rawValue
    case .removeDocument: return count == 1 ? rawValue : "removing documents"
    case .settleConflicts: return "settling \(counted(count, "conflict"))\(named(" in "))"
    case .saveGame, .savePlace, .changeSettings, .mend, .takeBack, .pauseStudy: return rawValue
    }
  }
}

struct StepParts {
  private struct Part {
    let operation: Operation
    let subject: String?
    var count: Int
  }

  private var parts: [Part] = []
  private static let mostShown = 3

  mutating func add(_ operation: Operation, _ subject: String?, _ count: Int) {
    // A loop repeats the same change many times.
    let same = parts.suffix(8).lastIndex {
      $0.operation == operation && ($0.subject == subject || operation.namesOneCard)
    }
    if let same { return parts[same].count += count }
    parts.append(Part(operation: operation, subject: subject, count: count))
  }

  /// Returns the description, such as "adding 1,204 cards to Spanish (run make.lua)".
  func words(from origin: String?) -> String {
    var words = parts.prefix(StepParts.mostShown).map { $0.operation.words($0.subject, $0.count) }.joined(
      separator: ", ")
    if parts.count > StepParts.mostShown {
      words += " and \(counted(parts.count - StepParts.mostShown, "other change"))"
    }
    return words + (origin.map { " (\($0))" } ?? "")
  }
}

extension CardRecord {
  /// The card as named in an undo step: the first line of its prompt.
  var stepName: String {
    "\"" + printable(String(prompt.split(whereSeparator: \.isNewline).first ?? ""), limit: 40) + "\""
  }
}
