// `set` and `toggle`. Invariant: the values shown are those in effect; a value that differs from its default is marked,
// and an invalid value changes nothing.

import Commands
import Problems
import Text
import ToggleSettings
import Values
import Workspace

enum SettingCommands {
  static var all: [BuiltIn] { [set, toggle] }

  private static let set = BuiltIn(
    "set", effect: .depends { $0.optionalText("VALUE") ?? $0.optionalText("--reset") == nil ? .reads : .changes },
    summary: "Shows settings, or changes one.",
    answer: "{name, title, kind, value, changed, state?}... or text or number or boolean",
    details: """
      [x] is on, [ ] off, [-] mixed; * marks a value that is not the default. A group's name means all its switches. \
      DECKHAND_SET_GAME_LANGUAGE in the environment and --set game.language=... on the command line apply to one run.
      """,
    arguments: [
      Argument("NAME", .setting, isOptional: true, help: "a setting or a group, such as game.language"),
      Argument("VALUE", isOptional: true, help: "its new value"),
    ],
    options: [
      Option("--reset", "NAME", .setting, help: "restore the default"),
      Option("--why", "NAME", .setting, help: "show where the value comes from"),
    ], usage: ["set", "set NAME", "set NAME VALUE", "set --reset NAME", "set --why NAME"],
    example: "set game.language spanish", complete: { word, before, session in values(for: before, word, session) }
  ) { invocation, session in
    try invocation.allowOne(of: ["--why", "--reset", "NAME"])
    let tree = try session.workspace().preferences().tree
    if let name = invocation.optionalText("--why") { return try why(name, tree, session) }
    if let name = invocation.optionalText("--reset") {
      try tree.reset(name, by: session.scripting.settingOwner)
      return try shown(name, tree, ending: " again", session)
    }
    guard let name = invocation.optionalText("NAME") else { return try list("", tree, session) }
    guard let value = invocation.optionalText("VALUE") else {
      // NAME=VALUE is the form of --set.
      if name.contains("=") { throw CommandError.missingArgument(command: "set", "VALUE", usage: "set NAME VALUE") }
      return try single(name, tree, session)
    }
    try tree.set(name, text: value, by: session.scripting.settingOwner)
    return try shown(name, tree, ending: " now", session)
  }

  private static let toggle = BuiltIn(
    "toggle", effect: .changes, summary: "Toggles switches and groups: all of them, or none.",
    answer: "{name, state}...", details: "A group goes from on to off, then to its last mixed state, and to on again.",
    arguments: [Argument("NAME", .setting, isRepeating: true, help: "switches or groups")],
    example: "toggle sound.right sound.wrong"
  ) { invocation, session in
    let names = invocation.list("NAME")
    let tree = try session.workspace().preferences().tree
    let states = try tree.toggle(names, by: session.scripting.settingOwner)
    let values = zip(names, states).map { name, state in Value.record(["name": name, "state": state.rawValue]) }
    return CommandResult(.list(values), .lines(zip(names, states).map { "\($0) is \($1.rawValue)." }))
  }

  /// Completions for the value of the setting named before.
  private static func values(for before: [String], _ word: String, _ session: Session) -> [Offer] {
    guard before.count == 1, let name = before.first, let tree = session.preferences?.tree else { return [] }
    let candidates = tree.candidates(for: name)
    if candidates.files { return NameOffers(session: session).paths(word) }
    return candidates.words.map { Offer($0) }
  }

  static func list(_ name: String, _ tree: SettingsTree, _ session: Session) throws -> CommandResult {
    let rows = try tree.rows(of: name)
    // Few languages need a program; those without one are listed when they are asked for.
    let listed = rows.filter { $0.isChanged || !name.isEmpty || !$0.name.hasPrefix("words.analyser.") }
    let cells = listed.map { row in
      [
        row.isChanged ? "*" : "", String(repeating: "  ", count: row.depth) + row.name, value(of: row, session),
        row.kind == "section" ? "" : row.title + (row.forcedBy.map { " (by \($0.description))" } ?? ""),
      ]
    }
    let table = TableText(["", .name("Setting"), .main("Value"), .words("")], rows: cells)
    let foot = "* not the default   `set NAME` explains a setting   `set NAME VALUE` changes it"
    return CommandResult(
      .list(rows.filter { $0.value != nil }.map { record(of: $0) }), .page(.init(.table(table), foot: foot)))
  }

  /// Shows a single setting, or a group with its members.
  static func single(_ name: String, _ tree: SettingsTree, _ session: Session) throws -> CommandResult {
    let rows = try tree.rows(of: name)
    guard rows.count == 1, let row = rows.first else { return try list(name, tree, session) }
    var lines = ["\(row.name): \(value(of: row, session))"]
    if let help = tree.declaration(of: name)?.help, !help.isEmpty { lines.append("  " + help) }
    let reasons = try tree.why(name)
    lines.append("  \(reasons.expectation); its default is \(quotedValue(reasons.standard))")
    if tree.declaration(of: name)?.isSecret == true { lines.append("  secret: no other plugin can read it") }
    if tree.declaration(of: name)?.isGuarded == true { lines.append("  guarded: no plugin can change it") }
    return CommandResult(row.value?.value ?? .null, .lines(lines))
  }

  static func shown(_ name: String, _ tree: SettingsTree, ending: String, _ session: Session) throws -> CommandResult {
    let rows = try tree.rows(of: name)
    guard let row = rows.first, row.kind != "section" else { return try list(name, tree, session) }
    let value = row.state?.rawValue ?? printable(row.value?.text ?? "")
    return CommandResult(row.value?.value ?? .null, .lines(["\(name) is \(value.isEmpty ? "empty" : value)\(ending)."]))
  }

  private static func why(_ name: String, _ tree: SettingsTree, _ session: Session) throws -> CommandResult {
    let reasons = try tree.why(name)
    let sources = reasons.sources.map(\.description)
    let value = reasons.state?.rawValue ?? printable(reasons.value.text)
    var lines = ["\(name) is \(value.isEmpty ? "empty" : value), set by \(sources.joined(separator: " and "))."]
    if let standard = reasons.standard, standard != reasons.value {
      lines.append("  Its default is \(quotedValue(standard)).")
    }
    if let shadowed = reasons.shadowed, case .value(let kept) = shadowed.value {
      lines.append("  Overridden for now: \(quotedValue(kept)), set by \(shadowed.setBy.description).")
    }
    if name == "display.color", session.options.isColorGiven {
      lines.append("  --color on the command line applies to this run.")
    }
    lines.append("  Declared by \(reasons.declaredBy.description); accepts \(reasons.expectation).")
    return CommandResult(
      .record([
        "name": name, "value": reasons.value.value, "sources": sources, "declared_by": reasons.declaredBy.description,
      ]), .lines(lines))
  }

  static func value(of row: SettingRow, _ session: Session) -> String {
    guard let state = row.state else { return row.value.map { printable($0.text) } ?? "" }
    if session.console.terminal.usesScreenReader { return state.rawValue }
    switch state {
    case .on: return "[x]"
    case .off: return "[ ]"
    case .mixed: return "[-]"
    }
  }

  private static func quotedValue(_ value: SettingValue?) -> String {
    guard let value else { return "its switches' own" }
    return value.text.isEmpty ? "empty" : printable(value.text)
  }

  private static func record(of row: SettingRow) -> Value {
    var fields: [(String, Value)] = [
      ("name", .text(row.name)), ("title", .text(row.title)), ("kind", .text(row.kind)),
      ("value", row.value?.value ?? .null), ("changed", .boolean(row.isChanged)),
    ]
    if let state = row.state { fields.append(("state", .text(state.rawValue))) }
    return .record(fields)
  }
}
