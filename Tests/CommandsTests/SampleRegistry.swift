// A registry like the shell's own, for the tests of Commands.
// Measured: parameters 11, as each field of a description has its label where it is written.

import Commands
import Problems

func sampleRegistry() throws -> CommandRegistry {
  let registry = CommandRegistry()
  registry.themeOrder = [decks, "Words", "Help"]
  registry.summaries = ["deck": "Piles of cards."]
  try addDeckCommands(to: registry)
  try addOtherCommands(to: registry)
  return registry
}

extension Command {
  /// Creates a command that a function runs.
  init(
    _ path: String..., theme: String, access: CommandAccess, effect: CommandEffect, summary: String,
    arguments: [Argument] = [], options: [Option] = [], example: String = "", owner: Owner = .program,
    complete: ((_ word: String, _ before: [String]) -> [String])? = nil,
    run: @escaping (Invocation) throws -> CommandResult
  ) {
    self.init(
      path: path, CommandText(theme: theme, summary: summary, example: example), access: access, effect: effect,
      arguments: arguments, options: options, owner: owner,
      completion: complete.map { .function($0) } ?? .byKind, action: .function(run))
  }
}

private let decks = "Decks and cards"
private func none(_ invocation: Invocation) throws -> CommandResult { CommandResult() }

private func addDeckCommands(to registry: CommandRegistry) throws {
  let deck = Argument("DECK", .deck, help: "the deck's name")
  try registry.add(
    Command("deck", "list", theme: decks, access: .open, effect: .reads, summary: "Lists the decks.", run: none))
  try registry.add(
    Command(
      "deck", "create", theme: decks, access: .open, effect: .reads, summary: "Makes a deck.", arguments: [deck],
      run: none))
  try registry.add(
    Command(
      "deck", "import", theme: decks, access: .open, effect: .reads, summary: "Adds the cards of a file.",
      arguments: [deck, Argument("FILE", .file)],
      options: [
        Option("--format", "F", help: "how to read the file"),
        Option("--on-duplicate", choice: ["skip", "update", "error"], help: "what to do with a card that is there"),
        Option("--strict", short: "s", help: "one bad row refuses all"),
      ], example: "deck import Spanish words.tsv", run: none))
  try registry.add(
    Command(
      "card", "list", theme: decks, access: .open, effect: .reads, summary: "Lists cards.",
      arguments: [Argument("QUERY", .query, isOptional: true)], options: [Option("--deck", "DECK", .deck)], run: none))
  try registry.add(
    Command(
      "card", "tag", theme: decks, access: .open, effect: .reads, summary: "Sets tags.",
      arguments: [Argument("CARD", .card, isRepeating: true)],
      options: [Option("--add", "T", isRepeating: true, short: "a")], run: none))
  try registry.add(
    Command(
      "doc", "sheet", theme: decks, access: .open, effect: .reads, summary: "Puts documents on pages.",
      arguments: [Argument("DOC", .document, isRepeating: true), Argument("FILE", .file)], run: none))
  try registry.add(
    Command(
      "study", theme: decks, access: .open, effect: .reads, summary: "Studies a deck.",
      arguments: [Argument("DECK", .deck, isOptional: true)],
      options: [
        Option("--sprint"), Option("--seconds", "N", .integer(1...3600)), Option("--limit", "N", .positive, short: "n"),
      ], run: none))
}

private func addOtherCommands(to registry: CommandRegistry) throws {
  try registry.add(
    Command(
      "word", "shift", theme: "Words", access: .open, effect: .reads, summary: "Moves by a number.",
      arguments: [Argument("BY", .anyInteger)],
      run: none))
  try registry.add(
    Command(
      "run", theme: "Words", access: .open, effect: .reads, summary: "Runs a script.",
      arguments: [Argument("FILE", .file), Argument("ARG", .verbatim, isOptional: true, isRepeating: true)],
      options: [Option("--quiet")], run: none))
  try registry.add(
    Command(
      "help", theme: "Help", access: .open, effect: .reads, summary: "Explains.",
      arguments: [Argument("NAME", .command, isOptional: true, isRepeating: true)], run: none))
}

/// Returns the result of parsing a line, as text: the values by name, or the error message.
func outcome(_ line: String, _ registry: CommandRegistry) -> String {
  do throws(CommandError) {
    let (command, invocation) = try registry.parse(words: ShellWords.split(line))
    let arguments = command.arguments.map(\.name).filter { !invocation.list($0).isEmpty }
    let options = command.options.filter(\.takesValue).map(\.name).filter { !invocation.list($0).isEmpty }
    let flags = (command.options.filter { !$0.takesValue }.map(\.name) + ["--json"]).filter(invocation.flag)
    return
      ([command.name] + (arguments + options).map { "\($0)=\(invocation.list($0).joined(separator: ","))" } + flags)
      .joined(separator: " ")
  } catch {
    return "\(error.code): \(error.message)"
  }
}
