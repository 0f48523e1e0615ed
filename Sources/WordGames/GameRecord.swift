// Reading of the JSON in which games are stored. Invariant: a value that is missing, of another type or out of bounds
// is an error that names it; nothing in the text can trap later.

import Values

/// A stored record whose fields are read by name and type.
struct GameRecord {
  private let reader: ValueReader

  /// - Throws: `badState` if the value is not a record.
  init(_ reader: ValueReader) throws(GameError) {
    do throws(ShapeFailure) { self.reader = try reader.asRecord() } catch {
      throw .badState(reason: "it is not an object")
    }
  }

  init(_ text: String) throws(GameError) {
    let limits = JSONLimits(bytes: 16 << 20, depth: 16, values: 1_000_000, string: 4 << 20)
    let value: Value
    do {
      value = try JSONParser.parse(Array(text.utf8), limits: limits)
    } catch {
      throw .badState(reason: error.placedWords)
    }
    try self.init(ValueReader(value))
  }

  /// The bounds of counts and points in a game; sums of numbers within them never overflow.
  static let bounds = -1_000_000_000...1_000_000_000
  /// The bounds of sums of points: those of a million words.
  static let totals = -1_000_000_000_000_000...1_000_000_000_000_000

  subscript(name: String) -> ValueReader { reader[name] }

  func text(_ name: String) throws(GameError) -> String {
    try read(name) { field throws(ShapeFailure) in try field.text() }
  }
  func boolean(_ name: String) throws(GameError) -> Bool {
    try read(name) { field throws(ShapeFailure) in try field.boolean() }
  }
  func list(_ name: String) throws(GameError) -> [ValueReader] {
    try read(name) { field throws(ShapeFailure) in try field.elements() }
  }
  func number(_ name: String) throws(GameError) -> Double {
    try read(name) { field throws(ShapeFailure) in try field.number() }
  }
  func integer(_ name: String, in bounds: ClosedRange<Int> = GameRecord.bounds) throws(GameError) -> Int {
    try checked(read(name) { field throws(ShapeFailure) in try field.integer() }, name, bounds)
  }
  /// Reads a list of integers; a single number is read as a list of one.
  func integers(_ name: String, in bounds: ClosedRange<Int> = GameRecord.bounds) throws(GameError) -> [Int] {
    if reader[name].value?.integer != nil { return [try integer(name, in: bounds)] }
    return try list(name).map { element throws(GameError) in
      guard let number = element.value?.integer else {
        throw .badState(reason: "\"\(name)\" contains something other than numbers")
      }
      return try checked(number, name, bounds)
    }
  }

  private func checked(_ number: Int, _ name: String, _ bounds: ClosedRange<Int>) throws(GameError) -> Int {
    guard bounds.contains(number) else { throw .badState(reason: "\"\(name)\" is out of bounds") }
    return number
  }

  private func read<Content>(
    _ name: String, _ body: (ValueReader) throws(ShapeFailure) -> Content
  ) throws(GameError) -> Content {
    do throws(ShapeFailure) { return try body(reader[name]) } catch {
      throw .badState(reason: "\"\(name)\" is missing or has the wrong type")
    }
  }
}
