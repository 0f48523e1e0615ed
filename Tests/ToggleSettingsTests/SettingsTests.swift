// The four rules, choices and values, layers, events, declarations and their messages, one table each.

import Problems
import TestSupport
import ToggleSettings

/// A tree with a group of toppings, nested twice, a choice and two values.
func pizza() throws -> SettingsTree {
  let tree = SettingsTree()
  try tree.declare(
    [
      SettingDeclaration(
        "pizza",
        .group([
          SettingDeclaration("tomato", .toggle()),
          SettingDeclaration("basil", .toggle(default: true), title: "Basil"),
          SettingDeclaration(
            "cheese", .group([SettingDeclaration("feta", .toggle()), SettingDeclaration("brie", .toggle())])),
        ]), title: "Pizza"),
      SettingDeclaration("game.language", .choice(["english", "spanish", "italian"], default: "english")),
      SettingDeclaration("game.length", .number(NumberRange(min: 7, max: 9, whole: true), default: 8)),
      SettingDeclaration("game.name", .text(default: "ana")),
      SettingDeclaration("game.file", .path(default: "")),
    ], by: .program)
  return tree
}

/// Collects an observer's notifications, as `name old new`.
final class Ear {
  var heard: [[String]] = []
  func listen(to tree: SettingsTree, _ prefix: String = "") -> SettingsSubscription {
    tree.observe(prefix, by: .user) { changes in
      self.heard.append(changes.map { "\($0.name) \($0.old.text) \($0.new.text)" })
    }
  }
}

func problem(_ body: () throws -> Void) -> SettingsError? {
  do { try body() } catch { return error as? SettingsError }
  return nil
}

@Suite struct MasterSwitchTests {
  private let tree: SettingsTree

  init() throws { tree = try pizza() }

  @Test func `a path that looks like the previous one but differs is stored, and every observer is notified`() throws {
    let tree = SettingsTree()
    try tree.declare([SettingDeclaration("list", .path(default: ""))], by: .program)
    var (kept, heard): ([StoredChange], [SettingChange]) = ([], [])
    tree.save = { kept += $0 }
    let subscription = tree.observe("", by: .user) { changes in heard += changes }
    for path in ["/caf\u{E9}", "/cafe\u{301}"] { try tree.set("list", to: .text(path), by: .user) }
    #expect(tree["list"] == .text("/cafe\u{301}"))
    #expect(kept.count == 2 && heard.count == 2)
    subscription.cancel()
  }

  @Test func `turning a group on turns all on, turning it off turns all off, as one event`() throws {
    let ear = Ear()
    _ = ear.listen(to: tree)
    #expect(try tree.state("pizza") == .mixed)
    try tree.set("pizza", to: .flag(true), by: .user)
    #expect(try tree.state("pizza") == .on)
    #expect(try tree.get("pizza.cheese.feta") == .flag(true))
    try tree.set("pizza", to: .flag(false), by: .user)
    #expect(try tree.state("pizza.cheese") == .off)
    #expect(
      ear.heard == [
        [
          "pizza off on", "pizza.cheese off on", "pizza.cheese.brie off on", "pizza.cheese.feta off on",
          "pizza.tomato off on",
        ],
        [
          "pizza on off", "pizza.basil on off", "pizza.cheese on off", "pizza.cheese.brie on off",
          "pizza.cheese.feta on off", "pizza.tomato on off",
        ],
      ])
  }

  @Test func `turning a child off turns only its groups off, turning the last one on turns them on`() throws {
    try tree.set("pizza", to: .flag(true), by: .user)
    let ear = Ear()
    _ = ear.listen(to: tree)
    try tree.set("pizza.cheese.feta", to: .flag(false), by: .user)
    #expect(try tree.get("pizza") == .flag(false))
    #expect(try tree.get("pizza.cheese.brie") == .flag(true))
    try tree.set("pizza.cheese.feta", to: .flag(true), by: .user)
    #expect(
      ear.heard == [
        ["pizza on off", "pizza.cheese on off", "pizza.cheese.feta on off"],
        ["pizza off on", "pizza.cheese off on", "pizza.cheese.feta off on"],
      ])
  }

  @Test func `toggle goes from mixed to on, to off, to the last mixed state, to on`() throws {
    let states = try (0..<5).map { _ in try tree.toggle(["pizza"], by: .user)[0] }
    #expect(states == [.on, .off, .mixed, .on, .off])
    try tree.toggle(["pizza"], by: .user)
    #expect(try tree.get("pizza.basil") == .flag(true))
    #expect(try tree.get("pizza.tomato") == .flag(false))
  }

  @Test func `without a mixed state to restore toggle goes between on and off`() throws {
    let tree = SettingsTree()
    try tree.declare(
      [SettingDeclaration("g", .group([SettingDeclaration("a", .toggle()), SettingDeclaration("b", .toggle())]))],
      by: .program)
    #expect(try (0..<3).map { _ in try tree.toggle(["g"], by: .user)[0] } == [.on, .off, .on])
  }

  @Test func `the last mixed combination survives the program`() throws {
    try tree.toggle(["pizza"], by: .user)
    try tree.toggle(["pizza"], by: .user)
    let later = try pizza()
    later.load(tree.kept, by: .program)
    #expect(try later.state("pizza") == .off)
    #expect(try later.toggle(["pizza"], by: .user) == [.mixed])
    #expect(try later.get("pizza.basil") == .flag(true))
  }

  @Test func `several are toggled all or none`() throws {
    #expect(problem { try tree.toggle(["pizza.tomato", "game.language"], by: .user) }?.code == "not_a_switch")
    #expect(problem { try tree.toggle(["pizza.tomato", "pizza.tomatoe"], by: .user) }?.code == "unknown_setting")
    // A part of a name suggests it, a letter or a dot does not.
    #expect(problem { _ = try tree.get("tomat") }?.message.contains("did you mean \"pizza.tomato\"") == true)
    for name in ["z", "."] { #expect(problem { _ = try tree.get(name) }?.message.contains("did you mean") == false) }
    #expect(try tree.get("pizza.tomato") == .flag(false))
    #expect(try tree.toggle(["pizza.tomato", "pizza.cheese"], by: .user) == [.on, .on])
    #expect(try tree.state("pizza") == .on)
  }

  @Test func `in an update a switch's own value overrides its group's, whatever the order`() throws {
    try tree.update([("pizza.tomato", .flag(false)), ("pizza", .flag(true))], by: .user)
    #expect(try tree.get("pizza.tomato") == .flag(false))
    #expect(try tree.get("pizza.cheese") == .flag(true))
    #expect(
      problem { try tree.update([("pizza", .flag(false)), ("game.length", .number(10))], by: .user) }?.code
        == "bad_value")
    #expect(try tree.get("pizza.cheese") == .flag(true))
  }

  @Test func `reset restores the default, of one or of all in a group or section`() throws {
    try tree.set("pizza", to: .flag(true), by: .user)
    try tree.set("game.length", to: .number(9), by: .user)
    try tree.reset("pizza.tomato", by: .user)
    #expect(try tree.get("pizza.tomato") == .flag(false))
    try tree.reset("pizza", by: .user)
    try tree.reset("game", by: .user)
    #expect(try tree.rows().allSatisfy { !$0.isChanged })
    #expect(try tree.state("pizza") == .mixed)
  }
}

@Suite struct SettingValueTests {
  @Test(arguments: [
    ("pizza.tomato", "ON", "on"), ("pizza.tomato", " yes ", "on"), ("pizza.tomato", "0", "off"),
    ("pizza", "true", "on"),
    ("game.language", "Spanish", "spanish"), ("game.length", "9", "9"), ("game.length", "7.0", "7"),
    ("game.name", "Eva", "Eva"), ("game.file", "/tmp/a b", "/tmp/a b"), ("game.file", "", ""),
  ])
  func `a value is parsed as a user types it`(name: String, text: String, shown: String) throws {
    #expect(try pizza().value(of: name, from: text).text == shown)
  }

  @Test func `an option that is given in another Unicode form is stored as it was declared`() throws {
    let tree = SettingsTree()
    try tree.declare([SettingDeclaration("drink", .choice(["tea", "caf\u{E9}"], default: "tea"))], by: .program)
    try tree.set("drink", to: .text("cafe\u{301}"), by: .user)
    #expect(try tree.get("drink") == .text("caf\u{E9}"))
  }

  @Test(arguments: [
    ("pizza.tomato", "maybe", "pizza.tomato: on or off is expected, not \"maybe\""),
    (
      "game.language", "spanich",
      "game.language: english, spanish or italian is expected, not \"spanich\" (did you mean \"spanish\"?)"
    ),
    ("game.length", "10", "game.length: a whole number from 7 to 9 is expected, not \"10\""),
    ("game.length", "7.5", "game.length: a whole number from 7 to 9 is expected, not \"7.5\""),
    ("game.length", "nan", "game.length: a whole number from 7 to 9 is expected, not \"nan\""),
    ("game.length", "0x8", "game.length: a whole number from 7 to 9 is expected, not \"0x8\""),
    ("game.length", "8e999", "game.length: a whole number from 7 to 9 is expected, not \"8e999\""),
    ("game.name", "a\0", "game.name: text is expected, not \"a\\x00\""),
    ("game.file", "a\0b", "game.file: a path is expected, not \"a\\x00b\""),
    ("game", "x", "\"game\" is a section, not a setting; it contains game.language, game.length, game.name, game.file"),
    ("game.lenght", "8", "no setting is called \"game.lenght\" (did you mean \"game.length\"?)"),
  ])
  func `an invalid value is refused with what is expected`(name: String, text: String, message: String) throws {
    let tree = try pizza()
    #expect(problem { try tree.set(name, text: text, by: .user) }?.message == message)
  }

  @Test func `a typed value of another kind or beyond the range is refused`() throws {
    let tree = try pizza()
    for value in [SettingValue.flag(true), .text("8"), .number(.nan), .number(.infinity), .number(1e300), .number(7.5)]
    {
      #expect(problem { try tree.set("game.length", to: value, by: .user) }?.code == "bad_value")
    }
    #expect(problem { try tree.set("pizza", to: .number(1), by: .user) }?.code == "bad_value")
    #expect(problem { try tree.set("game.language", to: .text("Spanish"), by: .user) }?.code == "bad_value")
  }

  @Test func `completion offers valid values`() throws {
    let tree = try pizza()
    #expect(tree.candidates(for: "pizza").words == ["on", "off"])
    #expect(tree.candidates(for: "game.language").words == ["english", "spanish", "italian"])
    #expect(tree.candidates(for: "game.length").words == ["7", "8", "9"])
    #expect(tree.candidates(for: "game.file").files)
    #expect(tree.candidates(for: "nobody").words.isEmpty)
    #expect(
      tree.names == [
        "pizza", "pizza.tomato", "pizza.basil", "pizza.cheese", "pizza.cheese.feta", "pizza.cheese.brie",
        "game.language", "game.length", "game.name", "game.file",
      ])
  }
}

@Suite struct SettingEventTests {
  private let ear = Ear()
  private let tree: SettingsTree

  init() throws { tree = try pizza() }

  @Test func `an observer is notified of changes beneath its prefix and of nothing else`() throws {
    let (cheese, game, nothing) = (Ear(), Ear(), Ear())
    _ = cheese.listen(to: tree, "pizza.cheese")
    _ = game.listen(to: tree, "game")
    _ = nothing.listen(to: tree, "gam")
    try tree.update(
      [("pizza.cheese.feta", .flag(true)), ("pizza.tomato", .flag(true)), ("game.length", .number(9))], by: .user)
    try tree.set("pizza.basil", to: .flag(true), by: .user)
    #expect(cheese.heard == [["pizza.cheese.feta off on"]])
    #expect(game.heard == [["game.length 8 9"]])
    #expect(nothing.heard.isEmpty)
  }

  @Test func `setting the current value again is not an event`() throws {
    _ = ear.listen(to: tree)
    try tree.set("game.length", to: .number(8), by: .user)
    try tree.set("pizza.basil", to: .flag(true), by: .user)
    #expect(ear.heard.isEmpty)
    #expect(tree.kept["game.length"] == StoredSetting(.value(.number(8)), setBy: .user))
  }

  @Test func `a set inside an observer is notified after the event, to every observer in the same order`() throws {
    var seenInside: SettingValue?
    _ = tree.observe("pizza.tomato", by: .user) { _ in
      do {
        try tree.set("game.length", to: .number(9), by: .user)
        seenInside = try tree.get("game.length")
      } catch { Issue.record(error) }
    }
    _ = ear.listen(to: tree)
    try tree.set("pizza.tomato", to: .flag(true), by: .user)
    #expect(seenInside == .number(9))
    #expect(try tree.get("game.length") == .number(9))
    #expect(ear.heard == [["pizza.tomato off on"], ["game.length 8 9"]])
  }

  @Test func `an invalid set inside an observer is refused at once`() throws {
    var refused: SettingsError?
    _ = tree.observe("", by: .user) { _ in
      refused = problem { try tree.set("game.length", to: .number(99), by: .user) }
    }
    try tree.set("pizza.tomato", to: .flag(true), by: .user)
    #expect(refused?.code == "bad_value")
    #expect(try tree.get("game.length") == .number(8))
  }

  @Test func `a loop of observers is cut and reported once`() throws {
    var notices: [SettingsNotice] = []
    tree.report = { notices.append($0) }
    var heard = 0
    _ = tree.observe("pizza.tomato", by: .user) { _ in
      heard += 1
      do { try tree.toggle(["pizza.tomato"], by: .user) } catch { Issue.record(error) }
    }
    try tree.set("pizza.tomato", to: .flag(true), by: .user)
    #expect(heard == 101)
    #expect(notices == [.loopCut(["pizza.tomato"])])
    try tree.set("game.length", to: .number(9), by: .user)
    #expect(notices.count == 1)
  }

  @Test func `a flood of sets inside an observer is limited`() throws {
    var cut = 0
    tree.report = { if case .loopCut = $0 { cut += 1 } }
    var heard = 0
    _ = tree.observe("", by: .user) { _ in
      heard += 1
      for _ in 0..<(heard == 1 ? 1_500 : 3) {
        do { try tree.toggle(["pizza.tomato"], by: .user) } catch { Issue.record(error) }
      }
    }
    try tree.set("game.length", to: .number(9), by: .user)
    #expect(heard == 101)
    #expect(cut == 1)
  }

  @Test func `a cancelled observer is silent at once, also in the middle of an event`() throws {
    var second: SettingsSubscription?
    _ = tree.observe("", by: .user) { _ in second?.cancel() }
    second = ear.listen(to: tree)
    try tree.set("pizza.tomato", to: .flag(true), by: .user)
    #expect(ear.heard.isEmpty)
    try tree.set("pizza.tomato", to: .flag(false), by: .user)
    #expect(ear.heard.isEmpty)
  }

  @Test func `observing during an event is safe and starts with the next one`() throws {
    var done = false
    _ = tree.observe("", by: .user) { _ in
      if !done { _ = ear.listen(to: tree) }
      done = true
    }
    try tree.set("pizza.tomato", to: .flag(true), by: .user)
    #expect(ear.heard.isEmpty)
    try tree.set("pizza.tomato", to: .flag(false), by: .user)
    #expect(ear.heard == [["pizza.tomato on off"]])
  }

  @Test func `a change that cannot be saved is undone and not notified`() throws {
    struct Full: Error {}
    _ = ear.listen(to: tree)
    tree.save = { _ in throw Full() }
    #expect(problem { try tree.set("pizza", to: .flag(true), by: .user) }?.code == "not_kept")
    #expect(problem { try tree.toggle(["pizza"], by: .user) }?.code == "not_kept")
    #expect(try tree.state("pizza") == .mixed)
    #expect(tree.kept.isEmpty)
    #expect(ear.heard.isEmpty)
  }

  @Test func `a transaction is saved once, with all its changes`() throws {
    var kept: [[StoredChange]] = []
    tree.save = { kept.append($0) }
    try tree.set("pizza.cheese", to: .flag(true), by: .script("a.lua"))
    #expect(kept.map { $0.map(\.name) } == [["pizza.cheese.brie", "pizza.cheese.feta"]])
    #expect(kept[0][0].setting == StoredSetting(.value(.flag(true)), setBy: .script("a.lua")))
    try tree.reset("pizza", by: .user)
    #expect(kept[1].map(\.setting) == [nil, nil])
  }
}
