// What can be known about a card, field by field: the single description that Lua, lists, JSON, files and queries use.
// Invariant: a field has the same name and meaning everywhere. A new field is described here. Its value is read from the
// row in `CardColumns`, or, if it is not in the row, by the code that knows it.

public import Values

/// A field that every card has.
///
///     CardProperty.due.rawValue           // "due", in Lua, in `--columns`, in JSON, in `prop:`
///     CardProperty.due.description.help   // "When it is to be studied: seconds since 1970; nil for a new card."
public enum CardProperty: String, CaseIterable, Sendable {
  // In the order in which Lua and JSON show them.
  case prompt, answer, tags, document, note
  case noteType = "note_type"
  case guid, deck, position, state, due, interval, stability, difficulty
  case lastReview = "last_review"
  case step, reps, lapses, flag, buried, created, modified, fields, retrievability

  /// The description of a field, apart from its name.
  public struct Description: Sendable {
    public let kind: Kind
    /// Whether a card may have no value for it.
    public let isOptional: Bool
    /// A sentence for help and the reference.
    public let help: String
    /// Whether Lua, lists and JSON show it; only files or queries know the others.
    public let isShown: Bool
    /// The SQL expression that cards are sorted by; nil if they cannot be sorted by this field. Cards without a value
    /// come last.
    let order: String?
    /// How queries refer to it: `prop:NAME<5`.
    public let figure: Figure?
    /// The member of `CardSchedule` that holds it, if there is one; files use the same name.
    public let planned: Planned?

    init(
      _ kind: Kind, _ help: String, isOptional: Bool = false, isShown: Bool = true, order: String? = nil,
      figure: Figure? = nil, planned: Planned? = nil
    ) {
      (self.kind, self.help, self.isOptional, self.isShown) = (kind, help, isOptional, isShown)
      (self.order, self.figure, self.planned) = (order, figure, planned)
    }
  }

  /// The kind of the values of a field.
  public enum Kind: Sendable {
    case text, texts, integer, boolean
    /// A measurement; lists round it to hundredths.
    case number
    /// Seconds since 1970; lists show a date.
    case moment
    /// Named values of any kind.
    case record
    // Objects of their own; a list shows their names.
    case document, note, deck
  }

  /// A number that queries compare.
  public struct Figure: Sendable {
    /// Another name, suggested for a mistyped one.
    public let short: String
    public let help: String
  }

  /// A number of a schedule, and the range of its values.
  public enum Planned: Sendable {
    case number(any WritableKeyPath<CardSchedule, Double?> & Sendable, ClosedRange<Double>)
    case count(any WritableKeyPath<CardSchedule, Int> & Sendable, ClosedRange<Double>)
  }

  public var description: Description {
    switch self {
    case .prompt: .prompt
    case .answer: .answer
    case .tags: .tags
    case .document: .document
    case .note: .note
    case .noteType: .noteType
    case .guid: .guid
    case .deck: .deck
    case .position: .position
    case .state: .state
    case .due: .due
    case .interval: .interval
    case .stability: .stability
    case .difficulty: .difficulty
    case .lastReview: .lastReview
    case .step: .step
    case .reps: .reps
    case .lapses: .lapses
    case .flag: .flag
    case .buried: .buried
    case .created: .created
    case .modified: .modified
    case .fields: .fields
    case .retrievability: .retrievability
    }
  }

  // MARK: Subsets

  /// The fields that Lua, lists and JSON show.
  public static let shown = allCases.filter(\.description.isShown)
  /// The fields that lists can be sorted by.
  public static let sorting = allCases.filter { $0.description.order != nil }
  /// The fields that queries can compare.
  public static let figures = allCases.filter { $0.description.figure != nil }
  /// The fields that a schedule has, with their places in `CardSchedule`.
  public static let planned = allCases.compactMap { property in
    property.description.planned.map { (name: property.rawValue, place: $0) }
  }

  /// The column that queries compare directly; nil if the value has to be computed.
  var queryColumn: QueryColumn? {
    switch self {
    case .stability: .stability
    case .difficulty: .difficulty
    case .reps: .reps
    case .lapses: .lapses
    default: nil
    }
  }
}

extension CardProperty.Description {
  fileprivate static let prompt = Self(.text, "What is asked.", order: "prompt COLLATE NOCASE")
  fileprivate static let answer = Self(.text, "What the answer should be.", order: "answer COLLATE NOCASE")
  fileprivate static let tags = Self(
    .texts, "Its tags. Assign a whole list, or use tag and untag.", order: "tags COLLATE NOCASE")
  fileprivate static let document = Self(.document, "The document that it shows; assign one, or nil.", isOptional: true)
  fileprivate static let note = Self(.note, "The note that it is made from.")
  fileprivate static let noteType = Self(.text, "The name of its note's type.")
  fileprivate static let guid = Self(.text, "Its identity when decks are exchanged.", order: "guid")
  fileprivate static let deck = Self(.deck, "The deck it is in.")
  fileprivate static let position = Self(.integer, "Its place in the deck; 1 is the top.")
  fileprivate static let state = Self(
    .text, "new, learning, review, relearning or suspended.",
    order: "CASE WHEN \(CardStatus.suspended.sql()) THEN 4 ELSE state END")
  /// The times that schedules from Anki can have: it counts days from any day, in both directions.
  private static let farTimes = -1e13...1e13
  fileprivate static let due = Self(
    .moment, "When it is to be studied: seconds since 1970; nil for a new card.", isOptional: true, order: "due",
    figure: .init(short: "due", help: "days from today"), planned: .number(\.due, farTimes))
  fileprivate static let interval = Self(
    .integer, "Days from its last review to its next one; nil for a card that is not learnt.", isOptional: true,
    order: "CASE WHEN \(CardStatus.review.sql()) THEN ifnull(interval, (due - last_review) / 86400) END",
    figure: .init(short: "ivl", help: "interval in days"))
  fileprivate static let stability = Self(
    .number, "Days after which it is remembered with a probability of 0.9.", isOptional: true, order: "stability",
    figure: .init(short: "s", help: "stability in days"), planned: .number(\.stability, 0.0001...1e6))
  fileprivate static let difficulty = Self(
    .number, "From 1, easy, to 10.", isOptional: true, order: "difficulty",
    figure: .init(short: "d", help: "difficulty, 1 to 10"), planned: .number(\.difficulty, 1...10))
  fileprivate static let reps = Self(
    .integer, "How many times it was answered in reviews.", order: "reps",
    figure: .init(short: "reps", help: "answers"), planned: .count(\.reps, 0...1e15))
  fileprivate static let lapses = Self(
    .integer, "How many times it was forgotten.", order: "lapses",
    figure: .init(short: "lapses", help: "times forgotten"), planned: .count(\.lapses, 0...1e15))
  fileprivate static let flag = Self(.integer, "From 1 to 7, 0 for none.", order: "flag")
  fileprivate static let buried = Self(.boolean, "Whether it is buried until tomorrow.")
  fileprivate static let created = Self(.moment, "When it was added: seconds since 1970.", order: "created")
  fileprivate static let modified = Self(
    .moment, "When its texts or marks were last changed: seconds since 1970.", order: "mod")
  fileprivate static let fields = Self(
    .record, "The fields of its note by name, as HTML, and the other `fields` that it was added with.")
  fileprivate static let retrievability = Self(
    .number, "The probability of remembering it now.", isOptional: true, isShown: false,
    figure: .init(short: "r", help: "probability of remembering now, 0 to 1"))
  fileprivate static let step = Self(
    .integer, "Which of the short steps it has reached.", isShown: false, planned: .count(\.step, 0...100))
  fileprivate static let lastReview = Self(
    .moment, "When it was last answered.", isOptional: true, isShown: false, planned: .number(\.lastReview, farTimes))
}

/// The columns of a card besides its texts.
///
///     card.value(of: .interval, at: moment)   // .integer(12), or .null
public protocol CardColumns: HidingColumns {
  var schedule: CardSchedule { get }
  var state: CardState { get }
  var flag: Int { get }
  /// Seconds since 1970.
  var created: Double { get }
  var modified: Double { get }
}

/// The columns that say whether a card is shown.
public protocol HidingColumns {
  var isSuspended: Bool { get }
  /// The card is not shown before the day that begins then, in seconds since 1970; nil for a card that is not buried.
  var buriedUntil: Double? { get }
}

extension HidingColumns {
  /// Whether the card is hidden until the next day.
  public func isBuried(at moment: StudyMoment) -> Bool { moment.isBuried(until: buriedUntil) }
  /// Whether the card is neither suspended nor buried.
  func isShown(at moment: StudyMoment) -> Bool { !isSuspended && !isBuried(at: moment) }
}

extension CardColumns {
  public var state: CardState { schedule.state }
  /// The name of the state that users and Lua see.
  public var stateName: String { isSuspended ? "suspended" : state.name }

  /// A field as plain data: null if the card has no value, nil for a field that is not in these columns.
  public func value(of property: CardProperty, at moment: StudyMoment) -> Value? {
    switch property {
    case .state: .text(stateName)
    case .due: number(schedule.due)
    case .interval: state == .review ? .integer(moment.interval(of: schedule)) : .null
    case .stability: number(schedule.stability)
    case .difficulty: number(schedule.difficulty)
    case .lastReview: number(schedule.lastReview)
    case .step: .integer(schedule.step)
    case .reps: .integer(schedule.reps)
    case .lapses: .integer(schedule.lapses)
    case .flag: .integer(flag)
    case .buried: .boolean(isBuried(at: moment))
    case .created: .number(created)
    case .modified: .number(modified)
    case .prompt, .answer, .tags, .document, .note, .noteType, .guid, .deck, .position, .fields, .retrievability: nil
    }
  }

  private func number(_ number: Double?) -> Value { number.map { .number($0) } ?? .null }
}

extension CardRecord: CardColumns {}
extension ListedCard: CardColumns {}

extension CardFieldValue {
  /// The value as plain data. JSON that cannot be parsed becomes text.
  public var plain: Value {
    switch self {
    case .text(let text): return .text(text)
    case .json(let json):
      do throws(JSONFailure) { return try JSONParser.parse(Array(json.utf8), limits: FieldText.limits) } catch {
        // A value that is too deep or too long to parse is still shown.
        return .text(json)
      }
    }
  }
}
