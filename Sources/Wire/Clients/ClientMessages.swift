// What deckhand and deckhand-net say to each other while the latter listens for other programs of this machine: after
// one opening, a head in JSON and a body for each request and for each answer, each a frame.
// Invariant: what came over HTTP is bounded before it is a message; it is judged by deckhand alone.

public import Values

/// Asks deckhand-net to listen on 127.0.0.1 from now on.
public struct ListenRequest: Equatable, Sendable {
  /// 0 for any that is free.
  public var port: Int

  public init(port: Int) { self.port = port }

  public init?(_ head: Value) {
    guard let port = head.record?["listen"]?.integer, (0...65_535) ~= port else { return nil }
    self.init(port: port)
  }

  public var value: Value { .record([("listen", .integer(port))]) }
}

/// What came of the opening.
public enum ListenReply: Equatable, Sendable {
  case listening(port: Int)
  /// Another program listens at the port.
  case taken
  case failed(reason: String)

  public init?(_ head: Value) {
    guard let record = head.record else { return nil }
    if let port = record["port"]?.integer {
      self = .listening(port: port)
    } else if record["taken"]?.boolean == true {
      self = .taken
    } else if let reason = record["failed"]?.text {
      self = .failed(reason: reason)
    } else {
      return nil
    }
  }

  public var value: Value {
    switch self {
    case .listening(let port): .record([("port", .integer(port))])
    case .taken: .record([("taken", .boolean(true))])
    case .failed(let reason): .record([("failed", .text(reason))])
    }
  }
}

/// A request of another program; its body is the frame after it.
///
///     ClientRequest(method: "POST", origin: "moz-extension://3f1c...")
public struct ClientRequest: Equatable, Sendable {
  /// `GET`, `POST` or `OPTIONS`.
  public var method: String
  /// What a browser says that the request comes from; nil for other programs.
  public var origin: String?
  /// What the program calls itself; nil where it says nothing.
  public var agent: String?
  /// A browser asks whether a page of another network may come here.
  public var asksForPrivateNetwork = false

  public init(method: String, origin: String? = nil) { (self.method, self.origin) = (method, origin) }

  public init?(_ head: Value) {
    guard let record = head.record, let method = record["method"]?.text,
      let isPrivate = record["private_network"]?.boolean
    else { return nil }
    self.init(method: method, origin: record["origin"]?.text)
    (agent, asksForPrivateNetwork) = (record["agent"]?.text, isPrivate)
  }

  public var value: Value {
    .record([
      ("method", .text(method)), ("origin", origin.map { .text($0) } ?? .null),
      ("agent", agent.map { .text($0) } ?? .null), ("private_network", .boolean(asksForPrivateNetwork)),
    ])
  }
}

/// The answer to it; its body is the frame after it.
public struct ClientReply: Equatable, Sendable {
  public var status: Int
  public var isJSON = true
  /// The origin whose pages may read it.
  public var allowedOrigin: String?
  public var allowsPrivateNetwork = false

  public init(status: Int) { self.status = status }

  public init?(_ head: Value) {
    guard let record = head.record, let status = record["status"]?.integer, (200...599) ~= status,
      let isJSON = record["json"]?.boolean, let isPrivate = record["private_network"]?.boolean
    else { return nil }
    self.init(status: status)
    (self.isJSON, allowedOrigin, allowsPrivateNetwork) = (isJSON, record["origin"]?.text, isPrivate)
  }

  public var value: Value {
    .record([
      ("status", .integer(status)), ("json", .boolean(isJSON)), ("origin", allowedOrigin.map { .text($0) } ?? .null),
      ("private_network", .boolean(allowsPrivateNetwork)),
    ])
  }
}

/// Bytes that the body of one request may have: a media file of 64 MiB in base64, and the rest.
public let longestClientBody = 90 << 20
