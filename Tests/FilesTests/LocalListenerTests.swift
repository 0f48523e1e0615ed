// A socket in a folder: who is connected, what is read, and that nothing is read from hostile programs.

import Files
import Glibc
import TestSupport
import Testing
import Wire

@Suite struct LocalListenerTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("shell.socket") }

  private func listener(at path: String? = nil) throws -> LocalListener {
    try LocalListener(path ?? self.path, longestFrame: 100)
  }

  private func channel(to path: String? = nil) throws -> FrameChannel {
    try FrameChannel(connectedTo: path ?? self.path, longestFrame: 100)
  }

  /// Does not expire, because its clock does not move.
  private var deadline: Deadline { Deadline(seconds: 1, clock: { 0 }, shouldStop: { false }) }

  /// Stops at once, for operations that must not wait.
  private var stopped: Deadline { Deadline(seconds: 1, clock: { 0 }, shouldStop: { true }) }

  @Test func `a frame arrives whole and its response is returned, once`() throws {
    let listener = try listener()
    #expect(mode(of: path) == 0o600)
    #expect(listener.next() == nil)
    let channel = try channel()
    #expect(listener.next() == nil)
    try channel.send(Array("hello".utf8), deadline: deadline)
    let request = try #require(listener.next())
    #expect(request.frame == Array("hello".utf8) && request.isAwaited)
    request.answer(Array("yes".utf8))
    #expect(try channel.receive(deadline: deadline) == Array("yes".utf8))
    #expect(listener.next() == nil)
    #expect(listener.descriptors.count == 1)
  }

  @Test func `a frame that arrives in pieces is awaited without blocking`() throws {
    let listener = try listener()
    let client = try Raw(path)
    for byte in (FrameHead.bytes(3) ?? []) + Array("ab".utf8) {
      client.send([byte])
      #expect(listener.next() == nil)
    }
    #expect(listener.descriptors.count == 2)
    client.send(Array("c".utf8))
    #expect(listener.next()?.frame == Array("abc".utf8))
  }

  @Test func `a frame that is too long, breaks off or has trailing data is dropped`() throws {
    let listener = try listener()
    let long = try Raw(path)
    long.send([0xFF, 0xFF, 0xFF, 0x7F, 1, 2, 3])
    #expect(listener.next() == nil && listener.descriptors.count == 1)
    var broken: Raw? = try Raw(path)
    broken?.send([10, 0, 0, 0, 1])
    broken = nil
    #expect(listener.next() == nil && listener.descriptors.count == 1)
    // A client that disconnects gets nothing done.
    var gone: FrameChannel? = try channel()
    try gone?.send([1], deadline: deadline)
    gone = nil
    #expect(listener.next()?.isAwaited == false)
    let talkative = try Raw(path)
    talkative.send([1, 0, 0, 0, 7, 9])
    #expect(listener.next()?.isAwaited == false)
    var random = TestGenerator(7)
    for _ in 0..<300 {
      let client = try Raw(path)
      client.send((0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
      while let request = listener.next() { #expect(request.frame.count <= 100) }
      #expect(listener.descriptors.count <= LocalListener.mostDescriptors)
    }
  }

  @Test func `silent clients give way to new ones, and waiting connections are accepted or refused`() throws {
    let listener = try listener()
    var silent: [Raw] = []
    for _ in 0..<20 {
      silent.append(try Raw(path))
      #expect(listener.next() == nil)
      #expect(listener.descriptors.count <= LocalListener.mostDescriptors)
    }
    let channel = try channel()
    try channel.send([5], deadline: deadline)
    #expect(listener.next()?.frame == [5])
    // Nobody accepts these.
    var waiting: [FrameChannel] = []
    #expect(throws: ProgramFailure.crashed) { for _ in 0..<100 { waiting.append(try self.channel()) } }
    #expect(waiting.count < 20)
    #expect(throws: ProgramFailure.interrupted) { try waiting.first?.receive(deadline: stopped) }
  }

  @Test func `the latest listener is reached, whether the previous one lives or not; each removes only its own socket`()
    throws
  {
    #expect { try self.channel() } throws: { if case ProgramFailure.missing = $0 { true } else { false } }
    var first: LocalListener? = try listener()
    var second: LocalListener? = try listener()
    #expect(first?.isCurrent == false && second?.isCurrent == true)
    let asking = try channel()
    try asking.send([1], deadline: deadline)
    #expect(first?.next() == nil && second?.next() != nil)
    first = nil
    #expect(second?.isCurrent == true)
    second = nil
    #expect(access(path, F_OK) != 0)
    // A killed one leaves its file.
    let dead = try Raw(listeningAt: path)
    dead.close()
    #expect { try self.channel() } throws: { if case ProgramFailure.missing = $0 { true } else { false } }
    let third = try listener()
    #expect(third.isCurrent)
    try folder.write("x", to: "shell.socket.new")
    #expect(rename(folder.file("shell.socket.new"), path) == 0)
    #expect(!third.isCurrent)
  }

  @Test func `a path longer than the system allows is refused`() throws {
    let long = folder.file(String(repeating: "l", count: 200))
    try makePrivateFolder(long)
    let path = long + "/shell.socket"
    let listener = try listener(at: path)
    let channel = try channel(to: path)
    try channel.send([3], deadline: deadline)
    #expect(listener.next()?.frame == [3])
    #expect(throws: FileError.self) { try self.listener(at: self.folder.file("none/shell.socket")) }
  }
}

/// A socket that sends raw bytes. No program that another test starts inherits it: it would keep it open.
private final class Raw {
  private var descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let address = Raw.address(path)
    try #require(Raw.with(address) { connect(descriptor, $0, $1) } == 0)
  }

  init(listeningAt path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let address = Raw.address(path)
    try #require(Raw.with(address) { bind(descriptor, $0, $1) } == 0 && listen(descriptor, 1) == 0)
  }

  deinit { close() }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  private static func address(_ path: String) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
    return address
  }

  private static func with<R>(_ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
