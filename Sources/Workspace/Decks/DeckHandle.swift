// The decks of an account: creating, opening, listing, changing them, and their statistics. Invariant: a handle has
// only the deck's id; all values come from the store, every change is one operation, and a list of all decks takes one
// query.

public import Decks
import Files
import Storage
import Text

public final class DeckHandle: RowHandle<DeckID> {
  public var scheduling: DeckScheduling { DeckScheduling(deck: self) }
  public var goals: DeckGoals { DeckGoals(deck: self) }
  public var fitting: DeckFitting { DeckFitting(deck: self) }

  public func study(_ options: SessionHandle.Options) throws -> SessionHandle { try SessionHandle(self, options) }

  /// - Throws: `DeckError.gone` when it was removed.
  public func record() throws -> DeckRecord { try workspace.read { try DeckTable.record($0, id) } }

  /// Reads, if the deck exists.
  private func read<T>(_ body: (Database) throws -> T) throws -> T {
    try workspace.read { db in
      _ = try DeckTable.record(db, id)
      return try body(db)
    }
  }

  public func counts() throws -> DeckCounts { try read { try DeckTable.counts($0, id, at: workspace.moment) } }

  public func count() throws -> Int { try read { try DeckTable.count($0, id) } }

  /// Returns what `study` would show now, including the subdecks and within the limits of the day.
  public func studyCounts() throws -> StudyCounts {
    let limit = try workspace.preferences().study.most
    return try workspace.read { try StudyCounts.of($0, id, limit: limit, at: workspace.moment) }
  }

  public func card(at position: Int) throws -> CardHandle? {
    _ = try workspace.store(for: "deck")
    return try workspace.cards.id(of: id, at: position).map { workspace.handle(of: $0) }
  }

  /// Returns the cards that a query matches now, top first. Nil or a blank query matches all.
  public func cards(matching query: String? = nil) throws -> CardSequence {
    _ = try workspace.store(for: "deck")
    guard let parsed = try workspace.cards.cardQuery(query) else {
      return CardSequence(try workspace.cards.ids(of: id), in: workspace)
    }
    let found = try read {
      try CardTable.found($0, in: id, matching: parsed, at: workspace.moment, workspace.cards.searchCache)
    }
    return CardSequence(found.ids, positions: found.positions, in: workspace)
  }

  /// Returns statistics of the deck and its subdecks, or of the cards in them that a query matches.
  public func statistics(query: String? = nil, progress: ((Int, Int) -> Void)? = nil) throws -> DeckStatistics {
    var figures = try workspace.decks.statistics(of: [self], query: query, progress: progress)
    if query == nil { figures.goal = try goals.progress() }
    return figures
  }

  public func rename(to name: String) throws {
    workspace.unit.deckNames = [:]
    try workspace.perform(.renameDeck, on: name) { try DeckTable.rename($0, id, to: name, now: workspace.now) }
  }

  /// Removes the deck with its subdecks and all cards; returns how many cards were removed.
  @discardableResult
  public func remove() throws -> Int {
    try workspace.perform(.removeDeck, on: workspace.decks.name(of: id), count: { $0 }) { try DeckTable.remove($0, id) }
  }

  public func within() throws -> [DeckHandle] {
    try workspace.read { try DeckTable.within($0, id) }.map { workspace.handle(of: $0.id) }
  }

  public func countWithSubdecks() throws -> Int { try ([self] + within()).reduce(0) { try $0 + $1.count() } }

  @discardableResult
  public func add(_ card: NewCard, at place: CardPlace = .top) throws -> CardHandle {
    try card.checked { try add($0, at: place) }
  }

  /// Adds a card whose texts have been checked, without copying texts that are stored contiguously.
  public func add(_ card: CheckedCard, at place: CardPlace) throws -> CardHandle {
    let store = try workspace.store()
    var adders = workspace.unit.adders
    if let known = adders[id], try store.letWait(known) {
      try workspace.checkPendingLimit()
      if let new = try known.addLater(card, at: place, now: workspace.now) {
        workspace.note(.addCards, workspace.decks.name(of: id), 1)
        return workspace.handle(of: new)
      }
    }
    let new = try workspace.perform(.addCards, on: workspace.decks.name(of: id)) { db in
      let adder = try adders[id] ?? CardAdder(db, deck: id, random: workspace.environment.random.entropy)
      adders[id] = adder
      return try adder.add(card, at: place, now: workspace.now)
    }
    // Its statements must not outlive the connection, so it is kept only within a unit.
    if workspace.isInUnit, !store.isInOperation { workspace.unit.adders = adders }
    return workspace.handle(of: new)
  }

  /// Adds what `feed` puts into the batch, as one operation: all of it, or nothing if `feed` throws.
  public func addAll(onDuplicate: OnDuplicate, _ feed: (CardBatch) throws -> Void) throws -> AddReport {
    try workspace.perform(
      .addCards, on: workspace.decks.name(of: id), count: { $0.changed }, became: { $0.operation }
    ) { db in
      let batch = try CardBatch(
        db, deck: id, onDuplicate: onDuplicate, now: workspace.now, random: workspace.environment.random.entropy)
      return try workspace.database.writing(batch) {
        try feed(batch)
        return try batch.finish()
      }
    }
  }

  /// Removes the cards at positions, which are counted before any card is removed.
  public func removeCards(at positions: [Int]) throws -> Int {
    try workspace.perform(.removeCards, on: workspace.decks.name(of: id), count: { $0 }) { db in
      _ = try DeckTable.record(db, id)
      return try CardTable.remove(db, in: id, positions: positions)
    }
  }

  /// Removes a card of this deck; leaves a card of another deck alone.
  public func remove(_ card: CardHandle) throws -> Int {
    guard try card.record().deck == id else { return 0 }
    return try workspace.cards.remove([card])
  }
}

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
      of: try workspace.perform(.createDeck, on: name) { try DeckTable.create($0, name: name, now: workspace.now).id })
  }

  /// - Throws: `DeckError.deckNotFound` with the nearest name.
  public func open(_ name: String) throws -> DeckHandle {
    workspace.handle(of: try workspace.read { try DeckTable.find($0, named: name).id })
  }

  /// Returns the name of the deck that `openOrCreate` would change.
  /// - Throws: `DeckError.badName`.
  public func checkedName(_ name: String) throws -> String {
    try workspace.read { try DeckTable.named($0, name)?.name ?? DeckName(name).text }
  }

  /// Returns the deck with a name, case-insensitively; nil if there is none.
  public func named(_ name: String) throws -> DeckHandle? {
    try workspace.read { try DeckTable.named($0, name) }.map { workspace.handle(of: $0.id) }
  }

  /// Runs a change of the deck with a name. A deck that does not exist is created with it, as one operation.
  public func openOrCreate<T>(
    _ name: String, for operation: Operation, count: Int = 1, _ change: (DeckHandle) throws -> T
  ) throws -> T {
    if let deck = try named(name) { return try change(deck) }
    return try workspace.perform(operation, on: operation.namesOneCard ? nil : name, count: { _ in count }) { _ in
      try workspace.database.asOne { try change(create(name)) }
    }
  }

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

  /// Returns what is waiting to be studied, the number of successive days with answers, and the plan for overdue cards;
  /// nil if there are no decks. Does not create a missing database for that.
  public func studySummary() throws -> (counts: StudyCounts, streak: Int, backlog: CatchUp)? {
    guard fileExists(workspace.collectionPath) else { return nil }
    let limit = try workspace.preferences().study.most
    return try workspace.read { db in
      if try DeckTable.list(db).isEmpty { return nil }
      let counts = try StudyCounts.total(db, limit: limit, at: workspace.moment)
      let moment = workspace.moment
      return (counts, try DeckStatistics.streak(db, at: moment), try CatchUp(db, at: moment))
    }
  }

  /// Spreads the due cards of a deck and its subdecks, or of all decks, over days, if one is overdue.
  /// - Throws: `DeckError.badOption` for minutes that are too few.
  public func catchUp(_ deck: DeckHandle? = nil, days: Int? = nil, minutes: Double? = nil) throws -> CatchUp {
    let moment = workspace.moment
    let plan = try workspace.read { try CatchUp($0, deck: deck?.id, days: days, minutes: minutes, at: moment) }
    if plan.count == 0 { return plan }
    try workspace.perform(.spreadCards, on: counted(plan.days.count, "day"), count: { plan.count }) {
      try plan.apply($0, at: moment)
    }
    return plan
  }

  /// Sets the first and the last day of a pause, as `Rescheduling.days`, and spreads cards over the days after it.
  public func pause(from first: String, to last: String) throws -> CatchUp {
    let moment = workspace.moment
    let bounds = try [first, last].map { try Rescheduling.days($0, at: moment).lowerBound + moment.today }.sorted()
    return try workspace.perform(.pauseStudy) { db in
      try DeckTable.setPause(db, to: bounds[0]...bounds[1])
      let plan = try CatchUp(db, pause: bounds[0]...bounds[1], at: moment)
      try plan.apply(db, at: moment)
      return plan
    }
  }

  public func endPause() throws { try workspace.perform(.pauseStudy) { try DeckTable.setPause($0, to: nil) } }

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
