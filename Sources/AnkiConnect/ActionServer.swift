// AnkiConnect's interface over an open workspace: what comes in is an action in JSON, what goes out its result.
// Source: the interface's own guide.
// Invariant: every request gets an answer in the interface's form, whatever it holds; an action is one step of undo, or
// nothing.

import Authentication
import Files
import Problems
import Text
import Values
public import Wire
public import Workspace

/// What the server needs of the program around it.
public protocol ActionHost: AnyObject {
  /// The data of whoever is signed in now.
  func openWorkspace() throws -> Workspace
  /// Runs what an action changes: its step of undo is named by it and by who asked, where that is known.
  func performing<Result>(action: String, for client: String?, _ body: () throws -> Result) throws -> Result
  /// Origins that the user allowed, and the key that a request must have; none for an empty one.
  func clientTerms() throws -> (origins: [String], key: String)
  /// Asks the user whether a page may come in; true is kept.
  func mayEnter(_ origin: String) throws -> Bool
  /// A line for the user.
  func tell(_ line: String)
  func synchronize() throws
  /// The names of all accounts, and of the one whose data is open.
  func profiles() throws -> (all: [String], active: String)
  /// Asks the shell of the same user that runs beside this one; nil where none does.
  func askShell(_ request: ShellRequest) -> ShellReply?
}

/// Who asks and for what, as steps of undo name it: `Yomitan, addNote`.
public func originName(of action: String, for client: String?) -> String {
  "\(client.map { printable($0, limit: 60) } ?? "serve"), \(action)"
}

/// Answers requests.
///
///     let server = ActionServer(host)
///     let (reply, text) = server.answer(ClientRequest(method: "POST"), Array(#"{"action":"deckNames"}"#.utf8))
public final class ActionServer {
  unowned let host: any ActionHost
  /// Origins that were refused: nobody is asked twice.
  private var refused: Set<String> = []
  private let memory = ServerMemory()
  /// Actions that were done since it was made.
  public private(set) var count = 0

  /// What one request may hold.
  private static let limits = JSONLimits(
    bytes: longestClientBody, depth: 32, values: 1_000_000, string: longestClientBody)
  private static let mostActions = 100_000
  private static let deepestMulti = 8
  /// As AnkiConnect's own.
  static let version = 6
  /// Up to this version a result stands alone.
  private static let lastBareVersion = 4

  /// Bytes of an answer that a change wants to be free before it is made.
  private static let changeAnswer = 64

  /// Bytes that the results of one request may have, together.
  private let longestAnswer: Int

  public init(_ host: any ActionHost, longestAnswer: Int = 128 << 20) {
    (self.host, self.longestAnswer) = (host, longestAnswer)
  }

  // MARK: HTTP

  public func answer(_ request: ClientRequest, _ body: [UInt8]) -> (reply: ClientReply, body: [UInt8]) {
    do {
      return try answered(request, body)
    } catch {
      // Nobody is signed in, or the settings cannot be read.
      return (ClientReply(status: 200), refusal(words(of: error)))
    }
  }

  private func answered(_ request: ClientRequest, _ body: [UInt8]) throws -> (reply: ClientReply, body: [UInt8]) {
    let terms = try host.clientTerms()
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
    let parsed = Self.parsed(body)
    guard isAllowed || Self.asksForPermission(parsed) else {
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

  /// The first word of what a program calls itself, without its version; a browser's says nothing.
  private static func product(_ agent: String) -> String? {
    let name = agent.prefix { $0 != "/" && $0 != " " }
    return name.isEmpty || name == "Mozilla" ? nil : String(name)
  }

  private func refusal(_ words: String) -> [UInt8] {
    let answer = ActionAnswer(limit: longestAnswer)
    answer.refuse(words)
    return answer.bytes
  }

  private static func parsed(_ body: [UInt8]) -> Result<Value, JSONFailure> {
    do throws(JSONFailure) { return .success(try JSONParser.parse(body, limits: limits)) } catch {
      return .failure(error)
    }
  }

  private static func asksForPermission(_ parsed: Result<Value, JSONFailure>) -> Bool {
    guard case .success(let action) = parsed else { return false }
    return action.record?["action"]?.text == "requestPermission"
  }

  // MARK: Actions

  /// Writes the result of one action as its version wants it, or why there is none.
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
    if name == "requestPermission" { return try turn.answer.write(permission(&turn), isBare: isBare) }
    if !turn.hasKey {
      let given = action["key"].value?.text ?? ""
      guard turn.key.isEmpty || Secret.areSame(given, turn.key) else { throw ActionFailure.badKey }
      // It holds for the actions within this one.
      turn.hasKey = true
    }
    turn.left -= 1
    if turn.left < 0 { throw ActionFailure("one request contains at most \(grouped(Self.mostActions)) actions") }
    if name == "multi" { return try multi(reader, isBare: isBare, &turn) }
    guard let known = Action.named[name] else { throw ActionFailure.unsupported }
    let workspace = try host.openWorkspace()
    if workspace.environment.isInterrupted() { throw WorkspaceError.interrupted }
    let call = ActionCall(
      params: reader, workspace: workspace, host: host, name: name, client: turn.client, answer: turn.answer,
      memory: memory)
    count += 1
    if known.effect == .reads { return try turn.answer.write(known.run(call), isBare: isBare) }
    // What was changed is said, so there must be room to say it.
    try turn.answer.charge(Self.changeAnswer)
    let result = try host.performing(action: name, for: turn.client) {
      try known.effect == .changes ? changed(by: known, call) : known.run(call)
    }
    try turn.answer.write(result, isBare: isBare, mustFit: false)
  }

  /// All that an action changes is one step of undo.
  private func changed(by action: Action, _ call: ActionCall) throws -> Value {
    var isKept = false
    defer { memory.finish(call.workspace, isKept: isKept) }
    let (inbox, result) = try call.workspace.asUnit { (try call.workspace.media.takeInbox(), try action.run(call)) }
    isKept = true
    try call.workspace.media.clearInbox(inbox)
    return result
  }

  private func multi(_ params: ValueReader, isBare: Bool, _ turn: inout ActionRequest) throws {
    if turn.depth >= Self.deepestMulti { throw ActionFailure("actions can be nested at most 8 deep") }
    let actions = try params["actions"].elements()
    turn.depth += 1
    turn.answer.writeList(isBare: isBare) { for action in actions { perform(action.value ?? .null, &turn) } }
    turn.depth -= 1
  }

  /// Asks once for an origin; a program that is no browser needs no leave.
  private func permission(_ turn: inout ActionRequest) throws -> Value {
    if !turn.isAllowed, let origin = turn.origin {
      guard OriginPolicy.canBeAllowed(origin), !refused.contains(origin), try host.mayEnter(origin) else {
        refused.insert(origin)
        return .record([("permission", .text("denied"))])
      }
      turn.isAllowed = true
    }
    return .record([
      ("permission", .text("granted")), ("requireApikey", .boolean(!turn.key.isEmpty)),
      ("version", .integer(Self.version)),
    ])
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

/// What holds for one request and the actions within it.
struct ActionRequest {
  let origin: String?
  var isAllowed: Bool
  let key: String
  /// Who asks, for the name of a step.
  var client: String?
  var hasKey = false
  /// Actions that may still come.
  var left: Int
  var depth = 0
  let answer: ActionAnswer

  init(origin: String?, isAllowed: Bool, key: String, left: Int, answer: ActionAnswer) {
    (self.origin, self.isAllowed, self.key, self.left, self.answer) = (origin, isAllowed, key, left, answer)
  }
}

/// Why an action was not done, in the words that clients look for.
struct ActionFailure: Error {
  let words: String

  init(_ words: String) { self.words = words }

  static let duplicate = ActionFailure("cannot create note because it is a duplicate")
  static let empty = ActionFailure("cannot create note because it is empty")
  static let unsupported = ActionFailure("unsupported action")
  static let badKey = ActionFailure("valid api key must be provided")
  static let noShell = ActionFailure("no shell runs beside serve: start `deckhand` in another terminal, and try again")
  static let busyShell = ActionFailure("the shell beside serve is busy: end what it is doing, and try again")

  static func noDeck(_ name: String) -> ActionFailure { ActionFailure("deck was not found: \(name)") }
  static func noModel(_ name: String) -> ActionFailure { ActionFailure("model was not found: \(name)") }
  static func noNote(_ number: Int) -> ActionFailure { ActionFailure("Note was not found: \(number)") }
  static func noCard(_ number: Int) -> ActionFailure { ActionFailure("Card was not found: \(number)") }
}
