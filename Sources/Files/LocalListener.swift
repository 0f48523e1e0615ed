// A socket in one of the user's folders, at which other programs on this machine send requests.
// Invariant: nothing here blocks: what has arrived is read, the rest is read when it arrives. At most one frame is held
// for each client, the number of clients is limited, and an answer that cannot be sent at once is dropped.

import Glibc
import Wire

/// Listens at a path. The latest listener at a path receives the requests.
///
///     let listener = try LocalListener(folder + "/shell.socket", longestFrame: 1 << 16)
///     poll(listener.descriptors)
///     while let request = listener.next() { request.answer(bytes) }
public final class LocalListener {
  public let path: String
  private let socket: Int32
  private let longestFrame: Int
  /// The facts of the socket file.
  private let file: FileFacts?
  /// Clients whose request is not complete yet, oldest first.
  private var clients: [LocalClient] = []
  /// Whether accepting failed, so that the socket is no longer polled.
  private var isBroken = false

  private static let mostClients = 4
  private static let mostWaiting: Int32 = 8

  /// The maximum number of `descriptors`.
  public static let mostDescriptors = 1 + mostClients

  /// Takes over the path from any earlier listener, alive or not. The socket has mode 0600.
  /// - Parameter longestFrame: the limit in bytes; a client that announces more is dropped.
  public init(_ path: String, longestFrame: Int) throws(FileError) {
    (self.path, self.longestFrame) = (path, longestFrame)
    let fresh = path + ".\(getpid())"
    socket = try Self.bound(at: fresh)
    file = Self.facts(fresh)
    // A rename replaces the old socket in one step.
    guard rename(fresh, path) == 0 else {
      let failure = FileError(path, .make)
      unlink(fresh)
      // `deinit` closes the socket, because the object is fully initialised here.
      throw failure
    }
  }

  private static func bound(at path: String) throws(FileError) -> Int32 {
    try Folder.removeFile(path)
    guard let address = LocalAddress(path) else { throw FileError(path, .make) }
    let socket = localSocket()
    guard socket >= 0 else { throw FileError(path, .make) }
    makeNonBlocking(socket)
    // Nobody can connect before `listen`, so the mode is right from the start.
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

  /// Whether requests at the path still reach this listener.
  public var isCurrent: Bool {
    guard let file, let found = Self.facts(path) else { return false }
    return found.inode == file.inode && found.device == file.device
  }

  private static func facts(_ path: String) -> FileFacts? {
    // A file whose facts cannot be read cannot be reached either.
    do { return try FileFacts.at(path, followingLinks: false) } catch { return nil }
  }

  /// The descriptors to poll for reading.
  public var descriptors: [Int32] { isBroken ? [] : [socket] + clients.map(\.descriptor) }

  /// Returns the next complete request, without waiting for one. A client that has disconnected is dropped.
  public func next() -> LocalRequest? {
    acceptAll()
    for client in clients {
      switch client.advance(longestFrame: longestFrame) {
      case .isWaiting: continue
      case .isDisconnected: clients.removeAll { $0 === client }
      case .isWhole(let frame):
        clients.removeAll { $0 === client }
        return LocalRequest(frame: frame, client)
      }
    }
    return nil
  }

  /// Accepts the waiting clients; if there are too many, the oldest is dropped.
  private func acceptAll() {
    for _ in 0..<Int(Self.mostWaiting) {
      let descriptor = accept(socket, nil, nil)
      guard descriptor >= 0 else {
        // For example no descriptors are left: polled again, the socket would be readable forever.
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

/// A request and the connection to its sender, which is closed when the request is released.
public final class LocalRequest {
  public let frame: [UInt8]
  private let client: LocalClient

  fileprivate init(frame: [UInt8], _ client: LocalClient) { (self.frame, self.client) = (frame, client) }

  /// Whether the sender is still connected.
  public var isAwaited: Bool {
    var byte: UInt8 = 0
    return recv(client.descriptor, &byte, 1, Int32(MSG_PEEK)) < 0 && errno == EAGAIN
  }

  /// Sends the answer if it fits into the system's send buffer.
  public func answer(_ bytes: [UInt8]) {
    guard let head = FrameHead.bytes(bytes.count) else { return }
    let frame = head + bytes
    _ = frame.withUnsafeBytes { send(client.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }
}

/// A connected client, and what it has sent so far.
private final class LocalClient {
  enum Progress {
    case isWaiting, isDisconnected
    case isWhole([UInt8])
  }

  let descriptor: Int32
  private var bytes: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Reads what has arrived, never beyond the end of the frame.
  func advance(longestFrame: Int) -> Progress {
    while true {
      let isHead = bytes.count < FrameHead.size
      let count = isHead ? 0 : FrameHead.count(bytes)
      guard count <= longestFrame else { return .isDisconnected }
      let wanted = FrameHead.size + count - bytes.count
      if wanted == 0 { return .isWhole(Array(bytes.dropFirst(FrameHead.size))) }
      var piece = [UInt8](repeating: 0, count: wanted)
      let got = recv(descriptor, &piece, wanted, 0)
      if got == 0 || got < 0 && errno != EAGAIN && errno != EINTR { return .isDisconnected }
      if got < 0 { return .isWaiting }
      bytes += piece.prefix(got)
    }
  }
}

/// The address of a socket at a path. The system limits it to 107 bytes, so the folder is opened and named by its
/// descriptor, which is short.
struct LocalAddress: ~Copyable {
  private let folder: Int32
  private let name: [UInt8]

  /// Nil, with `errno` set, if there is no such folder.
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
