// Editing cards of every kind through the built program: `e` while studying, `card edit`, refused edits, Ctrl-C.

import Glibc
import TestSupport

@Suite struct EditingTests {
  private let home = Home()

  init() throws {
    try home.run("deck", "create", "D")
    try home.run("card", "add", "D", "casa", "house", "--reversed")
  }

  private func terminal(_ words: String..., editor: String) throws -> PseudoTerminal {
    try home.terminal(words, [editor])
  }

  @Test(arguments: [
    ["card", "add", "D", "plain", "card"], ["card", "add", "D", "luna", "moon", "--type-answer"],
    ["card", "add", "D", "--cloze", "La {{c1::capital}} es {{c2::Madrid}}"],
  ])
  func `a card of any type opens with the fields of its note, each below its name`(add: [String]) throws {
    _ = try home.run(add)
    let copy = home.path + "/seen"
    let terminal = try terminal(
      "card", "edit", "D:3",
      editor: home.editor("cp \"$1\" \(copy); sed -i 's/moon/luna/; s/Madrid/Paris/; s/^card$/kort/' \"$1\""))
    terminal.wait(for: "Changed 1 card.")
    #expect(terminal.ended() == 0)
    let seen = try String(decoding: bytes(of: copy), as: UTF8.self)
    #expect(seen.contains(add.contains("--cloze") ? "==== Back Extra ====" : "==== Back ===="), "\(seen)")
    #expect(seen.contains("==== tags: ===="), "\(seen)")
    let shown = try home.run("card", "show", "D:3").output
    #expect(["luna", "Paris", "kort"].contains { shown.contains($0) }, "\(shown)")
  }

  private func bytes(of path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    return [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      count = max(0, read(file, buffer.baseAddress, buffer.count))
    }
  }

  @Test func `an unedited field stays as it is, whatever its lines look like`() throws {
    try home.lua(
      #"decks.open("D"):add_note{type = "Basic", fields = {Front = "a\n  ==== Back ====\nb", Back = "x<b>1</b>\r\ny"}}"#
    )
    let terminal = try terminal("note", "edit", "D:1", editor: home.editor("sed -i 's/^a$/A/' \"$1\""))
    terminal.wait(for: "Changed the note")
    #expect(terminal.ended() == 0)
    let fields = try home.lua("local f = decks.open('D'):card(1).note.fields print(f.Front == ..., f.Back)")
    let kept = try home.lua(
      #"local f = decks.open("D"):card(1).note.fields print(f.Back == "x<b>1</b>\r\ny", f.Front:find("==== Back ====", 1, true) ~= nil, f.Front:sub(1, 1))"#
    )
    #expect(kept.output == "true\ttrue\tA\n", "\(fields)")
  }

  @Test func `a field of any card is set by its name, and a refusal gives the reason`() throws {
    let set = try home.run("note", "edit", "D:1", "--set", "Back=home")
    #expect(set.output.hasPrefix("Changed the note"), "\(set)")
    #expect(try home.run("card", "list", "--columns", "prompt,answer").output.contains("home    casa"))
    try home.run("card", "edit", "D:1", "--answer", "x")
      .fails("fields of the note (Front, Back)", "`note edit CARD --set FIELD=TEXT`")
    for (words, message) in [
      (["D:1", "--set", "Back"], "note edit: --set must be a field, = and its text"),
      (["D:1", "--set", "Bakc=x"], "did you mean \"Back\"?"),
      (["D:1", "--set", "Front="], "would remove 1 card"), (["D:1", "--set", "Front=", "--yes"], "is empty"),
    ] {
      let wrong = try home.run(["note", "edit"] + words)
      #expect(wrong.status != 0 && wrong.errors.contains(message), "\(wrong)")
    }
    #expect(try home.run("undo").output.hasPrefix("Undone: "))
    #expect(try home.run("card", "show", "D:1").output.contains("house"))
  }

  // The second argument writes the line ends of other systems.
  @Test(arguments: ["", "; sed -i 's/$/\\r/' \"$1\""])
  func `a refused text opens again in the editor, with the reason at the top`(lineEnds: String) throws {
    try home.lua("decks.open('D'):add{prompt = 'sol', answer = 'sun'}")
    // The first run empties the field; the second saves what it finds and writes the field.
    let copy = home.path + "/second"
    let script = """
      if [ -e \(home.path)/once ]; then cp "$1" \(copy); sed -i '/^==== Front/a gato' "$1"\(lineEnds)
      else touch \(home.path)/once; sed -i '/^sol$/d' "$1"; fi
      """
    let terminal = try terminal("study", "D", editor: home.editor(script))
    terminal.type("e", after: "q quit", showing: "Edit again? [y/N] ")
    terminal.type("y\r", showing: "gato")
    let second = try String(decoding: bytes(of: copy), as: UTF8.self)
    #expect(second.hasPrefix("# Refused: the field \"Front\", the note's first, is empty\n"), "\(second)")
    terminal.type("\r3", showing: "casa")
    terminal.type("q", showing: "Stopped. 1 right")
    #expect(terminal.ended() == 0)
    #expect(try home.run("card", "list", "--columns", "prompt").output.contains("gato"))
  }

  @Test func `a refused text that is not changed ends the edit`() throws {
    try home.lua("decks.open('D'):add{prompt = 'sol', answer = 'sun'}")
    let terminal = try terminal(
      "study", "D", editor: home.editor("grep -q '^# Refused' \"$1\" || sed -i '/^sol$/d' \"$1\""))
    terminal.type("e", after: "q quit", showing: "Edit again? [y/N] ")
    terminal.type("y\r", showing: "\u{1B}[H\u{1B}[2J")
    terminal.type("\r", showing: "sun")
    terminal.type("q")
    #expect(!terminal.wait(for: "Stopped. 0 right").contains("Edit again?"))
    #expect(terminal.ended() == 0)
  }

  @Test(arguments: ["", "exit 3"])
  func `a text that is not UTF-8 or whose editor failed is saved`(ending: String) throws {
    let terminal = try terminal("card", "edit", "D:1", editor: home.editor("printf 'ca\\361a' >> \"$1\"; \(ending)"))
    terminal.wait(for: "Your text was saved to ")
    let path = terminal.wait(for: ".txt")
    defer { unlink(path) }
    #expect(terminal.ended() == 1)
    #expect(try bytes(of: path).suffix(4).elementsEqual([0x63, 0x61, 0xF1, 0x61]), "\(path)")
  }

  @Test(arguments: ["sed -i '/^sol$/d' \"$1\"", "kill -INT 0; sleep 1"])
  func `Ctrl-C ends the edit and nothing else`(script: String) throws {
    try home.lua("decks.open('D'):add{prompt = 'sol', answer = 'sun'}")
    let terminal = try terminal("study", "D", editor: home.editor(script))
    terminal.type("e", after: "q quit")
    if script.hasPrefix("sed") {
      terminal.type("\u{03}", after: "Edit again? [y/N] ")
    }
    // Neither the question nor an old frame remains above the new frame.
    terminal.wait(for: "\u{1B}[H\u{1B}[2J", "sol")
    terminal.type("\r", showing: "sun")
    terminal.type("3", showing: "casa")
    terminal.type("q")
    let output = terminal.wait(for: "Stopped. 1 right, 0 wrong.")
    #expect(!output.contains("interrupted") && !output.contains("nothing was changed"), "\(output)")
    #expect(terminal.ended() == 0)
    #expect(try home.run("card", "list", "is:learning", "--columns", "prompt").output.contains("sol"))
  }

  @Test func `after e no old frame remains above the new one`() throws {
    let terminal = try terminal("study", "D", editor: home.editor("sed -i 's/^casa$/gato/' \"$1\""))
    terminal.type("e", after: "q quit")
    // The frame is erased before the editor opens.
    #expect(terminal.wait(for: "gato").contains("A\r\u{1B}[J"))
    #expect(terminal.ended(after: "q") == 0)
  }
}
