// `help tour`: an interactive tour at a terminal, the page in a pipe.

import TestSupport

@Suite struct TourTests {
  private let home = Home()

  @Test func `the tour waits, checks what was typed, and responds; nothing of it is saved`() throws {
    let terminal = try home.terminal("--no-init")
    terminal.type("help tour\r", after: "> ", showing: "deck create Birds")
    for (line, answer) in [
      ("1 + 1", "That was Lua, and it worked"), ("deck list", "`deck list` is a command"),
      ("deck craete X", "says what is wrong with it"), ("deck create Owls", "There it is."),
      ("card add Owls owl", "says what is wrong with it"), ("card add Owls owl búho", "It is at the end of the deck."),
      ("skip", "Lua, which can do"), ("#decks.open(\"Owls\")", "The value of an expression"),
      ("skip", "can be undone"), ("undo", "That was the tour."),
    ] {
      terminal.type(line + "\r", after: "tour> ", showing: answer)
    }
    terminal.type("deck list\r", after: "> ", showing: "No decks", "?2004h> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
    #expect(try home.run("deck", "list", "--json").output == "")
  }

  @Test(arguments: ["\u{04}", "exit\r", "\u{03}exit\r"])
  func `the tour can be left at once, and the prompt goes on`(keys: String) throws {
    let terminal = try home.terminal("--no-init")
    terminal.type("help tour\r", after: "> ", showing: "tour> ")
    terminal.type(keys)
    terminal.type("1 + 41\r", after: "?2004h> ", showing: "42", "> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
  }

  @Test func `the tour also runs from the command line, and a pipe gets the page`() throws {
    let page = try home.run("help", "tour").output
    #expect(page.contains("deck create Spanish") && !page.contains("tour>"))
    let terminal = try home.terminal("help", "tour")
    terminal.type("deck create Birds\r", after: "tour> ", showing: "There it is.", "tour> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
  }

  @Test func `after the tour the terminal follows the settings`() throws {
    for words in [
      ["set", "accessibility.screen_reader", "on"], ["deck", "create", "D"], ["card", "add", "D", "uno", "one"],
    ] { _ = try home.run(words) }
    let terminal = try home.terminal("--no-init")
    terminal.type("help tour\r", after: "> ", showing: "tour> ")
    terminal.type("exit\r", showing: "> ")
    terminal.type("study D\r", showing: "Card 1 of 1. uno.")
    #expect(terminal.ended(after: "q\u{04}") == 0)
  }
}
