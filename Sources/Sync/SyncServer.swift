// The calls of the sync protocol, one function each. Source: SyncRules.md, "Calls" and "A normal sync".
// Invariant: an answer either matches the protocol or is refused with an error that names the call.

import Exchange
import Glibc
import Values
import Wire

/// What a server reports about its collection.
public struct SyncMeta: Equatable, Sendable {
  /// The time of the last change, in milliseconds since 1970.
  public var modified: Int
  /// The time of the last change that cannot be synced row by row.
  public var schema: Int
  /// The number of the next change.
  public var usn: Int
  /// The server's clock, in seconds since 1970.
  public var now = 0
  /// A message for the user; usually empty.
  public var message = ""
  var acceptsSync = true
  public var mediaUSN = 0

  /// Whether something changed on the server since the last sync.
  /// - Parameter known: the server's answer at that sync; nil before the first one.
  public func hasNews(since known: SyncMeta?) -> Bool { known?.modified != modified || known?.schema != schema }

  /// Whether nothing changed on the server between the two answers.
  public func isSame(as other: SyncMeta) -> Bool {
    modified == other.modified && schema == other.schema && usn == other.usn
  }
}

/// A server address given by the user, parsed and checked.
public struct SyncPlace: Equatable, Sendable {
  /// The address, ending in `/`.
  public let address: String
  public let host: String
  /// Scheme, host and port.
  private let origin: String
  /// Whether the connection is not encrypted and leaves the local network.
  public let isExposed: Bool

  /// - Throws: `SyncError.badAddress`, `.ankiWeb`.
  public init(_ given: String) throws(SyncError) {
    do throws(SyncAddressFault) {
      let parsed = try SyncAddress(given)
      (address, host, origin, isExposed) = (parsed.text, parsed.host, parsed.origin, parsed.isExposed)
    } catch {
      switch error {
      case .ankiWeb(let host): throw .ankiWeb(host: host)
      case .elsewhere(let address): throw .badAddress(given: address, expected: "the address that was given expected")
      case .malformed(let expected): throw .badAddress(given: given, expected: "\(expected) expected")
      }
    }
  }

  /// Whether a redirect to the other address is allowed: scheme, host and port must be the same.
  public func canLead(to other: SyncPlace) -> Bool { origin == other.origin }
}

/// The ids of deleted cards, notes and decks.
struct SyncGraves: Equatable {
  var cards: [Int64] = []
  var notes: [Int64] = []
  var decks: [Int64] = []

  static let parts: [(String, any WritableKeyPath<SyncGraves, [Int64]> & Sendable)] = [
    ("cards", \.cards), ("decks", \.decks), ("notes", \.notes),
  ]

  var count: Int { cards.count + notes.count + decks.count }
}

/// Note types, decks, presets and tags to be sent.
struct SyncHead {
  var types: [Value.Record] = []
  var decks: [Value.Record] = []
  var presets: [Value.Record] = []
  var tags: [String] = []

  var count: Int { types.count + decks.count + presets.count + tags.count }

  fileprivate var record: Value.Record {
    func list(_ records: [Value.Record]) -> Value { .list(records.map { .record($0) }) }
    return [
      "models": list(types), "decks": .list([list(decks), list(presets)]), "tags": .list(tags.map { .text($0) }),
    ]
  }
}

/// How many rows a server counts, or how many unsent changes there are.
public struct SyncCounts: Equatable, Sendable {
  public var cards = 0
  public var notes = 0
  public var answers = 0
  public var types = 0
  public var decks = 0
  public var presets = 0
  /// Cards and notes that were removed locally.
  public var removals = 0

  public static let none = SyncCounts()

  public var total: Int { notes + cards + answers + types + decks + presets + removals }
}

/// The calls of one conversation with a server.
public class SyncCalls {
  fileprivate let program: SyncProgram
  private let session: String
  private let keyPath: String
  /// The current address of the server; it changes when the server redirects.
  public private(set) var address: String
  /// The timeout in seconds while no byte arrives.
  public var timeout = 30
  /// What the names of all calls begin with.
  class var path: String { "sync/" }

  public init(_ program: SyncProgram, address: String, session: String, keyPath: String) {
    (self.program, self.address, self.session, self.keyPath) = (program, address, session, keyPath)
  }

  final func request(_ name: String) -> SyncRequest {
    var request = SyncRequest(call: Self.path + name, address: address, session: session, keyPath: keyPath)
    request.timeout = timeout
    return request
  }

  final func exchange(_ request: SyncRequest, _ body: [UInt8]) throws(SyncError) -> [UInt8] {
    let (place, answer) = try program.exchange(request, body)
    address = place
    return answer
  }

  final func fault(_ name: String, _ reason: String) -> SyncError {
    .call(.badAnswer(reason: reason), step: Self.path + name, address: address)
  }
}

public final class SyncServer: SyncCalls {
  private func call(_ request: SyncRequest, _ body: [UInt8]) throws(SyncError) -> Value {
    try program.parsed(exchange(request, body), of: request)
  }

  private func call(_ name: String, _ arguments: Value.Record = Value.Record()) throws(SyncError) -> Value {
    try call(request(name), JSONWriter.bytes(of: .record(arguments)))
  }

  /// Requests the key of a user, which deckhand-net writes to its file.
  /// - Parameters:
  ///   - password: UTF-8, borrowed for the duration of the call.
  ///   - expectedAddress: the key is stored only if the server's final address is this one; empty accepts any address.
  public func signIn(_ user: String, password: UnsafeRawBufferPointer, expectedAddress: String = "") throws(SyncError) {
    var body = SyncServer.signInBody(user, password)
    defer { body.withUnsafeMutableBytes { bytes in bytes.baseAddress.map { explicit_bzero($0, bytes.count) } } }
    var request = request("hostKey")
    (request.isSignIn, request.expectedAddress) = (true, expectedAddress)
    _ = try call(request, body)
  }

  /// Returns a sign-in as JSON. It contains the only copy of the password, so `JSONWriter` is not used.
  static func signInBody(_ user: String, _ password: UnsafeRawBufferPointer) -> [UInt8] {
    var body = Array("{\"u\":\(Value.text(user).json),\"p\":\"".utf8)
    // A buffer that grows leaves a copy; the longest escape has six bytes.
    body.reserveCapacity(body.count + 6 * password.count + 2)
    for byte in password {
      switch byte {
      case ..<0x20: body += ((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)).utf8
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): body += [UInt8(ascii: "\\"), byte]
      default: body.append(byte)
      }
    }
    body += "\"}".utf8
    return body
  }

  /// Returns the state of the server's collection. The call aborts a sync that another client has begun.
  public func meta() throws(SyncError) -> SyncMeta {
    let answer = try call("meta", ["v": .integer(SyncClient.protocolVersion), "cv": .text(SyncClient.name)])
    guard let record = answer.record, let modified = record["mod"]?.integer, let schema = record["scm"]?.integer,
      let usn = record["usn"]?.integer, let now = record["ts"]?.integer,
      [modified, schema, usn, now].allSatisfy({ (0...1 << 60) ~= $0 })
    else { throw fault("meta", "does not say what the server has") }
    var meta = SyncMeta(modified: modified, schema: schema, usn: usn, now: now)
    meta.message = record["msg"]?.text ?? ""
    meta.acceptsSync = record["cont"]?.boolean ?? true
    meta.mediaUSN = record["media_usn"]?.integer ?? 0
    return meta
  }

  /// Begins a sync of everything with a `usn` of at least `usn`.
  /// - Returns: the ids of what was deleted on the server since.
  func start(from usn: Int) throws(SyncError) -> SyncGraves {
    // Settings always come from the server.
    let answer = try call("start", ["minUsn": .integer(usn), "lnewer": .boolean(false)])
    var graves = SyncGraves()
    for (key, path) in SyncGraves.parts {
      let list = answer.record?[key]?.list ?? []
      graves[keyPath: path] = list.compactMap { $0.integer.map { Int64($0) } }
      guard graves[keyPath: path].count == list.count else { throw fault("start", "contains invalid ids") }
    }
    return graves
  }

  /// Sends the ids of what was deleted locally.
  func apply(_ graves: SyncGraves) throws(SyncError) {
    let parts = SyncGraves.parts.map { key, path in (key, Value.list(graves[keyPath: path].map { .integer(Int($0)) })) }
    _ = try call("applyGraves", ["chunk": .record(parts)])
  }

  /// Returns the note types, decks, presets, tags and settings that changed on the server.
  func changes(_ own: SyncHead = SyncHead()) throws(SyncError) -> Value.Record {
    guard let record = try call("applyChanges", ["changes": .record(own.record)]).record else {
      throw fault("applyChanges", "is not a record of changes")
    }
    return record
  }

  /// Returns some of the rows that changed on the server. More are fetched while the caller takes these.
  func chunk() throws(SyncError) -> Value.Record {
    let none = Array("{}".utf8)
    let asked = request("chunk")
    let answer = try exchange(asked, none)
    // Anki's server writes this member first. If another server writes it later, the next chunk is not prefetched.
    if answer.starts(with: Array("{\"done\":false".utf8)) { try program.begin(request("chunk"), none) }
    guard let record = try program.parsed(answer, of: asked).record, record["done"]?.boolean != nil else {
      throw fault("chunk", "does not say whether it is the last")
    }
    return record
  }

  func counts(_ own: SyncCounts) throws(SyncError) -> SyncCounts {
    let none = Value.list([.integer(0), .integer(0), .integer(0)])
    let numbers = [own.cards, own.notes, own.answers, 0, own.types, own.decks, own.presets].map { Value.integer($0) }
    let answer = try call("sanityCheck2", ["client": .list([none] + numbers)])
    guard let list = answer.record?["s"]?.list, list.count == 8 else {
      throw fault("sanityCheck2", "does not say what the server counts: Anki has to check its database first")
    }
    let counted = list.dropFirst().compactMap(\.integer)
    guard counted.count == 7 else { throw fault("sanityCheck2", "does not say what the server counts") }
    return SyncCounts(
      cards: counted[0], notes: counted[1], answers: counted[2], types: counted[4], decks: counted[5],
      presets: counted[6])
  }

  /// Sends some of the rows that changed locally.
  /// - Parameter rows: JSON lists.
  func apply(_ rows: [StagedKind: [String]], isLast: Bool) throws(SyncError) {
    var body = "{\"chunk\":{\"done\":\(isLast)"
    for kind in StagedKind.allCases {
      guard let list = rows[kind], !list.isEmpty else { continue }
      body += ",\"\(kind.rawValue)\":[\(list.joined(separator: ","))]"
    }
    _ = try call(request("applyChunk"), Array((body + "}}").utf8))
  }

  /// Ends the sync: the server commits what was sent; returns the time of the commit, in milliseconds since 1970.
  func finish() throws(SyncError) -> Int {
    guard let time = try call("finish").integer, (0...1 << 60) ~= time else {
      throw fault("finish", "does not say when it ended")
    }
    return time
  }

  /// Replaces the server's collection with a whole local one.
  /// - Parameter file: the bytes of an SQLite file.
  func upload(_ file: [UInt8]) throws(SyncError) {
    var request = request("upload")
    request.timeout = timeout * 4
    let text = String(decoding: try exchange(request, file).prefix(300), as: UTF8.self)
    // A refusal is also returned as text with the same status.
    if text != "OK" { throw .call(.status(400, reason: text), step: "sync/upload", address: address) }
  }

  /// Aborts the sync, so that the server discards what was sent.
  func abort() throws(SyncError) { _ = try call("abort") }

  /// Aborts after an error. Without a connection the server aborts by itself.
  func abortQuietly() {
    do throws(SyncError) { try abort() } catch { return }
  }
}
