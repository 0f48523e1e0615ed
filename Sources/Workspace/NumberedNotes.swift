// Notes and cards by the numbers that other programs know them by, and Anki's way of searching them.
// Invariant: what is gone is passed over.

public import Decks
public import Exchange
import Files
import Storage

extension Workspace {
  // MARK: Finding

  public func numberedNote(_ number: Int64) throws -> NoteHandle? {
    let id = NoteID(rawValue: number)
    return try read({ try NoteTable.exists($0, id) }) ? handle(of: id) : nil
  }

  public func numberedCard(_ number: Int64) throws -> CardHandle? {
    guard let record = try read({ try CardTable.card($0, CardID(rawValue: number)) }) else { return nil }
    let card = handle(of: record.id)
    card.keep(record)
    return card
  }

  /// The cards that a query in Anki's language finds, in the order in which they were made.
  /// - Throws: `DeckError.badQuery`.
  public func cardNumbers(anki query: String) throws -> [Int64] {
    try foundCards(anki: query).map(\.rawValue)
  }

  /// The notes of these cards, each once.
  public func noteNumbers(anki query: String) throws -> [Int64] {
    let cards = try foundCards(anki: query)
    return try read { try NoteTable.notes($0, ofCards: cards) }.map(\.rawValue)
  }

  private func foundCards(anki query: String) throws -> [CardID] {
    let parsed = try CardQuery(anki: query, isInterrupted: environment.isInterrupted)
    return try read { try CardTable.ids($0, matching: parsed, at: moment, searchCache) }
  }

  /// Those of the keys that the first field of a note has.
  public func takenFirstFields(_ keys: Set<String>, in scope: FirstFieldScope) throws -> Set<String> {
    try read { try NoteTable.taken($0, keys, in: scope) }
  }

  public func tags() throws -> [String] { try read { try NoteTable.tags($0) } }

  /// The schedules of cards in Anki's numbers.
  public func ankiNumbers(of cards: [CardHandle]) throws -> [AnkiCard] {
    var options: [DeckID: DeckOptions] = [:]
    return try cards.map { card in
      let record = try card.record()
      let known = try options[record.deck] ?? handle(of: record.deck).options()
      options[record.deck] = known
      return AnkiCard(record, known, position: try card.position(), at: moment)
    }
  }

  // MARK: Changing

  /// Adds and takes away tags of notes.
  public func changeTags(ofNotes numbers: [Int64], adding: [String] = [], removing: [String] = []) throws {
    let removed = Set(removing.map { $0.lowercased() })
    func changed(_ tags: [String]) -> [String] { tags.filter { !removed.contains($0.lowercased()) } + adding }
    let notes = try numbers.compactMap { try numberedNote($0) }
    let now = environment.clocks.now()
    try perform(.editNote, count: { _ in notes.count }) { db in
      for note in notes {
        if environment.isInterrupted() { throw WorkspaceError.interrupted }
        try NoteTable.update(
          db, note.id, tags: changed(NoteTable.record(db, note.id).tags), now: now,
          isInterrupted: environment.isInterrupted)
      }
    }
  }

  /// Removes notes with their cards.
  /// - Returns: how many cards went.
  @discardableResult
  public func removeNotes(_ numbers: [Int64]) throws -> Int {
    let notes = try numbers.compactMap { try numberedNote($0) }
    return try perform(.removeNotes, count: { _ in notes.count }) { db in
      var cards: [CardID] = []
      for note in notes {
        if environment.isInterrupted() { throw WorkspaceError.interrupted }
        cards += try NoteTable.cards(db, of: note.id)
      }
      return try CardTable.remove(db, cards)
    }
  }
}
