// Random trees under random operations compared with the slow model: the same values, states, errors, events and
// remembered states.

import Problems
import TestSupport
import ToggleSettings

@Suite struct SettingsPropertyTests {
  @Test func `random operations on random trees agree with a slow model`() throws {
    var random = TestGenerator(5)
    for _ in 0..<20 {
      var run = try RandomRun(&random)
      for _ in 0..<1_000 { try run.step(&random) }
      #expect(run.operations == 1_000 && run.heard <= run.operations, "more notifications than operations")
    }
  }
}

/// The notifications of an observer, shared with its closure.
private final class Heard {
  var events: [[SettingChange]] = []
}

/// A random tree with its model.
private struct RandomRun {
  let tree = SettingsTree()
  var model = SlowModel()
  let names: [String]
  let heardEvents = Heard()
  let subscription: SettingsSubscription
  var operations = 0
  var heard = 0

  init(_ random: inout TestGenerator) throws {
    var declarations: [SettingDeclaration] = []
    for index in 0..<Int.random(in: 1...3, using: &random) {
      let section = Bool.random(using: &random) ? "s." : ""
      let name = "\(section)g\(index)"
      declarations.append(SettingDeclaration(name, RandomRun.kind(name, depth: 0, &model, &random)))
    }
    model.findLeaves()
    try tree.declare(declarations, by: .program)
    names = tree.names
    let events = heardEvents
    subscription = tree.observe("", by: .user) { changes in events.events.append(changes) }
    if Int.random(in: 0..<3, using: &random) == 0 {
      let leaf = model.defaults.keys.sorted().randomElement(using: &random) ?? ""
      let on = Bool.random(using: &random)
      model.forced[leaf] = on
      _ = tree.setLayer(.commandLine, [LayeredSetting(leaf, .flag(on), from: .commandLine("\(leaf)=\(on)"))])
    }
  }

  private static func kind(_ name: String, depth: Int, _ model: inout SlowModel, _ random: inout TestGenerator)
    -> SettingKind
  {
    if depth > 0, depth > 4 || Int.random(in: 0..<3, using: &random) > 0 {
      let on = Bool.random(using: &random)
      model.defaults[name] = on
      return .toggle(default: on)
    }
    model.groups.insert(name)
    var children: [SettingDeclaration] = []
    for index in 0..<Int.random(in: 1...4, using: &random) {
      children.append(SettingDeclaration("c\(index)", kind("\(name).c\(index)", depth: depth + 1, &model, &random)))
    }
    return .group(children)
  }

  mutating func step(_ random: inout TestGenerator) throws {
    let name = Int.random(in: 0..<50, using: &random) == 0 ? "nobody" : names.randomElement(using: &random) ?? ""
    let value = Bool.random(using: &random)
    let before = model
    operations += 1
    heardEvents.events = []
    let expected: Result<[SettingChange], SlowModel.Refused>
    let actual: Result<Void, SettingsError>
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3:
      expected = Result { () throws(SlowModel.Refused) in
        try model.change { m throws(SlowModel.Refused) in try m.set(name, value) }
      }
      actual = Result { () throws(SettingsError) in try tree.set(name, to: .flag(value), by: .user) }
    case 3..<6:
      let several = (0..<Int.random(in: 1...3, using: &random)).map {
        $0 == 0 ? name : names.randomElement(using: &random) ?? ""
      }
      expected = Result { () throws(SlowModel.Refused) in
        try model.change { m throws(SlowModel.Refused) in for one in several { try m.toggle(one, from: before) } }
      }
      actual = Result { () throws(SettingsError) in _ = try tree.toggle(several, by: .user) }
    case 6..<8:
      let several = (0..<3).map {
        ($0 == 0 ? name : names.randomElement(using: &random) ?? "", Bool.random(using: &random))
      }
      expected = Result { () throws(SlowModel.Refused) in
        try model.change { m throws(SlowModel.Refused) in try m.update(several) }
      }
      actual = Result { () throws(SettingsError) in
        try tree.update(several.map { (name: $0.0, value: .flag($0.1)) }, by: .user)
      }
    default:
      expected = Result { () throws(SlowModel.Refused) in
        guard before.defaults[name] != nil || before.groups.contains(name) else { throw SlowModel.Refused() }
        return try model.change { m throws(SlowModel.Refused) in try m.reset(name) }
      }
      actual = Result { () throws(SettingsError) in try tree.reset(name, by: .user) }
    }
    try compare(expected, actual)
  }

  private mutating func compare(
    _ expected: Result<[SettingChange], SlowModel.Refused>, _ actual: Result<Void, SettingsError>
  )
    throws
  {
    heard += heardEvents.events.count
    switch (expected, actual) {
    case (.success(let changes), .success):
      try #require(heardEvents.events == (changes.isEmpty ? [] : [changes]))
    case (.failure, .failure): try #require(heardEvents.events.isEmpty)
    default: Issue.record("the model says \(expected), the tree \(actual)")
    }
    // Re-evaluate every leaf: this reveals anything a transaction left behind in a layer.
    if operations % 10 == 0 { _ = tree.setLayer(.system, []) }
    let chosen = tree.kept.filter { if case .value = $0.value.value { true } else { false } }
    try #require(chosen == model.chosen.mapValues { StoredSetting(.value(.flag($0)), setBy: .user) })
    for name in names {
      let state = try tree.state(name)
      if state != model.state(name) { try #require(state == model.state(name), "\(name)") }
      let value = try tree.get(name)
      if value != .flag(state == .on) { try #require(value == .flag(state == .on), "\(name)") }
    }
  }
}

extension SlowModel {
  /// Sets several: groups before their members, otherwise in order.
  fileprivate mutating func update(_ several: [(String, Bool)]) throws(Refused) {
    for depth in 0..<9 {
      for (one, isOn) in several where one.count(where: { $0 == "." }) == depth { try set(one, isOn) }
    }
  }
}
