// Runs the built program as a user does: with arguments, a pipe on its input, and its own data folder.

import Glibc
import TestSupport
import Testing

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
    let child = try Child(words(arguments), environment: environment)
    return try child.finish(input: input)
  }

  func terminal(_ arguments: String...) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(words(arguments), environment: environment)
    terminal.retained = self
    return terminal
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
  /// Writes a plugin into the user's folder. `permissions` and the text of `manifest` are JSON.
  func plugin(
    _ name: String, permissions: String = "[]", manifest: String = "", version: String = "1.0.0", _ code: String
  ) throws {
    for folder in ["/data", "/data/plugins", "/data/plugins/" + name] { _ = makeFolder(path + folder) }
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
