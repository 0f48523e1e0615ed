// Steps of undo: their names, undoing and redoing.
// Invariant: a step is what one operation, or one unit of work, changed in the database.

import CardDocuments
import Decks
import Problems
public import Storage
import Text

/// What a step did, in words.
struct StepParts {
  private struct Part {
    let operation: Operation
    let subject: String?
    var count: Int
  }

  private var parts: [Part] = []
  private static let mostShown = 3

  mutating func add(_ operation: Operation, _ subject: String?, _ count: Int) {
    // A loop does the same again and again.
    let same = parts.suffix(8).lastIndex {
      $0.operation == operation && ($0.subject == subject || operation.namesOneCard)
    }
    if let same { return parts[same].count += count }
    parts.append(Part(operation: operation, subject: subject, count: count))
  }

  /// "adding 1,204 cards to Spanish (run make.lua)"
  func words(from origin: String?) -> String {
    var words = parts.prefix(StepParts.mostShown).map { $0.operation.words($0.subject, $0.count) }.joined(
      separator: ", ")
    if parts.count > StepParts.mostShown {
      words += " and \(counted(parts.count - StepParts.mostShown, "other change"))"
    }
    return words + (origin.map { " (\($0))" } ?? "")
  }
}

extension Workspace {
  /// What the name of a step says of a card; nil where it changes several. In a unit, which mostly changes many, only
  /// a card that was read already has its name.
  func stepName(of cards: [CardHandle]) -> String? {
    guard cards.count == 1, let card = cards.first else { return nil }
    return card.stepName
  }
}

extension CardRecord {
  /// The card in the name of a step: the first line of its prompt.
  var stepName: String {
    "\"" + printable(String(prompt.split(whereSeparator: \.isNewline).first ?? ""), limit: 40) + "\""
  }
}

extension Operation {
  /// Whether its subject is a card: of several cards none is named.
  var namesOneCard: Bool { [.answerCard, .editCard, .moveCard].contains(self) }

  /// What it did: "adding 3 cards to Spanish", "answering "el gato": good".
  func words(_ subject: String?, _ count: Int) -> String {
    let name = subject.map { printable($0, limit: namesOneCard ? 400 : 60) }
    let cards = namesOneCard && count == 1 ? name ?? counted(count, "card") : counted(count, "card")
    switch self {
    case .addCards: return "adding \(cards)\(name.map { " to \($0)" } ?? "")"
    case .importCards: return "importing \(cards)\(name.map { " into \($0)" } ?? "")"
    case .importAnswers: return "importing \(counted(count, "answer"))\(name.map { " into \($0)" } ?? "")"
    case .buildDeck: return "building \(name ?? "a deck") (\(cards))"
    case .mergeDeck: return "merging into \(name ?? "a deck") (\(counted(count, "note")))"
    case .removeCards: return "removing \(cards)\(name.map { " from \($0)" } ?? "")"
    case .editCard: return "editing \(cards)"
    case .moveCard: return "moving \(cards)"
    case .answerCard: return "answering \(cards)"
    case .removeDeck: return "removing \(name ?? "a deck")" + (count > 0 ? " with \(cards)" : "")
    case .createDeck: return name.map { "creating the deck \($0)" } ?? rawValue
    case .addNote: return "adding \(counted(count, "note"))\(name.map { " to \($0)" } ?? "")"
    case .editNote: return "editing \(counted(count, "note"))"
    case .removeNotes: return "removing \(counted(count, "note"))"
    case .addMedia: return "adding \(counted(count, "media file"))"
    case .removeMedia: return "removing \(counted(count, "media file"))"
    case .mineText: return "adding \(cards)\(name.map { " to \($0)" } ?? "") from a text"
    case .listWords: return "listing \(counted(count, "word"))"
    case .speakCards: return "adding speech to \(cards)"
    case .renameDeck, .changeDeckOptions, .changePresets, .createNoteType, .editNoteType, .removeNoteType:
      return rawValue + (name.map { ": \($0)" } ?? "")
    case .syncMedia: return "syncing \(counted(count, "media file"))\(name.map { " with \($0)" } ?? "")"
    case .sync: return "syncing \(counted(count, "row"))\(name.map { " with \($0)" } ?? "")"
    case .link, .unlink: return rawValue + (name.map { ": \($0)" } ?? "")
    case .takeBack: return rawValue
    case .changeDocuments: return count == 1 ? "changing a document" : rawValue
    case .removeDocument: return count == 1 ? rawValue : "removing documents"
    case .settleConflicts: return "settling \(counted(count, "conflict"))\(name.map { " in \($0)" } ?? "")"
    case .keepGame, .keepPlace, .changeSettings, .mend: return rawValue
    }
  }
}

extension Workspace {
  /// An operation outside a unit of work.
  func performAlone<T>(
    _ operation: Operation, on subject: String?, count: @escaping (T) -> Int, _ body: (Database) throws -> T
  ) throws -> T {
    opened.documents?.beginUnit()
    let result: T
    do {
      result = try database.operation(
        operation.rawValue,
        step: { operation.words(subject, count($0)) + (self.hooks.origin().map { " (\($0))" } ?? "") }
      ) { db in
        let result = try body(db)
        try syncNewMedia()
        return result
      }
    } catch {
      opened.documents?.rollbackUnit()
      sweepNewMedia()
      throw error
    }
    opened.documents?.endUnit()
    unit.newMedia = [:]
    return result
  }

  // MARK: Undo

  /// The steps that can be undone or redone, the newest first.
  public func undoSteps(limit: Int = 1000) throws -> [UndoStep] {
    try storeGames()
    return try store().undoSteps(limit: limit)
  }

  /// The step that `undo` or `redo` would take.
  public func nextStep(_ id: Int?, again: Bool) throws -> UndoStep {
    try storeGames()
    return try store().nextStep(id, again: again)
  }

  /// Undoes the last step, or that of an id.
  /// - Throws: `UndoError` saying what stands against it; nothing was changed then.
  @discardableResult
  public func undo(_ step: Int? = nil) throws -> UndoStep { try change(step, again: false) }

  /// Does again what was undone last.
  @discardableResult
  public func redo(_ step: Int? = nil) throws -> UndoStep { try change(step, again: true) }

  /// Takes back what one operation changed: its step, or, where that is more than the operation or a unit is under way,
  /// its rows.
  func takeBack(_ change: RecordedChange) throws {
    if change.isEmpty { return }
    do {
      if let step = change.step, !rehearsal.isOn, !database.hasOpenTransaction {
        try undo(step)
      } else {
        try perform(.takeBack) { db in
          try SearchLog.forget(db)
          try database.takeBack(change, db)
        }
      }
    } catch UndoError.notNow(_, isUndone: true) {
      // `undo` has taken it back already.
      return
    }
  }

  private func change(_ id: Int?, again: Bool) throws -> UndoStep {
    let store = try store()
    if rehearsal.isOn { throw WorkspaceError.rehearsal(again ? "redo" : "undo") }
    try storeGames()
    let step = try store.undo(id, again: again, also: { try SearchLog.forget($0) })
    noteChange()
    return step
  }
}
