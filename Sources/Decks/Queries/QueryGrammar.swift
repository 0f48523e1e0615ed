// What our query language and Anki's have in common: adjacent terms, `or`, negation, brackets; parsed by recursive
// descent.
// Invariant: brackets nest at most 32 deep; an error gives the column, counted in characters from 1, and what was
// expected there.

import Text

protocol QueryGrammar {
  /// The most characters of a query.
  static var lengthLimit: Int { get }
  /// Words that may be written between terms without changing the meaning.
  static var fillers: [String] { get }
  var text: String { get }
  /// The characters of the text, at most one more than the limit.
  var characters: [Character] { get }
  var position: Int { get set }

  /// Reads one condition.
  mutating func term() throws(DeckError) -> CardQuery.Node
  /// Whether a word ends before this character.
  func isEnd(_ character: Character) -> Bool
}

extension QueryGrammar {
  static var fillers: [String] { [] }

  /// The characters of a text, at most one more than the limit. A sign of the language is a character of its own, even
  /// if a combining mark follows it, such as a vowel sign that is searched for.
  static func characters(of text: String) -> [Character] {
    let characters = text.prefix(lengthLimit + 1).flatMap { character -> [Character] in
      let scalars = character.unicodeScalars
      guard scalars.count > 1, let first = scalars.first, "\":()*-\\".unicodeScalars.contains(first) else {
        return [character]
      }
      return [Character(first)] + Array(String(String.UnicodeScalarView(scalars.dropFirst())))
    }
    return Array(characters.prefix(lengthLimit + 1))
  }

  mutating func parse() throws(DeckError) -> CardQuery.Node {
    if characters.count > Self.lengthLimit {
      throw expected("at most \(grouped(Self.lengthLimit)) characters", at: Self.lengthLimit)
    }
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
      if !nodes.isEmpty, let filler = Self.fillers.first(where: isAt(word:)) {
        position += filler.count
        skipBlanks()
      }
      nodes.append(try negation(depth: depth))
    }
    if nodes.isEmpty { throw expected("a word or a condition") }
    return nodes.count == 1 ? nodes[0] : .all(nodes)
  }

  private mutating func negation(depth: Int) throws(DeckError) -> CardQuery.Node {
    var isNot = false
    while take("-") { isNot.toggle() }
    let node = try atom(depth: depth)
    return isNot ? .not(node) : node
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

  func expected(_ what: String, at place: Int? = nil) -> DeckError {
    .badQuery(query: text, column: (place ?? position) + 1, expected: what)
  }
}
