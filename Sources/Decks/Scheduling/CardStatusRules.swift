// When a card is new, due, buried, suspended, a leech: each rule in SQL and in Swift, side by side.
// Invariant: both hold for the same cards, whatever their columns hold.

import Storage
import Text

/// What a card can be, as queries ask for it (`is:due`).
enum CardStatus: String, CaseIterable, Sendable {
  case due, new, suspended, leech, buried, learning, review, relearning

  /// The tag of a card that was forgotten again and again.
  static let leechTag = "leech"

  /// The condition on a row of `cards` or `card_rows`. It is never unknown: its opposite is `NOT (…)`.
  func sql(_ moment: MomentSQL = .named) -> String {
    switch self {
    case .new: "state = 0"
    case .learning: "state = 1"
    case .review: "state = 2"
    case .relearning: "state = 3"
    case .suspended: "suspended <> 0"
    case .leech:
      """
      EXISTS (SELECT 1 FROM notes WHERE notes.id = note AND (notes.tags LIKE '% leech %' OR notes.tags LIKE '% leech::%'))
      """
    case .buried:
      "(buried_until IS NOT NULL AND buried_until > \(moment.now) AND buried_until < \(moment.latest))"
    case .due: "(\(CardStatus.isTime(moment)) AND \(CardStatus.shown(moment)))"
    }
  }

  /// Whether it is true of a card.
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

  // MARK: Parts of rules

  /// Its time has come: a learnt card's day, and for one that is being learnt its moment on this day.
  static func isTime(_ moment: MomentSQL = .named) -> String {
    "\(studied) AND due IS NOT NULL AND due < \(moment.end) AND (state <> 2 OR due < \(moment.border))"
  }

  /// Answered before: not new, as the index of due cards has it.
  static let studied = "state > 0"

  /// In its first steps, or in those after it was forgotten.
  static let isBeingLearnt = "state IN (1, 3)"

  /// Of what is being learnt: a session that begins now shows it. What was answered on an earlier day is shown from the
  /// beginning of its day on. Its arguments are `:soon` and `:began`.
  static let comesSoon = "(due <= :soon OR coalesce(last_review, 0) < :began)"

  /// Neither suspended nor buried.
  static func shown(_ moment: MomentSQL = .named) -> String { "suspended = 0 AND NOT \(CardStatus.buried.sql(moment))" }
}

/// How a condition names the borders of the moment.
struct MomentSQL {
  let now: String
  let latest: String
  let end: String
  let border: String

  /// As arguments: see `StudyMoment.arguments`.
  static let named = MomentSQL(now: ":now", latest: ":latest", end: ":end", border: ":border")

  private init(now: String, latest: String, end: String, border: String) {
    (self.now, self.latest, self.end, self.border) = (now, latest, end, border)
  }

  /// As numbers within the condition.
  init(_ moment: StudyMoment) {
    self.init(
      now: "\(moment.now)", latest: "\(moment.latestBurial)", end: "\(moment.endOfToday)",
      border: "\(moment.dueBorder)")
  }
}

extension StudyMoment {
  /// The arguments of a statement that names borders of the moment, and those of its own.
  func arguments(of sql: String, _ more: [String: (any Bindable)?] = [:]) -> StatementArguments {
    var named = more
    let borders = [
      ("now", now), ("latest", latestBurial), ("border", dueBorder), ("end", endOfToday), ("soon", soon),
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
    return state != CardState.review.rawValue || due < moment.dueBorder
  }

  /// Whether tags, separated by spaces, hold that of a leech or one within it.
  static func isLeech(_ tags: UnsafeBufferPointer<UInt8>) -> Bool {
    tags.split(separator: UInt8(ascii: " ")).contains { tag in
      guard tag.count >= 5, zip(tag, CardStatus.leechTag.utf8).allSatisfy({ $0 | 0x20 == $1 }) else { return false }
      return tag.count == 5 || tag.dropFirst(5).starts(with: "::".utf8)
    }
  }
}
