// Notes, note types and media through the built program: at a terminal, in a pipe, in the editor.

import Glibc
import TestSupport

@Suite struct NoteProgramTests {
  private let home = Home()

  init() throws {
    try home.run("deck", "create", "D")
  }

  private func terminal(_ words: [String], _ editor: String = "EDITOR=false") throws -> PseudoTerminal {
    try home.terminal(words, [editor])
  }

  @Test func `an editor that leaves a text unchanged changes nothing, and this is reported`() throws {
    try home.run("card", "add", "D", "gato", "cat", "--reversed")
    try home.run("card", "add", "D", "plain", "card")
    let steps = try home.run("--json", "undo", "--list").lines.count
    let words = [
      ["note", "edit", "D:1"], ["card", "edit", "D:3"], ["card", "edit", "D:1", "D:3"], ["notetype", "edit", "Basic"],
    ]
    // The second editor writes the line endings of other systems.
    for editor in try ["EDITOR=true", home.editor("sed -i 's/$/\\r/' \"$1\"")] {
      for words in words {
        let terminal = try terminal(words, editor)
        terminal.wait(for: "Nothing was changed.")
        #expect(terminal.ended() == 0, "\(words)")
      }
    }
    #expect(try home.run("--json", "undo", "--list").lines.count == steps)
    #expect(try home.run("note", "edit", "D:1", "--set", "Back=cat").output == "Nothing was changed.\n")
    #expect(try home.run("note", "edit", "D:1", "--set", "Back=tomcat").output.hasPrefix("Changed the note"))
  }

  @Test func `what another shell changes while the editor is open is kept, unless it was edited here too`() throws {
    for (prompt, answer) in [("tres", String(repeating: "three ", count: 200)), ("dos", "two"), ("uno", "one")] {
      try home.run("card", "add", "D", prompt, answer)
    }
    func edit(_ words: [String], _ change: String, meanwhile other: [String], answer: String = "Changed") throws {
      let script = home.words(other).joined(separator: " ") + " >/dev/null; sed -i '\(change)' \"$1\""
      let terminal = try terminal(words, home.editor(script))
      terminal.wait(for: answer)
      #expect(terminal.ended() == 0)
    }
    try edit(["card", "edit", "deck:D"], "s/dos/two!/", meanwhile: ["card", "edit", "D:2", "--answer", "other"])
    try edit(["note", "edit", "D:2"], "s/other/mine/", meanwhile: ["card", "tag", "D:2", "--add", "late"])
    try home.lua("c = decks.open('D'):card(2) print(c.prompt, c.answer, c.tags[1])").prints("two!\tmine\tlate\n")
    let styled = try home.run("notetype", "show", "Basic").output.replacing("20px", with: "31px")
    let path = try home.write(styled, to: "styled.txt")
    try edit(
      ["notetype", "edit", "Basic"], "s/{{Back}}/<i>{{Back}}/",
      meanwhile: ["notetype", "edit", "Basic", "--from", path], answer: "Note type \"Basic\"")
    try home.run("notetype", "show", "Basic").succeeds("31px", "<i>{{Back}}")
  }

  @Test func `a note of any type is added by its fields, or in the editor`() throws {
    let added = try home.run("note", "add", "Basic (and reversed card)", "Front= <a> ", "Back=b=c", "--tag", "t")
    #expect(added.output == "Added the note \"<a>\" with 2 cards to \"D\".\n", "\(added)")
    #expect(
      try home.run("note", "show", "D:1", "--json").output.contains("{\"Back\": \"b=c\", \"Front\": \"&lt;a&gt;\"}"))
    try home.run("note", "add", "Basic", "Front=<b>x</b>", "--html", "--deck", "D", "--json").succeeds("<b>x</b>")
    for (words, message) in [
      (["Basic", "Frnt=x"], "no field called \"Frnt\" (did you mean \"Front\"?)"), (["Basic", "x"], "FIELD=VALUE"),
      (["Basik", "Front=x"], "did you mean \"Basic\"?"), (["Basic"], "give FIELD=VALUE"),
      (["Basic", "Back=x"], "is empty"), (["Basic", "Front=x", "Front=y"], "note add: Front is given twice"),
    ] {
      let refused = try home.run(["note", "add"] + words)
      #expect(refused.status != 0 && refused.errors.contains(message), "\(refused)")
    }
    try home.run("deck", "create", "E")
    try home.run("note", "add", "Basic", "Front=x").fails("say which deck: `--deck DECK`", status: 2)
    let script =
      "sed -i 's/^==== Front ====$/&\\nel pez/; s/^==== Back ====$/==== Back (HTML) ====\\n<i>fish<\\/i>/' \"$1\""
    let terminal = try terminal(["note", "add", "Basic", "--deck", "E", "--tag", "sea"], home.editor(script))
    terminal.wait(for: "Added the note \"el pez\" with 1 card to \"E\".")
    #expect(terminal.ended() == 0)
    try home.run("note", "show", "E:1", "--json").succeeds("<i>fish</i>", "[\"sea\"]")
    let left = try self.terminal(["note", "add", "Basic", "--deck", "E"], "EDITOR=true")
    left.wait(for: "Nothing was changed.")
    #expect(left.ended() == 0)
  }

  @Test func `one fact gives several cards`() throws {
    let reversed = try home.run("card", "add", "D", "gato", "cat", "--reversed", "--tag", "animal")
    #expect(reversed.status == 0 && reversed.output == "Added 2 cards to \"D\": \"gato\", \"cat\".\n", "\(reversed)")
    let cloze = try home.run("card", "add", "D", "--cloze", "The {{c1::sun}} & {{c2::moon::which?}} <rise>")
    #expect(
      cloze.output.hasPrefix("Added 2 cards to \"D\": \"The [...] & moon <rise>\", \"The sun & [which?] <rise>\""))
    #expect(try home.run("card", "add", "D", "dog", "perro", "--type-answer").output.contains("Added 1 card"))
    #expect(try home.run("card", "list", "--json").lines.count == 5)
    let json = try home.run("--json", "card", "add", "D", "uno", "one", "--reversed")
    #expect(json.lines.count == 2 && json.lines[1].contains("\"prompt\": \"one\", \"answer\": \"uno\""), "\(json)")
    #expect(json.lines.allSatisfy { $0.contains("\"note\": \"") })
    // A prompt and an answer make a note with one card, which has the note's guid.
    let plain = try home.run("--json", "card", "add", "D", "p", "q").output
    let guids = ["note", "guid"].map { name in plain.split(separator: "\"\(name)\": ").last?.prefix(13) }
    #expect(guids[0] != nil && guids[0] == guids[1], "\(plain)")
    #expect(try home.run("--dry-run", "-e", "decks.open('D'):add_note{fields={Front='x',Back='y'}}").status == 0)
    #expect(try home.lua("#decks.open('D')").output == "8\n")
  }

  @Test(arguments: [
    (["card", "add", "D"], Int32(2), "PROMPT is missing"), (["card", "add", "D", "x"], 2, "ANSWER is missing"),
    (["card", "add", "D", "x", "y", "--reversed", "--type-answer"], 2, "cannot be given together"),
    (["card", "add", "D", "--cloze", "{{c1::a}}", "--reversed"], 2, "cannot be given together"),
    (["card", "add", "D", "x", "--cloze", "{{c1::a}}"], 2, "one argument too many"),
    (["card", "add", "D", "--cloze", "nothing"], 1, "{{c1::hidden}}"),
    (["card", "add", "D", "  ", "y", "--reversed"], 1, "is empty"),
    (["note", "show", "nope"], 1, "no card has a guid"),
    (["note", "edit", "D:1", "--set", "x"], 1, "has no card"),
    (["notetype", "show", "Clze"], 1, "(did you mean \"Cloze\"?)"), (["note", "shw"], 2, "(did you mean \"show\"?)"),
    (["notetype", "create", "X"], 1, "an editor needs a terminal"), (["notetype", "edit", "Basic"], 1, "--from FILE"),
    (["media", "remove", "x.png"], 1, "no media file is called"), (["media", "add", "/proc/none"], 1, "no such file"),
  ])
  func `an impossible change is refused with a remedy`(words: [String], status: Int32, says: String) throws {
    let run = try home.run(words)
    #expect(run.status == status && run.errors.contains(says) && run.output.isEmpty, "\(run)")
  }

  @Test func `a note is shown and changed through any of its cards, and its cards change with it`() throws {
    try home.run("card", "add", "D", "plain", "card")
    try home.run("card", "add", "D", "gato", "cat", "--reversed")
    try home.run("note", "show", "D:3").succeeds("Front  gato\nBack   cat\n", "Card 2  D:3    cat     gato")
    try home.run("note", "show", "D:1").succeeds("Front  plain\nBack   card\ntype   Basic\n")
    try home.run("note", "show", "D:2", "--json").succeeds("\"fields\": {", "\"Front\": \"gato\"")
    #expect(try home.run("note", "edit", "D:2", "--set", "Back=a < b").output.contains("it has 2 cards"))
    #expect(try home.lua("decks.open('D'):card(3).prompt").output == "\"a < b\"\n")
    #expect(try home.run("note", "edit", "D:2", "--html", "--set", "Back=<b>b</b>").status == 0)
    try home.run("note", "edit", "D:2", "--set", "Back=x")
      .fails("`note edit NOTE --set FIELD=TEXT` takes HTML with --html")
    #expect(try home.run("note", "edit", "D:2", "--plain", "--set", "Back=x").status == 0)
    #expect(try home.run("note", "edit", "D:2", "--set", "Bakc=x").errors.contains("did you mean \"Back\""))
    try home.run("note", "edit", "D:2", "--set", "Back=y", "--set", "Back=z").fails("Back is given twice", status: 2)
    #expect(try home.run("note", "edit", "D:2").errors.contains("give --set FIELD=TEXT; an editor needs a terminal"))
    try home.run("card", "add", "D", "--cloze", "{{c1::a}} {{c2::b}}")
    let fewer = ["note", "edit", "D:4", "--set", "Text={{c1::a}} b"]
    try home.run(fewer).fails("would remove 1 card with the schedule; use --yes", status: 2)
    #expect(try home.run("note", "show", "D:4", "--json").output.contains("{{c2::b}}"))
    #expect(try home.run(fewer + ["--yes"]).output.contains("it has 1 card."))
    try home.run("card", "remove", "D:4")
    try home.run("card", "edit", "D:2", "--prompt", "x").fails("made from fields of the note")
  }

  @Test func `the editor changes a note; a change that removes cards asks first`() throws {
    try home.run("card", "add", "D", "--cloze", "{{c1::a}} {{c2::b}} ==== x")
    let tagged = try terminal(
      ["note", "edit", "D:1"], home.editor("sed -i 's/^ *$/one two/; s/{{c1::a}}/{{c1::z}}/' \"$1\""))
    tagged.wait(for: "it has 2 cards")
    #expect(try home.lua("decks.open('D'):card(2).prompt").output == "\"z [...] ==== x\"\n")
    let fewer = try home.editor("sed -i 's/ {{c2::b}}//' \"$1\"")
    let kept = try terminal(["note", "edit", "D:1"], fewer)
    kept.type("n\r", after: "This removes 1 card with the schedule. Continue? [y/N] ", showing: "Nothing was changed.")
    let gone = try terminal(["note", "edit", "D:1"], fewer)
    gone.type("y\r", after: "Continue? [y/N] ", showing: "it has 1 card")
    #expect(try home.lua("#decks.open('D')").output == "1\n")
    let broken = try terminal(["note", "edit", "D:1"], home.editor("echo nothing > \"$1\""))
    broken.type("\r", after: "Edit again? [y/N] ", showing: "no line ==== NAME ==== was found")
  }

  @Test func `a studied card that its note no longer makes stays until doctor --mend cards is agreed to`() throws {
    func source(_ text: String) throws -> String { try home.write(text + "\n<!-- id: abcdefgh01 -->\n", to: "v.md") }
    try home.run("deck", "import", "V", source("The {{c1::sun}} and {{c2::moon}}"))
    _ = try home.run(["study", "V"], input: "\n4\n\n4\n")
    let updated = try home.run("deck", "import", "V", source("The {{c1::sun}}"), "--on-duplicate", "update")
    #expect(updated.output.contains("1 updated"), "\(updated)")
    #expect(try home.lua("#decks.open('V')").output == "2\n")
    #expect(try home.run("card", "show", "V:2").output.contains("no longer made by its note"))
    #expect(try home.run("doctor").output.contains("no longer make") == false)
    let listed = try home.run("doctor", "cards")
    #expect(listed.status == 1 && listed.output.contains("1 card that their notes no longer make"), "\(listed)")
    try home.run("doctor", "--mend", "cards").fails("use --yes to agree", status: 2)
    let asked = try terminal(["doctor", "--mend", "cards"])
    asked.type("n\r", after: "with their schedules? [y/N] ", showing: "no longer make")
    #expect(try home.lua("#decks.open('V')").output == "2\n")
    try home.run("doctor", "--mend", "cards", "--yes").succeeds("All is well.")
    #expect(try home.lua("#decks.open('V')").output == "1\n")
    try home.run("undo")
    #expect(try home.lua("print(decks.open('V'):card(2).reps)").output == "1\n")
  }

  @Test func `a note type is created, shown, and changed with its notes; lost cards are counted and confirmed first`()
    throws
  {
    #expect(try home.run("notetype", "list").output.contains("Cloze"))
    try home.noteType("Word", ["Word", "Sense"], back: "{{Sense}}!").prints("Created note type \"Word\".\n")
    for (name, front, says) in [
      ("basic", "{{Word}}", "already exists"), ("X", "{{b}}", "names the field \"b\""),
      ("X", "{{#Word}}", "does not close it"), ("X", "no field", "shows no field"),
    ] {
      try home.noteType(name, ["Word"], front: front, back: "{{Word}}").fails(says)
    }
    try home.lua("decks.open('D'):add_note{type = 'Word', fields = {Word = 'gato', Sense = 'cat'}}")
    let text = try home.run("notetype", "show", "Word").output
    #expect(
      text.hasPrefix("==== name: ====\nWord\n==== fields: ====\nWord\nSense\n==== front: Card 1 ====\n{{Word}}\n"))
    let renamed = text.replacing("Sense\n", with: "Meaning\n")
    let two = renamed.replacing(
      "==== css", with: "==== front: Back ====\n{{Meaning}}\n==== back: Back ====\n{{Word}}\n==== css")
    let changed = try home.run("notetype", "edit", "word", "--from", home.write(two, to: "two.txt"))
    #expect(changed.status == 0 && changed.output == "Note type \"Word\": 1 note.\n", "\(changed)")
    #expect(try home.run("card", "list", "--json").lines.count == 2)
    #expect(try home.lua("decks.open('D'):card(2).answer").output == "\"cat!\"\n")
    let one = try home.write(renamed.replacing("{{Sense}}", with: "{{Meaning}}"), to: "one.txt")
    try home.run("notetype", "edit", "Word", "--from", one).fails("would remove 1 card; use --yes", status: 2)
    let asked = try terminal(["notetype", "edit", "Word", "--from", one])
    asked.type("n\r", after: "This removes 1 card. Continue? [y/N] ", showing: "Nothing was changed.")
    #expect(try home.run("card", "list", "--json").lines.count == 2)
    #expect(try home.run("notetype", "edit", "Word", "--from", one, "--yes").status == 0)
    #expect(try home.run("card", "list", "--json").lines.count == 1)
    let edited = try terminal(
      ["notetype", "edit", "Word"], home.editor("sed -i 's/{{Word}}/<b>{{Word}}/; s/^Word$/Noun/' \"$1\""))
    edited.wait(for: "Note type \"Noun\": 1 note.")
    #expect(try home.lua("decks.open('D'):card(1).note.fields.Noun").output == "\"gato\"\n")
    #expect(try home.lua("print(select(2, notetypes.open('Noun'):remove()))").output.contains("has 1 note"))
    #expect(try home.lua("print(notetypes.open('Cloze'):remove())").output == "true\n")
    try home.run("undo", "--list").succeeds("removing a note type: Cloze", "editing a note type: Word (notetype edit)")
    #expect(try home.run("card", "add", "D", "--cloze", "{{c1::back}}").status == 0)
  }

  @Test func `a note type that is written back unchanged, or with other line endings, is not changed`() throws {
    let lua = """
      notetypes.create{name = "Word", fields = {"A", "B"}, css = "a {}\\r\\nb {}\\r\\n",
        cards = {{name = "One", front = "{{A}}\\r\\n<hr>", back = "{{B}}"}}}
      """
    #expect(try home.lua(lua).status == 0)
    let steps = try home.run("--json", "undo", "--list").lines.count
    let text = try home.run("notetype", "show", "Word").output
    #expect(text.hasSuffix("==== css: ====\na {}\nb {}\n\n"), "\(text)")
    for form in [text, text.replacing("\n", with: "\r\n")] {
      let path = try home.write(form, to: "word.txt")
      #expect(try home.run("notetype", "edit", "Word", "--from", path).output == "Nothing was changed.\n")
    }
    let again = "local t = notetypes.open('Word') t:update{css = t.css, cards = t.cards}"
    #expect(try home.lua(again).status == 0)
    #expect(try home.run("--json", "undo", "--list").lines.count == steps)
    let other = try home.write(text.replacing("b {}", with: "c {}"), to: "word.txt")
    #expect(try home.run("notetype", "edit", "Word", "--from", other).output == "Note type \"Word\": 0 notes.\n")
    #expect(try home.run("--json", "undo", "--list").lines.count == steps + 1)
    // The changed part has the line endings it was given; the others keep theirs.
    #expect(try home.run("--json", "notetype", "show", "Word").output.contains("{{A}}\\r\\n<hr>"))
  }

  @Test func `names of note types and media are completed, and a narrow terminal shows all`() throws {
    try home.run("card", "add", "D", "un gato muy grande y gris", "a very big and grey cat", "--reversed")
    let terminal = try home.terminal([])
    terminal.wait(for: "> ")
    terminal.resize(columns: 40)
    terminal.type("notetype show Clo\t\r", showing: "{{cloze:Text}}")
    terminal.type("note show D:1\r")
    let shown = terminal.wait(for: "Card 2")
    #expect(!shown.split(separator: "\r\n").contains { $0.filter { !$0.isASCII || $0 >= " " }.count > 120 })
    terminal.type("help notetypes.create\r", showing: "bad_template")
    terminal.type("help note_fields\r", showing: "note_fields.NAME")
    terminal.type("n = decks.open('D'):card(1).note\r", showing: "> ")
    terminal.type("n.gu\t == n.cards[1].guid\r", showing: "true")
    terminal.type("n.fields.Ba\t\r", showing: "\"a very big and grey cat\"")
    terminal.type("n.cards.x.\t\t'done'\u{01}--\r")
    terminal.type("'still here'\r", showing: "\"still here\"")
  }

  @Test func `media are listed, checked and played by a program that is started without a shell`() throws {
    let sound = try home.write("sound", to: "a$(b) c.mp3")
    #expect(try home.run("media", "add", sound).output == "Added \"a$(b) c.mp3\".\n")
    try home.lua("decks.open('D'):add_note{fields = {Front = '[sound:no.mp3]', Back = '<img src=\"x.png\">'}}")
    let check = try home.run("doctor", "media")
    #expect(
      check.status == 1 && check.output.contains("\"no.mp3\" is used but does not exist\n  where: note "), "\(check)")
    #expect(check.output.contains("1 media file that nothing uses\n  where: \"a$(b) c.mp3\""), "\(check)")
    let json = try home.run("doctor", "media", "--json").output
    #expect(json.contains("\"code\": \"missing_media\"") && json.contains("\"code\": \"unused_media\""))
    #expect(try home.run("media", "list", "--json").output == "{\"name\": \"a$(b) c.mp3\", \"size\": 5}\n")
    try home.run("media", "remove", "a$(b) c.mp3", "a$(b) c.mp3").prints("Removed 1 media file.\n")
    #expect(try home.run("doctor", "media").output.contains("1 file of removed media"))
    #expect(try home.run("doctor").output.contains("removed media") == false)
    #expect(try home.run("--dry-run", "doctor", "--mend", "media").errors.contains("would make a backup"))
    #expect(try home.run("doctor", "--mend", "media").output.contains("repaired: 1 file of removed media"))
    #expect(try home.run("doctor", "media").output.contains("removed media") == false)
    try home.run("media", "add", sound)
    #expect(try home.run("doctor").output.contains("`doctor --mend media` removes them"))
    let mended = try home.run("doctor", "--mend", "media").output
    #expect(mended.contains("repaired: 1 media file that nothing uses (\"a$(b) c.mp3\")"), "\(mended)")
    #expect(!mended.contains("removed media") && mended.contains("\"no.mp3\" is used but does not exist"), "\(mended)")
    #expect(try home.run("media", "list", "--json").output.isEmpty)
    try home.run("undo")
    #expect(try home.run("media", "list", "--json").output == "{\"name\": \"a$(b) c.mp3\", \"size\": 5}\n")
    #expect(try home.run("doctor", "media").output.contains("1 file of removed media") == false)
    #expect(try home.run("set", "media.player").output.contains("media.player"))
  }

  @Test(arguments: [("heic", "jpg"), ("avif", "jpg"), ("bmp", "png"), ("tiff", "png"), ("gif", "gif")])
  func `a photo is kept as a picture that every program shows`(ending: String, kept: String) throws {
    let picture = sourceRoot() + "/Tests/CardDocumentsTests/Fixtures/pictures/quarter.\(ending)"
    let added = try home.run("media", "add", picture)
    #expect(added.output == "Added \"quarter.\(kept)\".\n" && added.errors.isEmpty, "\(added)")
    let stored = names(in: home.path + "/data/local/media").compactMap {
      contents(of: home.path + "/data/local/media/" + $0)
    }
    #expect(
      stored.count == 1
        && stored[0].starts(with: ["jpg": [0xFF, 0xD8], "png": [0x89, 0x50], "gif": [0x47]][kept] ?? []))
    // What is no picture stays what it is.
    #expect(
      try home.run("media", "add", home.write("no picture", to: "a.\(ending)")).output == "Added \"a.\(ending)\".\n")
  }

  @Test func `a picture that a card names is drawn on the study screen, on its own side`() throws {
    for (name, color) in [("red.svg", "#f00"), ("blue.svg", "#00f")] {
      let picture =
        "<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'><path d='M0 0h8v8H0z' fill='\(color)'/></svg>"
      #expect(try home.run("media", "add", home.write(picture, to: name)).status == 0)
    }
    try home.lua(
      "decks.open('D'):add_note{fields = {Front = 'what <img src=red.svg> <img src=no.png>', Back = '<img src=blue.svg>'}}"
    )
    // Kitty's graphics protocol is not for a screen that truncates and redraws its lines.
    let terminal = try home.terminal(["--color=always", "study", "D"], ["COLORTERM=truecolor", "KITTY_WINDOW_ID=1"])
    let front = terminal.wait(for: "38;2;255;0;0m")
    #expect(front.contains("what  \u{1B}[2m[picture no.png]") && !front.contains("0;0;255m"))
    terminal.type("\r", showing: "38;2;0;0;255m")
    let plain = try home.run(["study", "D"], input: "\ngood\n")
    #expect(plain.output.contains("[picture blue.svg]") && !plain.output.contains("\u{1B}"), "\(plain)")
  }

  @Test func `a value after = may begin with a combining mark`() throws {
    try home.run("note", "add", "Basic", "Front=\u{93E}", "Back=b", "--deck=D")
    try home.run("card", "edit", "D:1", "--answer=\u{93F}").succeeds()
    let texts = try home.lua("local c = decks.open('D'):card(1) print(c.prompt) print(c.answer)")
    #expect(texts.lines == ["\u{93E}", "\u{93F}"], "\(texts)")
  }
}
