// The idle lock while a screen is open, through the built program.

import Glibc
import TestSupport

/// A screen that is not used locks.
@Suite struct IdleScreenTests {
  private let home = Home()
  private let clock: ManualClock

  init() throws {
    clock = try ManualClock()
    home.clock = clock
  }

  /// Starts the program with ana's words; ana has an account from now on, which locks after a minute.
  private func terminal(_ words: [String]) throws -> PseudoTerminal {
    let password = try home.write("correct horse battery\n", to: "password")
    chmod(password, 0o600)
    #expect(try home.run("account", "add", "ana", "--new-password-file", password).status == 0)
    return try home.terminal(["--password-file", password, "--set", "auth.idle_minutes=1"] + words)
  }

  @Test func `an idle document editor resumes after the password with its changes`() throws {
    let code = "local d = documents.create() d:add_text{text = 'hello'} print(d.id)"
    let document = try #require(try home.lua(code).lines.first)
    let terminal = try terminal(["doc", "edit", document])
    terminal.wait(for: "Esc cancels")
    for _ in 0..<3 {
      clock.pass(seconds: 40)
      terminal.type("[", showing: "rotated")
    }
    clock.pass(seconds: 60)
    terminal.type("correct horse battery\r", after: "Password for ana: ", showing: "Esc cancels")
    #expect(terminal.ended(after: "\r") == 0)
    #expect(terminal.output.contains("Changed 1 element."))
  }

  @Test func `a user who leaves an idle text at its password sees no error`() throws {
    let text = try home.write("The zorbling barks.\n", to: "a.txt")
    let terminal = try terminal(["text", "read", text, "--language", "english"])
    terminal.wait(for: "q leaves")
    clock.pass(seconds: 60)
    terminal.wait(for: "Password for ana: ")
    #expect(terminal.ended(after: "\u{04}") == 0)
    #expect(!terminal.output.contains("sign-out"), "\(terminal.output)")
  }

  @Test func `an idle tour locks, and resumes after the password`() throws {
    let terminal = try terminal(["--no-init"])
    terminal.type("help tour\r", after: "> ", showing: "tour> ")
    clock.pass(seconds: 60)
    terminal.type("correct horse battery\r", after: "Password for ana: ", showing: "tour> ")
    terminal.type("deck create Owls\r", showing: "There it is.", "tour> ")
    terminal.type("\u{04}", showing: "> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
  }

  @Test(arguments: [
    ["study", "D", "--sprint", "--seconds", "600"], ["study", "D"],
  ])
  func `an idle session is hidden, its clock is paused, and it resumes after the password`(words: [String]) throws {
    try home.lua("decks.create('D'):add{prompt = 'secret prompt', answer = 'a'}")
    let terminal = try terminal(words)
    terminal.wait(for: "secret prompt")
    clock.pass(seconds: 60)
    terminal.type(
      "wrong\r", after: "Password for ana: ", showing: "login: wrong name or password", "Password for ana: ")
    clock.pass(seconds: 200)
    terminal.type("correct horse battery\r")
    let shown = terminal.wait(for: "secret prompt")
    // Without the pause less than six of the ten minutes would be left.
    if words.contains("--sprint") { #expect([" 9:0", " 8:", " 7:"].contains { shown.contains($0) }, "\(shown)") }
    terminal.type(words.contains("--sprint") ? "\rrq" : "\r3q", showing: "1 right, 0 wrong")
  }

  @Test func `the clock of a game is paused while it is locked`() throws {
    let terminal = try terminal(["play", "timed", "--base", "cambering"])
    terminal.wait(for: "180 s left")
    // The idle time counts from the prompt.
    terminal.wait(for: "timed> ")
    clock.pass(seconds: 60)
    terminal.wait(for: "Password for ana: ")
    clock.pass(seconds: 200)
    terminal.type("correct horse battery\r")
    // Without the pause the game would be over; its time runs on besides.
    let shown = terminal.wait(for: " s left")
    #expect((1...120).contains { shown.contains(" \($0) s left") }, "\(shown)")
  }

  @Test func `the clock of a game is paused while the shell is stopped`() throws {
    let words = home.words(["play", "timed", "--base", "cambering"]).map { "'\($0)'" }.joined(separator: " ")
    let script = "set -m; \(words); echo STOPPED; read line; fg"
    let terminal = try PseudoTerminal(["/bin/sh", "-c", script], environment: home.environment)
    terminal.wait(for: "180 s left", "timed> ")
    terminal.type("\u{1A}", showing: "STOPPED")
    clock.pass(seconds: 200)
    terminal.type("\r")
    let shown = terminal.wait(for: " s left")
    #expect((1...180).contains { shown.contains(" \($0) s left") }, "\(shown)")
    terminal.type("/quit\r", showing: "cambering: 0 found")
  }
}
