// A card's question for a typed answer, and the comparison of an answer with the expected one, word by word.
// Invariant: the comparison depends only on the texts, not on their normal form; its words are those of both texts, in
// their order; its time is bounded, whatever was typed.

import Text

/// A card's question for a typed answer: `{{type:Back}}` on its front.
public struct TypedQuestion: Equatable, Sendable {
  /// The expected answer, in one line without formatting; never empty.
  public let expected: String
  /// `{{type:nc:Back}}`: a missing or wrong diacritic is not a mistake.
  public let ignoresAccents: Bool

  public init(expected: String, ignoresAccents: Bool) {
    (self.expected, self.ignoresAccents) = (expected, ignoresAccents)
  }
}

/// An answer compared with the expected one. Case and punctuation do not count, and a hyphen is a space.
///
///     WordComparison(given: "el pero come", expected: "El perro come.") { $0 == "pero" }.words
///     // right el, wrong pero (perro), right come
public struct WordComparison: Equatable, Sendable {
  public enum Mark: String, Sendable {
    case right
    /// The word but for its diacritics.
    case accent
    /// A slip of the keyboard: one changed letter or two swapped ones in a word of at least 4 letters, two in one of at
    /// least 8, and not another word of the language.
    case typo
    case wrong
    /// Expected, and not given.
    case missing
    /// Given, and not expected.
    case extra

    fileprivate var cost: Int {
      switch self {
      case .right: 0
      case .accent: 1
      case .typo: 2
      default: 5
      }
    }
  }

  public struct Word: Equatable, Sendable {
    public let mark: Mark
    /// As it was typed; empty for a missing word.
    public let given: String
    /// Empty for an extra word.
    public let expected: String

    public init(_ mark: Mark, given: String, expected: String) {
      (self.mark, self.given, self.expected) = (mark, given, expected)
    }
  }

  public private(set) var words: [Word] = []
  /// How far the answers are apart; 0 for the expected one.
  public var cost: Int { words.reduce(0) { $0 + $1.mark.cost } }

  /// The limit of the product of both numbers of words; beyond it, words are compared place by place.
  private static let mostCells = 10_000

  /// - Parameters:
  ///   - ignoresAccents: whether `e` is right where `é` is expected.
  ///   - isWord: whether a word in lower case is one of the language; asked only for what might be a typo.
  public init(
    given: String, expected: String, ignoresAccents: Bool = false, isWord: (String) -> Bool = { _ in false }
  ) {
    var (mine, right) = (Token.all(in: given), Token.all(in: expected))
    // An answer of signs alone is compared sign by sign.
    if right.isEmpty { (mine, right) = (Token.signs(of: given), Token.signs(of: expected)) }
    func mark(_ row: Int, _ column: Int) -> Mark {
      let (word, wanted) = (mine[row], right[column])
      if word.key == wanted.key || ignoresAccents && word.plain == wanted.plain { return .right }
      if word.plain == wanted.plain { return .accent }
      return word.isNear(wanted) && !isWord(word.key) ? .typo : .wrong
    }
    func pair(_ row: Int?, _ column: Int?) -> Word {
      let (given, expected) = (row.map { mine[$0].text } ?? "", column.map { right[$0].text } ?? "")
      guard let row, let column else { return Word(row == nil ? .missing : .extra, given: given, expected: expected) }
      return Word(mark(row, column), given: given, expected: expected)
    }
    guard mine.count * right.count <= Self.mostCells else {
      words = (0..<max(mine.count, right.count)).map { pair($0 < mine.count ? $0 : nil, $0 < right.count ? $0 : nil) }
      return
    }
    // The least cost of aligning each beginning of one text with each of the other.
    let single = Mark.wrong.cost
    var costs = [(0...right.count).map { $0 * single }]
    for row in mine.indices {
      var line = [(row + 1) * single]
      for column in right.indices {
        let paired = costs[row][column] + mark(row, column).cost
        line.append(min(paired, min(costs[row][column + 1], line[column]) + single))
      }
      costs.append(line)
    }
    var (row, column) = (mine.count, right.count)
    while row > 0 || column > 0 {
      let cost = costs[row][column]
      if row > 0, column > 0, cost == costs[row - 1][column - 1] + mark(row - 1, column - 1).cost {
        (row, column) = (row - 1, column - 1)
        words.append(pair(row, column))
      } else if row > 0, cost == costs[row - 1][column] + single {
        row -= 1
        words.append(pair(row, nil))
      } else {
        column -= 1
        words.append(pair(nil, column))
      }
    }
    words.reverse()
  }
}

/// A word of an answer.
private struct Token {
  let text: String
  /// In lower case, without apostrophes and invisible characters.
  let key: String
  /// The key without diacritics, and its number of letters.
  let plain: String
  let count: Int
  private static let apostrophes: Set<Character> = ["'", "’", "‘", "ʼ"]
  /// The longest word in which a typo is looked for.
  private static let longest = 64

  private init(_ text: String) {
    self.text = text
    var key = String.UnicodeScalarView()
    for scalar in text.lowercased().unicodeScalars
    where scalar.properties.generalCategory != .format && !Self.apostrophes.contains(Character(scalar)) {
      key.append(scalar == "ς" ? "σ" : scalar)
    }
    self.key = String(key).composed
    var plain = String.UnicodeScalarView()
    plain.append(contentsOf: self.key.decomposed.unicodeScalars.lazy.filter { !$0.isCombiningDiacritic })
    self.plain = String(plain)
    count = self.plain.count
  }

  static func all(in text: String) -> [Token] {
    text.composed.split { !apostrophes.contains($0) && ($0.isWhitespace || $0.isPunctuation) }.compactMap { word in
      let letters = word.drop(while: apostrophes.contains)
      guard let last = letters.lastIndex(where: { !apostrophes.contains($0) }) else { return nil }
      return Token(String(letters[...last].map { apostrophes.contains($0) ? "'" : $0 }))
    }
  }

  static func signs(of text: String) -> [Token] {
    text.trimmed.composed.split(separator: " ").map { Token(String($0)) }
  }

  /// Whether it differs from the expected word by no more than a slip of the keyboard. A number has none.
  func isNear(_ wanted: Token) -> Bool {
    guard (4...Self.longest).contains(wanted.count), wanted.plain.allSatisfy(\.isLetter) else { return false }
    let most = wanted.count < 8 ? 1 : 2
    return abs(count - wanted.count) <= most && editDistance(plain, wanted.plain) <= most
  }
}
