// Compiled lists as files in the cache folder: found valid and mapped, or made again. Invariant: a file is mapped only
// when it is of this version, policy and source, its bounds hold, and its checksum was right once since it was last
// written. That the checksum was right is remembered in the file's modification time, which is set to a number made of
// the checksum: whoever writes to the file changes the time, and so asks for a new check.

import Files
import Glibc

struct CompiledFile {
  let path: String
  let expected: CompiledIndex.Expectation

  /// The compiled index of the file when it is valid for a list of this size and time; nil when it must be made again.
  func open(source: (bytes: UInt64, time: Int64)) -> CompiledIndex? {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0,
      let compiled = CompiledIndex.mapping(descriptor, of: path, expected: expected),
      compiled.source.bytes == source.bytes, compiled.source.time == source.time
    else { return nil }
    if nanoseconds(status.st_mtim) == nanoseconds(Self.stamp(of: compiled.checksum)) { return compiled }
    guard compiled.hasIntactChecksum else { return nil }
    // Where the time can't be set the checksum is looked at again the next time: slower, no less safe.
    setTime(descriptor, compiled)
    return compiled
  }

  /// Writes the file whole or not at all, and maps it. Throws the system's reason as `unwritable` where it can't be
  /// written.
  func write(_ content: [UInt8]) throws(LexiconError) -> CompiledIndex {
    var compiled: CompiledIndex?
    do {
      try makePrivateFolder(parentFolder(of: path))
      var options = Replacement(isInterrupted: isNeverInterrupted)
      (options.keepsMode, options.followsLinks) = (false, false)
      try AtomicFile.write(path, options) { descriptor in
        compiled = CompiledIndex.mapping(descriptor, of: path, expected: expected)
        if let compiled { setTime(descriptor, compiled) }
      } _: { sink in
        try sink.append(content)
      }
    } catch {
      throw .unwritable(path: path, reason: systemWords((error as? FileError)?.number ?? EIO))
    }
    guard let compiled else { throw .unwritable(path: path, reason: systemWords(EIO)) }
    return compiled
  }

  /// The time that says "this checksum was looked at": between 2001 and 2035.
  static func stamp(of checksum: UInt64) -> timespec {
    timespec(tv_sec: 1_000_000_000 + Int(checksum >> 34), tv_nsec: Int(checksum & 0x1FFF_FFFF))
  }

  private func setTime(_ descriptor: Int32, _ compiled: CompiledIndex) {
    let time = Self.stamp(of: compiled.checksum)
    futimens(descriptor, [time, time])
  }
}
