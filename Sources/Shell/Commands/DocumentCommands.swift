// `doc ...`. Invariant: a document or an element that is named is exactly one; moves and sizes are saved when the
// command ends.

import Bindings
import CardDocuments
import Commands
import Files
import LuaRuntime
import Problems
import Storage
import Text
import Values
import Workspace

enum DocumentCommands {
  static var all: [BuiltIn] {
    [
      listDocuments, createDocument, showDocument, addText, addImage, DocumentEditCommands.set, raiseElement(true),
      raiseElement(false), DocumentEditCommands.panel, DocumentEditCommands.edit, duplicateDocument, removeElement,
      removeDocument, renderDocument, drawSheet,
      exportDocument,
    ]
  }

  static let theme = "Card documents"
  static let document = Argument("DOC", .document, help: "a document's id, its beginning, or a file's path")
  private static let element = Argument("ELEMENT", help: "an element's id, its beginning, or its number from the back")

  static func document(_ invocation: Invocation, _ session: Session) throws -> DocumentHandle {
    try session.workspace().documents.open(session.environment.folders.expanded(invocation.text("DOC")))
  }

  /// The element that a text names: by id, an unambiguous beginning of it, or its place in drawing order.
  static func element(_ name: String, of document: DocumentHandle, _ session: Session) throws -> ElementHandle {
    let elements = try document.elements()
    if let place = Int(name), elements.indices.contains(place - 1) { return elements[place - 1] }
    let found = elements.filter { $0.id.lowercased().hasPrefix(name.lowercased()) }
    if found.count == 1 { return found[0] }
    throw found.isEmpty ? LookupError.noElement(name) : .severalElements(name)
  }

  /// Changes the document that the command names, as one change, and says what was done.
  static func changing(
    _ invocation: Invocation, _ session: Session, _ body: (DocumentHandle) throws -> String
  ) throws -> CommandResult {
    let name = session.environment.folders.expanded(invocation.text("DOC"))
    return try session.workspace().documents.change(name) { CommandResult(.object($0), line: try body($0)) }
  }

  // MARK: Finding

  private static var listDocuments: BuiltIn {
    BuiltIn(
      "doc", "list", theme: Self.theme, access: .signedIn, effect: .reads, summary: "Lists the card documents.",
      answer: "document...",
      example: "doc list"
    ) {
      _, session in
      let (documents, problems) = try session.workspace().documents.all()
      let rows = try documents.map { handle in
        let document = try handle.document()
        return [
          String(document.id.description.prefix(8)), document.content.title, session.grouped(document.elements.count),
          document.modified.map { session.ago($0) } ?? "",
        ]
      }
      for problem in problems { session.console.message("doc: \(problem.message)") }
      let columns: [TableText.Column] = [.init("Id"), .init("Title"), .init("Elements", .right), .init("Changed")]
      return CommandResult(
        .objects(documents),
        .table(TableText(columns, rows: rows, whenEmpty: "No documents yet; `doc create` makes one.")))
    }
  }

  private static var showDocument: BuiltIn {
    BuiltIn(
      "doc", "show", theme: Self.theme, access: .signedIn, effect: .reads,
      summary: "Shows a document: as a picture where the terminal can, and in words.", answer: "{id, elements, FIELD}",
      arguments: [Self.document], example: "doc show 6D92"
    ) { invocation, session in
      let handle = try document(invocation, session)
      let document = try handle.document()
      let picture =
        try invocation.wantsJSON || session.options.wantsJSON ? [] : DocumentPicture(session).lines(of: document)
      for line in picture { session.console.write(line + "\n") }
      let elements = document.elements.enumerated().map { index, element in "  \(index + 1)  \(element.id.prefix(8))" }
      let words = document.content.linesInWords
      var lines = [words.first ?? ""]
      for (index, line) in words.dropFirst().enumerated() {
        lines.append((index < elements.count ? elements[index] : "  ") + "  " + line)
      }
      return CommandResult(try documentRecord(handle, document, session), .lines(lines))
    }
  }

  /// A document with its elements, as `--json` gives it.
  static func documentRecord(
    _ handle: DocumentHandle, _ document: StoredDocument, _ session: Session
  ) throws -> Value {
    guard case .record(var fields) = session.scripting.record(of: handle) else { return .null }
    fields["elements"] = .list(try handle.elements().map { session.scripting.record(of: $0) })
    return .record(fields)
  }

  // MARK: Making

  private static var createDocument: BuiltIn {
    BuiltIn(
      "doc", "create", theme: Self.theme, access: .signedIn, effect: .changes, summary: "Makes a document.",
      answer: "document",
      options: [
        Option(
          "--background", "COLOR", help: "R,G,B, from 0 to 1, or #rrggbb; one of eight soft colours when left out"),
        Option("--from", "FILE", .file, help: "start from another document"),
      ], example: "doc create --background 1,1,0.7"
    ) { invocation, session in
      let background = try invocation.optionalText("--background").map { try color($0) }
      let made: DocumentHandle
      if let source = invocation.optionalText("--from") {
        made = try session.workspace().documents.open(session.environment.folders.expanded(source)).duplicate()
        if let background { try made.document().setBackground(background) }
      } else {
        made = try session.workspace().documents.create(background: background)
      }
      return CommandResult(.object(made), line: "Created document \(try made.document().id).")
    }
  }

  static func color(_ text: String) throws -> CardColor {
    if let color = CardColor(typed: text) { return color }
    throw ShellError.notColor(text)
  }

  private static var addText: BuiltIn {
    BuiltIn(
      "doc", "add-text", theme: Self.theme, access: .signedIn, effect: .changes, summary: "Puts a text in front.",
      answer: "document",
      details: Self.placing, arguments: [Self.document, Argument("TEXT", help: "the text; its line breaks are kept")],
      options: Self.placement + [
        Option("--color", "COLOR", help: "R,G,B, each from 0 to 1, or #rrggbb; black when left out"),
        Option("--font", "NAME", help: "a font of this machine; the usual one when left out"),
        Option("--wrap", help: "break its lines between words at the sides of its box, in place of making it smaller"),
      ], example: "doc add-text 6D92 \"el perro\" --y -500 --color \"#aa0000\""
    ) { invocation, session in
      let text = invocation.text("TEXT")
      let ink = try invocation.optionalText("--color").map { try color($0) } ?? CardColor.black
      let wraps = invocation.flag("--wrap")
      let lines = lineCount(of: text, wraps ? invocation.optionalNumber("--width") ?? 1000 : nil)
      return try changing(invocation, session) { document in
        let place = try place(invocation, on: document, width: 1000, height: min(1600, 220 * Double(lines)))
        let element = try document.addText(
          text, color: ink, font: invocation.optionalText("--font") ?? "", wraps: wraps, at: place)
        return "Added text \(element.id.prefix(8))."
      }
    }
  }

  /// About how many lines a text gets, each 200 units high.
  /// - Parameter width: in units, where it wraps.
  private static func lineCount(of text: String, _ width: Double?) -> Int {
    text.split(separator: "\n", omittingEmptySubsequences: false).reduce(0) { count, line in
      // A letter is about half as wide as it is high.
      guard let width, width > 100 else { return count + 1 }
      return count + max(1, Int((Double(line.count) * 110 / width).rounded(.up)))
    }
  }

  private static var addImage: BuiltIn {
    BuiltIn(
      "doc", "add-image", theme: Self.theme, access: .signedIn, effect: .changes,
      summary: "Copies a picture in and puts it in front.", answer: "document",
      details: "PNG, JPEG, GIF, WebP and SVG are read; it is kept as PNG, its long side at most 1000 pixels. "
        + Self.placing,
      arguments: [Self.document, Argument("FILE", .file, help: "the picture")],
      options: [
        Option("--frame", choice: Frame.allCases.map(\.rawValue), help: "the shape it is cut to"),
        Option("--crop", help: "fill its box and cut what stands out, in place of showing it whole"),
      ] + Self.placement,
      example: "doc add-image 6D92 dog.jpg --frame circle"
    ) { invocation, session in
      let frame = invocation.optionalText("--frame").flatMap { Frame(rawValue: $0) }
      let isCropped = invocation.flag("--crop")
      // Decoded before anybody has to wait for the document.
      let picture = try session.workspace().documents.picture(
        file: session.environment.folders.expanded(invocation.text("FILE")))
      return try changing(invocation, session) { document in
        let place = try place(invocation, on: document, width: 800, height: 800)
        return
          "Added image \(try document.addImage(picture, frame: frame, isCropped: isCropped, at: place).id.prefix(8))."
      }
    }
  }

  private static let placing = """
    A card is 1300 by 2000 units; x and y are from its centre to the element's, y downwards. Without --x and --y it \
    gets a \
    place where it hides no other, as long as there is room.
    """
  private static let placement = [
    Option("--x", "X", .number, help: "units to the right of the card's centre"),
    Option("--y", "Y", .number, help: "units below the card's centre"),
    Option("--width", "W", .number, help: "its width in units"),
    Option("--height", "H", .number, help: "its height in units"),
    Option("--rotation", "DEGREES", .number, help: "turned clockwise"),
  ]

  /// Where a new element is put: as it was asked for, else where it hides no other.
  private static func place(
    _ invocation: Invocation, on document: DocumentHandle, width: Double, height: Double
  ) throws -> ElementPlacement {
    let (width, height) = (
      invocation.optionalNumber("--width") ?? width, invocation.optionalNumber("--height") ?? height
    )
    var place = try document.document().content.freePlace(width: width, height: height)
    let (x, y) = (invocation.optionalNumber("--x"), invocation.optionalNumber("--y"))
    if x != nil || y != nil { (place.x, place.y) = (x ?? 0, y ?? 0) }
    place.rotation = invocation.optionalNumber("--rotation") ?? 0
    return place
  }

  // MARK: Changing

  private static func raiseElement(_ raises: Bool) -> BuiltIn {
    BuiltIn(
      "doc", raises ? "raise" : "lower", theme: Self.theme, access: .signedIn, effect: .changes,
      summary: raises ? "Brings an element one step to the front." : "Sends an element one step to the back.",
      answer: "document",
      arguments: [Self.document, Self.element], example: "doc \(raises ? "raise" : "lower") 6D92 1"
    ) { invocation, session in
      try changing(invocation, session) { document in
        let element = try element(invocation.text("ELEMENT"), of: document, session)
        let moved = try raises ? document.document().raise(element.id) : document.document().lower(element.id)
        return moved ? "Moved." : "It is \(raises ? "in front of" : "behind") all others already."
      }
    }
  }

  private static var duplicateDocument: BuiltIn {
    BuiltIn(
      "doc", "duplicate", theme: Self.theme, access: .signedIn, effect: .changes,
      summary: "Makes a new document with the same content.", answer: "document",
      arguments: [Self.document], example: "doc duplicate 6D92"
    ) { invocation, session in
      let made = try document(invocation, session).duplicate()
      return CommandResult(.object(made), line: "Created document \(try made.document().id).")
    }
  }

  private static var removeElement: BuiltIn {
    BuiltIn(
      "doc", "remove-element", theme: Self.theme, access: .signedIn, effect: .changes, summary: "Removes an element.",
      answer: "document",
      arguments: [Self.document, Self.element], example: "doc remove-element 6D92 2"
    ) { invocation, session in
      try changing(invocation, session) { document in
        let element = try element(invocation.text("ELEMENT"), of: document, session)
        try document.document().removeElement(element.id)
        return "Removed an element."
      }
    }
  }

  private static var removeDocument: BuiltIn {
    BuiltIn(
      "doc", "remove", theme: Self.theme, access: .signedIn, effect: .changes,
      summary: "Removes a document.", answer: "boolean",
      details: "At a terminal it asks first.", arguments: [Self.document], example: "doc remove 6D92"
    ) { invocation, session in
      let handle = try document(invocation, session)
      let document = try handle.document()
      guard try session.confirm("Remove document \(quoted(document.content.title))?") else {
        return CommandResult(.boolean(false), line: "Nothing was removed.")
      }
      let cards = try handle.remove()
      let shown = cards == 0 ? "" : " \(session.counted(cards, "card")) showed it."
      return CommandResult(.boolean(true), line: "Removed document \(document.id).\(shown)")
    }
  }

  // MARK: Drawing

  private static var renderDocument: BuiltIn {
    BuiltIn(
      "doc", "render", theme: Self.theme, access: .signedIn, effect: .announces,
      summary: "Draws a document to an .svg, .png or .pdf file.", answer: "text",
      arguments: [Self.document, Argument("FILE", .file, help: "the file; its ending says the format")],
      options: [
        Option("--width", "N", .integer(StoredDocument.widths), help: "in pixels or points: 1300 when left out")
      ],
      example: "doc render 6D92 dog.png --width 650"
    ) { invocation, session in
      let path = session.environment.folders.expanded(invocation.text("FILE"))
      let width = invocation.optionalInteger("--width") ?? 1300
      let document = try document(invocation, session).document()
      guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
      let broken = try document.render(to: path, width: width)
      let tail = broken.isEmpty ? "" : "; \(session.counted(broken.count, "image")) could not be shown"
      return CommandResult(.text(path), line: "Drew \(path)\(tail).")
    }
  }

  private static var drawSheet: BuiltIn {
    BuiltIn(
      "doc", "sheet", theme: Self.theme, access: .signedIn, effect: .announces,
      summary: "Puts documents on the pages of a PDF, nine a page.", answer: "text",
      arguments: [
        Argument("DOC", .document, isRepeating: true, help: "documents"),
        Argument("FILE", .file, help: "the file, ending in .pdf"),
      ], example: "doc sheet 6D92 8808 cards.pdf"
    ) { invocation, session in
      let documents = try invocation.list("DOC").map {
        try session.workspace().documents.open(session.environment.folders.expanded($0))
      }
      let path = session.environment.folders.expanded(invocation.text("FILE"))
      guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
      let progress = session.console.progress("Drawing", total: documents.count)
      defer { progress.finish() }
      try session.workspace().documents.drawSheet(documents, to: path) { progress.update($0, of: documents.count) }
      progress.finish()
      return CommandResult(
        .text(path), line: "Drew \(session.counted(documents.count, "document")) to \(path).")
    }
  }

  private static var exportDocument: BuiltIn {
    BuiltIn(
      "doc", "export", theme: Self.theme, access: .signedIn, effect: .announces,
      summary: "Writes a document as the original app (edition 2) reads it.", answer: "{pointer, message}...",
      details: "Its images are written beside the file. What the older format cannot hold is listed.",
      arguments: [Self.document, Argument("FILE", .file, help: "the file, ending in .rwcard")],
      options: [Option("--edition", choice: ["2"], help: "the edition of the format; 2 is the only one")],
      example: "doc export 6D92 dog.rwcard --edition 2"
    ) { invocation, session in
      let path = session.environment.folders.expanded(invocation.text("FILE"))
      let document = try document(invocation, session).document()
      guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
      let losses = try document.exportEdition2(to: path)
      let value = losses.map { loss in
        Value.record([("pointer", .text(loss.pointer.description)), ("message", .text(loss.message))])
      }
      let head = "Exported to \(path)" + (losses.isEmpty ? "." : "; it could not hold:")
      return CommandResult(
        .list(value), .lines([head] + losses.map { "  \($0.pointer.description)  \($0.message)" }))
    }
  }
}
