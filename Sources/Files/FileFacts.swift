// What is known about a file without reading it.
// Invariant: facts are a snapshot; the path may lead to another file afterwards.

internal import CMapping
public import Glibc
internal import SystemPackage

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
  }

  /// Returns the facts of what is at a path; nil if there is nothing.
  public static func at(_ path: String, followingLinks: Bool = true) throws(FileError) -> FileFacts? {
    do throws(Errno) {
      return FileFacts(try Stat(path, followTargetSymlink: followingLinks))
    } catch {
      if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
      throw FileError(path, .inspect, error)
    }
  }

  /// Returns the facts of an open file.
  /// - Parameter path: the name for error messages.
  public static func of(_ descriptor: Int32, path: String) throws(FileError) -> FileFacts {
    do throws(Errno) {
      return FileFacts(try Stat(FileDescriptor(rawValue: descriptor)))
    } catch { throw FileError(path, .inspect, error) }
  }

  private init(_ status: Stat) {
    kind =
      switch status.type {
      case .regular: .file
      case .directory: .folder
      case .symbolicLink: .symbolicLink
      default: .other
      }
    size = Int(status.size)
    device = UInt64(status.rawValue.st_dev)
    inode = UInt64(status.rawValue.st_ino)
    mode = status.rawValue.st_mode & 0o7777
    owner = status.rawValue.st_uid
    group = status.rawValue.st_gid
    modified = Moment(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }
}

/// Returns whether this process can find something at a path.
public func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Returns whether a process has the file open for writing. False also if the system cannot tell: on some network
/// disks, and for a file of another user.
public func isOpenForWriting(_ path: String) -> Bool {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
  // Whoever reads the file next learns why it cannot be opened.
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  return mapping_is_open_for_writing(descriptor)
}

/// Opens a path. A path with a NUL is refused: the system would ignore the rest of it.
func openFile(
  _ path: String, _ access: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions, mode: mode_t? = nil
) throws(FileError) -> FileDescriptor {
  guard !path.utf8.contains(0) else { throw FileError(path, .open, number: EINVAL) }
  do {
    return try FileDescriptor.open(
      path, access, options: options.union(.closeOnExec),
      permissions: mode.map { FilePermissions(rawValue: CModeT($0)) })
  } catch { throw FileError(path, .open, error) }
}

/// Closes a file that was only read, or whose content does not matter, so an error can be ignored.
func closeQuietly(_ descriptor: FileDescriptor) { Glibc.close(descriptor.rawValue) }
