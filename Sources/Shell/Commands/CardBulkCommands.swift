// Commands that change cards, named or found by a query. Invariant: one command is one operation, however many cards it
// changes; an error for finding no card names what was searched for.
// Measured: parameters 9, as each field of a description has its label where it is written.

import Bindings
import Commands
import Decks
import Exchange
import Problems
import Templates
import Text
import Values
import Workspace

enum CardBulkCommands {
  static var all: [BuiltIn] {
    [
      editCards, replaceText, moveCards, removeCards, dueCards, forgetCards, suspendCards(true), suspendCards(false),
      buryCards, flagCards, tagCards, speakCards,
    ]
  }

  private static let cards = Argument(
    "CARD|QUERY", .query, help: "guids, their beginnings, DECK:POSITION, or a query that finds cards")
  private static let details = """
    Words that name cards select those cards. Anything else is a query, and all cards that it finds are changed as one \
    undo step.
    """

  /// A command that changes cards; Tab offers cards by deck and position, and query terms.
  private static func changing(
    _ name: String, _ summary: String, answer: String = "card...", details: String = details,
    argument: Argument = cards, options: [Option] = [], usage: [String] = [], example: String,
    run: @escaping BuiltIn.Run
  ) -> BuiltIn {
    BuiltIn(
      "card", name, effect: .changes, summary: summary, answer: answer, details: details, arguments: [argument],
      options: options, usage: usage, example: "card \(name) \(example)",
      complete: { word, _, session in
        let names = NameOffers(session: session)
        return try names.names(of: .card, word) + (word.isEmpty ? [] : names.names(of: .query, word))
      }, run: run)
  }

  private typealias Cards = AnyRandomAccessCollection<CardHandle>

  /// The cards that the words name, or else those that they find as a query.
  private static func cards(_ words: [String], _ session: Session) throws -> Cards {
    try found(words, session).cards
  }

  /// The same, and whether each word names a card.
  private static func found(_ words: [String], _ session: Session) throws -> (cards: Cards, areNamed: Bool) {
    let failure: any Error
    do { return (Cards(try words.map { try CardCommands.card($0, session) }.distinct(by: \.id)), true) } catch {
      switch error {
      case LookupError.noCard, DeckError.deckNotFound: failure = error
      default: throw error
      }
    }
    let text = try session.query(words)
    // An empty query would find every card.
    if text.trimmed.isEmpty { throw failure }
    let found: CardSequence
    do {
      let workspace = try session.workspace()
      found = try workspace.cards.find(in: workspace.decks.all(), matching: text)
    } catch DeckError.badQuery where words.count == 1 && text.last?.isNumber == true {
      // `Spanich:3` names a card of a deck that does not exist.
      throw failure
    }
    if found.count == 0 { throw LookupError.nothingFound(query: text) }
    return (found.count == 1 ? Cards(try found.rest()) : found.all, false)
  }

  private static let removeCards = changing(
    "remove", "Removes cards.", answer: "integer",
    details: details + " It asks first about several cards, and about those that a query finds; when it cannot ask, a "
      + "query is refused without --yes.",
    options: [Option("--yes", help: "agree to the removal")], example: "Spanish:3 Spanish:5"
  ) { invocation, session in
    let (cards, areNamed) = try found(invocation.list("CARD|QUERY"), session)
    let count = session.counted(cards.count, "card")
    if !invocation.flag("--yes"), !session.rehearsal.isOn, cards.count > 1 || !areNamed {
      if !areNamed, !session.canAsk { throw ShellError.losesCards(count) }
      let first = try cards.prefix(3).map { quoted(try $0.record().prompt) }.joined(separator: ", ")
      let question = "Remove \(count): \(first)\(cards.count > 3 ? ", ..." : "")?"
      guard try session.confirm(question) else { return CommandResult(.integer(0), line: "Nothing was removed.") }
    }
    let removed = try session.workspace().cards.remove(cards)
    return CommandResult(.integer(removed), line: "Removed \(session.counted(removed, "card")).")
  }

  private static let replaceText = changing(
    "replace", "Replaces a text in the fields of notes.",
    answer: "{kind, event, key, title, fields, added_tags, removed_tags}...",
    details: """
      The last two words are the old and the new text; the notes of the cards before them are changed as one undo \
      step, and each change is shown. OLD is looked for as it is written, with capitals and accents, in the text \
      between the tags of a field. With --regex it is a regular expression, and NEW may contain its groups: $1, \
      ${name}. A change that removes cards asks first; when it cannot ask, it is refused without --yes.
      """,
    argument: Argument("CARD|QUERY", .query, help: "cards or a query, then the old and the new text"),
    options: [
      Option("--regex", help: "OLD is a regular expression; (?i) at its beginning ignores case"),
      Option("--field", "F", help: "prompt, answer, or the name of a note's field; every field when left out"),
      Option("--yes", help: "agree to remove cards of the notes"),
    ], usage: ["card replace CARD|QUERY... OLD NEW [OPTION]..."], example: "tag:animal colour color --field Back"
  ) { invocation, session in
    let words = invocation.list("CARD|QUERY")
    guard words.count > 2 else { throw invocation.missing(words.count == 2 ? "NEW" : "OLD") }
    let old = words[words.count - 2]
    let text = try TextReplacement(of: old, by: words[words.count - 1], isExpression: invocation.flag("--regex"))
    let cards = try cards(words.dropLast(2), session)
    let notes = try session.workspace().notes
    let edits = try notes.replacements(of: text, in: cards, field: invocation.optionalText("--field"))
    if edits.isEmpty { return CommandResult(.list([]), line: "\(quoted(old)) is in none of the fields.") }
    let lost = try edits.reduce(0) { try $0 + $1.note.lostCards(fields: $1.fields) }
    guard try invocation.flag("--yes") || session.rehearsal.isOn || NoteCommands.agrees(toLosing: lost, session) else {
      return .unchanged(.value(.list([])))
    }
    try shown("Replacing", cards, session) { done in
      try notes.update(edits.map { ($0.note, $0.fields, nil) }, progress: done) { place, problem in
        problem.reworded(
          "\(quoted(FieldHTML.text(edits[place].change.title))): \(problem.message); nothing was changed")
      }
    }
    let (most, drawing) = (session.console.terminal.rowLimit ?? .max, ChangeLines(terminal: session.console.terminal))
    var lines = edits.prefix(most).flatMap { drawing.lines($0.change) }
    if edits.count > most { lines.append("… \(session.grouped(edits.count - most)) more") }
    lines.append("\(session.rehearsal.isOn ? "dry run: " : "")Replaced it in \(session.counted(edits.count, "note")).")
    return CommandResult(.list(edits.map { $0.change.value }), .drawn(lines))
  }

  private static let speakCards = changing(
    "speak", "Adds speech to cards, made by espeak-ng or the program in media.speech.", answer: "{spoken, skipped}",
    details: """
      The sound is added at the end of the text as [sound:NAME]. `r` plays it while you study, with the program in \
      media.player. A card that already has a sound is skipped.
      """,
    options: [
      Option("--field", "F", help: "prompt, answer, or the name of a note's field; prompt when left out"),
      Common.language,
    ], example: "deck:Spanish --field prompt --language spanish"
  ) { invocation, session in
    let found = try cards(invocation.list("CARD|QUERY"), session)
    let workspace = try session.workspace()
    let report = try shown("Speaking", found, session) { done in
      try workspace.speech.add(
        to: found, field: invocation.optionalText("--field"),
        in: workspace.words.language(named: invocation.optionalText("--language"))
      ) { count, _ in try done(count) }
    }
    let skipped =
      report.skipped > 0 ? "; \(session.grouped(report.skipped)) skipped (already with a sound, or without text)" : ""
    return CommandResult(
      .record(["spoken": report.spoken, "skipped": report.skipped]),
      line: "Added a sound to \(session.counted(report.spoken, "card"))\(skipped).")
  }

  /// Shows the progress of a change to many cards; an interrupt rolls it back.
  private static func shown<T>(
    _ label: String, _ cards: some Collection<CardHandle>, _ session: Session, _ change: (CardProgress) throws -> T
  ) throws -> T {
    // Finding as many has taken a second.
    let atOnce = cards.count >= 20_000
    return try session.console.showing(label, total: cards.count, unit: "cards", atOnce: atOnce) { progress in
      try change { done in
        progress(done, cards.count)
        try session.stopIfInterrupted()
      }
    }
  }

  private static func reply(_ cards: Cards, _ done: String, _ session: Session) -> CommandResult {
    CommandResult(.objects(Array(cards)), line: "\(done) \(session.counted(cards.count, "card")).")
  }

  private static let editCards = changing(
    "edit", "Changes the texts of cards.",
    details: """
      Without a new text, a card opens in $EDITOR with the fields of its note, each below its name. Several cards, \
      or those that a query finds, open as a table (with the fields of their notes as columns if all have one note \
      type); all changes made in it are one undo step. --prompt and --answer are for cards whose sides are fields; \
      `note edit --set` changes the fields of every other card.
      """,
    options: [
      Option("--prompt", "P", help: "the new prompt"), Option("--answer", "A", help: "the new answer"),
      Option("--yes", help: "agree to remove cards of the note"),
    ], example: "Spanish:1 --answer \"the hound\""
  ) { invocation, session in
    let found = try cards(invocation.list("CARD|QUERY"), session)
    let (prompt, answer) = (invocation.optionalText("--prompt"), invocation.optionalText("--answer"))
    guard prompt == nil, answer == nil else {
      try shown("Changing", found, session) {
        try session.workspace().cards.update(found, prompt: prompt, answer: answer, progress: $0)
      }
      return reply(found, "Changed", session)
    }
    guard found.count == 1 else {
      let changed = try CardTableEditing(session: session).edit(Array(found), agreed: invocation.flag("--yes"))
      if changed.isEmpty { return .unchanged(.objects([])) }
      return reply(Cards(changed), "Changed", session)
    }
    guard try NoteCommands.edit(found[found.startIndex].note(), [], session, agreed: invocation.flag("--yes")) else {
      return .unchanged(.objects([]))
    }
    return reply(found, "Changed", session)
  }

  private static let moveCards = changing(
    "move", "Moves a card to a position in its deck, or cards to another deck.", answer: "card or integer",
    details: "In another deck, which is created if it does not exist, they go to the top and keep their order.",
    argument: Argument("CARD|QUERY", .query, help: "a card and its new position; with --deck, cards or a query"),
    options: [Option("--deck", "DECK", .deck, help: "the deck to move them to")],
    usage: ["card move CARD POSITION", "card move CARD|QUERY... --deck DECK"], example: "Spanish:7 1"
  ) { invocation, session in
    let words = invocation.list("CARD|QUERY")
    guard let name = invocation.optionalText("--deck") else { return try moveCard(words, invocation, session) }
    let found = try cards(words, session)
    return try CardCommands.changing(name, by: .moveCard, count: found.count, session) { deck in
      let moved = try shown("Moving", found, session) {
        try session.workspace().cards.move(found, into: deck, progress: $0)
      }
      return CommandResult(
        .integer(moved), line: "Moved \(session.counted(moved, "card")) to \(quoted(try deck.record().name)).")
    }
  }

  private static func moveCard(
    _ words: [String], _ invocation: Invocation, _ session: Session
  ) throws -> CommandResult {
    guard words.count > 1 else { throw invocation.missing("POSITION") }
    guard words.count == 2 else {
      throw CommandError.extraArgument(command: "card move", words[2], usage: invocation.command.usageText)
    }
    guard let position = Int(words[1]), position > 0 else {
      throw invocation.badValue("POSITION", words[1], expected: "a whole number, at least 1")
    }
    let card = try CardCommands.card(words[0], session)
    try card.move(to: position)
    return CommandResult(
      .object(card),
      line: "\(quoted(try card.record().prompt)) is at position \(session.grouped(try card.position())).")
  }

  private static func suspendCards(_ suspends: Bool) -> BuiltIn {
    changing(
      suspends ? "suspend" : "resume",
      suspends ? "Suspends cards, so that reviews skip them." : "Puts suspended and buried cards into reviews again.",
      example: suspends ? "Spanish:3" : "is:suspended"
    ) { invocation, session in
      let found = try cards(invocation.list("CARD|QUERY"), session)
      try shown(suspends ? "Suspending" : "Resuming", found, session) {
        try session.workspace().cards.setSuspended(found, suspends, showsBuried: !suspends, progress: $0)
      }
      return reply(found, suspends ? "Suspended" : "Resumed", session)
    }
  }

  private static let buryCards = changing(
    "bury", "Hides cards until tomorrow.", details: details + " `card resume` shows them again.",
    example: "tag:verb is:due"
  ) { invocation, session in
    let found = try cards(invocation.list("CARD|QUERY"), session)
    let count = try session.workspace().cards.bury(found)
    return CommandResult(
      .objects(Array(found)),
      line: "\(session.counted(count, "card")) \(count == 1 ? "is" : "are") buried until tomorrow.")
  }

  /// Returns the words that name cards, and the last word, a value of that name.
  private static func wordsBeforeLast(_ invocation: Invocation, _ name: String) throws -> ([String], last: String) {
    let words = invocation.list("CARD|QUERY")
    guard words.count > 1, let last = words.last else { throw invocation.missing(name) }
    return (words.dropLast(), last)
  }

  private static let flagCards = changing(
    "flag", "Gives cards a flag from 1 to 7, or none with 0.",
    details: "1 red, 2 orange, 3 green, 4 blue, 5 pink, 6 turquoise, 7 purple. `flag:3` finds cards by their flag.",
    argument: Argument("CARD|QUERY", .query, help: "cards or a query, then the number of the flag"),
    usage: ["card flag CARD|QUERY... N"], example: "Spanish:3 1"
  ) { invocation, session in
    let (words, last) = try wordsBeforeLast(invocation, "N")
    let flag = Int(last) ?? CardHiding.flagNames.firstIndex(of: last.lowercased()) ?? -1
    guard CardHiding.flags.contains(flag) else {
      throw invocation.badValue("N", last, expected: CardHiding.flagExpectation)
    }
    let found = try cards(words, session)
    try shown("Flagging", found, session) { try session.workspace().cards.setFlag(found, to: flag, progress: $0) }
    return reply(found, flag == 0 ? "Removed the flag from" : "Flagged", session)
  }

  private static let dueCards = changing(
    "due", "Sets the day on which cards are due.",
    details: "DAYS are days from today, such as 0 or 3-7 (at random), or a date. Learnt cards keep their memory.",
    argument: Argument("CARD|QUERY", .query, help: "cards or a query, then the days"),
    usage: ["card due CARD|QUERY... DAYS"], example: "Spanish:3 3-7"
  ) { invocation, session in
    let (words, days) = try wordsBeforeLast(invocation, "DAYS")
    let found = try cards(words, session)
    try shown("Setting", found, session) { try session.workspace().cards.setDue(found, to: days, progress: $0) }
    return reply(found, "Set the due day of", session)
  }

  private static let forgetCards = changing(
    "forget", "Makes cards new again.",
    details: "They come after all other cards of their deck. Earlier answers stay in the log, but no longer count.",
    options: [
      Option("--keep-position", help: "leave the cards at their positions"),
      Option("--reset-counts", help: "set the counts of answers and lapses to 0"),
    ], example: "Spanish:3"
  ) { invocation, session in
    let found = try cards(invocation.list("CARD|QUERY"), session)
    let (keeps, resets) = (invocation.flag("--keep-position"), invocation.flag("--reset-counts"))
    try shown("Forgetting", found, session) {
      try session.workspace().cards.forget(found, keepsPosition: keeps, resetsCounts: resets, progress: $0)
    }
    return reply(found, "Forgot", session)
  }

  private static let tagCards = changing(
    "tag", "Adds tags to cards and removes tags.",
    options: [
      Option("--add", "T", isRepeating: true, help: "a tag to add"),
      Option("--remove", "T", isRepeating: true, help: "a tag to remove"),
    ], example: "Spanish:1 --add animal"
  ) { invocation, session in
    let (added, removed) = (invocation.list("--add"), invocation.list("--remove"))
    if added.isEmpty && removed.isEmpty { throw invocation.missing("--add or --remove") }
    let found = try cards(invocation.list("CARD|QUERY"), session)
    try shown("Tagging", found, session) {
      try session.workspace().cards.changeTags(found, adding: added, removing: removed, progress: $0)
    }
    return reply(found, added.isEmpty ? "Untagged" : "Tagged", session)
  }
}
