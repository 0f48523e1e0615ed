// A card as it is kept, and as it is given to be added.
// Invariant: a record is a copy of one row at one moment; nothing in it reaches back into the database.

public import Memory
public import Problems
public import Values

/// Which card: never used again for another one.
///
///     try CardTable.card(db, CardID(rawValue: 7))?.prompt
public struct CardID: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A value of a card that Deckhand itself gives no meaning.
///
///     [CardFieldValue.text("verb"), .json("[1,2]")]
public enum CardFieldValue: Equatable, Sendable {
  case text(String)
  /// Any JSON value but a string, as it was written: `12.50`, `true`, `[1,2]`.
  case json(String)

  /// A value of a file or a column.
  public init(_ piece: JSONPiece) {
    switch piece {
    case .text(let text): self = .text(text)
    case .json(let json): self = .json(json)
    }
  }

  /// As a table has it: the text, or the JSON as it was written.
  public var written: String {
    switch self {
    case .text(let text), .json(let text): text
    }
  }
}

/// A named value that a card keeps beside what Deckhand understands.
///
///     CardField("source", .text("corpus.txt"))
public struct CardField: Equatable, Sendable {
  /// Names with a meaning of their own in files, which no field may have.
  public static let reservedNames: Set<String> = ["prompt", "answer", "tags", "guid", "document", "subdeck"]

  /// Fields that a card may have: looking for one among more would take for ever.
  public static let limit = 1000

  public var name: String
  public var value: CardFieldValue

  public init(_ name: String, _ value: CardFieldValue) {
    self.name = name
    self.value = value
  }
}

/// How far a card has come in its schedule. The raw value is what the database keeps.
///
///     CardState.relearning.name   // "relearning"
public enum CardState: Int64, Sendable, CaseIterable {
  case new = 0
  case learning = 1
  case review = 2
  case relearning = 3

  /// As a row has it.
  init(stored number: Int64) { self = CardState(rawValue: number) ?? .new }

  /// As users and Lua see it.
  public var name: String {
    switch self {
    case .new: "new"
    case .learning: "learning"
    case .review: "review"
    case .relearning: "relearning"
    }
  }
}

/// A card's place in the schedule of reviews.
///
///     CardSchedule().state   // .new: never studied
public struct CardSchedule: Equatable, Sendable {
  public var state: CardState = .new
  /// Which of the short steps a card that is being learnt has reached, from 0.
  public var step = 0
  /// Seconds since 1970; nil for a new card.
  public var due: Double?
  /// Days after which it is remembered with a probability of 0.9; nil for a new card.
  public var stability: Double?
  /// From 1 (easy) to 10; nil for a new card.
  public var difficulty: Double?
  /// Answers given in review sessions.
  public var reps = 0
  /// Times it was forgotten after it had been learnt.
  public var lapses = 0
  /// Seconds since 1970 of the last answer.
  public var lastReview: Double?
  /// By FSRS-7, where that schedules; it is read from the log when the card is answered, and not stored.
  public var timed: TimedMemory?

  public init() {}

  /// Whether a schedule from elsewhere can be one.
  /// - Throws: `badOption` that names what cannot be.
  public func check() throws(DeckError) {
    for (name, place) in CardProperty.planned {
      let (number, range): (Double?, ClosedRange<Double>) =
        switch place {
        case .number(let path, let range): (self[keyPath: path], range)
        case .count(let path, let range): (Double(self[keyPath: path]), range)
        }
      if let number, !range.contains(number) {
        throw .badOption(name: "schedule.\(name)", reason: "must be from \(range.lowerBound) to \(range.upperBound)")
      }
    }
    let hasMemory = due != nil && stability != nil && difficulty != nil
    if state != .new, !hasMemory {
      throw .badOption(name: "schedule", reason: "must have due, stability and difficulty for a card that is not new")
    }
    if state == .new, due != nil || stability != nil || difficulty != nil {
      throw .badOption(name: "schedule", reason: "has no due, stability or difficulty for a new card")
    }
  }
}

/// A card as it was when it was read.
///
///     let record = try CardTable.cards(db, ids: ids)[0]
///     print(record.prompt, record.answer, record.reps)
public struct CardRecord: Equatable, Sendable {
  public let id: CardID
  public let deck: DeckID
  public let guid: String
  public let prompt: String
  public let answer: String
  public let tags: [String]
  public let fields: [CardField]
  /// The id of the document that the card shows.
  public let document: String?
  /// Seconds since 1970.
  public let created: Double
  public let modified: Double
  public let isSuspended: Bool
  public let schedule: CardSchedule
  /// What the card is made from.
  public let note: NoteID
  /// Its place among the note's cards, from 0: the card's template, or the number of its cloze less 1.
  public let ordinal: Int
  /// From 1 to 7, 0 for none.
  public let flag: Int
  /// Seconds since 1970 until which it is not shown; nil for a card that is not buried.
  public let buriedUntil: Double?

  public var due: Double? { schedule.due }
  public var stability: Double? { schedule.stability }
  public var difficulty: Double? { schedule.difficulty }
  public var reps: Int { schedule.reps }
  public var lapses: Int { schedule.lapses }
}

/// A card to be added. Texts are checked and trimmed when it is.
///
///     NewCard(prompt: "el gato", answer: "the cat", tags: ["animals"])
public struct NewCard: Equatable, Sendable {
  public var prompt: String
  public var answer: String
  public var tags: [String]
  /// nil or empty: one is made.
  public var guid: String?
  public var fields: [CardField]
  public var document: String?

  public init(
    prompt: String, answer: String, tags: [String] = [], guid: String? = nil, fields: [CardField] = [],
    document: String? = nil
  ) {
    self.prompt = prompt
    self.answer = answer
    self.tags = tags
    self.guid = guid
    self.fields = fields
    self.document = document
  }
}

/// What to do with a card that is in the deck already.
///
///     options.onDuplicate = .update   // the card that is there takes the new answer
public enum OnDuplicate: String, Sendable, CaseIterable {
  case skip, update, error
}

/// What became of one card of a batch.
///
///     if try batch.add(card) == .skipped { ... }   // it was there already
public enum AddOutcome: Equatable, Sendable {
  case added, updated, skipped, rejected
}

/// One card of a batch that was refused.
///
///     for one in report.rejected { print(one.index, one.code.rawValue, one.message) }
public struct Rejection: Equatable, Sendable {
  /// 1 is the first card of the batch, or the first row of data of a file.
  public let index: Int
  /// The row's place in the file; nil outside an import.
  public let place: RowPlace?
  public let code: ProblemCode
  public let message: String

  /// The line of the file that the row begins at; nil outside an import.
  public var line: Int? { place?.line }

  public init(index: Int, place: RowPlace? = nil, code: ProblemCode, message: String) {
    (self.index, self.place, self.code, self.message) = (index, place, code, message)
  }
}

/// Where a row begins in its file.
///
///     report.rejected[0].place?.inWords   // "line 17", or "element 3 (line 1, column 40)"
public struct RowPlace: Equatable, Sendable {
  public let line: Int
  /// Of an element of a list (JSON), which of its line's it may be: the column, in characters from 1, and its number,
  /// from 1.
  public let column: Int?
  public let element: Int?
  /// The file's name, where there are several.
  public let file: String?

  public init(line: Int, column: Int? = nil, element: Int? = nil, file: String? = nil) {
    (self.line, self.column, self.element, self.file) = (line, column, element, file)
  }

  /// As a list of refused rows names it: `line 17`, `element 3 (line 1, column 40)`, `b.csv, line 2`.
  public var inWords: String {
    let start = file.map { "\($0), " } ?? ""
    guard let element, let column else { return "\(start)line \(line)" }
    return "\(start)element \(element) (line \(line), column \(column))"
  }

  /// As it follows a file's name: `17`, `1:40: element 3`.
  public var inFile: String {
    guard let element, let column else { return "\(line)" }
    return "\(line):\(column): element \(element)"
  }
}

/// What a batch did.
///
///     let report = batch.finish()
///     print(report.added, report.updated, report.skipped, report.rejectedCount)
public struct AddReport: Equatable, Sendable {
  public var added = 0
  public var updated = 0
  public var skipped = 0
  /// The first 1,000 that were refused.
  public var rejected: [Rejection] = []
  /// All that were refused.
  public var rejectedCount = 0
  /// What a file had that cannot be kept, a line each.
  public var lost: [String] = []

  public init() {}

  /// Whether there were rows, and every one of them was refused.
  public var isRefused: Bool { rejectedCount > 0 && added + updated + skipped == 0 }

  /// Refused ones are counted by `reject`.
  public mutating func count(_ outcome: AddOutcome) {
    switch outcome {
    case .added: added += 1
    case .updated: updated += 1
    case .skipped: skipped += 1
    case .rejected: break
    }
  }

  /// Adds what another one counted, whose rows came after.
  public mutating func add(_ other: AddReport) {
    (added, updated, skipped) = (added + other.added, updated + other.updated, skipped + other.skipped)
    rejectedCount += other.rejectedCount
    rejected += other.rejected.prefix(max(0, 1000 - rejected.count))
    lost += other.lost
  }

  /// Counts one that was refused, and lists it among the first 1,000.
  public mutating func reject(_ rejection: Rejection) {
    rejectedCount += 1
    if rejected.count < 1000 { rejected.append(rejection) }
  }
}
