// `help` on one screen, the list that Tab shows on an empty line, suggestions at the prompt, the pager, and names in
// narrow tables: the built program at a terminal.

import TestSupport

@Suite struct HelpScreenTests {
  private let home = Home()

  private func prompt(columns: UInt16 = 80, rows: UInt16 = 24, _ more: [String] = []) throws -> PseudoTerminal {
    let terminal = try home.terminal([], more, columns: columns, rows: rows)
    terminal.wait(for: "Deckhand 0.1.0", "> ")
    return terminal
  }

  @Test func `help fits one screen; developers' commands and the long list need another word`() throws {
    let short = try home.run("help")
    #expect(short.lines.count <= 24 && short.lines.allSatisfy { $0.count <= 80 }, "\(short.output)")
    let joined = short.output.replacing("\n", with: " ")
    for words in ["First steps", "deck import DECK FILE", "Decks and cards", "help all", "help developers"] {
      #expect(joined.contains(words), "\(words): \(short.output)")
    }
    #expect(!short.output.contains("lua-types") && !short.output.contains("completions"))
    let developers = try home.run("help", "developers").output
    for name in ["completions", "docs", "lua-types", "man", "map"] { #expect(developers.contains("\n  \(name) ")) }
    try home.run("help", "all").succeeds("lua-types", "Studying")
    #expect(try home.run("help", "Words and games").output.contains("anagrams"))
  }

  @Test func `Tab on an empty line lists commands by theme, then the names of Lua`() throws {
    let terminal = try prompt(columns: 100, rows: 40)
    terminal.type("\t\t")
    let list = terminal.wait(for: "words")
    let order = ["Decks and cards", "card", "Studying", "study", "The shell", "For developers", "Lua", "decks"]
    var rest = list[...]
    for words in order {
      let found = rest.firstRange(of: words)
      #expect(found != nil, "\(words): \(list)")
      if let found { rest = rest[found.upperBound...] }
    }
    terminal.type("1 + 1\r")
    #expect(terminal.shows("2\r\n"))
  }

  @Test func `a failed line is no longer suggested, in this session and in the next`() throws {
    let settings = ["TERM=xterm-256color"]
    for isFirst in [true, false] {
      let terminal = try prompt(columns: 80, rows: 24, settings)
      if isFirst {
        for (line, answer) in [("study --list", "No"), ("studdy Vocab", "did you mean"), ("studying", "neither")] {
          terminal.type(line + "\r", showing: answer)
        }
        terminal.wait(for: "> ")
      }
      terminal.type("stu")
      #expect(terminal.shows("dy --list"), "\(isFirst): \(terminal.output)")
      terminal.type("\u{03}", showing: "> ")
      terminal.type("studd")
      #expect(!terminal.waitUntilQuiet(awaitsPrompt: false).contains("y Vocab\u{1B}[0m"))
      #expect(terminal.ended(after: "\u{03}exit\r") == 0)
    }
  }

  @Test func `output longer than the screen goes through the pager, as UTF-8`() throws {
    let terminal = try prompt(columns: 80, rows: 24, ["PAGER=sed s/^/PAGED:$LESSCHARSET:/", "LANG=C"])
    terminal.type("help all\r", showing: "PAGED:utf-8:Decks and cards")
    terminal.type("set display.pager off\r", showing: "display.pager is off now.")
    terminal.type("help all\r")
    #expect(!terminal.wait(for: "searches").contains("PAGED:"))
  }

  @Test(arguments: ["no-such-pager", "/dev/null"])
  func `output is printed when the pager cannot be run`(pager: String) throws {
    let terminal = try prompt(columns: 80, rows: 24, ["PAGER=" + pager])
    terminal.type("help all\r", showing: "searches")
  }

  @Test func `names that users type are not truncated in a narrow table`() throws {
    try home.run("deck", "create", "A deck with quite a long name, longer than forty columns")
    let terminal = try home.terminal(
      ["deck", "options", "A deck with quite a long name, longer than forty columns"], columns: 40)
    let options = terminal.wait(for: "parameters")
    for name in ["new_ignores_review_limit", "minimum_lapse_interval", "reviews_per_day"] {
      #expect(options.contains(name), "\(name): \(options)")
    }
    let list = try home.terminal(["deck", "list"], columns: 40)
    let decks = list.wait(for: "never").replacing("\r\n", with: "")
    #expect(
      decks.contains("A deck with quite a long name") && decks.contains("forty columns"),
      "\(decks)")
  }

  @Test func `a deck is chosen from a list if nothing else is missing`() throws {
    try home.run("deck", "create", "Birds")
    let terminal = try prompt()
    for line in ["deck rename", "deck export", "card add", "deck order"] {
      terminal.type("\(line)\r")
      let told = terminal.wait(for: "\(line): ")
      #expect(!told.contains("Which deck?"), "\(told)")
      terminal.wait(for: " is missing", "> ")
    }
    terminal.type("deck options\r", showing: "Which deck?")
    terminal.type("\r", showing: "new_per_day")
  }
}
