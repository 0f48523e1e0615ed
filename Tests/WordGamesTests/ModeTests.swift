// Tests of modes: the built-in ones, their clocks, turns and points, and what a mode's functions may do.

import Files
import Lexicon
import Problems
import TestSupport
import Text
import WordGames

private struct HookFailure: Error, Equatable {}

/// Returns distinct words of eight letters.
private func eightLetterWords(_ count: Int) -> [String] {
  let letters = Array("abcdefghijklmnopqrst")
  var generator = TestGenerator(11)
  var words: Set<String> = []
  while words.count < count {
    words.insert(String((0..<8).map { _ in letters.randomElement(using: &generator) ?? "a" }))
  }
  return words.sorted()
}

/// A clock that a test sets.
private final class Clock {
  var seconds = 1_000_000.0
}

@Suite struct ModeTests {
  private let clock = Clock()

  private func game(_ mode: Mode, base: String? = "cambering", length: Int? = nil, seed: UInt64 = 1) throws -> Game {
    try WordGamesTests.game(mode, base: base, length: length, seed: seed, now: { [clock] in clock.seconds })
  }

  @Test func `a timed game ends with its clock, which stops while paused`() throws {
    let game = try game(.timed)
    #expect(game.timeRemaining == 180)
    #expect(try game.guess("cambering") == .accepted(points: 19))
    clock.seconds += 100
    game.pause()
    clock.seconds += 1000
    #expect(game.timeRemaining == 80)
    game.resume()
    clock.seconds += 79
    #expect(try game.guess("cab") == .accepted(points: 3))
    clock.seconds -= 500
    #expect(game.timeRemaining == 1)
    clock.seconds += 600
    #expect(try game.guess("grace") == .over)
    #expect(try game.isFinished())
    #expect(game.count == 2)
    _ = try game.newWord()
    #expect(try !game.isFinished())
  }

  @Test func `setting the clock of the machine neither ends a timed game nor extends it`() throws {
    let date = Clock()
    let game = try Game.start(
      mode: .timed, lexicon: lexicon(), BaseWordOptions(word: "cambering"), random: TestGenerator(1),
      clocks: Clocks(now: { date.seconds }, elapsed: { [clock] in clock.seconds }))
    clock.seconds += 10
    for change in [3600.0, -7200] {
      date.seconds += change
      #expect(game.timeRemaining == 170)
    }
  }

  @Test func `blitz moves to a new base word after three words and keeps the found words`() throws {
    let words = englishWords + ["cambered", "embraced"]
    let game = try WordGamesTests.game(
      .blitz, base: "cambering", length: 8, words: words, now: { [clock] in clock.seconds })
    for word in ["cab", "grace", "ring"] { #expect(try game.code(word) == nil) }
    #expect(["cambered", "embraced"].contains(game.baseWord))
    #expect(game.found == ["ring", "grace", "cab"])
    let first = game.baseWord
    #expect(try game.newWord() != first)
    #expect(game.count == 3)
    clock.seconds += 120
    #expect(try game.guess("cab") == .over)
  }

  @Test func `daily gives everybody the word of the day`() throws {
    let words = eightLetterWords(300)
    func base(_ seed: UInt64) throws -> String {
      try WordGamesTests.game(.daily, base: nil, words: words, seed: seed, now: { [clock] in clock.seconds }).baseWord
    }
    let today = try base(1)
    #expect(try base(2) == today)
    clock.seconds += 3600
    #expect(try base(3) == today)
    let week = try (1...7).map { day in
      clock.seconds += 86_400
      return try base(UInt64(day))
    }
    #expect(Set(week).count > 3)
  }

  @Test func `the word of the day changes at the user's midnight`() throws {
    let list = try lexicon(eightLetterWords(300))
    func base(at seconds: Double, east hours: Double) throws -> String {
      let clocks = Clocks(now: { seconds }, elapsed: { seconds }, zoneOffset: { _ in hours * 3600 })
      return try Game.start(mode: .daily, lexicon: list, random: TestGenerator(1), clocks: clocks).baseWord
    }
    for day in 20_000..<20_007 {
      let midnight = Double(day) * 86_400
      let word = try base(at: midnight, east: 0)
      for hours in [-8.0, 10] {
        let begins = midnight - hours * 3600
        #expect(try base(at: begins, east: hours) == word && base(at: begins + 86_399, east: hours) == word)
      }
    }
  }

  @Test func `daily scores letters by their value`() throws {
    let game = try game(.daily)
    #expect(try game.guess("cab") == .accepted(points: 3 + 1 + 3))
    #expect(try game.guess("cambering") == .accepted(points: 3 + 1 + 3 + 3 + 1 + 1 + 1 + 1 + 2 + 10))
  }

  @Test func `a duel alternates turns and ends when both pass`() throws {
    let game = try game(.duel)
    #expect(try game.code("cab") == nil)
    #expect(game.currentPlayer == 1)
    #expect(try game.code("cab") == "already_used")
    #expect(game.currentPlayer == 1)
    #expect(try game.code("grace") == nil)
    #expect(game.scores == [3, 5])
    game.pass()
    #expect(try game.code("ring") == nil)
    #expect(game.scores == [3, 9])
    game.pass()
    game.pass()
    #expect(try game.guess("bean") == .over)
  }

  @Test func `a game that was given up is over, and a new word starts another`() throws {
    let game = try game(.classic)
    game.giveUp()
    #expect(try game.guess("cab") == .over)
    #expect(try game.refusal(of: "cab", as: game.guess("cab"))?.code == "over")
    let plain = try self.game(.classic, base: nil, length: 9)
    plain.giveUp()
    _ = try plain.newWord()
    #expect(try plain.code("cab") == nil)
  }

  @Test func `a hint gives the first letter and length of a word not found yet, and costs points`() throws {
    let game = try game(.classic)
    for word in game.possible() where word != "grace" { #expect(try game.code(word) == nil) }
    let score = game.score
    #expect(try game.hint() == "A word of 5 letters begins with g")
    #expect(game.score == score - 2)
    #expect(try game.code("grace") == nil)
    #expect(try game.hint() == "Every possible word is found")
    #expect(game.score == score - 2 + 5)
    let poor = try self.game(.classic)
    _ = try poor.hint()
    #expect(poor.score == 0)
  }

  @Test func `reaching numbers of words is rewarded, in some modes with points`() throws {
    let plain = try game(.classic)
    let timed = try game(.timed)
    for word in ["cab", "ring", "bean", "bane", "crab"] {
      #expect(plain.reward == nil)
      _ = try plain.guess(word)
      _ = try timed.guess(word)
    }
    #expect(plain.reward?.words == 5)
    #expect(plain.score == 19)
    #expect(timed.score == 19 + 5)
  }

  @Test func `a base word is chosen by length and is the same for the same generator`() throws {
    let words = eightLetterWords(500)
    func base(_ seed: UInt64) throws -> String { try WordGamesTests.game(base: nil, words: words, seed: seed).baseWord }
    #expect(try base(1) == base(1))
    #expect(try Set((0..<20).map { try base($0) }).count > 5)
    let error = try #require(throws: GameError.self) { try game(.classic, base: nil, length: 30) }
    #expect(error.message == "no English word has 30 letters; the list has words of 2 to 9 letters")
    for length in [0, -1, 1, Int.max, Int.min] {
      #expect(throws: GameError.self) { try game(.classic, base: nil, length: length) }
    }
  }

  @Test func `a base word has many words to find if the list has one`() throws {
    let letters = Array("abcdefgh")
    let many = (1...255).map { set in String(letters.indices.filter { set >> $0 & 1 == 1 }.map { letters[$0] }) }
    let words = many + ["qqqqqqqq", "zzzzzzzz", "xxxxxxxx"]
    let lexicon = try lexicon(words)
    for seed in 1...10 as ClosedRange<UInt64> {
      let game = try Game.start(
        mode: .classic, lexicon: lexicon, random: TestGenerator(seed), clocks: Clocks())
      #expect(game.baseWord == "abcdefgh")
    }
  }

  @Test func `a mode's functions set the base word, show, accept, score, finish and hint`() throws {
    var mode = Mode(name: "mine", title: "Mine", summary: "", rules: [.minLength(2)])
    mode.hooks.setup = { _ in ModeSetup(base: " NOON ", rules: [.fromLetters]) }
    mode.hooks.show = { game in "****" + String(game.length) }
    mode.hooks.accept = { _, word in
      word == "on" ? PlainProblem(code: "nope", title: "No", message: "Not this one") : nil
    }
    mode.hooks.score = { _, word in word == "no" ? 7 : Int.max }
    mode.hooks.finished = { game in game.count > 1 }
    mode.hooks.hint = { _ in "think" }
    let game = try game(mode)
    #expect(game.baseWord == "noon")
    #expect(game.rules == [.fromLetters])
    #expect(try game.shown() == "****4")
    #expect(try game.guess("on") == .declined)
    #expect(
      game.declined
        == Refusal(ProblemReport(.custom("nope"), "No", "Not this one"), word: "on"))
    #expect(try game.guess("no") == .accepted(points: 7))
    #expect(try game.hint() == "think")
    #expect(try game.guess("noon") == .accepted(points: 1_000_000_000))
    #expect(game.score == 1_000_000_007)
    #expect(try game.guess("oo") == .over)
  }

  @Test func `an error in a mode's function is passed on, and nothing was changed`() throws {
    for place in 0..<3 {
      var mode = Mode.classic
      if place == 0 { mode.hooks.accept = { _, _ in throw HookFailure() } }
      if place == 1 { mode.hooks.score = { _, _ in throw HookFailure() } }
      if place == 2 { mode.hooks.finished = { _ in throw HookFailure() } }
      let game = try game(mode)
      #expect(throws: HookFailure.self) { try game.guess("cab") }
      #expect(game.count == 0)
    }
    var mode = Mode.classic
    mode.hooks.setup = { _ in throw HookFailure() }
    #expect(throws: HookFailure.self) { try game(mode) }
    mode.hooks.setup = { _ in ModeSetup(base: "x") }
    #expect(throws: GameError.self) { try game(mode) }
  }

  @Test func `a set-up that fails leaves the game as it was`() throws {
    var mode = Mode.classic
    var result = Result<ModeSetup?, HookFailure>.success(nil)
    mode.hooks.setup = { _ in try result.get() }
    let game = try game(mode)
    for word in ["cab", "grace"] { #expect(try game.code(word) == nil) }
    _ = try game.hint()
    let before = try game.state
    result = .failure(HookFailure())
    #expect(throws: HookFailure.self) { try game.newWord() }
    #expect(try game.state == before)
    #expect(try game.code("cab") == "already_used")
    #expect(try game.code("ring") == nil)
  }

  @Test func `a set-up that fails after the last word on a base word leaves the word uncounted`() throws {
    var mode = Mode.classic
    mode.wordsPerBase = 2
    var result = Result<ModeSetup?, HookFailure>.success(nil)
    mode.hooks.setup = { _ in try result.get() }
    let game = try game(mode)
    #expect(try game.code("cab") == nil)
    let before = try game.state
    result = .failure(HookFailure())
    #expect(throws: HookFailure.self) { try game.guess("grace") }
    #expect(try game.state == before)
    result = .success(nil)
    #expect(try game.code("cab") == "already_used")
    #expect(try game.code("grace") == nil)
    #expect(game.count == 2 && game.score == 8)
  }

  @Test func `a mode that was loaded again gives its own next reward`() throws {
    var mode = Mode.classic
    mode.scoring.rewards = [Reward(words: 5, title: "", points: 1)]
    let game = try game(mode)
    #expect(try game.code("cab") == nil)
    mode.scoring.rewards = [Reward(words: 2, title: "", points: 7)]
    try game.take(mode)
    #expect(try game.code("grace") == nil)
    #expect(game.score == 15)
  }

  @Test func `a mode's function cannot guess or restart while it runs`() throws {
    var mode = Mode.classic
    mode.hooks.accept = { game, word in
      _ = try game.guess(word)
      return nil
    }
    mode.hooks.score = { game, _ in
      _ = try game.newWord()
      return 1
    }
    let game = try game(mode)
    #expect(throws: GameError.busy) { try game.guess("cab") }
    mode.hooks.accept = nil
    let other = try self.game(mode)
    #expect(throws: GameError.busy) { try other.guess("cab") }
    mode.hooks.score = nil
    mode.hooks.show = { game in "\(try game.guess("cab"))" }
    mode.hooks.hint = { game in try game.hint() }
    let shown = try self.game(mode)
    #expect(throws: GameError.busy) { try shown.shown() }
    #expect(throws: GameError.busy) { try shown.hint() }
    #expect(other.count == 0 && shown.count == 0)
  }

  @Test func `extreme numbers in a mode do no harm`() throws {
    var mode = Mode.classic
    mode.players = 0
    mode.scoring.allLettersBonus = .max
    mode.scoring.hintCost = .max
    mode.scoring.rewards = [Reward(words: 1, title: "", points: .max)]
    let game = try game(mode)
    #expect(try game.guess("cambering") == .accepted(points: 1_000_000_000))
    _ = try game.hint()
    _ = try game.hint()
    #expect(game.score == 1_000_000_000)
    mode.players = .min
    #expect(mode.players == 1)
    mode.players = .max
    #expect(try self.game(mode).scores.count == 100)
  }

  @Test func `a name belongs to one mode, and its owner removes it`() throws {
    let table = ModeTable()
    let (palindromes, other) = (Owner.plugin(PluginName("palindromes")!), Owner.plugin(PluginName("other")!))
    #expect(table.names.map(\.name) == ["classic", "timed", "daily", "blitz", "duel"])
    let mode = Mode(name: "palindromes", title: "Palindromes", summary: "", rules: [.palindrome])
    try table.add(mode, owner: palindromes)
    let taken = try #require(throws: NameProblem.self) { try table.add(mode, owner: other) }
    #expect(taken.message == "mode \"palindromes\" already exists, of palindromes")
    #expect(throws: NameProblem.taken(kind: "mode", name: "classic", owner: .program)) {
      try table.add(.classic, owner: other)
    }
    for name in ["", "Classic", "a b", "a\n", String(repeating: "a", count: 65)] {
      #expect(throws: GameError.self) {
        try table.add(Mode(name: name, title: "", summary: "", rules: []), owner: other)
      }
    }
    #expect(try table.named("palindromes").title == "Palindromes")
    #expect(table.owner(of: "palindromes") == palindromes)
    table.remove(owner: palindromes)
    table.remove(owner: .program)
    #expect(table.entries.count == 5)
    let missing = try #require(throws: NameProblem.self) { try table.named("clasic") }
    #expect(missing.message.contains("did you mean \"classic\"?"))
  }

  @Test func `possible words follow the rules, with or without letters to use`() throws {
    func possible(_ rules: [Rule], base: String = "level") throws -> [String] {
      try WordGamesTests.game(Mode(name: "t", title: "", summary: "", rules: rules), base: base).possible()
    }
    #expect(try possible([.palindrome, .unused]) == ["level", "noon"])
    #expect(try possible([.startsWith("b"), .length(4)]) == ["bane", "bean"])
    #expect(try possible([.reusableLetters, .inDictionary], base: "abc") == ["cab", "ab"])
    #expect(try possible([.minLength(7), .fromLetters], base: "cambering") == ["cambering", "bearing"])
  }

  @Test func `a game of more than 512 found words knows each of them, and no other`() throws {
    let words = eightLetterWords(3_000)
    let mode = Mode(name: "free", title: "", summary: "", rules: [.unused, .inDictionary])
    let game = try WordGamesTests.game(mode, base: words[0], words: words)
    for (index, word) in words.prefix(2_500).enumerated() {
      #expect(try game.code(word) == nil)
      // At each size at which a table could grow, and around it.
      if index % 127 == 0 {
        for known in words.prefix(index + 1) where try game.code(known) != "already_used" {
          Issue.record("\(known) was forgotten at \(index)")
        }
      }
    }
    for word in words.dropFirst(2_500) { #expect(try game.code(word) == nil) }
    #expect(game.count == 3_000 && game.score == 24_000 && game.average == 8)
    #expect(Set(game.found) == Set(words) && game.found.first == words.last)
    _ = try game.newWord()
    #expect(try game.code(words[7]) == nil)
    #expect(game.count == 1 && game.score == 8)
  }

  @Test func `a guess is parsed once, in place if it is in normal form`() throws {
    let game = try WordGamesTests.game(base: "canción", words: ["canción", "cinco", "nación"], language: "spanish")
    for (text, word, isAsGiven) in [
      ("cinco", "cinco", true), ("nación", "nación", true), (" cinco", "cinco", false), ("CINCO", "cinco", false),
      ("nacio\u{301}n", "nación", false), ("", "", true),
    ] {
      var text = text
      let read = text.withUTF8 { bytes in
        let guess = game.read(bytes)
        return (guess.word, guess.isAsGiven)
      }
      #expect(read == (word, isAsGiven), "\(text)")
    }
  }
}
