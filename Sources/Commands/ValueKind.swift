// The kind of value that an argument or an option takes: it provides the message of the check and selects the names
// that Tab offers.
// Invariant: a kind knows how a word must look, never what exists; the command checks whether a deck exists.

import Text

/// The kind of value that an argument or an option takes.
///
///     Argument("N", .integer(1...9))
///     Option("--deck", "DECK", .deck)
public enum ValueKind: Equatable, Sendable {
  case text
  case integer(ClosedRange<Int>)
  case number(ClosedRange<Double>)
  case deck
  case card
  case document
  case mode
  case language
  case setting
  case plugin
  case account
  case file
  case folder
  case command
  /// All remaining words; a word with a single dash means "not" and is never an option. As the value of an option: one
  /// word.
  case query
  /// All remaining words exactly as they are, including options and `--` (the arguments of a script).
  case verbatim
  /// One of these names. The spellings, in lowercase, are accepted in any case, but not offered.
  case choice([String], spellings: Set<String> = [])

  /// Any whole number.
  public static var anyInteger: ValueKind { .integer(Int.min...Int.max) }
  /// Any finite number.
  public static var anyNumber: ValueKind { .number(-.greatestFiniteMagnitude ... .greatestFiniteMagnitude) }
  /// Whole numbers from 1 up.
  public static var positive: ValueKind { .integer(1...Int.max) }

  /// What was expected if `word` is not of this kind; nil if it is.
  func refusal(of word: String) -> String? {
    switch self {
    case .integer(let range): Int(word).map(range.contains) == true ? nil : Self.words(for: range)
    case .number(let range): Double(word).map(range.contains) == true ? nil : Self.words(for: range)
    case .choice(let names, let spellings):
      names.contains(word) || spellings.contains(word.lowercased())
        ? nil : Self.words(for: names) + didYouMean(word, among: names)
    default: nil
    }
  }

  private static func words(for range: ClosedRange<Int>) -> String {
    switch (range.lowerBound, range.upperBound) {
    case (Int.min, Int.max): "a whole number"
    case (_, Int.max): "a whole number, at least \(grouped(range.lowerBound))"
    case (Int.min, _): "a whole number, at most \(grouped(range.upperBound))"
    default: "a whole number from \(grouped(range.lowerBound)) to \(grouped(range.upperBound))"
    }
  }

  private static func words(for range: ClosedRange<Double>) -> String {
    func shown(_ number: Double) -> String { Int(exactly: number).map { grouped($0) } ?? "\(number)" }
    if .number(range) == anyNumber { return "a number" }
    // The range excludes 0.
    if range.lowerBound == .leastNonzeroMagnitude { return "a number above 0, at most \(shown(range.upperBound))" }
    return "a number from \(shown(range.lowerBound)) to \(shown(range.upperBound))"
  }

  private static func words(for names: [String]) -> String {
    guard names.count > 1, let last = names.last else { return names.joined() }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }
}
