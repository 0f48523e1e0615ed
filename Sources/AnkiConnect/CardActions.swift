// AnkiConnect actions that read cards. Invariant: as with notes, ids that do not exist are skipped where an action
// takes several.

import Decks
import Exchange
import Files
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
