// `deck leeches`: the cards that are forgotten more often than the memory model explains, and what helps with each.
// Invariant: the command changes nothing.

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
      "deck", "leeches",
      summary: "Shows the cards that are forgotten more often than the memory model explains, and what helps.",
      answer: "{guid, deck, prompt, answer, answers, lapses, expected, evidence, typed, confused_with, same, "
        + "sentence, side_by_side}...",
      details: """
        A card is a leech when a memory that forgets it 2, 4 or 8 times as easily explains its answers 100 times \
        better than the memory model of its deck does. Of the cards for which the model is right, at most one in a \
        hundred is ever listed as a leech. What helps: another wording of its note (`note edit`); the cards that it is \
        confused with (by what was typed for it, and by letters), with the command that studies them side by side; and \
        a sentence from your own notes that contains its word. `study` shows them when a card becomes a leech.
        """, arguments: [Argument("DECK", .deck, isOptional: true, help: "the deck; all decks when left out")],
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
    var table = TableText([
      .init("Prompt", isMain: true), .init("Answer"), .init("Deck"), .init("Forgotten", isMain: true),
      .init("Expected"),
    ])
    for leech in leeches {
      table.add([
        firstLine(leech.record.prompt), firstLine(leech.record.answer), leech.deck,
        "\(leech.test.lapses) of \(leech.test.answers)", rounded(leech.test.expected, 2),
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

  static func firstLine(_ text: String) -> String { text.lines.first { !$0.isEmpty }.map { String($0) } ?? text }
}

/// Help for a leech as lines of text.
enum LeechWords {
  static func help(_ leech: LeechHelp) -> [String] {
    ["\(quoted(LeechCommand.firstLine(leech.record.prompt))): reword it with `note edit`"] + aids(leech)
  }

  /// The typed mistakes, duplicates, confused cards with the command to study them side by side, and an example
  /// sentence.
  static func aids(_ leech: LeechHelp) -> [String] {
    var lines: [String] = []
    if !leech.mistypes.isEmpty {
      let typed = leech.mistypes.prefix(3).map {
        printable($0.text, limit: 60) + ($0.times > 1 ? " (\($0.times) times)" : "")
      }
      lines.append("Typed instead: " + typed.joined(separator: ", "))
    }
    if !leech.same.isEmpty {
      let guids = leech.same.prefix(3).map { printable($0.guid) }.joined(separator: ", ")
      lines.append(
        "It exists \(counted(leech.same.count + 1, "time")): \(guids) \(leech.same.count == 1 ? "is" : "are") the same; "
          + "use `card remove` to remove one")
    }
    if !leech.confusedWith.isEmpty {
      let others = leech.confusedWith.map {
        "\(LeechCommand.firstLine($0.prompt)) (\(LeechCommand.firstLine($0.answer)))"
      }
      lines.append("Easily confused with: " + others.joined(separator: ", "))
      lines.append("Side by side: `\(printable(sideBySide(leech), limit: 800))`")
    }
    if let sentence = leech.sentence { lines.append("In a sentence: " + sentence) }
    return lines
  }

  /// The command that studies the leech together with the cards it is confused with, without changing a schedule.
  static func sideBySide(_ leech: LeechHelp) -> String {
    let cards = ([leech.record] + leech.confusedWith).map { card in
      "dupe:\"" + card.prompt.map { "\\\"".contains($0) ? "\\\($0)" : String($0) }.joined() + "\""
    }
    let query = cards.distinct(by: \.self).joined(separator: " or ")
    return "study \(ShellWords.quote(leech.family)) --query \(ShellWords.quote(query)) --cram --no-schedule"
  }
}

extension LeechHelp {
  fileprivate var value: Value {
    .record([
      ("guid", .text(record.guid)), ("deck", .text(deck)), ("prompt", .text(record.prompt)),
      ("answer", .text(record.answer)), ("answers", .integer(test.answers)), ("lapses", .integer(test.lapses)),
      ("expected", .number(test.expected)), ("evidence", .number(min(test.evidence, 1e12))),
      ("typed", .list(mistypes.map { .record(["text": $0.text, "times": $0.times]) })),
      (
        "confused_with",
        .list(
          confusedWith.map {
            .record(["guid": $0.guid, "prompt": $0.prompt, "answer": $0.answer])
          })
      ), ("same", .list(same.map { .text($0.guid) })), ("sentence", sentence.map { .text($0) } ?? .null),
      ("side_by_side", confusedWith.isEmpty ? .null : .text(LeechWords.sideBySide(self))),
    ])
  }
}
