// AnkiConnect actions that change cards: suspending, answering, and the columns of a card's row in Anki.
// Invariant: a row that no card can have is refused, and changes nothing.

import Decks
import Exchange
import Files
import Memory
import Text
import Values
import Workspace

enum CardEditing {
  static let all: [Action] = [
    .changing("suspend") { call in .boolean(try setSuspended(try call.flag("suspend", true), call)) },
    .changing("unsuspend") { call in .boolean(try setSuspended(false, call)) },
    .changing("setEaseFactors", setEaseFactors),
    .changing("setSpecificValueOfCard", setValues),
    .changing("forgetCards") { call in
      try change(call) { row in
        (row.type, row.queue, row.left, row.ivl, row.due, row.odue, row.factor) = (0, 0, 0, 0, 0, 0, 0)
        row.data = ""
      }
    },
    .changing("relearnCards") { call in try change(call) { row in (row.type, row.queue) = (3, 1) } },
    .changing("answerCards", answer),
  ]

  /// - Returns: whether any card changed.
  private static func setSuspended(_ isSuspended: Bool, _ call: ActionCall) throws -> Bool {
    let cards = try call.numbers("cards").map(call.presentCard)
    let changed = try cards.filter { try $0.record().isSuspended != isSuspended }
    if changed.isEmpty { return false }
    try call.workspace.cards.setSuspended(changed, isSuspended)
    return true
  }

  /// - Returns: for each card, whether it exists.
  private static func setEaseFactors(_ call: ActionCall) throws -> Value {
    let factors = try call.numbers("easeFactors")
    let rows = try CardActions.rows(call)
    guard factors.count == rows.count else { throw ActionFailure("easeFactors: a factor for each card expected") }
    let changed = zip(rows, factors).compactMap { row, factor in
      row.map { row in
        var row = row
        row.factor = factor
        return row
      }
    }
    if !changed.isEmpty { try call.workspace.cards.anki.writeRows(changed) }
    return .list(rows.map { .boolean($0 != nil) })
  }

  private static func change(_ call: ActionCall, _ body: (inout AnkiCard) -> Void) throws -> Value {
    var rows = try CardActions.rows(call).compactMap(\.self)
    for index in rows.indices { body(&rows[index]) }
    if !rows.isEmpty { try call.workspace.cards.anki.writeRows(rows) }
    return .null
  }

  /// - Returns: for each answer, whether its card exists.
  private static func answer(_ call: ActionCall) throws -> Value {
    .list(
      try call.params["answers"].elements().map { answer in
        if call.workspace.environment.isInterrupted() { throw WorkspaceError.interrupted }
        guard let card = try call.card(answer["cardId"].integer()),
          let rating = try Rating(rawValue: Int64(answer["ease"].integer(in: 1...4)))
        else { return .boolean(false) }
        try call.workspace.cards.anki.answer(card, rating)
        return .boolean(true)
      })
  }

  // MARK: Columns

  /// The columns that the add-on changes only if `warning_check` is true.
  private static let guarded: Set<String> = [
    "did", "id", "ivl", "lapses", "left", "mod", "nid", "odid", "odue", "ord", "queue", "reps", "type", "usn",
  ]

  /// - Returns: false for what the add-on refuses, `[true]`, or `[[false, reason]]`.
  private static func setValues(_ call: ActionCall) throws -> Value {
    guard let number = call.params["card"].value?.integer, let keys = call.params["keys"].value?.list,
      let values = call.params["newValues"].value?.list, keys.count == values.count
    else { return .boolean(false) }
    let names = try call.texts("keys")
    if try !call.flag("warning_check"), names.contains(where: guarded.contains) { return .boolean(false) }
    do {
      let card = try call.presentCard(number)
      var row = try call.workspace.cards.anki.rows(of: [card])[0]
      let position = row.due
      for (name, value) in zip(names, values) { try set(name, value, of: &row, call) }
      row = row.bounded
      try call.workspace.cards.anki.writeRows([row])
      // The due number of a new card is its position.
      if row.type == 0, row.due != position { try card.move(to: max(1, row.due)) }
      return .list([.boolean(true)])
    } catch let failure as ActionFailure {
      return .list([.list([.boolean(false), .text(failure.words)])])
    }
  }

  /// Sets one column. Clients send numbers as text too.
  private static func set(_ name: String, _ value: Value, of row: inout AnkiCard, _ call: ActionCall) throws {
    if name == "data", let text = value.text { return row.data = text }
    guard let number = value.integer ?? value.text.flatMap({ Int($0) }) else {
      throw ActionFailure("\(name): a whole number expected")
    }
    switch name {
    case "did": row.deck = try call.deck(numbered: number).id.rawValue
    case "type": row.type = number
    case "queue": row.queue = number
    case "due": row.due = number
    case "ivl": row.ivl = number
    case "factor": row.factor = number
    case "reps": row.reps = number
    case "lapses": row.lapses = number
    case "left": row.left = number
    case "odue": row.odue = number
    case "flags": row.flags = number
    // Every change sets these anyway.
    case "mod", "usn": break
    case "id", "nid", "ord", "odid": throw ActionFailure("\(name): it cannot be changed")
    default: throw ActionFailure("a card has no value \(name)")
    }
  }
}
