// The door for other programs: AnkiConnect's interface over an open workspace. What comes in is an action in JSON, what
// goes out its result. Source: notes.md, section 6; the interface's own guide.
// Invariant: every request gets an answer in the interface's form, whatever it holds; an action is one step of undo, or
// nothing.

import Authentication
import Files
import Problems
public import SyncWire
import Text
import Values
public import Workspace

/// What the door needs of the program around it.
public protocol DoorHost: AnyObject {
  /// The data of whoever is signed in now.
  func doorWorkspace() throws -> Workspace
  /// Runs what an action changes: its step of undo is named by it.
  func performing<Result>(action: String, _ body: () throws -> Result) throws -> Result
  /// Origins that the user allowed, and the key that a request must have; none for an empty one.
  func doorTerms() throws -> (origins: [String], key: String)
  /// Asks the user whether a page may come in; true is kept.
  func mayEnter(_ origin: String) throws -> Bool
  /// A line for the user.
  func tell(_ line: String)
  func synchronize() throws
}

/// Answers requests.
///
///     let door = Door(host)
///     let (reply, text) = door.answer(DoorRequest(method: "POST"), Array(#"{"action":"deckNames","version":6}"#.utf8))
public final class Door {
  unowned let host: any DoorHost
  /// Origins that were refused: nobody is asked twice.
  private var refused: Set<String> = []
  /// Actions that were done since it was made.
  public private(set) var count = 0

  /// What one request may hold.
  private static let limits = JSONLimits(
    bytes: longestDoorBody, depth: 32, values: 1_000_000, string: longestDoorBody)
  private static let mostActions = 100_000
  private static let deepestMulti = 8
  /// As AnkiConnect's own.
  static let version = 6
  /// Up to this version a result stands alone.
  private static let lastBareVersion = 4

  /// Bytes that an answer may have.
  private let longestAnswer: Int

  public init(_ host: any DoorHost, longestAnswer: Int = 256 << 20) {
    (self.host, self.longestAnswer) = (host, longestAnswer)
  }

  // MARK: HTTP

  public func answer(_ request: DoorRequest, _ body: [UInt8]) -> (reply: DoorReply, body: [UInt8]) {
    do {
      return try answered(request, body)
    } catch {
      // Nobody is signed in, or the settings cannot be read.
      return (DoorReply(status: 200), Self.text(of: failure(words(of: error))))
    }
  }

  private func answered(_ request: DoorRequest, _ body: [UInt8]) throws -> (reply: DoorReply, body: [UInt8]) {
    let terms = try host.doorTerms()
    let isAllowed = OriginPolicy(allowed: terms.origins).allows(request.origin)
    var reply = DoorReply(status: 200)
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
    case .failure(let fault): return (reply, Self.text(of: failure("the request is no JSON: \(fault.words)")))
    case .success(let action):
      var turn = DoorTurn(origin: request.origin, isAllowed: isAllowed, key: terms.key, left: Self.mostActions)
      let text = Self.text(of: result(of: action, &turn))
      if text.count <= longestAnswer { return (reply, text) }
      return (reply, Self.text(of: failure("the answer is larger than \(longestAnswer >> 20) MiB; ask for less")))
    }
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

  private static func text(of value: Value) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.write(value)
    return writer.take()
  }

  // MARK: Actions

  /// The result of one action as its version wants it, or why there is none.
  func result(of value: Value, _ turn: inout DoorTurn) -> Value {
    do {
      let action = ValueReader(value)
      let version = try action["version"].value.map { _ in try action["version"].integer(in: 0...1000) }
      let result = try run(try action.asRecord(), &turn)
      return version ?? Self.lastBareVersion > Self.lastBareVersion
        ? .record([("result", result), ("error", .null)]) : result
    } catch {
      return failure(words(of: error))
    }
  }

  private func run(_ action: ValueReader, _ turn: inout DoorTurn) throws -> Value {
    let name = try action["action"].text("the name of an action")
    let params = action["params"].value.map { $0 == .null ? .record([]) : $0 } ?? .record([])
    let reader = try ValueReader(params).asRecord()
    if name == "requestPermission" { return try permission(&turn) }
    if !turn.hasKey {
      let given = action["key"].value?.text ?? ""
      guard turn.key.isEmpty || Secret.areSame(given, turn.key) else { throw ActionFailure.badKey }
      // It holds for the actions within this one.
      turn.hasKey = true
    }
    turn.left -= 1
    if turn.left < 0 { throw ActionFailure("one request holds at most \(grouped(Self.mostActions)) actions") }
    if name == "multi" { return try multi(reader, &turn) }
    guard let known = DoorAction.named[name] else { throw ActionFailure.unsupported }
    let workspace = try host.doorWorkspace()
    if workspace.environment.isInterrupted() { throw WorkspaceError.interrupted }
    let call = ActionCall(params: reader, workspace: workspace, host: host)
    count += 1
    return known.changes ? try host.performing(action: name) { try changed(by: known, call) } : try known.run(call)
  }

  /// All that an action changes is one step of undo.
  private func changed(by action: DoorAction, _ call: ActionCall) throws -> Value {
    try call.workspace.beginUnit()
    do {
      let result = try action.run(call)
      try call.workspace.commitUnit()
      return result
    } catch {
      if call.workspace.isInUnit { try call.workspace.rollbackUnit() }
      throw error
    }
  }

  private func multi(_ params: ValueReader, _ turn: inout DoorTurn) throws -> Value {
    if turn.depth >= Self.deepestMulti { throw ActionFailure("actions stand in each other at most 8 deep") }
    turn.depth += 1
    defer { turn.depth -= 1 }
    return .list(try params["actions"].elements().map { result(of: $0.value ?? .null, &turn) })
  }

  /// Asks once for an origin; a program that is no browser needs no leave.
  private func permission(_ turn: inout DoorTurn) throws -> Value {
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

  private func failure(_ words: String) -> Value { .record([("result", .null), ("error", .text(words))]) }

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
struct DoorTurn {
  let origin: String?
  var isAllowed: Bool
  let key: String
  var hasKey = false
  /// Actions that may still come.
  var left: Int
  var depth = 0

  init(origin: String?, isAllowed: Bool, key: String, left: Int) {
    (self.origin, self.isAllowed, self.key, self.left) = (origin, isAllowed, key, left)
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

  static func noDeck(_ name: String) -> ActionFailure { ActionFailure("deck was not found: \(name)") }
  static func noModel(_ name: String) -> ActionFailure { ActionFailure("model was not found: \(name)") }
  static func noNote(_ number: Int) -> ActionFailure { ActionFailure("note was not found: \(number)") }
}
