// Lua's view of the shell: the module `shell`, progress, subscriptions, commands that Lua adds. Invariant: everything
// goes through the services that the program provides; this room draws nothing.

public import Commands
public import LuaRuntime
import Problems
import Storage
import Text
import Values
import Workspace

/// A progress report, as Lua sees it.
final class ProgressObject: BoundObject {
  let progress: any ProgressReporting
  /// The charge for its label.
  private let charge: MemoryCharge

  init(_ progress: any ProgressReporting, _ charge: MemoryCharge) { (self.progress, self.charge) = (progress, charge) }
}

func shellModule(_ context: BindingContext) -> BoundModule {
  context.module(
    "shell", "The shell itself: print, ask, add commands, listen to events.", grant: .any(.shell, .shellRun)
  ) { module in
    module.function("print", ["value": .any], example: "({1, 2, 3})", "Shows a value as the prompt does.") { stack in
      try context.shell.show(1, on: stack)
    }
    module.function(
      "table", ["rows": .list(.any), "columns": .optional(.list(.string))],
      example: "({{\"el perro\", 3}, {\"el gato\", 5}}, {\"Word\", \"Times\"})",
      "Shows rows as an aligned table: lists, or records whose fields the columns name."
    ) { stack in
      var columns: [String] = []
      if let table = try stack.optionalTable(2) {
        columns = try table.elements { try $0.text(-1) }
        guard columns.count <= TableSize.columns else { throw TableSize.failure(2) }
      }
      var rows: [[String]] = []
      var width = columns.count
      try stack.table(1, "list of rows").forEachElement { _, row in
        let value = try filled(row.value(-1))
        if case .object(let object) = value, columns.count > 1 {
          let type = row.state.description(of: object)?.name ?? "object"
          throw LuaFailure.argument(1, "a list, or a table with fields named as the columns, expected, got \(type)")
        }
        // The memory that the layout needs for each cell.
        try row.memory.charge(256 * cellCount(of: value, columns))
        rows.append(try cells(of: value, columns, in: row.state))
        width = max(width, rows.last?.count ?? 0)
        guard width <= TableSize.columns, rows.count * width <= TableSize.cells else { throw TableSize.failure(1) }
      }
      context.shell.table(rows, columns)
    }
    describeFigures(module, context)
    describeAsking(module, context)
    describeCommands(module, context)
    describeUndoing(module, context)
    describeLookingBack(module, context)
    describeCommandAdding(module, context)
    if context.owner == .user { describeUserMembers(module, context) }
  }
}

private func describeUserMembers(_ module: BoundModule, _ context: BindingContext) {
  module.function(
    "prompt", ["state": .optional(.table)], returns: .string, example: "{user = \"ana\", deck = \"Spanish\"}",
    "The text of the prompt, made from {user=, deck=, game=, is_signed_in=}. Assign your own function to change it: "
      + "`shell.prompt = function(state) return (state.user or \"\") .. \"> \" end`. Not in a plugin."
  ) { stack in
    var state = PromptState(user: nil, isSignedIn: true)
    if let table = try stack.optionalTable(1, allowing: ["user", "deck", "game", "is_signed_in"]) {
      state.user = try table.optionalText("user")
      state.deck = try table.optionalText("deck")
      state.game = try table.optionalText("game")
      state.isSignedIn = try table.optionalBoolean("is_signed_in") ?? true
    }
    return state.text
  }
  module.function(
    "sync", returns: .table.orProblem,
    "Syncs with the server that `sync login` linked, and returns what was done: received, sent, removed_here, "
      + "removed_there, findings, media_received, media_sent, media_removed_here, media_removed_there, media_findings. "
      + "In a script, the changes made before it are saved whatever happens after it. Not in a plugin."
  ) { stack in LuaValue(try CallPause.pausingLimits { try context.shell.synchronize() }) }
}

private func describeFigures(_ module: BoundModule, _ context: BindingContext) {
  module.function(
    "chart", ["values": .table, "options": .optional(.table)],
    example: "({monday = 12, tuesday = 30}, {title = \"Answers\"})",
    "Draws numbers as bars: a list of numbers, or names with numbers. Option: title."
  ) { stack in
    let options = try stack.optionalTable(2, allowing: ["title"])
    if stack.kind(1) == .table, try stack.table(1).count() > mostBars { throw tooManyBars(1) }
    let values = try bars(of: stack.value(1), argument: 1)
    try stack.memory.charge(values.count * 512)
    context.shell.chart(values, try options?.optionalText("title"))
  }
  module.function(
    "progress", ["label": .string, "total": .optional(.integer)],
    returns: .object("progress"), example: "(\"Counting\", 10)", "Shows the progress of a long operation."
  ) { stack in
    let total = stack.isNoneOrNil(2) ? 0 : try stack.integer(2, in: 0...Int.max)
    let label = try stack.text(1, limit: 4096)
    return ProgressObject(context.shell.progress(label, total), try stack.memory.retainCharge(1024))
  }
}

/// Returns a row of numbered cells as a list: if cells in it are nil, its copy is a table.
private func filled(_ row: LuaValue) -> LuaValue {
  guard case .table(let pairs) = row, !pairs.isEmpty else { return row }
  var cells: [LuaValue] = []
  for (key, value) in pairs {
    guard case .integer(let number) = key, (1...TableSize.columns + 1).contains(number) else { return row }
    while cells.count < number { cells.append(LuaValue.none) }
    cells[number - 1] = value
  }
  return .list(cells)
}

private func cellCount(of row: LuaValue, _ columns: [String]) -> Int {
  switch row {
  case .list(let cells): cells.count
  case .table: columns.count
  default: 1
  }
}

private enum TableSize {
  static let (columns, cells) = (1_000, 1_000_000)

  static func failure(_ argument: Int) -> LuaFailure {
    .argument(argument, "a table of at most \(grouped(columns)) columns and \(grouped(cells)) cells expected")
  }
}

private func cells(of row: LuaValue, _ columns: [String], in state: LuaState) throws -> [String] {
  switch row {
  case .list(let cells): return try cells.prefix(TableSize.columns + 1).map { try cellText($0, in: state) }
  case .table(let pairs):
    var named: [[UInt8]: LuaValue] = [:]
    for (key, value) in pairs { if case .bytes(let name) = key { named[name] = value } }
    return try columns.map { try cellText(named[Array($0.utf8)] ?? LuaValue.none, in: state) }
  default: return [try cellText(row, in: state)]
  }
}

/// Returns the text of a value in a cell; a bound object is represented by its name, a removed one as `tostring` does.
private func cellText(_ value: LuaValue, in state: LuaState) throws -> String {
  guard case .object(let object) = value, let type = state.description(of: object) else { return plainText(value) }
  do { return plainText(try type.identity(object)) } catch let problem as any Problem {
    return "\(type.name) (\(problem.message))"
  }
}

private func plainText(_ value: LuaValue) -> String {
  switch value {
  case .none: ""
  case .boolean(let flag): flag ? "yes" : "no"
  case .integer(let number): String(number)
  case .number(let number): String(number)
  case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
  default: value.json ?? "…"
  }
}

private let mostBars = 10_000

private func tooManyBars(_ argument: Int) -> LuaFailure {
  .argument(argument, "at most \(grouped(mostBars)) numbers expected")
}

private func bars(of value: LuaValue, argument: Int) throws(LuaFailure) -> [(label: String, value: Double)] {
  let pairs: [(String, LuaValue)]
  switch value {
  case .list(let values): pairs = values.enumerated().map { (String($0.offset + 1), $0.element) }
  case .table(let named):
    pairs = named.map { (plainText($0.key), $0.value) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
  default: throw .argument(argument, "a list of numbers, or names with numbers, expected")
  }
  guard pairs.count <= mostBars else { throw tooManyBars(argument) }
  var bars: [(label: String, value: Double)] = []
  for (label, value) in pairs {
    switch value {
    case .integer(let number): bars.append((label, Double(number)))
    case .number(let number) where number.isFinite: bars.append((label, number))
    default: throw .argument(argument, "'\(printable(label))' is not a number")
    }
  }
  return bars
}

private func describeAsking(_ module: BoundModule, _ context: BindingContext) {
  module.function(
    "ask", ["text": .string], returns: .optional(.string), example: "(\"Which deck? \")",
    "Asks for a line of text; nil if nobody can answer."
  ) { stack in try context.shell.ask(printable(try stack.text(1)), of: context.settingOwner()) }
  module.function(
    "confirm", ["text": .string], returns: .boolean, example: "(\"Begin?\")",
    "Asks a yes-or-no question; false if nobody can answer."
  ) { stack in
    let question = printable(try stack.text(1)) + " [y/N] "
    let answer = try context.shell.ask(question, of: context.settingOwner())
    return ["y", "yes"].contains(answer?.trimmed.lowercased())
  }
}

private func describeCommands(_ module: BoundModule, _ context: BindingContext) {
  module.function(
    "run", ["line": .string], returns: .any.orProblem, grant: .shellRun, example: "(\"deck list\")",
    "Runs a line as a command and returns its result. In a script, a command that Lua added is part of the script: "
      + "what it did before it failed is undone only if the script fails too, as with `assert`."
  ) { stack in
    let line = try stack.text(1)
    return luaValue(of: try context.shell.run(line, of: context.owner))
  }
  module.function(
    "alias", ["name": .string, "text": .string], example: "(\"sp\", \"study Spanish\")",
    "Makes a name stand for the beginning of a line. "
      + "A plugin's alias is a command of that plugin, and can only run what the plugin may run."
  ) { stack in
    let (name, text) = (try stack.text(1, limit: 1024), try stack.text(2, limit: 65_536))
    // A plugin's alias is stored as a command with a description, hence the weight.
    try context.storing("alias", name, stack, weight: 2048) {
      try context.shell.addAlias(name, text, of: context.owner, context.grants)
    }
  }
  module.function(
    "on", ["event": .string, "listener": .function], returns: .object("subscription"),
    example: "(\"exiting\", function() print(\"bye\") end)", "Calls a function at an event: \(ShellEvent.names)."
  ) { stack in
    let name = try stack.text(1)
    guard let event = ShellEvent(rawValue: name) else {
      let near = didYouMean(name, among: ShellEvent.allCases.map(\.rawValue), quote: "'")
      throw LuaFailure.argument(1, "no event is called '\(printable(name))'\(near)")
    }
    try context.refusePluginListener()
    return context.events.add(event, context, try stack.function(2))
  }
}

private func describeUndoing(_ module: BoundModule, _ context: BindingContext) {
  for again in [false, true] {
    module.function(
      again ? "redo" : "undo", returns: .string.orProblem, grant: .shellRun,
      again
        ? "Redoes what was undone last; returns the step's name."
        : "Undoes the last change; returns the step's name. A script is one change: in a script, it undoes the last "
          + "change before the script, and redoes it if the script fails."
    ) { _ in
      let workspace = try context.workspace()
      let step = try workspace.care.nextStep(nil, again: again)
      guard workspace.rehearsal.mayActOutside("\(again ? "redo" : "undo") \(step.name)") else { return step.name }
      return try (again ? workspace.care.redo() : workspace.care.undo()).name
    }
  }
}

func progressType() -> BoundType<ProgressObject> {
  BoundType<ProgressObject>("progress", "A long operation in progress.", summary: { _ in "progress" }) { type in
    type.example = "shell.progress(\"Counting\", 10)"
    type.method(
      "step", ["count": .optional(.integer)], example: "(5)",
      "Reports that this many more are done."
    ) {
      object, stack in
      object.progress.step(stack.isNoneOrNil(2) ? 1 : try stack.integer(2, in: 0...Int.max))
    }
    type.method("done", [:], "Ends it.") { object, _ in object.progress.finish() }
    type.closing { $0.progress.finish() }
  }
}

func subscriptionType() -> BoundType<Subscription> {
  BoundType<Subscription>(
    "subscription", "A function that is called on an event or a change of settings.",
    summary: { "subscription to \($0.subject)" }
  ) { type in
    type.example = "shell.on(\"exiting\", function() end)"
    type.field("active", .boolean, "Whether it is still called.") { $0.isActive }
    type.method("cancel", [:], "Cancels it: the function is not called again.") { object, _ in object.cancel() }
    type.closing { $0.cancel() }
  }
}

/// Converts the result of a command for Lua.
public func luaValue(of answer: CommandAnswer) -> LuaValue {
  func value(_ object: AnyObject) -> LuaValue {
    if let answer = object as? LuaCommandResult { return answer.value }
    return (object as? any BoundObject).map { .object($0) } ?? .none
  }
  return switch answer {
  case .value(let plain): LuaValue(plain)
  case .object(let object): value(object)
  case .objects(let objects): .list(objects().map(value))
  }
}
