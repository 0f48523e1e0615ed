// Settings in Lua: declared, read, changed and observed.

import Problems
import TestWorkspace
import ToggleSettings

@testable import Bindings

@Suite struct SettingBindingTests {
  private let program: BoundProgram

  init() throws {
    program = try BoundProgram()
    try program.run(
      """
      pizza = settings.switches("pizza", {
        title = "Pizza", children = {"tomato", {name = "cheese", default = true}, {name = "fish", children = {"tuna", "eel"}}}
      })
      size = settings.choice("size", {options = {"small", "large"}, default = "small"})
      speed = settings.value("speed", {default = 5, min = 1, max = 10})
      """)
  }

  @Test func `switches, choices and values are read and assigned`() throws {
    try program.check([
      ("pizza.name, pizza.title, pizza.state, pizza.value", "pizza Pizza mixed false"),
      ("pizza.children", "{tomato, cheese, fish}"), ("pizza:toggle('tomato')", "true"),
      ("pizza:toggle()", "true"), ("pizza.state", "on"), ("pizza:toggle()", "false"), ("pizza.state", "off"),
      ("size.value, size.options, size.title", "small {small, large} size"),
      ("speed.value, speed.kind", "5 number"), ("size", "choice size (small)"), ("speed", "value speed (5)"),
    ])
    try program.run("size.value = 'large' speed.value = 7 pizza.value = true")
    try program.check([
      ("settings.get('size'), settings.get('speed'), settings.get('pizza.fish.eel')", "large 7 true"),
      ("settings.set('size', 'small'), size.value", "true small"), ("settings.reset('speed'), speed.value", "true 5"),
      ("settings.update{speed = 9, ['pizza.tomato'] = false}, speed.value", "true 9"), ("pizza.state", "mixed"),
    ])
  }

  @Test func `an invalid value or declaration is refused with the reason, and changes nothing`() throws {
    try program.check([
      ("settings.get('sped')", "nil [unknown_setting]"), ("settings.set('size', 'huge')", "nil [bad_value]"),
      ("settings.set('speed', 11)", "nil [bad_value]"),
      ("settings.update{speed = 2, size = 'huge'}", "nil [bad_value]"), ("speed.value", "5"),
      ("settings.reset('nothing')", "nil [unknown_setting]"), ("select(2, settings.get('sped')).suggestion", "speed"),
      ("pizza == settings.switches('pizza', {children = {'tomato'}})", "true"),
      ("settings.value('low', {kind = 'number', max = -3}).value", "-3"),
      ("settings.value('high', {kind = 'number', min = 3}).value", "3"),
    ])
    try program.fails([
      ("speed.value = 'fast'", "speed"), ("speed.value = nil", "boolean, number or string expected"),
      ("settings.set('speed', {})", "a boolean, a number or a string"), ("settings.set('speed')", "#2"),
      ("settings.switches('x', {childern = {}})", "childern"),
      ("settings.switches('x', {children = {5}})", "element 1"),
      ("settings.switches('x', {children = {{title = 'y'}}})", "field 'name'"),
      ("settings.switches('x', {children = {{name = 'y', default = 5}}})", "field 'default'"),
      ("settings.choice('x', {options = {1}})", "element 1"), ("settings.choice('x', {})", "one option"),
      ("settings.value('x', {kind = 'colour'})", "kind"), ("settings.value('x', {})", "kind"),
      ("settings.value('x', {default = 1, min = 'a'})", "field 'min'"), ("settings.value('x')", "table that describes"),
      ("settings.switches('x', {children = {}})", "at least one switch"), ("pizza:toggle('olives')", "olives"),
      ("settings.value('game.length', {default = 1})", "declared by the program"),
      ("pizza.children[1] = 'x'", "fixed"), ("size.options[1] = 'x'", "fixed"), ("pizza.state = 'on'", "state"),
    ])
  }

  @Test func `an observer is notified of each change once, including its own, until it is cancelled`() throws {
    try program.run(
      """
      seen = {}
      sub = settings.on_change("", function(changes) seen[#seen + 1] = show(changes) end)
      fish = settings.on_change("pizza.fish", function(changes) seen[#seen + 1] = "fish " .. #changes end)
      pizza.value = true
      speed.value = 6
      """)
    #expect(try program.value("#seen") == "3")
    try program.check([
      ("seen[2]", "fish 3"), ("seen[3]", "{{name=speed, new=6, old=5}}"),
      ("sub, fish", "subscription to settings subscription to settings of pizza.fish"),
    ])
    try program.run("sub:cancel() speed.value = 7")
    try program.check([("#seen, sub.active, fish.active", "3 false true")])
    try program.run("settings.on_change('speed', function() error('oh') end) speed.value = 8")
    #expect(program.recorder.reports.count == 1 && program.recorder.reports[0].contains("oh"))
  }

  @Test func `a plugin changes its own settings and those it was granted, and never those of the session`() throws {
    let grants = Grants(modules: [.settings], settings: ["game"])
    let plugin = try BoundProgram(grants: grants, plugin: "mine")
    try plugin.run("mine = settings.value('mine.speed', {default = 1}) mine.value = 2")
    try plugin.check([
      ("mine.value, settings.set('mine.speed', 3)", "2 true"), ("settings.set('game.length', 7)", "true"),
      ("settings.set('study.seconds', 5)", "nil [not_granted]"),
      ("settings.set('auth.idle_minutes', 5)", "nil [not_granted]"),
      ("settings.update{['game.length'] = 8, ['study.seconds'] = 5}", "nil [not_granted]"),
      ("settings.get('game.length')", "7"), ("settings.reset('study')", "nil [not_granted]"),
    ])
    try plugin.fails([("settings.value('auth.mine', {default = 1})", "auth")])
  }

  @Test func `a plugin reads no secret setting of the program and changes no guarded one`() throws {
    let tree = try program.workspace.preferences().tree
    let names = tree.names.filter { tree.owner(of: $0) == .program }
    let roots = Set(names.compactMap { $0.split(separator: ".").first.map(String.init) })
    let plugin = try BoundProgram(grants: Grants(modules: [.settings], settings: roots.sorted()), plugin: "mine")
    try plugin.run(
      "heard = {} settings.on_change('', function(changes) for _, c in ipairs(changes) do heard[c.name] = true end end)"
    )
    let own = try plugin.workspace.preferences().tree
    for name in names {
      let declaration = try #require(tree.declaration(of: name))
      let refusal = declaration.isGuarded ? "nil [not_granted]" : "true"
      let value = try own.get(name)
      let read = declaration.isSecret ? "nil [not_granted]" : shown(value)
      let other = otherValue(declaration, value)
      try plugin.check([
        ("settings.get('\(name)')", read), ("settings.set('\(name)', \(literal(other)))", refusal),
        ("settings.update{['\(name)'] = \(literal(value))}", refusal), ("settings.reset('\(name)')", refusal),
      ])
      try own.set(name, to: value, by: .user)
      try plugin.run("heard = {}")
      try own.set(name, to: other, by: .user)
      if other != value { try plugin.check([("heard['\(name)']", declaration.isSecret ? "nil" : "true")]) }
      #expect(ProgramSettings.isGuarded(name) == declaration.isGuarded)
    }
    for root in roots {
      let reason = names.contains(root) ? "declared by the program" : "reserved for Deckhand"
      try plugin.fails([("settings.value('\(root).mine', {default = 1})", reason)])
    }
    #expect(
      names.filter { tree.declaration(of: $0)?.isGuarded == true && !$0.hasPrefix("words.analyser.") } == [
        "sync.at_end", "serve.origins", "serve.key", "mcp.allow", "mcp.decks", "auth.idle_minutes", "media.player",
        "media.speech",
      ])
    #expect(names.filter { tree.declaration(of: $0)?.isSecret == true } == ["serve.key"])
    for root in roots {
      #expect(ProgramSettings.isGuarded(root) == ["words", "sync", "serve", "mcp", "auth", "media"].contains(root))
    }
  }

  @Test func `a check in Lua refuses with its text, and a plugin can have a secret of its own`() throws {
    let plugin = try BoundProgram(grants: Grants(modules: [.settings]), plugin: "mine")
    try plugin.run(
      """
      even = settings.value("mine.even", {default = 2, check = function(value)
        if value == 13 then error("thirteen") end
        if value % 2 == 0 then return true end
        return nil, "an even number is wanted"
      end})
      token = settings.value("mine.token", {kind = "text", secret = true})
      limit = settings.value("mine.limit", {default = 1, guarded = true})
      """)
    try plugin.check([
      ("settings.set('mine.even', 3)", "nil [bad_value]"),
      (
        "select(2, settings.set('mine.even', 3)).message",
        "mine.even: an even number is wanted"
      ), ("settings.set('mine.even', 4), even.value", "true 4"),
      ("settings.set('mine.token', 'x'), token.value", "true x"),
      ("settings.set('mine.limit', 2)", "nil [not_granted]"),
    ])
    try plugin.fails([
      ("even.value = 13", "thirteen"), ("settings.value('mine.odd', {default = 1, check = 5})", "check"),
      ("settings.value('mine.t', {kind = 'text', min = 1})", "only for numbers"),
      ("settings.value('mine.odd', {default = 1, check = function() return nil, 'no' end})", "invalid: no"),
    ])
    let tree = try plugin.workspace.preferences().tree
    #expect(throws: (any Error).self) { try tree.set("mine.even", text: "13", by: .user) }
    try tree.set("mine.even", text: "6", by: .user)
    try plugin.check([("even.value", "6")])
  }

  private func shown(_ value: SettingValue) -> String {
    if case .flag(let flag) = value { return "\(flag)" }
    return value.text
  }

  private func literal(_ value: SettingValue) -> String {
    switch value {
    case .flag(let flag): "\(flag)"
    case .number(let number): "\(number)"
    case .text(let text): "'\(text)'"
    }
  }

  /// A value that the setting accepts and that differs from the current one.
  private func otherValue(_ declaration: SettingDeclaration, _ value: SettingValue) -> SettingValue {
    switch (declaration.kind, value) {
    case (.number(let range, _), .number(let number)): .number(number == range.min ? number + 1 : number - 1)
    case (.choice(let options, _), _): .text(options.first { .text($0) != value } ?? options[0])
    case (_, .flag(let flag)): .flag(!flag)
    default: .text("other")
    }
  }
}
