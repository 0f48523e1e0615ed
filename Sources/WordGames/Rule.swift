// The native rules that a mode may use, each with its message for a guess that fails it. Invariant: a rule and its text
// (`min_length:4`) are equivalent: parsing `description` gives the same rule.

public import Problems
import Text

/// One condition on a guess.
///
///     try Rule(parsing: "min_length:4")   // .minLength(4)
///     Rule.minLength(4).description       // "min_length:4"
public enum Rule: Hashable, Sendable, CustomStringConvertible {
  case minLength(Int)
  case maxLength(Int)
  case length(Int)
  /// Not found before in this game.
  case unused
  /// Made of the base word's letters, each at most as often as in the base word.
  case fromLetters
  /// Made of the base word's letters, each any number of times.
  case reusableLetters
  case contains(String)
  case startsWith(String)
  /// Reads the same from both ends.
  case palindrome
  /// In the language's word list.
  case inDictionary
  /// As long as the last found word (the base word at first) and different from it in one letter.
  case ladderStep

  /// The written form of each rule, with N or LETTERS for its value, and an example of it.
  public static let samples: [(form: String, rule: Rule)] = [
    ("min_length:N", .minLength(4)), ("max_length:N", .maxLength(4)), ("length:N", .length(4)), ("unused", .unused),
    ("from_letters", .fromLetters), ("reusable_letters", .reusableLetters), ("contains:LETTERS", .contains("e")),
    ("starts_with:LETTERS", .startsWith("e")), ("palindrome", .palindrome), ("in_dictionary", .inDictionary),
    ("ladder_step", .ladderStep),
  ]

  /// Explains the values in `samples`.
  public static let valuesInWords =
    "N is a number of letters from 1 to 64, LETTERS are up to 64 letters: `min_length:4`, `contains:e`."

  /// Parses a rule from `name` or `name:value`. A length is 1...64; a text is letters, at most 64 of them.
  public init(parsing text: String) throws(GameError) {
    let parts = text.trimmed.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map {
      String($0).trimmed
    }
    let name = parts.first ?? ""
    let value = parts.count > 1 ? parts[1] : nil
    switch name {
    case "min_length": self = .minLength(try Self.length(value, of: text))
    case "max_length": self = .maxLength(try Self.length(value, of: text))
    case "length": self = .length(try Self.length(value, of: text))
    case "contains": self = .contains(try Self.letters(value, of: text))
    case "starts_with": self = .startsWith(try Self.letters(value, of: text))
    default:
      guard let plain = Self.samples.first(where: { $0.form == name })?.rule else {
        let names = Self.samples.map { String($0.form.prefix { $0 != ":" }) }
        throw .unknownRule(name: name, suggestion: suggestion(for: name, among: names))
      }
      guard value == nil else { throw .badRule(text: text, expected: "no value") }
      self = plain
    }
  }

  private static func length(_ value: String?, of text: String) throws(GameError) -> Int {
    guard let value, let length = Int(value), (1...64).contains(length) else {
      throw .badRule(text: text, expected: "a number of letters from 1 to 64")
    }
    return length
  }

  private static func letters(_ value: String?, of text: String) throws(GameError) -> String {
    guard let value, !value.isEmpty, value.count <= 64, value.allSatisfy(\.isLetter) else {
      throw .badRule(text: text, expected: "letters after the colon")
    }
    return value
  }

  /// The rule as text: `min_length:4`.
  public var description: String {
    switch self {
    case .minLength(let count): "min_length:\(count)"
    case .maxLength(let count): "max_length:\(count)"
    case .length(let count): "length:\(count)"
    case .contains(let text): "contains:\(text)"
    case .startsWith(let text): "starts_with:\(text)"
    default: Self.samples.first { $0.rule == self }?.form ?? ""
    }
  }

  /// The message for a guess that fails this rule.
  public var report: ProblemReport {
    switch self {
    case .minLength(2): ProblemReport(.tooShort, "This word is too short", "Words need at least two letters")
    case .minLength(let count):
      ProblemReport(.tooShort, "This word is too short", "Words need at least \(counted(count, "letter"))")
    case .maxLength(let count):
      ProblemReport(.tooLong, "This word is too long", "Words have at most \(counted(count, "letter"))")
    case .length(let count):
      ProblemReport(.wrongLength, "This word has the wrong length", "Words have exactly \(counted(count, "letter"))")
    case .unused: ProblemReport(.alreadyUsed, "You already used this word", "Keep looking!")
    case .fromLetters:
      ProblemReport(.notPossible, "This word is not possible", "Create only words from the letters in the given word")
    case .reusableLetters:
      ProblemReport(
        .notPossible, "This word is not possible", "Use only letters of the given word, as often as you like")
    case .contains(let text): ProblemReport(.letterMissing, "A letter is missing", "Words must contain \(quoted(text))")
    case .startsWith(let text):
      ProblemReport(.wrongStart, "This word begins differently", "Words begin with \(quoted(text))")
    case .palindrome:
      ProblemReport(.notAPalindrome, "This is not a palindrome", "Use only words that read the same from both ends")
    case .inDictionary: ProblemReport(.notAWord, "This is not a valid word", "Use only real words")
    case .ladderStep: ProblemReport(.notAStep, "This is not one step", "Change exactly one letter of the last word")
    }
  }
}
