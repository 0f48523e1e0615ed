// A card as it is stored, and a card that is to be added.
// Invariant: a record is a copy of one row at one moment; nothing in it refers back to the database.

public import Memory
public import Problems
import Text
public import Values

/// The id of a card. An id is never used again for another card.
public struct CardID: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A value of a card that has no meaning to Deckhand itself.
public enum CardFieldValue: Equatable, Sendable {
  case text(String)
  /// Any JSON value except a string, as it was written: `12.50`, `true`, `[1,2]`.
  case json(String)

  /// Creates a value from a JSON value of a file or a column.
  public init(_ piece: JSONPiece) {
    switch piece {
    case .text(let text): self = .text(text)
    case .json(let json): self = .json(json)
    }
  }

  /// The value as a table shows it: the text, or the JSON as it was written.
  public var written: String {
    switch self {
    case .text(let text), .json(let text): text
    }
  }
}

/// A named value that is stored with a card and has no meaning to Deckhand.
public struct CardField: Equatable, Sendable {
  /// Names that have a meaning of their own in files, so no field may have them.
  public static let reservedNames: Set<String> = ["prompt", "answer", "tags", "guid", "document", "subdeck"]

  /// The most fields that a card may have: finding one among more would take too long.
  public static let limit = 1000

  public var name: String
  public var value: CardFieldValue

  public init(_ name: String, _ value: CardFieldValue) { (self.name, self.value) = (name, value) }
}

public enum CardState: Int64, Sendable, CaseIterable {
  case new = 0
  case learning = 1
  case review = 2
  case relearning = 3

  init(stored number: Int64) { self = CardState(rawValue: number) ?? .new }

  public var name: String {
    switch self {
    case .new: "new"
    case .learning: "learning"
    case .review: "review"
    case .relearning: "relearning"
    }
  }
}

public struct CardSchedule: Equatable, Sendable {
  public var state: CardState = .new
  /// The short step that a card being learnt has reached, from 0.
  public var step = 0
  /// Seconds since 1970; nil for a new card.
  public var due: Double? { didSet { if due != oldValue { interval = nil } } }
  /// The days that a learnt card was given with its due day; nil: those from the last answer to that day. They may
  /// differ when the day was set by hand, or in another time zone.
  public var interval: Int?
  /// Days after which the card is remembered with a probability of 0.9; nil for a new card.
  public var stability: Double?
  /// From 1 (easy) to 10; nil for a new card.
  public var difficulty: Double?
  /// Answers given in review sessions.
  public var reps = 0
  /// How often the card was forgotten after it had been learnt.
  public var lapses = 0
  /// The time of the last answer, in seconds since 1970.
  public var lastReview: Double?
  /// What predicts the card besides FSRS-6, if FSRS-6 does not schedule it alone. It is read from the log when the card
  /// is answered, and not stored.
  public var timed: TimedMemory?

  public init() {}

  /// The interval in a column. In a damaged file it may be any number.
  static func interval(_ column: Double?) -> Int? { column.flatMap { (0...1e6).contains($0) ? Int($0) : nil } }

  /// The interval that a card which is learnt again will have: as it was given, or else its stability.
  public static func lapsedInterval(_ given: Int?, stability: Double?) -> Int {
    given ?? Int(min(36_500, max(1, stability ?? 1)).rounded())
  }

  /// Checks a schedule that comes from elsewhere.
  /// - Throws: `badOption`, which names the value that is not valid.
  public func check() throws(DeckError) {
    for (name, place) in CardProperty.planned {
      let (number, range): (Double?, ClosedRange<Double>) =
        switch place {
        case .number(let path, let range): (self[keyPath: path], range)
        case .count(let path, let range): (Double(self[keyPath: path]), range)
        }
      if let number, !range.contains(number) { throw .outOfRange("schedule.\(name)", range) }
    }
    if let interval, Self.interval(Double(interval)) == nil { throw .outOfRange("schedule.interval", 0...1e6) }
    let hasMemory = due != nil && stability != nil && difficulty != nil
    if state != .new, !hasMemory {
      throw .badOption(name: "schedule", reason: "must have due, stability and difficulty for a card that is not new")
    }
    if state == .new, due != nil || stability != nil || difficulty != nil {
      throw .badOption(name: "schedule", reason: "must not have due, stability or difficulty for a new card")
    }
  }
}

public struct CardRecord: Equatable, Sendable {
  public let id: CardID
  public let deck: DeckID
  public let guid: String
  public let prompt: String
  public let answer: String
  public let tags: [String]
  public let fields: [CardField]
  public let document: String?
  /// Seconds since 1970.
  public let created: Double
  public let modified: Double
  public let isSuspended: Bool
  public let schedule: CardSchedule
  public let note: NoteID
  /// The card's index among the cards of its note, from 0: the index of its template, or the number of its cloze less
  /// 1.
  public let ordinal: Int
  /// From 1 to 7; 0 for no flag.
  public let flag: Int
  /// The card is not shown before the day that begins then, in seconds since 1970; nil for a card that is not buried.
  public let buriedUntil: Double?

  public var due: Double? { schedule.due }
  public var stability: Double? { schedule.stability }
  public var difficulty: Double? { schedule.difficulty }
  public var reps: Int { schedule.reps }
  public var lapses: Int { schedule.lapses }
}

/// A card to be added. Its texts are checked and trimmed when it is added.
public struct NewCard: Equatable, Sendable {
  public var prompt: String
  public var answer: String
  public var tags: [String]
  /// If it is nil or empty, a guid is made.
  public var guid: String?
  public var fields: [CardField]
  public var document: String?

  public init(
    prompt: String, answer: String, tags: [String] = [], guid: String? = nil, fields: [CardField] = [],
    document: String? = nil
  ) {
    (self.prompt, self.answer, self.tags) = (prompt, answer, tags)
    (self.guid, self.fields, self.document) = (guid, fields, document)
  }
}

public enum OnDuplicate: String, Sendable, CaseIterable { case skip, update, error }

public enum AddOutcome: Equatable, Sendable { case added, updated, skipped, rejected }

/// A card of a batch that was refused.
public struct Rejection: Equatable, Sendable {
  /// The number of the card in the batch, or of the data row in the file, from 1.
  public let index: Int
  /// The location of the row in its file; nil outside an import.
  public let place: RowPlace?
  public let code: ProblemCode
  public let message: String

  /// The line of the file on which the row begins; nil outside an import.
  public var line: Int? { place?.line }

  public init(index: Int, place: RowPlace? = nil, code: ProblemCode, message: String) {
    (self.index, self.place, self.code, self.message) = (index, place, code, message)
  }

  var value: Value {
    var fields: [(String, Value)] = [("index", .integer(index))]
    if let line { fields.append(("line", .integer(line))) }
    if let column = place?.column { fields.append(("column", .integer(column))) }
    if let file = place?.file { fields.append(("path", .text(file))) }
    return .record(fields + [("code", .text(code.rawValue)), ("message", .text(message))])
  }
}

public struct RowPlace: Equatable, Sendable {
  public let line: Int
  /// For an element of a JSON list, because a line may hold several: the column in characters, 0 if it is not known,
  /// and the number of the element, from 1.
  public let column: Int?
  public let element: Int?
  /// The place in a format without lines, as its reader names it: `note 5`.
  public let part: String?
  /// The name of the file, if the import reads several.
  public let file: String?

  public init(line: Int, column: Int? = nil, element: Int? = nil, part: String? = nil, file: String? = nil) {
    (self.line, self.column, self.element) = (line, column, element)
    (self.part, self.file) = (part.map { printable($0, limit: 100) }, file)
  }

  /// The location as a list of refused rows shows it: `line 17`, `element 3 (line 1, column 40)`, `b.csv, line 2`.
  public var inWords: String {
    let start = file.map { "\($0), " } ?? ""
    if let part { return start + part }
    guard let element, let column else { return "\(start)line \(line)" }
    return "\(start)element \(element)" + (column > 0 ? " (line \(line), column \(column))" : "")
  }

  /// The location as it follows a file name: `17`, `1:40: element 3`.
  public var inFile: String {
    if let part { return part }
    guard let element, let column else { return "\(line)" }
    return (column > 0 ? "\(line):\(column): " : "") + "element \(element)"
  }
}

public struct AddReport: Equatable, Sendable {
  public var added = 0
  public var updated = 0
  public var skipped = 0
  /// The first 1,000 cards that were refused.
  public var rejected: [Rejection] = []
  public var rejectedCount = 0
  /// What a file had that cannot be stored, one line each.
  public var lost: [String] = []
  /// Why answers are left out that a file has of earlier cards.
  public static let wereThere = ", because the cards were there already"

  public init() {}

  /// Whether there were rows and all of them were refused.
  public var isRefused: Bool { rejectedCount > 0 && added + updated + skipped == 0 }

  /// Counts one card that was not refused; `reject` counts the others.
  public mutating func count(_ outcome: AddOutcome) {
    switch outcome {
    case .added: added += 1
    case .updated: updated += 1
    case .skipped: skipped += 1
    case .rejected: break
    }
  }

  /// Adds the counts of another report, whose rows came later.
  public mutating func add(_ other: AddReport) {
    (added, updated, skipped) = (added + other.added, updated + other.updated, skipped + other.skipped)
    rejectedCount += other.rejectedCount
    rejected += other.rejected.prefix(max(0, 1000 - rejected.count))
    lost += other.lost
  }

  /// Counts a card that was refused, and lists it if it is among the first 1,000.
  public mutating func reject(_ rejection: Rejection) {
    rejectedCount += 1
    if rejected.count < 1000 { rejected.append(rejection) }
  }

  /// Names what a file had that cannot be stored, with the reason, unless the count is 0.
  public mutating func lose(_ count: Int, _ noun: String, _ reason: String) {
    if count > 0 { lost.append(counted(count, noun) + reason) }
  }

  public var fields: [(String, Value)] {
    var fields: [(String, Value)] = [
      ("added", .integer(added)), ("updated", .integer(updated)), ("skipped", .integer(skipped)),
      ("rejected_count", .integer(rejectedCount)), ("rejected", .list(rejected.map(\.value))),
    ]
    if !lost.isEmpty { fields.append(("lost", .list(lost.map { .text($0) }))) }
    return fields
  }

  public var value: Value { .record(fields) }
}
