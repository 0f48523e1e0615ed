// The program at a terminal: the prompt, Ctrl-C, screens, history.

import Glibc
import TestSupport

@Suite(.serialized) struct ProgramTerminalTests {
  private let home = Home()

  @Test(arguments: [
    "while true do end", "while true do pcall(function() while true do end end) end",
    "coroutine.wrap(function() while true do end end)()",
    "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    "for i = 1, 9 do decks.list() while true do end end", "io.read()",
    "local t = setmetatable({}, {__tostring = function() while true do end end}) return t",
  ])
  func `one Ctrl-C brings the prompt back, and the next line works`(code: String) throws {
    let terminal = try home.prompt()
    terminal.type("print('go', 'on') " + code + "\r", showing: "go\ton")
    let before = terminal.processorSeconds
    #expect(waits { terminal.isResting || terminal.processorSeconds > before + 0.2 })
    terminal.type("\u{03}")
    let start = terminal.processorSeconds
    terminal.wait(for: "> ")
    #expect(terminal.processorSeconds - start < 1)
    terminal.type("6 * 7\r", showing: "42\r\n", "> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
    #expect(terminal.isInCanonicalMode)
  }

  @Test(arguments: ["Español", "日本語", "שלום"])
  func `after a prompt with letters beyond ASCII the line is drawn in the right place`(deck: String) throws {
    let terminal = try home.terminal("--no-init")
    var picture = TerminalPicture()
    picture.write(terminal.waitUntilQuiet(awaitsPrompt: true))
    terminal.type("deck create \(deck)\r")
    picture.write(terminal.waitUntilQuiet(awaitsPrompt: true))
    terminal.type("deck list")
    picture.write(terminal.waitUntilQuiet(awaitsPrompt: false))
    #expect(picture.lines.last?.hasSuffix("> deck list") == true, "\(picture.lines)")
    #expect(terminal.ended(after: "\u{15}\u{04}") == 0)
  }

  @Test func `Backspace removes a whole letter in a locale without letters beyond ASCII`() throws {
    let terminal = try home.terminal([], ["LC_ALL=C"])
    terminal.type("print(#'añ\u{7F}b')\r", after: "> ", showing: "2\r\n", "> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
  }

  @Test func `with the output in a pipe, the result of each line comes before the next prompt`() throws {
    let words = home.words([]).joined(separator: " ")
    let terminal = try PseudoTerminal(["/bin/sh", "-c", words + " | cat"], environment: home.environment)
    terminal.retained = home
    terminal.type("6 * 7\r", after: "> ", showing: "42", "> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
  }

  @Test func `commands and Lua work side by side`() throws {
    let terminal = try home.prompt()
    for (line, answer) in [
      ("deck create Spanish", "Created deck \"Spanish\"."), ("#decks.open('Spanish')", "0\r\n"),
      ("decks.opn", "error: decks has no field 'opn' (did you mean 'open'?)"), ("deck = 5", "> "), ("deck", "5\r\n"),
      ("deck list", "Spanish"), ("=deck + 1", "6\r\n"), ("lua deck .. 'x'", "\"5x\""),
      ("{1, 2, x = {y = 'z'}}", "{1, 2, x = {y = \"z\"}}"), ("nil", "nil\r\n"), ("1, 'two'", "1\r\n\"two\""),
      ("dekc list", "no command is called \"dekc\" (did you mean \"deck\"?)"), ("studdy", "did you mean \"study\"?"),
      ("nobody_knows", "nor a Lua name; `help` lists the commands.\r\n\u{1B}[?2004h"),
      ("nobody knows", "`help` lists them"), ("deck list | sed s/^/x/", "xDeck"), ("deck list > /dev/null", "> "),
    ] {
      terminal.type(line + "\r", showing: answer)
    }
  }

  @Test func `an incomplete chunk asks for more lines, and history keeps it`() throws {
    let terminal = try home.prompt()
    terminal.type("for i = 1, 2 do\r", showing: ">> ")
    terminal.type("print('line', i)\r", showing: ">> ")
    terminal.type("end\r", showing: "line\t2")
    terminal.type("local x = 1\r", showing: "a local lives for its line only", "> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
    let again = try home.prompt()
    again.type("\u{1B}[A\u{1B}[A\r", showing: "line\t2")
  }

  @Test func `an interrupted program in a pipe is reported, and the prompt starts on a new line`() throws {
    let terminal = try Home().prompt()
    terminal.type("deck list | (printf 're%s\\n' ady; sleep 50)\r", showing: "ready")
    terminal.type("\u{03}", showing: "interrupted\r\n", "> ")
    terminal.type("6 * 7\r", showing: "42")
  }

  @Test func `a sprint shows the prompt, the answer, the clock and the result`() throws {
    try home.lua("local d = decks.create('D') for i = 1, 3 do d:add{prompt = 'p' .. i, answer = 'a' .. i} end")
    let terminal = try home.prompt()
    terminal.type("study D --sprint --seconds 3599\r", showing: " 59:", "p3", "Enter")
    terminal.type("\r", showing: "a3")
    terminal.type("r", showing: "✓ 1", "p2")
    terminal.type("\rw", showing: "✗ 1")
    terminal.type("\rr\rr", showing: "Done. 3 right, 1 wrong in ", "again")
    terminal.type("q", showing: "> ")
    terminal.type("1 + 1\r", showing: "2")
  }

  @Test func `a sprint ends when its time is over`() throws {
    try home.lua("decks.create('D'):add{prompt = 'p', answer = 'a'}")
    let terminal = try home.terminal("study", "D", "--sprint", "--seconds", "1")
    terminal.wait(for: "Time. 0 right, 0 wrong in 1 second. 1 card was left.")
    #expect(terminal.ended(after: "q") == 0)
    #expect(terminal.isInCanonicalMode)
  }

  @Test func `a game shows the base word, alerts, and found words newest first`() throws {
    let terminal = try home.prompt()
    terminal.type("play --base cambering\r", showing: "cambering      9 letter word - English", "c a m b e r i n g")
    terminal.type("grace\r", showing: "1 found · 5.0 letters on average · score 5")
    terminal.type("gracee\r", showing: "This word is not possible. Create only words from the letters in the given")
    terminal.type("cab\r", after: "word.", showing: "cab", "grace", "2 found · 4.0 letters on average · score 8")
    terminal.type("\u{0C}", showing: "c a m b e r i n g")
    terminal.type("/quit\r", showing: "cambering: 2 found", "> ")
  }

  @Test(arguments: [100, 71])
  func `a guess that wraps, or fills its row, leaves nothing behind when the game is redrawn`(letters: Int) throws {
    let terminal = try Home().terminal("play", "--base", "cambering")
    var picture = TerminalPicture()
    picture.write(terminal.waitUntilQuiet(awaitsPrompt: true))
    terminal.type(String(repeating: "x", count: letters) + "\r")
    picture.write(terminal.waitUntilQuiet(awaitsPrompt: true))
    #expect(picture.lines.count { $0.hasPrefix("cambering      9 letter word") } == 1, "\(picture.lines)")
    #expect(!picture.lines.contains { $0.hasSuffix("xx") }, "\(picture.lines)")
  }

  @Test func `the clock of a game runs while a line is typed, from the command line too`() throws {
    let terminal = try Home().terminal("play", "timed", "--base", "cambering")
    terminal.type("gr", after: " s left")
    // The clock's line is redrawn each second.
    terminal.wait(for: " s left", " s left")
    terminal.type("ace\r", showing: "1 found · 5.0 letters on average · score 5", "timed> ")
    terminal.type("\u{04}", showing: "`play --resume` resumes the game.")
    #expect(terminal.ended() == 0)
    #expect(terminal.isInCanonicalMode)
  }

  @Test func `waiting for a silent server is shown, until Ctrl-C`() throws {
    try writeFile("secret\n", to: home.path + "/password")
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(server) }
    // Without an address it listens on any free port.
    try #require(listen(server, 1) == 0)
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(server, $0, &size) }
    }
    let url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    let terminal = try home.terminal(
      "sync", "login", url, "--user", "ana", "--server-password-file", home.path + "/password")
    terminal.wait(for: "Asking the server", "Asking the server")
    terminal.type("\u{03}", showing: "sync: interrupted")
    #expect(terminal.ended() == 130)
    #expect(terminal.isInCanonicalMode)
  }

  @Test func `Ctrl-D leaves one question of a script, not those after it`() throws {
    let terminal = try home.terminal("-e", "print(shell.ask('one? ')) print(shell.ask('two? '))")
    terminal.type("\u{04}", after: "one? ", showing: "two? ")
    #expect(terminal.ended(after: "yes\r") == 0)
    #expect(terminal.output.contains("yes\r\nyes"), "\(terminal.output)")
  }

  @Test func `a paste of several lines is one chunk of Lua, or commands one by one`() throws {
    let terminal = try home.prompt()
    terminal.type("\u{1B}[200~local function twice(x)\n\n\treturn 2 * x\nend\nprint(twice(21))\u{1B}[201~\r")
    terminal.wait(for: "42\r\n", "> ")
    terminal.type("\u{1B}[200~deck create One\nfor i = 1, 2 do\nprint('loop', i)\nend\ndeck create Two\u{1B}[201~\r")
    terminal.wait(for: "Created deck \"One\".", "loop\t2", "Created deck \"Two\".", "> ")
    terminal.type("\u{1B}[200~ quiet = 1\nprint(quiet + 6)\u{1B}[201~\r", showing: "7\r\n", "> ")
    terminal.type("\u{1B}[200~ deck create Hidden\nif true then\nprint('then')\nend\u{1B}[201~\r")
    terminal.wait(for: "Created deck \"Hidden\".", "then\r\n", "> ")
    // Ctrl-C stops the lines that follow, too.
    terminal.type("\u{1B}[200~deck create Three\nprint('on') while true do end\ndeck create Four\u{1B}[201~\r")
    terminal.type("\u{03}", after: "on\r\n", showing: "> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
    let decks = try home.run("deck", "list").output
    #expect(decks.contains("Three") && !decks.contains("Four"), "\(decks)")
    // What begins with a blank is not stored.
    #expect(try home.run("history", "twice").output.contains("return 2 * x"))
    for word in ["quiet", "Hidden"] { #expect(try home.run("history", word).output == "No lines.\n") }
  }

  @Test(arguments: [
    ("", "card li", "card li"), (" study Spanish", "", "Enter  show the answer"),
    ("", "play --base cambering\rgr", "classic> gr"),
  ])
  func `what Ctrl-Z stopped is shown again, once, when it continues`(
    command: String, typed: String, shown: String
  ) throws {
    try home.lua("decks.create('Spanish'):add{prompt = 'el perro', answer = 'the dog'}")
    let words = home.words([]).map { "'\($0)'" }.joined(separator: " ") + command
    let script = "set -m; \(words); echo STOPPED; read line; fg"
    let terminal = try PseudoTerminal(["/bin/sh", "-c", script], environment: home.environment)
    if !typed.isEmpty {
      terminal.type(typed, after: "> ")
    }
    terminal.type("\u{1A}", after: shown, showing: "STOPPED")
    terminal.type("\r", showing: shown)
    guard typed.hasPrefix("play") else { return }
    terminal.type("ace\r/quit\r")
    let drawn = terminal.wait(for: "cambering: 1 found").split(separator: "\u{1B}[2J")
    #expect(drawn.allSatisfy { $0.split(separator: shown, omittingEmptySubsequences: false).count < 3 }, "\(drawn)")
  }

  @Test func `Tab completes commands, names and Lua without running code`() throws {
    try home.run("deck", "create", "Spanish verbs")
    let terminal = try home.prompt()
    terminal.type("evil = setmetatable({}, {__index = function() BOOM = 1 end})\r", showing: "> ")
    terminal.type("deck sho\tSp\t\r", showing: "Spanish verbs: 0 cards")
    terminal.type("verbs = decks.op\t\"Spanish verbs\")\r", showing: "> ")
    terminal.type("verbs.coun\t, verbs:stu\t{mode = 'sprint'})\r", showing: "0\r\nsprint session (0 cards left)\r\n")
    terminal.type("evil.x\t\u{03}", after: "> ", showing: "> ")
    terminal.type("BOOM\r", showing: "nor a Lua name")
  }

  @Test(arguments: [(SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `a terminating signal ends the program with its status`(signal: Int32, status: Int32) throws {
    let terminal = try home.prompt()
    terminal.type("x = 1\r", showing: "> ")
    terminal.signal(signal)
    #expect(terminal.ended() == status)
  }
}
