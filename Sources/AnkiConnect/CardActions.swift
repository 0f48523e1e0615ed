// AnkiConnect actions on cards: reading them, suspending, answering, and the columns of a card's row in Anki.
// Invariant: ids that do not exist are skipped where an action takes several; a row that no card can have is refused,
// and changes nothing.

import Decks
import Exchange
import Files
import Memory
import Templates
import Text
import Values
import Workspace

enum CardActions {
  static let all: [Action] = [
    .reading("findCards") { call in
      guard call.params["query"].isGiven else { return .list([]) }
      return numbers(try call.workspace.cards.numbers(anki: call.params["query"].text()))
    },
    .reading("cardsInfo", info),
    .reading("cardsModTime") { call in
      .list(
        try rows(call).map { row in
          guard let row else { return .record([]) }
          return .record([("cardId", .integer(Int(row.id))), ("mod", .integer(Int(row.modified)))])
        })
    },
    .reading("cardsToNotes") { call in
      let notes = try call.cards().compactMap { try $0.map { try $0.record().note.rawValue } }
      return numbers(notes.distinct(by: \.self))
    },
    .reading("areSuspended") { call in
      .list(try call.cards().map { try $0.map { .boolean(try $0.record().isSuspended) } ?? .null })
    },
    .reading("suspended") { call in .boolean(try call.presentCard(call.params["card"].integer()).record().isSuspended)
    },
    .reading("areDue", areDue),
    .reading("getIntervals", intervals),
    .reading("getEaseFactors") { call in .list(try rows(call).map { $0.map { .integer($0.factor) } ?? .null }) },
  ]

  static func numbers(_ numbers: [Int64]) -> Value { .list(numbers.map { .integer(Int($0)) }) }

  /// The rows of the requested cards, in Anki's numbers.
  static func rows(_ call: ActionCall) throws -> [AnkiCard?] {
    let cards = try call.cards()
    var rows = try call.workspace.cards.anki.rows(of: cards.compactMap(\.self))[...]
    return cards.map { $0 == nil ? nil : rows.popFirst() }
  }

  // MARK: Times

  /// As in the add-on: if a card's last answer gave an interval of more than 20 minutes in seconds, that answer
  /// decides.
  private static func areDue(_ call: ActionCall) throws -> Value {
    let rows = try present(call)
    let areDue = call.workspace.cards.anki.areDue(rows)
    let logs = try call.workspace.cards.anki.log(of: rows.map { CardID(rawValue: $0.id) })
    let now = call.workspace.environment.clocks.now()
    return .list(
      zip(rows, areDue).map { row, isDue in
        if row.type == 0 { return .boolean(true) }
        guard let last = logs[CardID(rawValue: row.id)]?.last?.review, last.answer.interval < -1200 else {
          return .boolean(isDue)
        }
        return .boolean(Double(last.id) / 1000 - Double(last.answer.interval) <= now)
      })
  }

  /// Returns intervals in days, or in negative seconds; 0 for a new card. `complete` returns those of all answers.
  private static func intervals(_ call: ActionCall) throws -> Value {
    let isComplete = try call.flag("complete")
    let rows = try present(call)
    let logs = try call.workspace.cards.anki.log(of: rows.map { CardID(rawValue: $0.id) })
    return .list(
      try rows.map { row in
        if row.type == 0 { return .integer(0) }
        let log = logs[CardID(rawValue: row.id)] ?? []
        if !isComplete { return .integer(log.last.map { Int($0.review.answer.interval) } ?? row.ivl) }
        try call.answer.charge(log.count * 8)
        return .list(log.map { .integer(Int($0.review.answer.interval)) })
      })
  }

  private static func present(_ call: ActionCall) throws -> [AnkiCard] {
    try call.workspace.cards.anki.rows(of: call.numbers("cards").map(call.presentCard))
  }

  // MARK: Card info

  private static func info(_ call: ActionCall) throws -> Value {
    let found = try call.cards()
    let reader = NoteReader()
    var rows = try call.workspace.cards.anki.rows(of: found.compactMap(\.self))[...]
    return .list(
      try found.map { card in
        if call.workspace.environment.isInterrupted() { throw WorkspaceError.interrupted }
        guard let card, let row = rows.popFirst() else { return .record([]) }
        return .record(try described(card, row, reader, call))
      })
  }

  /// Returns the content of `cardsInfo` and charges its size.
  private static func described(
    _ card: CardHandle, _ row: AnkiCard, _ reader: NoteReader, _ call: ActionCall
  ) throws -> [(String, Value)] {
    let record = try card.record()
    let (note, type) = try reader.read(card.note())
    let sides = (FieldHTML.html(ofPlain: record.prompt), FieldHTML.html(ofPlain: record.answer))
    try call.answer.charge(1000 + note.weight(type) + sides.0.utf8.count + sides.1.utf8.count + type.css.utf8.count)
    return [
      ("cardId", .integer(Int(card.id.rawValue))), ("note", .integer(Int(note.id.rawValue))),
      ("deckName", .text(try card.deck().record().name)), ("modelName", .text(type.name)),
      ("fields", note.fieldValues(type)), ("fieldOrder", .integer(record.ordinal)), ("question", .text(sides.0)),
      ("answer", .text(sides.1)), ("css", .text(type.css)), ("ord", .integer(row.ordinal)),
      ("type", .integer(row.type)), ("queue", .integer(row.queue)),
      ("due", .integer(row.due)), ("interval", .integer(row.ivl)), ("factor", .integer(row.factor)),
      ("left", .integer(row.left)), ("reps", .integer(row.reps)), ("lapses", .integer(row.lapses)),
      ("flags", .integer(row.flags)), ("mod", .integer(Int(row.modified))),
    ]
  }
}

extension ActionCall {
  func presentCard(_ number: Int) throws -> CardHandle {
    guard let card = try card(number) else { throw ActionFailure.noCard(number) }
    return card
  }
}

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
