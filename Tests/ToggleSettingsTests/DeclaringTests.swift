// Declarations that come, change, clash and go; layers from outside; what the views tell.

import Problems
import Storage
import Testing
import Text
import ToggleSettings

@Suite struct DeclaringTests {
  @Test(arguments: [
    "", ".", "a.", ".a", "a..b", "a b", "a/b", "a\0b", "-a", String(repeating: "x", count: 65), "a.é\u{202E}",
  ])
  func `a bad name is refused`(name: String) {
    let tree = SettingsTree()
    #expect(problem { try tree.declare([SettingDeclaration(name, .toggle())], by: .program) }?.code == "bad_name")
    #expect(tree.names.isEmpty)
  }

  static let wrong: [(SettingKind, String)] = [
    (.group([]), "the setting \"x\" can't be declared: a group needs at least one switch"),
    (.choice([], default: ""), "the setting \"x\" can't be declared: a choice needs at least one option"),
    (.choice(["a"], default: "b"), "the setting \"x\" can't be declared: its default \"b\" is not one of its options"),
    (
      .choice(["a", "A"], default: "a"),
      "the setting \"x\" can't be declared: an option stands in it twice, or two differ only in capitals"
    ),
    (.choice(["a "], default: "a "), "the setting \"x\" can't be declared: \"a \" can't be an option"),
    (
      .number(NumberRange(min: 1, max: 2), default: 3),
      "the setting \"x\" can't be declared: its default is 3.0, and a number from 1 to 2 is expected"
    ),
    (.number(NumberRange(min: 2, max: 1), default: 3), "the setting \"x\" can't be declared: its range is empty"),
    (.number(NumberRange(min: .nan), default: 3), "the setting \"x\" can't be declared: its range is empty"),
    (
      .number(NumberRange(), default: .nan),
      "the setting \"x\" can't be declared: its default is nan, and a number is expected"
    ),
    (
      .text(TextRule(pattern: "[a"), default: ""),
      "the setting \"x\" can't be declared: \"[a\" is not a pattern of Lua"
    ),
    (
      .text(TextRule(min: 1), default: ""),
      "the setting \"x\" can't be declared: its default is \"\", and text of at least 1 character is expected"
    ),
    (
      .group([SettingDeclaration("n", .number(NumberRange(), default: 0))]),
      "the setting \"x\" can't be declared: only switches and groups stand in a group, and \"n\" is a number"
    ),
  ]
  @Test(arguments: wrong.indices)
  func `a declaration that makes no sense is refused with the reason`(index: Int) {
    let (kind, message) = DeclaringTests.wrong[index]
    let tree = SettingsTree()
    #expect(problem { try tree.declare([SettingDeclaration("x", kind)], by: .program) }?.message == message)
    #expect(tree.names.isEmpty)
  }

  @Test func `nesting and number are bounded`() throws {
    var kind = SettingKind.toggle()
    for _ in 0..<31 { kind = .group([SettingDeclaration("g", kind)]) }
    let tree = SettingsTree()
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

  @Test func `another owner can't take a name, a section or a place in a group`() throws {
    let tree = try pizza()
    let quiz = Owner.plugin(PluginName("quiz")!)
    for name in ["game.length", "game", "pizza", "pizza.tomato", "pizza.olive"] {
      let error = problem { try tree.declare([SettingDeclaration(name, .toggle())], by: quiz) }
      #expect(error?.code == "exists", "\(name)")
    }
    #expect(
      problem { try tree.declare([SettingDeclaration("game.length", .toggle())], by: quiz) }?.message
        == "the setting \"game.length\" is there already, declared by the program")
    try tree.declare([SettingDeclaration("game.bonus", .toggle())], by: quiz)
    #expect(tree.owner(of: "game.bonus") == quiz)
  }

  @Test func `what an owner declared and observes goes with it, its values stay`() throws {
    let tree = try pizza()
    let quiz = Owner.plugin(PluginName("quiz")!)
    let declarations = [
      SettingDeclaration("quiz.level", .number(NumberRange(min: 1, max: 5), default: 1)),
      SettingDeclaration("quiz.all", .group([SettingDeclaration("a", .toggle()), SettingDeclaration("b", .toggle())])),
    ]
    var heard = 0
    for round in 0..<100 {
      try tree.declare(declarations, by: quiz)
      _ = tree.observe("", by: quiz) { _, _ in heard += 1 }
      try tree.set("quiz.level", to: .number(round % 2 == 0 ? 2 : 3), by: .user)
      tree.remove(quiz)
      #expect(problem { _ = try tree.get("quiz.level") }?.code == "unknown_setting")
      #expect(!tree.names.contains { $0.hasPrefix("quiz") })
    }
    // The change of each round was heard by its own observer and by none of an earlier round.
    #expect(heard == 100)
    try tree.declare(declarations, by: quiz)
    #expect(try tree.get("quiz.level") == .number(3))
  }

  @Test func `a changed declaration carries the value over or falls back and says so`() throws {
    let kept: [String: KeptSetting] = [
      "n": KeptSetting(.value(.number(12.4)), setBy: .user), "t": KeptSetting(.value(.text("7")), setBy: .user),
      "c": KeptSetting(.value(.text("latin")), setBy: .user),
      "old": KeptSetting(.value(.flag(true)), setBy: .startScript),
      "g": KeptSetting(.value(.flag(true)), setBy: .user), "s": KeptSetting(.lastMixed(["a"]), setBy: .user),
    ]
    let tree = SettingsTree()
    tree.load(kept, by: .program)
    let notices = try tree.declare(
      [
        SettingDeclaration("n", .number(NumberRange(min: 0, max: 10, whole: true), default: 1)),
        SettingDeclaration("t", .number(NumberRange(), default: 1)),
        SettingDeclaration("c", .choice(["english", "greek"], default: "english")),
        SettingDeclaration("new", .toggle(), formerNames: ["older", "old"]),
        SettingDeclaration("g", .group([SettingDeclaration("a", .toggle()), SettingDeclaration("b", .toggle())])),
        SettingDeclaration("s", .toggle()),
      ], by: .program)
    #expect(
      Set(notices.map(\.message)) == [
        "n: the kept value \"12.4\" is now \"10\"", "t: the kept value \"7\" is now \"7\"",
        "c: the kept value \"latin\" does not fit any more (english or greek is expected); it is \"english\" now",
        "new: the kept value \"on\" is now \"on\"", "g: the kept value \"on\" is now \"on\"",
      ])
    #expect(try tree.get("n") == .number(10))
    #expect(try tree.get("new") == .flag(true))
    #expect(try tree.state("g") == .on)
    #expect(tree.kept["c"] == kept["c"])
    #expect(tree.kept["old"] == nil)
    var written: [String] = []
    tree.keep = { written = $0.map(\.name) }
    try tree.reset("new", by: .user)
    #expect(written == ["g", "g.a", "g.b", "n", "new", "old", "t"])
    #expect(try tree.get("new") == .flag(false))
  }

  @Test func `dependencies that go round are refused by name, through groups too`() throws {
    let tree = SettingsTree()
    let ring = [
      SettingDeclaration("a", .toggle(), depends: "b"), SettingDeclaration("b", .toggle(), depends: "c"),
      SettingDeclaration("c", .toggle(), depends: "a"),
    ]
    #expect(
      problem { try tree.declare(ring, by: .program) }?.message
        == "these settings would depend on themselves: a, which needs b, which needs c, which needs a")
    #expect(tree.names.isEmpty)
    #expect(
      problem { try tree.declare([SettingDeclaration("a", .toggle(), depends: "a")], by: .program) }?.code
        == "dependency_cycle")
    let inside = SettingDeclaration("g", .group([SettingDeclaration("x", .toggle(), depends: "g")]))
    #expect(problem { try tree.declare([inside], by: .program) }?.code == "dependency_cycle")
    let own = SettingDeclaration("g", .group([SettingDeclaration("x", .toggle())]), depends: "g.x")
    #expect(problem { try tree.declare([own], by: .program) }?.code == "dependency_cycle")
    try tree.declare([ring[0]], by: .program)
    try tree.declare([ring[1]], by: .program)
    #expect(problem { try tree.declare([ring[2]], by: .program) }?.code == "dependency_cycle")
    let chain = (0..<200).map { SettingDeclaration("k\($0)", .toggle(), depends: "k\($0 + 1)") }
    #expect(problem { try tree.declare(chain, by: .program) }?.code == "too_many")
  }

  @Test func `a setting that has no effect says so and why`() throws {
    let tree = SettingsTree()
    try tree.declare(
      [
        SettingDeclaration(
          "sound", .group([SettingDeclaration("right", .toggle()), SettingDeclaration("wrong", .toggle())])),
        SettingDeclaration("volume", .number(NumberRange(min: 0, max: 10, whole: true), default: 5), depends: "sound"),
        SettingDeclaration("echo", .toggle(default: true), depends: "gone"),
        SettingDeclaration("deep", .toggle(default: true), depends: "echo"),
      ], by: .program)
    let volume = try tree.key("volume", as: Int.self)
    let echo = try tree.key("echo", as: Bool.self)
    try tree.set("volume", to: .number(9), by: .user)
    #expect(try tree.get("volume") == .number(9))
    #expect(tree[volume] == 5)
    #expect(try tree.why("volume").obstacle?.message == "it has no effect while sound is off")
    #expect(
      try tree.why("echo").obstacle?.message == "it has no effect: it depends on \"gone\", which is no switch here")
    #expect(try tree.why("deep").obstacle == .idle("echo"))
    try tree.set("sound.right", to: .flag(true), by: .user)
    #expect(tree[volume] == 9)
    #expect(try tree.why("volume").obstacle == nil)
    #expect(tree[echo] == false)
    try tree.declare([SettingDeclaration("gone", .toggle(default: true))], by: .program)
    #expect(tree[echo])
  }

  @Test func `a resolved key follows every change at once and outlives the declaration`() throws {
    let tree = try pizza()
    let length = try tree.key("game.length", as: Int.self)
    let asNumber = try tree.key("game.length", as: Double.self)
    let language = try tree.key("game.language", as: String.self)
    let tomato = try tree.key("pizza.tomato", as: Bool.self)
    #expect(try tree.key("game.length", as: Int.self).hashed == length.hashed)
    try tree.update(
      [("game.length", .number(9)), ("game.language", .text("italian")), ("pizza", .flag(true))], by: .user)
    #expect(tree[length] == 9 && tree[asNumber] == 9 && tree[language] == "italian" && tree[tomato])
    tree.load([:], by: .program)
    #expect(tree[length] == 8 && tree[language] == "english" && !tree[tomato])
    #expect(problem { _ = try tree.key("game.language", as: Bool.self) }?.code == "wrong_kind")
    #expect(problem { _ = try tree.key("nobody", as: Bool.self) }?.code == "unknown_setting")
    tree.remove(.program)
    #expect(tree[length] == 8)
  }
}

extension SettingKey {
  /// Two keys of one slot read the same.
  fileprivate var hashed: String { "\(self)" }
}
