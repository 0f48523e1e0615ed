// Actions on cards. Invariant: as with notes, a number that stands for nothing is passed over.

import Decks
import Exchange
import Files
import Templates
import Text
import Values
import Workspace

enum CardActions {
  static let all: [Action] = [
    .reading("findCards") { call in numbers(try call.workspace.cards.numbers(anki: call.params["query"].text())) },
    .reading("cardsInfo", info),
    .reading("cardsToNotes") { call in
      var seen: Set<Int64> = []
      let notes = try cards(call).compactMap { try $0.map { try $0.record().note.rawValue } }
      return numbers(notes.filter { seen.insert($0).inserted })
    },
    .changing("suspend") { call in .boolean(try setSuspended(true, call)) },
    .changing("unsuspend") { call in .boolean(try setSuspended(false, call)) },
    .reading("areSuspended") { call in
      .list(try cards(call).map { try $0.map { .boolean(try $0.record().isSuspended) } ?? .null })
    },
    .reading("suspended") { call in
      let number = try call.params["card"].integer()
      guard let card = try call.workspace.cards.numbered(Int64(number)) else {
        throw ActionFailure("card was not found: \(number)")
      }
      return .boolean(try card.record().isSuspended)
    },
    .reading("guiBrowse", browse),
  ]

  private static func numbers(_ numbers: [Int64]) -> Value { .list(numbers.map { .integer(Int($0)) }) }

  /// Nil for a number that stands for nothing.
  private static func cards(_ call: ActionCall) throws -> [CardHandle?] {
    try call.numbers("cards").map { try call.workspace.cards.numbered(Int64($0)) }
  }

  /// - Returns: whether any was not so before.
  private static func setSuspended(_ isSuspended: Bool, _ call: ActionCall) throws -> Bool {
    let changed = try cards(call).compactMap(\.self).filter { try $0.record().isSuspended != isSuspended }
    if changed.isEmpty { return false }
    try call.workspace.cards.setSuspended(changed, isSuspended)
    return true
  }

  // MARK: Reading

  private static func info(_ call: ActionCall) throws -> Value {
    let found = try cards(call)
    let known = found.compactMap(\.self)
    let reader = NoteReader(call.workspace)
    var schedules = try call.workspace.cards.ankiNumbers(of: known)[...]
    return .list(
      try found.map { card in
        if call.workspace.environment.isInterrupted() { throw WorkspaceError.interrupted }
        guard let card, let schedule = schedules.popFirst() else { return .record([]) }
        let record = try card.record()
        let (note, type) = try reader.read(card.note())
        let sides = (FieldHTML.html(ofPlain: record.prompt), FieldHTML.html(ofPlain: record.answer))
        try call.answer.charge(
          1000 + note.weight(type) + sides.0.utf8.count + sides.1.utf8.count + type.css.utf8.count)
        return described(record, sides, (note, type), schedule, deck: try card.deck().record().name)
      })
  }

  private static func described(
    _ card: CardRecord, _ sides: (prompt: String, answer: String), _ of: (note: NoteRecord, type: NoteType),
    _ schedule: AnkiCard, deck: String
  ) -> Value {
    .record([
      ("cardId", .integer(Int(card.id.rawValue))), ("note", .integer(Int(of.note.id.rawValue))),
      ("deckName", .text(deck)), ("modelName", .text(of.type.name)), ("fields", of.note.fieldValues(of.type)),
      ("ord", .integer(card.ordinal)),
      ("fieldOrder", .integer(card.ordinal)), ("question", .text(sides.prompt)),
      ("answer", .text(sides.answer)), ("css", .text(of.type.css)),
      ("type", .integer(schedule.type)), ("queue", .integer(schedule.queue)), ("due", .integer(schedule.due)),
      ("interval", .integer(schedule.ivl)), ("factor", .integer(schedule.factor)),
      ("left", .integer(schedule.left)), ("reps", .integer(card.reps)), ("lapses", .integer(card.lapses)),
      ("flags", .integer(card.flag)), ("mod", .integer(Int(card.modified))),
    ])
  }

  /// There is no window to open: the terminal says what was looked for.
  private static func browse(_ call: ActionCall) throws -> Value {
    let query = try call.params["query"].text()
    let found = try call.workspace.cards.numbers(anki: query)
    let prompts = try found.prefix(3).compactMap { try call.workspace.cards.numbered($0)?.record().prompt }
    let shown = prompts.map { printable($0, limit: 60) }.joined(separator: ", ")
    let more = found.count > prompts.count ? ", …" : ""
    let what = shown.isEmpty ? "" : ": \(shown)\(more)"
    call.host.tell("Another program shows \(counted(found.count, "card")) (\(printable(query, limit: 200)))\(what)")
    return numbers(found)
  }
}
