// The prompt: reads a line, decides whether it is a command or Lua, runs it, and goes on whatever it ended with. Invariant: the
// history is written as lines are typed, so that no way of leaving loses it.

import Bindings
import Commands
import Files
import LuaRuntime
import Problems
import Text
import Workspace

extension Shell {
  /// Runs the prompt until the person leaves; answers the exit status.
  public func runPrompt() -> Int32 {
    // What a script before it was interrupted by is over.
    Interrupts.clear()
    let source: any LineSource
    do {
      source = try lineSource()
      try events.emit(.started)
    } catch {
      return report(error)
    }
    if lineReader != nil {
      console.note("Deckhand \(setup.version) · Lua 5.4 · type `help`, or a Lua expression; `help tour` shows around")
    }
    // Between two lines a Ctrl-C has nothing to stop, and must not end the program.
    Interrupts.holding {
      while leaving == nil {
        if let signal = Interrupts.endingSignal {
          leave(by: signal)
          break
        }
        do {
          try settle()
          watchIdle()
          tellNotices()
          try readAndRun(from: source)
        } catch {
          report(error)
        }
      }
    }
    lineReader = nil
    return leaving ?? ExitStatus.done
  }

  private func lineSource() throws -> any LineSource {
    guard console.terminal.hasKeyboard else { return plainReader }
    let reader = try LineReader(history: makeHistory())
    // Moves of elements wait for a save; a shell that is stopped may never go on.
    reader.willSuspend = { [unowned self] in saveDocuments() }
    reader.isEnding = { Interrupts.endingSignal != nil }
    reader.completion = { [unowned self] line in completion(line) }
    lineReader = reader
    return reader
  }

  /// What settings had to say since the last line.
  private func tellNotices() {
    for notice in preferences?.takeNotices() ?? [] { console.note("note: " + notice) }
  }

  private func readAndRun(from source: any LineSource) throws {
    Interrupts.clear()
    if !pastedLines.isEmpty { return runLine(pastedLines.removeFirst(), source) }
    switch try source.read(prompt: "> ") {
    case .line(let line): runLine(line, source)
    case .interrupted: break
    case .stopped where isIdle: lockIdle()
    case .stopped where Interrupts.endingSignal != nil: break
    case .endOfInput, .stopped:
      leaving = leaving ?? (lineReader == nil ? lastStatus : ExitStatus.done)
    case .terminated(let signal): leave(by: signal)
    }
  }

  /// Runs one line: a command, or Lua with what more it asks for.
  private func runLine(_ line: String, _ source: any LineSource) {
    let trimmed = line.trimmed
    if trimmed.isEmpty { return }
    if trimmed.contains("\n") { return runPaste(trimmed, source) }
    if isCommand(line) {
      lineReader?.remember(line)
      return runCommandLine(trimmed)
    }
    runLuaLine(line, source)
  }

  private func isCommand(_ line: String) -> Bool {
    isCommandLine(line, knows: { registry.isKnown($0) }, isPersonGlobal: isPersonGlobal)
  }

  /// Several lines at once: one chunk of Lua, unless it is none and commands are among them; those run line by line.
  private func runPaste(_ text: String, _ source: any LineSource) {
    let lines = text.split(separator: "\n").map(String.init)
    guard lines.contains(where: isCommand), !compiles(text) else { return runLuaLine(text, source) }
    pastedLines = lines
  }

  private func compiles(_ text: String) -> Bool {
    do {
      _ = try lua.load(text, name: Self.promptChunk)
      return true
    } catch {
      return (error as? LuaError)?.isIncomplete ?? false
    }
  }

  private func runCommandLine(_ line: String) {
    do {
      lastStatus = runCommand(try ShellWords.split(line, home: environment.folders.home))
    } catch {
      lastStatus = report(error, origin: "deckhand")
    }
  }

  private func runLuaLine(_ first: String, _ source: any LineSource) {
    var text = withoutLuaWord(first)
    var typed = first
    while true {
      switch runLua(text) {
      case .done, .failed:
        lineReader?.remember(typed)
        return hintAboutLocal(text)
      case .incomplete: break
      }
      do {
        switch try readMore(source) {
        case .line(let more):
          text += "\n" + more
          typed += "\n" + more
        case .interrupted: return
        case .endOfInput, .stopped: return reportUnfinished(text)
        case .terminated(let signal): return leave(by: signal)
        }
      } catch {
        report(error)
        return
      }
    }
  }

  private func readMore(_ source: any LineSource) throws -> LineOutcome {
    if !pastedLines.isEmpty { return .line(pastedLines.removeFirst()) }
    if let lineReader { return try lineReader.read(prompt: ">> ", initial: "", isContinued: true) }
    return try source.read(prompt: ">> ")
  }

  /// The input ended inside a chunk.
  private func reportUnfinished(_ text: String) {
    do {
      _ = try lua.load(text, name: Self.promptChunk)
    } catch {
      lastStatus = report(error)
    }
  }

  private func hintAboutLocal(_ text: String) {
    guard !hasHintedAboutLocal, lineReader != nil, text.trimmed.hasPrefix("local ") else { return }
    hasHintedAboutLocal = true
    console.note("a local lives for its line only; leave the word out to keep the value")
  }
}
