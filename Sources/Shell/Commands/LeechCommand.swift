// `deck leeches`: the cards that are forgotten more often than the memory model explains, and what helps with each.
// Invariant: nothing is changed.

import Bindings
import Commands
import Decks
import Memory
import Text
import Values
import Workspace

enum LeechCommand {
  static var command: BuiltIn {
    BuiltIn(
      "deck", "leeches", theme: "Decks and cards", access: .signedIn, effect: .reads,
      summary: "Shows the cards that are forgotten more often than the memory model explains, and what helps.",
      answer: "{guid, deck, prompt, answer, answers, lapses, expected, evidence, confused_with, sentence}...",
      details: """
        A card is a leech when a memory that forgets it 2, 4 or 8 times as easily explains its answers 100 times better than \
        the memory model of its deck does. Of the cards that the model is true of, at most one in a hundred is ever taken \
        for one. What helps: another wording of its note (`note edit`), the cards that it is taken for side by side, and a \
        sentence of your own notes that has its word. `study` says so when a card becomes one.
        """,
      arguments: [Argument("DECK", .deck, isOptional: true, help: "the deck; left out: all decks")],
      example: "deck leeches Spanish"
    ) { invocation, session in
      let workspace = try session.workspace()
      let deck = try invocation.optionalText("DECK").map { try workspace.decks.open($0) }
      let leeches = try workspace.leeches.list(of: deck)
      return CommandResult(.list(leeches.map(\.value)), display(leeches, session))
    }
  }

  private static func display(_ leeches: [LeechHelp], _ session: Session) -> Display {
    if leeches.isEmpty { return .lines(["No card is forgotten more often than the memory model explains."]) }
    var table = TableText([.init("Prompt"), .init("Answer"), .init("Deck"), .init("Forgotten"), .init("Expected")])
    for leech in leeches {
      table.add([
        firstLine(leech.record.prompt), firstLine(leech.record.answer), leech.deck,
        "\(leech.test.lapses) of \(leech.test.answers)", FittingWords.rounded(leech.test.expected, 2),
      ])
    }
    let help = leeches.prefix(20).flatMap { leech in
      [""] + LeechWords.help(leech).enumerated().map { $0 == 0 ? $1 : "  " + $1 }
    }
    let count = session.counted(leeches.count, "card")
    return .parts([
      .lines(["\(count) forgotten more often than the memory model explains.", ""]), .table(table), .lines(help),
    ])
  }

  static func firstLine(_ text: String) -> String { text.split(separator: "\n").first.map { String($0) } ?? text }
}

/// What helps with a leech, in words.
enum LeechWords {
  static func help(_ leech: LeechHelp) -> [String] {
    let card = quoted(LeechCommand.firstLine(leech.record.prompt))
    var lines = ["\(card): `note edit` words it anew"]
    if !leech.confusedWith.isEmpty {
      let others = leech.confusedWith.map {
        "\(LeechCommand.firstLine($0.prompt)) (\(LeechCommand.firstLine($0.answer)))"
      }
      lines.append("side by side with: " + others.joined(separator: ", "))
    }
    if let sentence = leech.sentence { lines.append("in a sentence: " + sentence) }
    return lines
  }

  /// What `study` says as a card becomes a leech.
  static func notice(_ leech: LeechHelp?) -> String {
    guard let leech else { return "A leech: it was forgotten so often that it got the tag leech." }
    let expected = FittingWords.rounded(leech.test.expected, 2)
    var parts = ["A leech: forgotten \(counted(leech.test.lapses, "time")) where \(expected) were expected"]
    if let near = leech.confusedWith.first {
      parts.append("easily taken for \(LeechCommand.firstLine(near.prompt)) (\(LeechCommand.firstLine(near.answer)))")
    }
    if let sentence = leech.sentence { parts.append("\"\(sentence)\"") }
    parts.append("`deck leeches` helps")
    return parts.joined(separator: "; ") + "."
  }
}

extension LeechHelp {
  fileprivate var value: Value {
    .record([
      ("guid", .text(record.guid)), ("deck", .text(deck)), ("prompt", .text(record.prompt)),
      ("answer", .text(record.answer)), ("answers", .integer(test.answers)), ("lapses", .integer(test.lapses)),
      ("expected", .number(test.expected)), ("evidence", .number(min(test.evidence, 1e12))),
      (
        "confused_with",
        .list(
          confusedWith.map {
            .record([("guid", .text($0.guid)), ("prompt", .text($0.prompt)), ("answer", .text($0.answer))])
          })
      ), ("sentence", sentence.map { .text($0) } ?? .null),
    ])
  }
}
