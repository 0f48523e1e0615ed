// What a command answers: a value for programs (`--json`, `shell.run`) and a way to show it to people.
// Invariant: the answer alone says everything; the display adds words and order, never facts.

public import Values

/// What a command answers to programs.
///
///     CommandResult(.value(.integer(3)), line: "3 cards.")
///     CommandResult(.objects(cards), .table(table))
public enum CommandAnswer {
  /// Plain data; null is no answer.
  case value(Value)
  /// A bound object; `--json` shows the record of its fields.
  case object(AnyObject)
  case objects([AnyObject])
}

extension CommandAnswer {
  /// Deeper values are written as null.
  static let deepest = 32

  /// The answer as plain data. `record` gives the record of a bound object.
  public func value(record: (AnyObject) -> Value) -> Value {
    switch self {
    case .value(let value): value
    case .object(let object): record(object)
    case .objects(let objects): .list(objects.map(record))
    }
  }

  /// What `--json` prints: a list as one value a line, no value as no line.
  public func jsonLines(record: (AnyObject) -> Value) -> [String] {
    switch value(record: record) {
    case .null: []
    case .list(let items): items.map { $0.json(deepest: Self.deepest) }
    case let value: [value.json(deepest: Self.deepest)]
    }
  }
}

/// A table as data; the terminal aligns it and cuts it to its width.
///
///     TableText([.init("Deck"), .init("Cards", .right)], rows: [["Spanish", "12"]])
public struct TableText: Equatable, Sendable {
  public enum Alignment: Sendable { case left, right }

  public struct Column: Equatable, Sendable {
    public let title: String
    public let alignment: Alignment
    /// Its cells are names that people type: none is ever cut.
    public let isTyped: Bool

    public init(_ title: String, _ alignment: Alignment = .left, isTyped: Bool = false) {
      (self.title, self.alignment, self.isTyped) = (title, alignment, isTyped)
    }
  }

  public let columns: [Column]
  /// A row that is too short is filled with blanks, one that is too long is cut.
  public private(set) var rows: [[String]]
  /// Stands in place of a table without rows.
  public let whenEmpty: String

  public init(_ columns: [Column], rows: [[String]] = [], whenEmpty: String = "") {
    (self.columns, self.rows, self.whenEmpty) = (columns, rows, whenEmpty)
  }

  public mutating func add(_ row: [String]) { rows.append(row) }
}

/// How people see a result.
///
///     Display.parts([.lines(["Two decks:"]), .table(table)])
public indirect enum Display: Equatable, Sendable {
  case none
  case lines([String])
  case table(TableText)
  /// Lines that are ready for the terminal, with their colours: whatever the user wrote in them is printable.
  case drawn([String])
  /// All there is to one thing: nothing of a value is cut.
  case fields([Field])
  /// One after the other.
  case parts([Display])
  /// With a title above and words for people below, which a pipe does not get.
  case page(Page)

  /// The parts of a page.
  public struct Page: Equatable, Sendable {
    public let title: String
    /// The state in words, at the title's right where there is room.
    public let facts: [String]
    public let body: Display
    /// What could be done next, in pieces that stand apart by three blanks.
    public let foot: String

    public init(_ body: Display, title: String = "", facts: [String] = [], foot: String = "") {
      (self.body, self.title, self.facts, self.foot) = (body, title, facts, foot)
    }
  }

  public struct Field: Equatable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }
}

/// What a command answers, and how it is shown.
///
///     CommandResult(.integer(3), line: "3 cards.")
public struct CommandResult {
  public let answer: CommandAnswer
  public let display: Display
  /// The exit status of a command that answers a question by it; 0 for any other.
  public var status: Int32 = 0

  public init(_ answer: CommandAnswer, _ display: Display = .none) {
    (self.answer, self.display) = (answer, display)
  }

  public init(_ value: Value = .null, _ display: Display = .none) { self.init(.value(value), display) }

  /// An answer shown as one line.
  public init(_ answer: CommandAnswer, line: String) { self.init(answer, .lines([line])) }

  public init(_ value: Value, line: String) { self.init(.value(value), line: line) }
}
