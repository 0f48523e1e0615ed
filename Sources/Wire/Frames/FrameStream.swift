// Frames in both directions over descriptors, each prefixed by its length in four bytes, with as few system calls as
// possible. Invariant: a frame is received completely or not at all, and none is longer than the limit.

import Glibc

/// The reason why the conversation ended.
public enum FrameEnd: Error, Equatable, Sendable {
  /// The other side is gone.
  case gone
  /// A frame's length exceeds the limit.
  case tooLong
}

/// One end of a conversation.
public final class FrameStream {
  private let input: Int32
  private let output: Int32
  /// The limit of a frame in bytes.
  public var longest: Int
  private let isSocket: Bool
  private var spinWait: SpinWait?
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)
  /// Called with the size of a long frame before it is received.
  public var makeRoom: (Int) -> Void = { _ in }
  private var outgoing: [UInt8] = []
  /// The range of the buffer that was received and not consumed yet.
  private var start = 0
  private var end = 0

  /// - Parameters:
  ///   - isSocket: whether it is a socket, in which case the death of the other side raises no signal here.
  ///   - spinWait: whether the input, which must be a socket, is polled briefly before each sleep (see `SpinWait`).
  public init(input: Int32, output: Int32, longest: Int, isSocket: Bool = false, spinWait: Bool = false) {
    (self.input, self.output, self.longest, self.isSocket) = (input, output, longest, isSocket)
    self.spinWait = spinWait ? SpinWait() : nil
  }

  /// The helper program's side of the conversation, over standard input and output. Exits with status 2 and a message
  /// if standard input is a terminal, because then a user has started the program by hand.
  public static func standard(longest: Int, spinWait: Bool = false, toUsers words: String) -> FrameStream {
    if isatty(0) == 1 {
      _ = write(2, words + "\n", words.utf8.count + 1)
      exit(2)
    }
    return FrameStream(input: 0, output: 1, longest: longest, spinWait: spinWait)
  }

  /// - Parameter blocked: called when the descriptor accepts nothing, because it is non-blocking or has a time limit.
  public func send(_ frame: [UInt8], blocked: () throws -> Void = {}) throws {
    guard frame.count <= longest, let head = FrameHead.bytes(frame.count) else { throw FrameEnd.tooLong }
    // A short frame is sent together with its head in one call; a long one is not copied.
    if frame.count > buffer.count {
      try sendAll(head, blocked)
      return try sendAll(frame, blocked)
    }
    outgoing.removeAll(keepingCapacity: true)
    outgoing.append(contentsOf: head)
    outgoing.append(contentsOf: frame)
    try sendAll(outgoing, blocked)
  }

  private func sendAll(_ bytes: [UInt8], _ blocked: () throws -> Void) throws {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        return isSocket
          ? Glibc.send(output, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
          : write(output, rest.baseAddress, rest.count)
      }
      if count >= 0 {
        done += count
      } else if errno == EAGAIN {
        try blocked()
      } else if errno != EINTR {
        throw FrameEnd.gone
      }
    }
  }

  /// - Parameter waiting: called when nothing arrived on such a descriptor, or a signal interrupted the read.
  public func receive(_ waiting: () throws -> Void = {}) throws -> [UInt8] {
    try fill(FrameHead.size, waiting)
    let count = FrameHead.count(buffer[start...])
    guard count <= longest else { throw FrameEnd.tooLong }
    start += FrameHead.size
    if count <= buffer.count {
      try fill(count, waiting)
      defer { start += count }
      return Array(buffer[start..<start + count])
    }
    makeRoom(count)
    // Only the part of the reserved capacity that is filled takes memory.
    var frame: [UInt8] = []
    frame.reserveCapacity(count)
    frame += buffer[start..<end]
    start = end
    while frame.count < count {
      try fill(min(count - frame.count, buffer.count), waiting)
      let taken = min(count - frame.count, end - start)
      frame += buffer[start..<start + taken]
      start += taken
    }
    return frame
  }

  /// Waits until that many bytes are in the buffer.
  private func fill(_ count: Int, _ waiting: () throws -> Void) throws {
    if end - start >= count { return }
    if start > 0 {
      buffer.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        memmove(base, base + start, end - start)
      }
      (start, end) = (0, end - start)
    }
    while end < count {
      let got = buffer.withUnsafeMutableBytes { take(UnsafeMutableRawBufferPointer(rebasing: $0[end...])) }
      if got > 0 {
        end += got
      } else if got == 0 || (errno != EAGAIN && errno != EINTR) {
        throw FrameEnd.gone
      } else {
        try waiting()
      }
    }
  }

  private func take(_ room: UnsafeMutableRawBufferPointer) -> Int {
    if let got = spinWait?.find({ recv(input, room.baseAddress, room.count, Int32(MSG_DONTWAIT)) }) { return got }
    return read(input, room.baseAddress, room.count)
  }
}
