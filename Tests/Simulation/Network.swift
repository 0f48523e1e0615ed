// The network of the simulated machine: calls of both devices reach one server, or get lost on the way. Invariant: the
// server runs only while the shell waits for it, never concurrently; a lock separates the two ends all the same.

import Files
import Glibc
import SimulatedDisk
import Values
import Wire

/// What goes wrong with a call.
enum Loss: String, CaseIterable {
  /// The request never arrives.
  case request
  /// The request arrives, but its response does not.
  case answer
  /// The request arrives twice.
  case twice
}

/// What the server stores for one user.
struct Held {
  var rows = AnkiServer()
  var media = MediaShelf()
}

final class Network {
  /// The network that the channel's thread serves.
  nonisolated(unsafe) static var shared = Network()

  private var lock = pthread_mutex_t()
  /// The servers by user name, for users with stored data.
  private var servers: [String: Held] = [:]
  private var calls = 0
  private var lost: (loss: Loss, call: Int)?
  /// Milliseconds since 1970.
  var now: () -> Int = { 0 }
  /// Where media archives are written and read; not on the simulated disk.
  var folder = ""

  init() { pthread_mutex_init(&lock, nil) }

  private func locked<R>(_ body: () -> R) -> R {
    pthread_mutex_lock(&lock)
    defer { pthread_mutex_unlock(&lock) }
    return body()
  }

  func clear() { locked { (servers, calls, lost) = ([:], 0, nil) } }

  /// The state of the whole server, for restoring it later.
  var state: [String: Held] {
    get { locked { servers } }
    set { locked { servers = newValue } }
  }

  /// Returns what the server stores for a user.
  func stored(of user: String) -> AnkiServer.Collection { locked { (servers[user] ?? Held()).rows.stored } }

  /// Makes the call with the given number, counted from the next one, get lost; nil for none.
  func plan(_ loss: Loss?, at call: Int) { locked { (calls, lost) = (0, loss.map { ($0, call) }) } }

  /// Serves one channel until its other end is closed.
  static let serve: @convention(c) (Int32) -> Void = { channel in
    while let head = frame(channel), let body = frame(channel) {
      guard let request = syncHead(head).flatMap(SyncRequest.init) else { return }
      let (reply, answer) = shared.reply(to: request, body)
      guard send(JSONWriter.bytes(of: reply.value), channel) else { return }
      if let answer, !send(answer, channel) { return }
    }
  }

  private func reply(to request: SyncRequest, _ body: [UInt8]) -> (SyncReply, [UInt8]?) {
    locked {
      calls += 1
      let loss = lost?.call == calls ? lost?.loss : nil
      let offline = SyncReply.failed(.offline(reason: "the connection broke"))
      if loss == .request { return (offline, nil) }
      let value = Network.parsed(body)
      let user = request.isSignIn ? value.record?["u"]?.text : Network.user(ofKey: request.keyPath)
      guard let user else { return (.failed(.noKey), nil) }
      var held = servers[user] ?? Held()
      defer { servers[user] = held }
      if request.call.hasPrefix("msync/") {
        for _ in 0..<(loss == .twice ? 1 : 0) { _ = media(request, body, value, &held.media) }
        let answer = media(request, body, value, &held.media)
        if loss == .answer { return (offline, nil) }
        guard let answer else { return (.failed(.status(500, reason: "")), nil) }
        return (.done(address: request.address), answer)
      }
      if loss == .twice { _ = held.rows.answer(request.call, value, now: now()) }
      let answer = held.rows.answer(request.call, value, now: now())
      if loss == .answer { return (offline, nil) }
      switch answer {
      case .status(let status): return (.failed(.status(status, reason: "")), nil)
      case .value(let value):
        if request.isSignIn {
          do { try AtomicFile.write(request.keyPath, Array(("key of " + user).utf8)) } catch { return (offline, nil) }
          return (.done(address: request.address), Array("null".utf8))
        }
        return (.done(address: request.address), JSONWriter.bytes(of: value))
      }
    }
  }

  private func media(_ request: SyncRequest, _ body: [UInt8], _ value: Value, _ shelf: inout MediaShelf) -> [UInt8]? {
    do { return try shelf.answer(request.call, body, value, in: folder) } catch { return nil }
  }

  private static func user(ofKey path: String) -> String? {
    do {
      let key = try FileText.bytes(path, limit: 1000, isInterrupted: { false })
      return String(decoding: key.dropFirst("key of ".utf8.count), as: UTF8.self)
    } catch { return nil }
  }

  private static func parsed(_ bytes: [UInt8]) -> Value {
    let limits = JSONLimits(bytes: 64 << 20, depth: 64, values: 1_000_000, string: 16 << 20)
    do throws(JSONFailure) { return try JSONParser.parse(bytes, limits: limits) } catch { return .null }
  }

  // MARK: Frames

  private static func frame(_ channel: Int32) -> [UInt8]? {
    guard let head = received(FrameHead.size, channel) else { return nil }
    return received(FrameHead.count(head), channel)
  }

  private static func received(_ count: Int, _ channel: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes { recv(channel, $0.baseAddress.map { $0 + done }, count - done, 0) }
      if got <= 0 { return nil }
      done += got
    }
    return bytes
  }

  private static func send(_ frame: [UInt8], _ channel: Int32) -> Bool {
    guard let head = FrameHead.bytes(frame.count) else { return false }
    let bytes = head + frame
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(channel, $0.baseAddress.map { $0 + done }, bytes.count - done, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      done += count
    }
    return true
  }
}
