// The idle lock while a screen is open, through the built program.

import Glibc
import TestSupport
import Testing

/// A screen that nobody watches locks.
@Suite struct IdleScreenTests {
  @Test(arguments: [
    ["study", "D", "--sprint", "--seconds", "600"], ["study", "D"],
  ])
  func `an idle session is covered, its clock stands, and it goes on after the password`(words: [String]) throws {
    let home = try Home()
    let clock = try StandingClock()
    home.clock = clock
    try home.run("-e", "decks.create('D'):add{prompt = 'secret prompt', answer = 'a'}")
    let password = try home.write("correct horse battery\n", to: "password")
    chmod(password, 0o600)
    #expect(try home.run("account", "add", "ana", "--new-password-file", password).status == 0)
    let terminal = try PseudoTerminal(
      home.words(["--password-file", password, "--set", "auth.idle_minutes=1"] + words), environment: home.environment)
    terminal.wait(for: "secret prompt")
    clock.pass(seconds: 60)
    terminal.wait(for: "Password for ana: ")
    terminal.type("wrong\r")
    terminal.wait(for: "login: wrong name or password")
    terminal.wait(for: "Password for ana: ")
    clock.pass(seconds: 200)
    terminal.type("correct horse battery\r")
    let shown = terminal.wait(for: "secret prompt")
    if words.contains("--sprint") { #expect(shown.contains(" 9:0"), "\(shown)") }
    terminal.type(words.contains("--sprint") ? "\rrq" : "\r3q")
    terminal.wait(for: "1 right, 0 wrong")
  }
}
