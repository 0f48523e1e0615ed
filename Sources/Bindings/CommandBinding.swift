// Commands that Lua adds: `shell.command` and the type `command`. Invariant: such a command is described like a
// built-in one, so parsing, help, completion and --json come from the description; its `run` gets only plain values.

import Commands
import LuaRuntime
import Problems
import Text
public import Values

final class CommandObject: BoundObject {
  let command: Command
  init(_ command: Command) { self.command = command }
}

func describeCommandAdding(_ module: BoundModule, _ context: BindingContext) {
  module.function(
    "command", ["description": .table], returns: .object("command"),
    example: "{name = \"hello\", summary = \"Greets.\", run = function() return \"hello\" end}",
    "Adds a command: {name=, summary=, details=, usage=, example=, "
      + "arguments={\"[DECK]\", \"WORD...\", \"--count N\", {name=\"FILE\", kind=\"file\", access=\"read\"}}, "
      + "complete=function(word, before), run=function(args)}. `run` gets args[1]..., args.file, args.count; "
      + "what it returns is shown. Its changes are one undo step; if it fails, nothing is changed. "
      + "In a script or in another command, its changes are part of theirs: what it did before it failed is undone "
      + "only if they fail too."
  ) { stack in
    let command = try readCommand(stack.table(1, "a table that describes a command"), context)
    try context.storing("command", command.name, stack) { try context.shell.add(command) }
    return CommandObject(command)
  }
}

func commandType() -> BoundType<CommandObject> {
  BoundType<CommandObject>(
    "command", "A command of the shell.", summary: { "command \"\(printable($0.command.name))\"" },
    identity: { .text($0.command.name) }
  ) { type in
    type.example = "shell.command{name = \"hello\", summary = \"Greets.\", run = function() return \"hello\" end}"
    type.field("name", .string, "Its name.") { $0.command.name }
    type.field("summary", .string, "What it does, in a sentence.") { $0.command.summary }
    type.field("usage", .string, "Its usage.") { $0.command.usageLines.joined(separator: "\n") }
    type.field("example", .string, "An example of its use.") { $0.command.example }
    type.field("owner", .string, "The plugin that added it, or \"you\".") {
      $0.command.owner.plugin?.description ?? $0.command.owner.description
    }
  }
}

private func readCommand(_ table: borrowing LuaTable, _ context: BindingContext) throws -> Command {
  try table.allowOnly(["name", "summary", "details", "usage", "example", "arguments", "complete", "run"])
  let name = try table.text("name")
  guard name.utf8.count <= 200 else { throw table.wrong("field 'name': at most 200 bytes expected") }
  let path = name.split(separator: " ").map(String.init)
  guard let run = try table.optionalFunction("run") else {
    throw table.wrong("field 'run': function expected, got nil")
  }
  var (arguments, options): ([Argument], [Option]) = ([], [])
  _ = try table.optionalTable("arguments") { list in
    try list.forEachElement { _, stack in
      switch try readNotation(stack, command: name) {
      case .argument(let argument): arguments.append(argument)
      case .option(let option): options.append(option)
      }
    }
  }
  // Each value has its own field of `args`.
  let fields = (arguments.map(\.name) + options.map(\.name)).map(fieldName)
  for (index, field) in fields.enumerated() where fields[..<index].contains(field) {
    throw CommandError.badDescription(command: name, "two of its values would be args.\(printable(field))")
  }
  let complete = try table.optionalFunction("complete")
  let text = CommandText(
    theme: context.owner == .user ? "Your own" : "Plugins", summary: try table.optionalText("summary") ?? "",
    details: try table.optionalText("details") ?? "", usage: try table.optionalText("usage").map { [$0] } ?? [],
    example: try table.optionalText("example") ?? "")
  return Command(
    path: path, text, access: .signedIn, effect: .changes, arguments: arguments,
    options: options, owner: context.adder,
    completion: complete.map { function in .function { offers(of: function, name, context, $0, $1) } } ?? .byKind,
    action: .function { invocation in try result(of: run, invocation, context) })
}

/// Reads a text, or a table with name, kind, access, optional, repeats, value, choices, min, max, short, help.
private func readNotation(_ stack: borrowing LuaStack, command: String) throws -> ArgumentNotation {
  guard stack.kind(-1) == .table else { return try ArgumentNotation(stack.text(-1), command: command) }
  let table = try stack.table(-1)
  try table.allowOnly([
    "name", "kind", "access", "optional", "repeats", "value", "choices", "min", "max", "short", "help",
  ])
  let name = try table.text("name")
  let help = try table.optionalText("help") ?? ""
  let repeats = try table.optionalBoolean("repeats") ?? false
  let kind = try readKind(table, of: name)
  let access = try readAccess(table, of: name, kind)
  guard name.hasPrefix("-") else {
    let implied = try ArgumentNotation(name, command: command)
    guard case .argument(let argument) = implied else { return implied }
    return .argument(
      Argument(
        argument.name, kind ?? argument.kind, isOptional: try table.optionalBoolean("optional") ?? argument.isOptional,
        isRepeating: repeats || argument.isRepeating, access: access, help: help))
  }
  let letters = try table.optionalText("short")
  if let letters, letters.count != 1 {
    throw table.wrong("'\(printable(name))': short must be one letter, such as \"q\" for -q")
  }
  let short = letters?.first
  let value = try table.optionalText("value")
  guard kind != nil || value != nil else { return .option(Option(name, short: short, help: help)) }
  let shown = value ?? shownValue(of: kind ?? .text)
  return .option(Option(name, shown, kind ?? .text, isRepeating: repeats, short: short, access: access, help: help))
}

/// Reads how the command may access the file that the user names; access can be declared only for a file.
private func readAccess(_ table: borrowing LuaTable, of name: String, _ kind: ValueKind?) throws -> FileAccess {
  guard let text = try table.optionalText("access") else { return [] }
  guard let access = FileAccess(named: text) else {
    throw table.wrong("'\(printable(name))': access must be \"read\" or \"write\"")
  }
  guard kind == .file else { throw table.wrong("'\(printable(name))': access needs kind = \"file\"") }
  return access
}

private func shownValue(of kind: ValueKind) -> String {
  switch kind {
  case .choice(let names, _): names.joined(separator: "|")
  case .integer, .number: "N"
  default: "VALUE"
  }
}

private func readKind(_ table: borrowing LuaTable, of name: String) throws -> ValueKind? {
  if let choices = try table.optionalTexts("choices") { return .choice(choices) }
  let least = try table.optionalInteger("min") ?? Int.min
  let most = try table.optionalInteger("max") ?? Int.max
  guard least <= most else { throw table.wrong("'\(printable(name))': min is greater than max") }
  guard let kind = try table.optionalText("kind") else {
    return least == Int.min && most == Int.max ? nil : .integer(least...most)
  }
  guard let known = ValueKind(named: kind, in: least...most) else {
    let near = didYouMean(kind, among: ValueKind.names, quote: "'")
    throw table.wrong("'\(printable(name))': no kind is called '\(printable(kind))'\(near)")
  }
  if case .integer = known { return known }
  guard least == Int.min, most == Int.max else {
    throw table.wrong("'\(printable(name))': min and max need kind = \"integer\"")
  }
  return known
}

private func result(of run: LuaReference, _ invocation: Invocation, _ context: BindingContext) throws -> CommandResult {
  let name = invocation.command.name
  return try context.granting(filesOf: invocation) {
    try context.calling(.command(name)) {
      do {
        return try run.call([arguments(of: invocation)], results: 2) { try readResult($0, context) }
      } catch let error as LuaError where error.problem != nil && error.stopReason == nil && !error.isUncatchable {
        // `assert(decks.open(name))` in a command: the user wants to read the problem.
        throw error.problem ?? error
      }
    }
  }
}

private func readResult(_ stack: borrowing LuaStack, _ context: BindingContext) throws -> CommandResult {
  // A command reports a failure with `nil, problem`, or with `nil, text`.
  if stack.isNoneOrNil(-2), let failure = failure(at: -1, on: stack) { throw failure }
  let value = try stack.value(-2)
  if value.isNone { return CommandResult() }
  return CommandResult(.object(LuaCommandResult(value)), display(of: value, context))
}

/// Shows a record of plain values with one line per field, like other commands; anything else as the prompt shows it.
private func display(of value: LuaValue, _ context: BindingContext) -> Display {
  guard case .table(let pairs) = value else { return context.shell.display(of: value) }
  var fields: [Display.Field] = []
  for pair in pairs {
    guard let name = pair.key.text else { return context.shell.display(of: value) }
    let text: String
    switch pair.value {
    case .bytes: text = pair.value.text ?? ""
    case .integer, .number, .boolean: text = pair.value.value { _ in .null }.json
    default: return context.shell.display(of: value)
    }
    fields.append(Display.Field(printable(name), text))
  }
  return .fields(fields.sorted { $0.name < $1.name })
}

/// Makes `args`: positional values at 1, 2, ..., and each value also by its name in lower case.
private func arguments(of invocation: Invocation) -> LuaValue {
  let command = invocation.command
  var pairs: [(key: LuaValue, value: LuaValue)] = []
  var position = 0
  for argument in command.arguments {
    let values = invocation.list(argument.name).map { luaValue(of: $0, argument.kind) }
    for value in values {
      position += 1
      pairs.append((.integer(position), value))
    }
    let isList = argument.isRepeating || argument.kind == .verbatim
    let whole: LuaValue = argument.kind == .query ? invocation.query(argument.name).map { .text($0) } ?? .none : .none
    let named = isList ? .list(values) : argument.kind == .query ? whole : values.first ?? .none
    pairs.append((.text(fieldName(argument.name)), named))
  }
  for option in command.options {
    let values = invocation.list(option.name).map { luaValue(of: $0, option.kind) }
    let value: LuaValue =
      !option.takesValue
      ? .boolean(invocation.flag(option.name)) : option.isRepeating ? .list(values) : values.last ?? .none
    pairs.append((.text(fieldName(option.name)), value))
  }
  return .table(pairs.filter { !$0.value.isNone })
}

/// Converts `--dry-run` to `dry_run`.
private func fieldName(_ name: String) -> String {
  String(name.drop { $0 == "-" }.map { $0 == "-" ? "_" : $0 }).lowercased()
}

private func luaValue(of text: String, _ kind: ValueKind) -> LuaValue {
  switch kind {
  case .integer: Int(text).map { .integer($0) } ?? .text(text)
  case .number: Double(text).map { .number($0) } ?? .text(text)
  default: .text(text)
  }
}

/// The unchanged result of a command's Lua function: `shell.run` returns it, `--json` shows it as plain data.
public final class LuaCommandResult {
  let value: LuaValue

  init(_ value: LuaValue) { self.value = value }

  /// Returns the result as plain data. `record` returns the record of a bound object in it.
  public func plain(record: (AnyObject) -> Value) -> Value { value.value(emptyTable: .list([])) { record($0) } }
}

private func readOffers(_ stack: borrowing LuaStack) throws -> [String] {
  guard stack.kind(-1) == .table else { return [] }
  // An offer that the terminal would display differently could hide what it inserts into the line.
  return try stack.table(-1).elements { try $0.text(-1) }.filter { printable($0, limit: 1_000) == $0 }
}

/// Returns what a command's own `complete` offers. Tab shows no errors: a failure is recorded for `plugin info`.
private func offers(
  of function: LuaReference, _ name: String, _ context: BindingContext, _ word: String, _ before: [String]
) -> [String] {
  // The line editor handles the signals: a Ctrl-C ends the function, and then the line.
  defer { Interrupts.reraise() }
  do {
    return try Interrupts.holding {
      try context.calling(.completion(name)) { try function.call([word, before]) { try readOffers($0) } }
    }
  } catch {
    if context.owner.plugin == nil { context.terms.recordFailure(String(describing: error)) }
    return []
  }
}
