// One end of a socket over which two programs on this machine exchange frames: a length of four bytes, then that many
// bytes.
// Invariant: a frame is sent or received whole, or the call fails; no wait exceeds its deadline, and the death of the
// other side never raises a signal here.

import Glibc
import Wire

/// A socket for frames, closed when the object is deallocated.
///
///     let channel = try FrameChannel(connectedTo: path, longestFrame: 1 << 16)
///     let answer = try channel.ask(request, deadline: deadline)
public final class FrameChannel {
  private let descriptor: Int32
  private let stream: FrameStream

  /// - Parameters:
  ///   - descriptor: closed with the channel.
  ///   - longestFrame: the limit in bytes; a longer frame is neither sent nor received.
  init(_ descriptor: Int32, longestFrame: Int) {
    self.descriptor = descriptor
    stream = FrameStream(input: descriptor, output: descriptor, longest: longestFrame, isSocket: true)
    makeNonBlocking(descriptor)
  }

  /// Connects to a `LocalListener`.
  /// - Throws: `.missing` if nobody listens, `.crashed` if the listener's queue of connections is full.
  public convenience init(connectedTo path: String, longestFrame: Int) throws(ProgramFailure) {
    guard let address = LocalAddress(path) else { throw .missing(path: path, errno: errno) }
    let descriptor = localSocket()
    guard descriptor >= 0 else { throw .missing(path: path, errno: errno) }
    self.init(descriptor, longestFrame: longestFrame)
    // On a local socket this either succeeds or fails at once.
    guard address.withPointer({ connect(descriptor, $0, $1) }) != 0 else { return }
    if errno == EAGAIN { throw .crashed }
    throw .missing(path: path, errno: errno)
  }

  deinit { close(descriptor) }

  /// Sends a request and waits for its answer.
  public func ask(_ request: [UInt8], deadline: Deadline) throws(ProgramFailure) -> [UInt8] {
    try send(request, deadline: deadline)
    return try receive(deadline: deadline)
  }

  /// Sends one frame.
  public func send(_ frame: [UInt8], deadline: Deadline) throws(ProgramFailure) {
    try reporting { try stream.send(frame) { try wait(for: POLLOUT, deadline) } }
  }

  /// Waits for one frame.
  public func receive(deadline: Deadline) throws(ProgramFailure) -> [UInt8] {
    try reporting { try stream.receive { try wait(for: POLLIN, deadline) } }
  }

  private func reporting<Result>(_ body: () throws -> Result) throws(ProgramFailure) -> Result {
    do { return try body() } catch let failure as ProgramFailure { throw failure } catch { throw .crashed }
  }

  /// Waits until the socket is ready, or a signal arrives.
  private func wait(for event: Int32, _ deadline: Deadline) throws(ProgramFailure) {
    try deadline.check()
    var query = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    // Short, so that an interrupt that raised no signal in this process is noticed too.
    if poll(&query, 1, 100) < 0, errno != EINTR { throw .crashed }
  }
}

func makeNonBlocking(_ descriptor: Int32) {
  let flags = fcntl(descriptor, F_GETFL)
  _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
}
