// Tests of the rules: their text, what each allows, and their messages.

import Lexicon
import Problems
import TestSupport
import WordGames

private let known =
  "min_length:N, max_length:N, length:N, unused, from_letters, reusable_letters, contains:LETTERS, starts_with:LETTERS, "
  + "palindrome, in_dictionary, ladder_step"

@Suite struct RuleTests {
  @Test(arguments: [
    "min_length:4", "max_length:7", "length:5", "unused", "from_letters", "reusable_letters", "contains:ñ",
    "starts_with:ca", "palindrome", "in_dictionary", "ladder_step",
  ])
  func `a rule reads back as its text`(text: String) throws {
    #expect(try Rule(parsing: text).description == text)
    #expect(try Rule(parsing: " \(text)\n").description == text)
  }

  @Test func `every rule has a name, a code, a title and a message`() throws {
    #expect(Rule.samples.map(\.form).joined(separator: ", ") == known)
    for (form, rule) in Rule.samples {
      #expect(try Rule(parsing: rule.description) == rule)
      #expect(rule.description.split(separator: ":").first == form.split(separator: ":").first)
      let report = rule.report
      #expect(![report.code.rawValue, report.title, report.message].contains(""))
      #expect(!report.message.hasSuffix("."))
    }
  }

  @Test(arguments: [
    (
      "min_lenght:4", "unknown_rule",
      "no rule is called \"min_lenght\" (did you mean \"min_length\"?); the rules are \(known)"
    ),
    ("min_length", "bad_rule", "rule \"min_length\": a number of letters from 1 to 64 expected"),
    ("min_length:x", "bad_rule", "rule \"min_length:x\": a number of letters from 1 to 64 expected"),
    (
      "min_length:99999999999999999999", "bad_rule",
      "rule \"min_length:99999999999999999999\": a number of letters from 1 to 64 expected"
    ),
    ("length:0", "bad_rule", "rule \"length:0\": a number of letters from 1 to 64 expected"),
    ("unused:1", "bad_rule", "rule \"unused:1\": no value expected"),
    ("contains:", "bad_rule", "rule \"contains:\": letters after the colon expected"),
    ("contains:a b", "bad_rule", "rule \"contains:a b\": letters after the colon expected"),
    ("", "unknown_rule", "no rule is called \"\"; the rules are \(known)"),
  ])
  func `a malformed rule is refused with what was expected`(text: String, code: String, message: String) throws {
    let error = try #require(throws: GameError.self) { try Rule(parsing: text) }
    #expect(error.code == code)
    #expect(error.message == message)
  }

  @Test func `too short names the required number of letters`() {
    #expect(Rule.minLength(4).report.message == "Words need at least 4 letters")
    #expect(Rule.minLength(2).report.message == "Words need at least two letters")
    #expect(Rule.minLength(4).report.code == .failure(.tooShort))
  }

  /// Returns the first failure of one guess in a game with these rules.
  private func code(_ rules: [String], _ guesses: [String], base: String = "level", words: [String] = englishWords)
    throws -> String
  {
    let mode = Mode(name: "test", title: "Test", summary: "", rules: try rules.map { try Rule(parsing: $0) })
    let game = try game(mode, base: base, words: words)
    return try guesses.map { try game.code($0) ?? "ok" }.joined(separator: " ")
  }

  @Test(
    arguments: [
      (["min_length:4"], ["cab", "bean", "ñañá"], "too_short ok ok"),
      (["max_length:4"], ["grace", "bean"], "too_long ok"),
      (["length:4"], ["cab", "grace", "bean"], "wrong_length wrong_length ok"),
      (["unused"], ["x", "x", "X ", "y"], "ok already_used already_used ok"),
      (["reusable_letters"], ["eve", "lllll", "leaf"], "ok ok not_possible"),
      (["contains:vE"], ["level", "leel", "ve", ""], "ok letter_missing ok letter_missing"),
      (["starts_with:le"], ["level", "ele", "l"], "ok wrong_start wrong_start"),
      (["palindrome"], ["level", "noon", "éaé", "cab"], "ok ok ok not_a_palindrome"),
      (["in_dictionary"], ["zebra", "zebr", "zebra"], "ok not_a_word ok"),
      (["ladder_step"], ["lever", "never", "level", "leve", "never"], "ok ok not_a_step not_a_step not_a_step"),
      ([], ["", "anything at all"], "ok ok"),
      (["in_dictionary", "min_length:4"], ["qqq", "cab"], "not_a_word too_short"),
      (["from_letters"], ["level", "lev", "lell", "e\u{301}l"], "ok ok not_possible not_possible"),
    ] as [([String], [String], String)])
  func `a rule allows what it should`(rules: [String], guesses: [String], expected: String) throws {
    #expect(try code(rules, guesses) == expected)
  }

  @Test func `a sigma at the end of a word is the same letter as one inside a word`() throws {
    let game = try game(base: "σκυλο", words: ["σκυλο", "λυκος", "σος"], language: "greek")
    #expect(try game.code("ΛΥΚΟΣ") == nil)
    #expect(try game.code("σος") == "not_possible")
    for rule in [Rule.contains("σ"), .contains("ος"), .startsWith("λόγος")] {
      let mode = Mode(name: "test", title: "Test", summary: "", rules: [rule])
      #expect(try WordGamesTests.game(mode, base: "λόγος", words: ["λόγος"], language: "greek").code("λόγος") == nil)
    }
    let inside = Mode(name: "test", title: "Test", summary: "", rules: [.startsWith("λόγος")])
    #expect(try WordGamesTests.game(inside, base: "λόγος", words: ["λόγος"], language: "greek").code("λόγοσα") == nil)
  }

  @Test func `the native letter count agrees with canForm for random words`() throws {
    var generator = TestGenerator(5)
    let letters = Array("abcdeñéλσς\u{1E9E}q\u{303}q")
    func word(_ lengths: ClosedRange<Int>) -> String {
      String(
        (0..<Int.random(in: lengths, using: &generator)).map { _ in letters.randomElement(using: &generator) ?? "a" })
    }
    let mode = Mode(name: "test", title: "Test", summary: "", rules: [.fromLetters])
    for _ in 0..<60 {
      let game = try game(mode, base: word(2...12).lowercased())
      for _ in 0..<20 {
        let guess = word(1...6).lowercased()
        #expect(try game.code(guess) == (canForm(letters: game.baseWord, word: guess) ? nil : "not_possible"))
      }
    }
  }

  @Test func `a base word with more different letters than the tables hold is handled all the same`() throws {
    let letters = "abcdefghijklmnopqrstuvwxyzáéíóúñüàèìòùâêîôû"
    let mode = Mode(name: "test", title: "Test", summary: "", rules: [.fromLetters])
    let game = try game(mode, base: letters)
    #expect(try game.code("ûôî") == nil)
    #expect(try game.code("ûû") == "not_possible")
    #expect(try game.code("abû") == nil)
    #expect(try game.code("aaû") == "not_possible")
  }
}
