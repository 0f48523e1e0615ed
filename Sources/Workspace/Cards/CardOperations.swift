// Cards of several decks in one order, bulk changes of cards, and leeches. Invariant: a change of many cards is one
// operation: all of them are changed, or none if one is refused.

public import Decks
import Files
public import Memory
public import Problems
import Storage
import Text

/// Called from time to time with the number of cards done in a bulk change; if it throws, the change is rolled back.
public typealias CardProgress = (Int) throws -> Void

public struct CardOperations {
  let workspace: Workspace

  /// The data that earlier searches read, valid while nothing has changed.
  var searchCache: SearchCache {
    let cache =
      workspace.opened.search ?? SearchCache(path: workspace.folder + "/.search", isSaved: !workspace.rehearsal.isOn)
    workspace.opened.search = cache
    cache.refresh(workspace.changeCount, others: workspace.database.otherChanges)
    return cache
  }

  /// Parses a query; nil for nil and for a blank text, which match all cards.
  func cardQuery(_ text: String?) throws -> CardQuery? {
    guard let text, !text.trimmed.isEmpty else { return nil }
    return try CardQuery(text, isInterrupted: workspace.isInterrupted)
  }

  /// Returns the cards of decks that a query matches, deck by deck and top first, or sorted.
  public func find(
    in decks: [DeckHandle], matching query: String?, sortedBy sort: CardProperty? = nil, isDescending: Bool = false
  ) throws -> CardSequence {
    var (ids, positions): ([CardID], [Int]) = ([], [])
    let found = try cardQuery(query).map { query in
      try workspace.read { try searchCache.found($0, in: decks.map(\.id), matching: query, at: workspace.moment) }
    }
    for deck in decks {
      guard let found else {
        let all = try self.ids(of: deck.id)
        ids += all
        positions += 1..<all.count + 1
        continue
      }
      guard let cards = found[deck.id] else { continue }
      ids += cards.ids
      positions += cards.positions
    }
    if let sort {
      let order = try workspace.read { try CardTable.order($0, ids, by: sort, isDescending: isDescending) }
      (ids, positions) = (order.map { ids[$0] }, order.map { positions[$0] })
    }
    return CardSequence(ids, positions: positions, in: workspace)
  }

  /// Sets texts and tags of cards, where nil leaves them unchanged: of all of them, or of none if one is refused.
  /// - Parameter refused: returns the error to throw for the card at a place in the list.
  public func update(
    _ edits: [(card: CardHandle, prompt: String?, answer: String?, tags: [String]?)],
    refused: (_ place: Int, _ problem: any Problem) throws -> any Error
  ) throws {
    var place = -1
    try edit(edits.map(\.card)) { db, some, now in
      try some.reduce(false) { changesOthers, card in
        place += 1
        let (_, prompt, answer, tags) = edits[place]
        do {
          return try CardTable.update(db, card, prompt: prompt, answer: answer, tags: tags, now: now) || changesOthers
        } catch let problem as any Problem where problem.report.code != .interrupted {
          throw try refused(place, problem)
        }
      }
    }
  }

  /// Changes cards as one operation, some thousand at a time. If that adds or removes other cards of their notes,
  /// forgets the cached orders.
  private func edit(
    _ cards: some Collection<CardHandle>, progress: CardProgress = { _ in },
    _ change: (_ db: Database, _ some: [CardID], _ now: Double) throws -> Bool
  ) throws {
    let changesOthers = try workspace.perform(.editCard, on: stepName(of: cards), count: { _ in cards.count }) { db in
      var (rest, changesOthers) = (cards[...], false)
      while !rest.isEmpty {
        if try change(db, rest.prefix(Self.some).map(\.id), workspace.now) { changesOthers = true }
        rest = rest.dropFirst(Self.some)
        try progress(cards.count - rest.count)
      }
      return changesOthers
    }
    if changesOthers { workspace.opened.orders.forget() }
  }

  private static let some = 5000

  /// Moves cards to the top of a deck; returns how many were moved.
  @discardableResult
  public func move(
    _ cards: some BidirectionalCollection<CardHandle>, into deck: DeckHandle, progress: CardProgress = { _ in }
  ) throws -> Int {
    try workspace.perform(.moveCard, on: stepName(of: cards), count: { _ in cards.count }) { db in
      var (rest, moved) = (cards[...], 0)
      // The last cards are moved first, since each batch goes on top.
      while !rest.isEmpty {
        moved += try CardTable.move(db, rest.suffix(Self.some).map(\.id), into: deck.id, now: workspace.now)
        rest = rest.dropLast(Self.some)
        try progress(cards.count - rest.count)
      }
      return moved
    }
  }

  /// Removes cards as one operation; returns how many existed.
  @discardableResult
  public func remove(_ cards: some Collection<CardHandle>) throws -> Int {
    try workspace.perform(.removeCards, count: { $0 }) { try CardTable.remove($0, cards.lazy.map(\.id)) }
  }

  /// Returns the cards whose guid begins with a text, at most 10.
  public func find(guidBeginning start: String) throws -> [CardHandle] {
    try workspace.read { try CardTable.ids($0, guidBeginning: start) }.map { workspace.handle(of: $0) }
  }

  /// Changes the texts of several cards: of all of them, or of none if one is refused.
  public func update(
    _ cards: some Collection<CardHandle>, prompt: String?, answer: String?, progress: CardProgress = { _ in }
  ) throws {
    try edit(cards, progress: progress) { db, some, now in
      try some.reduce(false) { try CardTable.update(db, $1, prompt: prompt, answer: answer, now: now) || $0 }
    }
  }

  /// - Parameter showsBuried: whether cards that are buried are shown again, too.
  public func setSuspended(
    _ cards: some Collection<CardHandle>, _ isSuspended: Bool, showsBuried: Bool = false,
    progress: CardProgress = { _ in }
  ) throws {
    try edit(cards, progress: progress) { db, some, now in
      try CardHiding.setSuspended(db, some, isSuspended, now: now)
      if showsBuried { try CardHiding.unbury(db, some) }
      return false
    }
  }

  /// Sets the days on which cards are due, without an answer: see `Rescheduling.days`.
  public func setDue(
    _ cards: some Collection<CardHandle>, to days: String, progress: CardProgress = { _ in }
  ) throws {
    let moment = workspace.moment
    let range = try Rescheduling.days(days, at: moment)
    var choices = workspace.environment.random.choices
    try edit(cards, progress: progress) { db, some, _ in
      for card in some { try Rescheduling.setDue(db, card, in: Int.random(in: range, using: &choices), at: moment) }
      return false
    }
  }

  /// Makes them due on the day that contains a time.
  public func setDue(_ cards: some Collection<CardHandle>, on time: Double) throws {
    try setDue(cards, to: StudyMoment.date(ofDay: workspace.moment.day(of: time)))
  }

  /// Makes cards new again.
  public func forget(
    _ cards: some Collection<CardHandle>, keepsPosition: Bool = false, resetsCounts: Bool = false,
    progress: CardProgress = { _ in }
  ) throws {
    try edit(cards, progress: progress) { db, some, _ in
      for card in some {
        try Rescheduling.forget(
          db, card, keepsPosition: keepsPosition, resetsCounts: resetsCounts, at: workspace.moment)
      }
      return !keepsPosition
    }
  }

  /// Removes and adds tags, whatever tags the cards have got from another process since they were read.
  public func changeTags(
    _ cards: some Collection<CardHandle>, adding: [String] = [], removing: [String] = [],
    progress: CardProgress = { _ in }
  ) throws {
    try edit(cards, progress: progress) { try Tags.change($0, of: $1, adding: adding, removing: removing, now: $2) }
  }

  /// Counts the cards that were answered while the clock was in the future: they become due only then.
  public func futureAnswerCount() throws -> Int {
    guard fileExists(workspace.collectionPath) else { return 0 }
    return try workspace.read { try FutureAnswers.cards($0, now: workspace.moment.now).count }
  }

  /// Hides cards until tomorrow; returns how many existed.
  @discardableResult
  public func bury(_ cards: some Collection<CardHandle>) throws -> Int {
    try workspace.perform(.editCard, on: stepName(of: cards), count: { $0 }) {
      try CardHiding.bury($0, cards.lazy.map(\.id), at: workspace.moment)
    }
  }

  /// Shows buried cards again; returns how many were buried.
  @discardableResult
  public func unbury(_ cards: [CardHandle]) throws -> Int {
    try workspace.perform(.editCard, on: stepName(of: cards), count: { $0 }) {
      try CardHiding.unbury($0, cards.map(\.id))
    }
  }

  /// Sets the flag of cards, from 1 to 7; 0 removes it.
  public func setFlag(
    _ cards: some Collection<CardHandle>, to flag: Int, progress: CardProgress = { _ in }
  ) throws {
    try edit(cards, progress: progress) { db, some, now in
      try CardHiding.setFlag(db, some, to: flag, now: now)
      return false
    }
  }

  public func numbered(_ number: Int64) throws -> CardHandle? {
    guard let record = try workspace.read({ try CardTable.card($0, CardID(rawValue: number)) }) else { return nil }
    let card = workspace.handle(of: record.id)
    card.cacheRecord(record)
    return card
  }

  /// Returns the cards that a query in Anki's language matches, in the order in which they were created.
  /// - Throws: `DeckError.badQuery`.
  public func numbers(anki query: String) throws -> [Int64] { try found(anki: query).map(\.rawValue) }

  func found(anki query: String) throws -> [CardID] {
    let parsed = try CardQuery(query, isAnki: true, isInterrupted: workspace.isInterrupted)
    return try workspace.read { try CardTable.ids($0, matching: parsed, at: workspace.moment, searchCache) }
  }

  /// Returns the tags of the most recently added cards that begin with a text, in order.
  public func recentTags(beginningWith start: String = "") throws -> [String] {
    try workspace.read { try CardTable.recentTags($0, beginningWith: start) }
  }

  /// Returns what the name of an undo step says about a card; nil for several cards. In a unit, which usually changes
  /// many cards, only a card that was already read gets its name.
  func stepName(of cards: some Collection<CardHandle>) -> String? {
    guard cards.count == 1, let card = cards.first else { return nil }
    return card.stepName
  }
}

/// A card that is forgotten more often than the memory model predicts, with what may help.
public struct LeechHelp {
  public let card: CardHandle
  public let record: CardRecord
  public let deck: String
  /// The outermost deck that contains it; similar cards are looked for in there.
  public let family: String
  public let test: LeechTest
  /// Wrong answers that were typed for it, the most frequent first.
  public let mistypes: [Mistype]
  /// Cards that it may be confused with, to study side by side.
  public let confusedWith: [CardRecord]
  public let same: [CardRecord]
  /// One of the user's sentences that contains the card's word.
  public let sentence: String?
}

public struct LeechOperations {
  let workspace: Workspace

  /// Returns the leeches of a deck and its subdecks, or of all decks; those with the most evidence first.
  public func list(of deck: DeckHandle? = nil, progress: CardProgress = { _ in }) throws -> [LeechHelp] {
    try workspace.read { db in
      var decks = try DeckTable.list(db).map(\.id)
      if let deck { decks = [deck.id] + (try DeckTable.within(db, deck.id).map(\.id)) }
      let leeches = try LeechReading.leeches(db, in: decks, at: workspace.moment, progress: progress)
      return try help(db, leeches.map { ($0.card, $0.test) })
    }
  }

  /// Returns what may help with a card, whether or not it is a leech.
  public func help(with card: CardHandle) throws -> LeechHelp? {
    try workspace.read { db in
      guard let record = try CardTable.card(db, card.id) else { return nil }
      let options = try DeckTable.options(db, record.deck)
      return try help(db, [(card.id, LeechReading.test(db, card.id, options, at: workspace.moment))]).first
    }
  }

  private func help(_ db: Database, _ leeches: [(card: CardID, test: LeechTest)]) throws -> [LeechHelp] {
    let records = try CardTable.cards(db, ids: leeches.map(\.card))
    let tests = Dictionary(firstOf: leeches.map { ($0.card, $0.test) })
    var families: [DeckID: [DeckID]] = [:]
    for deck in Set(records.map(\.deck)) { families[deck] = try Confusions.family(db, of: DeckTable.record(db, deck)) }
    let found = try Confusions.findings(db, for: records, in: records.map { Set(families[$0.deck] ?? []) })
    return try zip(records, found).map { record, found in
      let deck = try DeckTable.record(db, record.deck)
      return LeechHelp(
        card: workspace.handle(of: record.id), record: record, deck: deck.name,
        family: try families[record.deck]?.first.map { try DeckTable.record(db, $0).name } ?? deck.name,
        test: tests[record.id] ?? LeechTest(), mistypes: try MistypeTable.list(db, of: record.id),
        confusedWith: try CardTable.cards(db, ids: found.near), same: try CardTable.cards(db, ids: found.same),
        sentence: found.sentence)
    }
  }
}
