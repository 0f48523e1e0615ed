// `deck ...`. Invariant: a command says what it did and how much; it never changes more than it says.

import Bindings
import Commands
import Decks
import Files
import LuaRuntime
import Problems
import Text
import Values
import Workspace

extension Shell {
  func deckCommands() -> [Command] {
    [
      listDecks(), createDeck(), showDeck(), renameDeck(), removeDeck(), importDeck(), exportDeck(),
    ]
  }

  private static let theme = "Decks and cards"

  private func listDecks() -> Command {
    Command(
      "deck", "list", theme: Self.theme, effect: .reads, summary: "Lists the decks.",
      details: """
        Cards are a deck's own. New and due are what `study` would show now: the decks within it counted in, and no more than \
        the limits of a day.
        """, example: "deck list"
    ) {
      [unowned self] _ in
      let decks = try workspace().decks()
      var table = TableText(
        [.init("Deck"), .init("Cards", .right), .init("New", .right), .init("Due", .right), .init("Last studied")],
        whenEmpty: "No decks yet; `deck create NAME` makes one.")
      let counts = try workspace().studyCounts()
      for deck in decks {
        let (record, study) = (try deck.record(), counts[deck.id] ?? StudyCounts())
        table.add([
          record.name, grouped(try deck.count()), grouped(study.new), grouped(study.due),
          record.studied.map { ago($0) } ?? "never",
        ])
      }
      return CommandResult(.objects(decks), .table(table))
    }
  }

  /// How long ago a moment was, as people say it.
  func ago(_ moment: Double) -> String {
    let days = Int((environment.clocks.now() - moment) / 86_400)
    switch days {
    case ..<1: return "today"
    case 1: return "yesterday"
    default: return "\(grouped(days)) days ago"
    }
  }

  private func createDeck() -> Command {
    Command(
      "deck", "create", theme: Self.theme, effect: .changes, summary: "Makes an empty deck.",
      details: "A deck A::B stands in the deck A, which is made too when it is missing.",
      arguments: [Argument("DECK", help: "the new deck's name")], example: "deck create Spanish::Verbs"
    ) { [unowned self] invocation in
      let deck = try workspace().createDeck(invocation.text("DECK"))
      return CommandResult(.object(deck), line: "Created deck \(quoted(try deck.record().name)).")
    }
  }

  private func showDeck() -> Command {
    Command(
      "deck", "show", theme: Self.theme, effect: .reads, summary: "Shows a deck and its first cards.",
      arguments: [Common.deck],
      example: "deck show Spanish"
    ) { [unowned self] invocation in
      let deck = try workspace().openDeck(invocation.text("DECK"))
      let study = try deck.studyCounts()
      let shown = 20
      let listing = try workspace().listCards(of: [deck], limit: shown)
      var parts: [Display] = [
        .lines([
          "\(try deck.record().name): \(counted(listing.total, "card")); to study now: \(grouped(study.new)) new, "
            + "\(grouped(study.due)) due"
        ])
      ]
      if !listing.cards.isEmpty { parts.append(.table(try cardTable(listing.cards))) }
      if listing.total > shown {
        let name = ShellWords.quote(try deck.record().name)
        parts.append(.lines(["… \(grouped(listing.total - shown)) more; `card list --deck \(name)` lists all"]))
      }
      return CommandResult(.object(deck), .parts(parts))
    }
  }

  private func renameDeck() -> Command {
    Command(
      "deck", "rename", theme: Self.theme, effect: .changes,
      summary: "Renames a deck, and with it the decks within it.",
      arguments: [Common.deck, Argument("NEW", help: "its new name")], example: "deck rename Spanish Español"
    ) { [unowned self] invocation in
      let deck = try workspace().openDeck(invocation.text("DECK"))
      let old = try deck.record().name
      try deck.rename(to: invocation.text("NEW"))
      return CommandResult(.object(deck), line: "Renamed deck \(quoted(old)) to \(quoted(try deck.record().name)).")
    }
  }

  private func removeDeck() -> Command {
    Command(
      "deck", "remove", theme: Self.theme, effect: .changes,
      summary: "Removes a deck, the decks within it and all their cards.",
      details: "At a terminal it asks first when there are cards.", arguments: [Common.deck], example: "deck remove Old"
    ) { [unowned self] invocation in
      let deck = try workspace().openDeck(invocation.text("DECK"))
      let name = try deck.record().name
      let within = try workspace().decks().filter { try $0.record().name.hasPrefix(name + "::") }
      let cards = try ([deck] + within).reduce(0) { try $0 + $1.count() }
      let more = within.isEmpty ? "" : " and \(counted(within.count, "deck")) within it"
      if cards > 0, !(try confirm("Remove deck \(quoted(name))\(more) with \(counted(cards, "card"))?")) {
        return CommandResult(.integer(0), line: "Nothing was removed.")
      }
      let removed = try deck.remove()
      return CommandResult(.integer(removed), line: "Removed deck \(quoted(name))\(more), \(counted(removed, "card")).")
    }
  }

  // MARK: Files

  private static let formatOption = Option(
    "--format", choice: CardFormat.allNames, help: "the file's format, by its ending when left out")

  private func importDeck() -> Command {
    Command(
      "deck", "import", theme: Self.theme, effect: .changes, summary: "Adds the cards of a file to a deck.",
      details: """
        The format goes by the file's ending: .json, .csv or .tsv. The deck is made when it is missing. A row that cannot be \
        a card is refused and told; a broken file imports nothing, and status 1 says so, as it does when every row was refused.
        """,
      arguments: [Common.deck, Argument("FILE", .file, help: "the file")],
      options: [
        Self.formatOption,
        Option(
          "--on-duplicate", choice: OnDuplicate.allCases.map(\.rawValue), help: "what to do with a card that is there"),
        Option("--strict", help: "one refused row refuses all"),
        Option(
          "--encoding", choice: TextEncoding.allNames, help: "how the file's text is written: utf-8 when left out"),
      ], example: "deck import Spanish words.tsv"
    ) { [unowned self] invocation in try runImport(invocation) }
  }

  private func runImport(_ invocation: Invocation) throws -> CommandResult {
    let (name, path) = (invocation.text("DECK"), expandedPath(invocation.text("FILE")))
    var options = ImportOptions()
    options.format = try invocation.optionalText("--format").map { try CardFormat(named: $0) }
    options.onDuplicate = invocation.optionalText("--on-duplicate").flatMap { OnDuplicate(rawValue: $0) } ?? .skip
    options.isStrict = invocation.flag("--strict")
    options.encoding = try invocation.optionalText("--encoding").map { try TextEncoding(named: $0) } ?? .utf8
    let progress = console.progress("Importing \(lastPart(of: path))", total: fileSize(path))
    defer { progress.finish() }
    let report = try workspace().importCards(intoDeck: name, from: path, .any, options) { progress.update($0, of: $1) }
    progress.finish()
    let result = CommandResult(report.value, .lines(words(report, name)))
    guard report.isRefused else { return result }
    if !isInScript { show(result, asJSON: setup.wantsJSON || invocation.wantsJSON) }
    throw ShellError.allRefused(file: lastPart(of: path), first: report.rejected[0].message)
  }

  private func words(_ report: AddReport, _ deck: String) -> [String] {
    var parts = ["Imported \(counted(report.added, "card")) into \(quoted(deck))"]
    var rest: [String] = []
    if report.updated > 0 { rest.append("\(grouped(report.updated)) updated") }
    if report.skipped > 0 { rest.append("\(grouped(report.skipped)) skipped (already there)") }
    if report.rejectedCount > 0 { rest.append("\(grouped(report.rejectedCount)) refused") }
    if !rest.isEmpty { parts[0] += "; " + rest.joined(separator: ", ") }
    parts[0] += report.rejectedCount > 0 ? ":" : "."
    let places = report.rejected.prefix(20).map { $0.place?.inWords ?? "card \($0.index)" }
    let width = places.map(\.count).max() ?? 0
    for (place, rejection) in zip(places, report.rejected) {
      parts.append("  \(place.filled(to: width))   \(rejection.message)")
    }
    if report.rejectedCount > 20 { parts.append("  … \(grouped(report.rejectedCount - 20)) more") }
    return parts
  }

  private func exportDeck() -> Command {
    Command(
      "deck", "export", theme: Self.theme, effect: .acts,
      summary: "Writes a deck's cards to a file, those of the decks within it too.",
      details: "The format goes by the file's ending: .json, .csv or .tsv. The file is written whole or not at all.",
      arguments: [Common.deck, Argument("FILE", .file, help: "the file")], options: [Self.formatOption],
      example: "deck export Spanish spanish.csv"
    ) { [unowned self] invocation in
      let deck = try workspace().openDeck(invocation.text("DECK"))
      let path = expandedPath(invocation.text("FILE"))
      let format = try invocation.optionalText("--format").map { try CardFormat(named: $0) }
      let report = try deck.exportCards(to: path, .any, format: format)
      return CommandResult(
        report.value,
        line: "Exported \(counted(report.cards, "card")) of \(quoted(try deck.record().name)) to \(printable(path)).")
    }
  }
}
