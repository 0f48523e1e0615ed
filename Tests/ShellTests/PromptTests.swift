// Tests of the prompt as a user experiences it: through a pseudo-terminal, key by key, signal by signal.

import Glibc
import TestSupport

@testable import Shell

@Suite(.serialized) struct PromptTests {
  private func probe(_ arguments: [String] = [], environment: [String]? = nil) throws -> PseudoTerminal {
    let path = builtProgram("PromptProbe")
    let terminal =
      try environment.map { try PseudoTerminal([path] + arguments, environment: $0) }
      ?? PseudoTerminal([path] + arguments)
    terminal.wait(for: "READY")
    return terminal
  }

  @Test(arguments: ["TERM=xterm", "TERM=dumb", "TERM=nonsense"])
  func `lines are edited and Ctrl-D exits`(term: String) throws {
    let terminal = try probe(environment: [term, "INPUTRC=/dev/null", "LANG=C.UTF-8"])
    terminal.type("helo\u{02}l ñ\r", after: "probe>", showing: #"LINE 8 "hell ño""#)
    terminal.type("\u{04}", after: "probe>", showing: "\r\nEND")
    #expect(terminal.ended() == 0)
    #expect(terminal.isInCanonicalMode)
  }

  @Test func `keys after Escape in a search work as keys`() throws {
    let terminal = try probe()
    for keys in [
      "\u{12}\u{1B}x\u{1B}[15~", "\u{12}\u{1B}\u{0B}\u{1B}[ASp", "\u{12}ab\u{1B}[A", "\u{12}\u{1B}[200~x\u{1B}[201~",
    ] {
      terminal.type(keys, after: "probe>")
      #expect(waits { terminal.isResting })
      terminal.type("\u{03}", showing: "INTERRUPTED")
    }
  }

  @Test func `Ctrl-C clears the line at once, in Ctrl-R too`() throws {
    let terminal = try probe()
    terminal.type("first\r", after: "probe>", showing: "LINE")
    for keys in ["", "abc", "\u{12}", "\u{12}fir", "\u{1B}", "\u{16}", "\u{1B}5", "\u{1B}[200~half a paste"] {
      terminal.type(keys, after: "probe>")
      #expect(waits { terminal.isResting })
      let start = terminal.processorSeconds
      terminal.type("\u{03}", showing: "INTERRUPTED")
      #expect(terminal.processorSeconds - start < 1)
    }
    terminal.type("after\r", after: "probe>", showing: #"LINE 5 "after""#)
  }

  @Test func `text typed right after Ctrl-C is in the next line`() throws {
    let terminal = try probe()
    for _ in 0..<20 {
      terminal.type("abc\u{03}", after: "probe>", showing: "INTERRUPTED")
      terminal.type("x\r", showing: #"LINE 1 "x""#)
    }
  }

  @Test func `a paste of several lines with tabs is one line and completes nothing`() throws {
    let terminal = try probe()
    terminal.type("\u{1B}[200~for x in y do\r\n\tSp\t\n\nend\u{1B}[201~", after: "probe>")
    #expect(waits { terminal.isResting })
    terminal.type("\r", showing: "LINE")
    let rest = terminal.wait(for: "end\"")
    #expect(rest.contains(#"for x in y do\n"#))
    #expect(rest.contains(#"\tSp\t\n\nend"#))
    #expect(!rest.contains("Spanish"))
  }

  @Test func `a paste of a megabyte is one line`() throws {
    let terminal = try probe()
    terminal.wait(for: "probe>")
    let text = String(repeating: "local x = 1\tprint(x)\n", count: 50_000)
    terminal.type("\u{1B}[200~" + text + "\u{1B}[201~\r", showing: "LINE 1050000", "probe>")
    terminal.type("next\r", showing: #"LINE 4 "next""#)
  }

  @Test func `a suggestion from the history is accepted with Right, and arrows search by prefix`() throws {
    let terminal = try probe(["--hints"], environment: ["TERM=xterm", "INPUTRC=/dev/null", "LANG=C.UTF-8"])
    for line in ["deck list", "study", "deck show"] {
      terminal.type(line + "\r", after: "probe>", showing: "LINE")
    }
    terminal.type("de", after: "probe>", showing: "\u{1B}[2mck show")
    terminal.type("\u{1B}[C\r", showing: #"LINE 9 "deck show""#)
    terminal.type("de\u{1B}[A\u{1B}[A\r", after: "probe>", showing: #"LINE 9 "deck list""#)
    terminal.type("st\u{1B}h", after: "probe>", showing: "HELP 2")
    terminal.type("\u{18}\u{05}", showing: "st edited")
    terminal.type("\r", showing: #"LINE 9 "st edited""#)
  }

  @Test func `without hints nothing is coloured`() throws {
    let terminal = try probe()
    terminal.type("deck list\r", after: "probe>")
    #expect(!terminal.wait(for: "LINE").contains("\u{1B}[0;1;36m"))
  }

  @Test func `Tab completes, and lists the candidates`() throws {
    let terminal = try probe()
    terminal.type("deck Ita\t\r", after: "probe>", showing: #""deck Italian ""#)
    terminal.type("Sp\t\u{09}::\t\r", showing: #""Spanish::Verbs ""#)
    terminal.type("it\t\r", showing: #""it\\\'s\\ mine ""#)
    terminal.type("many\t\t", showing: "many0", "… 100 more")
    terminal.type("\u{03}", showing: "INTERRUPTED")
    terminal.type("nothing\t\t fits\r", showing: #""nothing fits""#)
  }

  @Test func `Tab in a very long line stays fast`() throws {
    let terminal = try probe()
    terminal.wait(for: "probe>")
    terminal.type("\u{1B}[200~" + String(repeating: "x", count: 1 << 18) + " many\u{1B}[201~", showing: "many")
    let start = terminal.processorSeconds
    terminal.type("\t\t", showing: "many5")
    #expect(terminal.processorSeconds - start < 5)
    terminal.type("\u{03}", showing: "INTERRUPTED")
  }

  @Test func `Tab keeps an open quote`() throws {
    let terminal = try probe()
    terminal.type("deck \"Ita\tx\r", after: "probe>", showing: #"LINE 16 "deck \"Italian\" x""#)
  }

  @Test func `the history continues in the next session and keeps no lines that start with a space`() throws {
    try withFolder { folder in
      let path = folder + "/history"
      let first = try probe([path])
      for line in ["one", " hidden", "two", "one"] {
        first.type(line + "\r", after: "probe>", showing: "LINE")
      }
      first.wait(for: "probe>")
      #expect(first.ended(after: "\u{04}") == 0)
      let second = try probe([path])
      second.type("\u{1B}[A\u{1B}[A\r", after: "probe>", showing: #"LINE 3 "two""#)
      second.type("\u{12}on\r", after: "probe>", showing: #"LINE 3 "one""#)
      #expect(History(path: path).entries == ["two", "one"])
    }
  }

  @Test func `a line may not see the history`() throws {
    let terminal = try probe()
    terminal.type("game\r", after: "probe>", showing: "guess> ")
    terminal.type("\u{1B}[Agrace\t\r", showing: #"GUESS line("grace"#)
    terminal.type("\u{1B}[A\r", showing: #"LINE 4 "game""#)
  }

  @Test func `a line that is not UTF-8 is reported and the next one is read`() throws {
    let terminal = try probe()
    for bytes: [UInt8] in [
      [0x61, 0xFF], [0xC3, 0x61], [0xE0, 0x80, 0x80], [0xF0, 0x9F, 0x90], [0xED, 0xA0, 0x80], [0x80],
    ] {
      terminal.wait(for: "probe>")
      terminal.type(bytes + [0x0D])
      terminal.wait(for: "BAD the line is not UTF-8 where it shows \u{FFFD}")
    }
    // The corrected line is accepted, and a replacement character that is meant is no error.
    terminal.wait(for: "probe>")
    terminal.type([0x61, 0xFF, 0x7F, 0x0D])
    terminal.wait(for: #"LINE 1 "a""#)
    terminal.type("\u{FFFD}🐕é\r", after: "probe>", showing: "LINE 9")
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGQUIT])
  func `a terminating signal lets the program save and restores the terminal`(number: Int32) throws {
    let terminal = try probe()
    terminal.type("half a li", after: "probe>", showing: "half a li")
    terminal.signal(number)
    terminal.wait(for: "TERMINATED \(number)")
    #expect(terminal.ended() == 128 + number)
    #expect(terminal.isInCanonicalMode)
  }

  @Test(arguments: [SIGSEGV, SIGABRT])
  func `a crash restores the terminal`(number: Int32) throws {
    for mode in [[], ["--keys"]] {
      let terminal = try probe(mode)
      #expect(waits { !terminal.isInCanonicalMode })
      terminal.signal(number)
      #expect(terminal.ended() == 128 + number)
      #expect(terminal.isInCanonicalMode)
    }
  }

  @Test(arguments: [SIGUSR1, SIGALRM, SIGXCPU])
  func `an unhandled signal ends a prompt and single keys with the terminal restored`(number: Int32) throws {
    for mode in [[], ["--keys"]] {
      let terminal = try probe(mode)
      terminal.wait(for: mode.isEmpty ? "probe>" : "EVENT tick")
      terminal.signal(number)
      #expect(terminal.ended() == 128 + number)
      #expect(terminal.isInCanonicalMode)
    }
  }

  @Test func `Ctrl-Z restores the terminal and fg draws the line again`() throws {
    let script = "set -m; \(builtProgram("PromptProbe")); echo STATUS $?; stty -a; fg; echo DONE"
    let terminal = try PseudoTerminal(["/bin/sh", "-c", script])
    terminal.type("half", after: "probe>", showing: "half")
    terminal.type("\u{1A}", showing: "SUSPENDING", "STATUS 148")
    #expect(terminal.wait(for: "echoke").contains(" icanon"))
    terminal.wait(for: "half")
    // The called program may redraw everything.
    terminal.type(" a line\r", after: "RESUMED", showing: #"LINE 11 "half a line""#)
    terminal.type("\u{04}", after: "probe>", showing: "DONE")
    #expect(terminal.isInCanonicalMode)
  }

  @Test func `after a stop and continue from outside the line is shown again and can be edited`() throws {
    let terminal = try probe()
    terminal.type("ab", after: "probe>", showing: "ab")
    terminal.signal(SIGSTOP)
    #expect(waits { text(of: "/proc/\(terminal.process)/stat").contains(") T ") })
    terminal.signal(SIGCONT)
    terminal.wait(for: "ab")
    terminal.resize(columns: 40)
    #expect(waits { terminal.isResting })
    terminal.type("c\r", showing: #"LINE 3 "abc""#)
  }

  @Test func `at another width the line is redrawn in place of the old one, from the row where it begins`() throws {
    let terminal = try probe()
    terminal.wait(for: "probe>")
    terminal.type(String(repeating: "x", count: 60), showing: String(repeating: "x", count: 60))
    terminal.resize(columns: 40)
    // The prompt and the line take two rows of 40 columns now, and the cursor is in the second.
    terminal.type("\r", after: "\u{1B}[1A\r\u{1B}[J", showing: "LINE 60")
  }

  @Test func `a clock ticks while nothing is typed and may end the reading`() throws {
    let terminal = try probe(["--stop"])
    terminal.wait(for: "STOPPED")
    #expect(terminal.ended() == 0)
    #expect(terminal.isInCanonicalMode)
    let other = try probe()
    let hasTicked = waits {
      // The clock ticks while no key comes.
      _ = other.takeOutput(milliseconds: 100)
      other.type("ticks\r")
      return other.wait(for: "TICKS ").isEmpty == false && other.wait(for: "\r\n").contains("true")
    }
    #expect(hasTicked)
  }

  @Test func `closing the terminal ends the program`() throws {
    let terminal = try probe()
    terminal.wait(for: "probe>")
    terminal.signal(SIGHUP)
    #expect(terminal.ended() == 129)
  }

  @Test func `~/.inputrc is respected`() throws {
    try withFolder { folder in
      try writeFile(Array("$if deckhand\n\"\\C-g\": \"bound\"\n$endif\n".utf8), to: folder + "/inputrc")
      let terminal = try probe(environment: ["TERM=xterm", "INPUTRC=\(folder)/inputrc"])
      terminal.type("\u{07}\r", after: "probe>", showing: #"LINE 5 "bound""#)
    }
  }
}
