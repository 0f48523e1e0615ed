// Tests of plain lines, of coloured prompts, of common prefixes and of paths.

import Commands
import Glibc
import Problems
import TestSupport

@testable import Shell

@Suite struct LineTests {
  /// Returns what a plain reader reads from these bytes.
  private func outcomes(_ bytes: [UInt8], limit: Int = 1000) throws -> [String] {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    #expect(Glibc.write(ends[1], bytes, bytes.count) == bytes.count)
    close(ends[1])
    defer { close(ends[0]) }
    let reader = PlainLineReader(input: ends[0], limit: limit, isInterrupted: { false })
    var found: [String] = []
    while found.count < 100 {
      do throws(LineError) {
        let outcome = try reader.read()
        if outcome == .endOfInput { break }
        if case .line(let line) = outcome { found.append(line) }
      } catch {
        found.append("\(error.code)")
      }
    }
    return found
  }

  @Test(arguments: [
    ("", []), ("\n", [""]), ("a", ["a"]), ("a\nb\n", ["a", "b"]), ("a\r\n\n b", ["a", "", " b"]), ("ñ\n🐕", ["ñ", "🐕"]),
    (String(repeating: "x", count: 2000) + "\nb", ["too_long", "b"]),
    (String(repeating: "x", count: 2000), ["too_long"]),
  ])
  func `a pipe gives its lines`(text: String, expected: [String]) throws {
    #expect(try outcomes(Array(text.utf8)) == expected)
  }

  @Test func `a line that is not UTF-8 is an error with its position, and the next one is read`() throws {
    #expect(try outcomes([0x61, 0xFF, 10, 0x62, 10]) == ["bad_text", "b"])
    #expect(throws: LineError.notUTF8(column: 4)) { try checkedText([0x61, 0xC3, 0xB1, 0xC3]) }
  }

  @Test func `what comes after a line is left to others`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    #expect(Glibc.write(ends[1], "one\ntwo\n", 8) == 8)
    close(ends[1])
    defer { close(ends[0]) }
    #expect(try PlainLineReader(input: ends[0], isInterrupted: { false }).read() == .line("one"))
    #expect(try PlainLineReader(input: ends[0], isInterrupted: { false }).read() == .line("two"))
  }

  @Test func `a descriptor that is not open is an error`() {
    #expect(throws: LineError.unreadable(errno: EBADF)) {
      try PlainLineReader(input: 999, isInterrupted: { false }).read()
    }
  }

  @Test(arguments: [
    (["Spanish", "Span words"], "Sp", "Span"), (["a"], "", "a"), ([], "x", "x"), (["it\\'s", "it\\ x"], "i", "it"),
    (["Abc", "aBd"], "ab", "ab"), (["a\\\\b", "a\\\\c"], "a", "a\\\\"), (["é", "è"], "", ""),
  ])
  func `the common prefix of candidates can be typed on`(candidates: [String], typed: String, expected: String) {
    #expect(commonBeginning(of: candidates, typed: typed) == expected)
  }

  @Test(arguments: [
    ("> ", "> "), ("\u{1B}[1m>\u{1B}[0m ", "> "), ("\u{1B}[", ""), ("a\u{0}\u{7}\nb", "ab"), ("漢> ", "漢> "),
  ])
  func `colours and control characters are not counted in a prompt`(prompt: String, expected: String) {
    #expect(promptForEditor(prompt) == expected)
  }

  @Test func `paths are completed from the typed folder`() throws {
    try withFolder { folder in
      mkdir(folder + "/notes", 0o700)
      for name in ["a b.csv", "a.lua", ".hidden", "notes/x"] { try writeFile([], to: folder + "/" + name) }
      symlink("notes", folder + "/to_notes")
      func paths(_ text: String, foldersOnly: Bool = false) -> [String] {
        PathCompletion.paths(beginningWith: text, foldersOnly: foldersOnly, home: folder)
      }
      #expect(paths("~/a") == ["~/a b.csv", "~/a.lua"])
      #expect(paths("~/", foldersOnly: true) == ["~/notes/", "~/to_notes/"])
      #expect(paths("~/.") == ["~/.hidden"])
      #expect(paths("~/to_notes/") == ["~/to_notes/x"])
      #expect(paths(folder + "/notes/") == [folder + "/notes/x"])
      #expect(paths("~") == ["~/"])
      #expect(paths("/nowhere/at/all").isEmpty)
    }
  }
}

@Suite struct BuiltInTests {
  @Test func `the registry accepts the description of each command`() throws {
    let registry = CommandRegistry()
    for builtIn in BuiltIn.all { try registry.add(builtIn.command) }
    #expect(registry.commands.count == BuiltIn.all.count)
  }
}
