// The scripts that make decks, each run on a small real file.

import TestSupport

@Suite struct DeckScriptTests {
  private let home = Home()

  private static let scripts = [
    "word_list", "dictionary", "words_of_text", "cloze_notes", "arithmetic", "anagrams", "update",
  ]

  private func script(_ name: String) -> String { sourceRoot() + "/Scripts/decks/\(name).lua" }

  /// The cards of a deck, top first: prompt, answer, tags.
  private func cards(_ deck: String, _ home: Home) throws -> [String] {
    let code = """
      for card in decks.open('\(deck)'):cards() do
        print((card.prompt .. ' = ' .. card.answer .. ' [' .. table.concat(card.tags, ' ') .. ']'):gsub('\\n', '/'), nil)
      end
      """
    return try home.lua(code).output.split(separator: "\n").map { line in
      String(line.split(separator: "\t").first ?? "")
    }
  }

  @Test(arguments: scripts)
  func `help is the head comment of the script, and a wrong option is reported`(name: String) throws {
    try home.run("run", script(name), "--help").succeeds("deckhand run \(script(name))")
    try home.run("run", script(name), "--nope").fails("no option is called --nope; --help shows more")
    try home.run("run", script(name)).fails("usage: \(name).lua ")
  }

  @Test func `input may be standard input, and a read error is reported without a position in the script`() throws {
    func read(_ input: String, _ words: String...) throws -> Run {
      try home.run(["run", script(words[0])] + words.dropFirst(), input: input)
    }
    #expect(try read("gato\tcat\n", "dictionary", "-", "D").output.hasPrefix("D: 1 word, 1 card added"))
    #expect(
      try read("gato\tthe cat\n", "update", "-", "D", "--format", "tsv").output.hasPrefix("D: 0 added, 1 changed"))
    #expect(try read("A **b** c\n", "cloze_notes", "C", "-").output.hasPrefix("C: 1 note with 1 card added"))
    #expect(try read("Some words here.", "words_of_text", "-", "W").output.hasPrefix("W: 3 of 3 words added"))
    for (words, message) in [
      (["dictionary", "none.tsv", "D"], "\"none.tsv\" could not be opened"),
      (["cloze_notes", "D", "none.md"], "\"none.md\" could not be opened"),
      (["words_of_text", "none.txt", "D"], "\"none.txt\" could not be opened"),
      (["update", "none.tsv", "E"], "no deck is called \"E\""),
      (["anagrams", "klingon"], "no language is called \"klingon\""),
      (["word_list", "english", "--length", "8-5"], "the smaller number first"),
      (["word_list", "english", "--length", "99999999999999999999"], "--length: a number or a range"),
      (["word_list", "english", "--length", "1212"], "--length: a number or a range"),
      (["arithmetic", "A", "--operations", "×"], "expected, got '×'"),
      (["cloze_notes", "D", "-", "--mark", ""], "--mark: one or more characters expected"),
    ] {
      let run = try home.run(["run", script(words[0])] + words.dropFirst())
      #expect(run.status == 1 && run.errors.contains(message) && !run.errors.contains(".lua:"), "\(run)")
    }
    let bad = try home.write([0x61, 0xFF], to: "bad.txt")
    try home.run("run", script("words_of_text"), bad, "D").fails("is not text in UTF-8: see its byte 2")
  }

  @Test(arguments: ["frequency", "collocations", "cloze_wanted"])
  func `the scripts for map have help too`(name: String) throws {
    try home.run("run", script(name), "--help").succeeds("deckhand map \(script(name))")
    let map = try home.run("map", script(name), "--help")
    #expect(map.status == 0 && map.errors.contains("deckhand map \(script(name))"), "\(map)")
    try home.run("run", script(name)).fails("this script is for `deckhand map`")
  }

  @Test func `a slice of a list of a million words becomes a deck of a thousand`() throws {
    let run = try home.run("run", script("word_list"), "spanish")
    #expect(run.output == "Spanish words: 1000 words added, 0 already existed, 0 refused; the deck has 1000 cards\n")
    let lengths = try home.lua(
      "local s = {} for c in decks.open('Spanish words'):cards() do s[utf8.len(c.answer)] = true end print(s[4], s[5], s[8], s[9])"
    )
    #expect(lengths.output == "nil\ttrue\ttrue\tnil\n")
    #expect(try home.run("run", script("word_list"), "spanish").output.contains("0 words added, 1000 already existed"))
    let whole = try home.run("run", script("word_list"), "italian", "--all")
    let count = try #require(Int(home.lua("#words.lexicon('italian')").output.trimmingLineEnd))
    #expect(whole.output.hasPrefix("Italian words: \(count) words added, 0 already existed, 0 refused"), "\(whole)")
    try home.run("deck", "remove", "Italian words")
    let few = try home.run("run", script("word_list"), "italian", "--limit", "7", "--length", "4")
    #expect(few.output.contains("Italian words: 7 words added"))
    #expect(
      try home.run("run", script("word_list"), "italian", "--limit", "x").errors.contains(
        "--limit: a whole number from 1"))
    #expect(
      try home.run("run", script("word_list"), "italian", "--length", "x").errors.contains("--length: a number or"))
  }

  @Test func `a dictionary numbers the meanings of a word, and grows`() throws {
    let file = try home.write("banco\tbank\tnoun\n\ncorrer\tto run\tverb\nbanco\tbench\nno tab here\n", to: "d.tsv")
    let run = try home.run("run", script("dictionary"), file, "Words")
    #expect(run.output.hasPrefix("Words: 2 words, 2 cards added, 0 changed, 1 line refused\n  line 5: "), "\(run)")
    #expect(try cards("Words", home) == ["banco = 1. bank/2. bench [noun]", "correr = to run [verb]"])
    let more = try home.write("correr\tto run\ncorrer\tto hurry\n", to: "d.tsv")
    #expect(try home.run("run", script("dictionary"), more, "Words").output.contains("0 cards added, 1 changed"))
    _ = try home.run("run", script("dictionary"), more, "Both", "--reversed")
    #expect(try cards("Both", home) == ["correr = 1. to run/2. to hurry []", "1. to run/2. to hurry = correr []"])
    let changed = try home.write("correr\tto run\n\tno word\tnoun\nempty\t\tnoun\n", to: "d.tsv")
    #expect(
      try home.run("run", script("dictionary"), changed, "Both", "--reversed").output.hasPrefix(
        "Both: 1 word, 0 cards added, 2 changed, 2 lines refused\n  line 2: a word, a tab and a meaning expected"))
    #expect(try cards("Both", home) == ["correr = to run []", "to run = correr []"])
  }

  @Test func `punctuation beyond ASCII is not a part of a word`() throws {
    let text = "¿Dónde está “el más gato” — ¡aquí!\n"
    let wanted = try home.write("dónde\n", to: "wanted.txt")
    func keys(_ words: String...) throws -> [String] {
      let run = try home.run(["map"] + words, input: text)
      return run.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }.sorted()
    }
    #expect(try keys(script("frequency")) == ["aquí", "dónde", "el", "está", "gato", "más"])
    #expect(try home.run(["map", script("frequency")], input: "я и ты\n").output.hasPrefix("ты\t"))
    #expect(try keys(script("collocations")) == ["dónde está", "gato aquí"])
    #expect(try keys(script("cloze_wanted"), wanted) == ["dónde"])
    let cloze = try home.run(["map", "--reduce", script("cloze_wanted"), wanted], input: "dónde\t\"¿Dónde está?\"\n")
    #expect(cloze.output.contains("¿{{c1::Dónde}} está?"), "\(cloze)")
    let file = try home.write(text, to: "t.txt")
    #expect(try home.run("run", script("words_of_text"), file, "Text").output.hasPrefix("Text: 4 of 4 words added"))
  }

  @Test func `the words of a text get a sentence of it, the most frequent first`() throws {
    let file = try home.write(
      "The cat saw the bird. Birds fly!\nA bird and another\nbird sang; no bird sat still. Señor gato?", to: "t.txt")
    let run = try home.run("run", script("words_of_text"), file, "Text", "--limit", "3", "--length", "4")
    #expect(run.output == "Text: 3 of 7 words added, 0 already existed, 0 refused\n", "\(run)")
    #expect(try cards("Text", home)[0] == "bird = A bird and another bird sang; no bird sat still. []")
    let english = try home.run("run", script("words_of_text"), file, "English", "--language", "english")
    #expect(english.output.hasPrefix("English: 5 of 5 words added"), "\(english)")
    let real = try home.run("run", script("words_of_text"), sourceRoot() + "/README.md", "Readme", "--limit", "20")
    #expect(real.output.hasPrefix("Readme: 20 of "))
  }

  @Test func `bold words of Markdown notes become clozes, once`() throws {
    let file = try home.write(
      "# Cells\n\nThe **nucleus** & the **wall** <x>\nof it\n\n- a **mitochondrion** is\n- none\n\n```\n**code**\n```\n## Deep\n1. **DNA**\n",
      to: "my notes.md")
    let run = try home.run("run", script("cloze_notes"), "Cells", file)
    #expect(run.output == "Cells: 3 notes with 4 cards added, 0 already existed, 0 refused\n", "\(run)")
    #expect(
      try cards("Cells", home).contains(
        "The [...] & the wall <x> of it = The nucleus & the wall <x> of it/Cells [my_notes.md]"))
    #expect(try cards("Cells", home).contains("[...] = DNA/Cells › Deep [my_notes.md]"))
    #expect(
      try home.run("run", script("cloze_notes"), "Cells", file, file).output.contains(
        "0 notes with 0 cards added, 6 already existed"))
    _ = try home.run(["run", script("cloze_notes"), "Marked", "-", "--mark", "<"], input: "a <b< & c\n")
    #expect(try cards("Marked", home) == ["a [...] & c = a b & c []"])
  }

  @Test func `sums are random, the same for the same seed`() throws {
    for deck in ["A", "B"] {
      let run = try home.run("--seed", "3", "run", script("arithmetic"), deck, "--limit", "40")
      #expect(run.output == "\(deck): 40 of 484 sums added, 0 already existed\n")
    }
    let sums = try cards("A", home)
    #expect(try sums == cards("B", home) && Set(sums).count == 40)
    for sum in sums {
      let words = sum.split(separator: " ").map(String.init)
      let (a, b, result) = (try #require(Int(words[0])), try #require(Int(words[2])), Int(words[4]))
      switch words[1] {
      case "+": #expect(a + b == result)
      case "-": #expect(a - b == result)
      case "×": #expect(a * b == result)
      default: #expect(words[1] == ":" && a.isMultiple(of: b) && a / b == result)
      }
    }
    #expect(try home.run("run", script("arithmetic"), "A", "--operations", "?").errors.contains("more of + - x :"))
  }

  @Test func `anagram drills have several answers`() throws {
    let run = try home.run("run", script("anagrams"), "english", "--limit", "5", "--length", "6", "--deck", "Drills")
    #expect(run.output.hasPrefix("Drills: 5 of "), "\(run)")
    for card in try cards("Drills", home) {
      let sides = card.replacing(" []", with: "").split(separator: " = ").map(String.init)
      let words = sides[1].split(separator: ", ").map(String.init)
      #expect(words.count >= 2 && sides[0].contains("(\(words.count) words)"))
      #expect(words.allSatisfy { $0.sorted() == Array(sides[0].prefix(6)) })
    }
  }

  @Test func `a deck is updated from a table, and keeps its learning progress`() throws {
    let old = try home.write("prompt,answer\ngato,cat\nperro,dog\nviejo,old\n", to: "old.csv")
    _ = try home.run("deck", "import", "Words", old)
    let new = try home.write("Spanish;English\nperro;hound\ngato;cat\nnuevo;new\nmalo;\n", to: "new.csv")
    let columns = "prompt=Spanish,answer=English"
    let run = try home.run("run", script("update"), new, "Words", "--columns", columns)
    #expect(run.output == "  line 5: the answer is empty\nWords: 1 added, 1 changed, 1 tagged gone\n", "\(run)")
    #expect(try cards("Words", home) == ["gato = cat []", "perro = hound []", "viejo = old [gone]", "nuevo = new []"])
    _ = try home.run("run", script("update"), old, "Words")
    #expect(try cards("Words", home).first { $0.hasPrefix("viejo") } == "viejo = old []")
    let pruned = try home.run("run", script("update"), new, "Words", "--columns", columns, "--prune")
    #expect(pruned.output.hasSuffix("Words: 0 added, 1 changed, 1 removed\n"), "\(pruned)")
    #expect(try home.run("deck", "list", "--json").output.contains("Words (update)") == false)
    let bad = try home.write("x\n", to: "bad.csv")
    #expect(try home.run("run", script("update"), bad, "Words").status == 1)
    #expect(try cards("Words", home).count == 3)
  }
}
