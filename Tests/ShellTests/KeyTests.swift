// Keys as screens read them, at a real terminal: the program PromptProbe prints each event. Invariant: each test waits
// for the program's output, never just for a time.

import Glibc
import TestSupport

@testable import Shell

@Suite(.serialized) struct KeyTests {
  private func probe() throws -> PseudoTerminal {
    let terminal = try PseudoTerminal([builtProgram("PromptProbe"), "--keys"])
    terminal.wait(for: "READY")
    return terminal
  }

  @Test(arguments: [
    ("a", #"key(Shell.Key.character("a"))"#), ("ñ", #"key(Shell.Key.character("ñ"))"#),
    ("🐕", #"key(Shell.Key.character("🐕"))"#), ("\r", "key(Shell.Key.enter)"), ("\n", "key(Shell.Key.enter)"),
    ("\u{7F}", "key(Shell.Key.backspace)"), ("\u{1B}[A", "key(Shell.Key.up)"), ("\u{1B}OB", "key(Shell.Key.down)"),
    ("\u{1B}[1;5C", "key(Shell.Key.right)"), ("\u{1B}[3~", "key(Shell.Key.delete)"),
    ("\u{1B}[6~", "key(Shell.Key.pageDown)"), ("\u{1B}", "key(Shell.Key.escape)"), ("\t", "key(Shell.Key.tab)"),
    ("\u{0C}", #"key(Shell.Key.control("l"))"#), ("\u{03}", "interrupted"),
    ("\u{1B}[99;99zb", #"key(Shell.Key.character("b"))"#), ("\u{1B}[200~sí\r\ns\tq~\u{1B}[201~", #"pasted("sí s q~")"#),
  ])
  func `keys arrive one by one`(typed: String, expected: String) throws {
    let terminal = try probe()
    terminal.type(typed, showing: "EVENT \(expected)")
    #expect(terminal.ended(after: "q") == 0)
    #expect(terminal.isInCanonicalMode)
  }

  @Test func `a pause is a tick, a new size an event, Ctrl-D the end`() throws {
    let terminal = try probe()
    terminal.wait(for: "EVENT tick")
    terminal.resize(columns: 50)
    terminal.type("\u{04}", after: "EVENT resized", showing: "EVENT endOfInput")
    #expect(terminal.ended() == 0)
  }

  @Test func `bytes that are not a key are ignored`() throws {
    let terminal = try probe()
    terminal.type([0xFF, 0xC3, 0x28, 0xF5, 0x80, 0x00])
    terminal.wait(for: #"EVENT key(Shell.Key.character("("))"#)
    #expect(terminal.ended(after: "q") == 0)
  }

  @Test func `Ctrl-Z restores the terminal and fg continues with keys`() throws {
    let script = "set -m; \(builtProgram("PromptProbe")) --keys; echo STATUS $?; stty -a; fg; echo DONE"
    let terminal = try PseudoTerminal(["/bin/sh", "-c", script])
    terminal.type("\u{1A}", after: "READY", showing: "SUSPENDING", "STATUS 148")
    #expect(terminal.wait(for: "echoke").contains(" icanon"))
    terminal.type("xq", after: "EVENT resumed", showing: #"character("x")"#, "DONE")
    #expect(terminal.isInCanonicalMode)
  }

  @Test func `SIGTERM is an event and the terminal is restored`() throws {
    let terminal = try probe()
    terminal.signal(SIGTERM)
    terminal.wait(for: "EVENT terminated(15)")
    #expect(terminal.ended() == 143)
    #expect(terminal.isInCanonicalMode)
  }

  @Test func `without a terminal lines replace keys`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let bytes = Array("\n1\nright\n".utf8)
    #expect(Glibc.write(ends[1], bytes, bytes.count) == bytes.count)
    close(ends[1])
    defer { close(ends[0]) }
    let keys = KeyReader(input: ends[0])
    let events = try keys.whileReadingKeys { try (0..<4).map { _ in try keys.next(timeout: 10) } }
    #expect(events == [.key(.enter), .key(.character("1")), .line("right"), .endOfInput])
  }
}
