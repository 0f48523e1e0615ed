// What a command answers: a value for programs (`--json`, `shell.run`) and a way to show it to people.
// Invariant: the value alone says everything; the display adds words and order, never facts.

import Problems
import Values

public indirect enum CommandValue {
  case none
  case text(String)
  case integer(Int)
  case number(Double)
  case boolean(Bool)
  case list([CommandValue])
  case record([(String, CommandValue)])
  /// A bound object; the shell turns it into a record of its fields.
  case thing(AnyObject)
}

extension CommandValue: Equatable {
  public static func == (left: CommandValue, right: CommandValue) -> Bool {
    switch (left, right) {
    case (.none, .none): true
    case (.text(let a), .text(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.boolean(let a), .boolean(let b)): a == b
    case (.list(let a), .list(let b)): a == b
    case (.record(let a), .record(let b)): a.count == b.count && zip(a, b).allSatisfy { $0 == $1 }
    case (.thing(let a), .thing(let b)): a === b
    default: false
    }
  }
}

extension CommandValue {
  /// Deeper values are written as null: a thing whose fields lead back to it must not run for ever.
  static let deepest = 32

  /// One line of JSON. `expand` gives the record of a bound object.
  public func json(expand: (AnyObject) -> CommandValue) -> String { json(depth: 0, expand) }

  /// What `--json` prints: a list as one value a line, no value as no line.
  public func jsonLines(expand: (AnyObject) -> CommandValue) -> [String] {
    switch self {
    case .none: []
    case .list(let items): items.map { $0.json(expand: expand) }
    default: [json(expand: expand)]
    }
  }

  private func json(depth: Int, _ expand: (AnyObject) -> CommandValue) -> String {
    guard depth < Self.deepest else { return "null" }
    switch self {
    case .none: return "null"
    case .text(let text): return JSONText.string(text)
    case .integer(let number): return JSONText.integer(number)
    case .number(let number): return JSONText.number(number)
    case .boolean(let flag): return JSONText.boolean(flag)
    case .list(let items): return JSONText.array(items.map { $0.json(depth: depth + 1, expand) })
    case .record(let fields): return JSONText.object(fields.map { ($0, $1.json(depth: depth + 1, expand)) })
    case .thing(let object): return expand(object).json(depth: depth + 1, expand)
    }
  }
}

/// A table as data; the terminal aligns it and cuts it to its width.
public struct TableText: Equatable, Sendable {
  public enum Alignment: Sendable { case left, right }

  public struct Column: Equatable, Sendable {
    public let title: String
    public let alignment: Alignment

    public init(_ title: String, _ alignment: Alignment = .left) {
      (self.title, self.alignment) = (title, alignment)
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
public indirect enum Display: Equatable, Sendable {
  case none
  case lines([String])
  case table(TableText)
  /// All there is to one thing: nothing of a value is cut.
  case fields([Field])
  /// One after the other.
  case parts([Display])

  public struct Field: Equatable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }
}

public struct CommandResult {
  public let value: CommandValue
  public let display: Display

  public init(_ value: CommandValue = .none, _ display: Display = .none) {
    (self.value, self.display) = (value, display)
  }

  /// A value shown as one line.
  public init(_ value: CommandValue, line: String) { self.init(value, .lines([line])) }
}
