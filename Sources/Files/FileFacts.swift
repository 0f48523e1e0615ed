// What is known about a file without reading it.
// Invariant: facts are a snapshot; the path may lead to another file afterwards.

internal import CMapping
public import Glibc

public struct FileFacts: Equatable, Sendable {
  public enum FileType: Sendable {
    case file, folder, symbolicLink
    /// A pipe, a socket, a terminal, a device.
    case other
  }

  public let kind: FileType
  /// Bytes.
  public let size: Int
  public let device: UInt64
  public let inode: UInt64
  /// The nine permission bits, and the three bits above them.
  public let mode: mode_t
  /// The user id of the file's owner.
  public let owner: uid_t
  /// The group id of the file.
  public let group: gid_t
  /// The time when the content was last changed.
  public let modified: Moment

  /// A time since 1970.
  public struct Moment: Equatable, Sendable {
    public let seconds: Int
    public let nanoseconds: Int

    public init(seconds: Int, nanoseconds: Int) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }
  }

  /// Returns the facts of what is at a path; nil if there is nothing.
  public static func at(_ path: String, followingLinks: Bool = true) throws(FileError) -> FileFacts? {
    var status = stat()
    if (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 { return FileFacts(status) }
    if isMissing(errno) { return nil }
    throw FileError(path, .inspect)
  }

  public static func of(_ descriptor: Int32, path: String) throws(FileError) -> FileFacts {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(path, .inspect) }
    return FileFacts(status)
  }

  private init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .symbolicLink
      default: .other
      }
    size = Int(status.st_size)
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    mode = status.st_mode & 0o7777
    owner = status.st_uid
    group = status.st_gid
    modified = Moment(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }
}

/// Returns whether something may be at a path: false only if the system says that nothing is there.
public func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 || !isMissing(errno) && errno != ENAMETOOLONG }

/// Returns whether a process has the file open for writing. False also if the system cannot tell: on some network
/// disks, and for a file of another user.
public func isOpenForWriting(_ path: String) -> Bool {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
  // Whoever reads the file next learns why it cannot be opened.
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  return mapping_is_open_for_writing(descriptor)
}

/// Returns whether an errno says that nothing is at a path. Any other one says only that nobody could look.
package func isMissing(_ number: Int32) -> Bool { number == ENOENT || number == ENOTDIR }

/// Opens a path. A path with a NUL is refused: the system would ignore the rest of it.
/// - Parameter mode: the permissions of a file that is created.
func openFile(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(FileError) -> Int32 {
  guard !path.utf8.contains(0) else { throw FileError(path, .open, number: EINVAL) }
  while true {
    let descriptor = open(path, flags | O_CLOEXEC, mode)
    if descriptor >= 0 { return descriptor }
    if errno != EINTR { throw FileError(path, .open) }
  }
}
