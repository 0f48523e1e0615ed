// Defines when a card is new, due, buried, suspended or a leech: each rule in SQL and in Swift, side by side.
// Invariant: both are true for the same cards, whatever is in their columns.

import Storage
import Text

/// The status of a card, as queries refer to it (`is:due`).
enum CardStatus: String, CaseIterable, Sendable {
  case due, new, suspended, leech, buried, learning, review, relearning

  /// The tag of a card that is forgotten again and again.
  static let leechTag = "leech"

  /// The condition on a row of `cards` or `card_rows`. It is never NULL, so it can be negated with `NOT (…)`.
  func sql(_ moment: MomentSQL = .named) -> String {
    switch self {
    case .new: "state = 0"
    case .learning: "state = 1"
    case .review: "state = 2"
    case .relearning: "state = 3"
    case .suspended: "suspended <> 0"
    case .leech:
      """
      EXISTS (SELECT 1 FROM notes WHERE notes.id = note
      AND (notes.tags LIKE '% leech %' OR notes.tags LIKE '% leech::%'))
      """
    case .buried: "(buried_until IS NOT NULL AND buried_until >= \(moment.cutoff) AND buried_until < \(moment.latest))"
    case .due: "(\(CardStatus.isTime(moment)) AND \(CardStatus.shown(moment)))"
    }
  }

  func holds(_ card: StatusColumns, at moment: StudyMoment) -> Bool {
    switch self {
    case .new: card.state == CardState.new.rawValue
    case .learning: card.state == CardState.learning.rawValue
    case .review: card.state == CardState.review.rawValue
    case .relearning: card.state == CardState.relearning.rawValue
    case .suspended: card.isSuspended
    case .leech: card.hasLeechTag
    case .buried: card.isBuried(at: moment)
    case .due: card.isTime(at: moment) && card.isShown(at: moment)
    }
  }

  /// The card's time has come: the day of a learnt card, or the moment, today, of a card that is being learnt.
  static func isTime(_ moment: MomentSQL = .named) -> String {
    "\(studied) AND due IS NOT NULL AND due < \(moment.end) AND (state <> 2 OR due < \(moment.cutoff))"
  }

  /// The card was answered before. The form `state > 0` is that of the index of due cards.
  static let studied = "state > 0"

  /// A card that has neither a schedule nor an answer: all others go only when somebody removes them.
  static let neverStudied = "state = 0 AND reps = 0 AND NOT EXISTS (SELECT 1 FROM reviews WHERE card = cards.id)"

  /// The card is in its first steps, or in the steps after it was forgotten.
  static let isBeingLearnt = "state IN (1, 3)"

  /// For cards that are being learnt: a session that begins now shows the card. A card that was last answered on an
  /// earlier day is shown from the beginning of its day. The arguments are `:soon` and `:began`.
  static let comesSoon = "(due <= :soon OR coalesce(last_review, 0) < :began)"

  /// Neither suspended nor buried.
  static func shown(_ moment: MomentSQL = .named) -> String { "suspended = 0 AND NOT \(CardStatus.buried.sql(moment))" }
}

/// The SQL expressions for the limits of the moment in a condition.
struct MomentSQL {
  let latest: String
  let end: String
  let cutoff: String

  /// Named arguments: see `StudyMoment.arguments`.
  static let named = MomentSQL(latest: ":latest", end: ":end", cutoff: ":border")
}

extension MomentSQL {
  /// Numbers that are written into the condition.
  init(_ moment: StudyMoment) {
    self.init(latest: "\(moment.latestBurial)", end: "\(moment.endOfToday)", cutoff: "\(moment.dueCutoff)")
  }
}

extension StudyMoment {
  /// The arguments of a statement: the limits of the moment that it names, and its own arguments.
  func arguments(of sql: String, _ more: [String: (any Bindable)?] = [:]) -> StatementArguments {
    var named = more
    let borders = [
      ("latest", latestBurial), ("border", dueCutoff), ("end", endOfToday), ("soon", soon),
      ("began", start(ofDay: today)),
    ]
    for (name, value) in borders where sql.contains(text: ":\(name)") { named[name] = value }
    return StatementArguments(named)
  }
}

/// The columns that a card's status depends on.
struct StatusColumns: HidingColumns {
  var state: Int64
  var isSuspended: Bool
  var due: Double?
  var buriedUntil: Double?
  var hasLeechTag: Bool

  func isTime(at moment: StudyMoment) -> Bool {
    guard let due, state > 0, due < moment.endOfToday else { return false }
    return state != CardState.review.rawValue || due < moment.dueCutoff
  }

  /// Whether the tags, separated by spaces, contain the leech tag or one below it.
  static func isLeech(_ tags: UnsafeBufferPointer<UInt8>) -> Bool {
    tags.split(separator: UInt8(ascii: " ")).contains { tag in
      guard tag.count >= 5, zip(tag, CardStatus.leechTag.utf8).allSatisfy({ $0 | 0x20 == $1 }) else { return false }
      return tag.count == 5 || tag.dropFirst(5).starts(with: "::".utf8)
    }
  }
}
