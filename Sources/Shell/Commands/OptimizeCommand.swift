// `deck optimize`: fits the memory models to a user's answers, and reports how well they predict them; `deck leeches`:
// the cards that are forgotten more often than the model explains. Invariant: parameters of FSRS-6 are saved only when
// they predict better; a report changes nothing.

import Bindings
import CardDocuments
import Commands
import Decks
import Memory
import Problems
import Templates
import Text
import Values
import Workspace

enum OptimizeCommand {
  static let command = BuiltIn(
    "deck", "optimize", effect: .depends { $0.flag("--report") ? .reads : .changes },
    summary: "Fits the memory models to your answers.",
    answer: "{deck, reviews, before, after, kept, parameters, model, answer_time, evidence}, "
      + "{deck, reviews?, before?, after?, kept?, parameters?, model?, answer_time?, evidence?, code?}... or "
      + "{deck, model, fsrs6, fsrs7, both, timed, answer_time, speed}",
    details: """
      The 21 parameters of FSRS-6 are fitted to four fifths of the answers of the deck and the decks within it, and \
      judged on the rest. They are saved in the deck's preset if they predict better than the current ones. At least \
      400 reviews on later days are needed, 500 for --report. FSRS-7 is fitted too, and how much less is remembered \
      after a slow answer. Both models schedule together from then on, if the option model is both; with auto, unless \
      FSRS-6 alone predicts the last fifth of the answers clearly better when all are fitted to the answers before \
      it. At the prompt this is repeated automatically when the number of answers has grown by a tenth. --report \
      shows how well the models predict, and saves nothing. With --all every preset is fitted to the answers of its \
      decks.
      """, arguments: [Argument("DECK", .deck, isOptional: true, help: "the deck; left out with --all")],
    options: [
      Option("--all", help: "fit every preset"), Option("--report", help: "show how well the models predict"),
    ], example: "deck optimize Spanish"
  ) { invocation, session in
    try invocation.refuse(["DECK", "--report"], beside: "--all")
    if invocation.flag("--all") { return try optimizeAll(session) }
    let deck =
      try invocation.optionalText("DECK").map { try session.workspace().decks.open($0) }
      ?? StudyChoice.only(session, usage: "deck optimize DECK")
    if invocation.flag("--report") { return try report(deck, session) }
    let outcome = try fitted(deck, session)
    try deck.fitting.store(outcome)
    let lines = try FittingWords.lines(outcome, preset: deck.scheduling.preset()?.name ?? "", session)
    return CommandResult(outcome.value(try deck.record().name), .lines(lines))
  }

  private static func fitted(_ deck: DeckHandle, _ session: Session) throws -> ModelFitting {
    try session.console.showing("Fitting \(try deck.record().name)", total: 1000) { progress in
      try deck.fitting.run { progress(Int($0 * 1000), 1000) }
    }
  }

  /// Optimizes each preset once, through the first deck that uses it, and top-level decks that have no preset.
  private static func optimizeAll(_ session: Session) throws -> CommandResult {
    var (values, lines, seen): ([Value], [String], Set<String>) = ([], [], [])
    for deck in try session.workspace().decks.all() {
      let name = try deck.record().name
      let preset = try deck.scheduling.preset()?.name
      guard preset != nil || !name.contains(text: "::"), seen.insert(preset ?? "\u{1}" + name).inserted else {
        continue
      }
      do {
        let outcome = try fitted(deck, session)
        try deck.fitting.store(outcome)
        values.append(outcome.value(name))
        lines += [name + ":"]
        let fit = try FittingWords.lines(outcome, preset: deck.scheduling.preset()?.name ?? "", session)
        lines += fit.map { "  " + $0 }
      } catch let problem as MemoryError {
        guard case .tooFewReviews = problem else { throw problem }
        values.append(.record(["deck": name, "code": problem.report.code.rawValue]))
        lines += ["\(name):", "  " + problem.message]
      }
    }
    return CommandResult(.list(values), .lines(lines.isEmpty ? ["No decks yet."] : lines))
  }

  private static func report(_ deck: DeckHandle, _ session: Session) throws -> CommandResult {
    let name = try deck.record().name
    let evidence = try session.console.showing("Fitting \(name)", total: 1000) { progress in
      try deck.fitting.evidence { progress(Int($0 * 1000), 1000) }
    }
    let options = try deck.scheduling.options()
    let timed = options[.answerTime] == .flag(true)
    let used = options.modelInUse
    let models = [
      ("FSRS-6", evidence.fsrs6, used == .fsrs6), ("FSRS-7", evidence.fsrs7, used == .fsrs7),
      ("both", evidence.both, used == .both && !timed), ("both with time", evidence.timed, used == .both && timed),
    ]
    let table = TableText(
      ["Model", "Log loss", "RMSE (bins)", "AUC", "Schedules"],
      rows: models.map { model, fit, isUsed in
        [model, rounded(fit.logLoss, 4), rounded(fit.rmse * 100, 2) + " %", rounded(fit.auc, 4), isUsed ? "yes" : ""]
      })
    let terminal = session.console.terminal
    let heading =
      "\(name): fitted to the first four fifths of the answers, and judged on "
      + "\(session.counted(evidence.timed.count, "answer")) on later days of the last fifth."
    let speeds = TableText(
      ["After an answer", "Predicted", "Remembered", "Answers"],
      rows: evidence.speeds.map {
        [$0.speed.rawValue, percent($0.predicted), percent($0.remembered), session.grouped($0.answers)]
      })
    let pictures = models.flatMap { model, fit, _ in
      [""] + ChartPanel("\(model): predicted and remembered", calibrationOf: fit, terminal).lines(on: terminal)
    }
    let value: Value = .record([
      "deck": name, "model": used.rawValue, "fsrs6": evidence.fsrs6.value, "fsrs7": evidence.fsrs7.value,
      "both": evidence.both.value, "timed": evidence.timed.value, "answer_time": evidence.time.value,
      "speed": evidence.speeds.map(\.value),
    ])
    return CommandResult(
      value,
      .parts(
        [.lines([heading, ""]), .table(table)] + (evidence.speeds.isEmpty ? [] : [.lines([""]), .table(speeds)])
          + [.drawn(pictures), .lines(["", FittingWords.verdict(evidence, session)])]))
  }
}

extension ChartPanel {
  /// A chart of the share of remembered answers against the predicted probability.
  init(_ title: String, calibrationOf fit: ModelFit, _ numbers: some NumberShowing) {
    let rows = fit.calibration.map { part in
      let text = "\(wholePercent(part.remembered)) of \(numbers.grouped(part.count))"
      return Row(wholePercent(part.predicted), part.remembered, text)
    }
    self.init(title, .rows(rows))
  }
}

enum FittingWords {
  static func lines(_ outcome: ModelFitting, preset: String, _ session: Session) -> [String] {
    let fsrs6 = outcome.fsrs6
    let kept =
      fsrs6.isBetter
      ? "The new parameters are saved in the preset \(quoted(preset))."
      : "The current parameters of FSRS-6 predict equally well and stay."
    let lines = [
      "Fitted to \(session.counted(fsrs6.reviewCount, "review")).", "  before  \(figures(fsrs6.before))",
      "  after   \(figures(fsrs6.after))", kept,
    ]
    let undone = outcome.model == .fsrs6 ? "." : "; `deck options DECK model=fsrs-6` undoes this."
    return lines + (outcome.evidence.map { [verdict($0, session)] } ?? [])
      + ["From now on the memory model is \(outcome.model.title)\(undone)"]
  }

  /// Compares how well the models predict answers that they were not fitted to.
  static func verdict(_ evidence: ModelEvidence, _ session: Session) -> String {
    let (old, new) = (rounded(evidence.fsrs6.logLoss, 4), rounded(evidence.timed.logLoss, 4))
    let answers = "\(session.counted(evidence.timed.count, "answer")) that they were not fitted to"
    let figures = "log loss \(new) for both with the time of answers, \(old) for FSRS-6, on \(answers)"
    if evidence.timed.logLoss < evidence.fsrs6.logLoss { return "Both models predict better: \(figures)." }
    return "FSRS-6 predicts \(evidence.prefersFSRS6 ? "clearly" : "not clearly") better: \(figures)."
  }

  /// The message about a fit that ran in the background of the prompt.
  static func news(_ news: RefitResult, _ session: Session) -> String {
    let outcome = news.outcome
    return "note: the memory model of the preset \(quoted(news.preset)) was fitted again, to "
      + "\(session.counted(outcome.fsrs6.reviewCount, "review")); \(outcome.model.title) is in use; `undo` reverts this"
  }

  private static func figures(_ fit: ModelFit) -> String {
    "log loss \(rounded(fit.logLoss, 4)), RMSE \(rounded(fit.rmse * 100, 2)) %"
  }
}

extension ModelFit {
  var value: Value {
    .record(["log_loss": logLoss, "rmse": rmse, "auc": auc, "answers": count, "calibration": calibrationValue])
  }
}

extension ModelChoice {
  var title: String { self == .both ? "FSRS-6 with FSRS-7" : self == .fsrs7 ? "FSRS-7" : "FSRS-6" }
}

extension ModelFitting {
  fileprivate func value(_ deck: String) -> Value {
    func figures(_ fit: ModelFit) -> Value { .record(["log_loss": fit.logLoss, "rmse": fit.rmse]) }
    return .record([
      "deck": deck, "reviews": fsrs6.reviewCount, "before": figures(fsrs6.before), "after": figures(fsrs6.after),
      "kept": fsrs6.isBetter, "parameters": fsrs6.parameters, "model": model.rawValue,
      "answer_time": fitted.time?.value,
      "evidence": evidence.map {
        Value.record([
          "fsrs6": figures($0.fsrs6), "fsrs7": figures($0.fsrs7), "both": figures($0.both), "timed": figures($0.timed),
        ])
      },
    ])
  }
}

enum LeechCommand {
  static let command = BuiltIn(
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
    let leeches = try session.console.showing("Reading answers", unit: "cards") { progress in
      try workspace.leeches.list(of: deck) { progress($0, nil) }
    }
    return CommandResult(.list(leeches.map(\.value)), display(leeches, session))
  }

  private static func display(_ leeches: [LeechHelp], _ session: Session) -> Display {
    if leeches.isEmpty { return .lines(["No card is forgotten more often than the memory model explains."]) }
    let rows = leeches.map { leech in
      [
        firstLine(leech.record.prompt), firstLine(leech.record.answer), leech.deck,
        "\(leech.test.lapses) of \(leech.test.answers)", rounded(leech.test.expected, 2),
      ]
    }
    let table = TableText(
      [.main("Prompt"), .main("Answer"), "Deck", .whole("Forgotten"), .number("Expected")], rows: rows)
    let help = leeches.prefix(20).flatMap { leech in
      ["", "\(quoted(firstLine(leech.record.prompt))): reword it with `note edit`"] + aids(leech).map { "  " + $0 }
    }
    let count = session.counted(leeches.count, "card")
    return .parts([
      .lines(["\(count) forgotten more often than the memory model explains.", ""]), .table(table), .lines(help),
    ])
  }

  static func firstLine(_ text: String) -> String {
    FieldHTML.withSigns(text.lines.first { !$0.isEmpty }.map { String($0) } ?? text)
  }

  /// The typed mistakes, duplicates, confused cards with the command to study them together, an example.
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
        "It exists \(counted(leech.same.count + 1, "time")): \(guids) \(leech.same.count == 1 ? "is" : "are") the "
          + "same; use `card remove` to remove one")
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
      "guid": record.guid, "deck": deck, "prompt": record.prompt, "answer": record.answer, "answers": test.answers,
      "lapses": test.lapses, "expected": test.expected, "evidence": min(test.evidence, 1e12),
      "typed": mistypes.map { Value.record(["text": $0.text, "times": $0.times]) },
      "confused_with": confusedWith.map { Value.record(["guid": $0.guid, "prompt": $0.prompt, "answer": $0.answer]) },
      "same": same.map(\.guid), "sentence": sentence,
      "side_by_side": confusedWith.isEmpty ? nil : LeechCommand.sideBySide(self),
    ])
  }
}
