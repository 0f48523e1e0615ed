// Reads a value of a known structure: records with fields of known kinds, lists of one kind. Invariant: a missing value
// or one of another kind is an error with its position; nothing in the value can trap later.

/// What was expected at a position of a value, and what was found there.
public struct ShapeFailure: Error, Equatable, Sendable {
  public let pointer: JSONPointer
  /// The name of the wrong field; nil for a list element or the whole value.
  public let name: String?
  /// `a text`, `a list of names`.
  public let expected: String
  /// The kind of value that was found, `a number`, or the number that is out of range; nil if nothing was found.
  public let found: String?

  public var inWords: String { "\(expected) expected" + (found.map { ", got \($0)" } ?? "") }
}

/// A value and its position in a document.
///
///     let whole = try ValueReader(JSONParser.parse(bytes, limits: limits)).asRecord()
///     let title = try whole["title"].text()           // ShapeFailure at /title when it is none
///     let sizes = try whole["sizes"].elements().map { size throws(ShapeFailure) in try size.integer(in: 1...9) }
public struct ValueReader {
  public let value: Value?
  public let pointer: JSONPointer
  private let name: String?

  public init(_ value: Value) { self.init(value, .whole, name: nil) }

  private init(_ value: Value?, _ pointer: JSONPointer, name: String?) {
    (self.value, self.pointer, self.name) = (value, pointer, name)
  }

  /// Returns a reader for a field of a record; its value is nil if there is no such field.
  public subscript(name: String) -> ValueReader {
    ValueReader(value?.record?[name], pointer.appending(name), name: name)
  }

  /// The error for this position.
  public func failure(_ expected: String) -> ShapeFailure {
    ShapeFailure(pointer: pointer, name: name, expected: expected, found: value?.kind)
  }

  public func text(_ expected: String = "a text") throws(ShapeFailure) -> String { try found(value?.text, expected) }
  public func boolean() throws(ShapeFailure) -> Bool { try found(value?.boolean, "true or false") }
  public func number() throws(ShapeFailure) -> Double { try found(value?.double, "a number") }

  public func integer(in range: ClosedRange<Int> = .min ... .max) throws(ShapeFailure) -> Int {
    let number = try found(value?.integer, "a whole number")
    guard range.contains(number) else {
      throw ShapeFailure(
        pointer: pointer, name: name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
        found: "\(number)")
    }
    return number
  }

  public func asRecord(_ expected: String = "an object") throws(ShapeFailure) -> ValueReader {
    _ = try found(value?.record, expected)
    return self
  }

  public func elements(_ expected: String = "a list") throws(ShapeFailure) -> [ValueReader] {
    try found(value?.list, expected).enumerated().map { ValueReader($1, pointer.appending($0), name: nil) }
  }

  /// The fields of a record, in order.
  public func fields(_ expected: String = "an object") throws(ShapeFailure) -> [(name: String, reader: ValueReader)] {
    try found(value?.record, expected).fields.map { field in
      (field.name, ValueReader(field.value, pointer.appending(field.name), name: field.name))
    }
  }

  private func found<Kind>(_ found: Kind?, _ expected: String) throws(ShapeFailure) -> Kind {
    guard let found else { throw failure(expected) }
    return found
  }
}
