// `map`: runs a script over the lines of standard input. Invariant: it behaves the same at the prompt and on the
// command line, where it runs without opening any user data.

import Bindings
import Commands
package import Files
import Glibc
import LuaRuntime
import Problems
import Text
import Values

package enum MapCommand {
  static var command: BuiltIn {
    BuiltIn(
      "map", access: .open, summary: "Runs a script over the lines of standard input, and writes records.",
      answer: "nothing",
      details: """
        The script defines a function map(line) that calls emit(key, value) or emit(value); for --reduce it defines \
        reduce(key, values) or combine(key, a, b). combine and finish() are optional for map. A record is KEY, a tab \
        and JSON; a value without a key is JSON alone, and a card is a line for `deck import`. Sort by bytes between \
        the two: \
        deckhand map freq.lua < text | LC_ALL=C sort | deckhand map --reduce freq.lua > cards.jsonl
        """,
      arguments: [
        Argument("SCRIPT", .file, help: "the script"),
        Argument("ARG", .verbatim, isOptional: true, isRepeating: true, help: "its arguments"),
      ],
      options: [
        Option("--reduce", help: "read sorted records, and run reduce for each key"),
        Option(
          "--seed", "N", .integer(0...Int.max), help: "seed for the random numbers of each line or key (default 0)"),
        Option(
          "--keep", "N", .integer(1...100_000_000), help: "keys to combine before they are written (default 200000)"),
        Option("--seconds", "N", .integer(1...86_400), help: "time limit for a line or a record (default 60)"),
      ], example: "map frequency.lua"
    ) { invocation, session in
      // The run has already reported its errors.
      var result = CommandResult()
      result.status = run(invocation, session.environment, asJSON: session.options.wantsJSON)
      return result
    }
  }

  /// Runs a command line that begins with `map`, without a session.
  /// - Parameter asJSON: whether the program's options ask for errors in JSON.
  /// - Returns: the exit status; nil when help is requested, which the session prints.
  package static func run(_ words: [String], _ environment: Environment, asJSON: Bool) -> Int32? {
    if words.dropFirst().prefix(while: { $0.hasPrefix("-") }).contains(Option.wantsHelp.name) { return nil }
    let registry = CommandRegistry()
    do throws(CommandError) {
      try registry.add(command.command)
      return run(try registry.parse(words: words).1, environment, asJSON: asJSON)
    } catch {
      report(error, origin: "", asJSON: asJSON || words.contains(Option.json.name))
      return error.report.code.exitStatus
    }
  }

  private static func run(_ invocation: Invocation, _ environment: Environment, asJSON: Bool) -> Int32 {
    var options = MapOptions()
    options.isReduce = invocation.flag("--reduce")
    options.seed = invocation.optionalInteger("--seed").map { UInt64($0) } ?? environment.random.seed ?? options.seed
    options.seconds = invocation.optionalInteger("--seconds").map { Double($0) } ?? options.seconds
    options.keep = invocation.optionalInteger("--keep") ?? options.keep
    // With SIGPIPE ignored, a closed pipe is an error that gets reported.
    signal(SIGPIPE, SIG_IGN)
    var job: MapJob?
    var status = ExitStatus.done
    do {
      let path = invocation.text("SCRIPT")
      let code = try FileText.bytes(
        environment.folders.expanded(path), limit: 64 << 20, .any, isInterrupted: environment.isInterrupted)
      let made = try MapJob(
        code, name: path, arguments: invocation.list("ARG"), options: options,
        input: InputLines(limit: MapJob.lineLimit), output: FileSink(standardOutput: 1), message: logLine)
      job = made
      try made.run()
    } catch {
      if case .exit(let code)? = (error as? LuaError)?.stopReason { return Int32(code) }
      report(error, origin: "map: ", asJSON: asJSON || invocation.wantsJSON)
      status = ExitStatus.failed
    }
    if let job { logLine(job.summary) }
    return status
  }

  private static func report(_ error: any Error, origin: String, asJSON: Bool) {
    guard let problem = error as? any Problem else { return writeError(origin + "\(error)") }
    if asJSON { writeLine(Value(problem).json) } else { writeError(origin + problem.message) }
  }

  private static func logLine(_ text: String) { writeError("map: " + text) }

  private static func writeError(_ text: String) { writeLine("deckhand: \(printable(text, limit: 2_000))") }

  private static func writeLine(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(2, line, line.count)
  }
}
