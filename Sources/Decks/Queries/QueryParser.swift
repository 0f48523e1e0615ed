// Parses the text of a query in our own language into its tree.
// Invariant: a query has at most 10,000 characters; literal text may be quoted.

import Memory
import Text

struct QueryParser: QueryGrammar {
  static let lengthLimit = 10_000

  let text: String
  let characters: [Character]
  var position = 0

  init(_ text: String) {
    self.text = text
    characters = Self.characters(of: text)
  }

  // MARK: Conditions

  mutating func term() throws(DeckError) -> CardQuery.Node {
    let start = position
    if isAtQuote {
      let phrase = try quoted()
      guard take(":") else { return .condition(.text(TextPattern(phrase: phrase))) }
      // The name of a field, which may contain spaces.
      let pattern = try pattern("a text after \"\(phrase):\"")
      return .condition(.field(phrase.lowercased(), pattern, column: start + 1))
    }
    let word = bare(stoppingAtColon: true)
    if !word.isEmpty, take(":") { return .condition(try named(word.lowercased(), from: start)) }
    let rest = word + bare(stoppingAtColon: false)
    if rest.isEmpty { throw expected("a word or a condition") }
    return .condition(.text(TextPattern(escaped: rest, isWhole: false)))
  }

  private mutating func named(_ name: String, from start: Int) throws(DeckError) -> CardQuery.Condition {
    let valueStart = position
    switch name {
    case "tag": return .tag(try tagPattern("a tag after \"tag:\""))
    case "deck": return .deck(try tagPattern("a deck after \"deck:\""))
    case "note": return .noteType(try tagPattern("a note type after \"note:\""))
    case "prompt": return .prompt(try pattern("a text after \"prompt:\""))
    case "answer": return .answer(try pattern("a text after \"answer:\""))
    case "nc": return .text(try pattern("a text after \"nc:\""))
    case "re": return try expression(from: valueStart)
    case "dupe":
      if position == characters.count || isEnd(characters[position]), !isAtQuote { return .duplicates }
      return .prompt(TextPattern(exactly: try value("a text after \"dupe:\"").text))
    case "is":
      let word = bare(stoppingAtColon: false).lowercased()
      guard let status = CardStatus(rawValue: word == "learn" ? "learning" : word) else {
        let names = CardStatus.allCases.map(\.rawValue).joined(separator: ", ")
        throw expected("one of \(names)", at: valueStart)
      }
      return .isIn(status)
    case "added": return .added(days: try days())
    case "edited": return .edited(days: try days())
    case "introduced": return .introduced(days: try days())
    case "rated": return try rated()
    case "flag":
      guard let flag = Int(bare(stoppingAtColon: false)), CardHiding.flags.contains(flag) else {
        throw expected(CardHiding.flagExpectation, at: valueStart)
      }
      return .flag(flag)
    case "prop": return try property(from: valueStart)
    default: return .field(name, try pattern("a text after \"\(name):\""), column: start + 1)
    }
  }

  private var isAtQuote: Bool { position < characters.count && characters[position] == "\"" }

  private mutating func days(stoppingAtColon: Bool = false) throws(DeckError) -> Int {
    let start = position
    guard let days = Int(bare(stoppingAtColon: stoppingAtColon)), (1...100_000).contains(days) else {
      throw expected("a whole number of days, at least 1,", at: start)
    }
    return days
  }

  private mutating func rated() throws(DeckError) -> CardQuery.Condition {
    let days = try days(stoppingAtColon: true)
    guard take(":") else { return .rated(days: days, nil) }
    let start = position
    guard let rating = Int64(bare(stoppingAtColon: false)).flatMap({ Rating(rawValue: $0) }) else {
      throw expected("1 (again), 2 (hard), 3 (good) or 4 (easy)", at: start)
    }
    return .rated(days: days, rating)
  }

  private mutating func expression(from start: Int) throws(DeckError) -> CardQuery.Condition {
    let (source, isQuoted) = try value("an expression after \"re:\"")
    do throws(ExpressionError) {
      return .expression(try TextExpression(source))
    } catch {
      throw expected(error.expected, at: start + error.offset + (isQuoted ? 1 : 0))
    }
  }

  private mutating func tagPattern(_ what: String) throws(DeckError) -> TextPattern {
    let (value, isQuoted) = try value(what)
    if !isQuoted, value.contains(text: "\\") { return TextPattern(escaped: value, isWhole: true).whole }
    return value.contains(text: "*") ? TextPattern(value, isWhole: true) : TextPattern(exactly: value)
  }

  private mutating func pattern(_ what: String) throws(DeckError) -> TextPattern {
    let (value, isQuoted) = try value(what)
    return isQuoted ? TextPattern(phrase: value) : TextPattern(escaped: value, isWhole: true)
  }

  private mutating func value(_ what: String) throws(DeckError) -> (text: String, isQuoted: Bool) {
    if isAtQuote { return (try quoted(), true) }
    let value = bare(stoppingAtColon: false)
    if value.isEmpty { throw expected(what) }
    return (value, false)
  }

  private mutating func property(from start: Int) throws(DeckError) -> CardQuery.Condition {
    let value = bare(stoppingAtColon: false)
    let name = value.prefix { $0.isLetter }.lowercased()
    let known = CardProperty.figures.first { $0.rawValue == name || $0.description.figure?.short == name }
    guard let property = known else {
      throw expected("one of \(CardProperty.figures.map(\.rawValue).joined(separator: ", "))", at: start)
    }
    let rest = value.dropFirst(name.count)
    guard let comparison = CardQuery.Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
      throw expected("one of <, <=, =, !=, >=, >", at: start + name.count)
    }
    guard let number = Double(rest.dropFirst(comparison.rawValue.count)), number.isFinite else {
      throw expected("a number", at: start + name.count + comparison.rawValue.count)
    }
    return .property(property, comparison, number)
  }

  // MARK: Characters

  func isEnd(_ character: Character) -> Bool {
    character.isWhitespace || character == "(" || character == ")" || character == "\""
  }

  private mutating func bare(stoppingAtColon: Bool) -> String {
    let start = position
    while position < characters.count, !isEnd(characters[position]) {
      if stoppingAtColon, characters[position] == ":" { break }
      let isEscape =
        characters[position] == "\\" && position + 1 < characters.count
        && TextPattern.marks.contains(characters[position + 1])
      position += isEscape ? 2 : 1
    }
    return String(characters[start..<position])
  }

  /// The text between quotes; a backslash escapes the next character.
  private mutating func quoted() throws(DeckError) -> String {
    let start = position
    var value = ""
    position += 1
    while position < characters.count {
      let character = characters[position]
      position += 1
      if character == "\"" {
        if value.isEmpty { throw expected("a text between the quotes", at: start) }
        return value
      }
      if character == "\\", position < characters.count {
        value.append(characters[position])
        position += 1
      } else {
        value.append(character)
      }
    }
    throw expected("a closing quote for this one", at: start)
  }
}
