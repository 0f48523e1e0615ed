// A search for cards, as a tree, parsed by recursive descent. Invariant: every query can be evaluated for every card;
// brackets nest at most 32 deep, and an error gives the column, counted in characters from 1, and what was expected
// there.

import Memory
import Text

/// A query, parsed: words, "phrases", tag:x, is:due, prompt:x*, answer:x, prop:stability<5, added:7, edited:7,
/// rated:7:1, introduced:3, flag:red, deck:a::*, deck:current, note:basic, card:1, nid:7, level:b*, re:x+, nc:x,
/// dupe:x, -not, and, or, ( ).
public struct CardQuery: Equatable {
  public let text: String
  let root: Node
  /// Polled while cards are matched; if it returns true, the search stops.
  let isInterrupted: () -> Bool

  indirect enum Node: Equatable {
    case all([Node])
    case any([Node])
    case not(Node)
    case condition(Condition)
  }

  enum Condition: Equatable {
    /// In the prompt or the answer.
    case text(TextPattern)
    case prompt(TextPattern)
    case answer(TextPattern)
    /// The tag itself, or one below it: `a` matches `a::b`.
    case tag(TextPattern)
    case isIn(CardStatus)
    case property(CardProperty, Comparison, Double)
    /// Added within the last `days` days, including today.
    case added(days: Int)
    case edited(days: Int)
    /// Answered within the last `days` days, with that rating, or with any.
    case rated(days: Int, Rating?)
    /// Answered for the first time within the last `days` days.
    case introduced(days: Int)
    case flag(Int)
    /// The deck itself, or a deck that it is in.
    case deck(TextPattern)
    /// The deck that was studied last, or a deck within it.
    case currentDeck
    case noteType(TextPattern)
    /// A field of the card or of its note, by its name in lower case. With column 0, the field need not exist.
    case field(String, TextPattern, column: Int)
    case expression(TextExpression)
    /// Cards that have the same prompt as another card of their deck.
    case duplicates
    /// Cards with one of the numbers in a column of their row, or `type` in that of their note.
    case isAmong(column: String, [Int64])
  }

  enum Comparison: String, CaseIterable {
    // The longer ones first, because the parser takes the first that matches.
    case atMost = "<="
    case atLeast = ">="
    case not = "!="
    case less = "<"
    case more = ">"
    case equal = "="

    func holds(_ a: Double, _ b: Double) -> Bool {
      switch self {
      case .atMost: a <= b
      case .atLeast: a >= b
      case .not: a != b
      case .less: a < b
      case .more: a > b
      case .equal: a == b
      }
    }
  }

  /// - Parameter isAnki: whether the text comes from a program that takes this one for Anki.
  /// - Throws: `badQuery` with the column and what was expected there. A blank query matches every card.
  public init(_ text: String, isAnki: Bool = false, isInterrupted: @escaping () -> Bool) throws(DeckError) {
    var parser = QueryParser(text, isAnki: isAnki)
    (self.text, self.isInterrupted) = (text, isInterrupted)
    root = try parser.parse()
  }

  public static func == (a: CardQuery, b: CardQuery) -> Bool { a.text == b.text && a.root == b.root }
}

extension QueryParser {
  /// The most characters of a query; Anki's clients send long lists of numbers.
  static func lengthLimit(_ isAnki: Bool) -> Int { isAnki ? 200_000 : 10_000 }

  /// The characters of a text, at most as many. A sign of the language is a character of its own, even
  /// if a combining mark follows it, such as a vowel sign that is searched for.
  static func characters(of text: String, atMost limit: Int) -> [Character] {
    let characters = text.prefix(limit).flatMap { character -> [Character] in
      let scalars = character.unicodeScalars
      guard scalars.count > 1, let first = scalars.first, "\":()*-\\".unicodeScalars.contains(first) else {
        return [character]
      }
      return [Character(first)] + Array(String(String.UnicodeScalarView(scalars.dropFirst())))
    }
    return Array(characters.prefix(limit))
  }

  mutating func parse() throws(DeckError) -> CardQuery.Node {
    let limit = Self.lengthLimit(isAnki)
    if characters.count > limit { throw expected("at most \(grouped(limit)) characters", at: limit) }
    skipBlanks()
    if position == characters.count { return .all([]) }
    let node = try alternatives(depth: 0)
    if position < characters.count { throw expected("a \"(\" before this \")\"") }
    return node
  }

  // MARK: Structure

  /// Parses terms that are joined by `or`.
  private mutating func alternatives(depth: Int) throws(DeckError) -> CardQuery.Node {
    var nodes = [try sequence(depth: depth)]
    while take(word: "or") { nodes.append(try sequence(depth: depth)) }
    return nodes.count == 1 ? nodes[0] : .any(nodes)
  }

  /// Parses adjacent terms, which must all match.
  private mutating func sequence(depth: Int) throws(DeckError) -> CardQuery.Node {
    var nodes: [CardQuery.Node] = []
    while true {
      skipBlanks()
      if position == characters.count || characters[position] == ")" || isAt(word: "or") { break }
      if !nodes.isEmpty, take(word: "and") { skipBlanks() }
      var isNot = false
      while take("-") { isNot.toggle() }
      let node = try atom(depth: depth)
      nodes.append(isNot ? .not(node) : node)
    }
    if nodes.isEmpty { throw expected("a word or a condition") }
    return nodes.count == 1 ? nodes[0] : .all(nodes)
  }

  private mutating func atom(depth: Int) throws(DeckError) -> CardQuery.Node {
    guard take("(") else { return try term() }
    if depth >= 32 { throw expected("at most 32 nested brackets", at: position - 1) }
    let node = try alternatives(depth: depth + 1)
    guard take(")") else { throw expected("\")\"") }
    return node
  }

  // MARK: Characters

  mutating func skipBlanks() {
    while position < characters.count, characters[position].isWhitespace { position += 1 }
  }

  mutating func take(_ character: Character) -> Bool {
    guard position < characters.count, characters[position] == character else { return false }
    position += 1
    return true
  }

  /// Whether a word follows, not as the beginning of a longer word.
  private func isAt(word: String) -> Bool {
    let end = position + word.count
    guard end <= characters.count, String(characters[position..<end]).lowercased() == word else { return false }
    return end == characters.count || isEnd(characters[end])
  }

  private mutating func take(word: String) -> Bool {
    guard isAt(word: word) else { return false }
    position += word.count
    return true
  }

  func expected(_ what: String, at place: Int? = nil, near word: String = "", among known: [String] = []) -> DeckError {
    let near = word.isEmpty ? nil : suggestion(for: word, among: known)
    return .badQuery(query: text, column: (place ?? position) + 1, expected: what, near: near)
  }
}
