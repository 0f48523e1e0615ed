// Plain data: what commands answer, what settings hold, what JSON says. One type for the whole program. Invariant: a
// value is a copy and holds nothing of where it came from; integers are exact; a number that a program made is finite.

/// A plain value.
///
///     let row: Value = .record([("name", .text("Spanish")), ("cards", .integer(12))])
///     row.json                        // {"name": "Spanish", "cards": 12}
///     row.record?["cards"]?.integer   // 12
public enum Value: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  /// A number with a fraction, or one that was written as no `Int` is.
  case number(Number)
  case text(String)
  case list([Value])
  case record(Record)
}

extension Value {
  /// A number in the shortest digits that read back as the same; null for infinities and NaN, which are no values.
  public static func number(_ value: Double) -> Value { value.isFinite ? .number(Number(finite: value)) : .null }

  /// Named values in the order given.
  public static func record(_ fields: [(String, Value)]) -> Value { .record(Record(fields)) }

  /// A measure: an integer where it is whole (`4`, never `4.0`), else a number.
  public static func measure(_ value: Double) -> Value {
    if let whole = Int(exactly: value), whole.magnitude <= 1 << 53 { return .integer(whole) }
    return .number(value)
  }
}

extension Value {
  public var boolean: Bool? { if case .boolean(let flag) = self { flag } else { nil } }
  public var text: String? { if case .text(let text) = self { text } else { nil } }
  public var list: [Value]? { if case .list(let values) = self { values } else { nil } }
  public var record: Record? { if case .record(let record) = self { record } else { nil } }

  /// The integer, or the number where it is a whole one.
  public var integer: Int? {
    switch self {
    case .integer(let value): value
    case .number(let number): Int(exactly: number.value)
    default: nil
    }
  }

  /// The value of an integer or a number; nil where no `Double` reaches it.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let number): number.value.isFinite ? number.value : nil
    default: nil
    }
  }

  /// Whether it is an integer or a number, of whatever size.
  public var isNumeric: Bool {
    switch self {
    case .integer, .number: true
    default: false
    }
  }

  /// What kind of value it is, with its article, for messages: `a number`.
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
}

extension Value {
  /// A number and, where it was read, the characters that it was written with: `-6.0000000000000009` and `2.50` stay
  /// that.
  public struct Number: Hashable, Sendable {
    /// Infinite when its text names a number that no `Double` reaches.
    public let value: Double
    /// Nil for the shortest digits that read back as the value.
    private let written: String?

    /// The JSON text of the number.
    public var text: String { written ?? "\(value)" }

    init(finite value: Double) {
      self.value = value
      written = nil
    }

    /// The caller has checked that the text is a JSON number.
    init(checked text: String) {
      value = Double(text) ?? .infinity
      written = text
    }

    /// Two numbers are equal when they are written the same.
    public static func == (first: Number, second: Number) -> Bool {
      guard first.written != nil || second.written != nil else { return first.value == second.value }
      return first.text == second.text
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
  }
}
