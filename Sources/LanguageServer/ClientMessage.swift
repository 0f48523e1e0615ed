// A client's messages in JSON-RPC 2.0: requests, which get an answer, and notifications, which get none.
// Invariant: anything else is an error with the code that JSON-RPC defines for it.

import Values

enum ClientMessage {
  case request(id: Value, method: String, parameters: ValueReader)
  case notification(method: String, parameters: ValueReader)
  /// An answer to a request from the server.
  case answer

  private static let depth = 64
  private static let values = 1_000_000

  init(_ bytes: [UInt8]) throws(ResponseError) {
    let whole: Value
    do {
      let limits = JSONLimits(bytes: bytes.count, depth: Self.depth, values: Self.values, string: bytes.count)
      whole = try JSONParser.parse(bytes, limits: limits)
    } catch {
      throw ResponseError(.parse, "\(error.line):\(error.column): \(error.words)")
    }
    guard let record = whole.record, record["jsonrpc"]?.text == "2.0" else {
      throw ResponseError(.invalidRequest, "an object with \"jsonrpc\": \"2.0\" expected")
    }
    let parameters = ValueReader(record["params"] ?? .null)
    switch (record["method"], record["id"]) {
    case (.text(let method)?, nil): self = .notification(method: method, parameters: parameters)
    case (.text(let method)?, let id?) where id.isIdentifier:
      self = .request(id: id, method: method, parameters: parameters)
    case (nil, .some) where record["result"] != nil || record["error"] != nil: self = .answer
    default: throw ResponseError(.invalidRequest, "a method, or an id with a result or an error, expected")
    }
  }
}

extension Value {
  var isIdentifier: Bool {
    switch self {
    case .text, .integer: true
    default: false
    }
  }
}

/// Why a request failed.
public struct ResponseError: Error, Equatable {
  /// Codes of JSON-RPC and of the Language Server Protocol.
  public enum Code: Int, Sendable {
    case parse = -32700
    case invalidRequest = -32600
    case unknownMethod = -32601
    case invalidParameters = -32602
    case notInitialized = -32002
    case cancelled = -32800
    case failed = -32803
  }

  public let code: Code
  public let message: String

  public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  var value: Value { .record([("code", .integer(code.rawValue)), ("message", .text(message))]) }
}

extension ResponseError {
  /// The error for parameters of the wrong structure.
  init(_ failure: ShapeFailure) {
    let found = failure.found.map { ", \($0) found" } ?? ""
    self.init(.invalidParameters, "at \(failure.pointer): \(failure.expected) expected\(found)")
  }
}

struct ClientTraits {
  /// The process whose end also ends the server.
  private(set) var process: Int?
  private(set) var encoding = PositionEncoding.utf16
  /// Whether it can watch files on request.
  private(set) var watchesFiles = false
  /// Whether an edit may name the document version that it applies to.
  private(set) var takesVersions = false
  /// Whether it requests the edits of an action only when the action is chosen.
  private(set) var resolvesActions = false

  init() {}

  init(_ parameters: ValueReader) {
    process = parameters["processId"].value?.integer
    let capabilities = parameters["capabilities"]
    let encodings = capabilities["general"]["positionEncodings"].value?.list ?? []
    if encodings.contains(.text(PositionEncoding.utf8.rawValue)) { encoding = .utf8 }
    let workspace = capabilities["workspace"]
    watchesFiles = workspace["didChangeWatchedFiles"]["dynamicRegistration"].value == .boolean(true)
    takesVersions = workspace["workspaceEdit"]["documentChanges"].value == .boolean(true)
    let resolved = capabilities["textDocument"]["codeAction"]["resolveSupport"]["properties"].value?.list ?? []
    resolvesActions = resolved.contains(.text("edit"))
  }
}
