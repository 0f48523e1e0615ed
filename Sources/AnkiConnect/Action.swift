// The table of actions, and what each is handed when it runs.
// Invariant: an action that changes something says so here; it runs in a unit of work that is kept or taken back whole.

import Decks
import Templates
import Text
import Values
import Workspace

/// What an action runs with.
struct ActionCall {
  let params: ValueReader
  let workspace: Workspace
  let host: any ActionHost
  /// Where the result goes: what a result gathers beyond the request's own size is charged there first.
  let answer: ActionAnswer

  /// Numbers of notes or cards.
  func numbers(_ name: String) throws -> [Int] {
    try params[name].elements("a list of numbers").map { reader throws(ShapeFailure) in try reader.integer() }
  }

  func texts(_ name: String) throws -> [String] {
    try params[name].elements("a list of texts").map { reader throws(ShapeFailure) in try reader.text() }
  }

  func noteType(named name: String) throws -> NoteType {
    do {
      return try workspace.noteTypes.open(name).record()
    } catch NoteError.typeNotFound {
      throw ActionFailure.noModel(name)
    }
  }

  func deck(named name: String) throws -> DeckHandle {
    do {
      return try workspace.decks.open(name)
    } catch DeckError.deckNotFound {
      throw ActionFailure.noDeck(name)
    }
  }
}

struct Action: Sendable {
  let name: String
  var changes = false
  let run: @Sendable (ActionCall) throws -> Value

  private init(_ name: String, changes: Bool = false, _ run: @escaping @Sendable (ActionCall) throws -> Value) {
    (self.name, self.changes, self.run) = (name, changes, run)
  }

  /// What only asks.
  static func reading(_ name: String, _ run: @escaping @Sendable (ActionCall) throws -> Value) -> Action {
    Action(name, run)
  }

  static func changing(_ name: String, _ run: @escaping @Sendable (ActionCall) throws -> Value) -> Action {
    Action(name, changes: true, run)
  }

  static let all =
    program + DeckActions.all + ModelActions.all + NoteActions.all + AddingActions.all + CardActions.all
    + MediaActions.all

  static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Those that `ActionServer` answers itself.
  static let own = ["multi", "requestPermission"]

  private static let program = [
    reading("version") { _ in .integer(ActionServer.version) },
    reading("apiReflect", reflect),
    reading("sync") { call in
      try call.host.synchronize()
      return .null
    },
  ]

  /// Which actions there are; those of a list, where one is given.
  private static func reflect(_ call: ActionCall) throws -> Value {
    let scopes = try call.texts("scopes")
    guard scopes.contains("actions") else { throw ActionFailure("scopes: the only one is \"actions\"") }
    let known = all.map(\.name) + own
    let wanted = try call.params["actions"].value ?? .null == .null ? nil : Set(call.texts("actions"))
    let names = known.filter { wanted?.contains($0) ?? true }.sorted()
    return .record([("scopes", .list([.text("actions")])), ("actions", .list(names.map { .text($0) }))])
  }
}
