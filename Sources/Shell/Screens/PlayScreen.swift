// A word game: at the terminal a screen with the base word, the found words and an alert; in a pipe one answer a line, in words
// or in JSON. Invariant: each guess is judged by the game alone; the screen only shows what it says.

import Bindings
import Commands
import Lexicon
import LuaRuntime
import PluginHost
import WordGames
import Wording
import Workspace

extension Shell {
  func playCommand() -> Command {
    Command(
      "play", theme: "Words and games", summary: "Plays a word game: make words from a word.",
      details: """
        A line is a guess; /new /hint /shuffle /list /give-up /quit are commands of the game. Without a terminal it reads \
        guesses from standard input and answers each in a line, with --json as an object.
        """,
      arguments: [Argument("MODE", .mode, isOptional: true, help: "classic when left out; `play --list` shows them")],
      options: [
        Common.language, Option("--length", "N", .integer(2...64), help: "letters of the base word"),
        Option("--base", "WORD", help: "the base word"), Option("--list", help: "list the modes"),
      ], example: "play --language spanish --length 9"
    ) { [unowned self] invocation in
      if invocation.flag("--list") { return listModes() }
      var wish = GameWish()
      wish.mode = invocation.optionalText("MODE") ?? wish.mode
      wish.language = invocation.optionalText("--language")
      wish.length = invocation.optionalInteger("--length")
      wish.base = invocation.optionalText("--base")
      try plugins.prepareMode(wish.mode)
      let game = try workspace().startGame(wish)
      let wantsJSON = invocation.wantsJSON || setup.wantsJSON
      return try PlayScreen(self, game, wantsJSON: wantsJSON, showsBase: wish.base == nil).run()
    }
  }

  private func listModes() -> CommandResult {
    let loaded = modes.modes.map { ($0.name, $0.summary) }
    let names = Set(loaded.map(\.0))
    let rows = loaded + plugins.offeredModes.filter { !names.contains($0.name) }.map { ($0.name, $0.summary) }
    return CommandResult(
      .list(rows.map { .record([("name", .text($0.0)), ("summary", .text($0.1))]) }),
      .table(TableText([.init("Mode"), .init("What it is")], rows: rows.map { [$0.0, $0.1] })))
  }
}

private final class PlayScreen {
  private let shell: Shell
  private let handle: GameHandle
  private let wantsJSON: Bool
  private let showsBase: Bool
  private var hasEnded = false
  /// Lines on the terminal since the game was drawn, the prompt's too.
  private var drawnLines = 0
  private var order: [Character] = []

  init(_ shell: Shell, _ game: GameHandle, wantsJSON: Bool, showsBase: Bool) {
    self.shell = shell
    self.handle = game
    self.wantsJSON = wantsJSON
    self.showsBase = showsBase
  }

  private var game: Game { handle.game }
  private var terminal: Terminal { shell.console.terminal }
  private var preferences: Preferences? { shell.preferences }
  /// Whether the screen is drawn again after each guess; a screen reader gets a line instead.
  private var draws: Bool { isScreen && !terminal.isRead }
  private var isScreen: Bool { terminal.hasScreen && terminal.hasKeyboard && !wantsJSON }

  func run() throws -> CommandResult {
    if draws {
      draw(alert: nil)
    } else if showsBase || isScreen {
      showBase()
    }
    while !hasEnded, let line = try nextLine() {
      if line.hasPrefix("/") { try obey(line) } else { try guess(line) }
    }
    if isScreen, shell.leaving == nil { shell.console.show([summary]) }
    return CommandResult(
      wantsJSON
        ? .none
        : .record([
          ("base_word", .text(game.baseWord)), ("count", .integer(game.count)), ("average", .number(game.average)),
          ("score", .integer(game.score)),
        ]))
  }

  private func nextLine() throws -> String? {
    let outcome: LineOutcome
    if isScreen, let reader = shell.lineReader {
      outcome = try reader.read(prompt: "> ", initial: "", hidesHistory: true)
    } else {
      if isScreen { shell.console.write("> ") }
      outcome = try shell.plainReader.read(prompt: "> ")
    }
    switch outcome {
    case .line(let line):
      drawnLines += 1
      return line
    case .interrupted:
      if isScreen { return nil }
      throw WorkspaceError.interrupted
    case .endOfInput, .stopped:
      if isScreen { shell.console.write("\n") }
      return nil
    case .terminated(let signal):
      shell.leaving = 128 + signal
      return nil
    }
  }

  // MARK: Guesses

  private func guess(_ line: String) throws {
    let word = game.lexicon.normalized(line)
    if word.isEmpty && isScreen { return draws ? draw(alert: nil) : showBase() }
    let outcome: GuessOutcome
    do {
      outcome = try game.guess(line)
    } catch let error as LuaError where error.stopReason != .interrupt {
      // A mode's own function failed: the game goes on without this guess.
      shell.report(error, origin: game.mode.name)
      drawnLines += 1
      return
    }
    if case .accepted(let points) = outcome {
      try shell.events.emit(.wordFound, [handle, word])
      accept(word, points)
    } else if let refusal = outcome.refusal(of: word) {
      refuse(refusal)
    }
    if try game.isFinished() { try finish() }
  }

  private func accept(_ word: String, _ points: Int) {
    if preferences?.ringsWhenRight == true { shell.console.ring() }
    if draws {
      return draw(alert: terminal.differentiates ? "\(right) \(word): \(counted(points, "point")), right." : nil)
    }
    if wantsJSON {
      let fields: [(String, String)] = [
        ("word", JSONText.string(word)), ("points", JSONText.integer(points)), ("count", JSONText.integer(game.count)),
        ("average", JSONText.number(game.average)), ("score", JSONText.integer(game.score)),
      ]
      return shell.console.show([JSONText.object(fields)])
    }
    shell.console.show(["\(printable(word)): \(counted(points, "point")). \(footer)"])
  }

  /// Signs beside words, for whoever does not tell colours apart.
  private var right: String { terminal.usesUnicode ? "✓" : "+" }
  private var wrong: String { terminal.usesUnicode ? "✗" : "x" }

  private func refuse(_ refusal: Refusal) {
    if preferences?.ringsWhenWrong == true { shell.console.ring() }
    if wantsJSON {
      let fields = [
        ("word", refusal.word), ("code", refusal.code), ("title", refusal.title), ("message", refusal.message),
      ]
      return shell.console.show([JSONText.object(fields.map { ($0.0, JSONText.string($0.1)) })])
    }
    let text = "\(refusal.title). \(refusal.message)" + (refusal.message.hasSuffix("!") ? "" : ".")
    if draws {
      draw(alert: terminal.differentiates ? "\(wrong) \(text)" : text)
    } else {
      shell.console.show(["\(printable(refusal.word)): \(text)"])
    }
  }

  // MARK: The game's own commands

  private static let commands = ["/new", "/hint", "/shuffle", "/list", "/give-up", "/quit"]

  private func obey(_ line: String) throws {
    switch line.trimmed {
    case "/new":
      _ = try game.newWord()
      order = []
      if draws { draw(alert: nil) } else { showBase() }
    case "/hint": tell(try game.hint())
    case "/shuffle":
      var choices = shell.surroundings.choices
      order = Array(game.baseWord).shuffled(using: &choices)
      if draws { draw(alert: nil) } else { tell(String(order)) }
    case "/list": tell(game.found.isEmpty ? "No words found yet." : game.found.joined(separator: " "))
    case "/give-up":
      game.giveUp()
      try finish()
    case "/quit": hasEnded = true
    case let other:
      tell(
        "No such command: \(printable(other))\(didYouMean(other, among: Self.commands)); there are \(Self.commands.joined(separator: " "))."
      )
    }
  }

  private func tell(_ text: String) {
    if draws { return draw(alert: text) }
    shell.console.show([wantsJSON ? JSONText.object([("message", JSONText.string(text))]) : text])
  }

  private func finish() throws {
    hasEnded = true
    try shell.events.emit(.gameFinished, [handle])
    let missed = game.missed()
    guard !wantsJSON, !missed.isEmpty else { return }
    let shown = missed.prefix(30).joined(separator: " ")
    let more = missed.count > 30 ? " … \(grouped(missed.count - 30)) more" : ""
    shell.console.show(["Not found: \(shown)\(more)"])
  }

  // MARK: Showing

  private func showBase() {
    if wantsJSON {
      let fields = [("base_word", game.baseWord), ("language", game.language.name), ("mode", game.mode.name)]
      return shell.console.show([JSONText.object(fields.map { ($0.0, JSONText.string($0.1)) })])
    }
    shell.console.show(["\(shownBase)  (\(game.length) letter word - \(game.language.title))"])
  }

  /// What stands for the base word: the mode's own text, or its letters.
  private var shownBase: String {
    if let show = game.mode.hooks.show {
      do {
        return printable(try show(game))
      } catch {
        shell.report(error, origin: game.mode.name)
      }
    }
    return game.baseWord
  }

  private var footer: String {
    let average = (game.average * 10).rounded() / 10
    let parts = [
      "\(grouped(game.count)) found", "\(average) letters on average", "score \(grouped(game.score))",
    ]
    return parts.joined(separator: " · ")
  }

  private var summary: String { "\(game.mode.hooks.show == nil ? game.baseWord : game.mode.title): \(footer)" }

  private func draw(alert: String?) {
    let isOwn = game.mode.hooks.show != nil
    let base = shownBase
    let letters = isOwn ? base : (order.isEmpty ? Array(game.baseWord) : order).map(String.init).joined(separator: " ")
    let head =
      isOwn
      ? "\(game.mode.title)      \(game.language.title)"
      : "\(game.baseWord)      \(game.length) letter word - \(game.language.title)"
    var lines = [
      head.filled(to: max(head.displayWidth, min(terminal.width, 64) - game.mode.name.count)) + game.mode.name, "",
      "   " + terminal.styled(letters, .bold), "",
    ]
    let found = columns(game.found, width: min(terminal.width, 76) - 3).prefix(max(1, terminal.height - 12))
    lines += found.map { "   " + $0 }
    if !found.isEmpty { lines.append("") }
    lines.append("   \(footer) · \(grouped(game.count)) of \(grouped(game.possible().count)) possible")
    let room = max(20, terminal.width - 4)
    if let alert {
      lines += wrapped(printable(alert, limit: 400), width: room).map { "   " + terminal.styled($0, .yellow) }
    }
    replaceScreen(with: lines)
  }

  /// Draws over what was drawn before, where the cursor can be moved.
  private func replaceScreen(with lines: [String]) {
    let up = terminal.canRedraw && drawnLines > 0 ? "\u{1B}[\(drawnLines)A\r\u{1B}[J" : ""
    let width = terminal.width
    shell.console.write(up + lines.map { $0.styledCut(to: width) + "\n" }.joined())
    drawnLines = lines.count
  }
}
