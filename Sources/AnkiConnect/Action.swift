// The table of actions, and the context in which an action runs.
// Invariant: an action that changes something is declared as such here; its changes are committed or rolled back as a
// whole.

import Decks
import Templates
import Text
import Values
import Wire
import Workspace

/// The context in which an action runs.
struct ActionCall {
  let params: ValueReader
  let workspace: Workspace
  let host: any ActionHost
  /// The answer that the result is written to: what a result collects beyond the request's own size is charged here
  /// first.
  let answer: ActionAnswer
  /// What the server keeps between requests.
  let memory: ServerMemory

  /// The note or card ids in a parameter.
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

  /// - Returns: nil for an id that does not exist.
  func card(_ number: Int) throws -> CardHandle? { try workspace.cards.numbered(Int64(number)) }

  /// The cards of the parameter `cards`; nil for an id that does not exist.
  func cards() throws -> [CardHandle?] { try numbers("cards").map(card) }

  func note(_ number: Int) throws -> NoteHandle {
    guard let note = try workspace.notes.numbered(Int64(number)) else { throw ActionFailure.noNote(number) }
    return note
  }
}

extension ValueReader {
  /// Whether there is a value other than null.
  var isGiven: Bool { value ?? .null != .null }

  /// The elements of a list; an empty object counts as an empty list, because an empty Lua table becomes one.
  func items(_ expected: String = "a list") throws(ShapeFailure) -> [ValueReader] {
    value?.record?.isEmpty == true ? [] : try elements(expected)
  }

  /// An id that clients send as a number or as text.
  func id() throws(ShapeFailure) -> Int {
    if let number = value?.text.flatMap({ Int($0) }) { return number }
    return try integer()
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

  /// An action that only reads.
  static func reading(_ name: String, _ run: @escaping @Sendable (ActionCall) throws -> Value) -> Action {
    Action(name, .reads, run)
  }

  /// An action that changes something, all of it as one undo step.
  static func changing(_ name: String, _ run: @escaping @Sendable (ActionCall) throws -> Value) -> Action {
    Action(name, .changes, run)
  }

  /// An action that records its own undo steps, or undoes one.
  static func acting(_ name: String, _ run: @escaping @Sendable (ActionCall) throws -> Value) -> Action {
    Action(name, .acts, run)
  }

  static let all =
    ProgramActions.all + DeckActions.all + PresetActions.all + ModelActions.all + ModelEditing.all + NoteActions.all
    + TagActions.all + AddingActions.all + CardActions.all + CardEditing.all + ReviewActions.all + MediaActions.all
    + WindowActions.all

  static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// The actions that `ActionServer` handles itself.
  static let own = ["multi", "requestPermission"]
}
