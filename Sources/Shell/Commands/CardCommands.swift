// `card ...`. Invariant: a named card is exactly one card; an ambiguous name is refused with the ways to tell the
// candidates apart; what the user types as a card's text is plain text, never HTML.

import Bindings
import CardDocuments
import Commands
import Decks
import Exchange
import Memory
import Storage
import Templates
import Text
import Values
import Workspace

enum CardCommands {
  static var all: [BuiltIn] {
    [
      CardListCommand.command, addCard, showCard, cardHistory, attachDocument,
    ] + CardBulkCommands.all
  }

  private static let card = Argument("CARD", .card, help: "a guid, its beginning, or DECK:POSITION")

  /// The one card that a text names.
  static func card(_ text: String, _ session: Session) throws -> CardHandle {
    // An empty argument, as from an empty variable of a script, names no card, although it is a prefix of every guid.
    if text.isEmpty { throw LookupError.noCard(guid: text) }
    let found = try session.workspace().cards.find(guidBeginning: text)
    if let placed = try placed(text, mayBeGuid: !found.isEmpty, session) { return placed }
    if found.count == 1 { return found[0] }
    let exact = try found.filter { try $0.record().guid == text }
    if exact.count == 1 { return exact[0] }
    if found.isEmpty { throw LookupError.noCard(guid: text) }
    let places = try found.prefix(4).map { try $0.place() }
    throw LookupError.severalCards(guid: text, places: places)
  }

  /// The card at `DECK:POSITION`; nil for text of another form. Other programs' guids may look like one.
  private static func placed(_ text: String, mayBeGuid: Bool, _ session: Session) throws -> CardHandle? {
    guard let colon = text.lastIndex(of: ":"), let position = Int(text[text.index(after: colon)...]) else { return nil }
    let deck: DeckHandle
    do {
      deck = try session.workspace().decks.open(String(text[..<colon]))
    } catch DeckError.deckNotFound where mayBeGuid {
      return nil
    }
    if position >= 1, let card = try deck.card(at: position) { return card }
    throw LookupError.noCardAt(position: position, deck: try deck.record().name, count: try deck.count())
  }

  private static let showCard = BuiltIn(
    "card", "show", summary: "Shows all fields of a card.", answer: "card", arguments: [Self.card],
    example: "card show Spanish:1"
  ) { invocation, session in
    let card = try card(invocation.text("CARD"), session)
    return CommandResult(.object(card), .fields(try fields(of: card, session)))
  }

  /// All fields of a card that have a value.
  private static func fields(of card: CardHandle, _ session: Session) throws -> [Display.Field] {
    var fields: [Display.Field] = []
    for property: CardProperty in [
      .tags, .deck, .state, .due, .interval, .stability, .difficulty, .reps, .lapses, .created,
      .modified, .flag, .guid, .document, .noteType,
    ] {
      let text = try property.text(of: card, session)
      switch property {
      case .deck: fields.append(.init("deck", "\(text), position \(session.grouped(try card.position()))"))
      case .flag:
        if let flag = Int(text), flag > 0, flag < CardHiding.flagNames.count {
          fields.append(.init("flag", CardHiding.flagNames[flag]))
        }
      case .document:
        guard let document = try card.document()?.document() else { continue }
        fields.append(.init("document", "\(text.prefix(8))  \(document.content.summary)"))
      case .noteType: fields.append(.init("note", text))
      case .tags: fields.append(.init("tags", text))
      case .stability:
        guard let recall = try card.recall() else { continue }
        let speed = recall.speed.map { ", after a \($0.rawValue) answer" }
        fields.append(.init("stability", "\(text), recall \(percent(recall.share)) today\(speed ?? "")"))
      default: if !text.isEmpty { fields.append(.init(property.rawValue, text)) }
      }
    }
    if try card.isUnmade() {
      fields.append(.init("made", "no longer made by its note; `doctor --mend cards` removes such cards"))
    }
    fields += try card.unnamedFields().map { .init($0.name, $0.text) }
    let (terminal, names) = (session.console.terminal, ["prompt", "answer"] + fields.map(\.name))
    let drawn = try card.drawn(terminal.drawing)
    return [
      terminal.field("prompt", drawn.prompt, beside: names), terminal.field("answer", drawn.answer, beside: names),
    ] + fields
  }

  private static let attachDocument = BuiltIn(
    "card", "attach", effect: .changes, summary: "Attaches a document that a card shows with its answer.",
    answer: "card", details: "Use `none` instead of a document to detach it.",
    arguments: [Self.card, Argument("DOC", .document, help: "a document's id, or its beginning")],
    example: "card attach Spanish:1 6D92"
  ) { invocation, session in
    let card = try card(invocation.text("CARD"), session)
    let name = invocation.text("DOC")
    let document = name == "none" ? nil : try session.workspace().documents.open(name)
    try card.setDocument(document?.idForCards())
    let prompt = quoted(try card.record().prompt)
    let title = try document?.document().content.title
    return CommandResult(
      .object(card), line: title.map { "\(prompt) shows \(quoted($0))." } ?? "\(prompt) shows no document.")
  }

  static let addCard = BuiltIn(
    "card", "add", effect: .changes, summary: "Adds a card at the end of a deck, or a note with several cards.",
    answer: "card or card...",
    details: """
      The deck is created if it does not exist. --reversed adds a note with a second card that asks in the other \
      direction; --type-answer adds one whose answer you type. With --cloze, each number in {{c1::hidden}} or \
      {{c1::hidden::hint}} makes a card.
      """,
    arguments: [
      Common.deck, Argument("PROMPT", isOptional: true, help: "what is asked"),
      Argument("ANSWER", isOptional: true, help: "the expected answer"),
    ],
    options: [
      Option("--tag", "T", isRepeating: true, help: "a tag"),
      Option("--reversed", help: "add a second card that asks for the prompt"),
      Option("--type-answer", help: "the answer is typed when the card is studied"),
      Option("--cloze", "TEXT", help: "instead of prompt and answer: a text with {{c1::hidden}} parts"),
    ],
    usage: [
      "card add DECK PROMPT ANSWER [--tag T]... [--reversed] [--type-answer]",
      "card add DECK --cloze TEXT [--tag T]...",
    ], example: "card add Spanish \"el perro\" \"the dog\" --tag animal"
  ) { invocation, session in
    try changing(invocation.text("DECK"), by: .addCards, session) { try add(to: $0, invocation, session) }
  }

  private static func add(to deck: DeckHandle, _ invocation: Invocation, _ session: Session) throws -> CommandResult {
    if let text = invocation.optionalText("--cloze") { return try addCloze(text, to: deck, invocation, session) }
    let (prompt, answer) = (try text("PROMPT", invocation), try text("ANSWER", invocation))
    try invocation.allowOne(of: ["--reversed", "--type-answer"])
    guard invocation.flag("--reversed") || invocation.flag("--type-answer") else {
      let card = try deck.add(NewCard(prompt: prompt, answer: answer, tags: invocation.list("--tag")), at: .bottom)
      let name = quoted(try deck.record().name)
      return CommandResult(.object(card), line: "Added \(quoted(try card.record().prompt)) to \(name).")
    }
    var note = NewNote.plain(["Front": prompt, "Back": answer], tags: invocation.list("--tag"))
    note.place = .bottom
    let type = invocation.flag("--reversed") ? StockNoteType.reversed : .typed
    return try added(deck.addNote(note, type: type), to: deck, session)
  }

  /// Runs a change of the deck with a name; one that does not exist is created with it, and the user is told.
  static func changing<T>(
    _ name: String, by operation: Operation, count: Int = 1, _ session: Session, _ change: (DeckHandle) throws -> T
  ) throws -> T {
    let decks = try session.workspace().decks
    let isNew = try decks.named(name) == nil
    let result = try decks.openOrCreate(name, for: operation, count: count, change)
    if isNew { session.console.note("new deck: \(printable(name))") }
    return result
  }

  private static func text(_ name: String, _ invocation: Invocation) throws -> String {
    if let text = invocation.optionalText(name) { return text }
    throw invocation.missing(name)
  }

  private static func addCloze(
    _ text: String, to deck: DeckHandle, _ invocation: Invocation, _ session: Session
  ) throws -> CommandResult {
    try invocation.refuse(["--reversed", "--type-answer"], beside: "--cloze")
    if let extra = invocation.optionalText("PROMPT") {
      let usage = invocation.command.usageLines.last ?? ""
      throw CommandError.extraArgument(command: "card add", extra, usage: usage)
    }
    var note = NewNote.plain(["Text": text], tags: invocation.list("--tag"))
    note.place = .bottom
    return try added(deck.addNote(note, type: .cloze), to: deck, session)
  }

  private static func added(_ note: NoteHandle, to deck: DeckHandle, _ session: Session) throws -> CommandResult {
    let cards = try note.cards()
    let prompts = try cards.prefix(3).map { quoted(try $0.record().prompt) }.joined(separator: ", ")
    let more = cards.count > 3 ? ", ..." : ""
    let name = quoted(try deck.record().name)
    return CommandResult(
      .objects(cards), line: "Added \(session.counted(cards.count, "card")) to \(name): \(prompts)\(more).")
  }

  static let cardHistory = BuiltIn(
    "card", "history", summary: "Shows each step that changed a card, with what changed and when.",
    answer: "{step, name, at, event, fields, added_tags, removed_tags}...",
    details: """
      The steps are those of `undo --list`, newest first; changes that other cards of the note share are included. \
      `undo N` undoes one of them; `deckhand --at N card show CARD` shows the card as it was after a step.
      """, arguments: [Self.card], example: "card history Spanish:1"
  ) { invocation, session in
    let steps = try session.workspace().comparing.history(of: CardCommands.card(invocation.text("CARD"), session))
    let terminal = session.console.terminal
    let drawing = ChangeLines(terminal: terminal)
    var lines: [String] = []
    for step in steps {
      let name = printable(step.step.name, limit: 500)
      lines.append(terminal.styled("step \(step.step.id)", .bold) + "  \(session.since(step.step.at))  \(name)")
      lines += drawing.fields(step.change).map { "  " + $0 }
    }
    if steps.isEmpty { lines = ["No stored undo step changed this card."] }
    return CommandResult(.list(steps.map { value($0.step, $0.change) }), .drawn(lines))
  }

  private static func value(_ step: UndoStep, _ change: ComparedChange) -> Value {
    let change = change.value.record ?? Value.Record()
    let wanted: Set<String> = ["event", "fields", "added_tags", "removed_tags"]
    let names = [("step", Value.integer(step.id)), ("name", .text(step.name)), ("at", .number(step.at))]
    return .record(names + change.fields.filter { wanted.contains($0.name) }.map { ($0.name, $0.value) })
  }
}
