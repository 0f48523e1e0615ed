// Passwords from a file or from standard input, for batch work.
// Invariant: the bytes go from the kernel directly into a secret; one line end at the end is not part of the password.

import Files
import Glibc

/// Reads a password without a terminal.
///
///     let password = try PasswordFile.read("/run/secrets/ana")
public enum PasswordFile {
  /// Reads the password in a file: its whole content except one line end at its end.
  public static func read(_ path: String) throws(AuthenticationError) -> Secret {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    if file < 0 { throw .passwordFile(path: path, code: errno) }
    defer { close(file) }
    return try Secret(capacity: Secret.lineCapacity) { (buffer) throws(AuthenticationError) in
      let count = try fill(buffer, from: file, path, isLine: false)
      return withoutLineEnd(buffer, count)
    }
  }

  /// The problem with the mode of a password file that others can open, or nil. Such a file is still accepted.
  public static func warning(for path: String) -> AuthenticationError? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return nil }
    return .exposed(path: path, remedy: "chmod 600 \(shellQuoted(path))")
  }

  /// Reads the password in the next line of standard input, or of another open file, and no more.
  public static func readLine(from file: Int32) throws(AuthenticationError) -> Secret {
    try Secret(capacity: Secret.lineCapacity) { (buffer) throws(AuthenticationError) in
      let count = try fill(buffer, from: file, "standard input", isLine: true)
      return withoutLineEnd(buffer, count)
    }
  }

  /// Reads to the end of the file or the line; a line byte by byte, because what follows belongs to somebody else.
  private static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from file: Int32, _ path: String, isLine: Bool
  ) throws(AuthenticationError) -> Int {
    guard let start = buffer.baseAddress else { throw .outOfMemory }
    var count = 0
    while true {
      if count == buffer.count { throw .tooLong(maximum: Secret.longest) }
      let got = Glibc.read(file, start + count, isLine ? 1 : buffer.count - count)
      if got < 0 && errno == EINTR && !isLine { continue }
      if got < 0 { throw .passwordFile(path: path, code: errno) }
      if got == 0 { return count }
      count += got
      if isLine, buffer[count - 1] == 0x0A { return count }
    }
  }

  private static func withoutLineEnd(_ buffer: UnsafeMutableRawBufferPointer, _ count: Int) -> Int {
    guard count > 0, buffer[count - 1] == 0x0A else { return count }
    return count > 1 && buffer[count - 2] == 0x0D ? count - 2 : count - 1
  }
}
