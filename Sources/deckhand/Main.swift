// The program: parses its options, connects the shell to the system, and exits with the status of what it ran.

import Commands
import Files
import Glibc
import LuaRuntime
import Problems
import Shell
import Values

let version = "0.1.0"

@main struct Main {
  static func main() { exit(run()) }

  private static func run() -> Int32 {
    replaceClosedStreams()
    Interrupts.removeCrashHandlers()
    // If the parent left it ignored, the exit statuses of programs would be lost.
    signal(SIGCHLD, SIG_DFL)
    // A file beyond the limit of `ulimit -f` is then an error that is reported. Unlike SIG_IGN, a handler is not passed
    // on to the programs that are started.
    signal(SIGXFSZ) { _ in }
    // Bytes that are not UTF-8 reach Lua's C functions unchanged; names in them are in the user's locale.
    setlocale(LC_CTYPE, "C.UTF-8")
    var words: [String] = []
    // Until the words are parsed, whether they ask for JSON can only be guessed.
    var asksForJSON: Bool { words.prefix { $0 != "--" }.contains("--json") }
    let options: ProgramOptions
    do throws(PlainProblem) {
      words = try programArguments()
      options = try ProgramOptions(words)
    } catch {
      return fail(error, ExitStatus.usage, asJSON: asksForJSON)
    }
    switch options.action {
    case .version: for line in options.identity.versionLines { print(line) }
    case .help: print(ProgramOptions.help)
    default: return start(options, asksForJSON: asksForJSON)
    }
    return fflush(nil) == 0 ? ExitStatus.done : fail(outputIsLost(), ExitStatus.failed, asJSON: asksForJSON)
  }

  /// - Parameter asksForJSON: whether an error that keeps the program from starting is reported as JSON.
  private static func start(_ options: ProgramOptions, asksForJSON: Bool) -> Int32 {
    if case .words(let words) = options.action, let line = ShellLine(asked: words) { return complete(line, options) }
    let environment = Environment.ofProgram(data: options.data, seed: options.seed)
    // `map` is a worker for any machine and accesses no user data.
    if case .words(let words) = options.action, words[0] == "map",
      let status = MapCommand.run(words, environment, asJSON: options.wantsJSON)
    {
      return status
    }
    let session: Session
    do {
      let console = Console(
        terminal: .ofSystem(1, color: options.color), messages: .ofSystem(2, color: options.color),
        isQuiet: options.isQuiet, elapsed: environment.clocks.elapsed)
      session = try Session(
        options.shellOptions(environment), console: console, environment: environment)
    } catch {
      return fail(error, ExitStatus.failed, asJSON: asksForJSON)
    }
    // The process ends together with the session, so nothing is released piece by piece.
    _ = Unmanaged.passRetained(session)
    let status = run(options, in: session)
    let ended = session.close()
    guard session.console.flush() else {
      let isDone = status == ExitStatus.done
      // Whoever repeats a command that only could not answer would make its change twice.
      let end = isDone ? "; the command has run, and what it changed is saved" : ""
      return fail(outputIsLost(end), isDone ? ExitStatus.failed : status, asJSON: asksForJSON)
    }
    return status == ExitStatus.done ? ended : status
  }

  /// Answers a completion request of the system's shell, using the data folder that the line names.
  private static func complete(_ line: ShellLine, _ asked: ProgramOptions) -> Int32 {
    let output = withholdOutput()
    var options = asked
    do throws(PlainProblem) { options = try ProgramOptions(line.before) } catch {
      // The line is wrong before the cursor, or an option there still needs its value.
    }
    let environment = Environment.ofProgram(data: options.data ?? asked.data, seed: nil)
    do {
      let console = Console(
        terminal: .ofSystem(1, color: .never), messages: .ofSystem(2, color: .never), isQuiet: true,
        elapsed: environment.clocks.elapsed)
      let session = try Session(options.shellOptions(environment), console: console, environment: environment)
      _ = Unmanaged.passRetained(session)
      let text = Array(ShellCompletion(session).lines(for: line).map { $0 + "\n" }.joined().utf8)
      session.close()
      return write(output, text, text.count) == text.count ? ExitStatus.done : ExitStatus.failed
    } catch {
      // Completion prints nothing but offers.
      return ExitStatus.failed
    }
  }

  private static func run(_ options: ProgramOptions, in session: Session) -> Int32 {
    var first: String?
    if case .words(let words) = options.action, session.knows(words[0]) { first = words[0] }
    let goesOn = options.isInteractive || (options.action == .prompt && options.code.isEmpty)
    let signIn = SignIn(session)
    if let status = signIn.open(for: options.code.isEmpty ? first : nil) { return status }
    do {
      var only: [String] = []
      if case .words(let words) = options.action, !goesOn, options.code.isEmpty { only = words }
      try session.applyPending(before: only)
    } catch {
      return session.report(error)
    }
    // A Ctrl-C in init.lua cancels what was requested; a prompt still starts.
    if !goesOn, Interrupts.wereRequested { return Interrupts.endingSignal.map { 128 + $0 } ?? ExitStatus.interrupted }
    var status = signIn.checkSettings()
    if !options.code.isEmpty, status == ExitStatus.done {
      session.endsAfterScript = goesOn ? .never : options.action == .prompt ? .always : .onFailure
      status = ScriptRunner(session).run(
        options.code.map { Script(name: "-e", code: Array($0.utf8), path: "-e", arguments: [], showsValue: true) })
    }
    if case .words(let words) = options.action, status == ExitStatus.done {
      status = run(words, goesOn: goesOn, in: session)
    }
    if status == ExitStatus.usage, options.action == .prompt { return status }
    guard goesOn else { return status }
    let ended = Prompt(session).run()
    UnattendedSync.atEnd(session)
    return ended
  }

  /// Runs a command with its words, or a script with its arguments.
  private static func run(_ words: [String], goesOn: Bool, in session: Session) -> Int32 {
    // A mistyped command must not run a file that somebody put into the current folder.
    let isPath = !Command.isUsable(name: words[0]) && isReadable(words[0])
    let isFile = !session.knows(words[0]) && (words[0] == "-" || words[0].hasSuffix(".lua") || isPath)
    session.endsAfterScript = !goesOn && (isFile || words[0] == "run") ? .always : .never
    return Runner(session).runCommand(isFile ? ["run"] + words : words)
  }

  private static func outputIsLost(_ end: String = "") -> PlainProblem {
    PlainProblem(ProblemReport(.failed, "The output is lost", "standard output could not be written" + end))
  }

  /// Reports an error when there is no session to report it.
  private static func fail(_ error: any Error, _ status: Int32, asJSON: Bool) -> Int32 {
    fflush(nil)
    var line = "deckhand: \(error)\n"
    if asJSON, let problem = error as? any Problem { line = Value(problem).json + "\n" }
    line.withCString { _ = write(2, $0, strlen($0)) }
    return status
  }
}
