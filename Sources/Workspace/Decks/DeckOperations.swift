// The decks of an account: creating, opening and listing them, and their statistics.
// Invariant: every change is one operation, and a list of all decks takes one query.

public import Decks
import Files
import Storage

public struct DeckOperations {
  let workspace: Workspace

  /// Returns a deck's name for the name of an undo step; nil if the deck is gone.
  func name(of id: DeckID) -> String? {
    guard workspace.isInUnit else { return readName(id) }
    if let known = workspace.unit.deckNames[id] { return known }
    let name = readName(id)
    workspace.unit.deckNames[id] = name
    return name
  }

  private func readName(_ id: DeckID) -> String? {
    // The name is only for an undo step; the operation itself reports the error.
    do { return try workspace.read { try DeckTable.record($0, id).name } } catch { return nil }
  }

  /// - Throws: `DeckError.exists`, `.badName`.
  public func create(_ name: String) throws -> DeckHandle {
    workspace.handle(
      of: try workspace.perform(.createDeck, on: name) {
        try DeckTable.create($0, name: name, now: workspace.now).id
      })
  }

  /// - Throws: `DeckError.deckNotFound` with the nearest name.
  public func open(_ name: String) throws -> DeckHandle {
    workspace.handle(of: try workspace.read { try DeckTable.find($0, named: name).id })
  }

  /// Returns the name of the deck that `openOrCreate` would return.
  /// - Throws: `DeckError.badName`.
  public func checkedName(_ name: String) throws -> String {
    try workspace.read { try DeckTable.named($0, name)?.name ?? DeckName(name).text }
  }

  public func named(_ name: String) throws -> DeckHandle? {
    try workspace.read { try DeckTable.named($0, name) }.map { workspace.handle(of: $0.id) }
  }

  public func openOrCreate(_ name: String) throws -> DeckHandle { try named(name) ?? create(name) }

  /// Returns all decks by name, the subdecks of a deck right after it.
  public func all() throws -> [DeckHandle] {
    try workspace.read { try DeckTable.list($0) }.map { workspace.handle(of: $0.id) }
  }

  public func outermost() throws -> [DeckHandle] {
    try workspace.read { try DeckTable.outermost($0) }.map { workspace.handle(of: $0.id) }
  }

  /// Returns what `study` would show of each deck now.
  public func studyCounts() throws -> [DeckID: StudyCounts] {
    let limit = try workspace.preferences().study.most
    return try workspace.read { try StudyCounts.all($0, limit: limit, at: workspace.moment) }
  }

  /// Returns the same counts by kind, without the limit of a session.
  public func studyCountsByKind() throws -> [DeckID: (new: Int, learning: Int, review: Int)] {
    try workspace.read { try StudyCounts.byKind($0, at: workspace.moment) }
  }

  public func records() throws -> [DeckRecord] { try workspace.read { try DeckTable.list($0) } }

  /// Returns statistics of some decks and their subdecks, or of everything if nil.
  public func statistics(
    of decks: [DeckHandle]? = nil, query: String? = nil, progress: ((Int, Int) -> Void)? = nil
  ) throws -> DeckStatistics {
    let query = try query.map { try CardQuery($0, isInterrupted: workspace.isInterrupted) }
    return try workspace.read { db in
      try DeckStatistics(db, decks: decks?.map(\.id), query: query, at: workspace.moment, progress: progress)
    }
  }

  /// Returns what is waiting to be studied, and the number of successive days with answers; nil if there are no
  /// decks. Does not create a missing database for that.
  public func studySummary() throws -> (counts: StudyCounts, streak: Int)? {
    guard fileExists(workspace.collectionPath) else { return nil }
    let limit = try workspace.preferences().study.most
    return try workspace.read { db in
      if try DeckTable.list(db).isEmpty { return nil }
      let counts = try StudyCounts.total(db, limit: limit, at: workspace.moment)
      return (counts, try DeckStatistics.streak(db, at: workspace.moment))
    }
  }

  /// Returns what there is to study in some decks and their subdecks when nothing is due.
  public func outlook(of decks: [DeckHandle]) throws -> StudyOutlook {
    try workspace.read { try StudyOutlook($0, decks.map(\.id), at: workspace.moment) }
  }

  /// Returns the forecast of each goal, sorted by deck name.
  public func goals() throws -> [GoalProgress] {
    try workspace.read { db in
      try DeckTable.goals(db).map { try GoalSimulation(db, $0.deck.id, $0.goal, at: workspace.moment).progress }
    }
  }
}
