// The messages between deckhand and deckhand-net while deckhand-net listens for other programs on this machine: one
// opening message, then a JSON head and a body for each request and each answer, each in its own frame.
// Invariant: HTTP input is limited in size before it becomes a message; only deckhand decides what to do with it.

public import Values

/// Asks deckhand-net to listen on 127.0.0.1.
public struct ListenRequest: Equatable, Sendable {
  /// 0 for any free port.
  public var port: Int

  public init(port: Int) { self.port = port }

  public init?(_ head: Value) {
    guard let port = head.record?["listen"]?.integer, (0...65_535) ~= port else { return nil }
    self.init(port: port)
  }

  public var value: Value { .record([("listen", .integer(port))]) }
}

/// The result of the opening message.
public enum ListenReply: Equatable, Sendable {
  case listening(port: Int)
  /// Another program listens on the port.
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

/// A request from another program; its body is in the next frame.
public struct ClientRequest: Equatable, Sendable {
  /// `GET`, `POST` or `OPTIONS`.
  public var method: String
  /// The origin that a browser reports; nil for other programs.
  public var origin: String?
  /// The program's user agent; nil if there is none.
  public var agent: String?
  /// Whether a browser asks if a page from another network may send requests here.
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
    .record(["method": method, "origin": origin, "agent": agent, "private_network": asksForPrivateNetwork])
  }
}

/// The answer to a request; its body is in the next frame.
public struct ClientReply: Equatable, Sendable {
  public var status: Int
  public var isJSON = true
  /// The origin whose pages may read the answer.
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
      "status": status, "json": isJSON, "origin": allowedOrigin, "private_network": allowsPrivateNetwork,
    ])
  }
}

/// The maximum size of a request body in bytes: a media file of 64 MiB in base64, and the rest.
public let longestClientBody = 90 << 20
