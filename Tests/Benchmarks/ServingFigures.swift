// How long AnkiConnect clients wait, without the HTTP transport. The references are target times.

import AnkiConnect
import Authentication
import CardDocuments
import Files
import Lexicon
import ToggleSettings
import Values
import Wire
import WordGames
import Workspace

struct ServingFigures {
  private let host: BenchClientHost
  private let server: ActionServer
  private static let there = sized(10_000)
  private static let judged = sized(10_000)
  private static let added = sized(1000)

  private static let judging = "canAddNotes of 10,000 notes over 10,000 that are there, within 0.2 s"
  private static let adding = "1,000 requests of addNote, a step of undo each, over 10,000 notes, within 1 s"

  static func all() throws -> [Figure?] {
    guard [judging, adding].contains(where: isAsked) else { return [] }
    let folder = Asked.folder + "/serving"
    try makePrivateFolder(folder)
    return try ServingFigures(folder).figures()
  }

  private init(_ folder: String) throws {
    host = try BenchClientHost(folder)
    server = ActionServer(host)
    _ = answer("createDeck", .record([("deck", .text("Bench"))]))
    _ = answer("addNotes", .record([("notes", .list((0..<Self.there).map { Self.note("there \($0)") }))]))
  }

  private func figures() -> [Figure?] {
    var round = 0
    let judged = compare(Self.judging, wanted: 1, rounds: 7, scale: 1e3, unit: "ms") {
      let start = now()
      // Every other note already exists.
      let notes = (0..<Self.judged).map { Self.note($0 % 2 == 0 ? "there \($0)" : "new \($0)") }
      let isGood = answer("canAddNotes", .record([("notes", .list(notes))]))
      return isGood ? now() - start : -1
    } reference: {
      0.2
    }
    let added = compare(Self.adding, wanted: 1, rounds: 3, scale: 1e3, unit: "ms") {
      round += 1
      let start = now()
      for number in 0..<Self.added {
        guard answer("addNote", .record([("note", Self.note("added \(round) \(number)"))])) else { return -1 }
      }
      return now() - start
    } reference: {
      1
    }
    return [judged, added]
  }

  private static func note(_ front: String) -> Value {
    .record([
      ("deckName", .text("Bench")), ("modelName", .text("Basic")),
      ("fields", .record([("Front", .text(front)), ("Back", .text("<b>answer</b> of \(front)"))])),
      ("tags", .list([.text("bench")])),
    ])
  }

  /// - Returns: whether the action succeeded.
  private func answer(_ action: String, _ params: Value) -> Bool {
    let request = Value.record([("action", .text(action)), ("version", .integer(6)), ("params", params)])
    let bytes = server.answer(ClientRequest(method: "POST"), JSONWriter.bytes(of: request)).body
    return bytes.suffix(12).elementsEqual(Array("\"error\":null}".utf8).suffix(12))
  }
}

/// A collection of its own, with nobody at the terminal.
private final class BenchClientHost: ActionHost {
  private let workspace: Workspace

  init(_ folder: String) throws {
    let environment = Environment.ofSystem(seed: 1, bootID: "bench") { false }
    let access = try AccountStore(data: folder, environment: environment).openLocal()
    workspace = try Workspace(
      access, environment: environment, settings: SettingSources(), lexicons: LexiconLibrary(environment),
      modes: ModeTable(), drawing: DrawingProgram(path: "", environment: [], clock: { 0 }, shouldStop: { false }))
  }

  func openWorkspace() -> Workspace { workspace }
  func performing<Result>(action: String, for client: String?, _ body: () throws -> Result) rethrows -> Result {
    try body()
  }
  func clientSettings() -> (origins: [String], key: String) { ([], "") }
  func askAbout(_ origin: String) {}
  func log(_ line: String) {}
  func synchronize() {}
  func profiles() -> (all: [String], active: String) { (["bench"], "bench") }
}
