// Reading files from their beginning, by chunks or whole, with a bound on what is read.
// Invariant: memory is bounded by the chunk or by the limit given, never by the file.

import Glibc

/// A file read from its beginning to its end.
public final class ByteFile {
  public let path: String
  /// The bytes of a plain file when it was opened; nil for a pipe or a terminal.
  public let size: Int?
  private let descriptor: Int32

  public init(_ path: String) throws(StorageError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .ofFile(path, .open) }
    self.path = path
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT != S_IFDIR else {
      close(descriptor)
      throw .file(path: path, action: .read, number: EISDIR)
    }
    size = facts.st_mode & S_IFMT == S_IFREG ? Int(facts.st_size) : nil
  }

  deinit { close(descriptor) }

  /// Fills the buffer from an offset on, as far as one call of the system gives.
  /// - Returns: how many bytes came; 0 at the end of the file, or when the buffer has no room after the offset.
  public func read(into buffer: inout [UInt8], from offset: Int = 0) throws(StorageError) -> Int {
    while true {
      let count = buffer.withUnsafeMutableBytes { bytes in
        let room = UnsafeMutableRawBufferPointer(rebasing: bytes[min(max(0, offset), bytes.count)...])
        return Glibc.read(descriptor, room.baseAddress, room.count)
      }
      if count >= 0 { return count }
      if errno != EINTR { throw .ofFile(path, .read) }
    }
  }
}

public enum FileText {
  /// The whole content of a file of at most `limit` bytes.
  public static func bytes(_ path: String, limit: Int) throws(StorageError) -> [UInt8] {
    let file = try ByteFile(path)
    if let size = file.size, size > limit { throw .fileTooLarge(path: path, limit: limit) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try file.read(into: &chunk)
      if count == 0 { return content }
      if content.count + count > limit { throw .fileTooLarge(path: path, limit: limit) }
      content.append(contentsOf: chunk[..<count])
    }
  }

  /// The same as text; nil when it is not UTF-8.
  public static func read(_ path: String, limit: Int) throws(StorageError) -> String? {
    String(validating: try bytes(path, limit: limit), as: UTF8.self)
  }
}
