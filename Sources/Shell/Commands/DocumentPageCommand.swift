// `doc page`. Invariant: images that could not be shown are reported.

import Bindings
import CardDocuments
import Commands
import Exchange
import Files
import Text
import Values
import Workspace

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
