// A deck as it is handed to Lua and to commands. Invariant: it holds only the deck's id; every answer comes from the
// store, and every change is one operation.

public import Decks
import Files
import Storage
import Text

/// A deck of an open workspace.
///
///     let deck = try workspace.createDeck("Spanish")
///     try deck.add(NewCard(prompt: "el gato", answer: "the cat"))
public final class DeckHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let id: DeckID

  init(_ id: DeckID, in workspace: Workspace) {
    self.id = id
    self.workspace = workspace
  }

  deinit { workspace.forget(id) }

  // MARK: Reading

  /// - Throws: `DeckError.gone` when it was removed.
  public func record() throws -> DeckRecord { try workspace.read { try DeckTable.record($0, id) } }

  public func counts() throws -> DeckCounts {
    try workspace.read { db in
      _ = try DeckTable.record(db, id)
      return try DeckTable.counts(db, id, at: workspace.moment)
    }
  }

  /// How many cards it holds itself.
  public func count() throws -> Int {
    try workspace.read { db in
      _ = try DeckTable.record(db, id)
      return try DeckTable.count(db, id)
    }
  }

  /// What `study` would show now, the decks within it and the limits of the day counted in.
  public func studyCounts() throws -> StudyCounts {
    let limit = try workspace.preferences().studyLimit
    return try workspace.read { try StudyCounts.of($0, id, limit: limit, at: workspace.moment) }
  }

  /// The card at a position, 1 on top.
  public func card(at position: Int) throws -> CardHandle? {
    _ = try workspace.store(for: "deck")
    return try workspace.card(of: id, at: position).map { workspace.handle(of: $0) }
  }

  /// The cards that a query finds, top first, fixed now. Nil or blank finds all.
  public func cards(matching query: String? = nil) throws -> CardSequence {
    _ = try workspace.store(for: "deck")
    guard let query, !query.trimmed.isEmpty else { return CardSequence(try workspace.ids(of: id), in: workspace) }
    let parsed = try CardQuery(query, isInterrupted: workspace.environment.isInterrupted)
    let found = try workspace.read { db in
      _ = try DeckTable.record(db, id)
      return try CardTable.found(db, in: id, matching: parsed, at: workspace.moment, workspace.searchCache)
    }
    return CardSequence(found.ids, positions: found.positions, in: workspace)
  }

  public func options() throws -> DeckOptions { try workspace.read { try DeckTable.options($0, id) } }

  /// - Throws: `DeckError.badOption` when the value is out of its range.
  public func setOption(_ name: DeckOptions.Name, to value: Double) throws {
    try setOption(name, .number(value))
  }

  // MARK: Changing

  public func rename(to name: String) throws {
    workspace.unit.deckNames = [:]
    try workspace.perform(.renameDeck, on: name) {
      try DeckTable.rename($0, id, to: name, now: workspace.environment.clocks.now())
    }
  }

  /// Removes the deck with the decks within it and all cards; answers how many cards went.
  @discardableResult
  public func remove() throws -> Int {
    try workspace.perform(.removeDeck, on: workspace.deckName(id), count: { $0 }) { try DeckTable.remove($0, id) }
  }

  /// The decks within it, at any depth.
  public func within() throws -> [DeckHandle] {
    try workspace.read { try DeckTable.within($0, id) }.map { workspace.handle(of: $0.id) }
  }

  @discardableResult
  public func add(_ card: NewCard, at place: CardPlace = .top) throws -> CardHandle {
    try card.checked { try add($0, at: place) }
  }

  /// The same from texts in place.
  public func add(_ card: CheckedCard, at place: CardPlace) throws -> CardHandle {
    let known = workspace.unit.adders.adder(of: id, at: workspace.changeCount)
    var used: CardAdder?
    let new = try workspace.perform(
      .addCards, on: workspace.deckName(id), isOneStatement: known?.takesOneStatement(at: place) ?? false
    ) { db in
      let adder = try known ?? CardAdder(db, deck: id, random: workspace.environment.random.entropy)
      used = adder
      return try adder.add(card, at: place, now: workspace.environment.clocks.now())
    }
    // Its statements must not outlive the connection.
    if let used, workspace.isInUnit { workspace.unit.adders.keep(used, of: id, at: workspace.changeCount) }
    return workspace.handle(of: new)
  }

  /// Adds what `feed` puts into the batch, as one operation: all of it or, when it throws, nothing.
  public func addAll(onDuplicate: OnDuplicate, _ feed: (CardBatch) throws -> Void) throws -> AddReport {
    try workspace.perform(.addCards, on: workspace.deckName(id), count: { $0.added }) { db in
      let batch = try CardBatch(
        db, deck: id, onDuplicate: onDuplicate, now: workspace.environment.clocks.now(),
        random: workspace.environment.random.entropy)
      return try workspace.database.writing(batch) {
        try feed(batch)
        return try batch.finish()
      }
    }
  }

  /// Removes the cards at positions, counted before any goes.
  public func removeCards(at positions: [Int]) throws -> Int {
    try workspace.perform(.removeCards, on: workspace.deckName(id), count: { $0 }) { db in
      _ = try DeckTable.record(db, id)
      return try CardTable.remove(db, in: id, positions: positions)
    }
  }

  /// Removes a card of this deck; one of another deck is left alone.
  public func remove(_ card: CardHandle) throws -> Int {
    guard try card.record().deck == id else { return 0 }
    return try workspace.remove([card])
  }
}

// MARK: Decks of a workspace

extension Workspace {
  /// A deck's name for the name of a step; nil when it is gone.
  func deckName(_ id: DeckID) -> String? {
    guard isInUnit else { return readDeckName(id) }
    if let known = unit.deckNames[id] { return known }
    let name = readDeckName(id)
    unit.deckNames[id] = name
    return name
  }

  private func readDeckName(_ id: DeckID) -> String? {
    // It names a step of undo; the operation itself says what is wrong.
    do { return try read { try DeckTable.record($0, id).name } } catch { return nil }
  }

  /// - Throws: `DeckError.exists`, `.badName`.
  public func createDeck(_ name: String) throws -> DeckHandle {
    handle(
      of: try perform(.createDeck, on: name) { try DeckTable.create($0, name: name, now: environment.clocks.now()).id })
  }

  /// - Throws: `DeckError.deckNotFound` with the nearest name.
  public func openDeck(_ name: String) throws -> DeckHandle {
    handle(of: try read { try DeckTable.find($0, named: name).id })
  }

  /// The deck of that name, capitals aside, made when it is missing.
  public func openOrCreateDeck(_ name: String) throws -> DeckHandle {
    if let known = try read({ try DeckTable.named($0, name) }) { return handle(of: known.id) }
    return try createDeck(name)
  }

  /// All decks, those within a deck right after it, otherwise by name.
  public func decks() throws -> [DeckHandle] {
    try read { try DeckTable.list($0) }.map { handle(of: $0.id) }
  }

  /// The decks that stand in no other one, in the same order.
  public func outermostDecks() throws -> [DeckHandle] {
    try read { try DeckTable.outermost($0) }.map { handle(of: $0.id) }
  }

  /// What `study` would show of each deck now.
  public func studyCounts() throws -> [DeckID: StudyCounts] {
    let limit = try preferences().studyLimit
    return try read { try StudyCounts.all($0, limit: limit, at: moment) }
  }
}
