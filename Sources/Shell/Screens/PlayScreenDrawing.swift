// Draws a word game: the base word, the words found, the result of the last guess, the commands. Invariant: only lines
// that the game itself drew are redrawn; a line that is being typed stays as it is.

import Commands
import Decks
import Lexicon
import Problems
import Text
import WordGames

/// The state of a game's output on the terminal.
struct PlayDrawing {
  /// The number of lines since the game was drawn, including prompt lines.
  var lines = 0
  /// The line with the score and the clock as it is on the screen.
  var foot: String?
  /// Its index, from 0.
  var footLine: Int?
  /// The lines below it.
  var alert: [String] = []
  var width = 0
  /// The letters in the order that the user chose by `/shuffle`.
  var order: [Character] = []

  /// Counts lines that were typed after a prompt; a long one takes several rows.
  mutating func addTyped(_ typed: [String], after prompt: String, width: Int) {
    for (place, line) in typed.enumerated() {
      let columns = (place == 0 ? prompt.displayWidth : 0) + line.displayWidth
      lines += 1 + max(0, columns - 1) / width
    }
  }
}

extension PlayScreen {
  func showBase() {
    if options.wantsJSON {
      return answer(["base_word": shownBase, "language": game.language.name, "mode": game.mode.name])
    }
    // A mode that shows its own text may show fewer letters than its base word has.
    let kind = isOwnShow ? game.mode.title : "\(game.length) letter word"
    session.console.show(["\(shownBase)  (\(printable(kind)) - \(game.language.title))"])
  }

  /// A mode of a plugin may use any text as base word, so it is made printable.
  var base: String { printable(game.baseWord) }

  /// The text shown for the base word: the mode's own text, or the word itself. When the mode's function fails, its
  /// title is shown, so that a secret word stays secret.
  var shownBase: String {
    do { return printable(try game.shown()) } catch {
      session.report(error, origin: game.mode.name)
      return game.mode.title
    }
  }

  var footer: String { figures("letters on average").joined(separator: " · ") }

  /// The score line's parts, the most important first; without the average when its label is nil.
  private func figures(_ average: String?) -> [String] {
    let score =
      game.mode.players > 1 ? game.scores.map { grouped($0) }.joined(separator: " : ") : "score \(grouped(game.score))"
    let time = game.timeRemaining.map { "\(Int($0.rounded(.up))) s left" }
    guard game.countsWords else { return [score, time].compactMap(\.self) }
    let mean = average.map { "\((game.average * 10).rounded() / 10) \($0)" }
    return ["\(grouped(game.count)) found", mean, score, time].compactMap(\.self)
  }

  /// The longest form of the footer that fits into one line.
  private var shownFooter: String {
    let isFromList = !isOwnShow && game.listsMissed
    let kind = game.common == nil ? "possible" : "common"
    let possible = isFromList ? ["\(grouped(game.foundPossible)) of \(grouped(game.possible().count)) \(kind)"] : []
    let full = figures("letters on average")
    let lines = [full + possible, full, figures("average"), figures(nil)].map { $0.joined(separator: " · ") }
    return lines.first { $0.displayWidth <= terminal.width - 3 } ?? lines[lines.count - 1]
  }

  var isOwnShow: Bool { game.mode.hooks.show != nil }
  var summary: String { "\(isOwnShow ? printable(game.mode.title) : base): \(footer)" }

  /// The commands of a game with their descriptions.
  var commands: [(name: String, help: String)] {
    let turns = game.mode.players > 1 ? [("/pass", "pass the turn; the game ends when all have passed")] : []
    return [
      ("/new", game.mode.isDaily ? "start the day's word again" : "a new base word"),
      ("/hint", "a hint; it costs points"), ("/shuffle", "the letters in another order"),
      ("/list", "the words found, newest first"),
    ] + turns + [
      ("/give-up", "end the game and show what was not found"), ("/help", "this list"),
      ("/quit", "leave; `play --resume` resumes the game"),
    ]
  }

  func draw(alert: String?) { draw(alert: alert.map { [$0] } ?? []) }

  func draw(alert: [String]) {
    drawing.alert = alert
    let parts = parts
    let lines = parts.lines(on: terminal)
    let up = terminal.canRedraw && drawing.lines > 0 ? "\u{1B}[\(drawing.lines)A\r\u{1B}[J" : ""
    session.console.write(up + lines.map { $0 + "\n" }.joined())
    (drawing.lines, drawing.width) = (lines.count, terminal.width)
    (drawing.foot, drawing.footLine) = (parts.foot, parts.footPlace(on: terminal))
  }

  private var parts: ScreenParts {
    let shown = shownBase
    let order = drawing.order.isEmpty ? Array(base) : drawing.order
    let letters = isOwnShow ? shown : order.map(String.init).joined(separator: " ")
    var parts = ScreenParts(title: heading, facts: [game.mode.name])
    // On a low screen only the letters and the score are shown; Tab and /help list the commands.
    let isLow = terminal.height < 12
    parts.body = [terminal.styled(letters, .bold)] + (isLow ? [] : [""])
    let found = columns(game.found.map(withAnswer), width: min(terminal.width, 76) - 3).prefix(
      isLow ? 0 : max(1, terminal.height - 13))
    parts.body += found + (found.isEmpty ? [] : [""])
    parts.foot = shownFooter
    parts.alert = drawing.alert.map { printable($0, limit: 4_000) }
    if !isLow { parts.keys = commands.map(\.name).joined(separator: "   ") }
    return parts
  }

  private var heading: String {
    isOwnShow
      ? "\(printable(game.mode.title))      \(game.language.title)"
      : "\(base)      \(game.length) letter word - \(game.language.title)"
  }

  /// Updates the clock while a line is typed: redraws only its line, and moves the cursor back.
  func drawClock() {
    guard draws, terminal.canRedraw, !terminal.reducesMotion, game.timeRemaining != nil, let place = drawing.footLine,
      drawing.width == terminal.width
    else { return }
    let up = drawing.lines - place + LineReader.cursorRow
    guard up < terminal.height else { return }
    let foot = shownFooter
    guard foot != drawing.foot else { return }
    drawing.foot = foot
    session.console.write("\u{1B}7\u{1B}[\(up)A\r\u{1B}[2K\("   \(foot)".styledCut(to: terminal.width))\u{1B}8")
  }

  /// Redraws everything around the line that is typed: after a suspension, or when the terminal's size changed.
  func drawAround() {
    guard draws, terminal.canRedraw else { return }
    session.console.write(Terminal.clearing)
    drawing.lines = 0
    draw(alert: drawing.alert)
    LineReader.redraw()
  }
}
