// The table of actions, and what each is handed when it runs.
// Invariant: an action that changes something says so here; it runs in a unit of work that is kept or taken back whole.

import Decks
import Templates
import Text
import Values
import Wire
import Workspace

/// What an action runs with.
struct ActionCall {
  let params: ValueReader
  let workspace: Workspace
  let host: any ActionHost
  /// Which action it is, and who asks.
  let name: String
  let client: String?
  /// Where the result goes: what a result gathers beyond the request's own size is charged there first.
  let answer: ActionAnswer
  /// What the server keeps between requests.
  let memory: ServerMemory

  /// Numbers of notes or cards.
  func numbers(_ name: String) throws -> [Int] {
    try params[name].items("a list of numbers").map { reader throws(ShapeFailure) in try reader.integer() }
  }

  func texts(_ name: String) throws -> [String] {
    try params[name].items("a list of texts").map { reader throws(ShapeFailure) in try reader.text() }
  }

  func flag(_ name: String, _ initial: Bool = false) throws -> Bool {
    try params[name].isGiven ? params[name].boolean() : initial
  }

  func noteType(named name: String) throws -> NoteTypeHandle {
    do {
      return try workspace.noteTypes.open(name)
    } catch NoteError.typeNotFound {
      throw ActionFailure.noModel(name)
    }
  }

  /// - Returns: nil for a number that stands for nothing.
  func card(_ number: Int) throws -> CardHandle? { try workspace.cards.numbered(Int64(number)) }

  /// The cards of the parameter `cards`; nil for a number that stands for nothing.
  func cards() throws -> [CardHandle?] { try numbers("cards").map(card) }

  func note(_ number: Int) throws -> NoteHandle {
    guard let note = try workspace.notes.numbered(Int64(number)) else { throw ActionFailure.noNote(number) }
    return note
  }
}

extension ActionCall {
  /// Asks the shell of the same user that runs beside this one.
  /// - Returns: nil where none does.
  func askShell(_ kind: ShellRequest.Kind, number: Int = 0, text: String = "") -> ShellReply? {
    host.askShell(ShellRequest(kind, number: number, text: text, origin: originName(of: name, for: client)))
  }
}

extension ValueReader {
  /// Whether there is anything but null.
  var isGiven: Bool { value ?? .null != .null }

  /// The elements of a list; none of an empty object, which is what an empty table of Lua becomes.
  func items(_ expected: String = "a list") throws(ShapeFailure) -> [ValueReader] {
    value?.record?.isEmpty == true ? [] : try elements(expected)
  }
}

struct Action: Sendable {
  enum Effect { case reads, changes, acts }

  let name: String
  let effect: Effect
  let run: @Sendable (ActionCall) throws -> Value

  private init(_ name: String, _ effect: Effect, _ run: @escaping @Sendable (ActionCall) throws -> Value) {
    (self.name, self.effect, self.run) = (name, effect, run)
  }

  /// What only asks.
  static func reading(_ name: String, _ run: @escaping @Sendable (ActionCall) throws -> Value) -> Action {
    Action(name, .reads, run)
  }

  /// What changes something, all of it as one step of undo.
  static func changing(_ name: String, _ run: @escaping @Sendable (ActionCall) throws -> Value) -> Action {
    Action(name, .changes, run)
  }

  /// What makes steps of its own, or takes one back.
  static func acting(_ name: String, _ run: @escaping @Sendable (ActionCall) throws -> Value) -> Action {
    Action(name, .acts, run)
  }

  static let all =
    ProgramActions.all + DeckActions.all + PresetActions.all + ModelActions.all + ModelEditing.all + NoteActions.all
    + TagActions.all + AddingActions.all + CardActions.all + CardEditing.all + ReviewActions.all + MediaActions.all
    + WindowActions.all + StudyActions.all

  static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Those that `ActionServer` answers itself.
  static let own = ["multi", "requestPermission"]
}
