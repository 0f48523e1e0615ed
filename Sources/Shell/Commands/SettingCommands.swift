// `set` and `toggle`. Invariant: what is shown is what holds now; what differs from its default is marked, and a value that
// does not fit changes nothing.

import Commands
import Problems
import Text
import ToggleSettings
import Values
import Workspace

extension Shell {
  func settingCommands() -> [Command] { [set(), toggle()] }

  private static let theme = "Settings"

  private func set() -> Command {
    Command(
      "set", theme: Self.theme,
      effect: .depends { $0.optionalText("VALUE") ?? $0.optionalText("--reset") == nil ? .reads : .changes },
      summary: "Shows settings, or changes one.",
      details: """
        [x] is on, [ ] off, [-] mixed; * marks what is not its default. A group's name stands for all its switches. \
        DECKHAND_SET_GAME_LANGUAGE in the environment and --set game.language=... on the command line hold for one run.
        """,
      arguments: [
        Argument("NAME", .setting, isOptional: true, help: "a setting or a group, as game.language"),
        Argument("VALUE", .file, isOptional: true, help: "its new value"),
      ],
      options: [
        Option("--reset", "NAME", .setting, help: "forget what was set"),
        Option("--why", "NAME", .setting, help: "tell where the value comes from"),
      ],
      usage: ["set", "set NAME", "set NAME VALUE", "set --reset NAME", "set --why NAME"],
      example: "set game.language spanish",
      complete: { [unowned self] word, before in values(for: before, word) }
    ) { [unowned self] invocation in
      let tree = try workspace().preferences().tree
      if let name = invocation.optionalText("--why") { return try why(name, tree) }
      if let name = invocation.optionalText("--reset") {
        try tree.reset(name, by: settingOwner)
        return try shown(name, tree, ending: " again")
      }
      guard let name = invocation.optionalText("NAME") else { return try list("", tree) }
      guard let value = invocation.optionalText("VALUE") else { return try single(name, tree) }
      try tree.set(name, text: value, by: settingOwner)
      return try shown(name, tree, ending: " now")
    }
  }

  private func toggle() -> Command {
    Command(
      "toggle", theme: Self.theme, effect: .changes, summary: "Turns switches and groups over: all of them, or none.",
      details: "A group goes from on to off, to how it last was mixed, and on again.",
      arguments: [Argument("NAME", .setting, isRepeating: true, help: "switches or groups")],
      example: "toggle sound.right sound.wrong"
    ) { [unowned self] invocation in
      let names = invocation.list("NAME")
      let tree = try workspace().preferences().tree
      let states = try tree.toggle(names, by: settingOwner)
      let values = zip(names, states).map { name, state in
        Value.record([("name", .text(name)), ("state", .text(state.rawValue))])
      }
      return CommandResult(.list(values), .lines(zip(names, states).map { "\($0) is \($1.rawValue)." }))
    }
  }

  /// What Tab offers as the value of the setting named before.
  private func values(for before: [String], _ word: String) -> [String] {
    guard before.count == 1, let name = before.first, let tree = preferences?.tree else { return [] }
    return tree.candidates(for: name).words.filter { $0.hasPrefix(word) }
  }

  // MARK: Showing

  private func list(_ name: String, _ tree: SettingsTree) throws -> CommandResult {
    let rows = try tree.rows(of: name)
    var table = TableText([.init(""), .init("Setting"), .init("Value"), .init("")])
    for row in rows {
      let indent = String(repeating: "  ", count: row.depth)
      table.add([
        row.isChanged ? "*" : "", indent + row.name, value(of: row),
        row.kind == "section" ? "" : note(on: row),
      ])
    }
    return CommandResult(.list(rows.filter { $0.value != nil }.map { record(of: $0) }), .table(table))
  }

  /// A setting by itself; a group with what stands in it.
  private func single(_ name: String, _ tree: SettingsTree) throws -> CommandResult {
    let rows = try tree.rows(of: name)
    guard rows.count == 1, let row = rows.first else { return try list(name, tree) }
    var lines = ["\(row.name): \(value(of: row))"]
    if let help = tree.declaration(of: name)?.help, !help.isEmpty { lines.append("  " + help) }
    let reasons = try tree.why(name)
    lines.append("  \(reasons.expectation); its default is \(quotedValue(reasons.standard))")
    if let obstacle = row.obstacle { lines.append("  " + obstacle.message) }
    return CommandResult(row.value.map { commandValue($0) } ?? .null, .lines(lines))
  }

  private func shown(_ name: String, _ tree: SettingsTree, ending: String) throws -> CommandResult {
    let rows = try tree.rows(of: name)
    guard let row = rows.first, row.kind != "section" else { return try list(name, tree) }
    let value = row.state?.rawValue ?? printable(row.value?.text ?? "")
    var lines = ["\(name) is \(value.isEmpty ? "empty" : value)\(ending)."]
    if let obstacle = row.obstacle { lines.append("  " + obstacle.message) }
    return CommandResult(row.value.map { commandValue($0) } ?? .null, .lines(lines))
  }

  private func why(_ name: String, _ tree: SettingsTree) throws -> CommandResult {
    let reasons = try tree.why(name)
    let sources = reasons.sources.map(\.description)
    let value = reasons.state?.rawValue ?? printable(reasons.value.text)
    var lines = ["\(name) is \(value.isEmpty ? "empty" : value) by \(sources.joined(separator: " and "))."]
    if let standard = reasons.standard, standard != reasons.value {
      lines.append("  Its default is \(quotedValue(standard)).")
    }
    if let shadowed = reasons.shadowed, case .value(let kept) = shadowed.value {
      lines.append("  Kept meanwhile: \(quotedValue(kept)), set by \(shadowed.setBy.description).")
    }
    if let obstacle = reasons.obstacle { lines.append("  " + obstacle.message) }
    lines.append("  Declared by \(reasons.declaredBy.description); \(reasons.expectation) may stand there.")
    return CommandResult(
      .record([
        ("name", .text(name)), ("value", commandValue(reasons.value)), ("sources", .list(sources.map { .text($0) })),
        ("declared_by", .text(reasons.declaredBy.description)),
      ]), .lines(lines))
  }

  private func value(of row: SettingRow) -> String {
    guard let state = row.state else { return row.value.map { printable($0.text) } ?? "" }
    if console.terminal.isRead { return state.rawValue }
    switch state {
    case .on: return "[x]"
    case .off: return "[ ]"
    case .mixed: return "[-]"
    }
  }

  private func note(on row: SettingRow) -> String {
    if let source = row.forcedBy { return "\(row.title) (by \(source.description))" }
    return row.obstacle.map { "\(row.title) (\($0.message))" } ?? row.title
  }

  private func quotedValue(_ value: SettingValue?) -> String {
    guard let value else { return "its switches' own" }
    return value.text.isEmpty ? "empty" : printable(value.text)
  }

  private func record(of row: SettingRow) -> Value {
    var fields: [(String, Value)] = [
      ("name", .text(row.name)), ("title", .text(row.title)), ("kind", .text(row.kind)),
      ("value", row.value.map { commandValue($0) } ?? .null), ("changed", .boolean(row.isChanged)),
    ]
    if let state = row.state { fields.append(("state", .text(state.rawValue))) }
    return .record(fields)
  }

  private func commandValue(_ value: SettingValue) -> Value {
    switch value {
    case .flag(let flag): .boolean(flag)
    case .number(let number): Int(exactly: number).map { .integer($0) } ?? .number(number)
    case .text(let text): .text(text)
    }
  }
}
