// Records written as literals of Swift values. Invariant: the fields keep the order in which they are written.

/// What a field of a record literal may hold.
public protocol FieldValue {
  var fieldValue: Value { get }
}

extension String: FieldValue {
  public var fieldValue: Value { .text(self) }
}

extension Int: FieldValue {
  public var fieldValue: Value { .integer(self) }
}

extension Double: FieldValue {
  public var fieldValue: Value { .number(self) }
}

extension Bool: FieldValue {
  public var fieldValue: Value { .boolean(self) }
}

extension Value: FieldValue {
  public var fieldValue: Value { self }
}

extension Array: FieldValue where Element: FieldValue {
  public var fieldValue: Value { .list(map(\.fieldValue)) }
}

extension Value {
  /// Returns a record with the fields in the given order; nil is null.
  @_disfavoredOverload  // A literal of values alone is a `Record`.
  public static func record(_ fields: KeyValuePairs<String, (any FieldValue)?>) -> Value {
    .record(fields.map { ($0, $1?.fieldValue ?? .null) })
  }
}
