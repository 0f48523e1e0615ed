// `note add`: adds a note of any type, from given fields or in the editor.
// Invariant: input is plain text unless declared as HTML; a note whose editor was cancelled is not added.

import Bindings
import Commands
import Decks
import LuaRuntime
import Templates
import Text
import Workspace

enum NoteAddCommand {
  static var command: BuiltIn {
    BuiltIn(
      "note", "add", effect: .changes, summary: "Adds a note of a type, and the cards that are made from it.",
      answer: "note",
      details: """
        The fields are those of `notetype show TYPE`; fields that are left out are empty. Without any field, the note \
        opens in $EDITOR. The texts are plain text; with --html they are HTML.
        """,
      arguments: [
        Argument("TYPE", help: "a note type; `notetype list` lists them"),
        Argument("FIELD=VALUE", isOptional: true, isRepeating: true, help: "the text of a field"),
      ],
      options: [
        Option("--deck", "DECK", .deck, help: "the deck for its cards; may be left out if there is only one deck"),
        Option("--tag", "T", isRepeating: true, help: "a tag"),
        Option("--html", help: "the texts are HTML"),
      ], example: "note add Basic \"Front=el gato\" \"Back=the cat\" --deck Spanish --tag animal",
      complete: { _, before, session in NoteTypeCommands.names(before, session) }
    ) { invocation, session in
      let type = try session.workspace().noteTypes.open(invocation.text("TYPE"))
      let deck = try deck(invocation.optionalText("--deck"), session)
      let tags = invocation.list("--tag")
      let given = try fields(invocation.list("FIELD=VALUE"), of: type.record(), isHTML: invocation.flag("--html"))
      if !given.isEmpty {
        return try added(deck.addNote(NewNote(fields: given, tags: tags), type: type), deck, session)
      }
      var note: NoteHandle?
      let sheet = try NoteSheet.sheet(of: type.record(), tags: tags)
      try session.editor.edit(sheet.text(advice: NoteSheet.newAdvice), orElse: "give FIELD=VALUE") { edited in
        note = try deck.addNote(NoteSheet.note(Sheet(edited), type: type.record()), type: type)
      }
      return try note.map { try added($0, deck, session) } ?? .unchanged()
    }
  }

  private static func deck(_ name: String?, _ session: Session) throws -> DeckHandle {
    try name.map { try session.workspace().decks.open($0) } ?? StudyChoice.only(session, usage: "--deck DECK")
  }

  private static func fields(_ words: [String], of type: NoteType, isHTML: Bool) throws -> [String: String] {
    var fields: [String: String] = [:]
    for word in words {
      guard let (name, text) = assignment(word) else {
        throw CommandError.badValue(
          command: "note add", name: "FIELD=VALUE", value: word, expected: "a field, = and its text")
      }
      guard type.fields.contains(name) else { throw type.unknownField(name) }
      if fields[name] != nil { throw CommandError.repeatedOption(command: "note add", option: name) }
      fields[name] = isHTML ? text : FieldHTML.html(ofPlain: text.trimmed)
    }
    return fields
  }

  private static func added(_ note: NoteHandle, _ deck: DeckHandle, _ session: Session) throws -> CommandResult {
    let cards = try note.cards()
    let (prompt, name) = (quoted(try cards.first?.record().prompt ?? ""), quoted(try deck.record().name))
    return CommandResult(
      .object(note), line: "Added the note \(prompt) with \(session.counted(cards.count, "card")) to \(name).")
  }
}
