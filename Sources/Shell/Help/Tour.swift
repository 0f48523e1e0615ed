// `help tour` at a terminal: an interactive tour. Each step says what to type, waits, looks at the line and its result,
// and answers. Invariant: what the user types runs in a separate session over temporary data; however the tour ends,
// none of the user's data has changed.

import Commands
import Files
import Lexicon
import Problems
import Text
import Workspace

struct Tour {
  let session: Session

  /// Whether there is an interactive user who could follow the tour.
  var isPossible: Bool {
    session.canAsk && !session.console.isRedirected && !session.state.isAnswering && !session.state.isInScript
  }

  func run() throws {
    let folder = try PluginWork.throwawayFolder(session)
    defer { PluginWork.removeFolder(folder, session) }
    var options = session.options
    (options.usesStartScript, options.isDryRun, options.signIn) = (false, false, SignInOptions())
    var world = session.environment
    world.folders.data = folder + "/data"
    let inside = try Session(options, console: session.console, environment: world)
    defer { inside.close() }
    // The user's own settings keep deciding how the terminal is used, during the tour and after it.
    session.console.preferences = session.data
    try walk(inside, try reader())
  }

  private func walk(_ inside: Session, _ reader: LineReader) throws {
    let restore = reader.savingCallbacks()
    reader.completion = { [inside] in LineCompletion(session: inside).completion($0) }
    inside.input.lineReader = reader
    defer {
      inside.input.lineReader = nil
      restore()
    }
    showLines(["A tour: type the lines yourself. `skip` skips a step, `exit` or Ctrl-D leaves. Nothing is saved."])
    var deck = "Birds"
    for (index, step) in TourStep.all(for: inside).enumerated() {
      showLines(["", "\(index + 1). " + step.text, "", "     " + step.line(deck), ""])
      guard try runStep(step, &deck, inside, reader) else { return }
    }
    showLines([
      "",
      "That was the tour. `help` lists the commands, `help study` explains one, `help keys` lists the keys, and Tab "
        + "completes everywhere. What you made here is gone: start your own decks with `deck create`.",
    ])
  }

  /// Reads lines until one does what the step asks for; returns false when the user leaves.
  private func runStep(_ step: TourStep, _ deck: inout String, _ inside: Session, _ reader: LineReader) throws -> Bool {
    while true {
      // Set again for each line, since a screen within the tour sets a tick of its own.
      reader.tick = IdleLock(session: session).tick()
      switch try reader.read(prompt: "tour> ") {
      case .line(let line):
        if line.trimmed.isEmpty { continue }
        if line.trimmed == "skip" { return true }
        let seen = runLine(at: line.trimmed, inside)
        if inside.state.leaving != nil { return false }
        if seen.words.prefix(2) == ["deck", "create"], seen.words.count > 2, !seen.hasFailed { deck = seen.words[2] }
        if step.isDone(seen) {
          showLines(["", step.answer])
          return true
        }
        showLines(["", reply(to: seen, step.line(deck))])
      case .interrupted: continue
      case .stopped where session.input.isIdle: guard IdleLock(session: session).unlockCovered() else { return false }
      case .endOfInput, .stopped: return false
      }
    }
  }

  /// Runs a line as the prompt does, and returns what it was.
  private func runLine(at line: String, _ inside: Session) -> TourLine {
    do {
      if isCommand(line, in: inside) {
        let words = try ShellWords.split(line, home: session.environment.folders.home)
        return TourLine(words: words, hasFailed: try CommandLine(session: inside).run(line) != ExitStatus.done)
      }
      if let mistyped = MistypedCommand(session: inside).error(in: line) { throw mistyped }
      switch LuaLines(session: inside).run(line) {
      case .done: return TourLine(words: [], hasFailed: false)
      case .incomplete: inside.console.note("an unfinished chunk; in the tour it must be one line")
      case .failed: break
      }
    } catch { inside.report(error, origin: "deckhand") }
    return TourLine(words: [], hasFailed: true)
  }

  private func reply(to seen: TourLine, _ line: String) -> String {
    if seen.hasFailed { return "The message above says what is wrong with it. Try `\(line)`, or `skip`." }
    if seen.words.first == "help" { return "That is where to look things up. Next, type `\(line)` or `skip`." }
    return seen.isLua
      ? "That was Lua, and it worked. Next, type `\(line)` or `skip`."
      : "That worked: `\(seen.words.prefix(2).joined(separator: " "))` is a command. Next, type `\(line)` or "
        + "`skip`."
  }

  private func showLines(_ lines: [String]) {
    let width = min(80, session.console.terminal.width)
    session.console.show(.lines(lines.flatMap { $0.hasPrefix(" ") || $0.isEmpty ? [$0] : wrapped($0, width: width) }))
  }

  /// The prompt's own reader, or one for the tour alone.
  private func reader() throws -> LineReader { try session.input.lineReader ?? LineReader(history: History(path: nil)) }
}

/// A line that the user typed, and whether it failed.
struct TourLine {
  /// The words of a command; empty for Lua.
  let words: [String]
  let hasFailed: Bool

  var isLua: Bool { words.isEmpty }

  /// Whether the line ran that command without failure.
  fileprivate func `is`(_ path: String...) -> Bool { !hasFailed && Array(words.prefix(path.count)) == path }
}

struct TourStep {
  let text: String
  /// The line to type, with the name of the deck that the user made.
  let line: (_ deck: String) -> String
  let isDone: (TourLine) -> Bool
  let answer: String

  /// All steps; those that need a word list only if there is one.
  static func all(for session: Session) -> [TourStep] {
    let begin = [
      TourStep(
        text: "A deck contains cards. Create one, with any name:", line: { _ in "deck create Birds" },
        isDone: { $0.is("deck", "create") },
        answer: "There it is. A name with ::, such as Animals::Birds, is a deck within another."),
      TourStep(
        text: "A card has a prompt and an answer. Text with spaces goes in quotes. Tab completes the deck's name:",
        line: { "card add \(ShellWords.quote($0)) owl \"el búho\"" }, isDone: { $0.is("card", "add") },
        answer: "It is at the end of the deck. `import FILE` makes cards of a list: if its first line is "
          + "word,translation,example, the back of each card also shows its sentence."),
      TourStep(
        text: "Study it: Enter shows the answer, 1 to 4 say how well you knew it, q leaves.",
        line: { "study \(ShellWords.quote($0))" }, isDone: { $0.is("study") },
        answer: "It will ask again when you are about to forget: FSRS-6 estimates when that is."),
      TourStep(
        text: "A line that is not a command is Lua, which can do everything that commands do:",
        line: { "#decks.open(\($0.debugDescription))" }, isDone: { $0.isLua && !$0.hasFailed },
        answer: "The value of an expression is shown. `help decks` lists what a deck can do in Lua."),
    ]
    let games = [
      TourStep(
        text: "Look up words by a pattern, in the word list of your language:", line: { _ in "word match 'c?t'" },
        isDone: { $0.is("word") }, answer: "`play` is a game with those words; /quit leaves it.")
    ]
    let end = [
      TourStep(
        text: "Every change can be undone:", line: { _ in "undo" }, isDone: { $0.is("undo") },
        answer: "`redo` redoes it, `undo --list` shows the steps.")
    ]
    return begin + (session.lexicons.languages().isEmpty ? [] : games) + end
  }
}
