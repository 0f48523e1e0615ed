// Files in memory, mapped by all processes that read them and so shared between these.
// Invariant: if a file is truncated while it is mapped, the missing part reads as zeros.

internal import CMapping
internal import Glibc

/// A regular file that is mapped as long as the object lives.
public final class MappedFile {
  public let path: String
  public let bytes: UnsafeRawBufferPointer
  public let facts: FileFacts

  /// Nil for anything but a regular file of at least that many bytes.
  public init?(_ descriptor: Int32, path: String, atLeast least: Int) {
    do throws(FileError) { facts = try FileFacts.of(descriptor, path: path) } catch { return nil }
    guard facts.kind == .file, facts.size >= max(1, least), let base = mapping_begin(descriptor, facts.size) else {
      return nil
    }
    self.path = path
    bytes = UnsafeRawBufferPointer(start: base, count: facts.size)
  }

  deinit {
    if let base = bytes.baseAddress { mapping_end(UnsafeMutableRawPointer(mutating: base), bytes.count) }
  }

  /// Returns whether the file is unchanged, except that its time may have been set to this one. A file that was
  /// replaced or removed stays intact in the mapping.
  public func isUnchanged(orStamped time: FileFacts.Moment) -> Bool {
    do throws(FileError) {
      guard let now = try FileFacts.at(path, followingLinks: false), now.inode == facts.inode else { return true }
      return now.size == facts.size && (now.modified == facts.modified || now.modified == time)
    } catch { return true }
  }

  /// Keeps the process alive if a file is truncated while it is mapped; to be called once, at the start.
  public static func guardMappings() { mapping_guard() }

  /// For a SIGBUS handler: whether the address is in the missing part of a mapped file, which then reads as zero.
  public static let handlesFault: @convention(c) (UnsafeRawPointer?) -> Bool = { mapping_fill($0) }
}
