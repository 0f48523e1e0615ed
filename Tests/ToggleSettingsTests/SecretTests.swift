// What a declaration hides from plugins, and what its own check refuses.

import Problems
import Testing
import ToggleSettings

private func plugin(_ name: String) throws -> Owner { .plugin(try #require(PluginName(name))) }

@Suite struct SecretTests {
  private let tree = SettingsTree()
  private let quiz: Owner

  init() throws {
    quiz = try plugin("quiz")
    try tree.declare(
      [
        SettingDeclaration("door.key", .text(default: ""), secret: true, guarded: true),
        SettingDeclaration("door.minutes", .number(NumberRange(min: 1, max: 60), default: 5), guarded: true),
        SettingDeclaration("door.colour", .choice(["red", "blue"], default: "red")),
      ], by: .program)
    try tree.declare([SettingDeclaration("quiz.token", .text(default: ""), secret: true)], by: quiz)
    try tree.set("door.key", to: .text("hunter2"), by: .user)
  }

  @Test func `a plugin reads no secret except its own`() throws {
    #expect(problem { _ = try tree.get("door.key", for: quiz) }?.code == "not_granted")
    #expect(try tree.get("door.key", for: .user) == .text("hunter2"))
    #expect(try tree.get("quiz.token", for: quiz) == .text(""))
    #expect(problem { _ = try tree.get("quiz.token", for: plugin("spy")) }?.code == "not_granted")
    #expect(try tree.get("door.colour", for: quiz) == .text("red"))
  }

  @Test func `a plugin is notified of no secret except its own, and the user of all`() throws {
    var heard: [String] = []
    var userHeard: [String] = []
    _ = tree.observe("", by: quiz) { changes in heard += changes.map(\.name) }
    _ = tree.observe("door", by: .user) { changes in userHeard += changes.map(\.name) }
    try tree.update([("door.key", .text("x")), ("door.colour", .text("blue")), ("quiz.token", .text("y"))], by: .user)
    try tree.set("door.key", to: .text("z"), by: .user)
    #expect(heard == ["door.colour", "quiz.token"])
    #expect(userHeard == ["door.colour", "door.key", "door.key"])
  }

  @Test func `no plugin changes a guarded setting in any way, and the rest of such an update is not applied`() throws {
    #expect(problem { try tree.set("door.minutes", to: .number(6), by: quiz) }?.code == "not_granted")
    #expect(
      problem { try tree.update([("door.colour", .text("blue")), ("door.key", .text(""))], by: quiz) }?.code
        == "not_granted")
    #expect(problem { try tree.reset("door", by: quiz) }?.code == "not_granted")
    #expect(try tree.get("door.colour") == .text("red"))
    #expect(try tree.get("door.key") == .text("hunter2"))
    try tree.set("door.minutes", to: .number(6), by: .user)
    #expect(try tree.get("door.minutes") == .number(6))
  }

  @Test func `a secret is shown as dots everywhere`() throws {
    let source = SettingSource.commandLine("door.key=swordfish")
    _ = tree.setLayer(.commandLine, [LayeredSetting("door.key", .text("swordfish"), from: source)])
    let why = try tree.why("door.key")
    let locked = problem { try tree.set("door.key", to: .text("b"), by: .user) }?.message ?? ""
    let shown = try "\(tree.rows())\(why)\(locked)"
    #expect(!shown.contains("hunter2") && !shown.contains("swordfish") && shown.contains("••••••"))
    #expect(problem { try tree.set("door.key", to: .text("a\0b"), by: .user) }?.message.contains("a\\x00b") == false)
    #expect(try tree.get("door.key") == .text("swordfish"))
  }
}

@Suite struct SettingCheckTests {
  private struct Broken: Error {}
  private let tree = SettingsTree()
  private let even: SettingCheck = { value in
    guard case .number(let number) = value else { throw Broken() }
    if number == 13 { throw Broken() }
    return number.truncatingRemainder(dividingBy: 2) == 0 ? nil : "an even number is wanted"
  }

  private func declare(default standard: Double = 2) throws -> [SettingsNotice] {
    try tree.declare(
      [SettingDeclaration("n", .number(NumberRange(min: 0, max: 20), default: standard))], by: plugin("quiz"),
      check: even)
  }

  @Test func `a check refuses a value with its own message, wherever the value comes from`() throws {
    tree.load(["n": StoredSetting(.value(.number(7)), setBy: .user)], by: .user)
    #expect(try declare().map(\.message).joined().contains("an even number is wanted"))
    #expect(problem { try tree.set("n", to: .number(3), by: .user) }?.message == "n: an even number is wanted")
    #expect(problem { try tree.set("n", text: "5", by: .user) }?.code == "bad_value")
    #expect(problem { try tree.set("n", to: .number(21), by: .user) }?.message.contains("from 0 to 20") == true)
    try tree.set("n", to: .number(4), by: .user)
    let notices = tree.setLayer(.commandLine, [LayeredSetting("n", .text("9"), from: .commandLine("n=9"))])
    #expect(notices.map(\.message).joined().contains("an even number is wanted"))
    #expect(try tree.get("n") == .number(4))
  }

  @Test func `a default that the check refuses makes the declaration invalid, and a failing check changes nothing`()
    throws
  {
    #expect(problem { _ = try declare(default: 3) }?.code == "bad_declaration")
    #expect(tree.names.isEmpty)
    _ = try declare()
    #expect(problem { try tree.set("n", to: .number(13), by: .user) }?.code == "bad_value")
    #expect(try tree.get("n") == .number(2))
  }

  @Test func `while a check runs nothing is changed or declared`() throws {
    var refused: [String] = []
    try tree.declare([SettingDeclaration("other", .toggle())], by: .user)
    try tree.declare([SettingDeclaration("m", .toggle())], by: .user) { [tree] _ in
      refused.append(problem { try tree.set("other", to: .flag(true), by: .user) }?.code ?? "")
      refused.append(problem { try tree.declare([SettingDeclaration("new", .toggle())], by: .user) }?.code ?? "")
      return nil
    }
    try tree.set("m", to: .flag(true), by: .user)
    #expect(refused == Array(repeating: "bad_value", count: 4))
    #expect(try tree.get("other") == .flag(false) && tree.get("m") == .flag(true))
  }
}
