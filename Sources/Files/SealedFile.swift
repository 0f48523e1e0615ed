// Files that are only copies of what can be found again, each with a digest at its end. Invariant: what is read was
// written whole; nothing waits until the disk has it.

import Glibc
import Text
public import Wire

public enum SealedFile {
  /// Reads a file; returns nil if there is none, or it is damaged.
  public static func read<Content>(
    _ path: String, _ body: (inout WireReader) throws(WireError) -> Content
  ) -> Content? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    guard let file = MappedFile(descriptor, path: path, atLeast: 8) else { return nil }
    let content = UnsafeRawBufferPointer(rebasing: file.bytes.dropLast(8))
    let digest = file.bytes.loadUnaligned(fromByteOffset: content.count, as: UInt64.self)
    if digest != damageDigest(content, seed: 1) { return nil }
    var reader = WireReader(content)
    do throws(WireError) { return try body(&reader) } catch { return nil }
  }

  public static func write(_ path: String, _ body: (inout WireWriter) -> Void) throws(FileError) {
    var writer = WireWriter()
    body(&writer)
    writer.integer(Int(truncatingIfNeeded: writer.bytes.withUnsafeBytes { damageDigest($0, seed: 1) }))
    var options = Replacement(isInterrupted: isNeverInterrupted)
    (options.keepsMode, options.followsLinks, options.isSynced, options.syncsName) = (false, false, false, false)
    try AtomicFile.write(path, writer.bytes, options)
  }
}
