// The files of a folder that is built: their names and line ends.

import Glibc
import TestSupport

@Suite struct BuildFileTests {
  private let home = Home()

  @discardableResult private func build(_ more: String...) throws -> Run {
    try home.run(["build", home.path + "/es"] + more)
  }

  @Test func `a table with several rows on a line, each ended by a carriage return, is not written back`() throws {
    let table = "prompt,answer,guid\rser,to be,ser\rir,to go,ir\r"
    try home.write(table, to: "es/verbs.csv")
    try build()
    try home.lua("for c in decks.open('es'):cards() do c.answer = 'x' end")
    try build("--write-back")
    #expect(text(of: home.path + "/es/verbs.csv") == table)
    // Two carriage returns before a line feed are one line end.
    try home.write(table.replacing("\r", with: "\r\r\n"), to: "es/verbs.csv")
    #expect(try build("--write-back").output.contains("2 written back"))
  }

  @Test func `a source whose name gets another Unicode normal form is still the same source`() throws {
    try home.write("## la caña\n\nthe cane\n", to: "es/ca\u{F1}a.md")
    try build()
    rename(home.path + "/es/ca\u{F1}a.md", home.path + "/es/can\u{303}a.md")
    try home.write("## la caña\n\nthe cane\n\n## el caño\n\nthe pipe\n", to: "es/can\u{303}a.md")
    #expect(try build().output.hasPrefix("Built \"es\": 1 added; 1 source read, 0 unchanged."))
    #expect(try build().output == "Built \"es\": nothing changed; 0 sources read, 1 unchanged.\n")
  }

  @Test func `a picture whose name gets another Unicode normal form still belongs to the folder`() throws {
    try home.write("## la caña\n\nthe cane\n", to: "es/a.md")
    try home.write("one", to: "es/media/ca\u{F1}a.png")
    try build()
    try home.run("deck", "create", "Other")
    try home.run("note", "add", "Basic", "Front=x", "Back=<img src=\"ca\u{F1}a.png\">", "--deck", "Other")
    rename(home.path + "/es/media/ca\u{F1}a.png", home.path + "/es/media/can\u{303}a.png")
    for text in ["two!", "three"] {
      try home.write(text, to: "es/media/can\u{303}a.png")
      #expect(try build().output.contains("1 media imported"))
    }
  }
}

@Suite struct GeneratorTests {
  private let home = Home()

  private func build(_ code: String, _ more: String...) throws -> Run {
    try home.write(code, to: "es/made.lua")
    return try home.run(["build", home.path + "/es"] + more)
  }

  @Test(arguments: [
    "card{prompt = 'p', answer = 'a'} while true do end",
    "for i = 1, 1e9 do card{prompt = 'p' .. i, answer = 'a'} end",
    "while true do pcall(read, 'made.lua') end",
  ]) func `a time limit that passes is told as such, and nothing is built`(_ code: String) throws {
    try build(code, "--seconds", "1")
      .fails("made.lua", "time limit has passed (1 s; `build --seconds N` sets it)")
    #expect(try home.run("--json", "deck", "list").output.isEmpty)
  }

  @Test func `a source runs in a process of its own, or not at all`() throws {
    let code = "card{prompt = 'reach', answer = tostring(io) .. tostring(os.execute) .. read('made.lua'):sub(1, 4)}"
    #expect(try build(code).output.contains("1 added"))
    #expect(try home.lua("decks.open('es'):card(1).answer").output.contains("nilnilcard"))
    // Without the program that confines it, it does not run.
    let alone = home.path + "/deckhand"
    #expect(Child.copy(builtProgram("deckhand"), to: alone))
    let words = [alone, "--data", home.path + "/other", "build", home.path + "/es"]
    let run = try Child(words, environment: home.environment).finish(input: "")
    #expect(run.status == 1 && run.errors.contains("made.lua: it cannot run in a process of its own"), "\(run)")
  }
}
