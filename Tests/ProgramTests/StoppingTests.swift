// Every wait and loop of the program ends when it is asked to: questions, observers, completions, pipes.

import Glibc
import TestSupport

@Suite(.serialized) struct StoppingTests {
  private let home = Home()

  private static let asking = "while true do pcall(shell.ask, 'na' .. 'me? ') end"

  private func plugin(_ home: Home, _ code: String, permissions: String = "\"shell\"") throws {
    try home.plugin("own", permissions: "[\(permissions)]", manifest: #""load": "startup""#, code)
    try home.enable("own")
  }

  @Test func `Ctrl-C ends a loop that asks; Ctrl-D only answers nothing`() throws {
    let terminal = try home.prompt()
    terminal.type(Self.asking + "\r")
    for key in ["\u{04}", "x\r", "\u{04}"] {
      terminal.type(key, after: "name? ")
    }
    terminal.type("\u{03}", after: "name? ", showing: "interrupted", "> ")
    terminal.type("6 * 7\r", showing: "42\r\n")
  }

  @Test(arguments: [(SIGTERM, 143), (SIGHUP, 129)])
  func `a signal ends a loop that asks, and one that runs, in order`(signal: Int32, status: Int) throws {
    for code in [Self.asking, "print('go', 'on') while true do pcall(function() while true do end end) end"] {
      let home = Home()
      let terminal = try home.prompt()
      terminal.type("shell.on('exiting', function() print('in', 'order') end)\r", showing: "> ")
      terminal.type(code + "\r", showing: code == Self.asking ? "name? " : "go\ton")
      terminal.signal(signal)
      terminal.wait(for: "in\torder")
      #expect(terminal.ended() == Int32(status))
      #expect(terminal.isInCanonicalMode)
    }
  }

  @Test func `a Ctrl-C in a listener to exiting loses no change of a document`() throws {
    let terminal = try home.prompt()
    terminal.type("e = documents.create{}:add_text{text = 'a'} e.x = 123 print('mo', 'ved')\r", showing: "mo\tved")
    terminal.type("shell.on('exiting', function() print('go', 'on') while true do end end)\r", showing: "> ")
    terminal.type("exit\r", showing: "go\ton")
    #expect(terminal.ended(after: "\u{03}") == 130)
    #expect(try home.lua("print(documents.list()[1].elements[1].x)").output == "123.0\n")
  }

  @Test(arguments: [(SIGINT, 130, "interrupted\n"), (SIGTERM, 143, "")])
  func `what a stopped script does at its end is rolled back`(signal: Int32, status: Int32, told: String) throws {
    let listener = "shell.on('exiting', function() decks.create('E') print('in', 'order') end)"
    let child = try home.start(["-e", listener + " print('go') io.stdout:flush() while true do end"])
    #expect(child.next(milliseconds: 60_000).starts(with: "go".utf8))
    child.kill(signal)
    let run = try child.finish(input: "")
    #expect(run.status == status && run.output == "in\torder\n" && run.errors == told, "\(run)")
    #expect(try home.run("deck", "list", "--json").output.isEmpty)
  }

  @Test(arguments: [["study", "A"], ["play", "--language", "english"], []])
  func `a question is printed before the answer is awaited, and Ctrl-C ends the wait`(words: [String]) throws {
    try home.lua("decks.create('A'):add{prompt = 'a', answer = 'b'}")
    let child = try home.start(words)
    if words.isEmpty { child.feed("deck list\n") }
    #expect(!child.next(milliseconds: 60_000).isEmpty)
    if words.isEmpty { child.closeInput() } else { child.kill(SIGINT) }
    #expect(child.wait() == (words.isEmpty ? 0 : 130))
  }

  @Test func `Ctrl-C in init.lua ends its question`() throws {
    try home.write("print('go') io.stdout:flush() while true do end", to: ".config/deckhand/init.lua")
    for words in [["deck", "list"], ["-e", "print(1)"]] {
      let child = try home.start(words)
      #expect(child.next(milliseconds: 60_000).starts(with: "go".utf8))
      child.kill(SIGINT)
      let run = try child.finish(input: "")
      #expect(run.status == 130 && run.output.isEmpty && run.errors == "interrupted\n", "\(run)")
    }
  }

  @Test func `Ctrl-C ends a listener to started or exiting; the prompt starts, and pending moves are saved`() throws {
    let loop = "function() print('go', 'on') while true do end end"
    try home.write("shell.on('started', \(loop))", to: ".config/deckhand/init.lua")
    try home.lua("documents.create{}:add_text{text = 'a', x = 0, y = 0, width = 100, height = 100}")
    let terminal = try home.terminal()
    terminal.wait(for: "go\ton")
    terminal.signal(SIGINT)
    terminal.wait(for: "interrupted", "> ")
    terminal.type("documents.list()[1].elements[1].x = 77 print('mo', 'ved')\r", showing: "mo\tved", "> ")
    terminal.type("shell.on('exiting', \(loop))\r", showing: "subscription to exiting", "> ")
    terminal.type("\u{04}", showing: "go\ton")
    terminal.signal(SIGINT)
    #expect(terminal.ended() == 130)
    #expect(try home.lua("print(documents.list()[1].elements[1].x)").output == "77.0\n")
  }

  @Test func `a line after Ctrl-D ends like one before it`() throws {
    let terminal = try home.prompt()
    terminal.type("shell.ask('na' .. 'me? ')\r", showing: "name? ")
    terminal.type("\u{04}", showing: "nil\r\n", "> ")
    terminal.type("6 * 7\r")
    let shown = terminal.wait(for: "42\r\n")
    #expect(shown.components(of: "\n") == 2, "\(shown.debugDescription)")
  }

  @Test func `the help of a study session is part of its screen`() throws {
    try home.lua("local d = decks.create('A') d:add{prompt='p1', answer='a1'} d:add{prompt='p2', answer='a2'}")
    let terminal = try home.prompt()
    terminal.type("study A\r", showing: "show the answer")
    terminal.type("?")
    var drawn = terminal.wait(for: "any key  back")
    terminal.type("\r")
    drawn += terminal.wait(for: "show the answer")
    // As many lines are redrawn as the help drew.
    let screens = drawn.split(separator: "\u{1B}[", omittingEmptySubsequences: false).map(String.init)
    let ups = screens.indices.filter { screens[$0].contains("A\r") && screens[$0].first?.isNumber == true }
    #expect(ups.count == 2, "\(drawn.debugDescription)")
    if ups.count == 2 {
      let lines = screens[ups[0]..<ups[1]].reduce(0) { $0 + $1.components(of: "\n") }
      #expect(Int(screens[ups[1]].prefix { $0.isNumber }) == lines, "\(drawn.debugDescription)")
    }
    terminal.type("q", showing: "Stopped.")
  }

  @Test func `a thousand endless observers together get the time of one`() throws {
    try plugin(home, "for i = 1, 1000 do shell.on('command', function() while true do end end) end")
    let terminal = try home.prompt()
    let start = terminal.processorSeconds
    terminal.type("version\r", showing: "999 other listeners", "> ")
    #expect(terminal.processorSeconds - start < 4)
  }

  @Test func `observers of one change of settings together get the time of one`() throws {
    let code = """
      settings.value("own.x", {kind = "number", default = 1})
      for i = 1, 200 do settings.on_change("", function() while true do end end) end
      """
    try plugin(home, code, permissions: "\"settings\"")
    let run = try home.run("set", "own.x", "7")
    #expect(run.status == 0 && run.errors.contains("it is unsubscribed"), "\(run.errors)")
    #expect(run.processorSeconds < 5)
  }

  @Test func `an observer of settings gets the time that its plugin was given`() throws {
    let code = """
      settings.value("own.x", {kind = "number", default = 1})
      settings.on_change("", function() while true do end end)
      """
    try plugin(home, code, permissions: "\"settings\"")
    #expect(try home.run("plugin", "limit", "own", "--seconds", "1").status == 0)
    let run = try home.run("set", "own.x", "7")
    #expect(run.errors.contains("stopped after 1 s") && run.errors.contains("it is unsubscribed"), "\(run.errors)")
  }

  @Test func `one Ctrl-C ends everything that one change of a setting has started`() throws {
    let terminal = try home.prompt()
    terminal.type("for i = 1, 3 do settings.on_change('', function() print('told', i) while true do end end) end\r")
    terminal.type(
      "s = settings.value('own.x', {kind='number', default=1}) s.value = 2\r", after: "> ", showing: "told\t1")
    terminal.type("\u{03}", showing: "> ")
    terminal.type("6 * 7\r")
    #expect(!terminal.wait(for: "42\r\n").contains("told"))
  }

  @Test func `Ctrl-C ends an endless completion`() throws {
    let terminal = try home.prompt()
    terminal.type("shell.command{name='endless', summary='x', arguments={'A'}, run=print,")
    terminal.type(" complete=function() while true do end end}\r", showing: "> ")
    terminal.type("endless \t")
    let before = terminal.processorSeconds
    #expect(waits { terminal.processorSeconds > before + 0.2 })
    terminal.type("\u{03}")
    let start = terminal.processorSeconds
    terminal.wait(for: "> ")
    #expect(terminal.processorSeconds - start < 1)
    terminal.type("6 * 7\r", showing: "42\r\n")
  }

  @Test func `a pipe in place of a file is an error at once`() throws {
    let pipe = home.path + "/p.csv"
    #expect(mkfifo(pipe, 0o600) == 0)
    for code in [
      "assert(files.read('\(pipe)'))", "assert(files.write('\(pipe)', 'x'))", "files.lines('\(pipe)')",
      "assert(decks.create('A'):import('\(pipe)'))", "assert(decks.create('B'):export('\(pipe)'))",
    ] {
      try home.lua(code).fails("not a regular file")
    }
    for code in ["assert(words.load('\(pipe)'))", "assert(documents.open('\(pipe)'))"] {
      #expect(try home.lua(code).status == 1)
    }
  }

  @Test(arguments: ["plugin.json", "init.lua", "part.lua"])
  func `a pipe in place of a plugin's file blocks nobody`(file: String) throws {
    try plugin(home, file == "part.lua" ? "pcall(require, 'part')" : "")
    let path = home.path + "/data/plugins/own/" + file
    unlink(path)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(try home.lua("print(1)").output.contains("1"))
  }

  @Test func `a pipe that the user typed is read, and Ctrl-C ends the wait`() throws {
    let pipe = home.path + "/p.csv"
    #expect(mkfifo(pipe, 0o600) == 0)
    let shell = try Child(
      ["/bin/sh", "-c", "printf 'prompt,answer\\na,b\\n' > \(pipe)"], environment: home.environment)
    try home.run("deck", "import", "A", pipe).succeeds("Imported 1 card")
    _ = shell.wait()
    let terminal = try home.prompt()
    terminal.type("deck import A \(pipe)\r")
    waitUntilOpen(pipe, in: terminal.process)
    terminal.type("\u{03}", showing: "interrupted", "> ")
  }

  @Test func `a signal ends the wait for a pipe that nobody writes to, and nothing is read from it`() throws {
    let pipe = home.path + "/p.png"
    #expect(mkfifo(pipe, 0o600) == 0)
    let waiting = try home.start(["media", "add", pipe])
    waitUntilOpen(pipe, in: waiting.process)
    waiting.kill(SIGTERM)
    let run = try waiting.finish(input: "")
    #expect(run.output.isEmpty && run.status == 128 + SIGTERM, "\(run)")
    #expect(try home.run("media", "list").output.contains("p.png") == false)
  }

  /// Returns when a process has opened a file, or is gone.
  private func waitUntilOpen(_ path: String, in process: pid_t) {
    while kill(process, 0) == 0 {
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      for descriptor in 3..<64 where readlink("/proc/\(process)/fd/\(descriptor)", &target, target.count - 1) > 0 {
        if target.withUnsafeBufferPointer({ $0.baseAddress.map { String(cString: $0) } }) == path { return }
        target = [CChar](repeating: 0, count: Int(PATH_MAX))
      }
      sched_yield()
    }
  }
}

extension String {
  /// Returns how often a one-byte character occurs.
  fileprivate func components(of character: Character) -> Int { count { $0 == character } + count { $0 == "\r\n" } }
}
