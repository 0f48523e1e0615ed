// The answers of cards, one card after the other, in the form to which the memory models are fitted: flat arrays, 17
// bytes an answer. Invariant: the history of a card begins with its first answer; rows that no session can have written
// are left out; the moments of a card never decrease.

/// The answers of many cards.
public struct ReviewHistory: Sendable {
  /// The most answers of one card that are used.
  static let longest = 128

  /// Where each card's answers begin; one element more than there are cards.
  public private(set) var starts: [Int] = [0]
  /// Whole days since the previous answer, 0 for the first one.
  public private(set) var days: [Int32] = []
  /// Milliseconds since 1970.
  public private(set) var moments: [Int64] = []
  public private(set) var ratings: [UInt8] = []
  /// How long each answer took; 0 if that is not known.
  private(set) var milliseconds: [Int32] = []
  private var openCard: Int64?
  private var lastDay = 0
  private var lastIsNew = false

  public init() {}

  /// Reserves room for so many answers at once: arrays that grow use twice as much memory for a while.
  public mutating func reserve(_ answers: Int) {
    days.reserveCapacity(answers)
    moments.reserveCapacity(answers)
    ratings.reserveCapacity(answers)
    milliseconds.reserveCapacity(answers)
  }

  public var cardCount: Int { starts.count - 1 }

  /// The number of answers on a later day than the previous one, which show what was remembered.
  public var laterCount: Int { days.count { $0 > 0 } }

  /// Adds an answer. The answers of one card must follow each other, the earliest first.
  /// - Parameters:
  ///   - moment: milliseconds since 1970.
  ///   - isFirst: whether the card was new when it was answered.
  ///   - isLearning: whether it was new or being learnt for the first time.
  ///   - seconds: how long the answer took; 0 if that is not known.
  public mutating func add(
    card: Int64, day: Int, moment: Int64, rating: Int64, isFirst: Bool, isLearning: Bool, seconds: Double = 0
  ) {
    // Rescheduled without an answer: if the card is new now, it was made new again.
    if rating == 0 { lastIsNew = false }
    guard (1...4).contains(rating), (-1_000_000...10_000_000).contains(day) else { return }
    // A card that was reset to new begins again. Several first answers in a row are steps of one beginning.
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
    moments.append(isOpening ? moment : max(moment, moments.last ?? moment))
    ratings.append(UInt8(rating))
    milliseconds.append(Int32((min(1e6, AnswerTime.known(seconds)) * 1000).rounded()))
    lastDay = max(day, isOpening ? day : lastDay)
  }

  /// Ends the last card. Must be called before the history is read.
  public mutating func close() {
    if days.count > starts[starts.count - 1] { starts.append(days.count) }
  }

  /// Returns whether an answer shows how well its card was remembered at a moment: all except the first of each card
  /// and those at the same moment as the previous one.
  func isPredicted(_ index: Int, first: Int) -> Bool { index > first && moments[index] > moments[index - 1] }

  /// The median of the known times in seconds; 0 if no time is known.
  var medianSeconds: Double {
    let known = milliseconds.filter { $0 > 0 }.sorted()
    return known.isEmpty ? 0 : (Double(known[(known.count - 1) / 2]) + Double(known[known.count / 2])) / 2000
  }

  /// Returns the indexes of all answers that are predicted, the earliest first.
  func predicted() -> [Int32] {
    var found: [Int32] = []
    found.reserveCapacity(ratings.count)
    for card in 0..<cardCount {
      for index in starts[card]..<starts[card + 1] where isPredicted(index, first: starts[card]) {
        found.append(Int32(index))
      }
    }
    moments.withUnsafeBufferPointer { moments in found.sort { (moments[Int($0)], $0) < (moments[Int($1)], $1) } }
    return found
  }

  /// Returns the moment at which a share of the predicted answers had been given; nil if there are none.
  func moment(after share: Double) -> Int64? {
    let order = predicted()
    return order.isEmpty ? nil : moments[Int(order[min(order.count - 1, Int(Double(order.count) * share))])]
  }

  /// Returns the answers before a moment.
  public func until(_ moment: Int64) -> ReviewHistory {
    var earlier = ReviewHistory()
    earlier.reserve(moments.count { $0 < moment })
    for card in 0..<cardCount {
      for index in starts[card]..<starts[card + 1] {
        if moments[index] >= moment { break }
        earlier.days.append(days[index])
        earlier.moments.append(moments[index])
        earlier.ratings.append(ratings[index])
        earlier.milliseconds.append(milliseconds[index])
      }
      earlier.close()
    }
    return earlier
  }
}
