// A line of commands at the prompt or in a file of commands: one command and, optionally, where its output goes:
// `> FILE`, `>> FILE`, `| PROGRAM`. Invariant: output goes to the terminal again however the command ends.

import CTerminal
import Commands
import Files
import Glibc
import Problems
import Text
import Workspace

struct CommandLine {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// Where a command's output goes.
  enum Target: Equatable {
    case terminal
    case file(String, adds: Bool)
    /// A command line for the system's shell.
    case program(String)
  }

  /// Runs a line; returns the exit status.
  /// - Throws: `CommandError`, `RedirectionError`.
  func run(_ line: String) throws -> Int32 {
    let (command, target) = try Self.parts(of: line)
    let words = try ShellWords.split(command, home: session.environment.folders.home)
    switch target {
    case .terminal: return Runner(session).runCommand(words)
    case .file(let path, let adds): return try run(words, into: session.environment.folders.expanded(path), adds: adds)
    case .program(let program): return try run(words, through: program)
    }
  }

  /// Splits a line into its command and the target of its output. An operator counts only as an unquoted word of its
  /// own.
  static func parts(of line: String) throws -> (command: String, target: Target) {
    let words = ShellWords.placed(line)
    let signs: Set<String> = ["|", ">", ">>"]
    guard let place = words.firstIndex(where: { !$0.isQuoted && signs.contains($0.text) }) else {
      return (line, .terminal)
    }
    let sign = words[place]
    let bytes = Array(line.utf8)
    let command = String(decoding: bytes[..<sign.range.lowerBound], as: UTF8.self)
    let rest = String(decoding: bytes[sign.range.upperBound...], as: UTF8.self).trimmed
    guard !rest.isEmpty else { throw RedirectionError.nothingBehind(sign: sign.text) }
    if sign.text == "|" { return (command, .program(rest)) }
    guard words.count == place + 2 else { throw RedirectionError.severalFiles(sign: sign.text) }
    return (command, .file(words[place + 1].text, adds: sign.text == ">>"))
  }

  // MARK: Redirecting

  private func run(_ words: [String], into path: String, adds: Bool) throws -> Int32 {
    guard session.rehearsal.mayActOutside("write \(path)") else { return ExitStatus.done }
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (adds ? O_APPEND : O_TRUNC)
    let file = open(path, flags, 0o666)
    guard file >= 0 else { throw RedirectionError.cannotWrite(path: path, errno: errno) }
    defer { close(file) }
    var failure: Int32 = 0
    let status = session.console.redirected(to: file) {
      let status = Runner(session).runCommand(words)
      errno = 0
      if !session.console.flush() { failure = errno == 0 ? EIO : errno }
      return status
    }
    if failure != 0 { throw RedirectionError.cannotWrite(path: path, errno: failure) }
    return status
  }

  private func run(_ words: [String], through program: String) throws -> Int32 {
    guard let ends = uninheritedPipe() else { throw RedirectionError.cannotStart(program: program, errno: errno) }
    let child = startShell(program, input: ends.reading)
    let failure = errno
    close(ends.reading)
    guard let child else {
      close(ends.writing)
      throw RedirectionError.cannotStart(program: program, errno: failure)
    }
    let status = session.console.redirected(to: ends.writing) { Runner(session).runCommand(words) }
    close(ends.writing)
    let end = waitForExit(of: child)
    guard status == ExitStatus.done else { return status }
    // The terminal has only echoed ^C, so the next output must begin on a new line.
    if end == ExitStatus.interrupted { session.console.message("interrupted") }
    return end
  }
}

/// Starts the system's shell on a command line with the given standard input; nil with errno set when it cannot be
/// started.
func startShell(_ text: String, input: Int32) -> pid_t? {
  fflush(nil)
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  posix_spawn_file_actions_adddup2(&actions, input, 0)
  defer { posix_spawn_file_actions_destroy(&actions) }
  return spawnProgram(["/bin/sh", "-c", text], &actions)
}

/// Starts a program; nil with errno set when it cannot be started.
func spawnProgram(_ words: [String], _ actions: inout posix_spawn_file_actions_t) -> pid_t? {
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
  arguments.append(nil)
  defer { for argument in arguments { free(argument) } }
  var child: pid_t = 0
  let failure = posix_spawn(&child, words[0], &actions, nil, arguments, environ)
  errno = failure
  return failure == 0 ? child : nil
}

extension Console {
  /// Runs `body` with standard output redirected; its output is then for a program. A reader that exits early does not
  /// stop the command.
  func redirected<R>(to descriptor: Int32, _ body: () -> R) -> R {
    fflush(nil)
    let terminal = fcntl(1, F_DUPFD_CLOEXEC, 0)
    let handler = signal(SIGPIPE, SIG_IGN)
    dup2(descriptor, 1)
    // A line of a file of commands may be redirected within a redirected run.
    let wasRedirected = isRedirected
    isRedirected = true
    defer {
      fflush(nil)
      dup2(terminal, 1)
      close(terminal)
      signal(SIGPIPE, handler)
      standard_output_forget_failure()
      isRedirected = wasRedirected
    }
    return body()
  }
}
