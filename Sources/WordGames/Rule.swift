// The native rules that a mode may ask for, each with what it says to a guess that fails it.
// Invariant: a rule's text (`min_length:4`) and the rule are the same thing: parsing what `description` gives gives the rule.

import Text

/// One condition on a guess.
public enum Rule: Hashable, Sendable, CustomStringConvertible {
  /// At least so many letters.
  case minLength(Int)
  /// At most so many letters.
  case maxLength(Int)
  /// Exactly so many letters.
  case length(Int)
  /// Not found before in this game.
  case unused
  /// Made of the base word's letters, each as often as it stands there.
  case fromLetters
  /// Made of the base word's letters, each as often as one likes.
  case reusableLetters
  /// With this text in it.
  case contains(String)
  /// With this text at its start.
  case startsWith(String)
  /// The same from both ends.
  case palindrome
  /// In the language's word list.
  case inDictionary
  /// As long as the last found word (the base word at first) and different from it in one letter.
  case ladderStep

  /// The names of all rules; those that take a value have a colon.
  public static let names = [
    "min_length:", "max_length:", "length:", "unused", "from_letters", "reusable_letters", "contains:", "starts_with:",
    "palindrome", "in_dictionary", "ladder_step",
  ]

  /// The rules as a message lists them, with what stands after a colon.
  static var namesInWords: String {
    let values = [
      "min_length:": "N", "max_length:": "N", "length:": "N", "contains:": "LETTERS", "starts_with:": "LETTERS",
    ]
    return names.map { $0 + (values[$0] ?? "") }.joined(separator: ", ")
  }

  /// A rule from `name` or `name:value`. A length is 1...64; a text is letters, at most 64 of them.
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
      guard let plain = Self.plain[name] else {
        let names = Self.names.map { $0.hasSuffix(":") ? String($0.dropLast()) : $0 }
        throw .unknownRule(name: name, suggestion: didYouMean(name, among: names))
      }
      guard value == nil else { throw .badRule(text: text, expected: "no value") }
      self = plain
    }
  }

  private static let plain: [String: Rule] = [
    "unused": .unused, "from_letters": .fromLetters, "reusable_letters": .reusableLetters, "palindrome": .palindrome,
    "in_dictionary": .inDictionary, "ladder_step": .ladderStep,
  ]

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
    case .unused: "unused"
    case .fromLetters: "from_letters"
    case .reusableLetters: "reusable_letters"
    case .contains(let text): "contains:\(text)"
    case .startsWith(let text): "starts_with:\(text)"
    case .palindrome: "palindrome"
    case .inDictionary: "in_dictionary"
    case .ladderStep: "ladder_step"
    }
  }

  /// What a program calls a failure of this rule.
  public var code: String {
    switch self {
    case .minLength: "too_short"
    case .maxLength: "too_long"
    case .length: "wrong_length"
    case .unused: "already_used"
    case .fromLetters, .reusableLetters: "not_possible"
    case .contains: "letter_missing"
    case .startsWith: "wrong_start"
    case .palindrome: "not_a_palindrome"
    case .inDictionary: "not_a_word"
    case .ladderStep: "not_a_step"
    }
  }

  public var title: String {
    switch self {
    case .minLength: "This word is too short"
    case .maxLength: "This word is too long"
    case .length: "This word has another length"
    case .unused: "You already used this word"
    case .fromLetters, .reusableLetters: "This word is not possible"
    case .contains: "A letter is missing"
    case .startsWith: "This word begins differently"
    case .palindrome: "This is not a palindrome"
    case .inDictionary: "This is not a valid word"
    case .ladderStep: "This is not one step"
    }
  }

  public var message: String {
    switch self {
    case .minLength(2): "Words need at least two letters"
    case .minLength(let count): "Words need at least \(counted(count, "letter"))"
    case .maxLength(let count): "Words have at most \(counted(count, "letter"))"
    case .length(let count): "Words have exactly \(counted(count, "letter"))"
    case .unused: "Keep looking!"
    case .fromLetters: "Create only words from the letters in the given word"
    case .reusableLetters: "Use only letters of the given word, as often as you like"
    case .contains(let text): "Words need \(quoted(text)) in them"
    case .startsWith(let text): "Words begin with \(quoted(text))"
    case .palindrome: "Use only words that read the same from both ends"
    case .inDictionary: "Use only real words"
    case .ladderStep: "Change exactly one letter of the last word"
    }
  }
}
