// What a word game shows: the base word, the words found, what the last guess came to, the commands. Invariant: only
// the lines that it drew itself are drawn again; a line that is being typed stays as it is.

import Commands
import Decks
import Lexicon
import Problems
import Text
import Values
import WordGames

/// What a game has on the terminal.
struct PlayDrawing {
  /// Lines since the game was drawn, the prompt's too.
  var lines = 0
  /// Which of them tells the score and the clock, from 0.
  var footLine: Int?
  /// What stands below it.
  var alert: [String] = []
  var width = 0
  /// The letters in the order that the user wants.
  var order: [Character] = []
}

/// What a screen changes of the line reader, to be put back.
struct LineReaderState {
  private let reader: LineReader?
  private let completion: ((String) -> Completion)?
  let willSuspend: () -> Void
  let didResume: () -> Void

  init(_ reader: LineReader?) {
    self.reader = reader
    completion = reader?.completion
    willSuspend = reader?.willSuspend ?? {}
    didResume = reader?.didResume ?? {}
  }

  func restore() {
    reader?.completion = completion
    reader?.willSuspend = willSuspend
    reader?.didResume = didResume
    reader?.didResize = {}
    reader?.tick = nil
  }
}

extension PlayScreen {
  // MARK: Words

  func showBase() {
    if options.wantsJSON {
      let fields = [("base_word", shownBase), ("language", game.language.name), ("mode", game.mode.name)]
      return session.console.show([Value.record(fields.map { ($0.0, .text($0.1)) }).json])
    }
    // A mode that shows a text of its own may show fewer letters than its base word has.
    let kind = isOwnShow ? game.mode.title : "\(game.length) letter word"
    session.console.show(["\(shownBase)  (\(printable(kind)) - \(game.language.title))"])
  }

  /// A mode of a plugin makes up any.
  var base: String { printable(game.baseWord) }

  /// What stands for the base word: the mode's own text, or its letters. A mode that has a secret keeps it so.
  var shownBase: String {
    do {
      return printable(try game.shown())
    } catch {
      session.report(error, origin: game.mode.name)
      return game.mode.title
    }
  }

  var footer: String { figures("letters on average").joined(separator: " · ") }

  /// How a game stands, the most telling first; without the average where there is no word for it.
  private func figures(_ average: String?) -> [String] {
    let score =
      game.mode.players > 1 ? game.scores.map { grouped($0) }.joined(separator: " : ") : "score \(grouped(game.score))"
    let time = game.timeRemaining.map { "\(Int($0.rounded(.up))) s left" }
    guard game.countsWords else { return [score, time].compactMap(\.self) }
    let mean = average.map { "\((game.average * 10).rounded() / 10) \($0)" }
    return ["\(grouped(game.count)) found", mean, score, time].compactMap(\.self)
  }

  /// What of it fits into a line.
  private var shownFooter: String {
    let isFromList = !isOwnShow && game.listsMissed
    let kind = game.common == nil ? "possible" : "common"
    let possible =
      isFromList ? ["\(grouped(game.foundPossible)) of \(grouped(game.possible().count)) \(kind)"] : []
    let full = figures("letters on average")
    let lines = [full + possible, full, figures("average"), figures(nil)].map { $0.joined(separator: " · ") }
    return lines.first { $0.displayWidth <= terminal.width - 3 } ?? lines[lines.count - 1]
  }

  var isOwnShow: Bool { game.mode.hooks.show != nil }
  var summary: String { "\(isOwnShow ? printable(game.mode.title) : base): \(footer)" }

  // MARK: The screen

  func draw(alert: String?) { draw(alert: alert.map { [$0] } ?? []) }

  func draw(alert: [String]) {
    drawing.alert = alert
    let parts = parts
    let lines = parts.lines(on: terminal)
    let up = terminal.canRedraw && drawing.lines > 0 ? "\u{1B}[\(drawing.lines)A\r\u{1B}[J" : ""
    session.console.write(up + lines.map { $0 + "\n" }.joined())
    (drawing.lines, drawing.width) = (lines.count, terminal.width)
    drawing.footLine = parts.footPlace(on: terminal)
  }

  private var parts: ScreenParts {
    let shown = shownBase
    let order = drawing.order.isEmpty ? Array(base) : drawing.order
    let letters = isOwnShow ? shown : order.map(String.init).joined(separator: " ")
    var parts = ScreenParts(title: heading, facts: [game.mode.name])
    // On a low screen the letters and how it stands are what counts; Tab and /help tell the commands.
    let isLow = terminal.height < 12
    parts.body = [terminal.styled(letters, .bold)] + (isLow ? [] : [""])
    let found = columns(game.found.map { printable($0) }, width: min(terminal.width, 76) - 3).prefix(
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

  /// The clock goes on while a line is typed: its line alone is drawn again, and the cursor goes back to the line.
  func drawClock() {
    guard draws, terminal.canRedraw, !terminal.reducesMotion, game.timeRemaining != nil, let place = drawing.footLine,
      drawing.width == terminal.width
    else { return }
    let up = drawing.lines - place + LineReader.cursorRow
    guard up < terminal.height else { return }
    let line = "   " + (parts.foot ?? "")
    session.console.write("\u{1B}7\u{1B}[\(up)A\r\u{1B}[2K\(line.styledCut(to: terminal.width))\u{1B}8")
  }

  /// Everything anew around the line that is typed: after a stop, or in a terminal of another size.
  func drawAround() {
    guard draws, terminal.canRedraw else { return }
    session.console.write("\u{1B}[H\u{1B}[2J")
    drawing.lines = 0
    draw(alert: drawing.alert)
    LineReader.redraw()
  }
}
