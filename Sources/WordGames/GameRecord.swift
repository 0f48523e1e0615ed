// Reading of the JSON in which games are stored. Invariant: a value that is missing, of another type or out of bounds
// is an error that names it; nothing in the text can trap later.

import Values

enum GameRecord {
  /// The bounds of counts and points in a game; sums of numbers within them never overflow.
  static let bounds = -1_000_000_000...1_000_000_000
  /// The bounds of sums of points: those of a million words.
  static let totals = -1_000_000_000_000_000...1_000_000_000_000_000

  /// Reads a stored record.
  static func read<Content>(
    _ text: String, _ body: (ValueReader) throws(ShapeFailure) -> Content
  ) throws(GameError) -> Content {
    let limits = JSONLimits(bytes: 16 << 20, depth: 16, values: 1_000_000, string: 4 << 20)
    let value: Value
    do { value = try JSONParser.parse(Array(text.utf8), limits: limits) } catch {
      throw .badState(reason: error.placedWords)
    }
    do throws(ShapeFailure) { return try body(ValueReader(value).asRecord()) } catch {
      let place = error.name.map { "\"\($0)\": " } ?? ""
      throw .badState(reason: "\(place)\(error.expected) expected, \(error.found ?? "nothing") found")
    }
  }
}

extension ValueReader {
  func count() throws(ShapeFailure) -> Int { try integer(in: GameRecord.bounds) }
  func total() throws(ShapeFailure) -> Int { try integer(in: GameRecord.totals) }
}
