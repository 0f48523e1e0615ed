// Plain data: results of commands, settings, JSON. One type for the whole program. Invariant: a value is an independent
// copy; integers are exact; a number that the program computes is finite.

/// A plain value.
///
///     let row: Value = .record([("name", .text("Spanish")), ("cards", .integer(12))])
///     row.json                        // {"name": "Spanish", "cards": 12}
///     row.record?["cards"]?.integer   // 12
public enum Value: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  /// A number with a fraction, or one that no `Int` can represent.
  case number(Number)
  case text(String)
  case list([Value])
  case record(Record)

  /// Returns a number with the shortest digits that read back as the same value; null for those that JSON lacks.
  public static func number(_ value: Double) -> Value { value.isFinite ? .number(Number(finite: value)) : .null }

  public static func record(_ fields: [(String, Value)]) -> Value { .record(Record(fields)) }

  /// Returns a measure: an integer if it is whole (`4`, never `4.0`), otherwise a number.
  public static func measure(_ value: Double) -> Value {
    if let whole = Int(exactly: value), whole.magnitude <= 1 << 53 { return .integer(whole) }
    return .number(value)
  }

  public var boolean: Bool? { if case .boolean(let flag) = self { flag } else { nil } }
  public var text: String? { if case .text(let text) = self { text } else { nil } }
  public var list: [Value]? { if case .list(let values) = self { values } else { nil } }
  public var record: Record? { if case .record(let record) = self { record } else { nil } }

  /// The integer, or the number if it is whole.
  public var integer: Int? {
    switch self {
    case .integer(let value): value
    case .number(let number): Int(exactly: number.value)
    default: nil
    }
  }

  /// The value of an integer or a number; nil if it exceeds the range of `Double`.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let number): number.value.isFinite ? number.value : nil
    default: nil
    }
  }

  /// Whether it is an integer or a number of any size.
  public var isNumeric: Bool {
    switch self {
    case .integer, .number: true
    default: false
    }
  }

  /// The kind of the value with its article, for messages: `a number`.
  public var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "true or false"
    case .integer, .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .record: "an object"
    }
  }

  /// A number and, if it was parsed, its original text: `-6.0000000000000009` and `2.50` are preserved.
  public struct Number: Hashable, Sendable {
    /// Infinite if the text exceeds the range of `Double`.
    public let value: Double
    /// Nil for the shortest digits that read back as the value.
    private let written: String?

    /// The JSON text of the number.
    public var text: String { written ?? "\(value)" }

    init(finite value: Double) {
      self.value = value
      written = nil
    }

    init(checked text: String) {
      value = Double(text) ?? .infinity
      written = text
    }

    /// Two numbers are equal if their texts are equal.
    public static func == (first: Number, second: Number) -> Bool {
      guard first.written != nil || second.written != nil else { return first.value == second.value }
      return first.text == second.text
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
  }
}
