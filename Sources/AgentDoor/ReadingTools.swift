// The tools that read: decks, cards, what is due, the words of a text. Invariant: they change nothing and show cards of
// visible decks only; a list that is cut says so.

import Decks
import Exchange
import Files
import Language
import Lexicon
import Templates
import Text
import Values
import Workspace

enum ReadingTools {
  static let all: [String: @Sendable (AgentCall, AgentWork) throws -> Answer] = [
    "decks": decks, "search_cards": search, "show_cards": show, "forecast": forecast, "text_words": words,
  ]

  private static func decks(_ call: AgentCall, _ work: AgentWork) throws -> Answer {
    let counts = try call.workspace.decks.studyCounts()
    let decks = try call.decks().map { deck -> Value in
      let (name, study) = (try deck.record().name, counts[deck.id] ?? StudyCounts())
      return .record(["name": name, "cards": try deck.count(), "new": study.new, "due": study.due])
    }
    let types = try call.workspace.noteTypes.all().prefix(40).map { try $0.record() }
    let limits = Value.record([
      "allow": try call.allowed.rawValue, "notes_per_plan": 200, "plan_minutes": 15, "notes_left": work.notesLeft,
      "bytes_left": work.bytesLeft,
    ])
    let shown = Answer.fitting(decks)
    return Answer(fields: [
      ("decks", .list(shown)), ("left_out", .integer(decks.count - shown.count)), ("limits", limits),
      ("note_types", .list(types.map { .record(["name": $0.name, "fields": $0.fields, "cloze": $0.isCloze]) })),
    ])
  }

  private static func facts(_ properties: [CardProperty], of card: CardHandle) throws -> [(String, Value)] {
    try properties.map { ($0.rawValue, try card.value(of: $0)) }
  }

  private static func search(_ call: AgentCall, _: AgentWork) throws -> Answer {
    let (offset, limit) = (try call.arguments["offset"].integer(), try call.arguments["limit"].integer())
    let found = try call.workspace.cards.find(in: call.decks(), matching: call.arguments["query"].text())
    found.skip(offset)
    var cards: [Value] = []
    while cards.count < limit, let card = try found.nextCard() {
      cards.append(.record(try facts([.guid, .deck, .prompt, .answer, .tags, .state, .due, .flag], of: card)))
    }
    let shown = Answer.fitting(cards)
    let next = offset < found.count - shown.count && !shown.isEmpty ? Value.integer(offset + shown.count) : .null
    return Answer(fields: [("total", .integer(found.count)), ("cards", .list(shown)), ("next_offset", next)])
  }

  private static func show(_ call: AgentCall, _: AgentWork) throws -> Answer {
    let cards = try call.arguments["guids"].texts().map { guid -> Value in
      do { return .record(try all(of: call.card(guid))) } catch let problem as AgentError {
        return .record(["guid": guid, "error": Value(problem)])
      }
    }
    let shown = Answer.fitting(cards)
    return Answer(fields: [
      ("cards", .list(shown)), ("next_offset", shown.count < cards.count ? .integer(shown.count) : .null),
    ])
  }

  private static func all(of card: CardHandle) throws -> [(String, Value)] {
    let fields = try card.note().fields().map { ($0.name, $0.value, MarkdownText.text(of: $0.value, .blocks)) }
    let day = card.workspace.environment.clocks.day
    let answers = try card.answers().suffix(5).map { answer -> Value in
      .record(["date": StudyMoment.date(ofDay: day(answer.at)), "rating": answer.rating, "seconds": answer.seconds])
    }
    let properties: [CardProperty] = [
      .guid, .deck, .noteType, .prompt, .answer, .tags, .state, .due, .interval, .stability, .difficulty, .reps,
      .lapses, .flag,
    ]
    return try facts(properties, of: card) + [
      ("fields", .record(fields.map { ($0, .text($2 ?? $1)) })), ("markup", .text("markdown")),
      ("html_fields", fields.filter { $2 == nil }.map(\.0).fieldValue), ("last_answers", .list(answers)),
    ]
  }

  private static func forecast(_ call: AgentCall, _: AgentWork) throws -> Answer {
    let decks = try call.arguments["deck"].value == nil ? call.decks() : [call.workspace.decks.open(call.deckName())]
    // The figures of a deck contain those within it.
    let names = try decks.map { try $0.record().name + "::" }
    let outer = zip(decks, names).filter { _, name in !names.contains { $0 != name && name.hasPrefix($0) } }.map(\.0)
    let operations = call.workspace.decks
    let (figures, counts) = (try operations.statistics(of: outer), try operations.studyCounts())
    let recent = figures.days.suffix(30)
    let answers = recent.reduce(0) { $0 + $1.answers }
    let seconds = answers == 0 ? 8 : recent.reduce(0) { $0 + $1.seconds } / Double(answers)
    var reviews = [Int](repeating: 0, count: try call.arguments["days"].integer())
    for bar in figures.forecast.bars where bar.value < reviews.count { reviews[max(0, bar.value)] += bar.count }
    let days = reviews.enumerated().map { day, count -> Value in
      let minutes = Value.measure((Double(count) * seconds / 6).rounded() / 10)
      return .record(["date": StudyMoment.date(ofDay: figures.today + day), "reviews": count, "minutes": minutes])
    }
    let today = outer.compactMap { counts[$0.id] }
    let (due, new) = (today.reduce(0) { $0 + $1.due }, today.reduce(0) { $0 + $1.new })
    return Answer(fields: [
      ("due_today", .integer(due)), ("new_today", .integer(new)),
      ("seconds_per_review", .measure((seconds * 10).rounded() / 10)), ("days", .list(days)),
    ])
  }

  private static func words(_ call: AgentCall, _: AgentWork) throws -> Answer {
    var options = TextOptions()
    // What is known can be limited to one deck only.
    options.language = try call.arguments["language"].text()
    options.deck = call.visible.count == 1 ? call.visible[0] : nil
    let text = try call.host.readingInput(call.arguments["text"].text()) {
      try TextHandle(["-"], options, in: call.workspace)
    }
    let view = try text.view()
    let wanted = Array(view.lemmasByGain { $0.isMissing }.prefix(try call.arguments["limit"].integer()))
    let best = view.bestSentences(for: wanted) {}
    let words = wanted.map { number -> Value in
      let (lemma, sentence) = (view.text.lemmas[Int(number)], best[number])
      return .record([
        "word": lemma.text, "count": lemma.count, "state": view.lemmaStates[Int(number)].name,
        "sentence": sentence.map { printable(view.text.text(of: view.text.sentences[$0]), limit: 300) },
      ])
    }
    return Answer(fields: [
      ("language", .text(text.language.name)), ("coverage", .number(view.coverage)),
      ("words", .integer(view.words)), ("unknown", .list(Answer.fitting(words))),
    ])
  }
}
