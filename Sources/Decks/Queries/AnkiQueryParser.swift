// Parses a query in Anki's language into the tree of a query in ours.
// Source: Anki's manual, "Searching". Invariant: a condition that is not supported is an error and never finds
// something else; a list has at most 10,000 numbers.

import Text

struct AnkiQueryParser: QueryGrammar {
  /// More than for a query that is typed, because a list of numbers may be long.
  static let lengthLimit = 200_000
  static let fillers = ["and"]
  private static let numberLimit = 10_000

  let text: String
  let characters: [Character]
  var position = 0

  init(_ text: String) {
    self.text = text
    characters = Self.characters(of: text)
  }

  // MARK: Terms

  /// `word`, `"a phrase"`, `name:value`, `name:"a value"`, `"name:a value"`.
  mutating func term() throws(DeckError) -> CardQuery.Node {
    let start = position
    let pieces = try take("\"") ? quoted(from: start) : bare()
    if pieces.isEmpty { throw expected("a word or a condition") }
    guard let colon = pieces.firstIndex(of: .colon) else {
      return .condition(.text(try phrase(AnkiText(pieces[...]), start)))
    }
    let name = AnkiText(pieces[..<colon]).plain.lowercased()
    let value = AnkiText(pieces[(colon + 1)...])
    return try condition(name, value, from: start)
  }

  private func condition(_ name: String, _ value: AnkiText, from start: Int) throws(DeckError) -> CardQuery.Node {
    func one(_ condition: CardQuery.Condition) -> CardQuery.Node { .condition(condition) }
    switch name {
    case "deck": return try deck(value, start)
    case "tag": return try tag(value, start)
    case "note": return try noteType(value, start)
    case "card":
      guard let number = Int(value.plain), (1...500).contains(number) else {
        throw expected("the number of a card, as in card:1,", at: start)
      }
      return one(.isAmong(.template(number - 1)))
    case "nid": return one(.isAmong(.notes(try numbers(value, start))))
    case "cid": return one(.isAmong(.cards(try numbers(value, start))))
    case "mid": return one(.isAmong(.noteTypes(try numbers(value, start))))
    case "did": return one(.isAmong(.decks(try numbers(value, start))))
    case "is": return try status(value.plain.lowercased(), start)
    case "added", "edited", "introduced", "rated", "flag": return try same(name, value.plain, start)
    case "prop": return try property(value.plain, start)
    case "re": return try same(name, value.expression, start)
    case "nc": return one(.text(try phrase(value, start)))
    case "", "w", "sc", "dupe", "resched", "has-cd", "has": throw unknown(name, start)
    default: return try field(name, value, start)
    }
  }

  /// Parses conditions that are the same in our own language.
  private func same(_ name: String, _ value: String, _ start: Int) throws(DeckError) -> CardQuery.Node {
    let quoted = value.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined()
    do throws(DeckError) {
      var parser = QueryParser(name == "re" ? "re:\"\(quoted)\"" : "\(name):\(value)")
      let node = try parser.parse()
      // The value would otherwise end at a space, and the rest would be another term.
      guard case .condition = node else { throw expected("a value without spaces") }
      return node
    } catch {
      guard case .badQuery(_, _, let what) = error else { throw error }
      throw expected(what, at: start)
    }
  }

  /// In Anki, a hidden card is due on no day, a card that is not learnt has the interval 0, and a difficulty is from 0
  /// to 1.
  private func property(_ value: String, _ start: Int) throws(DeckError) -> CardQuery.Node {
    let node = try same("prop", value, start)
    guard case .condition(.property(let property, let comparison, let number)) = node else { return node }
    func status(_ status: CardStatus) -> CardQuery.Node { .condition(.isIn(status)) }
    switch property {
    case .due: return .all([node, .not(status(.suspended)), .not(status(.buried))])
    case .difficulty: return .condition(.property(property, comparison, 1 + 9 * number))
    case .interval where comparison.holds(0, number): return .any([node, status(.new), status(.learning)])
    default: return node
    }
  }

  private func deck(_ value: AnkiText, _ start: Int) throws(DeckError) -> CardQuery.Node {
    if ["current", "filtered"].contains(value.plain.lowercased()) { throw unknown("deck:\(value.plain)", start) }
    return .condition(.deck(try pattern(value, "a deck after \"deck:\"", start)))
  }

  private func tag(_ value: AnkiText, _ start: Int) throws(DeckError) -> CardQuery.Node {
    if let prefix = value.prefix { throw unknown("tag:\(prefix):", start) }
    if value.plain.lowercased() == "none" { return .not(.condition(.tag(TextPattern("*", isWhole: true)))) }
    return .condition(.tag(try pattern(value, "a tag after \"tag:\"", start)))
  }

  private func noteType(_ value: AnkiText, _ start: Int) throws(DeckError) -> CardQuery.Node {
    .condition(.noteType(try pattern(value, "a note type after \"note:\"", start)))
  }

  private func status(_ word: String, _ start: Int) throws(DeckError) -> CardQuery.Node {
    func any(_ statuses: CardStatus...) -> CardQuery.Node { .any(statuses.map { .condition(.isIn($0)) }) }
    switch word {
    case "due": return any(.due)
    case "new": return any(.new)
    case "learn": return any(.learning, .relearning)
    case "review": return any(.review, .relearning)
    case "suspended": return any(.suspended)
    case "buried": return any(.buried)
    default: throw expected("is: one of due, new, learn, review, suspended, buried", at: start)
    }
  }

  private func field(_ name: String, _ value: AnkiText, _ start: Int) throws(DeckError) -> CardQuery.Node {
    if name.contains("*") || name.contains(text: "_*") { throw unknown("\(name):", start) }
    if let prefix = value.prefix { throw unknown("\(name):\(prefix):", start) }
    // `_*` means any character followed by anything: the note has the field, and it is not empty.
    if value.isAnyCharacter {
      return .all([try field(name, AnkiText([.any]), start), .not(try field(name, AnkiText([]), start))])
    }
    let pattern = value.isEmpty ? TextPattern(exactly: "") : try pattern(value, "a text after \"\(name):\"", start)
    let isStock = name == "front" || name == "back"
    return .condition(.field(name, pattern, column: isStock ? 0 : start + 1))
  }

  private func pattern(_ value: AnkiText, _ what: String, _ start: Int) throws(DeckError) -> TextPattern {
    guard !value.isEmpty, let pattern = value.whole else {
      throw expected(value.isEmpty ? what : Self.oneStar, at: start)
    }
    return pattern
  }

  private func phrase(_ value: AnkiText, _ start: Int) throws(DeckError) -> TextPattern {
    guard let pattern = value.phrase else { throw expected(Self.oneStar, at: start) }
    return pattern
  }

  private static let oneStar = "either * or \\*, not both,"

  private func numbers(_ value: AnkiText, _ start: Int) throws(DeckError) -> [Int64] {
    let parts = value.plain.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int64($0) }
    guard numbers.count == parts.count, numbers.count <= Self.numberLimit else {
      throw expected("whole numbers with commas between them, at most \(grouped(Self.numberLimit))", at: start)
    }
    return numbers
  }

  // MARK: Characters

  private mutating func quoted(from start: Int) throws(DeckError) -> [AnkiText.Piece] {
    var pieces: [AnkiText.Piece] = []
    while position < characters.count {
      if take("\"") { return pieces }
      pieces.append(try piece())
    }
    throw expected("a closing quote for this one", at: start)
  }

  /// Reads up to whitespace or a bracket; the value after a colon may be quoted.
  private mutating func bare() throws(DeckError) -> [AnkiText.Piece] {
    var pieces: [AnkiText.Piece] = []
    while position < characters.count, !isEnd(characters[position]) {
      let start = position
      if take("\"") {
        guard pieces.last == .colon else { throw expected("a space before the quote", at: start) }
        return pieces + (try quoted(from: start))
      }
      pieces.append(try piece())
    }
    return pieces
  }

  private mutating func piece() throws(DeckError) -> AnkiText.Piece {
    let character = characters[position]
    position += 1
    switch character {
    case "\\":
      guard position < characters.count else { throw expected("a character after the backslash") }
      position += 1
      return .escaped(characters[position - 1])
    case ":": return .colon
    case "*": return .any
    default: return .plain(character)
    }
  }

  func isEnd(_ character: Character) -> Bool { character.isWhitespace || character == "(" || character == ")" }

  private func unknown(_ what: String, _ start: Int) -> DeckError {
    expected("a condition that Deckhand supports (not \"\(what)\")", at: start)
  }
}

/// A word or a value of a query in Anki's language: its characters, and stars that match anything.
struct AnkiText {
  enum Piece: Equatable {
    case plain(Character)
    /// A character after a backslash.
    case escaped(Character)
    /// The first colon separates a name from its value.
    case colon
    case any
  }

  private let pieces: ArraySlice<Piece>

  init(_ pieces: ArraySlice<Piece>) { self.pieces = pieces }

  var isEmpty: Bool { pieces.isEmpty }
  /// The word before a colon that changes what the rest means in Anki: `re` or `nc`; nil without one.
  var prefix: String? {
    ["re", "nc"].first { word in pieces.starts(with: word.map { Piece.plain($0) } + [.colon]) }
  }
  /// `_*`
  var isAnyCharacter: Bool { pieces.elementsEqual([.plain("_"), .any]) }

  /// The text as it is written.
  var plain: String {
    String(
      pieces.map { piece in
        switch piece {
        case .plain(let character), .escaped(let character): character
        case .colon: ":"
        case .any: "*"
        }
      })
  }

  /// The text as a regular expression: backslashes stay, except those before quotes.
  var expression: String {
    pieces.map { piece -> String in
      switch piece {
      case .plain(let character): String(character)
      case .escaped(let character): character == "\"" ? "\"" : "\\\(character)"
      case .colon: ":"
      case .any: "*"
      }
    }.joined()
  }

  private var hasStar: Bool { pieces.contains(.any) }
  /// Our patterns cannot contain a literal star.
  private var mixesStars: Bool { hasStar && pieces.contains(.escaped("*")) }

  /// A pattern that must match the whole text; nil if our patterns cannot express it.
  var whole: TextPattern? {
    if mixesStars { return nil }
    return hasStar ? TextPattern(plain, isWhole: true) : TextPattern(exactly: plain)
  }

  /// A pattern that may match anywhere in the text.
  var phrase: TextPattern? {
    if mixesStars { return nil }
    return hasStar ? TextPattern(plain, isWhole: false) : TextPattern(phrase: plain)
  }
}
