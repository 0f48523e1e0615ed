// The state of FSRS-7 for cards, computed from the log: for one card when it is answered, for all cards of decks when
// they are counted.
// Invariant: none of it is stored, so it cannot be out of date; decks that FSRS-6 schedules cost nothing.

public import Memory
public import Storage

/// The memories of the cards of decks that FSRS-7 schedules.
public struct TimedMemories {
  /// A card's state, and the time of its last answer in seconds since 1970.
  public struct Entry: Sendable {
    public let memory: TimedMemory
    public let last: Double
    let curve: ForgettingCurve7

    /// The probability that the card is remembered at a time.
    public func recall(at time: Double) -> Double { curve.recall(days: max(0, time - last) / 86_400) }
  }

  private let models: [DeckID: MemoryModel7]

  public init(_ options: [DeckID: DeckOptions]) { models = options.compactMapValues { $0.timed?.model } }

  public var isEmpty: Bool { models.isEmpty }

  /// The state of a card; nil if FSRS-6 schedules its deck, or before its first answer.
  /// - Parameter stability: by FSRS-6, for a card whose log does not contain its first answer.
  public func entry(
    _ db: Database, of card: CardID, in deck: DeckID, stability: Double?, last: Double?
  ) throws -> Entry? {
    guard let model = models[deck] else { return nil }
    var replay = TimedMemory.Replay(model)
    let sql = """
      SELECT at, rating, state FROM reviews WHERE card = ? AND at > 0 AND NOT \(ReviewTable.isPreview) ORDER BY at, id
      """
    try db.forEachRow(sql, [card.rawValue]) { replay.add($0.number(0), $0.integer(1), state: $0.integer(2)) }
    return Self.entry(replay, model, stability: stability, last: last)
  }

  /// The probability that a learnt card is remembered now; `model` is that of its deck by FSRS-6.
  /// - Parameter stability: by FSRS-6.
  func recall(
    _ db: Database, of card: CardID, in deck: DeckID, stability: Double?, last: Double?, _ model: MemoryModel,
    at moment: StudyMoment
  ) throws -> Double {
    try entry(db, of: card, in: deck, stability: stability, last: last)?.recall(at: moment.now)
      ?? model.retrievability(days: Double(moment.days(since: last)), stability: stability ?? 0.001)
  }

  /// The states of all cards of some decks, except those without answers.
  public func all(_ db: Database, in decks: [DeckID]) throws -> [CardID: Entry] {
    var entries: [CardID: Entry] = [:]
    for deck in decks {
      if models[deck] == nil { continue }
      var cards: [(id: CardID, stability: Double, last: Double?)] = []
      let sql = "SELECT id, stability, last_review FROM cards WHERE deck = ? AND stability IS NOT NULL"
      try db.forEachRow(sql, [deck.rawValue]) {
        cards.append((CardID(rawValue: $0.integer(0)), $0.number(1), $0.optionalNumber(2)))
      }
      for card in cards {
        entries[card.id] = try entry(db, of: card.id, in: deck, stability: card.stability, last: card.last)
      }
    }
    return entries
  }

  private static func entry(
    _ replay: TimedMemory.Replay, _ model: MemoryModel7, stability: Double?, last: Double?
  ) -> Entry? {
    if let memory = replay.memory {
      return Entry(memory: memory, last: replay.last, curve: model.curve(memory.state))
    }
    guard let stability, let last else { return nil }
    let memory = TimedMemory(model.state(interval: stability), first: .good)
    return Entry(memory: memory, last: last, curve: model.curve(memory.state))
  }
}

extension TimedMemory.Replay {
  /// Adds an answer from the log; a row that no session can have written is ignored.
  mutating func add(_ time: Double, _ rating: Int64, state: Int64) {
    guard let rating = Rating(rawValue: rating) else { return }
    add(at: time, rating, isFirst: state == 0, isLearning: state == 0 || state == 1)
  }
}
