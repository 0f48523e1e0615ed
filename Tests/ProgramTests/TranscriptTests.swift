// `Tests/Transcripts/*.txt`: sessions as a user sees them, run against the built program in a pseudo-terminal and
// compared with the resulting screen. `UPDATE_TRANSCRIPTS=1` overwrites the expected screens with the current ones.
// Invariant: a transcript contains everything that is typed; text that changes from run to run (ids, times) is
// replaced by a placeholder.

import Glibc
import TestSupport

@Suite struct TranscriptTests {
  private let home = Home()

  /// A session: a title, the Lua code run before it, and what is typed and shown.
  struct Transcript: CustomTestStringConvertible {
    let path: String
    var title = ""
    var columns = 80
    var arguments: [String] = []
    var environment: [String] = []
    /// Lua that is run before, line by line.
    var before: [String] = []
    /// The keys typed, each with what is waited for.
    var steps: [String] = []
    var screen: [String] = []
    /// The text without the screen.
    var head = ""

    var testDescription: String { path.split(separator: "/").last.map(String.init) ?? path }
  }

  static let folder = sourceRoot() + "/Tests/Transcripts"

  static var all: [Transcript] {
    names(in: folder).filter { $0.hasSuffix(".txt") }.sorted().compactMap { read(folder + "/" + $0) }
  }

  static func read(_ path: String) -> Transcript? {
    guard let text = contents(of: path).map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
    var transcript = Transcript(path: path)
    let parts = text.split(separator: "\n----\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    transcript.head = parts[0]
    transcript.screen =
      parts.count > 1 ? parts[1].split(separator: "\n", omittingEmptySubsequences: false).map(String.init) : []
    while transcript.screen.last == "" { transcript.screen.removeLast() }
    for line in parts[0].split(separator: "\n").map(String.init) {
      let value = String(line.drop { $0 != " " }.dropFirst())
      switch line.prefix(while: { $0 != " " }) {
      case "#": transcript.title = value
      case "columns": transcript.columns = Int(value) ?? 80
      case "arguments": transcript.arguments = value.split(separator: " ").map(String.init)
      case "environment": transcript.environment.append(value)
      case "before": transcript.before.append(value)
      case "type", "keys": transcript.steps.append(line)
      default: Issue.record("\(path): \(line)")
      }
    }
    return transcript
  }

  @Test(arguments: all)
  func `a session shows what its transcript says`(transcript: Transcript) throws {
    // A session may take long, and none may take until the next day.
    home.clock = try ManualClock()
    if !transcript.before.isEmpty {
      try home.runInside(["-e", transcript.before.joined(separator: "\n")]).succeeds()
    }
    let program = home.words(transcript.arguments).map { "'\($0)'" }.joined(separator: " ")
    let environment = home.environment + ["NO_COLOR=1", "EDITOR=/bin/true", "PAGER=cat"] + transcript.environment
    let terminal = try PseudoTerminal(
      ["/bin/sh", "-c", "cd '\(home.path)' && exec \(program)"], environment: environment,
      columns: UInt16(transcript.columns))
    var picture = TerminalPicture(columns: transcript.columns)
    picture.write(terminal.waitUntilQuiet(awaitsPrompt: true))
    for step in transcript.steps {
      let text = String(step.drop { $0 != " " }.dropFirst())
      let isLine = step.hasPrefix("type")
      terminal.type(isLine ? text + "\r" : Self.keys(text))
      picture.write(terminal.waitUntilQuiet(awaitsPrompt: isLine))
    }
    terminal.type("\u{03}")
    terminal.type("\u{04}\u{04}")
    let shown = picture.lines.map { Self.steady($0, home.path) }
    if getenv("UPDATE_TRANSCRIPTS") != nil {
      write(transcript.head + "\n----\n" + shown.joined(separator: "\n") + "\n", to: transcript.path)
      return
    }
    let difference = zip(shown, transcript.screen).first { $0 != $1 }
    #expect(
      shown == transcript.screen,
      "\(transcript.testDescription): \(difference.map { "\($0.0) stands for \($0.1)" } ?? "\(shown.count) lines")")
  }

  @Test func `there are forty of them, and every command is in one`() throws {
    let all = Self.all
    #expect(all.count >= 40)
    let typed = all.flatMap { $0.steps + [$0.arguments.joined(separator: " ")] }.joined(separator: "\n")
    let code = "for _, e in ipairs(shell.run(\"help -k ''\")) do if e.kind == 'command' then print(e.name) end end"
    let commands = try home.lua(code).lines
    #expect(commands.count > 60)
    for command in commands { #expect(typed.contains(command), "\(command) is in no transcript") }
  }

  /// Replaces `<Tab>`, `<Up>`, `<C-r>`, `<Enter>` by what the keys send.
  private static func keys(_ text: String) -> String {
    var keys = text
    for (name, sent) in [
      ("<Tab>", "\t"), ("<Enter>", "\r"), ("<Up>", "\u{1B}[A"), ("<Down>", "\u{1B}[B"), ("<Right>", "\u{1B}[C"),
      ("<Left>", "\u{1B}[D"), ("<Esc>", "\u{1B}"), ("<BS>", "\u{7F}"), ("<C-c>", "\u{03}"), ("<C-d>", "\u{04}"),
      ("<C-r>", "\u{12}"), ("<C-u>", "\u{15}"), ("<C-e>", "\u{05}"), ("<M-h>", "\u{1B}h"), ("<C-x>", "\u{18}"),
    ] {
      keys = keys.replacing(name, with: sent)
    }
    return keys
  }

  /// Replaces what differs from run to run: ids of cards and documents, dates, the home, durations, and
  /// from machine to machine: versions of libraries.
  private static func steady(_ line: String, _ home: String) -> String {
    var line = line.replacing(home, with: "HOME").replacing(sourceRoot(), with: "ROOT")
    line = line.replacing(#/[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}/#, with: "<id>")
    line = line.replacing(#/\b[0-9A-F]{8}\b/#, with: "<id>    ")
    line = line.replacing(#/\b[A-Za-z0-9]{11}\b/#) { match in
      match.output.dropFirst().contains { $0.isUppercase || $0.isNumber } ? "<guid>     " : String(match.output)
    }
    line = line.replacing(#/20[0-9]{2}-[0-9]{2}-[0-9]{2}/#, with: "<date>    ")
    line = line.replacing(#/[0-9]{2}:[0-9]{2}(:[0-9]{2})?/#, with: "<time>")
    // A year of weeks has one more day for the weekdays that have already passed this week.
    line = line.replacing(#/·{50,}/#, with: "<weeks>")
    line = line.replacing(#/\b(Lua|readline|SQLite|zstd) [0-9]+(?:\.[0-9]+)+(?! ·)/#) { "\($0.output.1) <version>" }
    line = line.replacing(#/[0-9]+ s left/#, with: "<n> s left")
    line = line.replacing(#/[0-9.,]+ (ms|KiB|MiB|kB|MB|bytes)\b/#, with: "<n>")
    while line.last == " " { line.removeLast() }
    return line
  }
}

extension PseudoTerminal {
  /// Reads what the program writes until there is a prompt, or until the deadline.
  func waitUntilQuiet(awaitsPrompt: Bool) -> String {
    let end = monotonicSeconds() + 120
    var text = ""
    var quiet = 0
    while monotonicSeconds() < end {
      let some = takeOutput(milliseconds: 20)
      quiet = some.isEmpty && isResting ? quiet + 1 : 0
      text += some
      if quiet >= (awaitsPrompt ? text.hasSuffix("> ") ? 2 : 60 : 20) { break }
    }
    return text
  }
}

private func write(_ text: String, to path: String) {
  guard let file = fopen(path, "w") else { return }
  fputs(text, file)
  fclose(file)
}
