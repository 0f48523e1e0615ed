// The prompt: reads a line, decides whether it is a command or Lua, runs it, and continues whatever the result; and its
// text, returned by the Lua function `shell.prompt`. Invariant: each line is saved to the history when it is run, so
// that no way of leaving loses it; a prompt function that fails is reported once and replaced.

import Authentication
import Bindings
import Commands
import Decks
import Files
import LuaRuntime
import Problems
import Text
import ToggleSettings
import Workspace

package final class Prompt {
  private let session: Session
  /// The status of the last line, for input that is not a terminal.
  private var lastStatus = ExitStatus.done
  /// The failure of the work between the last two lines.
  private var lastFailure = ""
  /// Lines of a paste that have not run yet.
  private var pastedLines: [String] = []
  /// Whether the last line may contain a secret, which no history keeps; and whether the next one may continue it.
  private var (isSecret, isSecretContinued) = (false, false)

  package init(_ session: Session) { self.session = session }

  /// Runs the prompt until the user leaves; returns the exit status.
  package func run() -> Int32 {
    // Clears an interrupt that was meant for a script that ran before.
    Interrupts.clear()
    do { try openLineReader() } catch { return session.report(error) }
    do { try session.events.emit(.started) } catch {
      // A Ctrl-C ends the listener; the prompt still starts.
      session.report(error)
      Interrupts.clear()
    }
    if session.input.lineReader != nil {
      session.console.note(
        "Deckhand \(session.options.version) · Lua 5.4 · type `help`, or a Lua expression; `help tour` shows around")
      if let summary = session.studySummary { session.console.note(summary) }
    }
    session.state.isAtPrompt = true
    defer { session.state.isAtPrompt = false }
    // Between two lines a Ctrl-C has nothing to stop, and must not end the program.
    Interrupts.holding {
      while session.state.leaving == nil {
        workBetweenLines()
        do { try readAndRun() } catch { report(error) }
      }
    }
    session.input.lineReader = nil
    return session.state.leaving ?? ExitStatus.done
  }

  /// Whatever fails here, the next line is read: it may be `doctor --mend`. The same failure is reported once.
  private func workBetweenLines() {
    do {
      try session.applyPending()
      session.showNotices()
      session.data.opened?.dailyBackups.begin()
      if let news = try session.data.opened?.refitting.advance() {
        session.console.note(FittingWords.news(news, session))
      }
      lastFailure = ""
    } catch {
      let failure = "\(error)"
      if failure != lastFailure { report(error) }
      lastFailure = failure
    }
    IdleLock(session: session).watch()
  }

  /// Reports an error between two lines. Input that cannot be read ends the prompt, or it would fail again.
  private func report(_ error: any Error) {
    let status = session.report(error)
    guard let error = error as? LineError else { return }
    lastStatus = status
    if case .unreadable = error { session.state.leaving = session.state.leaving ?? status }
  }

  private func openLineReader() throws {
    guard session.console.terminal.hasKeyboard else { return }
    let reader = try LineReader(history: History.make(for: session))
    // Moved elements are saved late, and a suspended shell may never resume, so save them now.
    reader.willSuspend = { [session] in session.saveDocuments() }
    reader.completion = { [session] line in
      LineCompletion(session: session).completion(line, after: session.input.openChunk)
    }
    reader.hints = hints
    session.input.lineReader = reader
  }

  private var hints: LineHints {
    var hints = LineHints()
    hints.areShown = { [session] in
      let terminal = session.console.terminal
      return terminal.canRedraw && terminal.usesColor && session.preferences?.display.showsHints == true
    }
    hints.parts = { [session] line, cursor in
      LineStyles(session: session).parts(line, cursor: cursor, after: session.input.openChunk)
    }
    hints.showHelp = { [session] line, cursor in
      let lines = HelpAtCursor(session: session).lines(line, cursor: cursor, after: session.input.openChunk)
      session.console.show(.lines(lines))
    }
    hints.showAll = { [session] in
      guard session.input.openChunk.isEmpty else { return false }
      session.console.show([""] + LineCompletion(session: session).allLines)
      return true
    }
    hints.edited = { [session] line in session.editor.edited(line: line) }
    return hints
  }

  private func readAndRun() throws {
    Interrupts.clear()
    if !pastedLines.isEmpty {
      runLine(pastedLines.removeFirst())
      // Ctrl-C stops the whole paste.
      if Interrupts.wereRequested { pastedLines = [] }
      return
    }
    let reader = session.input.lineReader
    let outcome = try reader?.read(prompt: PromptText(session: session).text()) ?? session.input.plainReader.read()
    switch outcome {
    case .line(let line):
      // Ignores a Ctrl-C that came between the clearing above and the reading: it is not for this line.
      Interrupts.clear()
      runLine(line)
    case .interrupted: break
    case .stopped where session.input.isIdle: IdleLock(session: session).lock()
    case .endOfInput, .stopped:
      session.state.leaving = session.state.leaving ?? (session.input.lineReader == nil ? lastStatus : ExitStatus.done)
    }
  }

  /// Runs one line: a command, or Lua with the further lines it needs.
  private func runLine(_ line: String) {
    let trimmed = line.trimmed
    if trimmed.isEmpty { return }
    session.refreshSettings()
    if trimmed.contains("\n") {
      // The blank at the start keeps it out of the history.
      let text = line.first?.isWhitespace == true ? " " + trimmed : trimmed
      // One chunk of Lua; or line by line, if they do not compile and include commands.
      let lines = text.split(separator: "\n").map(String.init)
      guard lines.contains(where: { isCommand($0, in: session) }), !compiles(text) else { return runLuaLine(text) }
      pastedLines = lines
      return
    }
    if isCommand(line, in: session) {
      remember(line)
      do { lastStatus = try CommandLine(session: session).run(trimmed) } catch {
        lastStatus = session.report(error, origin: "deckhand")
      }
      return note(line, isCommand: true, hasFailed: lastStatus != ExitStatus.done)
    }
    if let mistyped = MistypedCommand(session: session).error(in: line) {
      remember(line)
      lastStatus = session.report(mistyped, origin: "deckhand")
      session.input.lineReader?.history.note(line, hasFailed: true)
      return
    }
    if session.canAsk, let name = MistypedCommand(session: session).unknownName(in: line) {
      let reason = session.registry.reasonForMissing(name).map { ": " + $0 } ?? "; `help` lists the commands."
      session.console.note("\(quoted(name)) is neither a command nor a Lua name" + reason)
      runLuaLine(line, showsNil: false)
      session.input.lineReader?.history.note(line, hasFailed: true)
      return
    }
    runLuaLine(line)
  }

  private func remember(_ line: String) {
    isSecret = isSecretContinued || session.namesSecret(line)
    isSecretContinued = isSecret && line.trimmed.hasSuffix("\\")
    session.input.lineReader?.remember(line, isSecret: isSecret)
  }

  private func note(_ line: String, isCommand: Bool, hasFailed: Bool) {
    if isSecret { return }
    // The line may have changed the path of the history file.
    History.use(in: session)
    session.input.lineReader?.history.note(line, hasFailed: hasFailed)
    let text = isCommand ? line : withoutLuaWord(line)
    session.input.typedLines.append(TypedLine(text: text, isCommand: isCommand, hasFailed: hasFailed))
  }

  private func compiles(_ text: String) -> Bool {
    do {
      _ = try session.lua.load(text, name: promptChunk)
      return true
    } catch {
      return (error as? LuaError)?.isIncomplete ?? false
    }
  }

  /// - Parameter showsNil: whether nil is shown; not for a name that does not exist.
  private func runLuaLine(_ first: String, showsNil: Bool = true) {
    if first.hasPrefix("/") { session.console.note("Lines such as /new are for games: `play`, `play --resume`.") }
    var text = withoutLuaWord(first)
    var typed = first
    defer { session.input.openChunk = "" }
    while true {
      let outcome = LuaLines(session: session).run(text, showsNil: showsNil)
      switch outcome {
      case .done, .failed:
        if case .failed(let status) = outcome { lastStatus = status } else { lastStatus = ExitStatus.done }
        remember(typed)
        // A line that may redefine the prompt function gives it another try.
        if text.contains(text: "prompt") { session.scripting.isPromptBad = false }
        note(typed, isCommand: false, hasFailed: lastStatus != ExitStatus.done)
        return hintAboutLocal(text)
      case .incomplete: break
      }
      do {
        switch try readMore(text) {
        case .line(let more):
          text += "\n" + more
          typed += "\n" + more
        case .interrupted: return
        case .endOfInput where Interrupts.endingSignal != nil: return
        case .endOfInput, .stopped:
          // It reports the syntax error.
          do { _ = try session.lua.load(text, name: promptChunk) } catch { lastStatus = session.report(error) }
          return
        }
      } catch {
        lastStatus = session.report(error)
        return
      }
    }
  }

  /// Reads the next line of a chunk; the prompt lists the open parts, innermost last.
  private func readMore(_ chunk: String) throws -> LineOutcome {
    if !pastedLines.isEmpty { return .line(pastedLines.removeFirst()) }
    guard let lineReader = session.input.lineReader else { return try session.input.plainReader.read() }
    session.input.openChunk = chunk
    let open = openParts(of: chunk).suffix(3).joined(separator: " ")
    return try lineReader.read(prompt: open + ">> ", isContinued: true)
  }

  private func hintAboutLocal(_ text: String) {
    guard !session.scripting.hasHintedAboutLocal, session.input.lineReader != nil, text.trimmed.hasPrefix("local ")
    else { return }
    session.scripting.hasHintedAboutLocal = true
    session.console.note("a local lives for its line only; leave out `local` to keep the value")
  }
}

extension Session {
  /// Whether a line names a secret setting, directly or through an alias, so that it may contain its value.
  func namesSecret(_ line: String) -> Bool {
    guard let tree = preferences?.tree else { return false }
    var aliases = Dictionary(firstOf: registry.aliases.map { ($0.name, $0.words) })
    var (text, open) = (line, [line])
    // An alias may refer to another alias, and options may precede it.
    while let part = open.popLast() {
      for word in part.withoutQuotes.split(whereSeparator: \.isWhitespace) {
        guard let words = aliases.removeValue(forKey: String(word)) else { continue }
        open.append(words.joined(separator: " "))
        text += " " + open[open.count - 1]
      }
    }
    return tree.namesSecret(in: text)
  }
}

struct PromptText {
  let session: Session
  private static let longest = 200

  /// - Parameter game: the game being played, if any.
  func text(game: String? = nil) -> String {
    let state = state(game: game)
    // Before a sign-in nothing of Lua is accessible.
    guard state.isSignedIn, !session.scripting.isPromptBad else { return state.text }
    do {
      let function = try session.lua.load("return deckhand.shell.prompt(...)", name: "shell.prompt")
      let answer = try Interrupts.holding { try function.call([state.value]) }
      if case .bytes(let bytes) = answer, let text = String(validating: bytes, as: UTF8.self), !text.isEmpty,
        text.unicodeScalars.count <= Self.longest,
        text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
      {
        return text
      }
      reportBadPrompt("shell.prompt must return a line of text with at most \(Self.longest) characters")
    } catch {
      if Interrupts.endingSignal != nil { return state.text }
      Interrupts.clear()
      reportBadPrompt("shell.prompt: " + ((error as? LuaError)?.description ?? "\(error)"))
    }
    return state.text
  }

  private func reportBadPrompt(_ reason: String) {
    session.scripting.isPromptBad = true
    session.console.note("note: \(printable(reason, limit: 500)); the default prompt is used until it is set again")
  }

  private func state(game: String?) -> PromptState {
    var state = PromptState(user: session.auth.user, isSignedIn: !session.auth.needsAuthentication)
    state.game = game
    do {
      state.deck = state.isSignedIn && game == nil ? try session.state.usedDeck?.record().name : nil
    } catch {
      // The deck was removed.
      session.state.usedDeck = nil
    }
    return state
  }
}
