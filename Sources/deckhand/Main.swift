// The program: reads its arguments, wires the shell to the system, runs what was asked for, and exits with its status.

import Authentication
import Commands
import Files
import Glibc
import Problems
import Shell
import Workspace

let version = "0.1.0"

@main struct Main {
  static func main() {
    exit(run(CommandLine.arguments))
  }

  private static func run(_ words: [String]) -> Int32 {
    leaveCrashesToTheSystem()
    // Bytes that are not UTF-8 reach Lua's C functions as they are; names in them are the person's locale's.
    setlocale(LC_CTYPE, "C.UTF-8")
    let arguments: Arguments
    do throws(Arguments.Wrong) {
      arguments = try Arguments(Array(words.dropFirst()))
    } catch {
      fputs("deckhand: \(error.message)\n")
      return ExitStatus.usage
    }
    switch arguments.action {
    case .version: print("Deckhand \(version)")
    case .help: print(Arguments.help)
    default: return start(arguments)
    }
    return fflush(nil) == 0 ? ExitStatus.done : ExitStatus.failed
  }

  private static func start(_ arguments: Arguments) -> Int32 {
    let shell: Shell
    do {
      shell = try makeShell(arguments)
    } catch {
      fputs("deckhand: \(error)\n")
      return ExitStatus.failed
    }
    // The process ends with it: nothing is given back piece by piece.
    _ = Unmanaged.passRetained(shell)
    let status = run(arguments, in: shell)
    shell.close()
    guard shell.console.flush() else {
      fputs("deckhand: standard output could not be written\n")
      return status == ExitStatus.done ? ExitStatus.failed : status
    }
    return status
  }

  private static func run(_ arguments: Arguments, in shell: Shell) -> Int32 {
    var first: String?
    if case .words(let words) = arguments.action, shell.registry.isKnown(words[0]) { first = words[0] }
    if let status = shell.open(for: arguments.code.isEmpty ? first : nil) { return status }
    do {
      try shell.settle()
    } catch {
      return shell.report(error)
    }
    let isPrompt = arguments.action == .prompt && arguments.code.isEmpty
    let goesOn = isPrompt || arguments.isInteractive
    var status = shell.checkSettings()
    if !arguments.code.isEmpty, status == ExitStatus.done {
      let isLast = arguments.action == .prompt
      shell.endsAfterScript = { !goesOn && (isLast || $0 != ExitStatus.done) }
      status = shell.runScripts(
        arguments.code.map { Script(name: "-e", code: Array($0.utf8), path: "-e", arguments: [], showsValue: true) })
    }
    if case .words(let words) = arguments.action, status == ExitStatus.done {
      let isFile =
        !shell.registry.isKnown(words[0]) && (words[0] == "-" || words[0].hasSuffix(".lua") || isReadable(words[0]))
      shell.endsAfterScript = { _ in !goesOn && (isFile || words[0] == "run") }
      status = shell.runCommand(isFile ? ["run"] + words : words)
    }
    if status == ExitStatus.usage, arguments.action == .prompt { return status }
    return goesOn ? shell.runPrompt() : status
  }

  private static func makeShell(_ arguments: Arguments) throws -> Shell {
    let environment = Environment.ofProgram(data: arguments.data, seed: arguments.seed)
    var setup = ShellSetup(version: version)
    setup.wantsJSON = arguments.wantsJSON
    setup.isDryRun = arguments.isDryRun
    setup.wantsTrace = arguments.wantsTrace
    setup.usesPlugins = arguments.usesPlugins
    setup.usesStartScript = arguments.usesStartScript
    setup.user = arguments.user ?? environment.variables.value("DECKHAND_USER").flatMap { $0.isEmpty ? nil : $0 }
    setup.isUserRequired = arguments.user != nil
    setup.passwordFile = arguments.passwordFile
    setup.isColorGiven = arguments.isColorGiven
    setup.settings = SettingSources(
      systemFile: "/etc/deckhand/settings.json", variables: { environment.variables.beginning("DECKHAND_SET_") },
      commandLine: arguments.settings, noColor: environment.variables.value("NO_COLOR")?.isEmpty == false)
    let console = Console(
      terminal: .ofSystem(1, color: arguments.color), messages: .ofSystem(2, color: arguments.color),
      isQuiet: arguments.isQuiet, elapsed: environment.clocks.elapsed)
    return try Shell(setup, console: console, environment: environment)
  }

  private static func fputs(_ text: String) {
    fflush(nil)
    text.withCString { _ = write(2, $0, strlen($0)) }
  }
}
