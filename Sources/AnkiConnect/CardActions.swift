// AnkiConnect actions on cards, their log and statistics: reading, suspending, answering, and the columns of a card's
// row.
// Invariant: ids that do not exist are skipped where an action takes several; a row that no card can have is refused,
// and changes nothing; rows of the log are in Anki's units: milliseconds since 1970, intervals in days or negative
// seconds.

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
      try call.workspace.cards.forget(call.cards().compactMap(\.self), keepsPosition: true)
      return .null
    },
    .changing("setDueDate") { call in
      let days = try call.params["days"].value?.integer.map { "\($0)" } ?? call.params["days"].text()
      try call.workspace.cards.setDue(call.cards().compactMap(\.self), to: days)
      return .boolean(true)
    },
    .changing("relearnCards") { call in
      var rows = try CardActions.rows(call).compactMap(\.self)
      for index in rows.indices { (rows[index].type, rows[index].queue) = (3, 1) }
      if !rows.isEmpty { try call.workspace.cards.anki.writeRows(rows) }
      return .null
    },
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
    let changed = zip(rows, factors).compactMap { known, factor -> AnkiCard? in
      guard var row = known else { return nil }
      row.factor = factor
      return row
    }
    if !changed.isEmpty { try call.workspace.cards.anki.writeRows(changed) }
    return .list(rows.map { .boolean($0 != nil) })
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

  private static var columns: [String: WritableKeyPath<AnkiCard, Int>] {
    [
      "type": \.type, "queue": \.queue, "due": \.due, "ivl": \.ivl, "factor": \.factor, "reps": \.reps,
      "lapses": \.lapses, "left": \.left, "odue": \.odue, "flags": \.flags,
    ]
  }

  /// Sets one column. Clients send numbers as text too.
  private static func set(_ name: String, _ value: Value, of row: inout AnkiCard, _ call: ActionCall) throws {
    if name == "data", let text = value.text { return row.data = text }
    guard let number = value.integer ?? value.text.flatMap({ Int($0) }) else {
      throw ActionFailure("\(name): a whole number expected")
    }
    switch name {
    case "did": row.deck = try call.deck(numbered: number).id.rawValue
    // Every change sets these anyway.
    case "mod", "usn": break
    case "id", "nid", "ord", "odid": throw ActionFailure("\(name): it cannot be changed")
    default:
      guard let column = columns[name] else { throw ActionFailure("a card has no value \(name)") }
      row[keyPath: column] = number
    }
  }
}

enum ReviewActions {
  static let all: [Action] = [
    .reading("getNumCardsReviewedToday") { call in
      .integer(try call.workspace.decks.statistics().todayFigures.answers)
    },
    .reading("getNumCardsReviewedByDay") { call in
      .list(
        try call.workspace.decks.statistics().days.reversed().map { day in
          .list([.text(CivilDate(day: day.day).text), .integer(day.answers)])
        })
    },
    .reading("getCollectionStatsHTML") { call in .text(page(try call.workspace.decks.statistics())) },
    .reading("cardReviews", ofDeck),
    .reading("getReviewsOfCards", ofCards),
    .reading("getLatestReviewID") { call in
      guard let deck = try call.deck(named: call.params["deck"].text()) else { return .integer(0) }
      let logs = try call.workspace.cards.anki.log(of: call.workspace.cards.all(in: deck))
      return .integer(Int(logs.values.compactMap { log in log.map { $0.review.id }.max() }.max() ?? 0))
    },
    .changing("insertReviews") { call in
      let reviews = try call.params["reviews"].elements("a list of reviews").map(review)
      if !reviews.isEmpty { try call.workspace.cards.anki.enter(reviews) }
      return .null
    },
  ]

  /// Parses `[id, card, usn, ease, interval, last interval, factor, milliseconds, type]`.
  private static func review(_ reader: ValueReader) throws -> ReceivedReview {
    let numbers = try reader.elements("a list of nine numbers").map { number throws(ShapeFailure) in
      Int64(try number.integer())
    }
    guard numbers.count == 9 else { throw reader.failure("a list of nine numbers") }
    return ReceivedReview(
      id: numbers[0], card: numbers[1],
      answer: ForeignAnswer(
        ease: numbers[3], interval: numbers[4], lastInterval: numbers[5], factor: numbers[6], time: numbers[7],
        kind: numbers[8]))
  }

  /// Returns the reviews of the deck's own cards after `startID`, as lists.
  private static func ofDeck(_ call: ActionCall) throws -> Value {
    let last = try call.params["startID"].integer()
    guard let deck = try call.deck(named: call.params["deck"].text()) else { return .list([]) }
    let rows = try call.workspace.cards.anki.log(of: call.workspace.cards.all(in: deck)).values.joined()
      .filter { $0.review.id > last }.sorted { $0.review.id < $1.review.id }
    try call.answer.charge(rows.count * 120)
    return .list(
      rows.map { row in
        let start = [Int(row.review.id), Int(row.review.card)]
        return .list((start + fields(row).dropFirst().map { $0.1 }).map { .integer($0) })
      })
  }

  private static func ofCards(_ call: ActionCall) throws -> Value {
    let cards = try call.params["cards"].elements("a list of numbers").map { try $0.id() }
    let logs = try call.workspace.cards.anki.log(of: cards.map { CardID(rawValue: Int64($0)) })
    try call.answer.charge(logs.values.reduce(0) { $0 + $1.count * 240 })
    return .record(
      cards.distinct(by: \.self).map { card in
        let rows = logs[CardID(rawValue: Int64(card))] ?? []
        return ("\(card)", .list(rows.map { .record(fields($0).map { ($0.0, .integer($0.1)) }) }))
      })
  }

  private static func fields(_ row: (review: ReceivedReview, isUnsent: Bool)) -> [(String, Int)] {
    let answer = row.review.answer
    return [
      ("id", Int(row.review.id)), ("usn", row.isUnsent ? -1 : 0), ("ease", Int(answer.ease)),
      ("ivl", Int(answer.interval)), ("lastIvl", Int(answer.lastInterval)), ("factor", Int(answer.factor)),
      ("time", Int(answer.time)), ("type", Int(answer.kind)),
    ]
  }

  // MARK: The statistics page

  private static func page(_ figures: DeckStatistics) -> String {
    let (today, cards) = (figures.todayFigures, figures.cards)
    let rows = [
      ("Cards", cards.all), ("New", cards.new), ("Learning", cards.learning), ("Relearning", cards.relearning),
      ("Young", cards.young), ("Mature", cards.mature), ("Suspended", cards.suspended), ("Buried", cards.buried),
      ("Answers today", today.answers), ("Right today", today.right), ("Minutes today", today.minutes),
      ("Days in a row", figures.streak), ("Longest days in a row", figures.longestStreak),
      ("Answers in total", figures.days.reduce(0) { $0 + $1.answers }),
    ]
    let lines = rows.map { "<tr><th>\($0.0)</th><td>\(grouped($0.1))</td></tr>" }.joined(separator: "\n")
    return "<table class=\"statistics\">\n\(lines)\n</table>\n"
  }
}
