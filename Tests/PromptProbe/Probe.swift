// A prompt that prints the outcome of each line, for tests that type at it through a pseudo-terminal. Invariant: one
// line of output for each outcome, beginning with a word that the tests wait for.

import Commands
import Glibc
import LuaRuntime
import Shell

@main struct Probe {
  static func main() {
    // Between two lines a shell has a Ctrl-C handler of its own; nothing runs here then.
    signal(SIGINT, SIG_IGN)
    do throws(LineError) {
      if CommandLine.arguments.contains("--keys") { try readKeys() } else { try readLines() }
    } catch {
      say("ERROR \(error)")
    }
  }

  private static func readLines() throws(LineError) {
    let history = History(path: CommandLine.arguments.dropFirst().first { !$0.hasPrefix("--") }) {
      say("WARNING \($0)")
    }
    let reader = try LineReader(history: history)
    var ticks = 0
    reader.tickInterval = 50
    reader.tick = {
      ticks += 1
      return CommandLine.arguments.contains("--stop") && ticks == 3
    }
    reader.completion = { complete($0) }
    if CommandLine.arguments.contains("--hints") { reader.hints = hints }
    reader.willSuspend = { say("SUSPENDING") }
    reader.didResume = { say("RESUMED") }
    say("READY")
    let prompt = CommandLine.arguments.contains("--color") ? "\u{1B}[1mprobe>\u{1B}[0m " : "probe> "
    while true {
      do throws(LineError) {
        switch try reader.read(prompt: prompt) {
        case .line(let line):
          reader.remember(line)
          say("LINE \(line.utf8.count) \(line.prefix(200).debugDescription)")
          if line == "ticks" { say("TICKS \(ticks > 0)") }
          if line == "crash" { abort() }
          if line == "game" { play(reader) }
        case .interrupted: say("INTERRUPTED")
        case .endOfInput:
          guard let signal = Interrupts.endingSignal else { return say("END") }
          say("TERMINATED \(signal)")
          exit(128 + signal)
        case .stopped: return say("STOPPED")
        }
      } catch {
        guard case .notUTF8 = error else { throw error }
        say("BAD \(error)")
      }
    }
  }

  /// Each word of a line in another style.
  private static var hints: LineHints {
    var hints = LineHints()
    hints.areShown = { true }
    hints.parts = { line, _ in
      let styles: [LineStyle] = [.command, .string, .unknown]
      return ShellWords.placed(line).enumerated().map { StyledPart($0.element.range, styles[$0.offset % 3]) }
    }
    hints.showHelp = { line, cursor in say("HELP \(cursor)") }
    hints.edited = { $0 + " edited" }
    return hints
  }

  private static func readKeys() throws(LineError) {
    let keys = KeyReader()
    keys.willSuspend = { say("SUSPENDING") }
    keys.didResume = { say("RESUMED") }
    try keys.begin()
    defer { keys.end() }
    say("READY")
    var ticks = 0
    while true {
      let event = try keys.next(timeout: 100)
      if event == .tick {
        ticks += 1
        if ticks > 1 { continue }
      }
      if let signal = Interrupts.endingSignal, event == .endOfInput {
        keys.end()
        say("EVENT terminated(\(signal))")
        exit(128 + signal)
      }
      say("EVENT \(event)")
      if event == .key(.character("!")) { abort() }
      if event == .key(.character("q")) || event == .endOfInput { return }
    }
  }

  /// Reads a line without access to the history.
  private static func play(_ reader: LineReader) {
    do throws(LineError) {
      let outcome = try reader.read(prompt: "guess> ", isContinued: true, hidesHistory: true)
      say("GUESS \(outcome)")
    } catch {
      say("BAD \(error)")
    }
  }

  private static func complete(_ line: String) -> Completion {
    let partial = ShellWords.partial(line)
    let names = ["Spanish", "Spanish::Verbs", "Italian", "it's mine"] + (0..<300).map { "many\($0)" }
    let offers = names.filter { $0.hasPrefix(partial.word) }.map { Offer($0) }
    return Completion(wordStart: partial.start, candidates: offers.map(partial.candidate(for:)))
  }
}

/// Writes a line unbuffered, whatever standard output is.
private func say(_ text: String) {
  let bytes = Array((text + "\n").utf8)
  var done = 0
  while done < bytes.count {
    let count = bytes[done...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    guard count > 0 else { return }
    done += count
  }
}
