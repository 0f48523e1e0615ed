// A card's question for a typed answer, and the comparison of an answer with the expected one, word by word.
// Invariant: the comparison depends only on the texts, not on their normal form; its words are those of both texts, in
// their order; its time is bounded, whatever was typed.

import Text

/// A card's question for a typed answer, `{{type:Back}}` on its front: the expected answer in one line without
/// formatting, never empty; and whether a wrong diacritic is no mistake (`{{type:nc:Back}}`).
public typealias TypedQuestion = (expected: String, ignoresAccents: Bool)

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

    fileprivate var cost: Int { [.right, .accent, .typo].firstIndex(of: self) ?? 5 }
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
    func pair(_ word: Token?, _ wanted: Token?) -> Word {
      let mark = word.flatMap { word in wanted.map { word.mark($0, ignoresAccents, isWord) } }
      return Word(mark ?? (word == nil ? .missing : .extra), given: word?.text ?? "", expected: wanted?.text ?? "")
    }
    guard mine.count * right.count <= Self.mostCells else {
      words = (0..<max(mine.count, right.count)).map { pair(mine.dropFirst($0).first, right.dropFirst($0).first) }
      return
    }
    // The best pairs of the words given so far with each beginning of what is expected.
    typealias Pairs = (cost: Int, words: [Word])
    func adding(_ word: Word, to pairs: Pairs) -> Pairs { (pairs.cost + word.mark.cost, pairs.words + [word]) }
    var line: [Pairs] = [(0, [])]
    for wanted in right { line.append(adding(pair(nil, wanted), to: line[line.count - 1])) }
    for word in mine {
      var next = [adding(pair(word, nil), to: line[0])]
      for (column, wanted) in right.enumerated() {
        let ways = [
          (pair(word, wanted), line[column]), (pair(word, nil), line[column + 1]), (pair(nil, wanted), next[column]),
        ]
        let best = ways.min { $0.1.cost + $0.0.mark.cost < $1.1.cost + $1.0.mark.cost } ?? ways[0]
        next.append(adding(best.0, to: best.1))
      }
      line = next
    }
    words = line[right.count].words
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

  /// What it is in place of the expected word; a number has no slips of the keyboard.
  func mark(_ wanted: Token, _ ignoresAccents: Bool, _ isWord: (String) -> Bool) -> WordComparison.Mark {
    if plain == wanted.plain { return ignoresAccents || key == wanted.key ? .right : .accent }
    guard (4...Self.longest).contains(wanted.count), wanted.plain.allSatisfy(\.isLetter) else { return .wrong }
    let most = wanted.count < 8 ? 1 : 2
    let isNear = abs(count - wanted.count) <= most && editDistance(plain, wanted.plain) <= most
    return isNear && !isWord(key) ? .typo : .wrong
  }
}
