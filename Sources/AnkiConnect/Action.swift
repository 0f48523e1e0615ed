// The table of actions, the context in which an action runs, and the answer to one request while it is written.
// Invariant: an action that changes something is declared as such here; its changes are committed or rolled back as a
// whole. An answer has at most `limit` bytes besides its error results; what a result needs is charged before it is
// collected; a result exists as a value only until it is written.

import Decks
import Templates
import Text
import Values
import Wire
import Workspace

struct ActionCall {
  let params: ValueReader
  let workspace: Workspace
  let host: any ActionHost
  /// The answer that the result is written to: what a result collects beyond the request's own size is charged here
  /// first.
  let answer: ActionAnswer
  let memory: ServerMemory

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
    if let note = try workspace.notes.numbered(Int64(number)) { return note }
    throw ActionFailure("Note was not found: \(number)")
  }
}

extension ValueReader {
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

  static let own = ["multi", "requestPermission"]
}

/// The answer to one request.
///
///     try answer.charge(size * 4 / 3)                      // before the file is read
///     try answer.write(.text(base64), isBare: false)
final class ActionAnswer {
  private var writer = JSONWriter(.compact)
  private let limit: Int
  /// The bytes that the current action has charged.
  private var charged = 0
  /// What the current action did not do as it was asked, although it has a result.
  private var warnings: [String] = []

  init(limit: Int) { self.limit = limit }

  var bytes: [UInt8] { writer.bytes }

  private var tooLarge: ActionFailure {
    ActionFailure("the answer to one request has at most \(limit >> 20) MiB; ask for less at once")
  }

  /// Charges the bytes that an action is about to collect for its result.
  func charge(_ count: Int) throws(ActionFailure) {
    guard count <= limit - writer.bytes.count - charged else { throw tooLarge }
    charged += count
  }

  func warn(_ words: String) { if warnings.count < 100 { warnings.append(words) } }

  /// Warns of a text for a field that the note type does not have.
  func warn(field name: String, of type: NoteType) {
    warn("the note type \(quoted(type.name)) has no field \(quoted(name)); its text was not stored")
  }

  /// Writes a result, bare or as a record with a null error.
  /// - Parameter mustFit: false writes a result that is too large anyway: the result of a change that was already made.
  func write(_ result: Value, isBare: Bool, mustFit: Bool = true) throws(ActionFailure) {
    charged = 0
    defer { warnings = [] }
    let mark = writer.mark
    if isBare { writer.write(result) } else { wrapped { writer.write(result) } }
    if mustFit, writer.bytes.count > limit {
      writer.rewind(to: mark)
      throw tooLarge
    }
  }

  /// Writes the results of several actions as one result.
  func writeList(isBare: Bool, _ elements: () -> Void) {
    func list() {
      writer.beginList()
      elements()
      writer.endList()
    }
    if isBare { list() } else { wrapped(list) }
  }

  private func wrapped(_ result: () -> Void) {
    writer.beginRecord()
    writer.name("result")
    result()
    writer.name("error")
    writer.write(.null)
    if !warnings.isEmpty {
      writer.name("warnings")
      writer.write(.list(warnings.map { .text($0) }))
    }
    writer.endRecord()
  }

  func refuse(_ words: String) {
    (charged, warnings) = (0, [])
    let fits = words.utf8.count <= limit - writer.bytes.count
    writer.write(.record([("result", .null), ("error", .text(fits ? words : tooLarge.words))]))
  }
}
