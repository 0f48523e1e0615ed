// Parses the conditions of a query. Source for `isAnki`: Anki's manual, "Searching". Invariant: a condition that is not
// supported is an error and never finds something else; a list has at most 10,000 numbers.

import Memory
import Text

struct QueryParser {
  private static let numberLimit = 10_000

  let text: String
  /// Whether a text means what it means in Anki: quotes surround a whole term, a field's text must be whole.
  let isAnki: Bool
  /// The characters of the text, at most one more than the limit.
  let characters: [Character]
  var position = 0

  init(_ text: String, isAnki: Bool = false) {
    (self.text, self.isAnki) = (text, isAnki)
    characters = Self.characters(of: text, atMost: Self.lengthLimit(isAnki) + 1)
  }

  // MARK: Terms

  /// Reads `word`, `"a phrase"`, `name:value`, `name:"a value"`, `"a name":value`, `"name:a value"`. Outside of Anki,
  /// the last one is also a phrase, unless it names one of our own conditions.
  mutating func term() throws(DeckError) -> CardQuery.Node {
    let start = position
    guard take("\"") else { return try bareTerm() }
    let quoted = try quoted(from: start)
    if quoted.isEmpty { throw expected("a text between the quotes", at: start) }
    if take(":") {
      let place = position
      let value = try value()
      return try field(quoted.plain.lowercased(), value, start, at: place)
    }
    guard let (name, value) = quoted.named, isAnki || value.pieces.first?.character.isWhitespace == false else {
      return .condition(.text(quoted.phrase))
    }
    if isAnki || Self.names.contains(name.lowercased()) {
      return try condition(name.lowercased(), value, from: start, at: start + 1 + name.count + 1)
    }
    let pattern = TextPattern(value.literalParts, isWhole: false)
    return .any([.condition(.text(quoted.phrase)), .condition(.field(name.lowercased(), pattern, column: 0))])
  }

  private mutating func bareTerm() throws(DeckError) -> CardQuery.Node {
    let start = position
    let word = try bare(untilColon: true)
    if isAnki || !word.isEmpty, take(":") {
      let place = position
      let value = try value()
      return try condition(word.plain.lowercased(), value, from: start, at: place)
    }
    let text = word.isEmpty ? try bare(untilColon: false) : word
    if text.isEmpty { throw expected("a word or a condition") }
    return .condition(.text(text.phrase))
  }

  private func condition(
    _ name: String, _ value: QueryText, from start: Int, at place: Int
  ) throws(DeckError) -> CardQuery.Node {
    if isAnki, Self.unsupported.contains(name) { throw unknown(name, start) }
    let condition: CardQuery.Condition
    switch name {
    case "tag": return try tag(value, place)
    case "is": return try status(value.plain.lowercased(), place)
    case "prop": return try property(value.plain, place)
    case "dupe": condition = value.isEmpty ? .duplicates : .prompt(TextPattern([value.plain], isWhole: true))
    case "deck":
      let word = value.isLiteral ? "" : value.plain.lowercased()
      if word == "filtered" { throw unknown("deck:filtered", start) }
      condition = word == "current" ? .currentDeck : .deck(try named(value, "a deck after \"deck:\"", place))
    case "note": condition = .noteType(try named(value, "a note type after \"note:\"", place))
    case "prompt" where !isAnki: condition = .prompt(try pattern(value, name, place))
    case "answer" where !isAnki: condition = .answer(try pattern(value, name, place))
    case "prompt", "answer":
      let whole = TextPattern(value.parts, isWhole: true)
      let side = CardQuery.Node.condition(name == "prompt" ? .prompt(whole) : .answer(whole))
      return .any([side, try field(name, value, start, at: place)])
    case "nc":
      if value.isEmpty { throw expected("a text after \"nc:\"", at: place) }
      condition = .text(value.phrase)
    case "re": condition = try expression(value, place)
    case "card":
      guard let number = Int(value.plain), (1...500).contains(number) else {
        throw expected("the number of a card, as in card:1,", at: place)
      }
      condition = .isAmong(column: "ord", [Int64(number - 1)])
    case "nid": condition = .isAmong(column: "note", try numbers(value, place))
    case "cid": condition = .isAmong(column: "id", try numbers(value, place))
    case "mid": condition = .isAmong(column: "type", try numbers(value, place))
    case "did": condition = .isAmong(column: "deck", try numbers(value, place))
    case "added": condition = .added(days: try days(value.plain, place))
    case "edited": condition = .edited(days: try days(value.plain, place))
    case "introduced": condition = .introduced(days: try days(value.plain, place))
    case "rated": condition = try rated(value.plain, place)
    case "flag": condition = .flag(try flag(value.plain.lowercased(), place))
    default: return try field(name, value, start, at: place)
    }
    return .condition(condition)
  }

  /// The conditions of both languages.
  static let names = [
    "tag", "is", "prompt", "answer", "prop", "added", "edited", "rated", "introduced", "flag", "deck", "note", "card",
    "nid", "cid", "mid", "did", "re", "nc", "dupe",
  ]

  /// Conditions that only Anki has.
  private static let unsupported = ["", "w", "sc", "dupe", "resched", "has-cd", "has"]

  private func tag(_ value: QueryText, _ place: Int) throws(DeckError) -> CardQuery.Node {
    if isAnki, let prefix = value.prefix { throw unknown("tag:\(prefix):", place) }
    if value.plain.lowercased() == "none", !value.isLiteral {
      return .not(.condition(.tag(TextPattern(["", ""], isWhole: true))))
    }
    return .condition(.tag(try named(value, "a tag after \"tag:\"", place)))
  }

  private func status(_ word: String, _ place: Int) throws(DeckError) -> CardQuery.Node {
    func any(_ statuses: CardStatus...) -> CardQuery.Node { .any(statuses.map { .condition(.isIn($0)) }) }
    if word == "learn" { return any(.learning, .relearning) }
    guard let status = CardStatus(rawValue: word) else {
      let known = CardStatus.allCases.map(\.rawValue)
      throw expected("one of \(known.joined(separator: ", "))", at: place, near: word, among: known)
    }
    return isAnki && status == .review ? any(.review, .relearning) : .condition(.isIn(status))
  }

  private func field(
    _ name: String, _ value: QueryText, _ start: Int, at place: Int
  ) throws(DeckError) -> CardQuery.Node {
    guard isAnki else { return .condition(.field(name, try pattern(value, name, place), column: start + 1)) }
    if name.contains("*") || name.contains(text: "_*") { throw unknown("\(name):", start) }
    if let prefix = value.prefix { throw unknown("\(name):\(prefix):", start) }
    let isStock = ["front", "back", "prompt", "answer"].contains(name)
    func holds(_ pattern: TextPattern) -> CardQuery.Node {
      .condition(.field(name, pattern, column: isStock ? 0 : start + 1))
    }
    // `_*` means any character followed by anything: the note has the field, and it is not empty.
    if value.pieces == "_*".map(QueryText.sign) {
      return .all([holds(TextPattern(["", ""], isWhole: true)), .not(holds(TextPattern([""], isWhole: true)))])
    }
    return holds(TextPattern(value.parts, isWhole: true))
  }

  // MARK: Values

  /// A pattern for a name, all of which must match; stars count in quotes too.
  private func named(_ value: QueryText, _ what: String, _ place: Int) throws(DeckError) -> TextPattern {
    if value.isEmpty { throw expected(what, at: place) }
    return TextPattern(value.parts, isWhole: true)
  }

  /// A pattern for a text of a card: with a star it must match the whole text; in quotes a star is no sign.
  private func pattern(_ value: QueryText, _ name: String, _ place: Int) throws(DeckError) -> TextPattern {
    if value.isEmpty { throw expected("a text after \"\(name):\"", at: place) }
    return TextPattern(value.literalParts, isWhole: value.literalParts.count > 1)
  }

  private func expression(_ value: QueryText, _ place: Int) throws(DeckError) -> CardQuery.Condition {
    if value.isEmpty { throw expected("an expression after \"re:\"", at: place) }
    do throws(ExpressionError) {
      return .expression(try TextExpression(value.expression))
    } catch {
      let isQuoted = place < characters.count && characters[place] == "\""
      throw expected(error.expected, at: place + error.offset + (isQuoted ? 1 : 0))
    }
  }

  private func numbers(_ value: QueryText, _ place: Int) throws(DeckError) -> [Int64] {
    let parts = value.plain.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int64($0) }
    guard numbers.count == parts.count, numbers.count <= Self.numberLimit else {
      throw expected("whole numbers with commas between them, at most \(grouped(Self.numberLimit))", at: place)
    }
    return numbers
  }

  private func days(_ value: some StringProtocol, _ place: Int) throws(DeckError) -> Int {
    guard let days = Int(value), (1...100_000).contains(days) else {
      throw expected("a whole number of days, at least 1,", at: place)
    }
    return days
  }

  private func rated(_ value: String, _ place: Int) throws(DeckError) -> CardQuery.Condition {
    let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let days = try days(parts.first ?? "", place)
    if parts.count < 2 { return .rated(days: days, nil) }
    guard let rating = Int64(parts[1]).flatMap({ Rating(rawValue: $0) }) else {
      throw expected("1 (again), 2 (hard), 3 (good) or 4 (easy)", at: place + parts[0].count + 1)
    }
    return .rated(days: days, rating)
  }

  private func flag(_ value: String, _ place: Int) throws(DeckError) -> Int {
    guard let flag = Int(value) ?? CardHiding.flagNames.firstIndex(of: value), CardHiding.flags.contains(flag) else {
      throw expected(CardHiding.flagExpectation, at: place, near: value, among: CardHiding.flagNames)
    }
    return flag
  }

  /// In Anki, a hidden card is due on no day, a card that is not learnt has the interval 0, and a difficulty is from 0
  /// to 1.
  private func property(_ value: String, _ place: Int) throws(DeckError) -> CardQuery.Node {
    let (property, comparison, number) = try compared(value, place)
    let node = CardQuery.Node.condition(.property(property, comparison, number))
    func status(_ status: CardStatus) -> CardQuery.Node { .condition(.isIn(status)) }
    switch property {
    case .due where isAnki: return .all([node, .not(status(.suspended)), .not(status(.buried))])
    case .difficulty where isAnki: return .condition(.property(property, comparison, 1 + 9 * number))
    case .interval where isAnki && comparison.holds(0, number): return .any([node, status(.new), status(.learning)])
    default: return node
    }
  }

  private func compared(
    _ value: String, _ place: Int
  ) throws(DeckError) -> (CardProperty, CardQuery.Comparison, Double) {
    let name = value.prefix { $0.isLetter }.lowercased()
    let known = CardProperty.figures.first { $0.rawValue == name || $0.description.figure?.short == name }
    guard let property = known else {
      let known = CardProperty.figures.map(\.rawValue)
      throw expected("one of \(known.joined(separator: ", "))", at: place, near: name, among: known)
    }
    let rest = value.dropFirst(name.count)
    guard let comparison = CardQuery.Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
      throw expected("one of <, <=, =, !=, >=, >", at: place + name.count)
    }
    guard let number = Double(rest.dropFirst(comparison.rawValue.count)), number.isFinite else {
      throw expected("a number", at: place + name.count + comparison.rawValue.count)
    }
    return (property, comparison, number)
  }

  // MARK: Characters

  private mutating func value() throws(DeckError) -> QueryText {
    let start = position
    guard take("\"") else { return try bare(untilColon: false) }
    let value = try quoted(from: start)
    if value.isEmpty, !isAnki { throw expected("a text between the quotes", at: start) }
    return value
  }

  private mutating func quoted(from start: Int) throws(DeckError) -> QueryText {
    var text = QueryText(isLiteral: !isAnki)
    while position < characters.count {
      if take("\"") { return text }
      text.pieces.append(try piece())
    }
    throw expected("a closing quote for this one", at: start)
  }

  /// Reads up to whitespace or a bracket.
  private mutating func bare(untilColon: Bool) throws(DeckError) -> QueryText {
    var text = QueryText(isLiteral: false)
    while position < characters.count, !isEnd(characters[position]) {
      if untilColon, characters[position] == ":" { break }
      if characters[position] == "\"" { throw expected("a space before the quote") }
      text.pieces.append(try piece())
    }
    return text
  }

  private mutating func piece() throws(DeckError) -> QueryText.Piece {
    let isEscaped = take("\\")
    guard position < characters.count else { throw expected("a character after the backslash") }
    position += 1
    return QueryText.Piece(character: characters[position - 1], isEscaped: isEscaped)
  }

  func isEnd(_ character: Character) -> Bool { character.isWhitespace || character == "(" || character == ")" }

  private func unknown(_ what: String, _ start: Int) -> DeckError {
    expected("a condition that Deckhand supports (not \"\(what)\")", at: start)
  }
}

/// A word or a value of a query. A star matches anything, unless a backslash stands before it.
struct QueryText {
  struct Piece: Equatable {
    let character: Character
    let isEscaped: Bool
  }

  var pieces: [Piece] = []
  /// Whether it stood in quotes of our own language: then stars in the text of a card are no signs.
  let isLiteral: Bool

  static func sign(_ character: Character) -> Piece { Piece(character: character, isEscaped: false) }

  var isEmpty: Bool { pieces.isEmpty }
  /// The text without backslashes.
  var plain: String { String(pieces.map(\.character)) }
  /// The word before a colon that changes what the rest means in Anki: `re` or `nc`; nil without one.
  var prefix: String? { ["re", "nc"].first { pieces.starts(with: "\($0):".map(Self.sign)) } }

  /// The name and the value before and after the first colon; nil without one.
  var named: (name: String, value: QueryText)? {
    guard let colon = pieces.firstIndex(of: Self.sign(":")) else { return nil }
    let value = QueryText(pieces: Array(pieces[(colon + 1)...]), isLiteral: isLiteral)
    return (String(pieces[..<colon].map(\.character)), value)
  }

  /// The text as a regular expression: backslashes stay, except those before quotes.
  var expression: String {
    pieces.map { $0.isEscaped && $0.character != "\"" ? "\\\($0.character)" : "\($0.character)" }.joined()
  }

  /// A pattern that may match anywhere in a text.
  var phrase: TextPattern { TextPattern(literalParts, isWhole: false) }
  /// The parts between the stars that are signs in the text of a card.
  var literalParts: [String] { isLiteral ? [plain] : parts }

  /// The parts between the stars.
  var parts: [String] {
    pieces.split(separator: Self.sign("*"), omittingEmptySubsequences: false).map { String($0.map(\.character)) }
  }
}
