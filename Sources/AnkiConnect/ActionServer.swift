// AnkiConnect's interface over an open workspace: a request is an action in JSON, the answer is its result.
// Source: the interface's own guide.
// Invariant: every request gets an answer in the interface's format, whatever it contains; an action is one undo step,
// or nothing; an origin is compared as a whole, never by a prefix.

import Authentication
import Files
import Problems
import Text
import Values
public import Wire
public import Workspace

public protocol ActionHost: AnyObject {
  /// Opens the data of the account that is signed in now.
  func openWorkspace() throws -> Workspace
  /// Runs the changes of an action: their undo step is named after the action and, if known, the client.
  func performing<Result>(action: String, for client: String?, _ body: () throws -> Result) throws -> Result
  /// Returns the origins that the user allowed, and the API key that a request must contain; an empty key means none.
  func clientSettings() throws -> (origins: [String], key: String)
  /// Asks the user whether to allow an origin, without waiting for the answer; a yes is stored.
  func askAbout(_ origin: String)
  func log(_ line: String)
  func synchronize() throws
  /// Returns the names of all accounts, and of the one whose data is open.
  func profiles() throws -> (all: [String], active: String)
}

/// Answers requests.
///
///     let server = ActionServer(host)
///     let (reply, text) = server.answer(ClientRequest(method: "POST"), Array(#"{"action":"deckNames"}"#.utf8))
public final class ActionServer {
  unowned let host: any ActionHost
  private let memory = ServerMemory()
  public private(set) var count = 0

  private static let limits = JSONLimits(
    bytes: longestClientBody, depth: 32, values: 1_000_000, string: longestClientBody)
  private static let mostActions = 100_000
  static let version = 6
  /// The last version in which a result is not wrapped in a record.
  private static let lastBareVersion = 4

  /// The bytes of the answer that must be free before a change is made.
  private static let changeAnswer = 64

  /// The limit for all results of one request together, in bytes.
  private let longestAnswer: Int

  public init(_ host: any ActionHost, longestAnswer: Int = 128 << 20) {
    (self.host, self.longestAnswer) = (host, longestAnswer)
  }

  // MARK: HTTP

  public func answer(_ request: ClientRequest, _ body: [UInt8]) -> (reply: ClientReply, body: [UInt8]) {
    do {
      return try answered(request, body)
    } catch {
      // No user is signed in, or the settings cannot be read.
      return (ClientReply(status: 200), refusal(words(of: error)))
    }
  }

  private func answered(_ request: ClientRequest, _ body: [UInt8]) throws -> (reply: ClientReply, body: [UInt8]) {
    let terms = try host.clientSettings()
    let isAllowed = OriginPolicy(allowed: terms.origins).allows(request.origin)
    var reply = ClientReply(status: 200)
    if isAllowed {
      reply.allowedOrigin = request.origin
      reply.allowsPrivateNetwork = request.asksForPrivateNetwork
    }
    if request.method == "OPTIONS" {
      reply.isJSON = false
      if !isAllowed { reply.status = 403 }
      return (reply, [])
    }
    if isAllowed, body.isEmpty {
      reply.isJSON = false
      return (reply, Array("AnkiConnect v.\(Self.version)".utf8))
    }
    let parsed = Result { () throws(JSONFailure) in try JSONParser.parse(body, limits: Self.limits) }
    let name = if case .success(let action) = parsed { action.record?["action"]?.text } else { nil as String? }
    guard isAllowed || name == "requestPermission" else {
      reply.status = 403
      reply.isJSON = false
      return (reply, Array("this origin is not allowed here; requestPermission asks the user\n".utf8))
    }
    reply.allowedOrigin = request.origin
    switch parsed {
    case .failure(let fault): return (reply, refusal("the request is not JSON: \(fault.words)"))
    case .success(let action):
      let answer = ActionAnswer(limit: longestAnswer)
      var turn = ActionRequest(
        origin: request.origin, isAllowed: isAllowed, key: terms.key, left: Self.mostActions, answer: answer)
      turn.client = request.origin ?? request.agent.flatMap(Self.product)
      perform(action, &turn)
      return (reply, answer.bytes)
    }
  }

  /// Returns the first word of a user agent without its version; nil for a browser, whose agent does not identify the
  /// client.
  private static func product(_ agent: String) -> String? {
    let name = agent.prefix { $0 != "/" && $0 != " " }
    return name.isEmpty || name == "Mozilla" ? nil : String(name)
  }

  private func refusal(_ words: String) -> [UInt8] {
    let answer = ActionAnswer(limit: longestAnswer)
    answer.refuse(words)
    return answer.bytes
  }

  // MARK: Actions

  /// Writes the result of one action in the form of its version, or the error.
  private func perform(_ value: Value, _ turn: inout ActionRequest) {
    do {
      let action = ValueReader(value)
      let version = try action["version"].value.map { _ in try action["version"].integer(in: 0...1000) }
      try run(try action.asRecord(), isBare: version ?? Self.lastBareVersion <= Self.lastBareVersion, &turn)
    } catch {
      turn.answer.refuse(words(of: error))
    }
  }

  private func run(_ action: ValueReader, isBare: Bool, _ turn: inout ActionRequest) throws {
    let name = try action["action"].text("the name of an action")
    let params = action["params"].value.map { $0 == .null ? .record([]) : $0 } ?? .record([])
    let reader = try ValueReader(params).asRecord()
    if name == "requestPermission" { return try turn.answer.write(permission(turn), isBare: isBare) }
    if !turn.hasKey {
      let given = action["key"].value?.text ?? ""
      guard turn.key.isEmpty || Secret.areSame(given, turn.key) else { throw ActionFailure.badKey }
      // The key holds for the nested actions too.
      turn.hasKey = true
    }
    turn.left -= 1
    if turn.left < 0 { throw ActionFailure("one request contains at most \(grouped(Self.mostActions)) actions") }
    if name == "multi" { return try multi(reader, isBare: isBare, &turn) }
    guard let known = Action.named[name] else { throw ActionFailure.unsupported }
    let workspace = try host.openWorkspace()
    if workspace.environment.isInterrupted() { throw WorkspaceError.interrupted }
    let call = ActionCall(params: reader, workspace: workspace, host: host, answer: turn.answer, memory: memory)
    count += 1
    if known.effect == .reads { return try turn.answer.write(known.run(call), isBare: isBare) }
    // The result of a change must be reported, so make sure that there is room for it.
    try turn.answer.charge(Self.changeAnswer)
    let result = try host.performing(action: name, for: turn.client) {
      try known.effect == .changes ? changed(by: known, call) : known.run(call)
    }
    try turn.answer.write(result, isBare: isBare, mustFit: false)
  }

  /// Runs an action so that all its changes are one undo step.
  private func changed(by action: Action, _ call: ActionCall) throws -> Value {
    var isKept = false
    defer { memory.finish(call.workspace, isKept: isKept) }
    let (inbox, result) = try call.workspace.asUnit { (try call.workspace.media.importInbox(), try action.run(call)) }
    isKept = true
    try call.workspace.media.clearInbox(inbox)
    return result
  }

  private func multi(_ params: ValueReader, isBare: Bool, _ turn: inout ActionRequest) throws {
    if turn.depth >= 8 { throw ActionFailure("actions can be nested at most 8 deep") }
    let actions = try params["actions"].elements()
    turn.depth += 1
    turn.answer.writeList(isBare: isBare) { for action in actions { perform(action.value ?? .null, &turn) } }
    turn.depth -= 1
  }

  /// A page that is not allowed yet is denied at once, so that it cannot hold up other clients, and the user is asked;
  /// a client that is not a browser needs no permission.
  private func permission(_ turn: ActionRequest) -> Value {
    if !turn.isAllowed, let origin = turn.origin {
      if OriginPolicy.canBeAllowed(origin) { host.askAbout(origin) }
      return .record([("permission", .text("denied"))])
    }
    return .record(["permission": "granted", "requireApikey": !turn.key.isEmpty, "version": Self.version])
  }

  // MARK: Failures

  private func words(of error: any Error) -> String {
    switch error {
    case let failure as ActionFailure: failure.words
    case let shape as ShapeFailure:
      "\(shape.pointer.description.isEmpty ? "the request" : shape.pointer.description): \(shape.expected) expected"
        + (shape.found.map { ", not \($0)" } ?? "")
    case let problem as any Problem: problem.message
    default: "\(error)"
    }
  }
}

struct ActionRequest {
  let origin: String?
  var isAllowed: Bool
  let key: String
  var client: String?
  var hasKey = false
  var left: Int
  var depth = 0
  let answer: ActionAnswer
}

/// Why an action failed, in the exact words that clients look for.
struct ActionFailure: Error {
  let words: String

  init(_ words: String) { self.words = words }

  static let duplicate = ActionFailure("cannot create note because it is a duplicate")
  static let empty = ActionFailure("cannot create note because it is empty")
  static let unsupported = ActionFailure("unsupported action")
  static let badKey = ActionFailure("valid api key must be provided")

  static func noDeck(_ name: String) -> ActionFailure { ActionFailure("deck was not found: \(name)") }
  static func noModel(_ name: String) -> ActionFailure { ActionFailure("model was not found: \(name)") }
  static func noCard(_ number: Int) -> ActionFailure { ActionFailure("Card was not found: \(number)") }
}

/// The origins that need no permission, and those that the user allowed.
///
///     OriginPolicy(allowed: ["app://obsidian.md"]).allows("app://obsidian.md")   // true
public struct OriginPolicy: Equatable, Sendable {
  public var allowed: Set<String>

  public init(allowed: some Sequence<String>) { self.allowed = Set(allowed) }

  private static let extensions = ["chrome-extension", "moz-extension", "safari-web-extension"]
  private static let longest = 300

  /// - Parameter origin: nil for a client that is not a browser.
  public func allows(_ origin: String?) -> Bool {
    guard let origin else { return true }
    guard Self.canBeAllowed(origin) else { return false }
    if allowed.contains(origin) { return true }
    let (scheme, rest) = Self.parts(origin)
    if Self.extensions.contains(scheme) { return !rest.isEmpty }
    return ["http", "https"].contains(scheme) && Self.isThisMachine(rest)
  }

  /// Whether it is a valid origin at all; a page without one sends `null`.
  public static func canBeAllowed(_ origin: String) -> Bool {
    let (scheme, rest) = parts(origin)
    return !scheme.isEmpty && !rest.isEmpty && origin.utf8.count <= longest
      && origin.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: ",") }
  }

  private static func parts(_ origin: String) -> (scheme: String, rest: String) {
    let parts = origin.split(at: "://", maxSplits: 1)
    return parts.count == 2 ? (String(parts[0]), String(parts[1])) : ("", "")
  }

  private static func isThisMachine(_ host: String) -> Bool {
    ["localhost", "127.0.0.1", "[::1]"].contains { name in
      guard host.hasPrefix(name) else { return false }
      let port = host.dropFirst(name.count)
      return port.isEmpty || (port.hasPrefix(":") && UInt16(port.dropFirst()) != nil)
    }
  }
}
