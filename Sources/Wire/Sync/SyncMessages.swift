// The messages between deckhand and deckhand-net: a JSON head, then the body of the call, each in its own frame.
// Invariant: no message contains the key; only the body of a sign-in contains the password.

public import Values

/// How Deckhand identifies itself to a server.
public enum SyncClient {
  public static let name = "deckhand,0.1,linux"
  public static let protocolVersion = 11
}

/// The maximum size of a frame in bytes.
public let longestSyncFrame = 320 << 20

/// A call for deckhand-net to make.
public struct SyncRequest: Equatable, Sendable {
  /// The path of the call: `sync/meta`.
  public var call: String
  /// The address of the server, with a final `/`.
  public var address: String
  /// Random letters, new for each sync.
  public var session: String
  /// The file that contains the key; a sign-in writes it.
  public var keyPath: String
  /// Whether the answer contains the key, which is written to the file and not passed on.
  public var isSignIn = false
  /// If not empty, the key is stored only if the server's final address equals this one.
  public var expectedAddress = ""
  /// Seconds without a byte after which the server counts as unreachable.
  public var timeout = 30
  /// The limit of the unpacked answer in bytes.
  public var answerLimit = 64 << 20

  public init(call: String, address: String, session: String, keyPath: String) {
    (self.call, self.address, self.session, self.keyPath) = (call, address, session, keyPath)
  }

  public init?(_ head: Value) {
    guard let record = head.record, let call = record["call"]?.text, let address = record["address"]?.text,
      let session = record["session"]?.text, let keyPath = record["key_path"]?.text,
      let isSignIn = record["is_sign_in"]?.boolean, let expectedAddress = record["kept_for"]?.text,
      let timeout = record["patience"]?.integer,
      let limit = record["answer_limit"]?.integer, (1...3600) ~= timeout, (1...longestSyncFrame) ~= limit
    else { return nil }
    self.init(call: call, address: address, session: session, keyPath: keyPath)
    (self.isSignIn, self.expectedAddress, self.timeout, answerLimit) = (isSignIn, expectedAddress, timeout, limit)
  }

  public var value: Value {
    .record([
      "call": call, "address": address, "session": session, "key_path": keyPath, "is_sign_in": isSignIn,
      "kept_for": expectedAddress, "patience": timeout, "answer_limit": answerLimit,
    ])
  }
}

/// Why a call failed.
public enum SyncFault: Error, Equatable {
  /// The server answered with this status; `reason` is the beginning of its answer.
  case status(Int, reason: String)
  /// The connection could not be made, or it broke.
  case offline(reason: String)
  /// Nothing arrived for that many seconds.
  case silent(seconds: Int)
  /// The server's certificate is not trusted by this machine.
  case certificate(reason: String)
  /// The answer is not one of a sync server. `reason` completes "the answer ...".
  case badAnswer(reason: String)
  case badRedirect(reason: String)
  /// A redirect to another host, port or scheme.
  case elsewhere(address: String)
  /// A redirect to AnkiWeb.
  case ankiWeb(host: String)
  /// The key cannot be read or stored.
  case key(reason: String)
  /// There is no key: the user is not signed in.
  case noKey

  private var parts: (name: String, number: Int, text: String) {
    switch self {
    case .status(let status, let reason): ("status", status, reason)
    case .offline(let reason): ("offline", 0, reason)
    case .silent(let seconds): ("silent", seconds, "")
    case .certificate(let reason): ("certificate", 0, reason)
    case .badAnswer(let reason): ("bad_answer", 0, reason)
    case .badRedirect(let reason): ("bad_redirect", 0, reason)
    case .elsewhere(let address): ("elsewhere", 0, address)
    case .ankiWeb(let host): ("anki_web", 0, host)
    case .key(let reason): ("key", 0, reason)
    case .noKey: ("no_key", 0, "")
    }
  }

  init?(_ record: Value.Record) {
    guard let name = record["fault"]?.text, let number = record["number"]?.integer, let text = record["text"]?.text
    else { return nil }
    let all: [SyncFault] = [
      .status(number, reason: text), .offline(reason: text), .silent(seconds: number), .certificate(reason: text),
      .badAnswer(reason: text), .badRedirect(reason: text), .elsewhere(address: text), .ankiWeb(host: text),
      .key(reason: text), .noKey,
    ]
    guard let named = all.first(where: { $0.parts.name == name }) else { return nil }
    self = named
  }

  var value: Value {
    .record([("fault", .text(parts.name)), ("number", .integer(parts.number)), ("text", .text(parts.text))])
  }
}

/// deckhand-net's answer to a call. After `done`, the body follows in its own frame.
public enum SyncReply: Equatable, Sendable {
  /// `address` is the current address of the server, which differs if it has moved.
  case done(address: String)
  case failed(SyncFault)

  public init?(_ head: Value) {
    guard let record = head.record else { return nil }
    if let address = record["address"]?.text {
      self = .done(address: address)
    } else if let fault = SyncFault(record) {
      self = .failed(fault)
    } else {
      return nil
    }
  }

  public var value: Value {
    switch self {
    case .done(let address): .record([("address", .text(address))])
    case .failed(let fault): fault.value
    }
  }
}

/// Parses a head, which must be small and shallow.
public func syncHead(_ bytes: [UInt8]) -> Value? {
  let limits = JSONLimits(bytes: 1 << 20, depth: 4, values: 1000, string: 1 << 19)
  do throws(JSONFailure) { return try JSONParser.parse(bytes, limits: limits) } catch { return nil }
}
