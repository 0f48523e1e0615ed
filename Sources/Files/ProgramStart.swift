// Starting and ending helper programs: the drawing program, the sound player.
// Invariant: a program is started from a list of words, never by a shell; it has no access to the terminal, and
// inherits no file of this program except a channel and a pipe for its errors.

public import Glibc
import Text

/// Starts a program in a new session: Ctrl-C at the terminal reaches only the shell, and the program has no terminal
/// that it could write to. Signal handlers and the signal mask are reset to their defaults.
/// - Parameters:
///   - channel: the descriptor for its standard input and output; nil for `/dev/null`.
///   - input, output: the files for its standard input and output, if there is no channel; nil for `/dev/null`.
/// - Returns: the process id, and 0 or the errno of the failure.
public func startProgram(
  _ words: [String], environment: [String], channel: CInt? = nil, input: String? = nil, output: String? = nil,
  errors: ErrorOutput? = nil
) -> (process: pid_t, failure: CInt) {
  var actions = posix_spawn_file_actions_t()
  var attributes = posix_spawnattr_t()
  posix_spawn_file_actions_init(&actions)
  posix_spawnattr_init(&attributes)
  defer {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }
  for descriptor in [STDIN_FILENO, STDOUT_FILENO] {
    if let channel {
      posix_spawn_file_actions_adddup2(&actions, channel, descriptor)
    } else {
      posix_spawn_file_actions_addopen(
        &actions, descriptor, (descriptor == STDIN_FILENO ? input : output) ?? "/dev/null",
        descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_CREAT, 0o600)
    }
  }
  if let errors {
    posix_spawn_file_actions_adddup2(&actions, errors.writing, STDERR_FILENO)
  } else {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
  }
  var signals = sigset_t()
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  sigfillset(&signals)
  posix_spawnattr_setsigdefault(&attributes, &signals)
  // glibc's POSIX_SPAWN_SETSID, which Swift does not import.
  let newSession: Int16 = 0x80
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | newSession)
  var process: pid_t = 0
  let failure = withStrings(words) { arguments in
    withStrings(environment) { posix_spawn(&process, words[0], &actions, &attributes, arguments, $0) }
  }
  return (process, failure)
}

/// Starts a program whose standard input and output are the other end of a socket pair.
/// - Returns: the process id, and this end of the socket, which the caller closes.
/// - Throws: `.missing`.
public func startTalkingProgram(
  _ words: [String], environment: [String]
) throws(ProgramFailure) -> (process: pid_t, socket: CInt) {
  var ends: [CInt] = [-1, -1]
  guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
    throw .missing(path: words[0], errno: errno)
  }
  defer { close(ends[1]) }
  let started = startProgram(words, environment: environment, channel: ends[1])
  guard started.failure == 0 else {
    close(ends[0])
    throw .missing(path: words[0], errno: started.failure)
  }
  return (started.process, ends[0])
}

/// Returns the ends of a new pipe, which started programs do not inherit; nil on failure (`errno`).
public func uninheritedPipe() -> (reading: CInt, writing: CInt)? {
  var ends: [CInt] = [-1, -1]
  guard pipe(&ends) == 0 else { return nil }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}

/// The end of what a program writes to its standard error: why it failed.
public final class ErrorOutput {
  private let reading: CInt
  fileprivate let writing: CInt
  private var text: [UInt8] = []

  /// Nil if the system gives no pipe.
  public init?() {
    guard let ends = uninheritedPipe() else { return nil }
    (reading, writing) = ends
    // A program that writes more than the pipe holds must not wait for a reader.
    for end in [reading, writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Empties the pipe, which holds 64 KiB.
  public func drain() {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(reading, &chunk, chunk.count)
    if count > 0 { text = Array((text + chunk[..<count]).suffix(1 << 12)) }
  }

  public func lastLine() -> String? {
    drain()
    let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
    return lines.map { String($0).trimmed }.last { !$0.isEmpty }
  }
}

/// Waits until a program ends; returns the status from waitpid(2).
private func waitForEnd(of process: pid_t) -> CInt {
  var status: CInt = 0
  while waitpid(process, &status, 0) < 0, errno == EINTR {}
  return status
}

/// Waits until a program ends.
/// - Returns: its exit status, or 128 plus the number of the signal that ended it, as in a shell.
public func waitForExit(of process: pid_t) -> Int32 {
  let status = waitForEnd(of: process)
  return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
}

/// Kills a program and waits until it has ended; returns the status from waitpid(2).
@discardableResult public func endProgram(_ process: pid_t) -> CInt {
  kill(process, SIGKILL)
  return waitForEnd(of: process)
}

/// Calls the body with the texts as C strings, and a null pointer after them.
public func withStrings<Result>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
  let pointers = texts.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  return body(pointers + [nil])
}
