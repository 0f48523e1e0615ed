// `doc render`, `doc export` and `doc page`: documents as files. Invariant: the file ending decides the format, and an
// unknown one is refused; the report names the files written beside it and the images that could not be shown.

import Bindings
import CardDocuments
import Commands
import Exchange
import Files
import Text
import Values
import Wire
import Workspace

enum DocumentFileCommands {
  static var render: BuiltIn {
    BuiltIn(
      "doc", "render", effect: .announces, summary: "Draws a document to an .svg, .png or .pdf file.", answer: "text",
      arguments: [
        DocumentCommands.document, Argument("FILE", .file, help: "the file; its extension determines the format"),
      ],
      options: [
        Option(
          "--width", "N", .integer(StoredDocument.widths), help: "the width in pixels or points; 1300 when left out")
      ], example: "doc render 6D92 dog.png --width 650"
    ) { invocation, session in
      let path = session.environment.folders.expanded(invocation.text("FILE"))
      let document = try DocumentCommands.document(invocation, session).document()
      guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
      let line = try draw(document, to: path, width: invocation.optionalInteger("--width") ?? width, session)
      return CommandResult(.text(path), line: line)
    }
  }

  private static let width = 1300

  static var export: BuiltIn {
    BuiltIn(
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
        return CommandResult(
          value(path, WrittenDocument()), line: try draw(document, to: path, width: width, session))
      }
      let written = try isForApp ? WrittenDocument(edition2: document, to: path) : WrittenDocument(document, to: path)
      return answer(written, path)
    }
  }

  /// Draws a document; returns the message.
  private static func draw(
    _ document: StoredDocument, to path: String, width: Int, _ session: Session
  ) throws -> String {
    let broken = try document.render(to: path, width: width)
    let tail = broken.isEmpty ? "" : "; \(session.counted(broken.count, "image")) could not be shown"
    return "Drew \(path)\(tail)."
  }

  private static func answer(_ written: WrittenDocument, _ path: String) -> CommandResult {
    var lines = ["Wrote \(path)" + (written.losses.isEmpty ? "." : "; the format cannot contain:")]
    lines += written.losses.map { "  \($0.pointer.description)  \($0.message)" }
    if !written.beside.isEmpty {
      lines.append("Next to it: " + written.beside.map { printable($0) }.joined(separator: ", "))
    }
    return CommandResult(value(path, written), .lines(lines))
  }

  private static func value(_ path: String, _ written: WrittenDocument) -> Value {
    let losses = written.losses.map { loss in
      Value.record(["pointer": loss.pointer.description, "message": loss.message])
    }
    return .record(["path": path, "beside": written.beside, "losses": losses])
  }
}

enum DocumentPageCommand {
  static var page: BuiltIn {
    BuiltIn(
      "doc", "page", effect: .announces, summary: "Writes documents as a single web page, a gallery.",
      answer: "{documents, bytes, broken} or nothing",
      details: """
        The page needs no network and no scripts. A picture is enlarged when it is tapped; a screen reader reads what \
        is on it.
        """,
      arguments: [
        Argument("DOC", .document, isRepeating: true, help: "documents"),
        Argument("FILE", .file, help: "the file, FILE.html"),
      ],
      options: [
        Option("--title", "TEXT", help: "the page's title; Cards when left out")
      ], example: "doc page 6D92 8808 cards.html --title Animals"
    ) { invocation, session in
      let documents = try invocation.list("DOC").map {
        try session.workspace().documents.open(session.environment.folders.expanded($0))
      }
      let path = session.environment.folders.expanded(invocation.text("FILE"))
      guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
      let report = try session.console.showing("Drawing", total: documents.count, unit: "documents") { progress in
        try session.workspace().documents.writePage(
          documents, titled: invocation.optionalText("--title") ?? "Cards", width: 650, to: path, .any
        ) { progress($0, documents.count) }
      }
      let tail = report.broken == 0 ? "" : "; \(session.counted(report.broken, "image")) could not be shown"
      return CommandResult(
        report.value,
        line: "Wrote \(session.counted(report.documents, "document")) as a page to \(path), "
          + "\(session.counted(report.bytes, "byte"))\(tail).")
    }
  }
}
