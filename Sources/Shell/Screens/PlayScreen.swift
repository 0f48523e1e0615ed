// A word game: at the terminal a screen with the base word, the found words and an alert; in a pipe one answer per
// line, as text or JSON. Invariant: only the game judges guesses; the screen just shows the outcome. Everything that
// counts is saved at once, so that no way of leaving loses it.

import Bindings
import Commands
import Decks
import Files
import LuaRuntime
import PluginHost
import Problems
import Text
import Values
import WordGames
import Workspace

final class PlayScreen {
  struct Options {
    var wantsJSON = false
    /// Whether a program that reads the output gets the base word first.
    var showsBase = true
    /// The deck that missed words are added to at the end.
    var deck: String?
  }

  let session: Session
  let handle: GameHandle
  let options: Options
  /// Whether the user is at a terminal; fixed at the start, because the console has no keyboard while a line is read.
  let isScreen: Bool
  private var hasLeft = false
  private var hasShownEnd = false
  /// Whether the game can be resumed after it was left.
  private var isKept = false
  /// Whether nobody is signed in any more, so that the game is inaccessible.
  private var isLockedOut = false
  /// The lines of a paste that were not used yet.
  private var pastedLines: [String] = []
  var drawing = PlayDrawing()

  init(_ session: Session, _ game: GameHandle, _ options: Options) {
    (self.session, self.handle, self.options) = (session, game, options)
    let terminal = session.console.terminal
    isScreen = terminal.hasScreen && terminal.hasKeyboard && !options.wantsJSON
  }

  var game: Game { handle.game }
  var terminal: Terminal { session.console.terminal }
  private var preferences: Preferences? { session.preferences }
  /// Whether the screen is redrawn after each guess; a screen reader gets a line instead.
  var draws: Bool { isScreen && !terminal.usesScreenReader }

  func run() throws -> CommandResult {
    let first = try game.state
    if draws { draw(alert: nil) } else if options.showsBase || isScreen { showBase() }
    let reader = try isScreen ? session.input.lineReader ?? LineReader(history: History(path: nil)) : nil
    let restore = reader?.savingCallbacks()
    defer { restore?() }
    reader?.completion = { [self] line in completion(line) }
    reader?.willSuspend = { [self, willSuspend = reader?.willSuspend] in
      willSuspend?()
      game.pause()
    }
    reader?.didResume = { [self, didResume = reader?.didResume] in
      didResume?()
      game.resume()
      drawAround()
    }
    reader?.didResize = { [self] in drawAround() }
    while !hasLeft, let line = try nextLine(reader) {
      try handle.renewMode()
      // In a pipe an empty line is a guess too: a program must get an answer to each line.
      if line.hasPrefix("/") { try runGameCommand(line.trimmed) } else { try guess(line) }
      if handle.hasEnded, !hasShownEnd { try showEnd() }
    }
    if isLockedOut { return CommandResult() }
    isKept = try handle.leave(since: first)
    if handle.hasEnded, !hasShownEnd { try showEnd() }
    try addMissed()
    if isScreen, session.state.leaving == nil {
      session.console.show(([summary] + goodbye).flatMap { wrapped($0, width: terminal.width) })
    }
    if options.wantsJSON { return CommandResult() }
    return CommandResult(
      .record(["base_word": game.baseWord, "count": game.count, "average": game.average, "score": game.score]))
  }

  private func nextLine(_ reader: LineReader?) throws -> String? {
    if !pastedLines.isEmpty { return pastedLines.removeFirst() }
    let outcome: LineOutcome
    let prompt = self.prompt
    if let reader {
      // The game's clock may run out while nobody types.
      let isIdle = IdleLock(session: session).tick()
      reader.tick = { [self] in
        drawClock()
        return isIdle() || (game.timeRemaining ?? 1) <= 0
      }
      outcome = try reader.read(prompt: prompt, hidesHistory: true)
    } else {
      outcome = try session.input.plainReader.read()
    }
    switch outcome {
    case .line(let line): return taken(line, after: prompt)
    case .interrupted:
      guard isScreen else { throw ShellError.interruptedAmidAnswers }
      return nil
    case .stopped where session.input.isIdle:
      game.pause()
      guard IdleLock(session: session).unlockCovered() else {
        (hasLeft, isLockedOut) = (true, true)
        return nil
      }
      game.resume()
      if draws { draw(alert: nil) }
      return try nextLine(reader)
    case .stopped, .endOfInput: return nil
    }
  }

  /// The first line of what was typed; the others of a paste are lines of the game, too.
  private func taken(_ text: String, after prompt: String) -> String {
    // No word is longer, and an endless run of combining marks would take forever.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      String($0.unicodeScalars.prefix(1_000))
    }
    drawing.addTyped(lines, after: promptForEditor(prompt), width: terminal.width)
    pastedLines = lines.dropFirst().filter { !$0.isEmpty }
    return lines[0]
  }

  private var prompt: String {
    let usual = isScreen ? PromptText(session: session).text(game: game.mode.name) : "> "
    return game.mode.players > 1 ? "player \(game.currentPlayer + 1) \(usual)" : usual
  }

  private func guess(_ line: String) throws {
    if isScreen, line.trimmed.isEmpty { return draws ? draw(alert: nil) : showBase() }
    let before = game.baseWord
    let answer: (outcome: GuessOutcome, word: String)
    do { answer = try handle.guess(line) } catch let error as LuaError where error.stopReason != .interrupt {
      // A function of the mode failed: the game continues without this guess.
      session.report(error, origin: game.mode.name)
      if options.wantsJSON { reportFailure(of: line.trimmed, error) }
      drawing.lines += 1
      return
    }
    if case .accepted(let points) = answer.outcome {
      if game.baseWord != before { drawing.order = [] }
      accept(answer.word, points)
    } else if let refusal = game.refusal(of: answer.word, as: answer.outcome) {
      refuse(refusal)
    }
  }

  /// Answers a guess that could not be judged, since a program must get an answer to each guess.
  private func reportFailure(of word: String, _ error: LuaError) {
    let report = error.problem?.report
    answer([
      "word": word, "code": report?.code.rawValue ?? ProblemCode.failure(.luaError).rawValue,
      "title": report?.title ?? "A Lua error", "message": error.description,
    ])
  }

  func answer(_ fields: KeyValuePairs<String, (any FieldValue)?>) { session.console.show([Value.record(fields).json]) }

  private func accept(_ word: String, _ points: Int) {
    if preferences?.sound.ringsWhenRight == true { session.console.ring() }
    if draws {
      let spoken = terminal.differentiatesWithoutColor ? "\(right) \(word): \(counted(points, "point")), right." : nil
      return draw(alert: rewardText ?? spoken)
    }
    if options.wantsJSON {
      let more: [(String, Value)] = game.own.answers[word].map { [("answer", .text($0))] } ?? []
      let fields: Value.Record = [
        "word": .text(word), "points": .integer(points), "count": .integer(game.count),
        "average": .number(game.average), "score": .integer(game.score),
      ]
      return session.console.show([Value.record(fields.fields.map { ($0.name, $0.value) } + more).json])
    }
    session.console.show(["\(withAnswer(word)): \(counted(points, "point")). \(footer)"])
  }

  /// A found word, in a game over a deck with its answer.
  func withAnswer(_ word: String) -> String {
    printable(word) + (game.own.answers[word].map { " (\(printable($0, limit: 60)))" } ?? "")
  }

  private var rewardText: String? {
    guard let reward = game.reward else { return nil }
    return "\(reward.title): \(counted(reward.words, "word"))"
      + (reward.points > 0 ? ", \(reward.points) points more." : ".")
  }

  /// Symbols beside words for users who cannot distinguish colours.
  private var right: String { terminal.usesUnicode ? "✓" : "+" }
  private var wrong: String { terminal.usesUnicode ? "✗" : "x" }

  private func refuse(_ refusal: Refusal) {
    if preferences?.sound.ringsWhenWrong == true { session.console.ring() }
    if options.wantsJSON {
      return answer(["word": refusal.word, "code": refusal.code, "title": refusal.title, "message": refusal.message])
    }
    let end = [".", "!", "?"].contains { refusal.message.hasSuffix($0) } ? "" : "."
    let text = printable(refusal.report.titleAndMessage + end, limit: 400)
    if draws {
      draw(alert: terminal.differentiatesWithoutColor ? "\(wrong) \(text)" : text)
    } else {
      session.console.show(["\(printable(refusal.word)): \(text)"])
    }
  }

  /// One command per entry, with the descriptions aligned in a column.
  private var helpLines: [String] {
    commands.flatMap { command in
      command.help.lines(within: isScreen ? max(8, terminal.width - 14) : 100).enumerated().map { place, line in
        (place == 0 ? command.name : "").filled(to: 10) + line
      }
    }
  }

  /// Tab completion in a game: only its own commands.
  private func completion(_ line: String) -> Completion {
    let found = commands.filter { $0.name.hasPrefix(line) }
    return Completion(wordStart: 0, candidates: found.map { Candidate($0.name, suffix: "", help: $0.help) })
  }

  private func runGameCommand(_ command: String) throws {
    switch command {
    case "/new":
      try reportingModeErrors {
        _ = try handle.newWord()
        (drawing.order, hasShownEnd) = ([], false)
        if draws { draw(alert: nil) } else { showBase() }
      }
    case "/hint": try reportingModeErrors { notify([try handle.hint()]) }
    case "/shuffle": shuffle()
    case "/list":
      notify([game.found.isEmpty ? "No words found yet." : game.found.map(withAnswer).joined(separator: " ")])
    case "/pass" where game.mode.players > 1:
      try handle.pass()
      if !handle.hasEnded { notify(["Passed."]) } else { try answerEnd() }
    case "/give-up":
      try handle.giveUp()
      try answerEnd()
    case "/help": notify(["A line is a guess; the commands are:"] + helpLines)
    case "/quit": hasLeft = true
    default:
      let names = commands.map(\.name)
      notify([
        "No such command: \(printable(command))\(didYouMean(command, among: names)); "
          + "the commands are \(names.joined(separator: " "))."
      ])
    }
    try handle.workspace.games.store()
  }

  /// Runs an action that calls functions of the mode; an error is reported, and the game continues unchanged.
  private func reportingModeErrors(_ body: () throws -> Void) throws {
    do { try body() } catch let error as LuaError where error.stopReason != .interrupt {
      session.report(error, origin: game.mode.name)
    } catch let problem as PlainProblem { session.report(problem, origin: game.mode.name) }
  }

  private func shuffle() {
    var choices = session.environment.random.choices
    drawing.order = Array(base).shuffled(using: &choices)
    if draws { draw(alert: nil) } else { notify([String(drawing.order)]) }
  }

  private func notify(_ lines: [String]) {
    if draws { return draw(alert: lines) }
    if options.wantsJSON { return answer(["message": lines.joined(separator: "\n")]) }
    session.console.show(lines.map { printable($0, limit: 4_000) })
  }

  /// Reports that the game is over, how it ended, and what was not found. At a terminal this leaves the screen; in a
  /// pipe each further guess is answered with the fact that the game is over.
  private func showEnd() throws {
    hasShownEnd = true
    if isScreen { hasLeft = true }
    guard !options.wantsJSON else { return }
    if isScreen { session.console.show(filled(try endText())) } else { session.console.note(try endText()) }
    do {
      if let solution = try game.solution {
        let text = try game.ending() == .byMode ? [] : filled(printable(solution.text, limit: 4_000))
        return session.console.show(text + meaningLines(try handle.meanings(of: solution.words)))
      }
      if game.listsMissed { try showMissed() }
    } catch let error as LuaError where error.stopReason != .interrupt {
      // A function of the mode failed: the game is over even so.
      session.report(error, origin: game.mode.name)
    }
  }

  /// Tells a program how a command ended the game, since it must get an answer to each line.
  private func answerEnd() throws { if options.wantsJSON { try reportingModeErrors { notify([try endText()]) } } }

  /// Wraps a text between words if there is a screen.
  private func filled(_ text: String) -> [String] {
    isScreen ? text.lines(within: min(100, terminal.width), breaksWords: false) : [text]
  }

  /// Shows the words not found, at most one page, with meanings where available.
  private func showMissed() throws {
    let missed = try handle.missedWords(isScreen ? max(4, min(20, terminal.height - 8)) : 20)
    guard !missed.isEmpty else { return }
    let rest = game.missed().count - missed.count
    let more = rest > 0 && game.mode.hooks.accept == nil ? " … \(grouped(rest)) more" : ""
    let explained = meaningLines(missed)
    if explained.isEmpty {
      let words = missed.map { printable($0.word) }.joined(separator: " ")
      return session.console.show(wrapped("Not found: \(words)\(more)", width: min(100, terminal.width)))
    }
    session.console.show(["Not found:"] + explained + (more.isEmpty ? [] : ["  " + more.trimmed]))
  }

  /// The words that have a meaning, aligned with their meanings in the next column.
  private func meaningLines(_ words: [ExplainedWord]) -> [String] {
    let width = words.map { printable($0.word).displayWidth }.max() ?? 0
    return words.compactMap { word in
      word.meaning.map {
        ("  " + printable(word.word).filled(to: width) + "  " + printable($0, limit: 400)).cut(
          to: isScreen ? terminal.width : 100)
      }
    }
  }

  private func endText() throws -> String {
    let ending = try game.ending()
    let why =
      switch ending {
      case .timeOut: "Time is up."
      case .passed: game.mode.players == 2 ? "Both players passed." : "All players passed."
      case .givenUp: "You gave up."
      case .byMode, nil: "The game is over."
      }
    let parts = [why, isOwnShow ? shownBase : nil, ending == .givenUp ? nil : winner]
    return parts.compactMap(\.self).joined(separator: " ")
  }

  /// Which of several players has the most points; nil when there is one player, or nobody has any points.
  private var winner: String? {
    guard game.mode.players > 1, let most = game.scores.max(), most > 0 else { return nil }
    let best = game.scores.indices.filter { game.scores[$0] == most }.map { String($0 + 1) }
    return best.count == 1 ? "Player \(best[0]) wins." : "Players \(best.joined(separator: " and ")) are tied."
  }

  /// What the user can do next, and where they are now.
  private var goodbye: [String] {
    let command = "`play\(game.mode.name == "classic" ? "" : " " + game.mode.name)`"
    let another = game.mode.isDaily ? "\(command) has another word tomorrow" : "\(command) starts another game"
    let kept = isKept ? "resumes the game" : "resumes the game that was saved before"
    let next = handle.hasEnded ? another : "`play --resume` \(kept)"
    return [session.input.lineReader == nil ? next + "." : "Back at the prompt; \(next)."]
  }

  private func addMissed() throws {
    guard let deck = options.deck, game.listsMissed || handle.hasEnded else { return }
    let report = try handle.addMissed(toDeckNamed: deck)
    session.console.note(
      "\(counted(report.cards.added, "missed word")) added to \(quoted(deck)); \(grouped(report.cards.skipped)) were "
        + "already there"
        + (report.unexplained > 0 ? "; \(grouped(report.unexplained)) have no known meaning or sentence" : ""))
    if report.cards.added + report.cards.skipped == 0, report.unexplained > 0 {
      session.console.note("play: `word dictionaries` shows where meanings come from, and where to put your own")
    }
  }
}
