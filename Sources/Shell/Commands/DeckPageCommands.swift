// `deck page`, importing a page's answers with `deck import`, and `deck sheet`. Invariant: what was left out of a page
// or sheet, and what happened to each answer, is reported.

import Bindings
import CardDocuments
import Commands
import Decks
import Exchange
import Files
import Text
import Values
import Workspace

enum DeckPageCommands {
  /// The value of `--format` and the file ending for the answers of a page.
  static let answersFormat = "answers"
  /// The size in bytes from which a page's size is announced before it is written.
  private static let heavy = 10_000_000

  static let page = BuiltIn(
    "deck", "page", effect: .announces, summary: "Writes a deck as a single web page to study without a network.",
    answer: "{cards, bytes, media, media_left_out, documents, documents_left_out} or nothing",
    details: """
      The page contains the cards with their pictures, sounds and documents, including the cards of decks within the \
      deck, but no suspended cards. From a web server, a phone can add it to its home screen as an app. It schedules \
      with the deck's memory model and options, and continues from where the cards are here. Import what was answered \
      there with `deck import DECK FILE --format answers`. \
      If a browser does not run scripts, the page is a list that reveals answers.
      """, arguments: [Common.deck, Argument("FILE", .file, help: "the file, FILE.html")],
    example: "deck page Spanish spanish.html"
  ) { invocation, session in
    let deck = try session.workspace().decks.open(invocation.text("DECK"))
    let path = session.environment.folders.expanded(invocation.text("FILE"))
    let weight = try deck.pageWeight()
    let size = session.counted((weight + 500_000) / 1_000_000, "MB", "MB")
    let about = weight < 1_000_000 ? "less than 1 MB" : "about \(size)"
    guard session.rehearsal.mayActOutside("write a page of \(about) to \(path)") else { return CommandResult() }
    if weight >= heavy { session.console.note("The page will be \(about).") }
    if let name = try deck.scheduling.limits().exercise {
      session.console.note("On the page the cards are asked as themselves, not by \(name).")
    }
    let report = try session.console.showing("Writing \(lastPart(of: path))") {
      try deck.writePage(to: path, .any, progress: $0)
    }
    return CommandResult(report.value, .lines(words(report, try deck.record().name, path, session)))
  }

  private static func words(_ report: PageReport, _ deck: String, _ path: String, _ session: Session) -> [String] {
    var first = "Wrote \(quoted(deck)) as a page to \(path): \(session.counted(report.cards, "card"))"
    if report.media > 0 { first += ", \(session.counted(report.media, "picture or sound", "pictures and sounds"))" }
    if report.documents > 0 { first += ", \(session.counted(report.documents, "document"))" }
    var lines = [first + ", \(session.counted(report.bytes, "byte"))."]
    if report.mediaLeftOut > 0 {
      let files = session.counted(report.mediaLeftOut, "picture or sound", "pictures and sounds")
      lines.append("Not on the page: \(files) that are missing or that browsers do not support; see `doctor media`.")
    }
    if report.documentsLeftOut > 0 {
      let documents = session.counted(report.documentsLeftOut, "document")
      lines.append("Not on the page: \(documents) that are missing or could not be drawn; see `doctor documents`.")
    }
    return lines
  }

  /// Imports the answers of a page into the deck, which must exist.
  static func importAnswers(_ name: String, _ paths: [String], _ session: Session) throws -> CommandResult {
    let deck = try session.workspace().decks.open(name)
    let report = try session.console.showing("Importing answers") {
      try deck.importAnswers(from: paths, .any, progress: $0)
    }
    return CommandResult(report.value, line: words(report, try deck.record().name, session))
  }

  private static func words(_ report: AnswerReport, _ deck: String, _ session: Session) -> String {
    let words = "Imported \(session.counted(report.entered, "answer")) into \(quoted(deck))"
    let rest = session.counts([
      (report.older, "older than answers given here (logged, but no schedule changed)"),
      (report.known, "skipped (already there)"), (report.unknown, "for cards that are not in the deck"),
    ])
    return words + (rest.isEmpty ? "." : "; \(rest.joined(separator: ", ")).")
  }

  static let sheet = BuiltIn(
    "deck", "sheet", effect: .announces, summary: "Writes a deck as a PDF to print: cards to cut out, or a worksheet.",
    answer: "{pages, cards, left_out} or nothing",
    details: """
      Cards to cut out have their answers on the back of the sheet, for a printer that flips it on the long edge. \
      `cloze` makes sentences with gaps for clozes and bold words, `match` prompts and answers to connect, `search` a \
      square of letters that hides the prompt of each card or else its answer (both take the word of a mined note), \
      and `list` a table to fold; the answers of a worksheet are on its last pages. \
      The cards of decks within the deck are included; suspended cards are included only if the query finds them. \
      `deckhand --seed N deck sheet ...` gives another version, with another order; the same seed gives the same one.
      """, arguments: [Common.deck, Argument("FILE", .file, help: "the file, ending in .pdf")],
    options: [
      Option("--kind", choice: PaperKind.allCases.map(\.rawValue), help: "what to make; cards when left out"),
      Option("--query", "QUERY", .query, help: "only the cards that it finds"),
      Option("--size", choice: PaperSize.allCases.map(\.rawValue), help: "the paper size; a4 when left out"),
    ], example: "deck sheet Spanish spanish.pdf"
  ) { invocation, session in
    let deck = try session.workspace().decks.open(invocation.text("DECK"))
    let path = session.environment.folders.expanded(invocation.text("FILE"))
    var options = PaperOptions()
    options.kind = invocation.optionalText("--kind").flatMap { PaperKind(rawValue: $0) } ?? options.kind
    options.size = invocation.optionalText("--size").flatMap { PaperSize(rawValue: $0) } ?? options.size
    options.seed = session.environment.random.seed
    let query = try session.query("--query", of: invocation)
    guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
    let report = try session.console.showing("Drawing") {
      try deck.print(to: path, options, matching: query, drawn: $0)
    }
    return CommandResult(
      .record(["pages": report.pages, "cards": report.cards, "left_out": report.leftOut]),
      line: words(report, try deck.record().name, path, session))
  }

  private static func words(_ report: PaperReport, _ deck: String, _ path: String, _ session: Session) -> String {
    let first =
      "Drew \(session.counted(report.cards, "card")) of \(quoted(deck)) on \(session.counted(report.pages, "page")) "
      + "of \(path)."
    if report.leftOut == 0 { return first }
    return first + " Left out: \(session.counted(report.leftOut, "card")) with no content for this kind of sheet."
  }
}
