// Runs scripts and files of commands, and, for `map`, a script over the lines of standard input. Invariant: a run is
// one unit of work, rolled back unless its status is 0; `map` opens no user data on the command line.

import Authentication
import Bindings
import Commands
package import Files
import Glibc
import LuaRuntime
import Problems
import Text
import Values
import Workspace

/// Lua code to run in batch.
package struct Script {
  package let name: String
  package let code: [UInt8]
  /// The value of `arg[0]`; the arguments are `arg[1]...`.
  package let path: String
  package let arguments: [String]
  /// The owner recorded for settings that the script sets or declares.
  var owner: Owner { isStartScript ? .startScript : .script(name) }
  /// The name in undo steps.
  var origin: String { path == "-e" ? "-e" : "run " + (path == "-" ? "-" : lastPart(of: path)) }
  var isStartScript = false
  /// Whether the value of an expression is shown, as at the prompt.
  var showsValue = false

  package init(name: String, code: [UInt8], path: String, arguments: [String], showsValue: Bool = false) {
    (self.name, self.code, self.path) = (name, code, path)
    (self.arguments, self.showsValue) = (arguments, showsValue)
  }
}

package struct ScriptRunner {
  let session: Session

  package init(_ session: Session) { self.session = session }

  /// Runs scripts as one unit of work; returns the exit status.
  package func run(_ scripts: [Script]) -> Int32 { runUnit(from: scripts.first?.origin) { runAll(scripts) } }

  /// Runs a file of commands as one unit of work: one command per line; lines beginning with `#` are comments. It stops
  /// at the first failure, which is reported with file and line.
  /// - Returns: the exit status of the line that failed.
  /// - Throws: the reason why the file cannot be read.
  func run(commandsIn path: String) throws -> Int32 {
    let bytes = try FileText.bytes(path, limit: 16 << 20, .any) { Interrupts.areRequested }
    let lines = try checkedText(bytes.withoutMark).lines.map { String($0).trimmed }
    return runUnit(from: "run " + lastPart(of: path)) {
      for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
        let status = session.with(\.console.place, "\(path):\(index + 1): ") {
          do { return try CommandLine(session: session).run(line) } catch { return session.report(error) }
        }
        if status != ExitStatus.done { session.console.note("What the lines before it did was undone.") }
        if status != ExitStatus.done || session.state.leaving != nil { return status }
      }
      return ExitStatus.done
    }
  }

  private func runUnit(from origin: String?, _ body: () -> Int32) -> Int32 {
    let outer = session.data.origin
    // The command `run` takes the name of its script.
    session.data.origin = origin ?? outer
    defer { session.data.origin = outer }
    let wasInScript = session.state.isInScript
    session.state.isInScript = true
    defer { session.state.isInScript = wasInScript }
    do {
      try session.refreshAccounts()
      // A script within a script is part of its unit.
      if try session.isInUnit { return Interrupts.holding(body) }
      if !session.auth.needsAuthentication { try session.workspace().beginUnit() }
      let status = Interrupts.holding(body)
      if !wasInScript { finishRun(status: status) }
      if !session.auth.needsAuthentication, session.auth.user == nil {
        // Another process may have added the first account meanwhile; that account now owns the data, so the script's
        // changes can no longer be stored.
        try session.refreshAccounts()
        if session.auth.needsAuthentication { throw AuthenticationError.required }
      }
      if status == ExitStatus.done { try requireWholeLists() }
      // The script may have signed in or out, so the workspace may be another one, or none.
      if !session.auth.needsAuthentication { try Interrupts.holding { try end(session.workspace(), status: status) } }
      return status
    } catch {
      return session.report(error)
    }
  }

  /// Rolls back the unit when a word list was damaged while the script used it.
  private func requireWholeLists() throws {
    do { try session.requireWholeLists() } catch {
      if try session.isInUnit { try session.workspace().rollbackUnit() }
      throw error
    }
  }

  /// Finishes a script's code within its unit: finalizers, and listeners to `exiting`.
  private func finishRun(status: Int32) {
    // As the program ends, an earlier Ctrl-C was not meant for this code; otherwise it also stops the code around it.
    if endsProgram(after: status) { Interrupts.clear() }
    guard !Interrupts.wereRequested else { return }
    do {
      try Interrupts.holding {
        try session.lua.load(Array("collectgarbage()".utf8), name: "run").call([], results: 0) { _ in }
        if endsProgram(after: status) { try session.endLua() }
      }
    } catch {
      session.report(error)
    }
  }

  private func endsProgram(after status: Int32) -> Bool {
    switch session.state.endsAfterScript {
    case .never: false
    case .onFailure: status != ExitStatus.done
    case .always: true
    }
  }

  /// Ends a script's unit: commits it when the status is 0, unless it is a dry run.
  func end(_ workspace: Workspace, status: Int32) throws {
    guard workspace.isInUnit else { return }
    if session.options.isDryRun {
      let wantsJSON = session.options.wantsJSON
      let changes = status == ExitStatus.done ? try workspace.pendingChanges(limit: wantsJSON ? nil : 5) : []
      try workspace.rollbackUnit()
      if status != ExitStatus.done {
        session.console.note(RehearsalRun.nothingWasChanged)
      } else if wantsJSON {
        session.show(CommandResult(.list(changes.flatMap(\.records))), asJSON: true)
      } else {
        for line in RehearsalRun(session: session).lines(changes, since: 0) { session.console.note(line) }
      }
    } else if status == ExitStatus.done {
      try workspace.commitUnit()
    } else {
      try workspace.rollbackUnit()
    }
  }

  private func runAll(_ scripts: [Script]) -> Int32 {
    for script in scripts {
      do { try run(script) } catch {
        if case .exit(let status)? = (error as? LuaError)?.stopReason { return Int32(status) }
        return session.report(error)
      }
    }
    return ExitStatus.done
  }

  private func run(_ script: Script) throws {
    // A script that a plugin runs grants no more than the plugin.
    let isOfPlugin = session.scripting.settingOwner.plugin != nil
    try acting(as: isOfPlugin ? nil : script.owner, in: session) {
      try session.with(\.scripting.typedWords, script.arguments) { try load(script) }
    }
  }

  private func load(_ script: Script) throws {
    let words = ([script.path] + script.arguments).enumerated().map { index, text in
      (key: LuaValue.integer(index), value: LuaValue.text(text))
    }
    try session.lua.setGlobal("arg", LuaValue.table(words))
    if script.showsValue {
      let lines = LuaLines(session: session)
      let chunk = try lines.expressionOrChunk(script.code[...], script.name)
      return try lines.showResults(of: chunk, asJSON: session.options.wantsJSON)
    }
    try session.lua.load(luaCode(ofFile: script.code), name: script.name).call(script.arguments, results: 0) { _ in }
  }

  /// In bytes.
  private static let longestScript = 64 << 20

  /// Reads a script; `-` is standard input.
  /// - Parameter kinds: `.any` when the user typed the path, so that it may be a pipe.
  static func script(at path: String, _ arguments: [String], _ kinds: FileKinds = .any) throws -> Script {
    let file = try ByteFile.given(path, kinds) { Interrupts.areRequested }
    return Script(
      name: path == "-" ? "stdin" : path, code: try file.rest(limit: longestScript), path: path, arguments: arguments)
  }

  func runStartScript() {
    let path = session.environment.folders.config + "/init.lua"
    guard session.options.usesStartScript, access(path, F_OK) == 0 else { return }
    do {
      var start = try Self.script(at: path, [], .plain)
      start.isStartScript = true
      try session.changing(from: "init.lua") { try Interrupts.holding { try rehearsing { try run(start) } } }
    } catch {
      session.report(error)
    }
  }

  /// Runs Lua that is not a script; in a dry run, as a unit of work that is rolled back.
  func rehearsing(_ body: () throws -> Void) throws {
    guard session.options.isDryRun, !session.auth.needsAuthentication, try !session.isInUnit else { return try body() }
    try session.workspace().beginUnit()
    defer { endRehearsal() }
    try body()
  }

  private func endRehearsal() {
    do {
      guard try session.isInUnit else { return }
      let done = try session.workspace().unitSummary
      try session.workspace().rollbackUnit()
      if !done.isEmpty { session.console.note("dry run: \(done); nothing was changed") }
    } catch {
      session.report(error)
    }
  }
}

package enum MapCommand {
  static let command = BuiltIn(
    "map", access: .open, summary: "Runs a script over the lines of standard input, and writes records.",
    answer: "nothing",
    details: """
      The script defines a function map(line) that calls emit(key, value) or emit(value); for --reduce it defines \
      reduce(key, values) or combine(key, a, b). combine and finish() are optional for map. A record is KEY, a tab and \
      JSON; a value without a key is JSON alone, and a card is a line for `deck import`. Sort by bytes between the \
      two: deckhand map freq.lua < text | LC_ALL=C sort | deckhand map --reduce freq.lua > cards.jsonl
      """,
    arguments: [
      Argument("SCRIPT", .file, help: "the script"),
      Argument("ARG", .verbatim, isOptional: true, isRepeating: true, help: "its arguments"),
    ],
    options: [
      Option("--reduce", help: "read sorted records, and run reduce for each key"),
      Option(
        "--keep", "N", .integer(1...100_000_000), help: "keys to combine before they are written (default 200000)"),
      Option("--seconds", "N", .integer(1...86_400), help: "time limit for a line or a record (default 60)"),
    ], example: "map frequency.lua"
  ) { invocation, session in
    // The run has already reported its errors.
    CommandResult(status: run(invocation, session.environment, asJSON: session.options.wantsJSON))
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
    options.seed = environment.random.seed ?? options.seed
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
