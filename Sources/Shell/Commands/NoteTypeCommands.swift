// `notetype ...` and `media ...`. Invariant: a change that removes cards or texts counts them and asks first; when
// nobody can be asked, it is refused unless `--yes` agrees to it; no needed file is removed.

import Bindings
import Commands
import Decks
import Files
import LuaRuntime
import Templates
import Text
import Values
import Workspace

enum NoteTypeCommands {
  static var all: [BuiltIn] { [list, show, create, edit] }

  private static let name = Argument("NAME", help: "a note type; `notetype list` lists them")
  private static let file = Option("--from", "FILE", .file, access: .read, help: "a text as `notetype show` prints it")

  /// The names of the note types, for the first argument.
  static func names(_ before: [String], _ session: Session) throws -> [Offer] {
    try before.isEmpty ? session.workspace().noteTypes.all().map { Offer(try $0.record().name) } : []
  }

  private static let list = BuiltIn("notetype", "list", summary: "Lists the note types.", answer: "notetype...") {
    _, session in
    let noteTypes = try session.workspace().noteTypes
    let (types, counts) = (try noteTypes.all(), try noteTypes.noteCounts())
    let rows = try types.map { type in
      let record = try type.record()
      return [
        record.name, record.fields.joined(separator: ", "),
        record.isCloze ? "one for each cloze" : record.cards.map(\.name).joined(separator: ", "),
        session.grouped(counts[type.id] ?? 0),
      ]
    }
    let table = TableText(
      [.name("Note type"), "Fields", "Cards", .number("Notes")], rows: rows, whenEmpty: "No note types.")
    return CommandResult(.objects(types), .table(table))
  }

  private static let show = BuiltIn(
    "notetype", "show", summary: "Shows a note type: fields, templates, style.", answer: "notetype",
    details: "`notetype create` and `notetype edit` read the same text with --from.", arguments: [name],
    example: "notetype show Basic", complete: { _, before, session in try names(before, session) }
  ) { invocation, session in
    let type = try session.workspace().noteTypes.open(invocation.text("NAME"))
    let text = NoteTypeSheet.sheet(of: try type.record().draft).text(advice: [])
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return CommandResult(.object(type), .lines(lines.map { printable(String($0), limit: .max) }))
  }

  private static let create = BuiltIn(
    "notetype", "create", effect: .changes, summary: "Creates a note type.", answer: "notetype",
    details: """
      Without --from it opens in $EDITOR as a copy of Basic, or of Cloze with --cloze. The sides of its cards are \
      HTML, in which {{Word}} shows a field. What `notetype show` prints of another type can be its --from.
      """, arguments: [Argument("NAME", help: "the new type's name")],
    options: [
      Option("--cloze", help: "make one card for each cloze number"), file,
    ], example: "notetype create Word --from word.txt"
  ) { invocation, session in
    let workspace = try session.workspace()
    let isCloze = invocation.flag("--cloze")
    var type: NoteTypeHandle?
    func create(_ draft: NoteTypeDraft) throws { type = try workspace.noteTypes.create(draft) }
    if let path = invocation.optionalText("--from") {
      var draft = try read(path, isCloze: isCloze, session)
      draft.name = invocation.text("NAME")
      try create(draft)
    } else {
      var draft = (isCloze ? StockNoteType.cloze : .basic).draft
      draft.name = invocation.text("NAME")
      let text = NoteTypeSheet.sheet(of: draft).text(advice: NoteTypeSheet.advice)
      try session.editor.edit(text, orElse: "give --from FILE", appliesUnchanged: true) {
        try create(NoteTypeSheet.draft(Sheet($0), isCloze: isCloze))
      }
    }
    guard let type else { return CommandResult(.null, line: "Nothing was created.") }
    return CommandResult(.object(type), line: "Created note type \(quoted(try type.record().name)).")
  }

  private static func read(_ path: String, isCloze: Bool, _ session: Session) throws -> NoteTypeDraft {
    let path = session.environment.folders.expanded(path)
    let bytes = try FileText.bytes(path, limit: 16 << 20, .any, isInterrupted: session.environment.isInterrupted)
    guard let text = String(validating: bytes, as: UTF8.self) else { throw EditorError.notUTF8 }
    return try NoteTypeSheet.draft(Sheet(text), isCloze: isCloze)
  }

  private static let edit = BuiltIn(
    "notetype", "edit", effect: .changes, summary: "Changes a note type, and its notes and their cards with it.",
    answer: "notetype",
    details: """
      Without --from it opens in $EDITOR. A field or card that keeps its name keeps its texts and schedule; if their \
      number is unchanged, the others are renamed by position. A change that removes cards or texts asks first.
      """, arguments: [name], options: [file, Option("--yes", help: "agree to the removal of cards and texts")],
    example: "notetype edit Word --from word.txt", complete: { _, before, session in try names(before, session) }
  ) { invocation, session in
    let type = try session.workspace().noteTypes.open(invocation.text("NAME"))
    let before = try type.record()
    let agreed = invocation.flag("--yes")
    if let path = invocation.optionalText("--from") {
      try change(type, to: read(path, isCloze: before.isCloze, session), since: before, agreed: agreed, session)
    } else {
      let text = NoteTypeSheet.sheet(of: before.draft).text(advice: NoteTypeSheet.advice)
      let isEdited = try session.editor.edit(text, orElse: "give --from FILE") {
        let draft = try NoteTypeSheet.draft(Sheet($0), isCloze: before.isCloze)
        try change(type, to: draft, since: before, agreed: agreed, session)
      }
      if !isEdited { return .unchanged(.object(type)) }
    }
    if try type.record() == before { return .unchanged(.object(type)) }
    let notes = session.counted(try type.noteCount(), "note")
    return CommandResult(.object(type), line: "Note type \(quoted(try type.record().name)): \(notes).")
  }

  private static func change(
    _ type: NoteTypeHandle, to draft: NoteTypeDraft, since shown: NoteType, agreed: Bool, _ session: Session
  ) throws {
    let known = try type.record()
    let edit = NoteTypeEdit(known, to: draft.keeping(known.draft, since: shown.draft))
    let loss = try type.loss(of: edit)
    var agreed = agreed
    if !agreed, !loss.isNothing {
      if !session.canAsk { throw ShellError.losesCards(loss.inWords) }
      agreed = try session.confirm("This removes \(loss.inWords). Continue?")
      if !agreed { return }
    }
    try type.edit(edit, agreed: agreed)
  }
}

enum MediaCommands {
  static var all: [BuiltIn] { [list, add, speak, remove] }

  private static let list = BuiltIn(
    "media", "list", summary: "Lists the pictures and sounds that cards can use.", answer: "{name, size}..."
  ) { _, session in
    CommandResult(
      listing: try session.workspace().media.all(), [.name("Name"), .number("Bytes")],
      whenEmpty: "No media; `media add FILE` adds some."
    ) {
      ["name": $0.name, "size": $0.size]
    } row: {
      [$0.name, session.grouped($0.size)]
    }
  }

  private static let add = BuiltIn(
    "media", "add", effect: .changes, summary: "Adds pictures and sounds.", answer: "text...",
    details: "Copies the files. Use them in a field as [sound:NAME] or <img src=\"NAME\">; the answer is the names.",
    arguments: [Argument("FILE", .file, isRepeating: true, access: .read, help: "pictures or sounds")],
    example: "media add perro.mp3"
  ) { invocation, session in
    let workspace = try session.workspace()
    let folders = session.environment.folders
    let names = try workspace.media.add(from: invocation.list("FILE").map { folders.expanded($0) }, .any)
    if !session.rehearsal.isOn {
      for name in names {
        guard let what = try workspace.media.misnamed(name) else { continue }
        session.console.note("\(quoted(name)) is not a \(what), by its first bytes: cards will not show or play it.")
      }
    }
    return CommandResult(.value(.list(names.map { .text($0) })), .lines(names.map { "Added \(quoted($0))." }))
  }

  private static let speak = BuiltIn(
    "media", "speak", effect: .changes,
    summary: "Makes a sound file of a text, with espeak-ng or the program in media.speech.", answer: "text",
    details:
      "The answer is its name; use it in a field as [sound:NAME]. `card speak` adds sounds to cards. Another voice: "
      + "`set media.speech \"piper -m es.onnx -f {file}\"`.", arguments: [Argument("TEXT", help: "the text to speak")],
    options: [Common.language], example: "media speak \"el perro\" --language spanish"
  ) { invocation, session in
    let workspace = try session.workspace()
    let name = try workspace.speech.file(
      of: invocation.text("TEXT"), in: workspace.words.language(named: invocation.optionalText("--language")))
    return CommandResult(.text(name), line: "Added \(quoted(name)).")
  }

  private static let remove = BuiltIn(
    "media", "remove", effect: .changes, summary: "Removes media files by name.", answer: "integer",
    details: "The content stays on disk until `doctor --mend media`, so that this can be undone. A file that a note or "
      + "a note type uses is removed only after a question, or with --force.",
    arguments: [Argument("NAME", isRepeating: true, help: "names of media; `media list` lists them")],
    options: [Option("--force", help: "remove files that are in use, too")], example: "media remove perro.mp3",
    complete: { _, _, session in try session.workspace().media.all().map { Offer($0.name) } }
  ) { invocation, session in
    // A name given twice counts once.
    let names = invocation.list("NAME").distinct(by: \.self)
    let media = try session.workspace().media
    if !invocation.flag("--force"), let used = try media.firstUsed(of: names) {
      if !session.canAsk { throw NoteError.mediaInUse(name: used.name, users: used.users) }
      let question = "\(quoted(used.name)) is used by \(used.users). Remove \(names.count == 1 ? "it" : "the files")?"
      guard try session.confirm(question) else { return CommandResult(.integer(0), line: "Nothing was removed.") }
    }
    try media.remove(names)
    return CommandResult(.integer(names.count), line: "Removed \(session.counted(names.count, "media file")).")
  }
}
