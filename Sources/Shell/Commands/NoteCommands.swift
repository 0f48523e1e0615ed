// `note ...`. Invariant: a note is named by one of its cards or by its guid; input is plain text unless declared as
// HTML; a change that removes cards needs confirmation.

import Bindings
import Commands
import Decks
import Problems
import Templates
import Text
import Values
import Workspace

enum NoteCommands {
  static var all: [BuiltIn] { [show, edit, addNote] }

  private static let note = Argument(
    "NOTE", .card, help: "its guid or the beginning of it, or DECK:POSITION of one of its cards")

  /// The one note that a text names.
  static func note(_ text: String, _ session: Session) throws -> NoteHandle {
    let isPlace = text.lastIndex(of: ":").map { Int(text[text.index(after: $0)...]) != nil } ?? false
    if !isPlace, !text.isEmpty {
      let found = try session.workspace().notes.find(guidBeginning: text)
      if found.count == 1 { return found[0] }
      if let exact = try found.first(where: { try $0.record().guid == text }) { return exact }
      if found.count > 1 { throw LookupError.severalNotes(guid: text, guids: try found.map { try $0.record().guid }) }
    }
    return try CardCommands.card(text, session).note()
  }

  private static let show = BuiltIn(
    "note", "show", summary: "Shows a note: its fields, and the cards that are made from them.", answer: "note",
    details: "A field that contains more than plain text is shown as HTML.", arguments: [note],
    example: "note show Spanish:1"
  ) { invocation, session in
    let note = try note(invocation.text("NOTE"), session)
    let record = try note.record()
    var fields = try note.fields().map { Display.Field($0.name, FieldHTML.plain($0.value) ?? $0.value) }
    fields.append(.init("type", try note.type().record().name))
    fields.append(.init("tags", record.tags.joined(separator: " ")))
    fields.append(.init("guid", record.guid))
    let cards = try note.cards()
    let type = try note.type().record()
    let rows = try cards.map { card in
      let row = try card.record()
      return [cardName(row.ordinal, type), try card.place(), row.prompt, row.answer]
    }
    let table = TableText(["Card", "Place", "Prompt", "Answer"], rows: rows)
    return CommandResult(.object(note), .parts([.fields(fields), .lines([""]), .table(table)]))
  }

  /// The name of the card's template; for a cloze, with the card's number.
  private static func cardName(_ ordinal: Int, _ type: NoteType) -> String {
    if type.isCloze { return "\(type.cards.first?.name ?? "Cloze") \(ordinal + 1)" }
    return type.cards.indices.contains(ordinal) ? type.cards[ordinal].name : "\(ordinal + 1)"
  }

  private static let edit = BuiltIn(
    "note", "edit", effect: .changes, summary: "Changes the fields and tags of a note, and its cards with them.",
    answer: "note",
    details: """
      Without --set the note opens in $EDITOR. The texts are plain text; with --html they are HTML. A field that \
      contains formatting can be changed only as HTML, or with --plain, which removes the formatting. A change that \
      removes cards asks first; when it cannot ask, it is refused without --yes.
      """, arguments: [note],
    options: [
      Option("--set", "FIELD=TEXT", isRepeating: true, help: "the new text of a field"),
      Option("--html", help: "the texts are HTML"), Option("--plain", help: "replace formatting by plain text"),
      Option("--yes", help: "agree to the removal of cards"),
    ], example: "note edit Spanish:1 --set \"Back=the tomcat\""
  ) { invocation, session in
    let note = try note(invocation.text("NOTE"), session)
    let fields = try fields(invocation, "--set") { name in
      let old = try note.field(name)
      if !invocation.flag("--html"), !invocation.flag("--plain"), FieldHTML.plain(old) == nil {
        throw NoteError.formatted(field: name)
      }
    }
    guard try edit(note, fields, session, agreed: invocation.flag("--yes")) else { return .unchanged(.object(note)) }
    let cards = try note.cards()
    let prompt = quoted(try cards.first?.record().prompt ?? "")
    return CommandResult(
      .object(note), line: "Changed the note \(prompt); it has \(session.counted(cards.count, "card")).")
  }

  /// Changes fields of a note, or all of it in $EDITOR when none are given.
  /// - Parameter agreed: whether cards may be removed without asking.
  /// - Returns: whether the note changed.
  static func edit(
    _ note: NoteHandle, _ given: [(name: String, html: String)], _ session: Session, agreed: Bool = false
  ) throws -> Bool {
    let before = try note.record()
    func update(_ fields: [String: String], _ tags: [String]?) throws {
      guard try agreed || agrees(toLosing: note.lostCards(fields: fields), session) else { return }
      try note.update(fields: fields, tags: tags)
    }
    if given.isEmpty {
      let sheet = try NoteSheet.sheet(of: note)
      try session.editor.edit(sheet.text(advice: NoteSheet.advice), orElse: "give --set FIELD=TEXT") { edited in
        let changes = try NoteSheet.changes(Sheet(edited), since: sheet, to: note)
        try update(changes.fields, changes.tags)
      }
    } else {
      try update(Dictionary(firstOf: given.map { ($0.name, $0.html) }), nil)
    }
    let after = try note.record()
    return before.fields != after.fields || before.tags != after.tags
  }

  /// The fields that an argument or an option sets by `FIELD=TEXT`, as HTML.
  /// - Parameter check: throws for a field that there is not, or that cannot be set.
  private static func fields(
    _ invocation: Invocation, _ argument: String, _ check: (String) throws -> Void
  ) throws -> [(name: String, html: String)] {
    var fields: [(name: String, html: String)] = []
    for word in invocation.list(argument) {
      guard let (name, text) = assignment(word) else {
        throw invocation.badValue(argument, word, expected: "a field, = and its text")
      }
      if fields.contains(where: { $0.name == name }) {
        throw CommandError.repeatedOption(command: invocation.command.name, option: name)
      }
      try check(name)
      fields.append((name, invocation.flag("--html") ? text : FieldHTML.html(ofPlain: text.trimmed)))
    }
    return fields
  }

  /// Whether a change may be made; asks the user when it removes cards.
  /// - Throws: `ShellError.losesCards` when nobody can be asked.
  static func agrees(toLosing lost: Int, _ session: Session) throws -> Bool {
    if lost == 0 { return true }
    let what = "\(session.counted(lost, "card")) with the schedule"
    if !session.canAsk { throw ShellError.losesCards(what) }
    return try session.confirm("This removes \(what). Continue?")
  }

  static let addNote = BuiltIn(
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
      Option("--tag", "T", isRepeating: true, help: "a tag"), Option("--html", help: "the texts are HTML"),
    ], example: "note add Basic \"Front=el gato\" \"Back=the cat\" --deck Spanish --tag animal",
    complete: { _, before, session in try NoteTypeCommands.names(before, session) }
  ) { invocation, session in
    let type = try session.workspace().noteTypes.described(invocation.text("TYPE"))
    let deck =
      try invocation.optionalText("--deck").map { try session.workspace().decks.open($0) }
      ?? StudyChoice.only(session, usage: "--deck DECK")
    let tags = invocation.list("--tag")
    let given = try fields(invocation, "FIELD=VALUE") {
      if !type.fields.contains($0) { throw type.unknownField($0) }
    }
    func add(_ note: NewNote) throws -> NoteHandle {
      var note = note
      note.place = .bottom
      return try deck.addNote(note, typeNamed: type.name)
    }
    if !given.isEmpty {
      let fields = Dictionary(firstOf: given.map { ($0.name, $0.html) })
      return try added(add(NewNote(fields: fields, tags: tags)), deck, session)
    }
    var note: NoteHandle?
    let sheet = NoteSheet.sheet(of: type, tags: tags)
    try session.editor.edit(sheet.text(advice: NoteSheet.newAdvice), orElse: "give FIELD=VALUE") { edited in
      note = try add(NoteSheet.note(Sheet(edited), type: type))
    }
    return try note.map { try added($0, deck, session) } ?? .unchanged()
  }

  static func added(_ note: NoteHandle, _ deck: DeckHandle, _ session: Session) throws -> CommandResult {
    let cards = try note.cards()
    let (prompt, name) = (quoted(try cards.first?.record().prompt ?? ""), quoted(try deck.record().name))
    return CommandResult(
      .object(note), line: "Added the note \(prompt) with \(session.counted(cards.count, "card")) to \(name).")
  }
}
