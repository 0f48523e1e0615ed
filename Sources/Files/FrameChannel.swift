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
  private let longestFrame: Int

  /// - Parameters:
  ///   - descriptor: closed with the channel.
  ///   - longestFrame: the limit in bytes; a longer frame is not received.
  init(_ descriptor: Int32, longestFrame: Int) {
    (self.descriptor, self.longestFrame) = (descriptor, longestFrame)
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
    guard let head = FrameHead.bytes(frame.count) else { throw .crashed }
    try sendAll(head, deadline)
    try sendAll(frame, deadline)
  }

  /// Waits for one frame.
  public func receive(deadline: Deadline) throws(ProgramFailure) -> [UInt8] {
    let count = FrameHead.count(try receive(FrameHead.size, deadline))
    guard count <= longestFrame else { throw .crashed }
    return try receive(count, deadline)
  }

  private func sendAll(_ bytes: [UInt8], _ deadline: Deadline) throws(ProgramFailure) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 { done += count } else { try wait(for: POLLOUT, deadline) }
    }
  }

  private func receive(_ count: Int, _ deadline: Deadline) throws(ProgramFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done, 0)
      }
      if got == 0 { throw .crashed }
      if got > 0 { done += got } else { try wait(for: POLLIN, deadline) }
    }
    return bytes
  }

  /// Called after a system call failed: waits if the call would have blocked.
  private func wait(for event: Int32, _ deadline: Deadline) throws(ProgramFailure) {
    if errno == EINTR { return try deadline.check() }
    guard errno == EAGAIN else { throw .crashed }
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
