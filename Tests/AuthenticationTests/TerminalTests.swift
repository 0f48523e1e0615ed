// Reading a password at the terminal: nothing is shown, and echo is restored whatever happens.

import Glibc
import TestSupport

@Suite struct TerminalTests {
  private func reading(_ capacity: Int = 64) throws -> ProbeProcess {
    let probe = try ProbeProcess(["read", "\(capacity)"], onTerminal: true)
    try #require(probe.shows("Password: "))
    #expect(!probe.echoes)
    return probe
  }

  @Test(arguments: [
    ("secret\n", "6 646"), ("\n", "0 0"), ("é\n", "2 364"), ("abc\u{7F}d\n", "3 295"), ("ab\u{15}c\n", "1 99"),
  ])
  func `a line is read, with the terminal's own editing, and echo is restored`(typed: String, said: String) throws {
    let probe = try reading()
    probe.type(typed)
    #expect(probe.end() == (said, 0))
    #expect(probe.echoes)
    #expect(!probe.shows("secret"))
  }

  @Test(arguments: [63, 64, 65, 200, 4000]) func `a line that does not fit is refused, and its rest is dropped`(
    length: Int
  )
    throws
  {
    let probe = try reading()
    probe.type(String(repeating: "a", count: length) + "\n")
    #expect(probe.end() == (length < 64 ? "\(length) \(length * 97)" : "code -4", 0))
    #expect(probe.echoes)
  }

  @Test func `the end of the file ends the line, also in the middle`() throws {
    let first = try reading()
    first.type("\u{4}")
    #expect(first.end() == ("code -3", 0))
    #expect(first.echoes)
    let second = try reading()
    second.type("ab\u{4}\u{4}")
    #expect(second.end() == ("2 195", 0))
  }

  @Test(arguments: [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGABRT, SIGALRM, SIGUSR1, SIGPIPE,
  ])
  func `a signal ends the process as usual, with echo restored`(signal: Int32) throws {
    let probe = try reading()
    probe.type("half a")
    kill(probe.id, signal)
    let end = probe.end()
    #expect(end.status == -signal)
    #expect(end.said.isEmpty)
    #expect(probe.echoes)
  }

  @Test func `a typed Ctrl-C is a signal like any other`() throws {
    let probe = try reading()
    probe.type("half\u{3}")
    #expect(probe.end().status == -SIGINT)
    #expect(probe.echoes)
  }

  @Test func `after a forced stop and continue it asks again`() throws {
    let probe = try reading()
    probe.type("half a")
    kill(probe.id, SIGSTOP)
    #expect(waits { probe.state == "T" })
    kill(probe.id, SIGCONT)
    #expect(probe.shows("Password: "))
    #expect(!probe.echoes)
    probe.type("secret\n")
    #expect(probe.end() == ("6 646", 0))
    #expect(probe.echoes)
  }

  @Test func `Ctrl-Z restores echo for the shell above, and fg asks again without echo`() throws {
    let shell = try ProbeProcess(
      [], onTerminal: true, script: "\"$0\" read 64; stty -a < /dev/tty | grep -o ' -*echo '; fg > /dev/null")
    try #require(shell.shows("Password: "))
    #expect(!shell.echoes)
    shell.type("half\u{1A}")
    #expect(shell.shows("Password: "))
    #expect(!shell.echoes)
    shell.type("secret\n")
    #expect(shell.end() == (" echo \n6 646", 0))
    #expect(shell.echoes)
  }

  @Test func `text typed ahead with echo is not used`() throws {
    // `read -t 0` waits for nothing and reads nothing: it says whether something was typed.
    let shell = try ProbeProcess([], onTerminal: true, script: "until read -t 0; do sleep 0.01; done; \"$0\" read 64")
    shell.type("early\n")
    try #require(shell.shows("Password: "))
    shell.type("secret\n")
    #expect(shell.end().said == "6 646")
  }

  @Test func `without a terminal, or without space, it fails at once`() throws {
    #expect(try ProbeProcess(["read", "1"], onTerminal: true).end().said == "code -4")
    let alone = try ProbeProcess([], onTerminal: true, script: "setsid -w \"$0\" read 64 < /dev/null")
    #expect(alone.end().said == "code -1")
  }

  @Test func `core dumps can be forbidden`() throws {
    #expect(try ProbeProcess(["hide"]).end() == ("0 0", 0))
  }
}
