// What can be known about a card, field by field: the single description that Lua, lists, JSON, files and queries use.
// Invariant: a field has the same name and meaning everywhere. A new field is described here. Its value is read from
// the row in `CardColumns`, or, if it is not in the row, by the code that knows it.

public import Values

/// A field that every card has.
public enum CardProperty: String, CaseIterable, Sendable {
  // In the order in which Lua and JSON show them.
  case prompt, answer, tags, document, note
  case noteType = "note_type"
  case guid, deck, position, state, due, interval, stability, difficulty
  case lastReview = "last_review"
  case step, reps, lapses, flag, buried, created, modified, fields, retrievability

  public struct Description: Sendable {
    public let kind: Kind
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

  /// The times that schedules from Anki can have: it counts days from any day, in both directions.
  package static let farTimes = -1e13...1e13

  public var description: Description {
    switch self {
    case .prompt: Description(.text, "What is asked.", order: "prompt COLLATE NOCASE")
    case .answer: Description(.text, "What the answer should be.", order: "answer COLLATE NOCASE")
    case .tags:
      Description(.texts, "Its tags. Assign a whole list, or use tag and untag.", order: "tags COLLATE NOCASE")
    case .document: Description(.document, "The document that it shows; assign one, or nil.", isOptional: true)
    case .note: Description(.note, "The note that it is made from.")
    case .noteType: Description(.text, "The name of its note's type.")
    case .guid: Description(.text, "Its identity when decks are exchanged.", order: "guid")
    case .deck: Description(.deck, "The deck it is in.")
    case .position: Description(.integer, "Its place in the deck; 1 is the top.")
    case .state:
      Description(
        .text, "new, learning, review, relearning or suspended.",
        order: "CASE WHEN \(CardStatus.suspended.sql()) THEN 4 ELSE state END")
    case .due:
      Description(
        .moment, "When it is to be studied: seconds since 1970; nil for a new card.", isOptional: true, order: "due",
        figure: .init(short: "due", help: "days from today"), planned: .number(\.due, Self.farTimes))
    case .interval:
      Description(
        .integer, "Days from its last review to its next one; nil for a card that is not learnt.", isOptional: true,
        order: "CASE WHEN \(CardStatus.review.sql()) THEN ifnull(interval, (due - last_review) / 86400) END",
        figure: .init(short: "ivl", help: "interval in days"))
    case .stability:
      Description(
        .number, "Days after which it is remembered with a probability of 0.9.", isOptional: true, order: "stability",
        figure: .init(short: "s", help: "stability in days"), planned: .number(\.stability, 0.0001...1e6))
    case .difficulty:
      Description(
        .number, "From 1, easy, to 10.", isOptional: true, order: "difficulty",
        figure: .init(short: "d", help: "difficulty, 1 to 10"), planned: .number(\.difficulty, 1...10))
    case .lastReview:
      Description(
        .moment, "When it was last answered.", isOptional: true, isShown: false,
        planned: .number(\.lastReview, Self.farTimes))
    case .step:
      Description(
        .integer, "Which of the short steps it has reached.", isShown: false, planned: .count(\.step, 0...100))
    case .reps:
      Description(
        .integer, "How many times it was answered in reviews.", order: "reps",
        figure: .init(short: "reps", help: "answers"), planned: .count(\.reps, 0...1e15))
    case .lapses:
      Description(
        .integer, "How many times it was forgotten.", order: "lapses",
        figure: .init(short: "lapses", help: "times forgotten"), planned: .count(\.lapses, 0...1e15))
    case .flag: Description(.integer, "From 1 to 7, 0 for none.", order: "flag")
    case .buried: Description(.boolean, "Whether it is buried until tomorrow.")
    case .created: Description(.moment, "When it was added: seconds since 1970.", order: "created")
    case .modified: Description(.moment, "When its texts or marks were last changed: seconds since 1970.", order: "mod")
    case .fields:
      Description(.record, "The fields of its note by name, as HTML, and the other `fields` that it was added with.")
    case .retrievability:
      Description(
        .number, "The probability of remembering it now.", isOptional: true, isShown: false,
        figure: .init(short: "r", help: "probability of remembering now, 0 to 1"))
    }
  }

  public static let shown = allCases.filter(\.description.isShown)
  public static let sorting = allCases.filter { $0.description.order != nil }
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

/// The columns of a card besides its texts.
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
