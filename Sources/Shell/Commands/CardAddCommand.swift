// `card add`: adds a card with a prompt and an answer, or a note of another type with its cards.
// Invariant: what the user types is plain text; none of it is interpreted as HTML.

import Bindings
import Commands
import Decks
import LuaRuntime
import Templates
import Text
import Workspace

enum CardAddCommand {
  static var command: BuiltIn {
    BuiltIn(
      "card", "add", effect: .changes, summary: "Adds a card at the top of a deck, or a note with several cards.",
      answer: "card or card...",
      details: """
        --reversed adds a note with a second card that asks in the other direction; --type-answer adds one whose \
        answer you type. With --cloze, each number in {{c1::hidden}} or {{c1::hidden::hint}} makes a card.
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
      let deck = try session.workspace().decks.open(invocation.text("DECK"))
      if let text = invocation.optionalText("--cloze") { return try addCloze(text, to: deck, invocation, session) }
      let (prompt, answer) = (try text("PROMPT", invocation), try text("ANSWER", invocation))
      guard let type = try noteType(invocation) else {
        let card = try deck.add(NewCard(prompt: prompt, answer: answer, tags: invocation.list("--tag")))
        let name = quoted(try deck.record().name)
        return CommandResult(.object(card), line: "Added \(quoted(try card.record().prompt)) to \(name).")
      }
      let note = NewNote.plain(["Front": prompt, "Back": answer], tags: invocation.list("--tag"))
      return try added(deck.addNote(note, type: type), to: deck, session)
    }
  }

  private static func text(_ name: String, _ invocation: Invocation) throws -> String {
    if let text = invocation.optionalText(name) { return text }
    throw invocation.missing(name)
  }

  /// The stock note type that the options ask for; nil for Basic.
  private static func noteType(_ invocation: Invocation) throws -> StockNoteType? {
    try invocation.allowOne(of: ["--reversed", "--type-answer"])
    return invocation.flag("--reversed") ? .reversed : invocation.flag("--type-answer") ? .typed : nil
  }

  private static func addCloze(
    _ text: String, to deck: DeckHandle, _ invocation: Invocation, _ session: Session
  ) throws -> CommandResult {
    try invocation.refuse(["--reversed", "--type-answer"], beside: "--cloze")
    if let extra = invocation.optionalText("PROMPT") {
      let usage = invocation.command.usageLines.last ?? ""
      throw CommandError.extraArgument(command: "card add", extra, usage: usage)
    }
    let note = NewNote.plain(["Text": text], tags: invocation.list("--tag"))
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
}
