// Listens on 127.0.0.1 for other programs on this machine, by libmicrohttpd, and passes each request to deckhand.
// Invariant: deckhand handles one request at a time; headers, bodies, connections and their duration are limited; a
// request whose Host is not this machine (DNS rebinding by a web page) is refused before anything else of it is read.

import CMicrohttpd
import Files
import Glibc
import Values
import Wire

final class HTTPListener {
  private let port: UInt16
  private let stream: FrameStream
  private let daemon: OpaquePointer
  private var connections: [OpaquePointer: OpenConnection] = [:]
  /// The total size of the bodies being received.
  private var held = 0

  private struct OpenConnection {
    let socket: Int32
    /// The monotonic time in seconds when it started waiting for its current request.
    var began: Int
    /// Whether a request's headers have arrived and its answer is not sent yet.
    var isBusy = false
    var isDropped = false
  }

  /// More connections than are kept open, so that a new one is accepted before an old one is closed.
  private static let limits = deckhand_http_limits(connections: 4 * mostOpen, silence: 30, head: 32 << 10)
  private static let mostOpen: UInt32 = 16
  private static let mostHeld = longestClientBody * 2
  /// The time in seconds within which a request must arrive.
  private static let longestRequest = 120

  /// Listens until the input ends, and then exits.
  static func serve(_ opening: ListenRequest, _ stream: FrameStream) -> Never {
    // The client may be gone when the answer is sent.
    signal(SIGPIPE, SIG_IGN)
    var port: UInt16 = 0
    let socket = deckhand_listen(UInt16(clamping: opening.port), &port)
    if socket < 0 {
      announce(errno == EADDRINUSE ? .taken : .failed(reason: systemWords(errno)), stream)
      exit(0)
    }
    guard let listener = HTTPListener(socket: socket, port: port, stream) else {
      announce(.failed(reason: "the HTTP server cannot be started"), stream)
      exit(0)
    }
    announce(.listening(port: Int(port)), stream)
    listener.run()
  }

  private static func announce(_ opened: ListenReply, _ stream: FrameStream) {
    do { try stream.send(JSONWriter.bytes(of: opened.value)) } catch {
      // deckhand is gone.
      exit(1)
    }
  }

  private init?(socket: Int32, port: UInt16, _ stream: FrameStream) {
    (self.port, self.stream) = (port, stream)
    // Both live as long as the process.
    let context = Unmanaged<ListenerContext>.passRetained(ListenerContext())
    let handlers = UnsafeMutablePointer<deckhand_http_handlers>.allocate(capacity: 1)
    handlers.initialize(
      to: deckhand_http_handlers(
        context: context.toOpaque(), take: receiveRequest, end: endRequest, change: trackConnection))
    guard let daemon = deckhand_http_start(socket, HTTPListener.limits, handlers) else { return nil }
    self.daemon = daemon
    context.takeUnretainedValue().listener = self
  }

  private func run() -> Never {
    while true {
      // Time limits are checked each second while anyone is connected. If deckhand's end becomes readable, it is gone.
      if deckhand_http_run(daemon, 0, connections.isEmpty ? -1 : 1000) != 0 { exit(0) }
      let now = seconds()
      for connection in connections.values where now - connection.began > HTTPListener.longestRequest {
        shutdown(connection.socket, Int32(SHUT_RDWR))
      }
    }
  }

  private func seconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec
  }

  /// Registers a connection. If there are too many, one is closed: idle ones first, the longest idle before others,
  /// then the one with the oldest request.
  fileprivate func opened(_ connection: OpaquePointer) {
    connections[connection] = OpenConnection(socket: deckhand_http_socket(connection), began: seconds())
    let open = connections.filter { !$0.value.isDropped }
    guard open.count > HTTPListener.mostOpen else { return }
    let others = open.filter { $0.key != connection }
    guard let (key, first) = others.min(by: { HTTPListener.givesWay($0.value, before: $1.value) }) else { return }
    connections[key]?.isDropped = true
    shutdown(first.socket, Int32(SHUT_RDWR))
  }

  private static func givesWay(_ one: OpenConnection, before other: OpenConnection) -> Bool {
    one.isBusy == other.isBusy ? one.began < other.began : other.isBusy
  }

  fileprivate func closed(_ connection: OpaquePointer) { connections[connection] = nil }

  fileprivate func ended(_ request: IncomingRequest, of connection: OpaquePointer) {
    held -= request.body.count
    connections[connection]?.began = seconds()
    connections[connection]?.isBusy = false
  }

  /// Checks the headers of a request.
  /// - Returns: nil if it was refused; `isAnswered` says whether the refusal could be sent.
  fileprivate func begin(_ connection: OpaquePointer, method: String) -> (request: IncomingRequest?, isAnswered: Bool) {
    guard isOwnHost(header("Host", connection)) else {
      return (nil, refuse(connection, 403, "the Host header is not 127.0.0.1 or localhost with this port"))
    }
    guard ["GET", "POST", "OPTIONS"].contains(method) else {
      return (nil, refuse(connection, 405, "POST an AnkiConnect request"))
    }
    if let length = header("Content-Length", connection).flatMap({ Int($0) }) {
      if length > longestClientBody { return (nil, refuse(connection, 413, "a request has at most 90 MiB")) }
      if length > HTTPListener.mostHeld - held {
        return (nil, refuse(connection, 503, "too much data is coming in at once"))
      }
    }
    connections[connection]?.isBusy = true
    var head = ClientRequest(method: method, origin: header("Origin", connection))
    head.agent = header("User-Agent", connection)
    head.asksForPrivateNetwork = header("Access-Control-Request-Private-Network", connection) == "true"
    return (IncomingRequest(head), true)
  }

  private func header(_ name: String, _ connection: OpaquePointer) -> String? {
    guard let text = deckhand_http_header(connection, name) else { return nil }
    return String(cString: text)
  }

  /// Whether the Host is this machine: with DNS rebinding, a web page's requests carry the page's own host name.
  private func isOwnHost(_ host: String?) -> Bool {
    ["127.0.0.1", "localhost", "[::1]"].contains { "\($0):\(port)" == host?.lowercased() }
  }

  /// - Returns: false if too much has arrived.
  fileprivate func take(_ bytes: UnsafeRawBufferPointer, of request: IncomingRequest) -> Bool {
    guard bytes.count <= longestClientBody - request.body.count, bytes.count <= HTTPListener.mostHeld - held else {
      return false
    }
    held += bytes.count
    request.body += bytes
    return true
  }

  /// Passes the request to deckhand, which may take a long time: that time is not counted for any connection.
  fileprivate func finish(_ request: IncomingRequest, of connection: OpaquePointer) -> Bool {
    let began = seconds()
    defer { for key in connections.keys { connections[key]?.began += seconds() - began } }
    do {
      try stream.send(JSONWriter.bytes(of: request.head.value))
      try stream.send(request.body)
      let (head, body) = (try stream.receive(), try stream.receive())
      guard let reply = syncHead(head).flatMap(ClientReply.init) else { exit(0) }
      return send(reply, body, connection)
    } catch {
      // deckhand is gone.
      exit(0)
    }
  }

  private func refuse(_ connection: OpaquePointer, _ status: Int, _ words: String) -> Bool {
    var reply = ClientReply(status: status)
    reply.isJSON = false
    return send(reply, Array((words + "\n").utf8), connection)
  }

  private func send(_ reply: ClientReply, _ body: [UInt8], _ connection: OpaquePointer) -> Bool {
    guard let made = body.withUnsafeBytes({ deckhand_http_response($0.baseAddress, $0.count) }) else { return false }
    defer { MHD_destroy_response(made) }
    var headers = [
      ("Content-Type", reply.isJSON ? "application/json; charset=utf-8" : "text/plain; charset=utf-8"),
      ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"), ("Vary", "Origin"),
    ]
    if let origin = reply.allowedOrigin {
      headers += [
        ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Headers", "*"),
        ("Access-Control-Allow-Methods", "POST, GET, OPTIONS"),
      ]
    }
    if reply.allowsPrivateNetwork { headers.append(("Access-Control-Allow-Private-Network", "true")) }
    for (name, value) in headers where deckhand_http_add(made, name, value) == 0 { return false }
    return deckhand_http_send(connection, UInt32(clamping: reply.status), made) != 0
  }
}

private final class IncomingRequest {
  let head: ClientRequest
  var body: [UInt8] = []

  init(_ head: ClientRequest) { self.head = head }
}

/// The context that libmicrohttpd passes to its callbacks.
private final class ListenerContext { var listener: HTTPListener? }

private func listener(_ context: UnsafeMutableRawPointer?) -> HTTPListener? {
  context.flatMap { Unmanaged<ListenerContext>.fromOpaque($0).takeUnretainedValue().listener }
}

private func receiveRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ method: UnsafePointer<CChar>?,
  _ bytes: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int>?,
  _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
  guard let listener = listener(context), let connection, let method, let count, let place else { return 0 }
  guard let known = place.pointee else {
    let (request, isAnswered) = listener.begin(connection, method: String(cString: method))
    if let request { place.pointee = Unmanaged.passRetained(request).toOpaque() }
    return isAnswered ? 1 : 0
  }
  let request = Unmanaged<IncomingRequest>.fromOpaque(known).takeUnretainedValue()
  if count.pointee > 0 {
    let isTaken = listener.take(UnsafeRawBufferPointer(start: bytes, count: count.pointee), of: request)
    count.pointee = 0
    return isTaken ? 1 : 0
  }
  return listener.finish(request, of: connection) ? 1 : 0
}

private func endRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) {
  guard let known = place?.pointee else { return }
  let request = Unmanaged<IncomingRequest>.fromOpaque(known).takeRetainedValue()
  place?.pointee = nil
  if let connection { listener(context)?.ended(request, of: connection) }
}

private func trackConnection(_ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ isOpen: Int32) {
  guard let listener = listener(context), let connection else { return }
  if isOpen != 0 { listener.opened(connection) } else { listener.closed(connection) }
}
