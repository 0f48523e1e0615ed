// Runs the built program as a user does: with arguments, a pipe on its input, and its own data folder.

import Glibc
import TestSupport

/// A data folder that is removed with the test.
final class Home {
  private let folder = TemporaryFolder()
  /// Replaces the wall clock and the machine's clock for the programs started.
  var clock: ManualClock?

  var path: String { folder.path }

  var environment: [String] {
    [
      "HOME=\(path)", "TERM=xterm", "INPUTRC=/dev/null", "LANG=C.UTF-8", "PATH=/usr/bin:/bin",
      // The tests must not depend on the dictionaries of the machine.
      "XDG_DATA_DIRS=/nonexistent", "XDG_CACHE_HOME=/tmp/deckhand-test-cache-\(getuid())", "SWIFT_BACKTRACE=enable=no",
      "PAGER=cat",
    ] + (clock?.environment ?? [])
  }

  /// The arguments of the program with this home's data folder.
  func words(_ arguments: [String]) -> [String] { [builtProgram("deckhand"), "--data", path + "/data"] + arguments }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try folder.write(text, to: name)
  }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try folder.write(bytes, to: name)
  }

  /// Makes a script the editor; returns the variable that names it.
  func editor(_ script: String) throws -> String {
    let path = try write("#!/bin/sh\n" + script + "\n", to: "editor")
    chmod(path, 0o755)
    return "EDITOR=\(path)"
  }

  /// Runs the program to its end.
  @discardableResult
  func run(_ arguments: String..., input: String = "") throws -> Run { try run(arguments, input: input) }

  func run(_ arguments: [String], input: String = "") throws -> Run {
    try start(arguments).finish(input: input)
  }

  /// Runs code in Lua.
  @discardableResult
  func lua(_ code: String, input: String = "") throws -> Run { try run("-e", code, input: input) }

  /// Runs `notetype create` with the fields and the sides of one card.
  @discardableResult
  func noteType(_ name: String, _ fields: [String], front: String? = nil, back: String) throws -> Run {
    let sides = "==== front: Card 1 ====\n\(front ?? "{{\(fields[0])}}")\n==== back: Card 1 ====\n\(back)\n"
    let file = try write("==== fields: ====\n\(fields.joined(separator: "\n"))\n" + sides, to: "type.txt")
    return try run("notetype", "create", name, "--from", file)
  }

  /// Runs a line of sh, in which `"$@"` is the program with the arguments.
  func sh(_ line: String, _ arguments: [String] = [], input: String = "") throws -> Run {
    try Child(["/bin/sh", "-c", line, "sh"] + words(arguments), environment: environment).finish(input: input)
  }

  /// Starts the program.
  func start(_ arguments: [String]) throws -> Child { try Child(words(arguments), environment: environment) }

  func terminal(_ arguments: String...) throws -> PseudoTerminal { try terminal(arguments) }

  /// - Parameter variables: those in place of the home's own.
  func terminal(
    _ arguments: [String], _ variables: [String] = [], columns: UInt16 = 80, rows: UInt16 = 24
  ) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(
      words(arguments), environment: environment(with: variables), columns: columns, rows: rows)
    terminal.retained = self
    return terminal
  }

  /// The environment with these variables in place of its own.
  func environment(with variables: [String]) -> [String] {
    let names = variables.map { $0.prefix { $0 != "=" } + "=" }
    return environment.filter { one in !names.contains { one.hasPrefix($0) } } + variables
  }
}

extension Child {
  /// Copies a program with the system's own tools.
  static func copy(_ path: String, to other: String) -> Bool {
    do {
      return try Child(["/bin/cp", path, other], environment: []).finish(input: "").status == 0
    } catch {
      return false
    }
  }
}

extension Home {
  /// A shell at its first prompt.
  func prompt() throws -> PseudoTerminal {
    let terminal = try terminal()
    terminal.wait(for: "Deckhand 0.1.0", "> ")
    return terminal
  }

  /// Writes a plugin into the user's folder. `permissions` and the text of `manifest` are JSON.
  func plugin(
    _ name: String, permissions: String = "[]", manifest: String = "", version: String = "1.0.0", _ code: String
  ) throws {
    let more = manifest.isEmpty ? "" : ", " + manifest
    _ = try write(
      #"{"name": "\#(name)", "version": "\#(version)", "api": 1, "permissions": \#(permissions)\#(more)}"#,
      to: "data/plugins/\(name)/plugin.json")
    _ = try write(code, to: "data/plugins/\(name)/init.lua")
  }

  func enable(_ names: String...) throws {
    for name in names { #expect(try run("plugin", "enable", name, "--grant").status == 0) }
  }
}
