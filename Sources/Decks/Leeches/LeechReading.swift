// Leeches: cards that are forgotten more often than the memory model of their deck can explain, according to their
// whole log.
// Invariant: the same log gives the same leeches; nothing is changed.

public import Memory
public import Storage

/// A card that is forgotten more often than the model can explain.
public struct Leech: Sendable {
  public let card: CardID
  public let test: LeechTest
}

public enum LeechReading {
  /// A card with fewer lapses cannot be a leech.
  private static let fewestLapses = 2

  /// The leeches of some decks, those with the strongest evidence first.
  public static func leeches(_ db: Database, in decks: [DeckID], at moment: StudyMoment) throws -> [Leech] {
    let options = try DeckTable.allOptions(db, at: moment)
    var found: [Leech] = []
    for deck in decks {
      let sql = "SELECT id FROM cards WHERE deck = ? AND lapses >= ?"
      let cards = try db.rows(sql, [deck.rawValue, fewestLapses]) { CardID(rawValue: $0.integer(0)) }
      for card in cards {
        let test = try test(db, card, options.of(deck), at: moment)
        if test.isLeech { found.append(Leech(card: card, test: test)) }
      }
    }
    return found.sorted { ($1.test.evidence, $0.card.rawValue) < ($0.test.evidence, $1.card.rawValue) }
  }

  /// Tests the log of a card against the model that schedules it.
  public static func test(
    _ db: Database, _ card: CardID, _ options: DeckOptions, at moment: StudyMoment
  ) throws -> LeechTest {
    var replay = LeechReplay(options)
    let sql = """
      SELECT at, rating, state FROM reviews WHERE card = ? AND at > 0 AND NOT \(ReviewTable.isPreview) ORDER BY at, id
      """
    try db.forEachRow(sql, [card.rawValue]) { row in
      guard let rating = Rating(rawValue: row.integer(1)) else { return }
      replay.add(row.number(0), rating, state: row.integer(2), day: moment.day(of: row.number(0)))
    }
    return replay.test
  }
}

/// Replays the answers of one card, the earliest first.
private struct LeechReplay {
  private let model: MemoryModel
  private var timed: TimedMemory.Replay?
  private var state: MemoryState?
  private var lastDay = 0
  private(set) var test = LeechTest()

  init(_ options: DeckOptions) {
    model = MemoryModel(checked: options.parameters, countsSameDay: options.shortTerm)
    timed = options.timed?.model.map { TimedMemory.Replay($0) }
  }

  mutating func add(_ time: Double, _ rating: Rating, state kind: Int64, day: Int) {
    defer {
      timed?.add(time, rating.rawValue, state: kind)
      lastDay = max(lastDay, day)
    }
    guard let known = state, kind != CardState.new.rawValue else {
      // A card that was made new again starts over.
      (state, test) = (kind <= CardState.learning.rawValue ? model.initial(rating) : nil, LeechTest())
      return
    }
    let days = max(0, day - lastDay)
    if days > 0 {
      let recall = timed?.recall(at: time) ?? model.retrievability(days: Double(days), stability: known.stability)
      test.add(recall: recall, isRight: rating != .again)
    }
    state = model.next(known, rating, days: days)
  }
}
