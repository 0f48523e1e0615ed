// Printing decks as sheets, through the built program.

import Glibc
import TestSupport

@Suite struct DeckSheetTests {
  private let home = Home()

  init() throws {
    let picture = try home.write("<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'/>", to: "red.svg")
    let code = """
      local d = decks.create("Spanish")
      for i = 1, 11 do d:add{prompt = "gat" .. string.char(96 + i), answer = "cat " .. i} end
      decks.create("Spanish::Verbs"):add{prompt = "ir", answer = "to go"}
      d:add{prompt = "<img src='red.svg'> rojo", answer = "red", tags = {"picture"}}
      """
    #expect(try home.run("media", "add", picture).status == 0)
    #expect(try home.lua(code).status == 0)
  }

  @Test(arguments: [("cards", 4), ("cloze", 2), ("match", 3), ("search", 2), ("list", 1)])
  func `a deck becomes a sheet of each kind, including its inner decks`(kind: String, pages: Int) throws {
    let path = home.path + "/out.pdf"
    let run = try home.run("deck", "sheet", "Spanish", path, "--kind", kind, "--json")
    #expect(run.output == "{\"pages\": \(pages), \"cards\": 13, \"left_out\": 0}\n", "\(run)")
    let first = contents(of: home.path + "/out.pdf") ?? []
    #expect(first.starts(with: Array("%PDF-".utf8)))
    #expect(try home.run("deck", "sheet", "Spanish", path, "--kind", kind).status == 0)
    #expect(contents(of: home.path + "/out.pdf") == first)
  }

  /// The text of a page of a sheet.
  private func text(_ deck: String, _ kind: String, page: Int) throws -> String {
    let path = home.path + "/text.pdf"
    _ = try home.run("deck", "sheet", deck, path, "--kind", kind)
    return try Child(
      ["/usr/bin/pdftotext", "-layout", "-f", "\(page)", "-l", "\(page)", path, "-"], environment: []
    ).finish(input: "").output
  }

  @Test func `an exercise has a gap for the bold word or cloze, and matches or hides the word of a note`() throws {
    let code = """
      local rest = "{{#Meaning}}{{Meaning}}<br>{{/Meaning}}{{Source}}"
      notetypes.create{name = "Mine", fields = {"Word", "Sentence", "Meaning", "Source"}, cards = {{name = "one",
        front = "<div>{{Word}}</div><div>{{Sentence}}</div>", back = "{{FrontSide}}<hr id=answer>" .. rest}}}
      notetypes.create{name = "Gaps", fields = {"Word", "Sentence", "Meaning", "Source"}, cloze = true, cards = {{
        name = "one", front = "<div>{{cloze:Sentence}}</div><div>{{Meaning}}</div>",
        back = "<div>{{cloze:Sentence}}</div><hr id=answer><div>{{Word}}</div>" .. rest}}}
      local deck = decks.create("D")
      local function add(type, word, sentence, meaning)
        local fields = {Word = word, Sentence = sentence, Meaning = meaning, Source = "novel"}
        assert(deck:add_note{type = type, fields = fields})
      end
      add("Mine", "disminuir", "El odio no <b>disminuye</b> con el odio.", "diminish")
      add("Gaps", "ladrar", "El perro {{c1::ladra}} mucho.", "bark")
      deck:add_note{type = "Basic", fields = {Front = "Veo un <b>gato</b> gris.", Back = "a gato is a cat"}}
      """
    let made = try home.lua(code)
    try #require(made.status == 0, "\(made)")
    let (gaps, answers) = (try text("D", "cloze", page: 1), try text("D", "cloze", page: 2))
    for words in [
      "El odio no ______________ con el odio.", "diminish", "El perro ______________ mucho.", "bark", "Name ___",
    ] {
      #expect(gaps.contains(words), "\(words): \(gaps)")
    }
    #expect(gaps.contains("Veo un ______________ gris."))
    for word in ["disminui", "disminuye", "ladra", "novel", "gato"] {
      #expect(!gaps.contains(word), "\(word): \(gaps)")
    }
    for word in ["disminuye", "ladra", "gato"] { #expect(answers.contains(word), "\(answers)") }
    let pairs = try text("D", "match", page: 1)
    for word in ["disminuir", "diminish", "ladrar", "bark"] { #expect(pairs.contains(word), "\(pairs)") }
    #expect(!pairs.contains("odio") && !pairs.contains("novel"), "\(pairs)")
    let clues = try text("D", "search", page: 1)
    #expect(clues.contains("diminish") && clues.contains("bark"), "\(clues)")
    #expect(try text("D", "search", page: 2).contains("DISMINUIR"))
  }

  @Test func `suspended cards are printed only where a query finds them`() throws {
    let path = home.path + "/out.pdf"
    #expect(try home.run("card", "suspend", "Spanish:1").status == 0)
    #expect(try home.run("deck", "sheet", "Spanish", path).output.hasPrefix("Drew 12 cards of \"Spanish\" on 4 pages"))
    let some = try home.run("deck", "sheet", "Spanish", path, "--query", "is:suspended")
    #expect(some.output.hasPrefix("Drew 1 card of \"Spanish\" on 2 pages"))
    try home.run("deck", "sheet", "Spanish", path, "--query", "nosuchword").fails("no card to print")
  }

  @Test(arguments: [["--kind", "cartoon"], ["--size", "a3"], ["--seed", "x"]])
  func `an option that no sheet has is refused as wrong usage`(options: [String]) throws {
    let run = try home.run(["deck", "sheet", "Spanish", home.path + "/out.pdf"] + options)
    #expect(run.status == 2, "\(run)")
  }

  @Test func `exported files follow the umask, and the user's data is private`() throws {
    let files = [
      "a.pdf": ["deck", "sheet", "Spanish"], "a.html": ["deck", "page", "Spanish"],
      "a.csv": ["deck", "export", "Spanish"], "a.apkg": ["deck", "export", "Spanish"],
      "a.png": ["deck", "stats", "Spanish", "--png"], "types/decks.lua": ["lua-types"],
    ]
    for (mask, expected) in [("022", mode_t(0o644)), ("007", 0o660)] {
      for (name, words) in files {
        let path = home.path + "/\(mask)-" + name
        let given = name.hasPrefix("types/") ? home.path + "/\(mask)-types" : path
        let line = "umask \(mask) && exec \"$0\" \"$@\""
        try Child(
          ["/bin/sh", "-c", line] + home.words(words + [given]), environment: home.environment
        ).finish(input: "").succeeds()
        #expect(mode(of: path) == expected, "\(name)")
      }
      #expect(mode(of: home.path + "/\(mask)-types") & 0o777 == (mask == "022" ? 0o755 : 0o770))
    }
    #expect(mode(of: home.path + "/data/local/collection.sqlite") == 0o600)
  }

  @Test func `a file of another kind is refused, and a dry run writes none`() throws {
    #expect(try home.run("deck", "sheet", "Spanish", home.path + "/out.png").status == 1)
    let rehearsed = try home.run("deck", "sheet", "Spanish", home.path + "/out.pdf", "--dry-run")
    #expect(rehearsed.status == 0 && rehearsed.errors.contains("would write \(home.path)/out.pdf"), "\(rehearsed)")
    #expect(try home.lua("assert(not io.open('\(home.path)/out.pdf'))").status == 0)
  }
}
