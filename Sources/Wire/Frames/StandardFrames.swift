// Frames on standard input and output: a length of four bytes, little endian, followed by that many bytes. The programs
// that deckhand starts talk to it this way.
// Invariant: nothing longer than the limit is read or written, whatever length is announced.

import Glibc

/// The helper program's side of the conversation.
///
///     while let request = StandardFrames.read(limit: 1 << 20) { ... }   // nil when deckhand is gone
public enum StandardFrames {
  /// Exits with status 2 and a message if standard input is a terminal, because then a user has started the program by
  /// hand.
  public static func requireChannel(_ words: String) {
    guard isatty(0) == 1 else { return }
    _ = writeAll(Array((words + "\n").utf8), to: 2)
    exit(2)
  }

  /// Returns the next frame; nil at the end of the input or if the frame is invalid.
  public static func read(limit: Int, from input: Int32 = 0) -> [UInt8]? {
    guard let head = readWhole(FrameHead.size, from: input) else { return nil }
    let count = FrameHead.count(head)
    return count <= limit ? readWhole(count, from: input) : nil
  }

  /// - Returns: whether all of it was written.
  public static func write(_ bytes: [UInt8], limit: Int, to output: Int32 = 1) -> Bool {
    guard bytes.count <= limit, let head = FrameHead.bytes(bytes.count) else { return false }
    return writeAll(head, to: output) && writeAll(bytes, to: output)
  }

  private static func readWhole(_ count: Int, from input: Int32) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = Glibc.read(input, buffer.baseAddress.map { $0 + filled }, count - filled)
        if got < 0, errno == EINTR { continue }
        if got <= 0 { return }
        filled += got
      }
    }
    return bytes.count == count ? bytes : nil
  }

  private static func writeAll(_ bytes: [UInt8], to output: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let count = Glibc.write(output, buffer.baseAddress.map { $0 + done }, buffer.count - done)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return false }
        done += count
      }
      return true
    }
  }
}
