// Gathers the cards of a session and sorts them as the options say; and those that remain while it runs. Invariant: the
// same cards, options and day always give the same order; a queue has as many cards as `StudyCounts` reports. The
// entries that a queue uses of its list are never changed, so that the copies for undo share the list.

import Memory
import Storage

struct QueueBuilder {
  private struct StudiedEntry {
    let card: CardID
    let deck: Int
    let schedule: CardSchedule
    let day: Int
    /// 0 for a new card, and so is `last`.
    var due: Double { schedule.due ?? 0 }
    var last: Double { schedule.lastReview ?? 0 }
    var difficulty: Double { schedule.difficulty ?? 0 }
  }

  private struct NewEntry {
    let card: CardID
    let deck: Int
    let note: Int64
    let ord: Int64
    /// Its position among the new cards of its deck, from 0.
    let position: Int
  }

  private let db: Database
  private let moment: StudyMoment
  private let selection: StudySelection
  private let decks: [DeckRecord]
  private let options: [DeckID: DeckOptions]
  /// The cards that goals chose for today.
  private let chosen: GoalDay
  private var limits: StudyLimits
  /// The cards that match the query.
  private var wanted: Set<CardID>?
  private var learning: [(due: Double, card: CardID)] = []
  private var studied: [StudiedEntry] = []

  init(
    _ db: Database, _ selection: StudySelection, decks: [DeckRecord], options: [DeckID: DeckOptions],
    chosen: GoalDay, at moment: StudyMoment
  ) throws {
    (self.db, self.selection, self.decks, self.options) = (db, selection, decks, options)
    (self.chosen, self.moment) = (chosen, moment)
    limits = StudyLimits(decks, options: options, waiting: [:], answered: [:])
    wanted = try selection.query?.cards(db, in: decks.map(\.id), at: moment)
  }

  /// The options of the first deck decide the order of all decks' cards.
  private var order: DeckOptions { decks.first.flatMap { options[$0.id] } ?? DeckOptions() }

  mutating func build() throws -> ReviewQueue {
    if !selection.isCram { return try scheduled() }
    for (place, deck) in decks.enumerated() { try gather("1", place, deck.id, by: "rank") }
    let entries = studied.map { ReviewQueue.Entry(card: $0.card, isNew: $0.schedule.state == .new) }
    return ReviewQueue(learning: [], main: Array(entries.prefix(selection.limit.map { max(0, $0) } ?? .max)))
  }

  // MARK: Due cards

  /// Gathers cards that are being learnt, then due cards, then new cards, within today's limits, and mixes them.
  private mutating func scheduled() throws -> ReviewQueue {
    for (place, deck) in decks.enumerated() {
      try gather("\(CardStatus.isBeingLearnt) AND \(CardStatus.due.sql())", place, deck.id)
    }
    let began = moment.start(ofDay: moment.today)
    for entry in studied {
      // A card that was last answered on an earlier day is due from the beginning of its day.
      let isOfToday = entry.last >= began
      learning.append((isOfToday ? entry.due : min(entry.due, moment.now), entry.card))
    }
    studied = []
    for (place, deck) in decks.enumerated() {
      if chosen.count(in: deck.id) != nil {
        try gather(CardStatus.review.sql(), place, deck.id)
        continue
      }
      // If the cards come in the order of days, reading can stop at the deck's limit for the day.
      let most = order.reviewOrder.isByDay ? options.of(deck.id).reviewsPerDay : .max
      try gather("\(CardStatus.review.sql()) AND \(CardStatus.due.sql())", place, deck.id, upTo: most)
    }
    var waiting: [DeckID: WaitingCounts] = [:]
    for deck in decks {
      // Counts no more than the day's limit allows, however many there are.
      let own = options.of(deck.id)
      let count =
        try wanted == nil
        ? DeckTable.newCount(db, deck.id, at: moment, upTo: own.newPerDay, buries: own.buriesNew)
        : newEntries(deck.id, 0, room: own.newPerDay, "rank").count
      waiting[deck.id] = WaitingCounts(new: count)
    }
    for entry in studied { waiting[decks[entry.deck].id]?.due += 1 }
    limits = StudyLimits(
      decks, options: options, waiting: waiting, answered: try WaitingCounts.answered(db, today: moment))
    var total = limits.total(decks)
    // Cards that are due later today only get the room that is left.
    let soon = learning.filter { $0.due <= moment.soon }
    total.learning = soon.count
    let room = total.limited(to: selection.limit)
    var due: [ReviewQueue.Entry] = []
    for entry in try sortedReviews() where due.count < room.due && limits.takeReview(decks[entry.deck].id) {
      due.append(.init(card: entry.card, isNew: false))
    }
    let main = mixed(due, try sortedNew(room.new))
    let left = selection.limit.map { max(0, max(0, $0) - room.learning - main.count) } ?? .max
    let later = learning.filter { $0.due > moment.soon }
    return ReviewQueue(learning: Array(soon.prefix(room.learning) + later.prefix(left)), main: main)
  }

  /// - Parameter most: reading stops after this many cards in the order of `due`, and the others of the last one's day.
  private mutating func gather(
    _ condition: String, _ place: Int, _ deck: DeckID, by order: String = "due", upTo most: Int = .max
  ) throws {
    let sql = """
      SELECT id, state, due, last_review, stability, difficulty, interval FROM cards
      WHERE deck = :deck AND \(CardStatus.shown()) AND \(condition) ORDER BY \(order)
      """
    let arguments = moment.arguments(of: sql, ["deck": deck.rawValue])
    let start = studied.count
    var isFull = false
    try db.forEachRow(sql, while: { !isFull }, arguments) { row in
      let card = CardID(rawValue: row.integer(0))
      guard wanted?.contains(card) ?? true else { return }
      if row.integer(1) == CardState.review.rawValue, !chosen.admits(card, of: deck) { return }
      let day = moment.dueDay(of: row.number(2))
      if studied.count - start >= most, studied.last?.day != day { return isFull = true }
      var schedule = CardSchedule()
      schedule.state = CardState(stored: row.integer(1))
      (schedule.due, schedule.lastReview) = (row.optionalNumber(2), row.optionalNumber(3))
      (schedule.stability, schedule.difficulty) = (row.optionalNumber(4), row.optionalNumber(5))
      schedule.interval = CardSchedule.interval(row.optionalNumber(6))
      studied.append(StudiedEntry(card: card, deck: place, schedule: schedule, day: day))
    }
  }

  private func sortedReviews() throws -> [StudiedEntry] {
    let order = order.reviewOrder
    let recalls = order == .forgotten || order == .remembered ? try recalls() : [:]
    let keyed = studied.map { (key: key(of: $0, by: order, recalls), entry: $0) }
    return keyed.sorted { ($0.key.0, $0.key.1, $0.entry.card.rawValue) < ($1.key.0, $1.key.1, $1.entry.card.rawValue) }
      .map(\.entry)
  }

  /// The keys by which a card is sorted.
  private func key(of entry: StudiedEntry, by order: ReviewOrder, _ recalls: [CardID: Double]) -> (Double, Double) {
    let (day, deck, recall) = (Double(entry.day), Double(entry.deck), recalls[entry.card] ?? 0)
    // Cards that a goal chose come first, the best of them first.
    if let rank = chosen.ranks[entry.card] { return (-.infinity, Double(rank)) }
    switch order {
    case .due: return (day, entry.due)
    case .dueRandom: return (day, random(entry.card.rawValue))
    case .dueDeck: return (day, deck)
    case .deckDue: return (deck, day)
    case .shortest: return (Double(moment.interval(of: entry.schedule)), 0)
    case .longest: return (-Double(moment.interval(of: entry.schedule)), 0)
    case .easiest: return (entry.difficulty, 0)
    case .hardest: return (-entry.difficulty, 0)
    case .forgotten: return (recall, 0)
    case .remembered: return (-recall, 0)
    case .overdue:
      let late = Double(moment.today - entry.day)
      return (-late / Double(max(1, moment.interval(of: entry.schedule))), day)
    case .added: return (Double(entry.card.rawValue), 0)
    case .addedLast: return (-Double(entry.card.rawValue), 0)
    case .random: return (random(entry.card.rawValue), 0)
    }
  }

  private func recalls() throws -> [CardID: Double] {
    let memories = CardMemories(options)
    var recalls: [CardID: Double] = [:]
    for entry in studied {
      let schedule = entry.schedule
      recalls[entry.card] = try memories.entry(
        db, of: entry.card, in: decks[entry.deck].id, stability: schedule.stability, last: schedule.lastReview
      )?.recall(at: moment)
    }
    return recalls
  }

  /// A random number for a card, which stays the same all day.
  private func random(_ id: Int64) -> Double {
    Double(Fuzz.mixed(UInt64(bitPattern: id) ^ Fuzz.mixed(UInt64(bitPattern: Int64(moment.today)))) >> 11)
  }

  // MARK: New cards

  private mutating func sortedNew(_ room: Int) throws -> [ReviewQueue.Entry] {
    let gathering = order.newGather
    let isRandom = gathering == .randomNotes || gathering == .randomCards
    var found: [NewEntry] = []
    for (place, deck) in decks.enumerated() {
      let most = isRandom ? .max : min(room, limits.newRoom(of: deck.id))
      let rank = gathering == .highestPosition ? "rank DESC" : "rank"
      found += try newEntries(deck.id, place, room: most, rank)
    }
    switch gathering {
    case .lowestPosition, .highestPosition: found.sort { ($0.position, $0.deck) < ($1.position, $1.deck) }
    case .randomNotes: found = shuffled(found) { ($0.note, $0.ord) }
    case .randomCards: found = shuffled(found) { ($0.card.rawValue, 0) }
    case .deck: break
    }
    var taken: [NewEntry] = []
    for entry in found where taken.count < room && limits.takeNew(decks[entry.deck].id) { taken.append(entry) }
    return sorted(taken).map { ReviewQueue.Entry(card: $0.card, isNew: true) }
  }

  /// The new cards of a deck, at most `room`, without those that an answer to another one buries. A query may want just
  /// one of them, so it gets all.
  private func newEntries(_ deck: DeckID, _ place: Int, room: Int, _ order: String) throws -> [NewEntry] {
    let buries = wanted == nil && options.of(deck).buriesNew
    let sql = """
      SELECT id, note, ord FROM cards
      WHERE deck = :deck AND \(Siblings.isNewAndShown(buries: buries)) ORDER BY \(order)
      """
    var found: [NewEntry] = []
    let arguments = moment.arguments(of: sql, ["deck": deck.rawValue])
    try db.forEachRow(sql, while: { found.count < room }, arguments) { row in
      let card = CardID(rawValue: row.integer(0))
      guard wanted?.contains(card) ?? true else { return }
      found.append(NewEntry(card: card, deck: place, note: row.integer(1), ord: row.integer(2), position: found.count))
    }
    return found
  }

  private func sorted(_ taken: [NewEntry]) -> [NewEntry] {
    switch order.newSort {
    case .template: taken.sorted { $0.ord < $1.ord }
    case .templateRandom: shuffled(taken) { ($0.card.rawValue, 0) }.sorted { $0.ord < $1.ord }
    case .randomNote: shuffled(taken) { ($0.note, $0.ord) }
    case .random: shuffled(taken) { ($0.card.rawValue, 0) }
    case .gathered: taken
    }
  }

  private func shuffled(_ cards: [NewEntry], by key: (NewEntry) -> (Int64, Int64)) -> [NewEntry] {
    cards.map { ($0, key($0)) }.sorted {
      (random($0.1.0), $0.1.1, $0.0.card.rawValue) < (random($1.1.0), $1.1.1, $1.0.card.rawValue)
    }.map(\.0)
  }

  private func mixed(_ due: [ReviewQueue.Entry], _ new: [ReviewQueue.Entry]) -> [ReviewQueue.Entry] {
    switch order.newMix {
    case .before: return new + due
    case .after: return due + new
    case .mix: break
    }
    // The shorter list is spread evenly over the longer one.
    var (mixed, taken): ([ReviewQueue.Entry], Int) = ([], 0)
    let (long, short) = due.count >= new.count ? (due, new) : (new, due)
    for (place, entry) in long.enumerated() {
      mixed.append(entry)
      while taken < short.count, (taken + 1) * (long.count + 1) <= (place + 1) * (short.count + 1) {
        mixed.append(short[taken])
        taken += 1
      }
    }
    return mixed + short[taken...]
  }
}

struct ReviewQueue {
  struct Entry {
    let card: CardID
    let isNew: Bool
  }

  /// Cards that are being learnt, in no order: each is shown when its time comes.
  var learning: [(due: Double, card: CardID)] = []
  /// The cards that are shown one after the other.
  private final class List {
    var entries: [Entry]
    init(_ entries: [Entry]) { self.entries = entries }
  }

  private let list: List
  /// How many entries of the list belong to this queue, and how many of these are done.
  private var (end, done) = (0, 0)
  private(set) var dueLeft = 0
  private(set) var newLeft = 0
  /// The card that is shown; it stays the same until it is answered.
  var current: CardID?
  /// The day of study for which it was built.
  var day = 0

  init(learning: [(due: Double, card: CardID)] = [], main: [Entry] = []) {
    self.learning = learning
    (list, end) = (List(main), main.count)
    newLeft = main.count { $0.isNew }
    dueLeft = main.count - newLeft
  }

  /// The next card: one that is being learnt and due, else the next of the list; if nothing else is left, one that is
  /// being learnt and due soon.
  func upcoming(now: Double, until soon: Double) -> CardID? {
    let first = learning.min { $0.due < $1.due }
    if let first, first.due <= now { return first.card }
    if done < end { return list.entries[done].card }
    return first.flatMap { $0.due <= soon ? $0.card : nil }
  }

  /// Removes a card if it is the next of the list or being learnt.
  mutating func drop(_ id: CardID) {
    if current == id { current = nil }
    if done < end, list.entries[done].card == id {
      if list.entries[done].isNew { newLeft -= 1 } else { dueLeft -= 1 }
      done += 1
      return
    }
    if let place = learning.firstIndex(where: { $0.card == id }) { learning.remove(at: place) }
  }

  /// Removes cards that have not come yet.
  mutating func drop(all ids: Set<CardID>) {
    learning.removeAll { ids.contains($0.card) }
    let rest = list.entries[done..<end]
    guard rest.contains(where: { ids.contains($0.card) }) else { return }
    var left = ReviewQueue(learning: learning, main: rest.filter { !ids.contains($0.card) })
    (left.current, left.day) = (current, day)
    self = left
  }

  mutating func append(_ entry: Entry) {
    // Entries after the end were appended by a later queue, which was undone.
    list.entries.removeSubrange(end...)
    list.entries.append(entry)
    end += 1
    if entry.isNew { newLeft += 1 } else { dueLeft += 1 }
  }
}
