// One running deckhand-draw: started by posix_spawn, talked to over a socket pair, killed when it is let go of.
// Invariant: a request either gets its whole answer or the process is given up; nothing it does can block the shell for
// longer than the time limit, and its death never raises a signal here.

import DrawingWire
import Files
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
    let started = startProgram([path], environment: environment, channel: ends[1])
    guard started.failure == 0 else {
      close(ends[0])
      throw .missing(path: path, errno: started.failure)
    }
    process = started.process
    channel = ends[0]
    let flags = fcntl(channel, F_GETFL)
    _ = fcntl(channel, F_SETFL, flags | O_NONBLOCK)
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
