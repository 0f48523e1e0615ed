// Reading the JSON that games are kept as. Invariant: what is missing, of another kind or out of bounds is an error that names
// it; nothing that the text holds can trap later.

import Values

/// A JSON object whose members are asked for by name and kind.
struct Record {
  private let object: JSONObject

  /// - Throws: `badState` when it is no object.
  init(_ value: JSONValue) throws(GameError) {
    guard let object = value.object else { throw .badState(reason: "it is no object") }
    self.object = object
  }

  init(_ text: String) throws(GameError) {
    let limits = JSONLimits(bytes: 16 << 20, depth: 16, values: 1_000_000, string: 4 << 20)
    let value: JSONValue
    do {
      value = try JSONParser.parse(Array(text.utf8), limits: limits)
    } catch {
      throw .badState(reason: "line \(error.line), column \(error.column): \(error.words)")
    }
    try self.init(value)
  }

  /// Numbers beyond this are no counts or points of a game; sums of those within never overflow.
  static let bounds = -1_000_000_000...1_000_000_000

  subscript(name: String) -> JSONValue? { object[name] }

  func string(_ name: String) throws(GameError) -> String { try found(object[name]?.string, name) }
  func bool(_ name: String) throws(GameError) -> Bool { try found(object[name]?.bool, name) }
  func array(_ name: String) throws(GameError) -> [JSONValue] { try found(object[name]?.array, name) }
  func number(_ name: String) throws(GameError) -> Double { try found(object[name]?.double, name) }
  func integer(_ name: String) throws(GameError) -> Int {
    let number = try found(object[name]?.integer, name)
    guard Self.bounds.contains(number) else { throw .badState(reason: "\"\(name)\" is out of bounds") }
    return number
  }

  private func found<Value>(_ value: Value?, _ name: String) throws(GameError) -> Value {
    guard let value else { throw .badState(reason: "\"\(name)\" is missing or of another kind") }
    return value
  }
}
