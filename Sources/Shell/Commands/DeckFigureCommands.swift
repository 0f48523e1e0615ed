// `deck options`, `deck simulate`, `deck stats`. Invariant: commands that only show data change nothing.

import Bindings
import CardDocuments
import Commands
import Decks
import Files
import Memory
import PluginHost
import Problems
import Text
import Values
import Workspace

enum DeckFigureCommands {
  static var all: [BuiltIn] {
    [options, DeckCommands.goal, OptimizeCommand.command, LeechCommand.command, simulate, statistics]
      + CatchUpCommands.all
  }

  private static let options = BuiltIn(
    "deck", "options",
    effect: .depends { $0.list("NAME=VALUE").isEmpty && !$0.flag("--deck-only") ? .reads : .changes },
    summary: "Shows how a deck is studied, or sets options of its preset.", answer: "{deck, preset, OPTION}",
    details: """
      Options are stored in a preset, which decks can share and the decks within inherit; a deck that has none gets \
      one with its own name. NAME= resets an option to its initial value. preset=NAME gives the deck another preset, \
      which is created if it does not exist; preset= removes the preset from the deck. With --deck-only, a limit or \
      the retention is set for this deck only. exercise=NAME, always of this deck only, makes `study` ask its cards \
      by an exercise; exercise= ends that.
      """,
    arguments: [
      Common.deck, Argument("NAME=VALUE", isOptional: true, isRepeating: true, help: "an option and its value"),
    ],
    options: [Option("--deck-only", help: "set new_per_day, reviews_per_day or desired_retention for this deck only")],
    example: "deck options Spanish new_per_day=10 \"learning_steps=1m 10m\"",
    complete: { word, before, session in
      (before.isEmpty ? [] : offers(word, session)).map {
        Offer($0, help: DeckOptions.Name(rawValue: String($0.dropLast()))?.summary ?? "", isOpen: $0.hasSuffix("="))
      }
    }
  ) { invocation, session in
    let deck = try session.workspace().decks.open(invocation.text("DECK"))
    let pairs = try pairs(invocation.list("NAME=VALUE"))
    let isOwn = invocation.flag("--deck-only")
    if let name = pairs.last(where: { $0.name == "exercise" })?.text, !name.isEmpty {
      _ = try session.tables.exercises.named(name)
    }
    if !pairs.isEmpty {
      try isOwn
        ? deck.scheduling.setLimits(pairs.map { (try DeckOptions.name($0.name), $0.text) }) : deck.scheduling.set(pairs)
    }
    return try shown(deck, session, set: pairs.map(\.name), isOwn: isOwn)
  }

  private static func pairs(_ words: [String]) throws -> [(name: String, text: String)] {
    var pairs: [(name: String, text: String)] = []
    for word in words {
      guard let (name, text) = assignment(word) else {
        let names = DeckOptions.Name.allCases.map(\.text) + ["preset", "exercise"]
        throw ShellError.notOption(word, suggestion: suggestion(for: word, among: names))
      }
      if pairs.contains(where: { $0.name == name }) {
        throw CommandError.repeatedOption(command: "deck options", option: name)
      }
      pairs.append((name, text))
    }
    return pairs
  }

  private static func offers(_ word: String, _ session: Session) -> [String] {
    guard let (given, _) = assignment(word) else {
      return DeckOptions.Name.allCases.map { $0.text + "=" } + ["preset=", "exercise="]
    }
    if given == "exercise" { return session.tables.exercises.names.map { "exercise=\($0.name)" } }
    guard let name = DeckOptions.Name(rawValue: given) else { return [] }
    switch name.kind {
    case .flag: return ["on", "off"].map { "\(name.text)=\($0)" }
    case .choice(let choices): return choices.map { "\(name.text)=\($0)" }
    default: return []
    }
  }

  /// - Parameter names: the options that were just set, which are then the only ones in the table.
  private static func shown(
    _ deck: DeckHandle, _ session: Session, set names: [String], isOwn: Bool
  ) throws -> CommandResult {
    let set = deck.scheduling
    let (options, limits, preset) = (try set.options(), try set.limits(), try set.preset())
    let record = try deck.record()
    let overridden = (isOwn ? [] : names).compactMap { DeckOptions.Name(rawValue: $0) }.filter(limits.has).map {
      "The deck's own \($0.text) takes precedence; `deck options \(quoted(record.name)) --deck-only \($0.text)=` "
        + "removes it."
    }
    let shares = preset.map { $0.deckCount > 1 ? ", shared by \(session.counted($0.deckCount, "deck"))" : "" } ?? ""
    let heading =
      preset.map { "\(record.name) uses the preset \(quoted($0.name))\(shares)." }
      ?? "\(record.name) uses the initial options."
    let rows = DeckOptions.Name.allCases.map { name in
      let by = limits.has(name) ? "deck" : options[name] == name.initial ? "" : "preset"
      return [name.text, options[name].text, by, name.summary]
    }
    let exercise = [
      "exercise", limits.exercise ?? "", limits.exercise == nil ? "" : "deck", "The exercise that asks its cards.",
    ]
    let listed = (rows + [exercise]).filter { names.isEmpty || names.contains($0[0]) }
    let table = TableText([.name("Option"), .main("Value"), "From", .words("What it is for")], rows: listed)
    let values = DeckOptions.Name.allCases.map { ($0.text, options[$0].value) }
    return CommandResult(
      .record(
        [("deck", .text(record.name)), ("preset", preset.map { .text($0.name) } ?? .null)] + values
          + [("exercise", limits.exercise.map { .text($0) } ?? .null)]),
      .parts([.lines([heading] + overridden)] + (listed.isEmpty ? [] : [.table(table)])))
  }

  private static let simulate = BuiltIn(
    "deck", "simulate", summary: "Simulates the study of a deck at several retentions.",
    answer: "{retention, reviews_per_day, known, reviews, weekdays}...",
    details: """
      A year of study of the deck's cards, new ones included, is simulated card by card with its options. For each \
      desired retention, the result shows the reviews per day and the cards known at the end; with load_balance or \
      easy_days, also the reviews on each day of the week. Nothing is changed.
      """, arguments: [Common.deck],
    options: [Option("--days", "N", .integer(1...3650), help: "the number of days; 365 when left out")],
    example: "deck simulate Spanish --days 90"
  ) { invocation, session in
    let deck = try session.workspace().decks.open(invocation.text("DECK"))
    let days = invocation.optionalInteger("--days") ?? 365
    let forecasts = try session.console.showing("Simulating \(try deck.record().name)", total: 1000) { progress in
      try deck.scheduling.simulate(days: days) { progress(Int($0 * 1000), 1000) }
    }
    let lines =
      forecastLines(forecasts, days, session) + weekdayLines(forecasts, try deck.scheduling.options(), session)
    return CommandResult(.list(forecasts.map(\.value)), .drawn(lines))
  }

  private static func forecastLines(_ forecasts: [RetentionForecast], _ days: Int, _ session: Session) -> [String] {
    let terminal = session.console.terminal
    func panel(_ title: String, _ value: (RetentionForecast) -> Double) -> [String] {
      ChartPanel(
        title,
        .rows(
          forecasts.map { forecast in
            let value = value(forecast)
            let text = value < 100 ? rounded(value, 2) : terminal.grouped(Int(value.rounded()))
            return ChartPanel.Row(wholePercent(forecast.retention), value, text)
          })
      ).lines(on: terminal)
    }
    return panel("Reviews per day at a retention of", \.reviewsPerDay) + [""]
      + panel("Cards known after \(session.counted(days, "day"))", \.knownAtEnd)
  }

  /// The chart of weekdays at the retention nearest to the deck's; only when the options make weekdays differ.
  private static func weekdayLines(
    _ forecasts: [RetentionForecast], _ options: DeckOptions, _ session: Session
  ) -> [String] {
    let nearest = forecasts.min {
      abs($0.retention - options.desiredRetention) < abs($1.retention - options.desiredRetention)
    }
    guard options.balances, let nearest else { return [] }
    let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    let rows = zip(names, nearest.reviewsByWeekday).map { ChartPanel.Row($0, $1, rounded($1, 2)) }
    let title = "Reviews on a day of the week at a retention of \(wholePercent(nearest.retention))"
    return [""] + ChartPanel(title, .rows(rows)).lines(on: session.console.terminal)
  }

  private static let statistics = BuiltIn(
    "deck", "stats", summary: "Shows study statistics: retention, days, forecast, distributions.",
    answer: "{today, streak, longest_streak, cards, known, retention, FIGURE}",
    details: """
      The statistics are of a deck and those within it, of the cards that a query finds, or of everything. True \
      retention is shown next to the prediction of the memory model; a card is mature when its interval is at least \
      21 days. For a deck with a goal, its progress is shown. With --png or --svg, the charts are written to a file.
      """, arguments: [Argument("DECK|QUERY", .query, isOptional: true, help: "a deck's name, or a query")],
    options: [
      Option("--png", "FILE", .file, access: .write, help: "write the charts as a picture, PNG or .svg"),
      Option("--svg", "FILE", .file, access: .write, help: "write the charts as SVG"),
    ], example: "deck stats Spanish",
    complete: { word, before, session in
      try NameOffers(session: session).names(of: before.isEmpty ? .deck : .query, word)
    }
  ) { invocation, session in
    let (figures, name) = try figures(session.query("DECK|QUERY", of: invocation), session)
    let files = ["--png", "--svg"].filter { invocation.optionalText($0) != nil }
    if !files.isEmpty {
      let panels = StatisticsPanels(figures: figures, groupsNumbers: true).panels(weeks: 53)
      let picture = ChartPicture(title: name, panels: panels)
      let lines = try files.flatMap { try session.draw(picture, to: invocation.text($0), isSVG: $0 == "--svg") }
      return CommandResult(figures.value, .lines(lines))
    }
    let facts = ["\(session.counted(figures.cards.all, "card")) · \(session.grouped(figures.cards.new)) new"]
    let terminal = session.console.terminal
    let panels = StatisticsPanels(figures: figures, groupsNumbers: terminal.groupsNumbers)
      .panels(weeks: max(4, min(53, terminal.width - 8)))
    let lines = Array(panels.map { $0.lines(on: terminal) }.joined(separator: [""]))
    return CommandResult(figures.value, .page(.init(.drawn(lines), title: name, facts: facts)))
  }

  /// The requested figures, and the name of what they cover.
  private static func figures(_ text: String?, _ session: Session) throws -> (DeckStatistics, String) {
    let workspace = try session.workspace()
    let progress = session.console.progress("Counting", total: nil)
    defer { progress.finish() }
    // The rows are counted only if somebody sees the progress.
    let update: ((Int, Int) -> Void)? = session.console.drawsProgress ? { progress.update($0, of: $1) } : nil
    guard let text else { return (try workspace.decks.statistics(progress: update), "All decks") }
    for deck in try workspace.decks.all() where try deck.record().name.lowercased() == text.lowercased() {
      var figures = try deck.statistics(progress: update)
      progress.finish()
      let trying = session.console.progress("Trying the memory model", total: nil)
      defer { trying.finish() }
      figures.knowledge = try deck.fitting.knowledge { trying.update(0, of: nil) }
      return (figures, try deck.record().name)
    }
    let figures = try workspace.decks.statistics(query: text, progress: update)
    // A single word that finds nothing was most likely meant as a deck, so opening it reports the missing deck.
    if figures.cards.all == 0 {
      if !text.contains(where: { " :\"(-".contains($0) }) { _ = try workspace.decks.open(text) }
      throw LookupError.nothingFound(query: text)
    }
    return (figures, text)
  }
}

extension DeckScheduling {
  /// Sets options of the deck's preset, and the preset itself, from the text that the user typed.
  fileprivate func set(_ pairs: [(name: String, text: String)]) throws {
    let preset = pairs.last { $0.name == "preset" }?.text
    let others = try pairs.filter { !["preset", "exercise"].contains($0.name) }.map {
      (name: try DeckOptions.name($0.name), text: $0.text)
    }
    try set(
      others, preset: preset.map { $0.trimmed.isEmpty ? .none : .named($0) } ?? .same,
      exercise: pairs.last { $0.name == "exercise" }?.text)
  }
}

extension OptionValue {
  fileprivate var value: Value {
    switch self {
    case .number(let number): .measure(number)
    case .flag(let isOn): .boolean(isOn)
    case .choice(let choice): .text(choice)
    case .steps(let numbers), .parameters(let numbers), .weekdays(let numbers): .list(numbers.map { .measure($0) })
    }
  }
}

extension RetentionForecast {
  fileprivate var value: Value {
    .record([
      "retention": retention, "reviews_per_day": reviewsPerDay, "known": knownAtEnd,
      "reviews": reviews, "weekdays": reviewsByWeekday,
    ])
  }
}

extension Session {
  /// Writes charts to a file, as SVG if told so or its name ends in .svg, as PNG otherwise; returns what was done.
  func draw(_ picture: ChartPicture, to file: String, isSVG: Bool = false) throws -> [String] {
    let path = environment.folders.expanded(file)
    guard rehearsal.mayActOutside("write \(printable(path))") else { return [] }
    try workspace().exchange.writeCharts(picture, to: path, asPNG: !isSVG && !path.lowercased().hasSuffix(".svg"))
    return ["Drew the charts to \(printable(path))."]
  }
}
