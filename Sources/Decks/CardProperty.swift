// What can be known of a card, field by field: the one description that Lua, lists, JSON, files and queries read.
// Invariant: a field has one name and one meaning wherever it is read. Another one is described here, and its value is
// read from the row in `CardColumns` or, where the row does not say it, by whoever knows.

/// A field that every card has.
///
///     CardProperty.due.rawValue           // "due", in Lua, in `--columns`, in JSON, in `prop:`
///     CardProperty.due.description.help   // "When it is to be studied: seconds since 1970; nil for a new card."
public enum CardProperty: String, CaseIterable, Sendable {
  // In the order in which Lua and JSON have them.
  case prompt, answer, tags, document, note
  case noteType = "note_type"
  case guid, deck, position, state, due, interval, stability, difficulty
  case lastReview = "last_review"
  case step, reps, lapses, flag, buried, created, modified, fields, retrievability

  /// What a field is, apart from its name.
  public struct Description: Sendable {
    public let kind: Kind
    /// Whether a card may be without it.
    public let isOptional: Bool
    /// A sentence for help and the reference.
    public let help: String
    /// Whether Lua, lists and JSON have it; the others are known to files or queries alone.
    public let isShown: Bool
    /// What SQLite sorts cards by; nil where nothing is sorted by it. What a card does not have comes last.
    let order: String?
    /// How queries ask for it: `prop:NAME<5`.
    public let figure: Figure?
    /// Where a schedule has it, which a file holds under the same name.
    public let planned: Planned?

    init(
      _ kind: Kind, _ help: String, isOptional: Bool = false, isShown: Bool = true, order: String? = nil,
      figure: Figure? = nil, planned: Planned? = nil
    ) {
      (self.kind, self.help, self.isOptional, self.isShown) = (kind, help, isOptional, isShown)
      (self.order, self.figure, self.planned) = (order, figure, planned)
    }
  }

  /// What its values are.
  public enum Kind: Sendable {
    case text, texts, integer, boolean
    /// A measure: lists round it to hundredths.
    case number
    /// Seconds since 1970, which lists show as a date.
    case moment
    /// Named values of any kind.
    case record
    // Objects of their own: a listing has their name.
    case document, note, deck
  }

  /// A number that queries compare.
  public struct Figure: Sendable {
    /// Another name, which is offered when one is typed.
    public let short: String
    public let help: String
  }

  /// A number of a schedule, and what it can be.
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

  // MARK: Which of them

  /// What Lua, lists and JSON have.
  public static let shown = allCases.filter(\.description.isShown)
  /// What lists are sorted by.
  public static let sorting = allCases.filter { $0.description.order != nil }
  /// What queries compare.
  public static let figures = allCases.filter { $0.description.figure != nil }
  /// What a schedule has, with where it is.
  public static let planned = allCases.compactMap { property in
    property.description.planned.map { (name: property.rawValue, place: $0) }
  }

  /// The column that queries compare as it is; nil where the figure has to be found out.
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
  fileprivate static let answer = Self(.text, "What is to be known.", order: "answer COLLATE NOCASE")
  fileprivate static let tags = Self(
    .texts, "Its tags. Assign a whole list, or use tag and untag.", order: "tags COLLATE NOCASE")
  fileprivate static let document = Self(
    .document, "The document that it shows; assign one, or nil.", isOptional: true)
  fileprivate static let note = Self(.note, "The note that it is made from.")
  fileprivate static let noteType = Self(.text, "The name of its note's type.")
  fileprivate static let guid = Self(.text, "What it is known by when decks are exchanged.", order: "guid")
  fileprivate static let deck = Self(.deck, "The deck it is in.")
  fileprivate static let position = Self(.integer, "Its place in the deck; 1 is the top.")
  fileprivate static let state = Self(
    .text, "new, learning, review, relearning or suspended.",
    order: "CASE WHEN \(CardStatus.suspended.sql()) THEN 4 ELSE state END")
  fileprivate static let due = Self(
    .moment, "When it is to be studied: seconds since 1970; nil for a new card.", isOptional: true, order: "due",
    figure: .init(short: "due", help: "days from today"), planned: .number(\.due, 0...1e11))
  fileprivate static let interval = Self(
    .integer, "Days from its last review to its next one; nil for a card that is not learnt.", isOptional: true,
    order: "CASE WHEN \(CardStatus.review.sql()) THEN due - last_review END",
    figure: .init(short: "ivl", help: "interval in days"))
  fileprivate static let stability = Self(
    .number, "Days after which it is remembered with a probability of 0.9.", isOptional: true, order: "stability",
    figure: .init(short: "s", help: "stability in days"), planned: .number(\.stability, 0.0001...1e6))
  fileprivate static let difficulty = Self(
    .number, "From 1, easy, to 10.", isOptional: true, order: "difficulty",
    figure: .init(short: "d", help: "difficulty, 1 to 10"), planned: .number(\.difficulty, 1...10))
  fileprivate static let reps = Self(
    .integer, "How many times it was answered in reviews.", order: "reps",
    figure: .init(short: "reps", help: "answers"),
    planned: .count(\.reps, 0...1e6))
  fileprivate static let lapses = Self(
    .integer, "How many times it was forgotten.", order: "lapses",
    figure: .init(short: "lapses", help: "times forgotten"), planned: .count(\.lapses, 0...1e6))
  fileprivate static let flag = Self(.integer, "From 1 to 7, 0 for none.", order: "flag")
  fileprivate static let buried = Self(.boolean, "Whether it waits until tomorrow.")
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
    .moment, "When it was last answered.", isOptional: true, isShown: false, planned: .number(\.lastReview, 0...1e11))
}
