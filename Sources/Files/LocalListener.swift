// A socket of the user's own in a folder of theirs, at which other programs of this machine ask for something.
// Invariant: nothing here waits: what has come is taken, the rest is taken when it comes; of each client at most one
// frame is held, of clients at most a few, and an answer that is not taken at once is dropped.

import Glibc
import Wire

/// Listens at a path. Whoever listens there last is the one that is reached.
///
///     let listener = try LocalListener(folder + "/shell.socket", longestFrame: 1 << 16)
///     poll(listener.descriptors)
///     while let request = listener.next() { request.answer(bytes) }
public final class LocalListener {
  public let path: String
  private let socket: Int32
  private let longestFrame: Int
  /// Of the file that the socket is.
  private let file: FileFacts?
  /// Those whose request is not whole yet, the oldest first.
  private var clients: [LocalClient] = []
  /// It failed, and is to be polled no more.
  private var isBroken = false

  private static let mostClients = 4
  private static let mostWaiting: Int32 = 8

  /// What a poll may have to look at, at most.
  public static let mostDescriptors = 1 + mostClients

  /// Takes the path from whoever listened there before, dead or alive. The socket has mode 0600.
  /// - Parameter longestFrame: bytes; who says more is dropped.
  public init(_ path: String, longestFrame: Int) throws(FileError) {
    (self.path, self.longestFrame) = (path, longestFrame)
    let fresh = path + ".\(getpid())"
    socket = try Self.bound(at: fresh)
    file = Self.facts(fresh)
    // A rename puts it in the place of another one in one step.
    guard rename(fresh, path) == 0 else {
      let failure = FileError(path, .make)
      unlink(fresh)
      // The socket is closed with the object, which is whole by now.
      throw failure
    }
  }

  private static func bound(at path: String) throws(FileError) -> Int32 {
    try Folder.removeFile(path)
    guard let address = LocalAddress(path) else { throw FileError(path, .make) }
    let socket = localSocket()
    guard socket >= 0 else { throw FileError(path, .make) }
    makeNonBlocking(socket)
    // Until it listens nobody gets in, so that the mode is right from the first moment.
    guard address.withPointer({ bind(socket, $0, $1) }) == 0, chmod(path, 0o600) == 0, listen(socket, mostWaiting) == 0
    else {
      let failure = FileError(path, .make)
      unlink(path)
      close(socket)
      throw failure
    }
    return socket
  }

  deinit {
    if isCurrent { unlink(path) }
    close(socket)
  }

  /// Whether who asks at the path still comes here.
  public var isCurrent: Bool {
    guard let file, let found = Self.facts(path) else { return false }
    return found.inode == file.inode && found.device == file.device
  }

  private static func facts(_ path: String) -> FileFacts? {
    // What cannot be looked at is not reached either.
    do { return try FileFacts.at(path, followingLinks: false) } catch { return nil }
  }

  /// What is readable once something came.
  public var descriptors: [Int32] { isBroken ? [] : [socket] + clients.map(\.descriptor) }

  /// The next request that came whole, without waiting for one. One whose sender has gone meanwhile is dropped.
  public func next() -> LocalRequest? {
    acceptAll()
    for client in clients {
      switch client.advance(longestFrame: longestFrame) {
      case .isWaiting: continue
      case .hasGone: clients.removeAll { $0 === client }
      case .isWhole(let frame):
        clients.removeAll { $0 === client }
        return LocalRequest(frame: frame, client)
      }
    }
    return nil
  }

  /// Lets in who knocks; the oldest of too many goes.
  private func acceptAll() {
    for _ in 0..<Int(Self.mostWaiting) {
      let descriptor = accept(socket, nil, nil)
      guard descriptor >= 0 else {
        // No more descriptors, say: polled again it would be readable for ever.
        if ![EAGAIN, EINTR, ECONNABORTED].contains(errno) { isBroken = true }
        return
      }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      makeNonBlocking(descriptor)
      clients.append(LocalClient(descriptor))
      if clients.count > Self.mostClients { clients.removeFirst() }
    }
  }
}

/// A request and the way back to who sent it, which is closed with it.
public final class LocalRequest {
  public let frame: [UInt8]
  private let client: LocalClient

  fileprivate init(frame: [UInt8], _ client: LocalClient) { (self.frame, self.client) = (frame, client) }

  /// Whether who asked still waits for the answer.
  public var isAwaited: Bool {
    var byte: UInt8 = 0
    return recv(client.descriptor, &byte, 1, Int32(MSG_PEEK)) < 0 && errno == EAGAIN
  }

  /// Sends the answer, if it fits into what the system holds for the other side.
  public func answer(_ bytes: [UInt8]) {
    guard let head = FrameHead.bytes(bytes.count) else { return }
    let frame = head + bytes
    _ = frame.withUnsafeBytes { send(client.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }
}

/// One that came in, and what it has said so far.
private final class LocalClient {
  enum Progress {
    case isWaiting, hasGone
    case isWhole([UInt8])
  }

  let descriptor: Int32
  private var bytes: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Reads what is there, never beyond the end of the frame.
  func advance(longestFrame: Int) -> Progress {
    while true {
      let isHead = bytes.count < FrameHead.size
      let count = isHead ? 0 : FrameHead.count(bytes)
      guard count <= longestFrame else { return .hasGone }
      let wanted = FrameHead.size + count - bytes.count
      if wanted == 0 { return .isWhole(Array(bytes.dropFirst(FrameHead.size))) }
      var piece = [UInt8](repeating: 0, count: wanted)
      let got = recv(descriptor, &piece, wanted, 0)
      if got == 0 || got < 0 && errno != EAGAIN && errno != EINTR { return .hasGone }
      if got < 0 { return .isWaiting }
      bytes += piece.prefix(got)
    }
  }
}

/// The address of a socket at a path. The system takes only 107 bytes of one: the folder is opened and named by its
/// descriptor, which is short.
struct LocalAddress: ~Copyable {
  private let folder: Int32
  private let name: [UInt8]

  /// Nil, and `errno`, where there is no such folder.
  init?(_ path: String) {
    let folder = open(parentFolder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    self.folder = folder
    name = Array("/proc/self/fd/\(folder)/\(lastPart(of: path))".utf8)
  }

  deinit { close(folder) }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { place in place.copyBytes(from: name.prefix(place.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}

func localSocket() -> Int32 { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0) }
