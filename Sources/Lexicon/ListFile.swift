// Files as the lexicon needs them: read whole, looked at, written whole or not at all.
// Invariant: a file that is written appears under its name complete and synced, or not at all.

import Glibc

/// What the system said, in its own words.
func systemReason(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }

/// A file's contents in memory, given back at the end of its life.
final class ListFile {
  let path: String
  let bytes: UnsafeBufferPointer<UInt8>
  let stamp: SourceStamp

  /// Reads a regular file of at most `limit` bytes.
  init(path: String, limit: Int) throws(LexiconError) {
    self.path = path
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(path: path, reason: systemReason()) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, reason: systemReason()) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .unreadable(path: path, reason: status.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : "it is not a file")
    }
    let size = Int(status.st_size)
    guard size <= limit else {
      throw .badList(path: path, reason: "it has \(size >> 20) MiB; lists are read up to \(limit >> 20) MiB")
    }
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(size, 1))
    var filled = 0
    while filled < size {
      let got = read(descriptor, memory.baseAddress.map { $0 + filled }, size - filled)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else {
        let reason = systemReason()
        memory.deallocate()
        throw .unreadable(path: path, reason: reason)
      }
      if got == 0 { break }
      filled += got
    }
    bytes = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(memory)[..<filled])
    stamp = SourceStamp(
      bytes: UInt64(filled), time: nanoseconds(status.st_mtim), hash: digest(UnsafeRawBufferPointer(bytes), seed: 0))
  }

  deinit { bytes.deallocate() }
}

func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }

/// The size and time of a regular file; nil when there is none.
func sourceStamp(of path: String) -> (bytes: UInt64, time: Int64)? {
  var status = stat()
  guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
  return (UInt64(status.st_size), nanoseconds(status.st_mtim))
}
