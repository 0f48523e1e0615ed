// The result of a command: a value for programs (`--json`, `shell.run`), and a way to display it to people.
// Invariant: the answer alone contains everything; the display adds words and order, never facts.

public import Values

/// The result of a command for programs.
///
///     CommandResult(.value(.integer(3)), line: "3 cards.")
///     CommandResult(.objects(cards), .table(table))
public enum CommandAnswer {
  /// Plain data; null means no answer.
  case value(Value)
  /// A bound object; `--json` shows the record of its fields.
  case object(AnyObject)
  /// Evaluated when it is needed: a command may have changed a million objects.
  case objects(@autoclosure () -> [AnyObject])

  /// Values that are nested deeper are written as null.
  static let deepest = 32

  /// The answer as plain data. `record` returns the record of a bound object.
  public func value(record: (AnyObject) -> Value) -> Value {
    switch self {
    case .value(let value): value
    case .object(let object): record(object)
    case .objects(let objects): .list(objects().map(record))
    }
  }

  /// The lines that `--json` prints: a list as one value per line, no value as no line.
  public func jsonLines(record: (AnyObject) -> Value) -> [String] {
    switch value(record: record) {
    case .null: []
    case .list(let items): items.map { $0.json(deepest: Self.deepest) }
    case let value: [value.json(deepest: Self.deepest)]
    }
  }
}

/// A table as data; the terminal aligns it and truncates it to its width.
///
///     TableText([.init("Deck"), .init("Cards", .right)], rows: [["Spanish", "12"]])
public struct TableText: Equatable, Sendable {
  public enum Alignment: Sendable { case left, right }

  /// What becomes of a cell without enough room: it loses its end, or its middle (a file name), it goes on in the
  /// next line (an explanation), or its column is left out (a date).
  public enum Fit: Sendable { case cut, middle, wraps, whole }

  public struct Column: Equatable, Sendable, ExpressibleByStringLiteral {
    public let title: String
    public let alignment: Alignment
    /// Whether its cells are names that people type; these are never truncated.
    public let isTyped: Bool
    /// Whether people list the rows for its cells: on a narrow terminal the other columns make room for it.
    public let isMain: Bool
    public let fit: Fit
    /// Whether its cells are never truncated, as those of numbers.
    public var isWhole: Bool { fit == .whole || alignment == .right }

    public init(
      _ title: String, _ alignment: Alignment = .left, isTyped: Bool = false, isMain: Bool = false, fit: Fit = .cut
    ) {
      (self.title, self.alignment, self.isTyped, self.isMain, self.fit) = (title, alignment, isTyped, isMain, fit)
    }

    public init(stringLiteral title: String) { self.init(title) }

    public static func number(_ title: String) -> Column { Column(title, .right) }
    public static func name(_ title: String) -> Column { Column(title, isTyped: true) }
    public static func main(_ title: String) -> Column { Column(title, isMain: true) }
    public static func words(_ title: String) -> Column { Column(title, fit: .wraps) }
    public static func whole(_ title: String) -> Column { Column(title, fit: .whole) }
  }

  public let columns: [Column]
  /// A row that is too short is padded with empty cells, one that is too long is truncated.
  public let rows: [[String]]
  /// Shown in place of a table without rows.
  public let whenEmpty: String

  public init(_ columns: [Column], rows: [[String]] = [], whenEmpty: String = "") {
    (self.columns, self.rows, self.whenEmpty) = (columns, rows, whenEmpty)
  }
}

/// How a result is displayed to people.
public indirect enum Display: Equatable, Sendable {
  case none
  case lines([String])
  case table(TableText)
  /// Lines that are ready for the terminal, with their colours; user text in them is already printable.
  case drawn([String])
  /// The fields of one object; no value is truncated.
  case fields([Field])
  case parts([Display])
  /// A display with a title above it and, on a screen, facts beside the title and text for people below.
  case page(Page)

  public struct Page: Equatable, Sendable {
    public let title: String
    /// The state in words, to the right of the title if there is room.
    public let facts: [String]
    public let body: Display
    /// What the user can do next, in pieces separated by three spaces.
    public let foot: String

    public init(_ body: Display, title: String = "", facts: [String] = [], foot: String = "") {
      (self.body, self.title, self.facts, self.foot) = (body, title, facts, foot)
    }
  }

  public struct Field: Equatable, Sendable {
    public let name: String
    public let value: String
    /// Whether the value is lines that are ready for the terminal.
    public let isDrawn: Bool

    public init(_ name: String, _ value: String, isDrawn: Bool = false) {
      (self.name, self.value, self.isDrawn) = (name, value, isDrawn)
    }
  }
}

public struct CommandResult {
  public let answer: CommandAnswer
  public let display: Display
  /// The exit status of a command that answers a question by it, or that did only a part; 0 for all others.
  public var status: Int32 = 0

  public init(_ answer: CommandAnswer, _ display: Display = .none) { (self.answer, self.display) = (answer, display) }

  public init(_ value: Value = .null, _ display: Display = .none, status: Int32 = 0) {
    self.init(.value(value), display)
    self.status = status
  }

  public init(_ answer: CommandAnswer, line: String) { self.init(answer, .lines([line])) }

  public init(_ value: Value, line: String) { self.init(.value(value), line: line) }

  /// Creates a list: of each item, a record for programs and a row of a table for people.
  public init<Item>(
    listing items: [Item], _ columns: [TableText.Column], whenEmpty: String = "",
    record: (Item) throws -> KeyValuePairs<String, (any FieldValue)?>, row: (Item) throws -> [String]
  ) rethrows {
    let table = TableText(columns, rows: try items.map(row), whenEmpty: whenEmpty)
    self.init(.list(try items.map { .record(try record($0)) }), .table(table))
  }
}
