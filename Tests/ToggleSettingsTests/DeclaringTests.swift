// Declarations that are added, changed, conflicting and removed; outside layers; what the views show.

import Problems
import Storage
import Testing
import Text
import ToggleSettings

@Suite struct DeclaringTests {
  private let tree = SettingsTree()

  @Test(arguments: [
    "", ".", "a.", ".a", "a..b", "a b", "a/b", "a\0b", "-a", String(repeating: "x", count: 65), "a.é\u{202E}",
  ])
  func `a bad name is refused`(name: String) {
    #expect(problem { try tree.declare([SettingDeclaration(name, .toggle())], by: .program) }?.code == "bad_name")
    #expect(tree.names.isEmpty)
  }

  static let wrong: [(SettingKind, String)] = [
    (.group([]), "the setting \"x\" cannot be declared: a group needs at least one switch"),
    (.choice([], default: ""), "the setting \"x\" cannot be declared: a choice needs at least one option"),
    (.choice(["a"], default: "b"), "the setting \"x\" cannot be declared: its default \"b\" is not one of its options"),
    (
      .choice(["a", "A"], default: "a"),
      "the setting \"x\" cannot be declared: it has an option twice, or two that differ only in case"
    ),
    (.choice(["a "], default: "a "), "the setting \"x\" cannot be declared: \"a \" cannot be an option"),
    (
      .number(NumberRange(min: 1, max: 2), default: 3),
      "the setting \"x\" cannot be declared: its default is 3.0, but a number from 1 to 2 is expected"
    ),
    (.number(NumberRange(min: 2, max: 1), default: 3), "the setting \"x\" cannot be declared: its range is empty"),
    (.number(NumberRange(min: .nan), default: 3), "the setting \"x\" cannot be declared: its range is empty"),
    (
      .number(NumberRange(), default: .nan),
      "the setting \"x\" cannot be declared: its default is nan, but a number is expected"
    ),
    (
      .text(default: "a\0"),
      "the setting \"x\" cannot be declared: its default is \"a\\x00\", but text is expected"
    ),
    (
      .group([SettingDeclaration("n", .number(NumberRange(), default: 0))]),
      "the setting \"x\" cannot be declared: a group contains only switches and groups, and \"n\" is a number"
    ),
  ]
  @Test(arguments: wrong.indices)
  func `an invalid declaration is refused with the reason`(index: Int) {
    let (kind, message) = DeclaringTests.wrong[index]
    #expect(problem { try tree.declare([SettingDeclaration("x", kind)], by: .program) }?.message == message)
    #expect(tree.names.isEmpty)
  }

  @Test func `nesting and number are limited`() throws {
    var kind = SettingKind.toggle()
    for _ in 0..<31 { kind = .group([SettingDeclaration("g", kind)]) }
    try tree.declare([SettingDeclaration("g", kind)], by: .program)
    try tree.set("g", to: .flag(true), by: .user)
    #expect(try tree.state(Array(repeating: "g", count: 32).joined(separator: ".")) == .on)
    #expect(
      problem { try tree.declare([SettingDeclaration("h", .group([SettingDeclaration("g", kind)]))], by: .program) }?
        .code == "too_many")
    for _ in 0..<10_000 { kind = .group([SettingDeclaration("g", kind)]) }
    #expect(problem { try tree.declare([SettingDeclaration("h", kind)], by: .program) }?.code == "too_many")
    let many = (0..<10_000).map { SettingDeclaration("c\($0)", .toggle()) }
    #expect(problem { try tree.declare([SettingDeclaration("m", .group(many))], by: .program) }?.code == "too_many")
    #expect(tree.names.count == 32)
    try tree.declare([SettingDeclaration("m", .group(Array(many.prefix(9_900))))], by: .program)
    try tree.set("m", to: .flag(true), by: .user)
    #expect(try tree.state("m") == .on)
  }

  @Test func `a batch with one bad declaration changes nothing`() throws {
    let tree = try pizza()
    let before = try tree.rows()
    let batch = [
      SettingDeclaration("new.one", .toggle()), SettingDeclaration("game.length", .toggle()),
      SettingDeclaration("pizza", .toggle()), SettingDeclaration("bad name", .toggle()),
    ]
    #expect(problem { try tree.declare(batch, by: .program) }?.code == "bad_name")
    let after = try tree.rows()
    #expect(Set(after.map(\.name)) == Set(before.map(\.name)))
    #expect(try tree.state("pizza") == .mixed)
    try tree.set("pizza", to: .flag(true), by: .user)
    #expect(try tree.state("pizza") == .on)
    try tree.set("game.length", to: .number(9), by: .user)
  }

  @Test func `a batch with one bad declaration leaves every setting in its place`() throws {
    func toggles(_ names: [String]) -> [SettingDeclaration] { names.map { SettingDeclaration($0, .toggle()) } }
    try tree.declare(toggles(["one.a", "two.a", "two.b", "three"]), by: .program)
    for batch in [["one.a", ""], ["two.a", "two.b", ""], ["two.c", "two.a", "four", "one.a", "three", ""]] {
      #expect(problem { try tree.declare(toggles(batch), by: .program) }?.code == "bad_name")
      #expect(tree.names == ["one.a", "two.a", "two.b", "three"], "\(batch)")
    }
  }

  @Test func `another owner cannot take a name, a section or a position in a group`() throws {
    let tree = try pizza()
    let quiz = Owner.plugin(PluginName("quiz")!)
    for name in ["game.length", "game", "pizza", "pizza.tomato"] {
      let error = problem { try tree.declare([SettingDeclaration(name, .toggle())], by: quiz) }
      #expect(error?.code == "exists", "\(name)")
    }
    #expect(
      problem { try tree.declare([SettingDeclaration("game.length", .toggle())], by: quiz) }?.message
        == "the setting \"game.length\" already exists, declared by the program")
    #expect(
      problem { try tree.declare([SettingDeclaration("game.bonus", .toggle())], by: quiz) }?.message
        == "\"game.bonus\" cannot be the name of a plugin's setting: names in \"game\" are reserved for Deckhand")
    #expect(problem { try tree.declare([SettingDeclaration("pizza.olive", .toggle())], by: quiz) }?.code == "exists")
    try tree.declare([SettingDeclaration("game.bonus", .toggle())], by: .user)
    #expect(tree.owner(of: "game.bonus") == .user)
  }

  @Test func `an owner's declarations and observers are removed with it, its values stay`() throws {
    let tree = try pizza()
    let quiz = Owner.plugin(PluginName("quiz")!)
    let declarations = [
      SettingDeclaration("quiz.level", .number(NumberRange(min: 1, max: 5), default: 1)),
      SettingDeclaration("quiz.all", .group([SettingDeclaration("a", .toggle()), SettingDeclaration("b", .toggle())])),
    ]
    var heard = 0
    for round in 0..<100 {
      try tree.declare(declarations, by: quiz)
      _ = tree.observe("", by: quiz) { _ in heard += 1 }
      try tree.set("quiz.level", to: .number(round % 2 == 0 ? 2 : 3), by: .user)
      tree.remove(quiz)
      #expect(problem { _ = try tree.get("quiz.level") }?.code == "unknown_setting")
      #expect(!tree.names.contains { $0.hasPrefix("quiz") })
    }
    // Only the observer of the same round was notified of a round's change.
    #expect(heard == 100)
    try tree.declare(declarations, by: quiz)
    #expect(try tree.get("quiz.level") == .number(3))
  }

  @Test func `a check may unload a plugin while stored values are loaded or a layer is set`() throws {
    let quiz = Owner.plugin(PluginName("quiz")!)
    let switches = SettingDeclaration("quiz", .group([SettingDeclaration("a", .toggle())]))
    try tree.declare([SettingDeclaration("list", .text(default: ""))], by: .user) { _ in
      tree.remove(quiz)
      return nil
    }
    try tree.declare([switches], by: quiz)
    let kept: [String: StoredSetting] = [
      "list": StoredSetting(.value(.text("x")), setBy: .user),
      "quiz.a": StoredSetting(.value(.flag(true)), setBy: .user),
    ]
    tree.load(kept, by: .user)
    #expect(tree.names == ["list"] && tree.kept == kept)
    tree.load([:], by: .user)
    try tree.declare([switches], by: quiz)
    let given = ["list=x", "quiz.a=on"].compactMap { LayeredSetting.commandLine($0) }
    #expect(tree.setLayer(.commandLine, given).isEmpty && tree.names == ["list"])
  }

  @Test func `nothing is changed while a check runs, also after other checks within it`() throws {
    try tree.declare([SettingDeclaration("inner", .text(default: ""))], by: .program) { _ in nil }
    var refusals: [SettingsError?] = []
    try tree.declare([SettingDeclaration("outer", .text(default: ""))], by: .program) { _ in
      tree.load(["inner": StoredSetting(.value(.text("x")), setBy: .user)], by: .user)
      refusals.append(problem { try tree.set("inner", to: .text("y"), by: .user) })
      return nil
    }
    #expect(refusals.count == 1 && refusals[0]?.message.contains("while a value is checked") == true)
    #expect(try tree.get("inner") == .text("x"))
  }

  @Test func `a stored value that a changed declaration does not accept stays stored, and the default applies`() throws
  {
    let kept: [String: StoredSetting] = [
      "n": StoredSetting(.value(.number(12.4)), setBy: .user), "c": StoredSetting(.value(.text("latin")), setBy: .user),
      "s": StoredSetting(.lastMixed(["a"]), setBy: .user), "t": StoredSetting(.value(.text("x")), setBy: .user),
    ]
    tree.load(kept, by: .program)
    let notices = try tree.declare(
      [
        SettingDeclaration("n", .number(NumberRange(min: 0, max: 10, whole: true), default: 1)),
        SettingDeclaration("c", .choice(["english", "greek"], default: "english")),
        SettingDeclaration("s", .toggle()), SettingDeclaration("t", .text(default: "")),
      ], by: .program)
    #expect(
      Set(notices.map(\.message)) == [
        "n: the stored value \"12.4\" is no longer valid (a whole number from 0 to 10 is expected, not \"12.4\"); it is now \"1\"",
        "c: the stored value \"latin\" is no longer valid (english or greek is expected, not \"latin\"); it is now \"english\"",
      ])
    #expect(try tree.get("n") == .number(1) && tree.get("t") == .text("x"))
    #expect(tree.kept == kept)
  }
}
