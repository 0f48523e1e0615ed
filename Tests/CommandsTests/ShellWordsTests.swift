// Tests of splitting lines into words, of quoting, and of distinguishing commands from Lua.

import Commands
import TestSupport

@Suite struct ShellWordsTests {
  @Test(arguments: [
    ("", []), ("   ", []), ("a  b\tc\nd", ["a", "b", "c", "d"]), ("'a b'c", ["a bc"]), (#"a\ b"#, ["a b"]),
    (#""a \"b\" \\ \x""#, [#"a "b" \ \x"#]), (#"'a\b'"#, [#"a\b"#]), ("''", [""]), (#""" x"#, ["", "x"]),
    (#"a\"#, [#"a\"#]), ("a\\\nb", ["ab"]), ("\\\n a", ["a"]), ("el\u{301} ñ", ["el\u{301}", "ñ"]),
    (#""$HOME" \$x "\$y""#, ["$HOME", "$x", "$y"]), ("a#b #c", ["a#b", "#c"]), ("~/x '~/x' a~", ["/h/x", "~/x", "a~"]),
    ("~ ~bob/x", ["/h", "~bob/x"]), ("'it'\\''s'", ["it's"]),
  ])
  func `words are split as a POSIX shell splits them`(line: String, expected: [String]) throws {
    #expect(try ShellWords.split(line, home: "/h") == expected)
  }

  @Test(arguments: [("a 'b", "'", 3), ("\"", "\"", 1), ("x \"a\\\"", "\"", 3)])
  func `an unclosed quote is reported where it opens`(line: String, quote: Character, column: Int) {
    #expect(throws: CommandError.unterminatedQuote(quote, column: column)) { try ShellWords.split(line) }
  }

  @Test func `quoted words are split into the same words again`() throws {
    var random = TestGenerator(3)
    let letters: [Character] = ["a", " ", "'", "\"", "\\", "\t", "\n", "$", "~", "/", "é", "🐕", "-", "=", "`"]
    for _ in 0..<3_000 {
      let words = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        String((0..<Int.random(in: 0...6, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
      }
      #expect(try ShellWords.split(words.map(ShellWords.quote).joined(separator: " "), home: "/h") == words)
      for (state, mark) in [(QuoteState.single, "'"), (.double, "\"")] {
        let line = words.map { mark + ShellWords.escape($0, in: state) + mark }.joined(separator: " ")
        #expect(try ShellWords.split(line) == words)
      }
      let plain = words.filter { !$0.isEmpty }
      let escaped = plain.map { ShellWords.escape($0, in: .none) }.joined(separator: " ")
      #expect(try ShellWords.split(escaped, home: "/h") == plain)
    }
  }

  @Test(arguments: [
    ("deck sh", ["deck"], "sh", 5, QuoteState.none), ("deck ", ["deck"], "", 5, .none), ("", [], "", 0, .none),
    ("é 'a b", ["é"], "a b", 3, .single), ("x \"a", ["x"], "a", 2, .double), ("x a\\ b", ["x"], "a b", 2, .none),
  ])
  func `the word under the cursor is found with its quotes`(
    line: String, words: [String], word: String, start: Int, quote: QuoteState
  ) {
    let partial = ShellWords.partial(line)
    #expect(partial.words == words)
    #expect(partial.word == word)
    #expect(partial.start == start)
    #expect(partial.quote == quote)
  }
}

@Suite struct CommandLineRuleTests {
  private static let commands: Set<String> = ["deck", "set", "study", "play", "frequency-deck", "lua", "history"]

  @Test(
    arguments: [
      ("deck list", true), ("  deck list", true), ("deck", true), ("set game.length 7", true), ("play --base x", true),
      ("deck\tlist", true), ("frequency-deck x", true), ("study -5", true), ("deck create =x", true),
      ("play \"a\"", true), ("set x = 5", true), ("deck list;", true), ("deck (x)", true), ("deck\nlist", true),
      ("deck.name", false), ("deck:study()", false), ("deck[1]", false), ("study(1)", false), ("play{mode=1}", false),
      ("deck = 5", false), ("deck=5", false), ("deck , b = 1, 2", false), ("deck, b = 1, 2", false),
      ("deck == x", false), ("decks", false), ("", false), ("   ", false), ("= deck", false), ("=deck", false),
      ("lua deck", false), ("lua", false), ("frequency-deck.x", false), ("deck\"x\"", false), ("'deck' list", false),
      ("x = 1", false), ("-- deck", false), ("Deck list", false), ("history", false), ("history x", true),
      ("history  ", false), ("deck;", false), ("local deck = 1", false), ("é", false),
    ] as [(String, Bool)])
  func `a line is a command by the rule of the contract`(line: String, expected: Bool) {
    let answer = isCommandLine(line, knows: Self.commands.contains, isUserGlobal: { $0 == "history" })
    #expect(answer == expected)
  }

  @Test(arguments: [
    ("lua deck", "deck"), ("  lua  x = 1", "x = 1"), ("lua", ""), ("luax", "luax"), ("lua = 5", "lua = 5"),
    ("deck list", "deck list"), ("=1", "=1"), (" \t=1", "=1"),
  ])
  func `the prefix that forces Lua may follow spaces, and the word lua is removed`(line: String, expected: String) {
    #expect(withoutLuaWord(line) == expected)
  }
}
