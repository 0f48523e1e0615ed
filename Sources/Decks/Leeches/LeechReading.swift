// Leeches: cards that are forgotten more often than the memory model of their deck can explain, according to their
// whole log. Invariant: the same log gives the same leeches; nothing is changed. A card keeps only the last texts, up
// to a limit. They are not sent to a server or written to a file.

public import Memory
public import Storage
import Text

/// A card that is forgotten more often than the model can explain.
public struct Leech: Sendable {
  public let card: CardID
  public let test: LeechTest
}

public enum LeechReading {
  /// A card with fewer lapses cannot be a leech.
  private static let fewestLapses = 2

  /// The leeches of some decks, those with the strongest evidence first.
  /// - Parameter progress: called with the number of cards whose log was read; an error from it ends the reading.
  public static func leeches(
    _ db: Database, in decks: [DeckID], at moment: StudyMoment, progress: (Int) throws -> Void = { _ in }
  ) throws -> [Leech] {
    let options = try DeckTable.allOptions(db, at: moment)
    var (found, done) = ([Leech](), 0)
    for deck in decks {
      let sql = "SELECT id FROM cards WHERE deck = ? AND lapses >= ?"
      let cards = try db.rows(sql, [deck.rawValue, fewestLapses]) { CardID(rawValue: $0.integer(0)) }
      for card in cards {
        done += 1
        try progress(done)
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
      SELECT at, rating, state, seconds FROM reviews
      WHERE card = ? AND at > 0 AND NOT \(ReviewTable.isPreview) ORDER BY at, id
      """
    try db.forEachRow(sql, [card.rawValue]) { row in
      guard let rating = Rating(rawValue: row.integer(1)) else { return }
      let (time, state) = (row.number(0), row.integer(2))
      replay.add(time, rating, state: state, day: moment.day(of: time), seconds: row.number(3))
    }
    return replay.test
  }
}

/// Replays the answers of one card, the earliest first.
private struct LeechReplay {
  private let model: RecallModel
  private var timed: TimedMemory.Replay
  private var state: MemoryState?
  private var lastDay = 0
  private(set) var test = LeechTest()

  init(_ options: DeckOptions) {
    model = options.recallModel
    timed = TimedMemory.Replay(model)
  }

  mutating func add(_ time: Double, _ rating: Rating, state kind: Int64, day: Int, seconds: Double) {
    defer {
      timed.add(time, rating.rawValue, state: kind, seconds: seconds)
      lastDay = max(lastDay, day)
    }
    guard let known = state, kind != CardState.new.rawValue else {
      // A card that was made new again starts over.
      (state, test) = (kind <= CardState.learning.rawValue ? model.fsrs6.initial(rating) : nil, LeechTest())
      return
    }
    let days = max(0, day - lastDay)
    if days > 0 {
      let curve = model.curve(stability: known.stability, timed.memory)
      let recall = curve.recall(days: max(0, time - timed.last) / 86_400, wholeDays: days)
      test.add(recall: recall, isRight: rating != .again)
    }
    state = model.fsrs6.next(known, rating, days: days)
  }
}

public struct Mistype: Equatable, Sendable {
  public let text: String
  public let times: Int
}

public enum MistypeTable {
  static let schema = """
    CREATE TABLE mistypes (
      card INTEGER NOT NULL REFERENCES cards(id) ON DELETE CASCADE ON UPDATE CASCADE,
      text TEXT NOT NULL,
      times INTEGER NOT NULL,
      at REAL NOT NULL,
      PRIMARY KEY (card, text)
    ) STRICT, WITHOUT ROWID;
    """
  /// The most texts per card.
  private static let most = 20
  /// The most characters of a text; longer ones are not stored.
  private static let longest = 200

  static func add(_ db: Database, _ card: CardID, _ typed: String, now: Double) throws {
    let text = typed.trimmed.composed
    guard !text.isEmpty, text.count <= longest else { return }
    try db.execute(
      sql: """
        INSERT INTO mistypes (card, text, times, at) VALUES (?, ?, 1, ?)
        ON CONFLICT (card, text) DO UPDATE SET times = times + 1, at = excluded.at
        """, arguments: [card.rawValue, text, now])
    try db.execute(
      sql: """
        DELETE FROM mistypes
        WHERE card = ?1 AND text NOT IN (SELECT text FROM mistypes WHERE card = ?1 ORDER BY at DESC, text LIMIT ?2)
        """, arguments: [card.rawValue, most])
  }

  /// The texts that were typed for a card, the most frequent first.
  public static func list(_ db: Database, of card: CardID) throws -> [Mistype] {
    let sql = "SELECT text, times FROM mistypes WHERE card = ? ORDER BY times DESC, at DESC, text"
    return try db.rows(sql, [card.rawValue]) { Mistype(text: $0.text(0), times: $0.count(1)) }
  }
}
