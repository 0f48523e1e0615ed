// Compiled lists as files in the cache folder: validated and mapped, or rebuilt. Invariant: a file is mapped only if it
// is of this version, policy and source, its bounds hold, and its checksum was verified once since it was last written.
// The file's modification time records that verification: it is set to a number derived from the checksum. Any write to
// the file changes the time, and so causes a new verification.

import Files
import Glibc

struct CompiledFile {
  let path: String
  let expected: CompiledIndex.Expectation

  /// Returns the compiled index of the file if it is valid for a list of this size and time; nil if it must be rebuilt.
  func open(source: (bytes: UInt64, time: Int64)) -> CompiledIndex? {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let compiled = CompiledIndex.mapping(descriptor, of: path, expected: expected), let file = compiled.file,
      compiled.source.bytes == source.bytes, compiled.source.time == source.time
    else { return nil }
    if file.facts.modified == Self.stamp(of: compiled.checksum) { return compiled }
    guard imageChecksum(of: compiled.bytes) == compiled.checksum else { return nil }
    // If the time cannot be set, the checksum is verified again the next time: slower, but just as safe.
    setTime(descriptor, compiled)
    return compiled
  }

  /// Writes the file completely or not at all, and maps it; throws `unwritable` with the system's reason.
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
    } catch { throw .unwritable(path: path, reason: systemWords((error as? FileError)?.number ?? EIO)) }
    guard let compiled else { throw .unwritable(path: path, reason: systemWords(EIO)) }
    return compiled
  }

  /// Returns the time that means "this checksum was verified": between 2001 and 2035.
  static func stamp(of checksum: UInt64) -> FileFacts.Moment {
    FileFacts.Moment(seconds: 1_000_000_000 + Int(checksum >> 34), nanoseconds: Int(checksum & 0x1FFF_FFFF))
  }

  private func setTime(_ descriptor: Int32, _ compiled: CompiledIndex) {
    let stamp = Self.stamp(of: compiled.checksum)
    let time = timespec(tv_sec: stamp.seconds, tv_nsec: stamp.nanoseconds)
    futimens(descriptor, [time, time])
  }
}
