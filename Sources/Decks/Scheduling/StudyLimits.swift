// How many cards each deck may still show today. A deck's limits also apply to the decks within it.
// Invariant: in whatever order cards are taken, the number taken in the end equals the counts.

import Storage

/// Decks with the room that each has left; the decks within a deck come right after it.
struct StudyLimits {
  private var index: [DeckID: Int] = [:]
  private var parents: [Int?] = []
  private var reviewRoom: [Int] = []
  private var newRoom: [Int] = []
  /// How many cards each deck would show, including the decks within it.
  private(set) var counts: [DeckID: WaitingCounts] = [:]

  /// - Parameter decks: in the order of `DeckTable.list`. A deck whose parent is not among them is an outermost one.
  init(
    _ decks: [DeckRecord], options: [DeckID: DeckOptions], waiting: [DeckID: WaitingCounts],
    answered: [DeckID: AnsweredCounts]
  ) {
    connect(decks)
    var totals = decks.map { waiting[$0.id] ?? WaitingCounts() }
    var done = decks.map { answered[$0.id] ?? AnsweredCounts() }
    reviewRoom = Array(repeating: 0, count: decks.count)
    newRoom = reviewRoom
    // From the innermost deck outwards: a deck's own cards and what the decks within it may show.
    for (place, deck) in decks.enumerated().reversed() {
      let own = options.of(deck.id)
      reviewRoom[place] = max(0, own.reviewsPerDay - done[place].reviews)
      totals[place].due = min(totals[place].due, reviewRoom[place])
      let left = own.newIgnoresReviewLimit ? .max : reviewRoom[place] - totals[place].due
      newRoom[place] = min(left, max(0, own.newPerDay - done[place].new))
      totals[place].new = min(totals[place].new, newRoom[place])
      counts[deck.id] = totals[place]
      guard let parent = parents[place] else { continue }
      totals[parent].add(totals[place])
      done[parent].add(done[place])
    }
  }

  private mutating func connect(_ decks: [DeckRecord]) {
    var open: [(key: String, place: Int)] = []
    for (place, deck) in decks.enumerated() {
      let key = deck.name.lowercased()
      while let last = open.last, !DeckName.isKey(key, within: last.key) { open.removeLast() }
      index[deck.id] = place
      parents.append(open.last?.place)
      open.append((key, place))
    }
  }

  /// How many cards all outermost decks would show.
  func total(_ decks: [DeckRecord]) -> WaitingCounts {
    zip(decks, parents).reduce(into: WaitingCounts()) { sum, entry in
      if entry.1 == nil, let count = counts[entry.0.id] { sum.add(count) }
    }
  }

  /// The most new cards that a deck may show.
  func newRoom(of deck: DeckID) -> Int { index[deck].map { newRoom[$0] } ?? 0 }

  /// Takes the room for a learnt card of a deck.
  /// - Returns: false if there is none.
  mutating func takeReview(_ deck: DeckID) -> Bool { StudyLimits.take(&reviewRoom, index[deck], parents) }

  mutating func takeNew(_ deck: DeckID) -> Bool { StudyLimits.take(&newRoom, index[deck], parents) }

  private static func take(_ room: inout [Int], _ place: Int?, _ parents: [Int?]) -> Bool {
    var current = place
    while let place = current {
      if room[place] <= 0 { return false }
      current = parents[place]
    }
    current = place
    while let place = current {
      room[place] -= 1
      current = parents[place]
    }
    return place != nil
  }
}
