// Input from outside and code to run: requests of AnkiConnect clients, plugins. Invariant: whatever a request says,
// the server answers with JSON, and the collection stays valid.

import AnkiConnect
import Authentication
import CardDocuments
import Decks
import Files
import FuzzDriver
import Glibc
import Lexicon
import PluginHost
import Storage
import ToggleSettings
import Values
import Wire
import WordGames
import Workspace

@main struct Main {
  static func main() throws {
    if servedAnswers() { return }
    let folder = FuzzFolder()
    switch fuzzWords.first {
    case "isolation": exit(fuzz([isolation()]))
    case "lua": exit(fuzz([try lua()]))
    case "sync": exit(fuzz([try sync(folder)]))
    case "connect": exit(fuzz([connect(try FuzzHost(folder, Environment.ofSystem(seed: 1, bootID: "fuzz") { false }))]))
    default: exit(fuzz([plugin(folder)]))
    }
  }
}

private func connect(_ host: FuzzHost) -> FuzzTarget {
  FuzzTarget("connect") { bytes in
    let (reply, body) = ActionServer(host).answer(ClientRequest(method: "POST"), bytes)
    hold(reply.status == 200 || body.isEmpty || reply.status >= 400, "the status is \(reply.status)")
    if reply.isJSON {
      let limits = JSONLimits(bytes: 128 << 20, depth: 64, values: 1_000_000, string: 64 << 20)
      do { _ = try JSONParser.parse(body, limits: limits) } catch { hold(false, "the answer is no JSON: \(error)") }
    }
    try host.takeBack()
  }
}

private func plugin(_ folder: FuzzFolder) -> FuzzTarget {
  FuzzTarget("plugin") { bytes in
    let verbs = FuzzFolder(in: folder, "verbs")
    for name in ["plugin.json", "init.lua", "test.lua"] { verbs.remove(name) }
    for part in parts(bytes) where ["plugin.json", "init.lua", "test.lua"].contains(part.name) {
      verbs.write(part.bytes, to: part.name)
    }
    let package = try PluginPackage(folder: verbs.path, isInterrupted: { false })
    let packed = folder.write(try package.packed(as: "verbs.tar.gz"), to: "verbs.tar.gz")
    let again = try PluginPackage(file: packed, isInterrupted: { false })
    hold(again.manifest.version == package.manifest.version && again.size == package.size, "packed it is another")
  }
}

/// A collection of its own, with nobody at the terminal.
final class FuzzHost: ActionHost {
  private let workspace: Workspace
  private var first = 0

  init(_ folder: FuzzFolder, _ environment: Environment) throws {
    let access = try AccountStore(data: folder.file("data"), environment: environment).openLocal()
    workspace = try Workspace(
      access, environment: environment, settings: SettingSources(), lexicons: LexiconLibrary(environment),
      modes: ModeTable(), drawing: DrawingProgram(path: "", environment: [], clock: { 0 }, shouldStop: { false }))
    let deck = try workspace.decks.create("D")
    for front in ["one", "two"] { _ = try deck.add(NewCard(prompt: front, answer: front + "!")) }
    try begin()
  }

  /// Remembers the undo steps so far.
  func begin() throws { first = try count() }

  /// The number of steps that are not undone.
  func count() throws -> Int { try workspace.care.steps().count { !$0.isUndone } }

  /// Undoes everything since `begin`.
  func takeBack() throws {
    while try count() > first { _ = try workspace.care.undo() }
  }

  func openWorkspace() -> Workspace { workspace }
  func performing<Result>(action: String, for client: String?, _ body: () throws -> Result) rethrows -> Result {
    try body()
  }
  func clientSettings() -> (origins: [String], key: String) { ([], "") }
  func askAbout(_ origin: String) {}
  func log(_ line: String) {}
  func synchronize() {}
  func profiles() -> (all: [String], active: String) { (["fuzz"], "fuzz") }
}
