// The short notation of arguments and options, for commands that Lua adds.

import Problems
import Testing

@testable import Commands

@Suite struct NotationTests {
  private func argument(_ text: String) throws -> Argument {
    guard case .argument(let argument) = try ArgumentNotation(text, command: "c") else {
      throw CommandError.noCommand
    }
    return argument
  }

  private func option(_ text: String) throws -> Option {
    guard case .option(let option) = try ArgumentNotation(text, command: "c") else { throw CommandError.noCommand }
    return option
  }

  @Test(arguments: [
    ("FILE", "FILE", ValueKind.file, false, false), ("[DECK]", "DECK", .deck, true, false),
    ("WORD...", "WORD", .text, false, true), ("[WORD...]", "WORD", .text, true, true),
    ("[WORD]...", "WORD", .text, true, true), ("FILE2", "FILE2", .file, false, false),
    ("N", "N", .anyInteger, false, false), ("[QUERY...]", "QUERY", .query, true, false),
    ("DIR", "DIR", .folder, false, false), ("OLD_NAME", "OLD_NAME", .text, false, false),
  ])
  func `an argument`(text: String, name: String, kind: ValueKind, isOptional: Bool, isRepeating: Bool) throws {
    let read = try argument(text + ": help: more")
    #expect(read.name == name && read.kind == kind && read.isOptional == isOptional && read.isRepeating == isRepeating)
    #expect(read.help == "help: more")
  }

  @Test func `options: a flag, a value, a letter, a choice, one that repeats`() throws {
    #expect(try !option("--quick").takesValue)
    let count = try option("-c, --count N: how many")
    #expect(count.name == "--count" && count.kind == .anyInteger && count.short == "c" && count.help == "how many")
    #expect(try option("--as csv|tsv").kind == .choice(["csv", "tsv"]))
    #expect(try option("--tag T...").isRepeating)
    #expect(try option("--deck DECK").kind == .deck)
  }

  @Test(arguments: ["", "file", "FILE DECK", "[FILE", "-c", "--count n", "--a B C", "...", "[]", "--", "F\u{0}"])
  func `anything else is refused with the valid forms`(text: String) {
    let error = #expect(throws: CommandError.self) {
      try Command("c", theme: "", access: .open, effect: .reads, summary: "", run: { _ in CommandResult() }).adding(
        text)
    }
    #expect(error?.message.contains("cannot be added") == true)
  }
}

extension Command {
  /// Adds the command as the registry would.
  fileprivate func adding(_ text: String) throws {
    switch try ArgumentNotation(text, command: name) {
    case .argument(let argument):
      try CommandRegistry().add(
        Command(name, theme: theme, access: .open, effect: .reads, summary: summary, arguments: [argument]) { _ in
          CommandResult()
        })
    case .option(let option):
      try CommandRegistry().add(
        Command(name, theme: theme, access: .open, effect: .reads, summary: summary, options: [option]) { _ in
          CommandResult()
        })
    }
  }
}
