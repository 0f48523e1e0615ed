// Texts in the built program: files and cards end to end, without language data, so that each form is its own lemma.

import TestSupport

@Suite struct TextProgramTests {
  private let home = Home()

  private func run(_ arguments: String..., input: String = "") throws -> Run {
    try home.run(arguments + ["--language", "spanish"], input: input)
  }

  @Test func `cards are mined from subtitles, tried in a dry run, created once and undone`() throws {
    let film = try home.write(
      "1\n00:00:01,000 --> 00:00:03,000\nel gato duerme.\n\n2\n00:00:04,000 --> 00:00:05,000\nel gato come.\n",
      to: "ep1.srt")
    #expect(try run("text", "known", "el", "gato").output == "2 words now known.\n")
    let rehearsal = try run("--dry-run", "mine", film, "--deck", "Film").succeeds("Would add 2 cards")
    #expect(rehearsal.errors.contains("need Debian's apertium-eng-spa"))
    #expect(try run("mine", film, "--deck", "Film").output.hasPrefix("Added 2 cards to \"Film\".\n"))
    #expect(try run("mine", film, "--deck", "Film").output.hasPrefix("Added 0 cards to \"Film\".\n"))
    #expect(try home.run("undo").output == "Undone: adding 2 cards to Film from a text (mine)\n")
    #expect(try home.run("deck", "show", "Film").status == 1)
  }

  @Test func `a text that names its language is read in it, and for any other the assumed language is reported`() throws
  {
    let film = try home.write(
      "WEBVTT\nKind: captions\nLanguage: es-419\n\n00:01.000 --> 00:02.000\nel gato\n", to: "film.vtt")
    let page = try home.write("<!DOCTYPE html><html lang='it'><p>il gatto", to: "page.html")
    let book = try home.write("<html lang='spa'><p>el gato", to: "book.html")
    for (path, language) in [(film, "spanish"), (page, "italian"), (book, "spanish")] {
      let shown = try home.run("text", "show", path, "--json")
      #expect(shown.output.contains("\"language\": \"\(language)\"") && !shown.errors.contains("read as"), "\(shown)")
    }
    let plain = try home.write("el gato", to: "plain.txt")
    #expect(try home.run("text", "show", plain).errors.contains("text show: read as English, as game.language says"))
    let other = try home.write("<html lang='th'><p>el gato", to: "other.html")
    #expect(
      try home.run("text", "show", other).errors.contains("its language, \"th\", is not in `word languages`; read"))
    #expect(try !run("text", "show", film).errors.contains("read as"))
    #expect(try run("text", "show", page, "--json").output.contains("\"language\": \"spanish\""))
  }

  @Test func `a missing film is reported before any work, and without easy sentences the easiest are taken`() throws {
    let text = try home.write("el gato duerme.\n", to: "a.txt")
    let none = try run("mine", text, "--deck", "D", "--audio", home.path + "/none.mkv")
    #expect(none.status == 1 && none.errors.contains("none.mkv"), "\(none)")
    #expect(try run("mine", text, "--deck", "D").output.hasPrefix("Added 3 cards to \"D\"."))
    try home.write("el\t9\nde\t5\nla\t3\n", to: "data/frequency/es.tsv")
    #expect(try run("text", "known", "--first", "2").output == "2 words now known.\n")
  }

  @Test func `a missing deck is reported before the text is read, and an unknown option is refused`() throws {
    let text = try home.write("el gato duerme.\n", to: "a.txt")
    #expect(try home.lua("print(select(2, texts.open('\(text)', {deck = 'None'})).code)").output == "not_found\n")
    try home.run("-e", "decks.create('D'):mine(texts.open('\(text)'), {target = 0.5})").fails("'target'")
  }

  @Test func `a text without a sentence is refused, not read, and its counts are zero`() throws {
    let dots = try home.write("...\n", to: "dots.txt")
    try run("text", "read", dots, input: "q\n").fails("contains no text")
    let shown = try run("text", "show", dots)
    #expect(shown.output.contains("of 0 words in 0 sentences; 0 names and numbers\n"), "\(shown)")
  }

  @Test func `a review table is written first, and only its lines become cards, with what was changed in them`() throws
  {
    let text = try home.write("el gato zorf.\n\nel gato zarf.", to: "a.txt")
    let table = home.path + "/review.tsv"
    _ = try run("text", "known", "el", "gato")
    #expect(try run("mine", text, "--deck", "D", "--review", table).output.hasPrefix("Wrote 2 words to "))
    #expect(try home.run("deck", "show", "D").status == 1)
    try home.write("# kept\nWord\tMeaning\tSentence\nzarf\ta cat\tzarfs, zarf!\tx\nzerf\n", to: "review.tsv")
    let made = try run("mine", text, "--deck", "D", "--review", table).output
    #expect(made.hasPrefix("Added 1 card to \"D\".\nLeft out 1 word, it has a card, or is not a new word"), "\(made)")
    let note = #"local c = decks.open("D"):card(1) print(c.fields.Sentence, c.fields.Meaning)"#
    #expect(try home.lua(note).output == "zarfs, <b>zarf</b>!\ta cat\n")
  }

  @Test func `texts are compared without those that cannot be read, and their language is told`() throws {
    let book = try home.write("el gato", to: "a.txt")
    let (other, bad) = (try home.write("un perro", to: "b.txt"), try home.write("no zip", to: "bad.epub"))
    let compared = try home.run("text", "compare", book, bad, other, "--json")
    #expect(compared.status == 1 && compared.output.split(separator: "\n").count == 2, "\(compared)")
    #expect(compared.errors.contains("text compare: left out: \"\(bad)\" cannot be read"), "\(compared)")
    #expect(compared.errors.contains("text compare: read as English"), "\(compared)")
    let none = try run("text", "compare", bad, "--json")
    #expect(none.status == 1 && none.output.isEmpty && none.errors.contains("bad_file"), "\(none)")
  }

  @Test func `text show counts words by state, from a pipe too, in JSON too`() throws {
    _ = try run("text", "known", "el", "gato")
    let shown = try run("text", "show", "-", "--json", input: "el gato ve 3 perros.")
    let figures = "{\"coverage\": 0.5, \"expected_coverage\": 0.5, \"words\": 4, \"names_and_numbers\": 1"
    #expect(shown.status == 0 && shown.output.hasPrefix(figures))
    #expect(try run("text", "compare", "-", input: "el gato").output.contains("100.0 %"))
    // The format of input without a file name is detected from how it starts.
    for text in [
      "1\n00:00:01,000 --> 00:00:02,500\nel gato\n", "WEBVTT\n\n00:01.000 --> 00:02.000\nel gato\n", "<html>el gato",
    ] {
      try run("text", "show", "-", "--json", input: text).succeeds("\"words\": 2, \"names_and_numbers\": 0")
    }
    #expect(
      try run("text", "sentences", "-", "--plan", "--json", input: "el gato ve.").output.contains("\"lemma\": \"ve\""))
    #expect(try run("text", "words", "-", "--unknown", "--json", input: "el gato ve.").output.contains("\"ve\""))
    for (words, told) in [(["--plan"], "exactly one new word"), ([], "--unknown-at-most allows")] {
      try home.run(["text", "sentences", "-"] + words, input: "tres tristes tigres.").succeeds(told)
    }
    #expect(try home.run("history", "xyzzy").output == "No lines.\n")
  }

  @Test func `input that is not text is a named problem, and nothing is created`() throws {
    for name in ["a.txt", "a.epub", "a.srt", "a.html"] {
      let path = try home.write([0, 1, 2, 0xFF, 0, 0], to: name)
      try run("mine", path, "--deck", "D").fails(name)
    }
    #expect(try run("text", "show", home.path + "/none.txt").status == 1)
    #expect(try home.run("deck", "list").output.contains("No decks"))
  }

  @Test func `words get their lemmas from the user's own table`() throws {
    #expect(try home.run("deck", "list").status == 0)
    try home.write("voy\tir\n", to: "data/lemmas/es.tsv")
    #expect(
      try run("word", "lemma", "Voy", "--json").output == "{\"form\": \"Voy\", \"lemma\": \"ir\", \"all\": [\"ir\"]}\n")
    let code = "print(words.lemma(\"voy\", {language = \"spanish\"}))"
    #expect(try home.lua(code).output.hasPrefix("ir\t"))
    // A form is looked up as its lemma; a lemma that no dictionary has is not looked up as a form of another.
    try home.write("voy\tir\nir\tirse\n", to: "data/lemmas/es.tsv")
    try home.write("irse\tto leave\n", to: "data/dictionaries/spa-mine.tsv")
    #expect(try run("word", "define", "ir").output.contains("to leave"))
    let listed = try run("text", "words", "-", "--json", input: "voy.")
    #expect(listed.output.contains("\"lemma\": \"ir\"") && !listed.output.contains("to leave"), "\(listed)")
    // The words are kept until the table changes.
    #expect(try run("text", "words", "-", "--json", input: "voy.").output == listed.output)
    try home.write("voy\tandar\n", to: "data/lemmas/es.tsv")
    #expect(try run("text", "words", "-", "--json", input: "voy.").output.contains("\"lemma\": \"andar\""))
  }

  @Test func `the reading screen moves from word to word, makes cards, and remembers the position`() throws {
    let text = try home.write("el gato duerme. el perro come.\n", to: "a.txt")
    _ = try run("text", "known", "el", "gato")
    let terminal = try home.terminal("text", "read", text, "--language", "spanish", "--deck", "Read")
    #expect(terminal.shows("[duerme]*"))
    terminal.type("c")
    #expect(terminal.shows("[perro]*"))
    terminal.type("k")
    #expect(terminal.shows("[come]*"))
    terminal.type("\u{0C}")
    #expect(terminal.shows("[come]*"))
    #expect(terminal.ended(after: "q") == 0)
    #expect(try home.run("card", "list", "--deck", "Read", "--json").output.contains("duerme"))
    #expect(try run("text", "known").output.contains("perro"))
    #expect(try home.run("undo", "--list").output.contains("adding 1 card to Read from a text"))
  }

  @Test func `a sentence longer than a page is read page by page, forwards and back`() throws {
    let words = (0..<400).map { _ in "gato" } + ["perro"]
    let text = try home.write(words.joined(separator: " ") + ". El fin.\n", to: "a.txt")
    _ = try run("text", "known", "el", "gato", "fin")
    let terminal = try home.terminal("text", "read", text, "--language", "spanish", "--deck", "Read")
    terminal.type("n", after: "gato gato", showing: "[perro]*", "El fin")
    terminal.type("b", showing: "gato gato")
    terminal.type(" ")
    #expect(terminal.shows("[perro]*"))
    terminal.type(" ")
    #expect(terminal.shows("The text ends here."))
    #expect(terminal.ended(after: "q") == 0)
  }

  @Test func `paragraphs, headings and chapters are those of the text, and a full stop stays beside its word`() throws {
    let words = String(repeating: "gato ", count: 14)
    let text = try home.write("CAPÍTULO 1\n\n\(words)las cejas. Sol.\n\nLuna.\n\nCAPÍTULO 2\n\nMar.\n", to: "a.txt")
    _ = try run("text", "known", "gato", "las")
    let spoken = [
      "--color=never", "--set", "accessibility.screen_reader=on", "text", "read", text, "--language", "spanish",
    ]
    let terminal = try home.terminal(spoken, columns: 84, rows: 24)
    let page = terminal.wait(for: "q leaves").split(whereSeparator: \.isNewline).map(String.init)
    #expect(page.contains("   " + words + "las"), "\(page)")
    #expect(page.contains("   cejas*. Sol*.") && page.contains("   [CAPÍTULO]* 1"), "\(page)")
    #expect(terminal.ended(after: "q") == 0)
    // The position is that of the chapter to which the last key went.
    let moved = try home.terminal(["text", "read", text, "--language", "spanish"], columns: 84, rows: 8)
    moved.type("g", after: "[CAPÍTULO]*", showing: "50%, a chapter")
    moved.type("2\r", showing: "a, CAPÍTULO 2")
    moved.type("g0%\r", showing: "a, CAPÍTULO 1")
    moved.type("gxyz\r", showing: "The chapters are CAPÍTULO 1, CAPÍTULO 2.")
    #expect(moved.ended(after: "q") == 0)
  }

  @Test func `a text is found whatever its accents, and a word of it is selected`() throws {
    let text = try home.write("El gato duerme.\n\nUna Cigüeña come. La cigüeña bebe.\n", to: "a.txt")
    _ = try run("text", "known", "el", "gato", "duerme", "una", "cigüeña", "come", "la", "bebe")
    let terminal = try home.terminal("--color=never", "text", "read", text, "--language", "spanish")
    terminal.type("/cigue", after: "q leaves", showing: "Find: cigue")
    terminal.type("\r", showing: "[Cigüeña]")
    terminal.type("/\r", showing: "La [cigüeña]")
    terminal.type("/\r", showing: "From the beginning:")
    terminal.type("/zorf\u{1B}", showing: "q leaves")
    terminal.type("/zorf\r", showing: "\"zorf\" is not in this text.")
    #expect(terminal.ended(after: "q") == 0)
  }

  @Test func `a card gets the meaning that was chosen, and u undoes what was done`() throws {
    let text = try home.write("el gato lleva.\n\nel perro zorf.\n", to: "a.txt")
    try home.write("lleva\tspend, carry, wear\nperro\tdog\n", to: "data/dictionaries/spa-mine.tsv")
    _ = try run("text", "known", "el", "gato")
    let terminal = try home.terminal("text", "read", text, "--language", "spanish", "--deck", "Read")
    terminal.type("c", after: "[lleva]*", showing: "1 spend   2 carry   3 wear   Enter: all")
    terminal.type("3", showing: "Card in Read: lleva = wear")
    terminal.type("c", showing: "Card in Read: perro = dog")
    terminal.type("k", showing: "zorf: known")
    terminal.type("u", showing: "[zorf]*", "Undone: ")
    terminal.type("u", showing: "[perro]*", "Undone: adding 1 card to Read from a text")
    terminal.type("c", showing: "Card in Read: perro")
    #expect(terminal.ended(after: "q") == 0)
    let cards = try home.run("card", "list", "--deck", "Read", "--json").output
    #expect(cards.contains("wear") && !cards.contains("spend") && cards.contains("perro"), "\(cards)")
    #expect(try !run("text", "known").output.contains("zorf"))
  }

  @Test func `the translation of a film is below its lines`() throws {
    func film(_ lines: String...) -> String {
      lines.enumerated().map { "\($0 + 1)\n00:00:0\($0 * 3),000 --> 00:00:0\($0 * 3 + 2),000\n\($1)\n\n" }.joined()
    }
    let text = try home.write(film("El gato duerme.", "El perro come."), to: "ep1.es.srt")
    try home.write(film("The cat sleeps.", "The dog eats."), to: "ep1.en.srt")
    let terminal = try home.terminal(
      "--color=never", "--set", "accessibility.screen_reader=on", "text", "read", text, "--translation", "en")
    let page = terminal.wait(for: "q leaves").split(whereSeparator: \.isNewline).map(String.init)
    let place = try #require(page.firstIndex { $0.contains("gato") }, "\(page)")
    #expect(page[place + 1] == "     The cat sleeps." && page[place + 2].contains("perro"), "\(page)")
    #expect(terminal.ended(after: "q") == 0)
  }

  @Test func `the result of a key is seen on a screen of five rows`() throws {
    let text = try home.write("zorfa.\n\nzorfb.\n\nzorfc.\n\nzorfd.\n", to: "a.txt")
    let terminal = try home.terminal(["text", "read", text, "--language", "spanish"], columns: 80, rows: 5)
    #expect(terminal.shows("[zorfa]*"))
    terminal.type("\r")
    #expect(terminal.shows("no meaning found"))
    #expect(terminal.ended(after: "q") == 0)
  }

  @Test func `in a window made smaller the selected word is on the page, and a long word takes several lines`() throws {
    let sentences = [String](repeating: "gato gato gato gato gato gato gato gato.\n\n", count: 9)
    let text = try home.write(sentences.joined() + "zorfzorfzorfzorfzorfend\n", to: "a.txt")
    _ = try run("text", "known", "gato")
    let terminal = try home.terminal("text", "read", text, "--language", "spanish", "--deck", "Read")
    terminal.type("n", after: "gato", showing: "[zorfzorfzorfzorfzorfend]*")
    terminal.resize(columns: 20)
    #expect(terminal.shows("fzorfend]*"))
    #expect(terminal.ended(after: "q") == 0)
  }

  @Test func `for a screen reader the page is printed once, then only what is new`() throws {
    let text = try home.write("El gato duerme. El perro come.\n", to: "a.txt")
    _ = try run("text", "known", "el", "gato")
    let terminal = try home.terminal(
      "--set", "accessibility.screen_reader=on", "text", "read", text, "--language", "spanish", "--deck", "Read")
    terminal.type("n", after: "q leaves")
    #expect(!terminal.wait(for: "[perro]*").contains("duerme"))
    terminal.type("c")
    #expect(!terminal.wait(for: "Card in Read: perro").contains("El"))
    #expect(terminal.shows("[come]*"))
    #expect(terminal.ended(after: "q") == 0)
  }
}
