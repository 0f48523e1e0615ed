// A user's settings through the workspace: layers, what is saved, units of work, the session.

import Authentication
import CardDocuments
import Files
import Glibc
import Problems
import TestWorkspace
import ToggleSettings
import WordGames

@testable import Lexicon
@testable import Workspace

/// The owner of an observer.
private final class Witness {}

@Suite struct SettingsTests {
  private let person = Person()

  @Test func `each of the program's settings has a title and help, and is read where it is declared`() throws {
    let tree = SettingsTree()
    let program = ProgramSettings(languages: [], noColor: true)
    try program.declare(in: tree)
    #expect(try tree.get("accessibility.differentiate_without_color") == .flag(true))
    #expect(try tree.get("game.language") == .text("english"))
    for name in tree.names {
      #expect(tree.declaration(of: name)?.title.isEmpty == false, "\(name)")
      #expect(tree.declaration(of: name)?.help.isEmpty == false, "\(name)")
    }
    #expect(program.accessibility.differentiatesWithoutColor && program.games.language == "english")
    try tree.set("sound", text: "on", by: .user)
    #expect(program.sound.ringsWhenRight && program.sound.ringsWhenWrong && program.sound.ringsAtTime)
    let groups = [
      "game", "sound", "accessibility", "study", "display", "backup", "history", "auth", "media", "prompt", "serve",
      "text", "sync", "mcp", "words",
    ].sorted()
    #expect(try tree.children(of: "").sorted() == groups)
  }

  @Test func `reading settings creates no database, and a set value is there again`() throws {
    let first = try person.workspace()
    #expect(try first.preferences().study.seconds == 100)
    #expect(access(person.data + "/local", F_OK) != 0)
    try first.preferences().tree.set("study.seconds", text: "45", by: .user)
    #expect(try first.preferences().study.seconds == 45)
    try first.close()
    let second = try person.workspace()
    #expect(try second.preferences().study.seconds == 45)
    #expect(try second.preferences().tree.why("study.seconds").sources == [.account(.user)])
    try second.close()
  }

  @Test func `later layers win, and a locked one overrides all`() throws {
    let file = try person.settingsFile(
      #"{"values": {"study": {"seconds": 20, "limit": 5}, "game.length": 7}, "locked": ["game.length"]}"#)
    let run = try #require(LayeredSetting.commandLine("study.seconds=60"))
    let workspace = try person.workspace(
      SettingSources(
        systemFile: file, variables: { ["DECKHAND_SET_STUDY_SECONDS": "50", "DECKHAND_SET_SOUND": "on"] },
        commandLine: [run]))
    let preferences = try workspace.preferences()
    #expect(preferences.study.seconds == 60)
    #expect(preferences.study.most == 5)
    #expect(preferences.sound.ringsWhenRight && preferences.sound.ringsWhenWrong && preferences.sound.ringsAtTime)
    #expect(preferences.games.length == 7)
    for name in ["study.seconds", "sound.right", "game.length"] {
      let value = try preferences.tree.get(name) == .flag(true) ? "off" : "11"
      #expect { try preferences.tree.set(name, text: value, by: .user) } throws: {
        ($0 as? SettingsError)?.code == "locked"
      }
    }
    try preferences.tree.set("study.limit", text: "9", by: .user)
    #expect(preferences.study.most == 9)
    try workspace.close()
  }

  @Test func `a broken system file is reported, and its locks stay in force`() throws {
    let file = try person.settingsFile(#"{"values": {"study.seconds": 20}, "locked": ["study.seconds"]}"#)
    let sources = SettingSources(
      systemFile: file, commandLine: [try #require(LayeredSetting.commandLine("study.seconds=70"))])
    #expect(try person.workspace(sources).preferences().study.seconds == 20)
    for broken in [#"{"values": [1]}"#, #"{"values": {"study.seconds": 20}, "lock"#, "", "{\"locked\": 7}"] {
      _ = try person.settingsFile(broken)
      let workspace = try person.workspace(sources)
      let preferences = try workspace.preferences()
      #expect(preferences.study.seconds == 100)
      #expect(preferences.systemWarning?.contains("settings.json") == true)
      #expect { try preferences.tree.set("study.limit", text: "9", by: .user) } throws: {
        ($0 as? SettingsError)?.code == "locked"
      }
      #expect(try workspace.care.diagnose().contains { $0.code == "system_settings" })
      try workspace.close()
    }
    unlink(file)
    mkdir(file, 0o700)
    #expect(try person.workspace(sources).preferences().systemWarning != nil)
    rmdir(file)
    let preferences = try person.workspace(sources).preferences()
    #expect(preferences.systemWarning == nil && preferences.study.seconds == 70)
  }

  @Test func `a unit that is rolled back reverts its settings, and notifies once`() throws {
    let workspace = try person.workspace()
    let tree = try workspace.preferences().tree
    try tree.set("game.length", text: "7", by: .user)
    var heard: [[SettingChange]] = []
    let subscription = tree.observe("", by: .user) { changes in heard.append(changes) }
    try workspace.beginUnit()
    try tree.set("game.length", text: "8", by: .script("x.lua"))
    try tree.set("sound", text: "on", by: .script("x.lua"))
    #expect(heard.count == 2)
    try workspace.rollbackUnit()
    #expect(try workspace.preferences().games.length == 7)
    #expect(try tree.state("sound") == .off)
    #expect(heard.count == 3 && heard.last?.count == 5, "\(heard)")
    try workspace.beginUnit()
    try tree.set("game.length", text: "10", by: .script("x.lua"))
    try workspace.commitUnit()
    #expect(try workspace.preferences().games.length == 10)
    subscription.cancel()
    try workspace.close()
    #expect(try person.workspace().preferences().games.length == 10)
  }

  @Test func `after closing every handle reports signed out, and no observer is notified`() throws {
    let workspace = try person.workspace()
    let tree = try workspace.preferences().tree
    var count = 0
    var witness: Witness? = Witness()
    weak let observed = witness
    _ = tree.observe("", by: .user) { [witness] _ in if witness != nil { count += 1 } }
    witness = nil
    #expect(observed != nil)
    let declaration = SettingDeclaration("quiz.speed", .number(NumberRange(), default: 1), title: "Speed")
    let handle = try workspace.settings.declare(declaration, by: .startScript)
    #expect(try handle.value() == .number(1))
    try handle.set(.number(2), by: .user)
    #expect(count == 1)
    try workspace.close()
    #expect(throws: WorkspaceError.signedOut(what: "setting")) { try handle.value() }
    #expect(throws: WorkspaceError.signedOut(what: "setting")) { try handle.set(.number(3), by: .user) }
    #expect(observed == nil, "the close has let go of the observer")
  }

  @Test func `a closed session closes the workspace by itself`() throws {
    let session = try AuthenticationSession(try AccountStore(data: person.data, environment: .ofSystem(bootID: "test")))
    let workspace = try person.workspace()
    #expect(workspace.isOpen)
    #expect(session.user == nil && !session.needsAuthentication)
    try workspace.close()
    #expect(!workspace.isOpen)
    #expect(throws: WorkspaceError.signedOut(what: "workspace")) { try workspace.decks.all() }
  }

  @Test func `games and sessions start with the values of the settings`() throws {
    let workspace = try person.workspace()
    let tree = try workspace.preferences().tree
    try tree.update(
      [("game.language", .text("spanish")), ("game.length", .number(7)), ("study.limit", .number(1))], by: .user)
    let game = try workspace.games.start(GameOptions()).game
    #expect(game.language.name == "spanish" && game.length == 7)
    var wanted = GameOptions()
    (wanted.language, wanted.length) = ("english", 9)
    let other = try workspace.games.start(wanted).game
    #expect(other.language.name == "english" && other.length == 9)
    let study = SessionHandle.Options(try workspace.preferences())
    #expect(study.limit == 1 && study.seconds == 100)
    #expect(!(try workspace.games.start(GameOptions()).game.lexicon.normalized("mamá") == "mama"))
    try tree.set("game.fold_accents", text: "on", by: .user)
    #expect(try workspace.games.start(GameOptions()).game.lexicon.normalized("mamá") == "mama")
    (wanted.language, wanted.length) = ("spanish", 7)
    wanted.foldsAccents = false
    #expect(try workspace.games.start(wanted).game.lexicon.normalized("mamá") == "mamá")
    try workspace.close()
  }
}
