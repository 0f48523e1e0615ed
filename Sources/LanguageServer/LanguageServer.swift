// A language server that turns input bytes into output bytes (Language Server Protocol 3.17): its lifecycle, the open
// documents, the queue of messages.
// Invariant: each request gets exactly one answer, in order of arrival except for cancelled ones; only `exit`, the end
// of the input, input that cannot be understood, and the end of the parent process end the server.

import Problems
import Values

/// A server for one client.
///
///     let server = LanguageServer(features, version: "1.0.0")
///     server.receive(bytes)
///     while let answer = server.work() { write(answer) }
public final class LanguageServer {
  private enum Phase { case starting, running, shutDown, ended(status: Int32) }

  private let features: any LanguageFeatures
  private let version: String
  private var phase = Phase.starting
  private var client = ClientTraits()
  private var frames: MessageFrames
  private var queue: [Result<ClientMessage, ResponseError>] = []
  /// Why the rest of the input cannot be read.
  private var damage: ResponseError?
  private var documents: [String: TextDocument] = [:]
  private var outgoing: [UInt8] = []
  private var isStale = false
  private var lastFailure = ""
  private var requests = 0
  /// The actions of the last answer, by number.
  private var offered: [Int: (CodeAction, TextDocument)] = [:]
  private var offers = 0

  /// - Parameter longest: the maximum size of a message in bytes.
  public init(_ features: any LanguageFeatures, version: String, longest: Int = 64 << 20) {
    (self.features, self.version) = (features, version)
    frames = MessageFrames(longest: longest)
  }

  /// The process whose end also ends the server; nil if it is unknown.
  public var parent: Int? { client.process }

  /// The exit status; nil while the server is running.
  public var exitStatus: Int32? { if case .ended(let status) = phase { status } else { nil } }

  /// Ends the server without an `exit` from the client, as the input or the parent ended: a failure if it was running.
  public func end() {
    switch phase {
    case .starting, .shutDown: phase = .ended(status: 0)
    case .running: phase = .ended(status: 1)
    case .ended: break
    }
  }

  /// Processes bytes from the client. Cancelled requests are answered before the queued ones.
  public func receive(_ bytes: [UInt8]) {
    frames.append(bytes)
    do throws(ResponseError) {
      while damage == nil, let bytes = try frames.next() {
        let message = Result { () throws(ResponseError) in try ClientMessage(bytes) }
        guard case .success(.notification("$/cancelRequest", let parameters)) = message else {
          queue.append(message)
          continue
        }
        cancel(parameters["id"].value)
      }
    } catch {
      damage = error
    }
  }

  private func cancel(_ id: Value?) {
    let place = queue.firstIndex { if case .success(.request(let other, _, _)) = $0 { other == id } else { false } }
    guard let place, let id else { return }
    queue.remove(at: place)
    answer(id, error: ResponseError(.cancelled, "cancelled by the client"))
  }

  /// Handles the next queued message; diagnostics are sent when the queue is empty.
  /// - Returns: the bytes to write; nil if there is nothing to do.
  public func work() -> [UInt8]? {
    if exitStatus == nil {
      if !queue.isEmpty {
        take(queue.removeFirst())
      } else if let damage {
        answer(.null, error: damage)
        phase = .ended(status: 1)
      } else if isStale {
        isStale = false
        showingFailures {
          for one in try features.changedDiagnostics() { publish(one) }
          lastFailure = ""
        }
      } else if outgoing.isEmpty {
        return nil
      }
    }
    defer { outgoing.removeAll(keepingCapacity: true) }
    return exitStatus != nil && outgoing.isEmpty ? nil : outgoing
  }

  private func send(_ fields: [(String, Value)]) {
    var writer = JSONWriter(.compact)
    writer.write(.record([("jsonrpc", .text("2.0"))] + fields))
    outgoing += MessageFrames.framed(writer.take())
  }

  private func answer(_ id: Value, _ result: Value) { send([("id", id), ("result", result)]) }
  private func answer(_ id: Value, error: ResponseError) { send([("id", id), ("error", error.value)]) }

  private func notify(_ method: String, _ parameters: Value) {
    send([("method", .text(method)), ("params", parameters)])
  }

  private func publish(_ diagnostics: DocumentDiagnostics) {
    let list = Value.list(diagnostics.list.map { $0.value(source: features.name) })
    let version = diagnostics.version.map { [("version", Value.integer($0))] } ?? []
    let facts = Value.record([("uri", .text(diagnostics.uri)), ("diagnostics", list)] + version)
    notify("textDocument/publishDiagnostics", facts)
  }

  private func take(_ message: Result<ClientMessage, ResponseError>) {
    switch message {
    case .failure(let error): answer(.null, error: error)
    case .success(.answer): break
    case .success(.notification(let method, let parameters)): take(method, parameters)
    case .success(.request(let id, let method, let parameters)):
      do throws(ResponseError) { answer(id, try result(of: method, parameters)) } catch {
        answer(id, error: error)
      }
    }
  }

  /// Runs code that has no answer; a failure is shown once.
  private func showingFailures(_ body: () throws -> Void) {
    do { try body() } catch {
      let words = Self.error(error).message
      if words == lastFailure { return }
      lastFailure = words
      notify("window/showMessage", .record(["type": 1, "message": words]))
    }
  }

  private static func error(_ error: any Error) -> ResponseError {
    if let known = error as? ResponseError { return known }
    if let failure = error as? ShapeFailure { return ResponseError(failure) }
    return ResponseError(.failed, (error as? any Problem)?.message ?? "\(error)")
  }

  private func result(of method: String, _ parameters: ValueReader) throws(ResponseError) -> Value {
    switch phase {
    case .starting:
      guard method == "initialize" else { throw ResponseError(.notInitialized, "initialize expected first") }
    case .running: break
    case .shutDown, .ended: throw ResponseError(.invalidRequest, "the server was shut down; exit expected")
    }
    do { return try found(method, parameters) } catch { throw Self.error(error) }
  }

  private func found(_ method: String, _ parameters: ValueReader) throws -> Value {
    switch method {
    case "initialize": return try initialize(parameters)
    case "shutdown":
      phase = .shutDown
      return .null
    case "textDocument/completion":
      let document = try document(parameters)
      let offset = document.offset(of: try Position(parameters["position"]))
      return .list(try features.completions(document, at: offset).map(\.value))
    case "textDocument/codeAction": return try actions(document(parameters), TextRange(parameters["range"]))
    case "codeAction/resolve":
      let number = try parameters["data"].integer()
      guard let (action, document) = offered[number] else {
        throw ResponseError(.invalidParameters, "the action is no longer offered")
      }
      let edit = try action.edit(of: document, namesVersion: client.takesVersions)
      return .record(action.fields + [("data", .integer(number)), edit])
    default: throw ResponseError(.unknownMethod, "no method is called \(method)")
    }
  }

  private func actions(_ document: TextDocument, _ range: TextRange) throws -> Value {
    let start = document.offset(of: range.start)
    let actions = try features.actions(document, in: start..<max(start, document.offset(of: range.end)))
    offered = [:]
    return .list(
      try actions.map { action in
        if !client.resolvesActions {
          return .record(action.fields + [try action.edit(of: document, namesVersion: client.takesVersions)])
        }
        offers += 1
        offered[offers] = (action, document)
        return .record(action.fields + [("data", .integer(offers))])
      })
  }

  private func document(_ parameters: ValueReader) throws -> TextDocument {
    let uri = try parameters["textDocument"]["uri"].text()
    guard let document = documents[uri] else { throw ResponseError(.invalidParameters, "\(uri) is not open") }
    return document
  }

  private func initialize(_ parameters: ValueReader) throws -> Value {
    guard case .starting = phase else { throw ResponseError(.invalidRequest, "initialize was already sent") }
    client = ClientTraits(parameters)
    features.begin(client.encoding)
    phase = .running
    let capabilities = Value.record([
      "positionEncoding": client.encoding.rawValue,
      "textDocumentSync": Value.record(["openClose": true, "change": 2, "save": true]),
      "completionProvider": Value.record(["triggerCharacters": features.completionTriggers]),
      "codeActionProvider": Value.record(["resolveProvider": true]),
    ])
    return .record([
      "capabilities": capabilities, "serverInfo": Value.record(["name": features.name, "version": version]),
    ])
  }

  private func take(_ method: String, _ parameters: ValueReader) {
    if method == "exit" {
      if case .shutDown = phase { phase = .ended(status: 0) } else { phase = .ended(status: 1) }
      return
    }
    guard case .running = phase else { return }
    showingFailures { try handleNotification(method, parameters) }
  }

  private func handleNotification(_ method: String, _ parameters: ValueReader) throws {
    switch method {
    case "initialized":
      if client.watchesFiles { watchFiles() }
      return
    case "textDocument/didOpen": try open(parameters["textDocument"])
    case "textDocument/didChange": try change(parameters)
    case "textDocument/didClose":
      let uri = try parameters["textDocument"]["uri"].text()
      documents[uri] = nil
      try features.close(uri)
    case "textDocument/didSave", "workspace/didChangeWatchedFiles": try features.refresh()
    // Unknown notifications are ignored.
    default: return
    }
    isStale = true
  }

  private func open(_ item: ValueReader) throws {
    let document = TextDocument(
      try item["uri"].text(), version: try item["version"].integer(), text: try item["text"].text().utf8,
      encoding: client.encoding)
    documents[document.uri] = document
    try features.update(document)
  }

  private func change(_ parameters: ValueReader) throws {
    var document = try document(parameters)
    // Removed from the dictionary, so that changes modify it in place instead of copying it each time.
    documents[document.uri] = nil
    defer { documents[document.uri] = document }
    for change in try parameters["contentChanges"].elements() {
      let range = change["range"].value == nil ? nil : try TextRange(change["range"])
      document.replace(range, by: try change["text"].text())
    }
    document.version = try parameters["textDocument"]["version"].integer()
    try features.update(document)
  }

  private func watchFiles() {
    requests += 1
    let watchers = features.watchedFiles.map { Value.record(["globPattern": $0]) }
    let registration = Value.record([
      "id": "files", "method": "workspace/didChangeWatchedFiles",
      "registerOptions": Value.record(["watchers": watchers]),
    ])
    let parameters = Value.record(["registrations": [registration]])
    send([("id", .integer(requests)), ("method", .text("client/registerCapability")), ("params", parameters)])
  }
}

/// The features for documents of a language. The server stores the documents, and passes each in its current state.
public protocol LanguageFeatures: AnyObject {
  var name: String { get }
  /// Characters after which an editor requests completions.
  var completionTriggers: [String] { get }
  /// Glob patterns of the files that an editor should watch.
  var watchedFiles: [String] { get }

  /// Sets the unit of the columns in all documents.
  func begin(_ encoding: PositionEncoding)
  /// Called when a document was opened or edited.
  func update(_ document: TextDocument) throws
  /// Called when a document was closed: from then on its file on disk is used.
  func close(_ uri: String) throws
  /// Called when files may have changed.
  func refresh() throws
  /// Returns the diagnostics of the documents whose diagnostics changed since the last call.
  func changedDiagnostics() throws -> [DocumentDiagnostics]

  func completions(_ document: TextDocument, at offset: Int) throws -> [CompletionItem]
  func actions(_ document: TextDocument, in range: Range<Int>) throws -> [CodeAction]
}
