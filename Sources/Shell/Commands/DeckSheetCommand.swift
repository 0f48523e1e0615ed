// `deck sheet`: cards and worksheets on paper. Invariant: cards left off the sheet are reported.

import Bindings
import CardDocuments
import Commands
import Decks
import Files
import Text
import Values
import Workspace

enum DeckSheetCommand {
  static var sheet: BuiltIn {
    BuiltIn(
      "deck", "sheet", effect: .announces,
      summary: "Writes a deck as a PDF to print: cards to cut out, or a worksheet.",
      answer: "{pages, cards, left_out} or nothing",
      details: """
        Cards to cut out have their answers on the back of the sheet, for a printer that flips it on the long edge, or \
        next to them, to fold between. `cloze` makes sentences with gaps, `match` prompts and answers to connect, \
        `search` a square of letters that hides the prompt of each card or else its answer, and `list` a table to \
        fold; the answers of a worksheet are on its last pages. The cards of decks within the deck are included; \
        suspended cards are included only if the query finds them. The same seed gives the same sheet; another seed \
        gives another version.
        """, arguments: [Common.deck, Argument("FILE", .file, help: "the file, ending in .pdf")],
      options: [
        Option("--kind", choice: PaperKind.allCases.map(\.rawValue), help: "what to make; cards when left out"),
        Option("--query", "QUERY", .query, help: "only the cards that it finds"),
        Option("--size", choice: PaperSize.allCases.map(\.rawValue), help: "the paper size; a4 when left out"),
        Option(
          "--sides", choice: PaperSides.allCases.map(\.rawValue), help: "where the answers are; two when left out"),
        Option("--seed", "N", .integer(0...Int(Int32.max)), help: "the version; another number gives another order"),
      ], example: "deck sheet Spanish spanish.pdf --sides fold"
    ) { invocation, session in
      let deck = try session.workspace().decks.open(invocation.text("DECK"))
      let path = session.environment.folders.expanded(invocation.text("FILE"))
      let options = try options(invocation)
      let query = try session.query("--query", of: invocation)
      guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
      let report = try session.console.showing("Drawing") {
        try deck.print(to: path, options, matching: query, drawn: $0)
      }
      return CommandResult(report.value, line: words(report, try deck.record().name, path, session))
    }
  }

  private static func options(_ invocation: Invocation) throws -> PaperOptions {
    var options = PaperOptions()
    options.kind = invocation.optionalText("--kind").flatMap { PaperKind(rawValue: $0) } ?? options.kind
    options.size = invocation.optionalText("--size").flatMap { PaperSize(rawValue: $0) } ?? options.size
    options.sides = invocation.optionalText("--sides").flatMap { PaperSides(rawValue: $0) } ?? options.sides
    options.seed = invocation.optionalInteger("--seed")
    if options.kind != .cards, let given = invocation.optionalText("--sides") {
      throw CommandError.badValue(
        command: "deck sheet", name: "--sides", value: given, expected: "left out unless --kind is cards")
    }
    return options
  }

  private static func words(_ report: PaperReport, _ deck: String, _ path: String, _ session: Session) -> String {
    let first =
      "Drew \(session.counted(report.cards, "card")) of \(quoted(deck)) on \(session.counted(report.pages, "page")) "
      + "of \(path)."
    if report.leftOut == 0 { return first }
    return first + " Left out: \(session.counted(report.leftOut, "card")) with no content for this kind of sheet."
  }
}

extension PaperReport {
  /// The record that `--json` prints.
  fileprivate var value: Value {
    .record(["pages": pages, "cards": cards, "left_out": leftOut])
  }
}
