// Steps of undo: their names, what joins documents and database in one, undoing and redoing.
// Invariant: what a step changed in the database and in documents is kept by one commit of the database, and is undone
// likewise.

public import CardDocuments
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
    if words.isEmpty { words = Operation.changeDocuments.rawValue }
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
    case .keepGame, .keepPlace, .changeSettings, .mend: return rawValue
    }
  }
}

extension Workspace: DocumentDecider {
  public func isDecided(_ batch: String) throws -> Bool {
    try !isReplacing && database.read { try DecidedBatches.holds($0, batch) }
  }

  public func keepUnit(of store: DocumentStore, _ what: String) throws -> [DocumentError] {
    if rehearsal.isOn { throw WorkspaceError.rehearsal(what) }
    noteChange()
    return try keepUnit(named: named(what), ofScript: false)
  }

  /// The name of a step, with what did it.
  private func named(_ what: String) -> String { what + (hooks.origin().map { " (\($0))" } ?? "") }

  /// Keeps what documents and database were changed, by one commit.
  /// - Parameter ofScript: a script is kept as a whole, or not at all; of another change a document that another
  ///   process has saved meanwhile is kept as a copy.
  func keepUnit(named name: String, ofScript: Bool) throws -> [DocumentError] {
    let documents = opened.documents.flatMap { $0.hasUnitChanges ? $0 : nil }
    do {
      try syncNewMedia()
      try database.commitUnit(
        named: name,
        prepare: documents.map { documents in
          { db in
            let files = try self.prepare(documents, db)
            if ofScript, let conflict = documents.conflict { throw DocumentError.changedInScript(conflict) }
            return files
          }
        })
    } catch {
      try opened.documents?.rollbackUnit()
      throw error
    }
    return try endDocumentUnit()
  }

  /// Does what was decided about documents.
  private func endDocumentUnit() throws -> [DocumentError] {
    guard let documents = opened.documents, documents.isInUnit else { return [] }
    return try documents.finishUnit()
  }

  /// Makes the documents' batch ready, and decides it with the transaction under way.
  private func prepare(_ documents: DocumentStore, _ db: Database) throws -> [UndoFile] {
    guard let batch = try documents.prepareUnit() else { return [] }
    try DecidedBatches.decide(db, batch.id)
    return batch.files.map { UndoFile(name: $0.name, before: $0.before, after: $0.after) }
  }

  /// An operation outside a unit of work. Code that it calls may change documents: they are kept with it.
  func performAlone<T>(
    _ operation: Operation, on subject: String?, count: @escaping (T) -> Int, _ body: (Database) throws -> T
  ) throws -> T {
    opened.documents?.beginUnit()
    let result: T
    do {
      result = try database.operation(
        operation.rawValue, step: { self.named(operation.words(subject, count($0))) },
        prepare: { db in
          try self.syncNewMedia()
          guard let documents = self.opened.documents, documents.hasUnitChanges else { return [] }
          return try self.prepare(documents, db)
        }, body)
    } catch {
      unit.newMedia = []
      try opened.documents?.rollbackUnit()
      throw error
    }
    // It is done, this document as a copy.
    if let conflict = try endDocumentUnit().first { throw conflict }
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
    if let documents = opened.documents, documents.hasUnitChanges { throw UndoError.inUnit }
    let wasInUnit = isInUnit
    let step: UndoStep
    do {
      step = try store.undo(id, again: again, also: { try SearchLog.forget($0) }) { db, files in
        let documents = try documentStore()
        let batch = try documents.prepareRestoring(
          files.map { DocumentBatch.File(name: $0.name, before: $0.before, after: $0.after) })
        guard let batch else { return [] }
        try DecidedBatches.decide(db, batch.id)
        return batch.files.map { UndoFile(name: $0.name, before: $0.before, after: $0.after) }
      }
    } catch {
      try opened.documents?.rollbackUnit()
      if wasInUnit { opened.documents?.beginUnit() }
      throw error
    }
    noteChange()
    _ = try endDocumentUnit()
    if wasInUnit { opened.documents?.beginUnit() }
    return step
  }
}
