// The decks of an account: made, opened and listed, and their figures.
// Invariant: every change is one operation, and a list of all decks takes one query.

public import Decks
import Files
import Glibc
import Storage

/// The decks of a workspace.
///
///     let deck = try workspace.decks.create("Spanish")
///     try workspace.decks.records().map(\.name)   // ["Spanish", "Spanish::Verbs"]
public struct DeckOperations {
  let workspace: Workspace

  /// A deck's name for the name of a step; nil when it is gone.
  func name(of id: DeckID) -> String? {
    guard workspace.isInUnit else { return readName(id) }
    if let known = workspace.unit.deckNames[id] { return known }
    let name = readName(id)
    workspace.unit.deckNames[id] = name
    return name
  }

  private func readName(_ id: DeckID) -> String? {
    // It names a step of undo; the operation itself says what is wrong.
    do { return try workspace.read { try DeckTable.record($0, id).name } } catch { return nil }
  }

  /// - Throws: `DeckError.exists`, `.badName`.
  public func create(_ name: String) throws -> DeckHandle {
    workspace.handle(
      of: try workspace.perform(.createDeck, on: name) {
        try DeckTable.create($0, name: name, now: workspace.environment.clocks.now()).id
      })
  }

  /// - Throws: `DeckError.deckNotFound` with the nearest name.
  public func open(_ name: String) throws -> DeckHandle {
    workspace.handle(of: try workspace.read { try DeckTable.find($0, named: name).id })
  }

  /// The name of the deck that `openOrCreate` would give.
  /// - Throws: `DeckError.badName`.
  public func checkedName(_ name: String) throws -> String {
    try workspace.read { try DeckTable.named($0, name)?.name ?? DeckName(name).text }
  }

  /// The deck of that name, capitals aside, made when it is missing.
  public func openOrCreate(_ name: String) throws -> DeckHandle {
    if let known = try workspace.read({ try DeckTable.named($0, name) }) { return workspace.handle(of: known.id) }
    return try create(name)
  }

  /// All decks, those within a deck right after it, otherwise by name.
  public func all() throws -> [DeckHandle] {
    try workspace.read { try DeckTable.list($0) }.map { workspace.handle(of: $0.id) }
  }

  /// The decks that are in no other deck, in the order of `all`.
  public func outermost() throws -> [DeckHandle] {
    try workspace.read { try DeckTable.outermost($0) }.map { workspace.handle(of: $0.id) }
  }

  /// What `study` would show of each deck now.
  public func studyCounts() throws -> [DeckID: StudyCounts] {
    let limit = try workspace.preferences().studyLimit
    return try workspace.read { try StudyCounts.all($0, limit: limit, at: workspace.moment) }
  }

  /// The same by kind, without the limit of a session.
  public func studyCountsByKind() throws -> [DeckID: (new: Int, learning: Int, review: Int)] {
    try workspace.read { try StudyCounts.byKind($0, at: workspace.moment) }
  }

  /// Every deck, by name.
  ///
  ///     try workspace.decks.records().map(\.name)   // ["Spanish", "Spanish::Verbs"]
  public func records() throws -> [DeckRecord] { try workspace.read { try DeckTable.list($0) } }

  /// Figures of some decks and those within them, of everything with nil.
  public func statistics(of decks: [DeckHandle]? = nil, query: String? = nil) throws -> DeckStatistics {
    let query = try query.map { try CardQuery($0, isInterrupted: workspace.environment.isInterrupted) }
    return try workspace.read { try DeckStatistics($0, decks: decks?.map(\.id), query: query, at: workspace.moment) }
  }

  /// What waits to be studied, and for how many days in a row there were answers; nil while there are no decks. A
  /// database that is not there yet is not made for it.
  public func studySummary() throws -> (counts: StudyCounts, streak: Int)? {
    guard Glibc.access(workspace.folder + "/collection.sqlite", F_OK) == 0 else { return nil }
    let limit = try workspace.preferences().studyLimit
    return try workspace.read { db in
      if try DeckTable.list(db).isEmpty { return nil }
      let counts = try StudyCounts.total(db, limit: limit, at: workspace.moment)
      return (counts, try DeckStatistics.streak(db, at: workspace.moment))
    }
  }

  /// What there is to study in some decks and those within them when nothing is due.
  public func outlook(of decks: [DeckHandle]) throws -> StudyOutlook {
    try workspace.read { try StudyOutlook($0, decks.map(\.id), at: workspace.moment) }
  }

  /// What is to be expected of each goal, by the names of the decks.
  public func goals() throws -> [GoalStanding] {
    try workspace.read { db in
      try DeckTable.goals(db).map { try GoalRehearsal(db, $0.deck.id, $0.goal, at: workspace.moment).standing }
    }
  }
}

extension Workspace {
  public var decks: DeckOperations { DeckOperations(workspace: self) }
}
