// Word games for learners, through the built program: common words, missed words with their meanings, cards made of
// them.

import Glibc
import TestSupport

@Suite struct LearnerGameTests {
  private let home = Home()

  init() throws {
    // The most frequent words of English, and enough other words to give an order.
    let common = ["grace", "bearing", "margin", "ring", "brain", "cigar", "image", "game", "nice", "being", "begin"]
    let rest = try home.lua("for w in words.lexicon('english'):words{length = 7, prefix = ''} do print(w) end")
      .lines
    try home.write(
      (common + rest.filter { !common.contains($0) }.prefix(1_200)).joined(separator: "\n") + "\n",
      to: "data/frequency/en.tsv")
    try home.write(
      "grace\tease\nmargin\tthe edge\nring\ta circle\ncab\ta taxi\nbearing\tmanner\n",
      to: "data/dictionaries/eng-mine.tsv")
  }

  @Test func `a game asks for common words, accepts any word, and ends with a page that explains`() throws {
    let run = try home.run("play", "--base", "cambering", "--language", "english", input: "cab\nring\n/give-up\n")
    #expect(run.output.contains("cab: 3 points"), "\(run)")
    let explained = run.lines.drop { $0 != "Not found:" }.dropFirst()
    #expect(explained.first == "  grace    ease", "\(run)")
    #expect(explained.contains("  margin   the edge") && explained.count <= 21, "\(run)")
    #expect(!run.output.contains("a taxi") && !run.output.contains("a circle"), "\(run)")
    let all = try home.run(
      "--set", "game.words=all", "-e", "#games.new{base = 'cambering', language = 'english'}:possible()")
    let few = try home.lua("#games.new{base = 'cambering', language = 'english'}:possible()")
    let counts = [all, few].map { Int($0.output.trimmingLineEnd) ?? 0 }
    #expect(counts[1] > 5 && counts[0] > 5 * counts[1], "\(counts)")
  }

  @Test func `missed words become at most twenty cards, with a meaning or a sentence, never words the mode refuses`()
    throws
  {
    try home.run("deck", "create", "Mine")
    try home.run("card", "add", "Mine", "He made the first image of it.", "x")
    try home.install(
      "picky",
      code: """
        games.mode{name = "m", accept = function(game, word)
          if word == "margin" then return nil, "not this one" end return true end}
        """)
    try home.run("plugin", "enable", "picky", "--grant")
    let run = try home.run(
      "play", "m", "--base", "cambering", "--language", "english", "--to-deck", "Missed", input: "ring\n/give-up\n")
    #expect(run.errors.contains("added to \"Missed\"; 0 were already there; "), "\(run)")
    let cards = try home.lua("for c in decks.open('Missed'):cards() do print(c.answer, c.prompt) end").lines
    #expect(cards.contains("grace\tease") && cards.contains("image\tHe made the first ___ of it."), "\(cards)")
    #expect(!cards.contains { $0.hasPrefix("margin") || $0.hasPrefix("ring") || $0.hasPrefix("game") }, "\(cards)")
    try home.write(
      try home.run("word", "formable", "cambering", "--language", "english").lines.map { "\($0)\tm\n" }.joined(),
      to: "data/dictionaries/eng-all.tsv")
    let many = try home.run(
      "--set", "game.words=all", "play", "--base", "cambering", "--language", "english", "--to-deck", "Many", input: "")
    #expect(many.errors.contains("20 missed words added"), "\(many)")
  }

  @Test func `a hidden word that was given up is shown with its meaning, and listed in the scores`() throws {
    try home.write("zebra\ta striped horse\n", to: "data/dictionaries/eng-mine.tsv")
    let run = try home.run("play", "hangman", "--base", "zebra", "--language", "english", input: "a\n/give-up\n")
    #expect(run.output.contains("The word was zebra.\n  zebra  a striped horse\n"), "\(run)")
    #expect(!run.output.contains("letters on average"), "\(run)")
    let missed = ["play", "hangman", "--base", "zebra", "--language", "english", "--to-deck", "Missed"]
    for (guesses, added) in [("z\ne\nb\nr\na\n", 0), ("a\n/give-up\n", 1)] {
      let run = try home.run(missed, input: guesses)
      #expect(run.errors.contains("\(added) missed word"), "\(run)")
    }
    try home.run("card", "list", "--deck", "Missed").succeeds("a striped horse")
    let scores = try home.run("play", "--scores").output
    #expect(scores.contains("zebra") && !scores.contains("xxxxx") && !scores.contains("0.0"), "\(scores)")
  }

  @Test func `a mode sets the length of its words, and the usual length stays`() throws {
    func base(_ words: String...) throws -> String {
      let run = try home.run(["--json", "play"] + words + ["--language", "english"], input: "")
      return run.lines.first ?? "\(run)"
    }
    let ladder = try base("word_ladder")
    let first = ladder.split(separator: "\"")[3].split(separator: " ").first ?? ""
    #expect(first.count == 4, "\(ladder)")
    #expect(try base("hangman").contains("_ _ _ _ _ _\""))
    _ = try base("word_ladder", "--length", "5")
    #expect(try home.run("set", "game.length").output.contains("8"))
  }

  @Test func `the first use of a list says at once that it is being compiled`() throws {
    let terminal = try home.terminal(
      ["play", "--base", "casa", "--language", "spanish"], ["XDG_CACHE_HOME=\(home.path)/cache"])
    terminal.wait(for: "Preparing the Spanish word list (once)", "4 letter word")
  }
}
