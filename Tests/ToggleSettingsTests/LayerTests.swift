// Layers of settings from outside the account, and how settings are shown.

import Problems
import Storage
import Testing
import Text
import ToggleSettings

@Suite struct LayerTests {
  private let tree: SettingsTree

  init() throws { tree = try pizza() }

  private func layered() throws -> SettingsTree {
    let tree = try pizza()
    let text = #"{"values": {"game": {"language": "italian", "length": 7}}, "locked": ["game.length"]}"#
    _ = tree.setSystem(try SettingsFile.read(Array(text.utf8), path: "/etc/d.json"))
    return tree
  }

  @Test func `default, system, account, environment, command line: the later one wins`() throws {
    let tree = try layered()
    #expect(try tree.get("game.language") == .text("italian"))
    try tree.set("game.language", to: .text("english"), by: .user)
    #expect(try tree.get("game.language") == .text("english"))
    _ = tree.setLayer(.environment, LayeredSetting.environment(["DECKHAND_SET_GAME_LANGUAGE": "spanish", "HOME": "/"]))
    #expect(try tree.get("game.language") == .text("spanish"))
    let line = try #require(LayeredSetting.commandLine("game.language=italian"))
    _ = tree.setLayer(.commandLine, [line])
    #expect(try tree.get("game.language") == .text("italian"))
    #expect(try tree.why("game.language").sources == [.commandLine("game.language=italian")])
    #expect(try tree.why("game.language").shadowed == StoredSetting(.value(.text("english")), setBy: .user))
    _ = tree.setLayer(.commandLine, [])
    _ = tree.setLayer(.environment, [])
    #expect(try tree.why("game.language").sources == [.account(.user)])
    try tree.reset("game.language", by: .user)
    #expect(try tree.why("game.language").sources == [.system(path: "/etc/d.json", locked: false)])
  }

  @Test func `a forced setting cannot be changed from within, and the error names what forces it`() throws {
    let tree = try layered()
    let line = try #require(LayeredSetting.commandLine("pizza=off"))
    _ = tree.setLayer(
      .commandLine, [line, LayeredSetting("game.length", .text("9"), from: .commandLine("game.length=9"))])
    #expect(try tree.state("pizza") == .off)
    #expect(
      problem { try tree.set("pizza.tomato", to: .flag(true), by: .user) }?.message
        == "pizza.tomato is set to off by --set pizza=off on the command line; start without that option to change it")
    #expect(problem { try tree.toggle(["pizza"], by: .user) }?.code == "locked")
    try tree.set("pizza", to: .flag(false), by: .user)
    #expect(tree.kept.isEmpty)
    #expect(
      problem { try tree.set("game.length", to: .number(8), by: .user) }?.message
        == "game.length is set to 7 by the system file /etc/d.json, which locks it; the administrator of this machine can change it"
    )
  }

  @Test func `an entry for a group applies to its switches, a later entry for one of them overrides it`() throws {
    _ = tree.setLayer(
      .environment, LayeredSetting.environment(["DECKHAND_SET_PIZZA_CHEESE_FETA": "off", "DECKHAND_SET_PIZZA": "on"]))
    #expect(try tree.get("pizza.tomato") == .flag(true))
    #expect(try tree.get("pizza.cheese.feta") == .flag(false))
  }

  @Test func `an entry waits for its declaration, and one that is never declared can be reported`() throws {
    let line = try #require(LayeredSetting.commandLine("quiz.level=3"))
    #expect(tree.setLayer(.commandLine, [line]).isEmpty)
    #expect(tree.unmatched(.commandLine) == [line])
    try tree.declare(
      [SettingDeclaration("quiz.level", .number(NumberRange(), default: 1))], by: .plugin(PluginName("quiz")!))
    #expect(tree.unmatched(.commandLine).isEmpty)
    #expect(try tree.get("quiz.level") == .number(3))
  }

  @Test func `an invalid value is ignored and reported`() throws {
    let notices = tree.setLayer(.environment, LayeredSetting.environment(["DECKHAND_SET_GAME_LENGTH": "twelve"]))
    #expect(
      notices.map(\.message) == [
        "game.length: a whole number from 7 to 9 is expected, not \"twelve\" (from DECKHAND_SET_GAME_LENGTH in the environment); this value is ignored"
      ])
    #expect(tree.setLayer(.commandLine, []).isEmpty, "told once")
    #expect(try tree.get("game.length") == .number(8))
  }

  @Test func `a variable continues to set a setting that was there before another with its name in the environment`()
    throws
  {
    let tree = SettingsTree()
    let variables = LayeredSetting.environment(["DECKHAND_SET_A_B": "on"])
    _ = tree.setLayer(.environment, variables)
    #expect(try tree.declare([SettingDeclaration("a.b", .toggle())], by: .program).isEmpty)
    let quiz = Owner.plugin(PluginName("quiz")!)
    let notices = try tree.declare([SettingDeclaration("a-b", .toggle())], by: quiz)
    #expect(
      notices.map(\.message) == [
        "DECKHAND_SET_A_B could mean a-b or a.b, so it sets only a.b, which was there first"
      ])
    #expect(try tree.get("a.b") == .flag(true) && tree.get("a-b") == .flag(false))
    #expect(try tree.declare([SettingDeclaration("a.b", .toggle())], by: .program).isEmpty)
    #expect(tree.setLayer(.environment, variables).count == 1)
    #expect(try tree.get("a.b") == .flag(true) && tree.get("a-b") == .flag(false))
  }

  @Test(arguments: ["", "=x", "novalue"]) func `--set without a name or a value is refused`(text: String) {
    #expect(LayeredSetting.commandLine(text) == nil)
  }

  @Test func `a value of --set may begin with a combining mark`() {
    let setting = LayeredSetting.commandLine("name=\u{93E}=")
    #expect(setting?.name == "name" && setting?.value == .text("\u{93E}="))
  }

  @Test func `a system file is read, flat or nested, with its locks`() throws {
    let text = """
      {"values": {"game": {"language": "ital\\u0069an", "length": 9}, "pizza": true, "pizza.tomato": false},
       "locked": ["game.length", "pizza"]}
      """
    #expect(tree.setSystem(try SettingsFile.read(Array(text.utf8), path: "/etc/s.json")).isEmpty)
    #expect(try tree.get("game.language") == .text("italian"))
    #expect(problem { try tree.set("game.length", to: .number(8), by: .user) }?.code == "locked")
    #expect(try tree.get("pizza.tomato") == .flag(false))
    #expect(try tree.get("pizza.basil") == .flag(true))
    #expect(problem { try tree.set("pizza.basil", to: .flag(false), by: .user) }?.code == "locked")
  }

  @Test func `a lock of one switch keeps it at the value that the file gives its group`() throws {
    let text = #"{"values": {"pizza": true}, "locked": ["pizza.basil"]}"#
    #expect(tree.setSystem(try SettingsFile.read(Array(text.utf8), path: "/etc/s.json")).isEmpty)
    #expect(try tree.get("pizza.basil") == .flag(true))
    #expect(problem { try tree.set("pizza.basil", to: .flag(false), by: .user) }?.code == "locked")
    try tree.set("pizza.tomato", to: .flag(false), by: .user)
  }

  @Test(arguments: [
    ("", "/s:1:1: a value expected, the file ends here"), ("[]", "/s: an object is expected"),
    ("{\"values\": {\n  \"a\": nul}}", "/s:2:11: \"null\" expected, \"}\" found"),
    ("{\"value\": {}}", "/s: /value: \"values\" or \"locked\" as the key is expected"),
    ("{\"values\": {\"a\": 1e999}}", "/s: /values/a: a text, a number, true or false is expected"),
    ("{\"values\": {\"a\": {\"b\": null}}}", "/s: /values/a/b: a text, a number, true or false is expected"),
    ("{\"values\": {\"a\": [1]}}", "/s: /values/a: a text, a number, true or false is expected"),
    ("{\"values\": 1}", "/s: /values: an object is expected"),
    ("{\"locked\": 1}", "/s: /locked: a list of names is expected"),
    ("{\"locked\": [\"a\", 1]}", "/s: /locked/1: a name is expected"),
    ("{} x", "/s:1:4: the end of the file expected, \"x\" found"),
  ])
  func `an invalid system file is refused with its position`(text: String, message: String) {
    #expect(problem { _ = try SettingsFile.read(Array(text.utf8), path: "/s") }?.message == message)
  }

  @Test func `a lock applies without a value, and with an invalid one`() throws {
    let text = #"{"values": {"game": {"length": "many"}}, "locked": ["game.language", "game.length", "pizza"]}"#
    let notices = tree.setSystem(try SettingsFile.read(Array(text.utf8), path: "/etc/s.json"))
    #expect(notices.count == 1 && notices[0].message.contains("game.length"))
    let (language, length) = (try tree.get("game.language"), try tree.get("game.length"))
    let line = try #require(LayeredSetting.commandLine("game.language=italian"))
    _ = tree.setLayer(.commandLine, [line])
    _ = tree.load(["game.length": StoredSetting(.value(.number(9)), setBy: .user)], by: .user)
    #expect(try tree.get("game.language") == language && tree.get("game.length") == length)
    for name in ["pizza.basil", "pizza"] {
      #expect(problem { try tree.toggle([name], by: .user) }?.code == "locked", "\(name)")
    }
    let others = [("game.language", SettingValue.text("italian")), ("game.language", .text("english"))]
    for (name, value) in others + [("game.length", .number(8)), ("game.length", .number(9))] {
      if try tree.get(name) == value { continue }
      #expect(problem { try tree.set(name, to: value, by: .user) }?.code == "locked", "\(name)")
    }
  }

  @Test func `an unreadable system file locks everything, also what is declared later`() throws {
    #expect(tree.setSystem(.unreadable(path: "/etc/s.json")).isEmpty)
    let language = try tree.get("game.language")
    _ = tree.setLayer(.commandLine, [try #require(LayeredSetting.commandLine("game.language=italian"))])
    #expect(try tree.get("game.language") == language)
    #expect(
      problem { try tree.set("game.language", to: .text("italian"), by: .user) }?.message.hasSuffix(
        "by the system file /etc/s.json, which is broken and may lock it; the administrator of this machine can correct the file"
      ) == true)
    _ = try tree.declare([SettingDeclaration("later.on", .toggle(default: true))], by: .user)
    #expect(problem { try tree.set("later.on", to: .flag(false), by: .user) }?.code == "locked")
    #expect(tree.setSystem(.missing).isEmpty)
    try tree.set("later.on", to: .flag(false), by: .user)
  }

  @Test func `a system file truncated, changed anywhere or nested deeply is refused or read, nothing else`() {
    let whole = Array(
      "{\"values\": {\"a\": {\"b\": \"x\\u00e9\\n\", \"c\": -1.5e3}, \"d\": true}, \"locked\": [\"d\"]}".utf8)
    for length in 0..<whole.count {
      #expect(problem { _ = try SettingsFile.read(Array(whole.prefix(length)), path: "/s") }?.code == "bad_file")
    }
    for place in whole.indices {
      for byte in [UInt8](0...255) {
        var changed = whole
        changed[place] = byte
        let error = problem { _ = try SettingsFile.read(changed, path: "/s") }
        #expect(error == nil || error?.code == "bad_file")
      }
    }
    let deep = String(repeating: "{\"a\":", count: 100_000)
    #expect(problem { _ = try SettingsFile.read(Array(("{\"values\": " + deep).utf8), path: "/s") }?.code == "bad_file")
  }
}

@Suite struct SettingsViewTests {
  @Test func `rows show the tree in order, with states and changes`() throws {
    let tree = try pizza()
    try tree.set("pizza.cheese.feta", to: .flag(true), by: .user)
    let rows = try tree.rows().map {
      "\($0.depth) \($0.title) \($0.state?.rawValue ?? $0.value?.text ?? "-")\($0.isChanged ? " *" : "")"
    }
    #expect(
      rows == [
        "0 Pizza mixed *", "1 tomato off", "1 Basil on", "1 cheese mixed *", "2 feta on *", "2 brie off", "0 game -",
        "1 language english", "1 length 8", "1 name ana", "1 file ",
      ])
    #expect(
      try tree.rows(of: "pizza.cheese").map(\.name) == ["pizza.cheese", "pizza.cheese.feta", "pizza.cheese.brie"])
  }

  @Test func `why shows the default, who set the value and which values are valid`() throws {
    let tree = try pizza()
    try tree.set("game.length", to: .number(9), by: .plugin(PluginName("quiz")!))
    let why = try tree.why("game.length")
    #expect(why.standard == .number(8))
    #expect(why.sources.map(\.description) == ["plugin quiz"])
    #expect(why.expectation == "a whole number from 7 to 9")
    #expect(why.declaredBy == .program)
    #expect(try tree.why("pizza").sources == [.standard])
    #expect(try tree.children(of: "pizza") == ["pizza.tomato", "pizza.basil", "pizza.cheese"])
  }

  @Test func `stored values survive the database unchanged`() throws {
    let store = Store(path: nil, schema: SettingsTable.schema, isInterrupted: { false })
    let values: [String: StoredSetting] = [
      "a": StoredSetting(.value(.flag(true)), setBy: .user),
      "b": StoredSetting(.value(.number(2.5)), setBy: .startScript),
      "c": StoredSetting(.value(.text("été\nx")), setBy: .plugin(PluginName("q")!)),
      "d": StoredSetting(.lastMixed(["x", "y.z"]), setBy: .script("s")),
    ]
    try store.operation("set") { db in
      try SettingsTable.write(values.map { (name: $0.key, setting: $0.value) }, db)
      #expect(try SettingsTable.load(db) == values)
      try SettingsTable.write([("a", nil)], db)
      try db.execute(sql: "INSERT INTO settings VALUES ('z', 'future', 1, 'person'), ('y', 'number', 'text', 'person')")
      #expect(try SettingsTable.load(db).keys.sorted() == ["b", "c", "d"])
    }
  }
}
