// `doc ...`. Invariant: a name of a document or element identifies exactly one; each command saves.

import Bindings
import CardDocuments
import Commands
import Files
import Problems
import Text
import Values
import Workspace

enum DocumentCommands {
  static var all: [BuiltIn] {
    [
      listDocuments, createDocument, showDocument, addText, addImage, DocumentEditCommands.set, raiseElement(true),
      raiseElement(false), DocumentEditCommands.edit, duplicateDocument, removeElement,
      DocumentEditCommands.remove, DocumentEditCommands.occlude, DocumentEditCommands.render, drawSheet,
      DocumentEditCommands.export,
    ]
  }

  static let document = Argument("DOC", .document, help: "a document's id or its beginning, or a file's path")
  private static let element = Argument(
    "ELEMENT", help: "an element's id or its beginning, or its number from the back")

  static func document(_ invocation: Invocation, _ session: Session) throws -> DocumentHandle {
    try document(named: invocation.text("DOC"), session)
  }

  static func document(named name: String, _ session: Session) throws -> DocumentHandle {
    try session.workspace().documents.open(session.environment.folders.expanded(name))
  }

  /// The element that the text names: by its id, an unambiguous prefix of it, or its place in drawing order.
  static func element(_ name: String, of document: DocumentHandle) throws -> ElementHandle {
    let elements = try document.elements()
    if let place = Int(name) {
      if place > 0, place <= elements.count { return elements[place - 1] }
      // A short number is only a place in drawing order, never the prefix of an id.
      if name.utf8.count < 4 { throw LookupError.noElement(name) }
    }
    let found = name.isEmpty ? [] : elements.filter { $0.id.lowercased().hasPrefix(name.lowercased()) }
    if found.count == 1 { return found[0] }
    throw found.isEmpty ? LookupError.noElement(name) : .severalElements(name)
  }

  /// Completions for Tab: the numbers of the elements of the document before the cursor.
  static func elementOffers(before: [String], _ session: Session) throws -> [Offer] {
    guard let name = before.first else { return [] }
    let document = try document(named: name, session).document()
    return zip(1..., document.content.linesInWords.dropFirst()).prefix(document.elements.count).map { place, line in
      Offer("\(place)", help: printable(line, limit: 60))
    }
  }

  /// Completions for a command that takes a single element.
  private static func offerElement(_ word: String, _ before: [String], _ session: Session) throws -> [Offer] {
    try before.count == 1 ? elementOffers(before: before, session) : []
  }

  /// Changes the document that the command names, as one change, and reports what `body` says it did.
  static func changing(
    _ invocation: Invocation, _ session: Session, _ body: (DocumentHandle) throws -> String
  ) throws -> CommandResult {
    let (doc, file, done) = try session.workspace().documents.change(
      session.environment.folders.expanded(invocation.text("DOC"))
    ) { ($0, try $0.document().path, try body($0)) }
    let copy = try file == nil ? "" : " The file is unchanged; its copy is document \(doc.document().id)."
    return CommandResult(.object(doc), line: done + copy)
  }

  private static let listDocuments = BuiltIn("doc", "list", summary: "Lists the card documents.", answer: "document...")
  { _, session in
    let (documents, problems) = try session.workspace().documents.all()
    let rows = try documents.map { handle in
      let document = try handle.document()
      return [
        String(document.id.description.prefix(8)), document.content.title, session.grouped(document.elements.count),
        document.modified.map { session.ago($0) } ?? "",
      ]
    }
    for problem in problems { session.console.message("doc: \(problem.message)") }
    let columns: [TableText.Column] = [.whole("Id"), .main("Title"), .number("Elements"), .whole("Changed")]
    return CommandResult(
      .objects(documents),
      .table(TableText(columns, rows: rows, whenEmpty: "No documents yet; `doc create` creates one.")))
  }

  private static let showDocument = BuiltIn(
    "doc", "show", summary: "Shows a document in words, and as a picture if the terminal can show it.",
    answer: "{id, elements, FIELD}", arguments: [Self.document], example: "doc show 6D92"
  ) { invocation, session in
    let handle = try document(invocation, session)
    let document = try handle.document()
    let picture = try invocation.wantsJSON(in: session) ? [] : DocumentPicture(session).lines(of: document)
    for line in picture { session.console.write(line + "\n") }
    let elements = document.elements.enumerated().map { index, element in "  \(index + 1)  \(element.id.prefix(8))" }
    let words = document.content.linesInWords
    var lines = [words.first ?? ""]
    for (index, line) in words.dropFirst().enumerated() {
      lines.append((index < elements.count ? elements[index] : "  ") + "  " + line)
    }
    var fields = session.scripting.record(of: handle).record ?? [:]
    fields["elements"] = .list(try handle.elements().map { session.scripting.record(of: $0) })
    return CommandResult(.record(fields), .lines(lines))
  }

  private static let createDocument = BuiltIn(
    "doc", "create", effect: .changes, summary: "Creates a document.", answer: "document",
    options: [
      Option("--background", "COLOR", help: "R,G,B, from 0 to 1, or #rrggbb; one of eight soft colours when left out"),
      Option("--from", "FILE", .file, help: "start from another document"),
    ], example: "doc create --background 1,1,0.7"
  ) { invocation, session in
    let background = try invocation.optionalText("--background").map { try color($0) }
    let made =
      try invocation.optionalText("--from").map { try document(named: $0, session).duplicate(background: background) }
      ?? session.workspace().documents.create(background: background)
    return CommandResult(.object(made), line: "Created document \(try made.document().id).")
  }

  static func color(_ text: String) throws -> CardColor {
    if let color = CardColor(typed: text) { return color }
    throw ShellError.notColor(text)
  }

  private static let addText = BuiltIn(
    "doc", "add-text", effect: .changes, summary: "Adds a text in front of the other elements.", answer: "document",
    details: "A text with a size wraps, and its box grows with it. " + Self.placing,
    arguments: [
      Self.document, Argument("TEXT", help: "the text; its line breaks are preserved"), DocumentEditCommands.fields,
    ], example: "doc add-text 6D92 \"el perro\" size=150 color=#aa0000", complete: offerField
  ) { invocation, session in
    try adding("text", invocation, session) { try $0.addText(invocation.text("TEXT"), style: $2, $1) }
  }

  /// Adds an element, places it as its fields say, and sets its other fields.
  private static func adding(
    _ kind: String, _ invocation: Invocation, _ session: Session,
    _ add: (DocumentHandle, PlacementOptions, TextStyle) throws -> PlacedElement
  ) throws -> CommandResult {
    let given = try invocation.list("FIELD=VALUE").map { try DocumentEditCommands.fieldAndValue($0) }
    var (options, style) = (PlacementOptions(), TextStyle())
    for (field, value) in given {
      switch (field, value) {
      case (.x, .number(let number)): options.x = number
      case (.y, .number(let number)): options.y = number
      case (.width, .number(let number)): options.width = number
      case (.height, .number(let number)): options.height = number
      case (.rotation, .number(let number)): options.rotation = number
      case (.size, .number(let number)): style.size = number
      case (.wraps, .flag(let flag)): style.wraps = flag
      default: break
      }
    }
    return try changing(invocation, session) { document in
      let placed = try add(document, options, style)
      for (field, value) in given where !field.isPlacement && (field != .size || kind != "text") {
        try placed.element.set(field, to: value)
      }
      return "Added \(kind) \(placed.element.id.prefix(8))"
        + (placed.hidesOthers ? "; the card is full, so it covers others." : ".")
    }
  }

  private static func offerField(_ word: String, _ before: [String], _ session: Session) -> [Offer] {
    before.count > 1 ? DocumentEditCommands.fieldOffers : []
  }

  private static let addImage = BuiltIn(
    "doc", "add-image", effect: .changes, summary: "Adds a copy of a picture in front of the other elements.",
    answer: "document",
    details: "It reads PNG, JPEG, GIF, WebP, SVG, HEIC, AVIF, TIFF and BMP; it stores PNG, with the long side at "
      + "most 1000 pixels. " + Self.placing,
    arguments: [Self.document, Argument("FILE", .file, help: "the picture"), DocumentEditCommands.fields],
    example: "doc add-image 6D92 dog.jpg frame=circle", complete: offerField
  ) { invocation, session in
    // Decoded before the change begins, so that nobody else waits for the document meanwhile.
    let picture = try session.workspace().documents.picture(
      file: session.environment.folders.expanded(invocation.text("FILE")))
    return try adding("image", invocation, session) { document, options, _ in
      try document.addImage(picture, frame: nil, isCropped: false, options)
    }
  }

  private static let placing = """
    `doc set` has the same fields and explains them. Without x and y, the element is placed where it covers no other, \
    and is made smaller if needed, as long as there is room.
    """

  private static func raiseElement(_ raises: Bool) -> BuiltIn {
    BuiltIn(
      "doc", raises ? "raise" : "lower", effect: .changes,
      summary: raises ? "Moves an element one step to the front." : "Moves an element one step to the back.",
      answer: "document", arguments: [Self.document, Self.element], example: "doc \(raises ? "raise" : "lower") 6D92 1",
      complete: offerElement
    ) { invocation, session in
      try changing(invocation, session) { document in
        let element = try element(invocation.text("ELEMENT"), of: document)
        let moved = try document.document().change { try raises ? $0.raise(element.id) : $0.lower(element.id) }
        return moved ? "Moved." : "It is already \(raises ? "in front of" : "behind") all others."
      }
    }
  }

  private static let duplicateDocument = BuiltIn(
    "doc", "duplicate", effect: .changes, summary: "Creates a new document with the same content.",
    answer: "document", arguments: [Self.document], example: "doc duplicate 6D92"
  ) { invocation, session in
    let made = try document(invocation, session).duplicate()
    return CommandResult(.object(made), line: "Created document \(try made.document().id).")
  }

  private static let removeElement = BuiltIn(
    "doc", "remove-element", effect: .changes, summary: "Removes an element.", answer: "document",
    arguments: [Self.document, Self.element], example: "doc remove-element 6D92 2", complete: offerElement
  ) { invocation, session in
    try changing(invocation, session) { document in
      let element = try element(invocation.text("ELEMENT"), of: document)
      try document.document().change { try $0.removeElement(element.id) }
      return "Removed an element."
    }
  }

  private static let drawSheet = BuiltIn(
    "doc", "sheet", effect: .announces, summary: "Draws documents on the pages of a PDF, nine per page.",
    answer: "text",
    details: """
      With --deck, each DOC is a template, and the sheet has one document for each card of a deck: {prompt}, {answer} \
      and {FIELD} in its texts are replaced by the card's texts, and an image whose alt is such a name is replaced by \
      the picture of that side or field, or removed if there is none. None of them is stored.
      """,
    arguments: [
      Argument("DOC", .document, isRepeating: true, help: "documents"),
      Argument("FILE", .file, help: "the file, ending in .pdf"),
    ],
    options: [
      Option("--deck", "DECK", .deck, help: "the deck whose cards fill the documents, which are templates"),
      Option("--query", "QUERY", .query, help: "only the cards that it finds"),
    ], example: "doc sheet 6D92 8808 cards.pdf"
  ) { invocation, session in
    try invocation.require("--deck", beside: "--query")
    var (documents, missing) = (try invocation.list("DOC").map { try document(named: $0, session) }, 0)
    if let deck = try invocation.optionalText("--deck").map({ try session.workspace().decks.open($0) }) {
      let query = try session.query("--query", of: invocation)
      let filled = try session.console.showing("Reading") { progress in
        try documents.map {
          try session.workspace().documents.filled($0, from: deck, matching: query, progress: progress)
        }
      }
      (documents, missing) = (filled.flatMap(\.documents), filled.reduce(0) { $0 + $1.withoutPicture })
    }
    let path = session.environment.folders.expanded(invocation.text("FILE"))
    guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
    try session.console.showing("Drawing", total: documents.count, unit: "documents") { progress in
      try session.workspace().documents.drawSheet(documents, to: path) { progress($0, documents.count) }
    }
    let without =
      missing == 0 ? "" : "; \(session.counted(missing, "image")) left out, because the card has no picture for it"
    return CommandResult(
      .text(path), line: "Drew \(session.counted(documents.count, "document")) to \(path)\(without).")
  }
}
