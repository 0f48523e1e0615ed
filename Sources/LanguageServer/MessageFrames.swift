// Messages in a byte stream (the base protocol of LSP 3.17): a client's requests and notifications (JSON-RPC 2.0), and
// the server's results for documents. Invariant: memory is limited to one message, whose size is limited; anything
// unknown is an error with the code of JSON-RPC.

public import Values

/// Extracts messages from the input bytes.
///
///     var frames = MessageFrames()
///     frames.append(bytes)
///     while let message = try frames.next() { ... }
public struct MessageFrames {
  /// The maximum size of a message's header in bytes.
  private static let longestHead = 4096
  private static let name = Array("Content-Length:".utf8)

  private let longest: Int
  private var bytes: [UInt8] = []
  private var start = 0

  /// - Parameter longest: the maximum size of a message in bytes.
  public init(longest: Int = 64 << 20) { self.longest = longest }

  public mutating func append(_ some: some Collection<UInt8>) {
    if start > 1 << 16 || start == bytes.count {
      bytes.removeSubrange(..<start)
      start = 0
    }
    bytes.append(contentsOf: some)
  }

  /// Returns the next message; nil until more bytes arrive.
  /// - Throws: for bytes that are no message; what comes after them cannot be told from them.
  public mutating func next() throws(ResponseError) -> [UInt8]? {
    guard let head = headEnd() else {
      if bytes.count - start <= Self.longestHead { return nil }
      throw ResponseError(.parse, "a message header without an end")
    }
    guard let length = length(in: bytes[start..<head]) else {
      throw ResponseError(.parse, "no Content-Length before a message")
    }
    if length > longest { throw ResponseError(.parse, "a message of \(length) bytes; the limit is \(longest)") }
    guard bytes.count - head >= length else { return nil }
    defer { start = head + length }
    return Array(bytes[head..<head + length])
  }

  /// Returns the index after the empty line that ends a header.
  private func headEnd() -> Int? {
    var isLineEmpty = false
    for place in start..<min(bytes.count, start + Self.longestHead) {
      switch bytes[place] {
      case 0x0A where isLineEmpty: return place + 1
      case 0x0A: isLineEmpty = true
      case 0x0D: continue
      default: isLineEmpty = false
      }
    }
    return nil
  }

  private func length(in head: ArraySlice<UInt8>) -> Int? {
    for line in head.split(separator: 0x0A) where line.starts(with: Self.name) {
      let number = line.dropFirst(Self.name.count).filter { $0 != 0x20 && $0 != 0x0D }
      return Int(String(decoding: number, as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
    }
    return nil
  }

  public static func framed(_ message: [UInt8]) -> [UInt8] {
    Array("Content-Length: \(message.count)\r\n\r\n".utf8) + message
  }
}

/// A message of a client, in JSON-RPC 2.0.
public enum ClientMessage {
  case request(id: Value, method: String, parameters: ValueReader)
  case notification(method: String, parameters: ValueReader)
  case answer

  public init(_ bytes: [UInt8]) throws(ResponseError) {
    let whole: Value
    do {
      let limits = JSONLimits(bytes: bytes.count, depth: 64, values: 1_000_000, string: bytes.count)
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
    case (.text(let method)?, .text(let id)?): self = .request(id: .text(id), method: method, parameters: parameters)
    case (.text(let method)?, .integer(let id)?):
      self = .request(id: .integer(id), method: method, parameters: parameters)
    case (nil, .some) where record["result"] != nil || record["error"] != nil: self = .answer
    default: throw ResponseError(.invalidRequest, "a method, or an id with a result or an error, expected")
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
    /// Of the Model Context Protocol.
    case internalError = -32603
    case unsupportedRevision = -32022
  }

  public let code: Code
  public let message: String
  private let data: Value?

  public init(_ code: Code, _ message: String, data: Value? = nil) {
    (self.code, self.message, self.data) = (code, message, data)
  }

  public var value: Value {
    .record([("code", .integer(code.rawValue)), ("message", .text(message))] + (data.map { [("data", $0)] } ?? []))
  }
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

public struct Diagnostic: Equatable {
  /// The protocol's number for an error.
  private static let severity = 1

  public let range: TextRange
  /// Stable, for programs.
  public let code: String
  public let message: String

  public init(_ range: TextRange, code: String, _ message: String) {
    (self.range, self.code, self.message) = (range, code, message)
  }

  func value(source: String) -> Value {
    .record(["range": range.value, "severity": Self.severity, "code": code, "source": source, "message": message])
  }
}

public struct DocumentDiagnostics {
  public let uri: String
  /// The version of an open document; nil for a file.
  public let version: Int?
  public let list: [Diagnostic]

  public init(_ uri: String, version: Int?, _ list: [Diagnostic]) {
    (self.uri, self.version, self.list) = (uri, version, list)
  }
}

public struct CompletionItem: Equatable {
  public enum Kind: Int, Sendable {
    case text = 1
    case field = 5
    case type = 7
    case property = 10
    case folder = 19
  }

  public let label: String
  public let kind: Kind
  public let detail: String
  public let edit: TextEdit

  public init(_ label: String, _ kind: Kind, detail: String = "", _ edit: TextEdit) {
    (self.label, self.kind, self.detail, self.edit) = (label, kind, detail, edit)
  }

  var value: Value {
    .record(
      [("label", .text(label)), ("kind", .integer(kind.rawValue)), ("textEdit", edit.value)]
        + (detail.isEmpty ? [] : [("detail", .text(detail))]))
  }
}

public struct TextEdit: Equatable {
  public let range: TextRange
  public let text: String

  public init(_ range: TextRange, _ text: String) { (self.range, self.text) = (range, text) }

  var value: Value { .record([("range", range.value), ("newText", .text(text))]) }
}

/// A change to one document that the user may choose.
public struct CodeAction {
  public let title: String
  /// The kind in the protocol's notation: `refactor.rewrite`.
  public let kind: String
  /// Creates the edits when the action is chosen.
  public let edits: () throws -> [TextEdit]

  public init(_ title: String, kind: String, edits: @escaping () throws -> [TextEdit]) {
    (self.title, self.kind, self.edits) = (title, kind, edits)
  }

  var fields: [(String, Value)] { [("title", .text(title)), ("kind", .text(kind))] }

  /// Returns the edits to a document.
  /// - Parameter namesVersion: whether to name the document version that they apply to.
  func edit(of document: TextDocument, namesVersion: Bool) throws -> (String, Value) {
    let list = Value.list(try edits().map(\.value))
    if !namesVersion { return ("edit", .record([("changes", .record([(document.uri, list)]))])) }
    let name = Value.record(["uri": document.uri, "version": document.version])
    let change = Value.record(["textDocument": name, "edits": list])
    return ("edit", .record([("documentChanges", .list([change]))]))
  }
}

extension Position {
  var value: Value { .record([("line", .integer(line)), ("character", .integer(character))]) }

  init(_ reader: ValueReader) throws(ShapeFailure) {
    let most = 0...Int(Int32.max)
    self.init(line: try reader["line"].integer(in: most), character: try reader["character"].integer(in: most))
  }
}

extension TextRange {
  var value: Value { .record([("start", start.value), ("end", end.value)]) }

  init(_ reader: ValueReader) throws(ShapeFailure) {
    self.init(try Position(reader["start"]), try Position(reader["end"]))
  }
}
