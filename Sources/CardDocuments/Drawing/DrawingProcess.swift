// One running deckhand-draw: started by posix_spawn, talked to over a socket pair, killed when it is let go of.
// Invariant: a request either gets its whole answer or the process is given up; nothing it does can block the shell for
// longer than the time limit, and its death never raises a signal here.

import DrawingWire
import Glibc
import Values

final class DrawingProcess {
  let process: pid_t
  private var isReaped = false
  private let channel: Int32

  /// - Parameter environment: `NAME=value`; fontconfig looks for HOME and XDG_* to find the user's own fonts.
  init(path: String, environment: [String]) throws(DrawingFailure) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw .missing(path: path, errno: errno)
    }
    defer { close(ends[1]) }
    do { process = try DrawingProcess.spawn(path, environment, channel: ends[1]) } catch {
      close(ends[0])
      throw error
    }
    channel = ends[0]
    let flags = fcntl(channel, F_GETFL)
    _ = fcntl(channel, F_SETFL, flags | O_NONBLOCK)
  }

  /// Its standard input and output are the channel; of its other files it gets none. It is in a group of its own, so
  /// that Ctrl-C at the terminal reaches the shell alone.
  private static func spawn(
    _ path: String, _ environment: [String], channel: Int32
  ) throws(DrawingFailure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, channel, 0)
    posix_spawn_file_actions_adddup2(&actions, channel, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var process: pid_t = 0
    let result = withStrings([path]) { arguments in
      withStrings(environment) { environment in
        posix_spawn(&process, path, &actions, &attributes, arguments, environment)
      }
    }
    guard result == 0 else { throw .missing(path: path, errno: result) }
    return process
  }

  /// Sends a request and waits for its answer.
  func ask(_ request: [UInt8], deadline: Deadline) throws(DrawingFailure) -> [UInt8] {
    try send(DrawingProcess.length(request.count), deadline)
    try send(request, deadline)
    let head = try receive(4, deadline)
    let count = head.reversed().reduce(0) { $0 << 8 | Int($1) }
    guard count <= longestFrame else { throw .crashed }
    return try receive(count, deadline)
  }

  private static func length(_ count: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: count).littleEndian) { Array($0) }
  }

  private func send(_ bytes: [UInt8], _ deadline: Deadline) throws(DrawingFailure) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(channel, $0.baseAddress.map { $0 + done }, $0.count - done, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 { done += count } else { try wait(for: POLLOUT, deadline) }
    }
  }

  private func receive(_ count: Int, _ deadline: Deadline) throws(DrawingFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes {
        recv(channel, $0.baseAddress.map { $0 + done }, $0.count - done, 0)
      }
      if got == 0 { throw .crashed }
      if got > 0 { done += got } else { try wait(for: POLLIN, deadline) }
    }
    return bytes
  }

  /// After a call that failed: waits when it would have had to.
  private func wait(for event: Int32, _ deadline: Deadline) throws(DrawingFailure) {
    if errno == EINTR { return try deadline.check() }
    guard errno == EAGAIN else { throw .crashed }
    try deadline.check()
    var query = pollfd(fd: channel, events: Int16(event), revents: 0)
    // Short, so that a wish to stop that raised no signal here is seen too.
    if poll(&query, 1, 100) < 0, errno != EINTR { throw .crashed }
  }

  /// False once it has ended.
  func isAlive() -> Bool {
    var status: Int32 = 0
    if !isReaped, waitpid(process, &status, WNOHANG) == process { isReaped = true }
    return !isReaped
  }

  deinit {
    close(channel)
    guard isAlive() else { return }
    // It would end by itself at the end of its input, unless it is in the middle of something.
    kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}

/// How long one request may take, and whether the user still wants its answer.
struct Deadline {
  let seconds: Double
  let deadline: Double
  let clock: () -> Double
  let shouldStop: () -> Bool

  func check() throws(DrawingFailure) {
    if shouldStop() { throw .interrupted }
    if clock() > deadline { throw .timedOut(seconds: seconds) }
  }
}

/// An argument vector of C for the time of a call.
private func withStrings<Result>(
  _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let pointers = texts.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  return body(pointers + [nil])
}
