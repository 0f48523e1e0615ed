// Lua's view of settings: the module `settings`, the types `group`, `choice` and `value`. Invariant: a change is one
// transaction and one notification, whoever makes it; an error in a listener is reported once and affects nothing
// else.

public import LuaRuntime
import Problems
import Text
import ToggleSettings
public import Workspace

extension SettingGroupHandle: BoundObject {}
extension SettingChoiceHandle: BoundObject {}
extension SettingValueHandle: BoundObject {}

func settingsModule(_ context: BindingContext) -> BoundModule {
  context.module("settings", "Settings: declare, read, change and observe them.", grant: .any(.settings)) { module in
    let parameters: LuaParameters = ["name": .string, "description": .table]
    module.function(
      "switches", parameters, returns: .object("group"),
      example: "(\"pizza\", {title = \"Pizza\", children = {\"tomato\", \"basil\"}})",
      "Declares switches under a master switch: {title=, help=, "
        + "children={\"tomato\", {name=, title=, default=}, nested groups}}."
    ) { stack in
      try declare(stack, ["children"], { try readGroup($0) }, context) as SettingGroupHandle
    }
    module.function(
      "choice", parameters, returns: .object("choice"),
      example: "(\"size\", {title = \"Size\", options = {\"small\", \"large\"}, default = \"small\"})",
      "Declares a choice among options: {title=, help=, options={...}, default=}."
    ) { stack in
      try declare(stack, ["options", "default"], readChoice, context) as SettingChoiceHandle
    }
    module.function(
      "value", parameters, returns: .object("value"),
      example: "(\"slices\", {title = \"Slices\", kind = \"number\", default = 8})",
      "Declares a value: {title=, help=, default=, kind=\"number\"|\"text\"|\"path\", min=, max=, check=, secret=, "
        + "guarded=}. min and max limit a number; check(value) returns true, or nil and why the value is refused. A "
        + "secret is shown as dots, and no other plugin can read it; no plugin can change a guarded value."
    ) { stack in
      try declare(stack, ["default", "kind", "min", "max", "check", "secret", "guarded"], readValue, context)
        as SettingValueHandle
    }
    describeValues(module, context)
    describeListening(module, context)
  }
}

private func declare<Handle: SettingHandle>(
  _ stack: borrowing LuaStack, _ keys: [String], _ read: (borrowing LuaTable) throws -> SettingKind,
  _ context: BindingContext
) throws -> Handle {
  let table = try stack.table(2, "a table that describes the setting")
  try table.allowOnly(["title", "help"] + keys)
  let kind = try read(table)
  let name = try stack.text(1, limit: 1024)
  let declaration = SettingDeclaration(
    name, kind, title: try table.optionalText("title") ?? "", help: try table.optionalText("help") ?? "",
    secret: try table.optionalBoolean("secret") ?? false, guarded: try table.optionalBoolean("guarded") ?? false)
  let check = try readCheck(table, of: name, context)
  let made = try context.storing("setting", name, stack) {
    let settings = try context.workspace().settings
    return try context.changing { try settings.declare(declaration, by: context.settingOwner(), check: check) }
  }
  guard let handle = made as? Handle else { throw LuaFailure.message("\(printable(name)) is another kind of setting") }
  return handle
}

private func describeValues(_ module: BoundModule, _ context: BindingContext) {
  module.function(
    "get", ["name": .string], returns: .any.orProblem, example: "(\"game.language\")",
    "The value of a setting; for a group, whether all its switches are on. Codes: unknown_setting, not_granted."
  ) { stack in
    let name = try stack.text(1)
    return luaValue(of: try context.workspace().preferences().tree.get(name, for: context.owner))
  }
  module.action(
    "set", ["name": .string, "value": .any], example: "(\"game.length\", 9)",
    "Sets a setting; with a group's name, all its switches. Codes: unknown_setting, bad_value, locked."
  ) { stack in
    let (name, value) = (try stack.text(1, limit: 1024), try settingValue(stack, 2))
    try context.requireChange(ofSettings: [name])
    try context.storing("value", name, stack) {
      try context.changing {
        try context.workspace().preferences().tree.set(name, to: value, by: context.settingOwner())
      }
    }
  }
  module.action(
    "update", ["values": .table], example: "{[\"sound.right\"] = true, [\"sound.wrong\"] = true}",
    "Sets several settings as one change, all or none: {[\"game.length\"] = 9, sound = true}."
  ) { stack in
    let values = try stack.table(1).namedValues().map { name, value in
      (name: name, value: try settingValue(value, argument: 1, "value of '\(printable(name))'"))
    }
    try context.requireChange(ofSettings: values.map(\.name))
    try context.storing("values", values.map(\.name).joined(separator: " "), stack) {
      try context.changing { try context.workspace().preferences().tree.update(values, by: context.settingOwner()) }
    }
  }
  module.action(
    "reset", ["name": .string], example: "(\"game.length\")",
    "Removes the set value of one setting, or of all settings in a group, so that the value below it applies again."
  ) { stack in
    let name = try stack.text(1)
    try context.requireChange(ofSettings: [name])
    try context.workspace().preferences().tree.reset(name, by: context.settingOwner())
  }
}

private func describeListening(_ module: BoundModule, _ context: BindingContext) {
  module.function(
    "on_change", ["prefix": .string, "listener": .function],
    returns: .object("subscription"), example: "(\"sound\", function(changes) print(#changes) end)",
    "Calls a function once per change with a list of {name=, old=, new=}; \"\" observes every setting."
  ) { stack in
    let (prefix, listener) = (try stack.text(1, limit: 1024), try stack.function(2))
    try context.refusePluginListener()
    let subject = prefix.isEmpty ? "settings" : "settings of \(printable(prefix))"
    let tree = try context.workspace().preferences().tree
    let charge = try stack.memory.retainCharge(512)
    var cancel: () -> Void = {}
    let inner = tree.observe(prefix, by: context.settingOwner()) { [weak tree, charge] changes in
      defer { withExtendedLifetime(charge) {} }
      context.events.observe(subject, change: tree?.changeCount ?? 0, context, listener, cancel: cancel) {
        try listener.call([LuaValue.list(changes.map(luaValue(of:)))], results: 0) { _ in }
      }
    }
    cancel = { [weak inner] in inner?.cancel() }
    return Subscription(subject, isActive: { !inner.isCancelled }, cancel: { inner.cancel() })
  }
}

extension BindingContext {
  /// Checks that the state may change settings: a plugin its own and granted ones, and groups of only such ones.
  func requireChange(ofSettings names: [String]) throws {
    guard let granted = grants.settings else { return }
    let tree = try workspace().preferences().tree
    for name in names {
      for setting in try tree.settings(in: name) {
        let isGranted = granted.contains { setting.name == $0 || setting.name.hasPrefix($0 + ".") }
        guard setting.owner == owner || isGranted else {
          throw GrantError.missing(plugin: pluginName, right: "settings.write:\(setting.name)")
        }
      }
    }
  }

  /// Makes a change. If code in the check of a setting failed or was stopped, the caller gets that error.
  func changing<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch SettingsError.checkFailed(_, let error as LuaError) { throw error }
  }
}

func settingGroupType(_ context: BindingContext) -> BoundType<SettingGroupHandle> {
  settingType("group", "Switches under a master switch.", state: { try $0.state().rawValue }) { type in
    type.example = "settings.switches(\"pizza\", {title = \"Pizza\", children = {\"tomato\", \"basil\"}})"
    type.field("state", .string, "on, off or mixed.") { try $0.state().rawValue }
    describeValue(type, .boolean, example: "true", "True only when all are on; assigning sets all.", context)
    type.field("children", .list(.string), "The names of its children.") {
      Frozen(try $0.children(), advice: "a group's children are fixed; use group:toggle(child)")
    }
    type.method(
      "toggle", ["child": .optional(.string)], returns: .boolean, example: "(\"basil\")",
      "Toggles a child, or the whole group: on, off, or its last mixed state. Returns whether it is on now."
    ) { group, stack in
      let child = try stack.optionalText(2)
      try context.requireChange(ofSettings: [child.map { group.name + "." + $0 } ?? group.name])
      return luaValue(of: try group.toggle(child, by: context.settingOwner()))
    }
  }
}

func settingChoiceType(_ context: BindingContext) -> BoundType<SettingChoiceHandle> {
  settingType("choice", "One of several options.", state: { printable(try $0.value().text) }) { type in
    type.example =
      "settings.choice(\"size\", {title = \"Size\", options = {\"small\", \"large\"}, default = \"small\"})"
    describeValue(type, .string, example: "\"large\"", "The option that is chosen.", context)
    type.field("options", .list(.string), "The options that can be chosen.") { choice in
      guard case .choice(let options, _) = try choice.declaration().kind else { return Frozen([String](), advice: "") }
      return Frozen(options, advice: "a choice's options are fixed; assign its value")
    }
  }
}

func settingValueType(_ context: BindingContext) -> BoundType<SettingValueHandle> {
  settingType("value", "A number, a text or a path.", state: { printable(try $0.value().text) }) { type in
    type.example = "settings.value(\"slices\", {title = \"Slices\", kind = \"number\", default = 8})"
    describeValue(type, .any, example: "6", "The number or text.", context)
    type.field("kind", .string, "number, text or path.") { try $0.declaration().kind.word }
  }
}

private func settingType<Handle: SettingHandle & BoundObject>(
  _ name: String, _ help: String, state: @escaping (Handle) throws -> String, _ describe: (BoundType<Handle>) -> Void
) -> BoundType<Handle> {
  BoundType(
    name, help, summary: { "\(name) \($0.name) (\(try state($0)))" }, identity: { .text($0.name) },
    checks: LuaChecks { try requireOpen($0, "setting") }
  ) { type in
    type.field("name", .string, "Its full name, with dots.") { $0.name }
    type.field("title", .string, "The title that users see.") { handle in
      let title = try handle.declaration().title
      return title.isEmpty ? handle.name.split(separator: ".").last.map(String.init) ?? handle.name : title
    }
    describe(type)
  }
}

private func describeValue<Handle: SettingHandle & BoundObject>(
  _ type: BoundType<Handle>, _ kind: LuaType, example: String, _ help: String, _ context: BindingContext
) {
  type.field("value", kind, example: example, help, get: { luaValue(of: try $0.value()) }) { handle, stack in
    let value = try settingValue(stack, 3)
    try context.requireChange(ofSettings: [handle.name])
    try context.changing { try handle.set(value, by: context.settingOwner()) }
  }
}

func luaValue(of value: SettingValue) -> LuaValue { LuaValue(value.value) }

private func luaValue(of change: SettingChange) -> LuaValue {
  .record(["name": change.name, "old": luaValue(of: change.old), "new": luaValue(of: change.new)])
}

private func settingValue(_ stack: borrowing LuaStack, _ index: Int) throws(LuaFailure) -> SettingValue {
  if stack.isNoneOrNil(index) { throw stack.expected("boolean, number or string", at: index) }
  if stack.kind(index) == .text { _ = try stack.bytes(index, limit: LuaStack.largeText) }
  return try settingValue(stack.value(index), argument: index, "value")
}

private func settingValue(_ value: LuaValue, argument: Int, _ what: String) throws(LuaFailure) -> SettingValue {
  switch value {
  case .boolean(let flag): return .flag(flag)
  case .integer(let number): return .number(Double(number))
  case .number(let number): return .number(number)
  case .bytes:
    guard let text = value.text else { throw .argument(argument, "\(what): UTF-8 expected") }
    return .text(text)
  default: throw .argument(argument, "\(what): a boolean, a number or a string expected")
  }
}

private func readGroup(_ table: borrowing LuaTable, depth: Int = 1) throws -> SettingKind {
  // A table may contain itself.
  if depth > SettingBounds.depth { throw table.wrong("children are nested more than \(SettingBounds.depth) deep") }
  return .group(try table.optionalTable("children") { try $0.elements { try readChild($0, depth + 1) } } ?? [])
}

private func readChild(_ stack: borrowing LuaStack, _ depth: Int) throws -> SettingDeclaration {
  if stack.kind(-1) == .text { return SettingDeclaration(try stack.text(-1), .toggle()) }
  let table = try stack.table(-1, "name or table")
  try table.allowOnly(["name", "title", "help", "default", "children"])
  let kind =
    try table.has("children")
    ? try readGroup(table, depth: depth) : SettingKind.toggle(default: try table.optionalBoolean("default") ?? false)
  return SettingDeclaration(
    try table.text("name"), kind, title: try table.optionalText("title") ?? "",
    help: try table.optionalText("help") ?? "")
}

private func readChoice(_ table: borrowing LuaTable) throws -> SettingKind {
  let options: [String]? = try table.optionalTable("options") { list in
    try list.elements { stack throws -> String in
      // A number would be read as a text.
      guard stack.kind(-1) == .text else { throw stack.expected("string", at: -1) }
      return try stack.text(-1)
    }
  }
  return .choice(options ?? [], default: try table.optionalText("default") ?? options?.first ?? "")
}

private func readValue(_ table: borrowing LuaTable) throws -> SettingKind {
  let usual = try table.has("default") ? try table.value("default").text == nil ? "number" : "text" : nil
  switch try table.optionalText("kind") ?? usual {
  case "number":
    let range = NumberRange(min: try table.optionalNumber("min"), max: try table.optionalNumber("max"))
    // Without a default, the number nearest to zero.
    let nearest = min(max(0, range.min ?? 0), range.max ?? .infinity)
    return .number(range, default: try table.optionalNumber("default") ?? nearest)
  case let kind? where kind == "text" || kind == "path":
    for name in ["min", "max"] where try table.has(name) { throw table.wrong("field '\(name)' is only for numbers") }
    let standard = try table.optionalText("default") ?? ""
    return kind == "text" ? .text(default: standard) : .path(default: standard)
  default: throw table.wrong("field 'kind': \"number\", \"text\" or \"path\" expected")
  }
}

private func readCheck(_ table: borrowing LuaTable, of name: String, _ context: BindingContext) throws -> SettingCheck?
{
  guard let check = try table.optionalFunction("check") else { return nil }
  return { value in
    try context.calling(.check(name)) {
      try check.call([luaValue(of: value)], results: 2) { stack in
        if case .boolean(true) = try stack.value(-2) { return nil }
        return try stack.value(-1).text.map { printable($0, limit: 500) } ?? "its check refuses this value"
      }
    }
  }
}
