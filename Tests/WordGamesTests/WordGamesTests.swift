// Tests of a running game: the four rules of classic, their messages, and what a mode may change.

import Files
import Lexicon
import Problems
import TestSupport
import WordGames

let englishWords = [
  "cambering", "grace", "cab", "zebra", "bearing", "margin", "ring", "bean", "bane", "level", "noon", "crab", "ab",
]

func lexicon(_ words: [String] = englishWords, _ language: String = "english") throws -> Lexicon {
  try Lexicon.of(words, language: #require(Language.named(language)))
}

func game(
  _ mode: Mode = .classic, base: String? = "cambering", length: Int? = nil, words: [String] = englishWords,
  language: String = "english", seed: UInt64 = 1, now: @escaping () -> Double = { 0 }
) throws -> Game {
  try Game.start(
    mode: mode, lexicon: lexicon(words, language), BaseWordOptions(length: length, word: base),
    random: TestGenerator(seed),
    clocks: Clocks(now: now, elapsed: now))
}

extension Game {
  /// Guesses a word; returns the code of its refusal, nil if it counts.
  func code(_ word: String) throws -> String? { code(of: try guess(word)) }
}

@Suite struct ClassicTests {
  @Test func `the guesses of the contract get its answers`() throws {
    let game = try game()
    let codes = try ["grace", "cab", "cab", "zebra", "geng"].map { try game.code($0) ?? "ok" }
    #expect(codes == ["ok", "ok", "already_used", "not_possible", "not_possible"])
    #expect(game.found == ["cab", "grace"])
    #expect(game.count == 2)
    #expect(game.average == 4)
    #expect(game.score == 8)
  }

  @Test(arguments: [
    ("", "too_short", "This word is too short", "Words need at least two letters"),
    (" g ", "too_short", "This word is too short", "Words need at least two letters"),
    ("CAB\n", "already_used", "You already used this word", "Keep looking!"),
    (
      "geng", "not_possible", "This word is not possible",
      "Create only words from the letters in the given word"
    ),
    ("gracem", "not_a_word", "This is not a valid word", "Use only real words"),
  ])
  func `a refusal names the rule in the words of the contract`(
    guess: String, code: String, title: String, message: String
  ) throws {
    let game = try game()
    #expect(try game.guess("cab") == .accepted(points: 3))
    let refusal = try #require(game.refusal(of: guess, as: game.guess(guess)))
    #expect([refusal.code, refusal.title, refusal.message] == [code, title, message])
    #expect(game.count == 1)
  }

  @Test func `the base word itself counts, and a guess is trimmed and lowercased`() throws {
    let game = try game()
    #expect(try game.guess("  CamBering\r\n") == .accepted(points: 9))
    #expect(game.found == ["cambering"])
  }

  @Test func `a new word clears the list`() throws {
    let game = try game(base: nil, length: 7)
    #expect(game.baseWord == "bearing")
    #expect(try game.guess("ring") == .accepted(points: 4))
    #expect(try game.newWord() == "bearing")
    #expect(game.count == 0)
    #expect(game.score == 0)
    #expect(game.average == 0)
  }

  @Test func `a length beside a base word is that of the next word`() throws {
    #expect(try game(length: 4).newWord().count == 4)
  }

  @Test func `possible and missed words are listed`() throws {
    let game = try game()
    #expect(game.possible().count == 10)
    #expect(try game.code("cab") == nil)
    #expect(game.missed() == game.possible().filter { $0 != "cab" })
  }
}

@Suite struct PlainGuessTests {
  private static func mode(_ change: (inout Mode) -> Void) -> Mode {
    var mode = Mode.classic
    change(&mode)
    return mode
  }

  private static func plainGuess(_ word: String, in game: Game) -> GuessOutcome? {
    var word = word
    return word.withUTF8 { game.guessPlain($0) }
  }

  @Test func `a guess on the fast path is answered and counted like any other`() throws {
    let (plain, general) = (try game(), try game())
    var generator = TestGenerator(5)
    let others = ["zebra", "a", "geng", "", "Grace", " cab", "grâce", "cambering", "level", "caband"]
    var judged = 0
    for _ in 0..<2_000 {
      let word = try #require((englishWords + others).randomElement(using: &generator))
      let outcome = Self.plainGuess(word, in: plain)
      judged += outcome == nil ? 0 : 1
      #expect(try outcome ?? plain.guess(word) == general.guess(word), "\(word)")
      #expect(try plain.state == general.state)
      if plain.count > 6, Bool.random(using: &generator) {
        #expect(try plain.newWord() == general.newWord())
      }
    }
    #expect(judged > 1_000)
  }

  @Test func `if more than the rules decides no guess takes the fast path, and nothing changes`() throws {
    var hooks = ModeHooks()
    hooks.accept = { _, _ in nil }
    let asking = Mode(name: "asking", title: "", summary: "", rules: Mode.classicRules, hooks: hooks)
    let games = [
      try game(asking), try game(Self.mode { $0.seconds = 10 }), try game(Self.mode { $0.players = 2 }),
      try game(Self.mode { $0.wordsPerBase = 1 }), try game(Self.mode { $0.scoring.usesLetterValues = true }),
    ]
    for game in games {
      #expect(Self.plainGuess("grace", in: game) == nil)
      #expect(game.count == 0)
    }
    let ended = try game()
    ended.giveUp()
    #expect(Self.plainGuess("grace", in: ended) == nil)
  }
}

@Suite struct CommonWordGameTests {
  private func game(length: Int? = nil, base: String? = nil) throws -> Game {
    let lexicon = try lexicon()
    let common = try CommonWords(["bearing": 9, "ring": 20, "grace": 5, "zebra": 1], of: lexicon, least: 1)
    return try Game.start(
      mode: .classic, lexicon: lexicon, common: common, BaseWordOptions(length: length, word: base),
      random: TestGenerator(1),
      clocks: Clocks(now: { 0 }))
  }

  @Test func `only common words are chosen and asked for, and any word of the list counts`() throws {
    #expect(try game(length: 7).baseWord == "bearing")
    // None of the common words has that many letters.
    #expect(try game(length: 9).baseWord == "cambering")
    let game = try game(base: "cambering")
    #expect(game.possible() == ["bearing", "grace", "ring"])
    #expect(try game.code("cab") == nil && game.code("ring") == nil)
    #expect(game.count == 2 && game.foundPossible == 1)
    #expect(game.missed() == ["bearing", "grace"])
  }

  @Test func `missed words are ordered by frequency, the shortest last, without those the mode refuses`() throws {
    let lexicon = try lexicon()
    let common = try CommonWords(["cab": 99, "bean": 1, "ring": 20, "grace": 5, "crab": 4], of: lexicon, least: 1)
    var mode = Mode(name: "m", title: "M", summary: "", rules: Mode.classicRules)
    mode.hooks.accept = { _, word in word == "grace" ? Refusal.notAccepted("no", word: word) : nil }
    let game = try Game.start(
      mode: mode, lexicon: lexicon, common: common, BaseWordOptions(word: "cambering"), random: TestGenerator(1),
      clocks: Clocks(now: { 0 }))
    var words: [String] = []
    try game.forEachMissed { words.append($0) == () }
    #expect(words == ["ring", "crab", "bean", "cab"])
  }

  @Test func `a mode has a default length of its own`() throws {
    var mode = Mode.classic
    mode.length = 5
    let game = try Game.start(mode: mode, lexicon: lexicon(), random: TestGenerator(1), clocks: Clocks(now: { 0 }))
    #expect(game.length == 5)
  }
}
