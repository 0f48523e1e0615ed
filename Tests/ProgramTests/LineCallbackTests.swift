// Code that runs while the prompt reads a line: it cannot ask the user anything, and reading the line continues.
// Invariant: readline is not reentrant, so nothing that such code calls may read from the terminal.

import TestSupport

@Suite(.serialized) struct LineCallbackTests {
  private let home = Home()

  /// Calls that read from the terminal when a user is present, and their results within a callback.
  private static let readings: [(code: String, result: String)] = [
    ("shell.ask('q? ')", "nil"), ("shell.confirm('sure?')", "false"),
    ("shell.run('study D').remaining", "1"), ("shell.run('study D --sprint').right", "0"),
    ("shell.run('play --base cambering').count", "0"),
    ("select(2, shell.run('card edit D:1')).code", "no_terminal"),
    ("(function() for i = 1, 50 do shell.ask('again? ') end return 'done' end)()", "done"),
    (
      "(function() settings.on_change('game.length', function() heard = tostring(shell.ask('q? ')) end) "
        + "settings.set('game.length', 8) return heard end)()", "nil"
    ),
  ]

  private func prompt(_ home: Home, _ lines: [String]) throws -> PseudoTerminal {
    let terminal = try home.prompt()
    for line in lines {
      terminal.type(line + "\r", showing: "[?2004h> ")
    }
    return terminal
  }

  @Test(arguments: readings.indices)
  func `a completion that reads from the terminal gets the end of the input`(index: Int) throws {
    let (code, result) = Self.readings[index]
    try home.lua("decks.create('D'):add{prompt = 'p', answer = 'a'}")
    let terminal = try prompt(
      home,
      [
        "shell.command{name = 'ca', summary = 'x', arguments = {'[A]'}, run = function(a) print('ran', a.a) end, "
          + "complete = function() seen = tostring(\(code)) return {'hello'} end}"
      ])
    for ending in ["\r", "\u{15}ca\r"] {
      terminal.type("ca \t", showing: "hello")
      terminal.type(ending)
      terminal.wait(for: "ran\t", "> ")
    }
    terminal.type("'seen ' .. seen\r", showing: "\"seen \(result)\"", "> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
    #expect(terminal.isInCanonicalMode)
  }

  @Test func `a completion within a question cannot ask the user either`() throws {
    let terminal = try prompt(
      home,
      [
        "shell.command{name = 'ca', summary = 'x', arguments = {'[A]'}, run = function() end, "
          + "complete = function() return {shell.ask('inner? ') or 'nobody'} end}"
      ])
    terminal.type("outer = shell.ask('outer? ')\r", showing: "outer? ")
    terminal.type("ca \t", showing: "nobody")
    terminal.type("\r", showing: "> ")
    terminal.type("'got ' .. outer\r", showing: "\"got ca nobody")
  }

  @Test func `key macros continue after a completion that asks, and the inputrc file may be reloaded`() throws {
    let keys = try home.write(
      """
      "\\C-xm": "\\n"
      "\\C-xr": re-read-init-file
      "\\C-xt": "ca \\t\\C-xr\\C-xm"

      """, to: "inputrc")
    let terminal = try home.terminal([], ["INPUTRC=" + keys])
    terminal.wait(for: "> ")
    terminal.type(
      "shell.command{name = 'ca', summary = 'x', arguments = {'[A]'}, run = function(a) print('ran', a.a) end, "
        + "complete = function() return {tostring(shell.ask('q? ')) .. 'body'} end}\r")
    terminal.wait(for: "[?2004h> ")
    for _ in 0..<3 {
      terminal.type("\u{18}t", showing: "ran\tnilbody", "> ")
    }
    // The same within a question that a command asks.
    terminal.type("'got ' .. shell.ask('outer? ')\r", showing: "outer? ")
    terminal.type("\u{18}r\u{18}t", showing: "\"got ca nilbody", "> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
    #expect(terminal.isInCanonicalMode)
  }
}
