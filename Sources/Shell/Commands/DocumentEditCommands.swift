// `doc set`, `doc edit` and `doc remove`, and documents as files: `doc render`, `doc export` and `doc page`. Invariant:
// the editor changes a copy; its result is one change of the document; the ending of a file decides its format.

import Bindings
import CardDocuments
import Commands
import Exchange
import Files
import Text
import Values
import Wire
import Workspace

enum DocumentEditCommands {
  static let set = BuiltIn(
    "doc", "set", effect: .changes, summary: "Sets fields of elements.", answer: "document",
    details: """
      Fields: \(ElementField.allCases.map(\.rawValue).joined(separator: ", ")). x, y, width and height are in units \
      (a card is 1300 by 2000, x and y from its centre, y downwards), rotation in degrees clockwise. wraps=true \
      breaks the lines of a text at the sides of its box, size=N sets their height, align=left their alignment, \
      grows=true makes the box as high as they need, cropped=true lets a picture fill its box, group=NAME groups \
      elements. Words without = name elements; words with = set a field of each of them.
      """,
    arguments: [
      DocumentCommands.document,
      Argument("ELEMENT|FIELD=VALUE", isRepeating: true, help: "elements, then fields and their new values"),
    ], usage: ["doc set DOC ELEMENT... FIELD=VALUE..."], example: "doc set 6D92 1 2 x=100 rotation=15",
    complete: { _, before, session in
      if before.isEmpty { return [] }
      let fields = before.count > 1 ? fieldOffers : []
      return try DocumentCommands.elementOffers(before: before, session).filter { !before.contains($0.text) } + fields
    }
  ) { invocation, session in
    let words = invocation.list("ELEMENT|FIELD=VALUE")
    let names = words.filter { !$0.contains(text: "=") }
    let changes = try words.filter { $0.contains(text: "=") }.map { try fieldAndValue($0) }
    if names.isEmpty { throw invocation.missing("ELEMENT") }
    if changes.isEmpty { throw invocation.missing("FIELD=VALUE") }
    return try DocumentCommands.changing(invocation, session) { document in
      // An element or a field that is named twice is counted once.
      let elements = try names.map { try DocumentCommands.element($0, of: document) }.distinct(by: \.id)
      for element in elements { for (field, value) in changes { try element.set(field, to: value) } }
      let what = session.counted(Set(changes.map { $0.0 }).count, "field")
      return "Changed \(what)" + (elements.count > 1 ? " of \(session.counted(elements.count, "element"))." : ".")
    }
  }

  static let fields = Argument(
    "FIELD=VALUE", isOptional: true, isRepeating: true, help: "x=100, width=400, size=120, ... as for `doc set`")

  static var fieldOffers: [Offer] { ElementField.allCases.map { Offer("\($0.rawValue)=", isOpen: true) } }

  static func fieldAndValue(_ word: String) throws -> (ElementField, ElementValue) {
    let parts = word.split(at: "=", maxSplits: 1).map(String.init)
    let names = ElementField.allCases.map(\.rawValue)
    guard parts.count == 2, let field = ElementField(rawValue: parts[0]) else {
      throw ShellError.notField(word, suggestion: suggestion(for: parts[0], among: names), fields: names)
    }
    return (field, try field.value(typed: parts[1]))
  }

  /// What the keys of the editor do.
  static let keys = """
    Tab selects an element, arrows move it, + and - change its size, [ and ] rotate it, < and > lower and raise it, w \
    and c wrap or crop it, a aligns a text, s changes the step, u undoes, ? lists the keys. Enter saves the changes, \
    Esc discards them.
    """

  static let edit = BuiltIn(
    "doc", "edit", effect: .changes,
    summary: "Moves, resizes and rotates the elements of a document with keys, next to its picture.",
    answer: "document", details: keys, arguments: [DocumentCommands.document], example: "doc edit 6D92"
  ) { invocation, session in
    guard session.canAsk, session.console.terminal.canRedraw, !session.state.isInScript else {
      throw EditorError.noTerminal(instead: "use `doc set` to set new values")
    }
    let handle = try DocumentCommands.document(invocation, session)
    guard let edited = try DocumentEditor(session, handle).run() else { return .unchanged(.object(handle)) }
    return try DocumentCommands.changing(invocation, session) { document in
      let count = try edited.apply(to: document)
      return "Changed \(session.counted(count, "element"))."
    }
  }

  static let occlude = BuiltIn(
    "doc", "occlude", effect: .changes, summary: "Makes cards that ask for the parts of a document's picture.",
    answer: "note",
    details: """
      The parts are the images that have a frame; if there is none, the texts. All of them are covered, and each card \
      asks for one. They are the cards of one note, of Anki's type Image Occlusion, with the picture as it is now.
      """,
    arguments: [DocumentCommands.document], options: [Option("--deck", "DECK", .deck, help: "the deck for the cards")],
    usage: ["doc occlude DOC --deck DECK"], example: "doc occlude 6D92 --deck Spanish"
  ) { invocation, session in
    guard let name = invocation.optionalText("--deck") else { throw invocation.missing("--deck") }
    let deck = try session.workspace().decks.open(name)
    return try NoteCommands.added(DocumentCommands.document(invocation, session).occlude(in: deck), deck, session)
  }

  static let remove = BuiltIn(
    "doc", "remove", effect: .changes, summary: "Removes a document.", answer: "boolean",
    details: "At a terminal it asks first.", arguments: [DocumentCommands.document], example: "doc remove 6D92"
  ) { invocation, session in
    let documents = try session.workspace().documents
    if let id = try documents.damaged(invocation.text("DOC")) {
      return try removing(id, named: id.description, session) { try documents.removeDamaged(id) }
    }
    let handle = try DocumentCommands.document(invocation, session)
    let document = try handle.document()
    return try removing(document.id, named: document.content.title, session) { try handle.remove() }
  }

  /// Removes a document if the user agrees; `remove` returns how many cards showed it.
  private static func removing(
    _ id: DocumentID, named name: String, _ session: Session, _ remove: () throws -> Int
  ) throws -> CommandResult {
    guard try session.confirm("Remove document \(quoted(name))?") else {
      return CommandResult(.boolean(false), line: "Nothing was removed.")
    }
    let cards = try remove()
    let shown = cards == 0 ? "" : " \(session.counted(cards, "card")) showed it."
    return CommandResult(.boolean(true), line: "Removed document \(id).\(shown)")
  }

  static let render = BuiltIn(
    "doc", "render", effect: .announces, summary: "Draws a document to an .svg, .png or .pdf file.", answer: "text",
    arguments: [
      DocumentCommands.document, Argument("FILE", .file, help: "the file; its extension determines the format"),
    ],
    options: [
      Option("--width", "N", .integer(StoredDocument.widths), help: "the width in pixels or points; 1300 when left out")
    ], example: "doc render 6D92 dog.png --width 650"
  ) { invocation, session in
    let path = session.environment.folders.expanded(invocation.text("FILE"))
    let document = try DocumentCommands.document(invocation, session).document()
    guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
    let line = try draw(document, to: path, width: invocation.optionalInteger("--width") ?? width, session)
    return CommandResult(.text(path), line: line)
  }

  private static let width = 1300

  static let export = BuiltIn(
    "doc", "export", effect: .announces, summary: "Writes a document to a file, as a drawing or as it is.",
    answer: "{path, beside, losses}",
    details: """
      A file that ends in .png, .svg or .pdf gets the drawing; one that ends in .rwcard gets the document itself, \
      which `doc create --from` reads, and its pictures are written next to it, into images. --edition 2 writes it \
      as the original app reads it, and lists what that older format cannot contain.
      """,
    arguments: [
      DocumentCommands.document, Argument("FILE", .file, help: "the file, ending in .png, .svg, .pdf or .rwcard"),
    ],
    options: [
      Option("--edition", choice: ["2"], help: "write for the original app; 2 is the only one, and needs .rwcard")
    ], example: "doc export 6D92 dog.png"
  ) { invocation, session in
    let path = session.environment.folders.expanded(invocation.text("FILE"))
    let isCard = path.lowercased().hasSuffix(".rwcard")
    let isForApp = invocation.optionalText("--edition") != nil
    guard isCard || (!isForApp && DrawingFormat(path: path) != nil) else {
      throw DocumentError.unknownEnding(path: path, expected: isForApp ? ".rwcard" : ".png, .svg, .pdf or .rwcard")
    }
    let document = try DocumentCommands.document(invocation, session).document()
    guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
    guard isCard else {
      return CommandResult(value(path, WrittenDocument()), line: try draw(document, to: path, width: width, session))
    }
    let written = try isForApp ? WrittenDocument(edition2: document, to: path) : WrittenDocument(document, to: path)
    var lines = ["Wrote \(path)" + (written.losses.isEmpty ? "." : "; the format cannot contain:")]
    lines += written.losses.map { "  \($0.pointer.description)  \($0.message)" }
    if !written.beside.isEmpty {
      lines.append("Next to it: " + written.beside.map { printable($0) }.joined(separator: ", "))
    }
    return CommandResult(value(path, written), .lines(lines))
  }

  /// Draws a document; returns the message.
  private static func draw(
    _ document: StoredDocument, to path: String, width: Int, _ session: Session
  ) throws -> String {
    let broken = try document.render(to: path, width: width)
    let tail = broken.isEmpty ? "" : "; \(session.counted(broken.count, "image")) could not be shown"
    return "Drew \(path)\(tail)."
  }

  private static func value(_ path: String, _ written: WrittenDocument) -> Value {
    let losses = written.losses.map { loss in
      Value.record(["pointer": loss.pointer.description, "message": loss.message])
    }
    return .record(["path": path, "beside": written.beside, "losses": losses])
  }

  static let page = BuiltIn(
    "doc", "page", effect: .announces, summary: "Writes documents as a single web page, a gallery.",
    answer: "{documents, bytes, broken} or nothing",
    details: """
      The page needs no network and no scripts. A picture is enlarged when it is tapped; a screen reader reads what \
      is on it.
      """,
    arguments: [
      Argument("DOC", .document, isRepeating: true, help: "documents"),
      Argument("FILE", .file, help: "the file, FILE.html"),
    ], example: "doc page 6D92 8808 cards.html"
  ) { invocation, session in
    let documents = try invocation.list("DOC").map { try DocumentCommands.document(named: $0, session) }
    let path = session.environment.folders.expanded(invocation.text("FILE"))
    guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
    let report = try session.console.showing("Drawing", total: documents.count, unit: "documents") { progress in
      try session.workspace().documents.writePage(documents, to: path, .any) {
        progress($0, documents.count)
      }
    }
    let tail = report.broken == 0 ? "" : "; \(session.counted(report.broken, "image")) could not be shown"
    return CommandResult(
      report.value,
      line: "Wrote \(session.counted(report.documents, "document")) as a page to \(path), "
        + "\(session.counted(report.bytes, "byte"))\(tail).")
  }
}
