// Tests of hostile guesses and base words, and of forged saved games.

import Files
import Lexicon
import Problems
import TestSupport

@testable import WordGames

@Suite struct HostileInputTests {
  @Test(arguments: [
    ("", "too_short"), ("   \t\n", "too_short"), ("\u{0}\u{0}", "not_possible"), ("ca\u{1B}[31mb", "not_possible"),
    ("c a b", "not_possible"), ("cab\u{0}", "not_possible"), ("\u{202E}bac", "not_possible"),
    ("ca\u{301}b", "not_possible"),
    ("?a?", "not_possible"), ("🂡🂡", "not_possible"), (String(repeating: "a", count: 1 << 20), "not_possible"),
    (String(repeating: "e\u{301}", count: 1 << 16), "not_possible"),
    (String(repeating: " ", count: 1 << 20), "too_short"),
    ("a" + String(repeating: "\u{301}", count: 1 << 16), "too_short"),
  ])
  func `a guess of any bytes gets an answer`(guess: String, code: String) throws {
    #expect(try game().code(guess) == code)
  }

  @Test func `bytes that are not UTF-8 get an answer`() throws {
    let game = try game()
    for bytes in [[0xFF, 0xFE], [0x63, 0xC3], [0xED, 0xA0, 0x80], [0x63, 0x80, 0x62]] as [[UInt8]] {
      #expect(try bytes.withUnsafeBufferPointer { try game.code(of: game.guess($0)) } != nil)
    }
    #expect(try game.code(of: game.guess(UnsafeBufferPointer(start: nil, count: 0))) == "too_short")
    #expect(game.count == 0)
  }

  @Test func `accents may be decomposed, and case follows the language`() throws {
    let spanish = try game(base: "canción", words: ["canción", "cinco", "nación"], language: "spanish")
    #expect(try spanish.code("NACIO\u{301}N") == nil)
    #expect(try spanish.code("nación") == "already_used")
    #expect(try spanish.code("nacion") == "not_possible")
    let turkish = try game(base: "ışıkiz", words: ["ışık", "iz"], language: "turkish")
    #expect(try turkish.code("IŞIK") == nil)
    #expect(try turkish.code("İZ") == nil)
    #expect(try turkish.code("IZ") == "not_a_word")
  }

  @Test(arguments: ["", "x", "  ", "two words", "b2b", "a\u{0}b", "a?b", String(repeating: "a", count: 1001)])
  func `an invalid base word is refused`(base: String) throws {
    #expect(try #require(throws: GameError.self) { try game(base: base) }.code == "bad_base")
  }

  @Test func `a base word of 500 letters is played`() throws {
    let game = try game(base: String(repeating: "cambering", count: 56))
    #expect(try game.code("zebra") == "not_possible")
    #expect(try game.code("bearing") == nil)
    #expect(game.possible().count == 10)
    #expect(game.length == 504)
  }

  @Test func `a letter can be used as often as the base word has it, even more than 255 times`() throws {
    let mode = Mode(name: "free", title: "", summary: "", rules: [.fromLetters])
    let game = try game(mode, base: String(repeating: "a", count: 300) + "b")
    #expect(try game.code(String(repeating: "a", count: 300)) == nil)
    #expect(try game.code(String(repeating: "a", count: 301)) == "not_possible")
    #expect(try game.code("bb") == "not_possible")
  }

  @Test func `a saved game is restored as it was`() throws {
    var seconds = 500.0
    let mode = Mode.timed
    let game = try Game.start(
      mode: mode, lexicon: lexicon(), BaseWordOptions(word: "cambering"), random: TestGenerator(1),
      clocks: Clocks(now: { seconds }, elapsed: { seconds }))
    for word in ["cab", "grace", "ring"] { _ = try game.guess(word) }
    _ = try game.hint()
    seconds += 42.5
    var state = try game.state
    state.data = "line \"one\"\n\\ \u{1} ñ 🂡"
    var read = try GameState(decoding: state.encoded)
    read.found = state.found
    #expect(read == state)
    seconds = 9000
    let again = try Game.resume(
      read, mode: mode, lexicon: lexicon(), random: TestGenerator(2),
      clocks: Clocks(now: { seconds }, elapsed: { seconds }))
    #expect(again.found == game.found)
    #expect(again.score == game.score)
    #expect(again.average == game.average)
    #expect(again.timeRemaining == 180 - 42.5)
    #expect(again.rules == game.rules)
    #expect(try again.code("cab") == "already_used")
    var back = try again.state
    back.data = state.data
    #expect(back == state)
  }

  @Test func `a forged saved game is refused or played, and does no harm`() throws {
    let game = try game(.duel)
    for word in ["cab", "grace", "ring"] { _ = try game.guess(word) }
    let text = try Array(game.state.encoded.utf8)
    var generator = TestGenerator(3)
    var refused = 0
    for round in 0..<3000 {
      var changed = text
      if round % 3 == 0 { changed.removeLast(Int.random(in: 1..<text.count, using: &generator)) }
      for _ in 0..<Int.random(in: 1...3, using: &generator) where !changed.isEmpty {
        let letters = Array("{}[]\",:-0199eE\\utfn \u{FF}".utf8)
        changed[Int.random(in: 0..<changed.count, using: &generator)] = letters.randomElement(using: &generator) ?? 0
      }
      do {
        let state = try GameState(decoding: String(decoding: changed, as: UTF8.self))
        let again = try Game.resume(
          state, mode: .duel, lexicon: lexicon(), random: TestGenerator(1), clocks: Clocks(now: { 0 }))
        _ = try again.guess("bean")
        _ = again.scores
        _ = again.result.encoded
        again.pass()
      } catch {
        let problem = try #require(error as? GameError)
        #expect(["bad_state", "bad_base", "bad_rule", "unknown_rule"].contains(problem.code))
        refused += 1
      }
    }
    #expect(refused > 1000)
  }

  @Test func `an invalid saved game is reported with what is wrong with it`() throws {
    func reason(_ text: String) throws -> String {
      try #require(throws: GameError.self) { try GameState(decoding: text) }.message
    }
    #expect(try reason("").hasPrefix("the saved game cannot be read: line 1, column 1: "))
    #expect(try reason("{}") == "the saved game cannot be read: \"version\": a whole number expected, nothing found")
    #expect(
      try reason("{\"version\":2}")
        == "the saved game cannot be read: \"version\": a whole number from 1 to 1 expected, 2 found")
    #expect(try reason(String(repeating: "[", count: 100_000)).contains("lists and objects nested more than 16 deep"))
    #expect(try reason("{\"version\":1,\"mode\":\"\\ud800\"}").contains("half of a surrogate pair"))
    var state = try game(.duel).state
    state.tally.currentPlayer = 7
    #expect(throws: GameError.self) {
      try Game.resume(state, mode: .duel, lexicon: lexicon(), random: TestGenerator(1), clocks: Clocks(now: { 0 }))
    }
    #expect(throws: GameError.self) {
      try Game.resume(state, mode: .classic, lexicon: lexicon(), random: TestGenerator(1), clocks: Clocks(now: { 0 }))
    }
  }

  @Test func `results are stored and the best of each mode and language is found`() throws {
    let game = try game(now: { 77 })
    for word in ["cab", "bearing", "grace", "margin"] { _ = try game.guess(word) }
    let result = game.result
    #expect(result.longest == "bearing")
    #expect(result.finishedAt == 77)
    #expect(try GameResult(decoding: result.encoded) == result)
    var rich = result
    (rich.score, rich.scores) = (3_000_000_000, [3_000_000_000])
    #expect(try GameResult(decoding: rich.encoded) == rich)
    var saved = try game.state
    (saved.tally.bonus, saved.found) = (3_000_000_000, [])
    #expect(try GameState(decoding: saved.encoded) == saved)
    var better = result
    better.score = 100
    var other = result
    other.mode = "timed"
    #expect(GameResult.best(of: [result, other, better, result]) == [better, other])
    #expect(GameResult.best(of: []) == [])
    #expect(throws: GameError.self) { try GameResult(decoding: "[1]") }
  }
}
