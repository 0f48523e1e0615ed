// The answers of cards, one card after the other, as the memory model is fitted to them: flat arrays, 9 bytes an
// answer. Invariant: a history begins with a card's first answer; rows that no session can have written are left out.

public import GRDB

/// The answers of many cards.
public struct ReviewHistory: Sendable {
  /// Answers of one card that are looked at.
  static let longest = 128

  /// Where each card's answers begin; one more than there are cards.
  private(set) var starts: [Int] = [0]
  /// Whole days since the answer before, 0 for the first one.
  private(set) var days: [Int32] = []
  private(set) var ratings: [UInt8] = []
  private var openCard: Int64?
  private var lastDay = 0
  private var lastIsNew = false

  public init() {}

  public var cardCount: Int { starts.count - 1 }

  /// Answers on a later day than the one before: those that tell what was remembered.
  public var laterCount: Int { days.count { $0 > 0 } }

  /// Adds an answer; those of one card follow each other, the earliest first.
  /// - Parameters:
  ///   - day: the number of its day.
  ///   - isFirst: whether the card was new when it was answered.
  ///   - isLearning: whether it was new or being learnt for the first time.
  public mutating func add(card: Int64, day: Int, rating: Int64, isFirst: Bool, isLearning: Bool) {
    guard (1...4).contains(rating), (-1_000_000...10_000_000).contains(day) else { return }
    // A card that was made new again begins anew. Several first answers in a row are steps of one beginning.
    let begins = card != openCard || (isFirst && !lastIsNew)
    lastIsNew = isFirst
    if begins {
      openCard = isLearning ? card : nil
      guard isLearning else { return }
      close()
    }
    guard days.count - (starts.last ?? 0) < Self.longest else { return }
    let isOpening = days.count == starts.last
    days.append(isOpening ? 0 : Int32(clamping: max(0, day - lastDay)))
    ratings.append(UInt8(rating))
    lastDay = max(day, isOpening ? day : lastDay)
  }

  /// Ends the last card. Nothing can be read before.
  public mutating func close() {
    if days.count > starts[starts.count - 1] { starts.append(days.count) }
  }

  /// The answers of the cards of some decks, with those of the decks within; of every card when nil.
  public init(_ db: Database, decks: [DeckID]? = nil, at moment: StudyMoment) throws {
    var wanted: Set<Int64>?
    if let decks {
      wanted = []
      for deck in decks {
        for inner in [deck] + (try DeckTable.within(db, deck).map(\.id)) {
          wanted?.formUnion(try CardTable.ids(db, in: inner).map(\.rawValue))
        }
      }
    }
    // A day's grace: the clock of another machine may be ahead. The `+` keeps SQLite from the index by time, which
    // would sort the whole log in memory.
    let sql = """
      SELECT card, at, rating, state FROM reviews WHERE card IS NOT NULL AND +at > 0 AND +at < ? ORDER BY card, at, id
      """
    try db.forEachRow(sql, [moment.now + 86_400]) { row in
      let (card, state) = (row.integer(0), row.integer(3))
      if let wanted, !wanted.contains(card) { return }
      add(
        card: card, day: moment.day(of: row.number(1)), rating: row.integer(2), isFirst: state == 0,
        isLearning: state == 0 || state == 1)
    }
    close()
  }
}
