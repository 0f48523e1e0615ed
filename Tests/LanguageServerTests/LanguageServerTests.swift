// The server's side of conversations: its lifecycle, cancelled and damaged requests, edited documents.

import LanguageServer
import Problems
import Testing
import Values

/// Reports every `x` of a document as an error, and records its calls.
private final class Letters: LanguageFeatures {
  let name = "letters"
  let completionTriggers = [":"]
  let watchedFiles = ["**/*.md"]
  private(set) var encoding: PositionEncoding?
  private var stale: [String: TextDocument] = [:]
  private(set) var calls: [String] = []
  var failure: ResponseError?

  func begin(_ encoding: PositionEncoding) { self.encoding = encoding }
  func update(_ document: TextDocument) { stale[document.uri] = document }
  func close(_ uri: String) { calls.append("close \(uri)") }
  func refresh() { calls.append("refresh") }

  func changedDiagnostics() throws -> [DocumentDiagnostics] {
    if let failure { throw failure }
    defer { stale = [:] }
    return stale.sorted { $0.key < $1.key }.map { uri, document in
      let places = document.bytes.indices.filter { document.bytes[$0] == UInt8(ascii: "x") }
      return DocumentDiagnostics(
        uri, version: document.version,
        places.map { Diagnostic(document.range(of: $0..<$0 + 1), code: "x", "an x") })
    }
  }

  func completions(_ document: TextDocument, at offset: Int) throws -> [CompletionItem] {
    if let failure { throw failure }
    return [CompletionItem("word", .text, detail: "why", TextEdit(document.range(of: offset..<offset), "word"))]
  }

  func actions(_ document: TextDocument, in range: Range<Int>) -> [CodeAction] {
    [CodeAction("Remove", kind: "quickfix") { [TextEdit(document.range(of: range), "")] }]
  }
}

@Suite struct LanguageServerTests {
  private let features = Letters()
  private let server: LanguageServer

  init() { server = LanguageServer(features, version: "1.2", longest: 10_000) }

  /// Sends messages; returns the responses, message by message.
  @discardableResult private func say(_ messages: String...) -> [String] {
    for message in messages { server.receive(MessageFrames.framed(Array(message.utf8))) }
    return answers()
  }

  private func answers() -> [String] {
    var frames = MessageFrames()
    while let bytes = server.work() { frames.append(bytes) }
    var answers: [String] = []
    do throws(ResponseError) {
      while let bytes = try frames.next() { answers.append(String(decoding: bytes, as: UTF8.self)) }
    } catch { Issue.record("\(error)") }
    return answers
  }

  private func begin(_ parameters: String = #"{"capabilities":{}}"#) {
    say(#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":\#(parameters)}"#)
    say(#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#)
  }

  private func request(_ method: String, _ parameters: String = "{}", id: Int = 1) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#
  }

  private func notification(_ method: String, _ parameters: String = "{}") -> String {
    #"{"jsonrpc":"2.0","method":"\#(method)","params":\#(parameters)}"#
  }

  private func open(_ text: String) -> String {
    notification(
      "textDocument/didOpen",
      #"{"textDocument":{"uri":"file:///a.md","languageId":"markdown","version":1,"text":\#(Value.text(text).json)}}"#)
  }

  private let place = #"{"textDocument":{"uri":"file:///a.md"},"position":{"line":0,"character":2}}"#

  @Test func `initialize negotiates the column units, and reports the server's capabilities`() {
    let plain = say(request("initialize", #"{"capabilities":{},"processId":7,"rootUri":"file:///es"}"#))
    #expect(plain.count == 1 && plain[0].contains(#""positionEncoding":"utf-16""#), "\(plain)")
    #expect(plain[0].contains(#""change":2"#) && plain[0].contains(#""version":"1.2""#))
    #expect(server.parent == 7 && features.encoding == .utf16)
    let other = LanguageServer(features, version: "1")
    other.receive(
      MessageFrames.framed(
        Array(
          request(
            "initialize",
            #"{"capabilities":{"general":{"positionEncodings":["utf-32","utf-8"]}},"workspaceFolders":[{"uri":"file:///x","name":"x"}]}"#
          ).utf8)))
    let answer = other.work().map { String(decoding: $0, as: UTF8.self) }
    #expect(answer?.contains(#""positionEncoding":"utf-8""#) == true && features.encoding == .utf8)
  }

  @Test func `requests before initialize, after shutdown and a second initialize are errors`() {
    #expect(say(request("textDocument/completion", place)).allSatisfy { $0.contains("-32002") })
    #expect(say(open("x")).isEmpty)
    begin()
    #expect(say(request("initialize")).allSatisfy { $0.contains("-32600") })
    #expect(say(request("shutdown", id: 9)) == [#"{"jsonrpc":"2.0","id":9,"result":null}"#])
    #expect(say(request("textDocument/completion", place)).allSatisfy { $0.contains("-32600") })
    #expect(server.exitStatus == nil)
    #expect(say(notification("exit")).isEmpty && server.exitStatus == 0)
  }

  @Test func `an exit without shutdown, or the end of the input, is a failure`() {
    begin()
    say(notification("exit"))
    #expect(server.exitStatus == 1)
    // If nothing was sent, nothing failed.
    for (said, status) in [("", 0), (request("initialize"), 1)] {
      let other = LanguageServer(features, version: "1")
      other.receive(said.isEmpty ? [] : MessageFrames.framed(Array(said.utf8)))
      while other.work() != nil {}
      other.end()
      #expect(other.exitStatus == Int32(status))
    }
  }

  @Test func `an exit queued after a request is handled after its response`() {
    begin()
    #expect(say(request("shutdown"), notification("exit"), request("shutdown", id: 3)).count == 1)
    #expect(server.exitStatus == 0)
  }

  @Test(arguments: [
    ("{", "-32700"), ("[]", "-32600"), ("{}", "-32600"), (#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, "-32600"),
    (#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, "-32600"), (#"{"jsonrpc":"2.0","id":[1],"method":"x"}"#, "-32600"),
    (#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, "-32601"),
    (#"{"jsonrpc":"2.0","id":"a","method":"textDocument/completion"}"#, "-32602"),
    (#"{"jsonrpc":"2.0","id":1,"method":"textDocument/completion","params":[]}"#, "-32602"),
  ])
  func `an unknown or malformed request gets the error of JSON-RPC`(message: String, code: String) {
    begin()
    let answers = say(message)
    #expect(answers.count == 1 && answers[0].contains(#""code":\#(code)"#), "\(answers)")
    // The server continues.
    #expect(say(request("shutdown")).count == 1)
  }

  @Test func `unknown notifications and responses are ignored`() {
    begin()
    #expect(say(notification("$/setTrace"), #"{"jsonrpc":"2.0","id":4,"result":null}"#).isEmpty)
  }

  @Test func `input that is no message ends the server after the answers to what came before`() {
    begin()
    let asked = MessageFrames.framed(Array(request("textDocument/completion", place).utf8))
    server.receive(asked + Array("garbage\r\n\r\n".utf8))
    let answers = answers()
    #expect(answers.count == 2 && answers[1].contains("no Content-Length") && server.exitStatus == 1, "\(answers)")
    server.receive(asked)
    #expect(server.work() == nil)
  }

  @Test func `a pending request can be cancelled, and gets that as its response`() {
    begin()
    say(open("abc"))
    let answers = say(
      request("textDocument/completion", place, id: 5), request("textDocument/completion", place, id: 6),
      notification("$/cancelRequest", #"{"id":6}"#), notification("$/cancelRequest", #"{"id":77}"#))
    #expect(answers.count == 2 && answers.contains { $0.contains("\"id\":6") && $0.contains("-32800") }, "\(answers)")
  }

  @Test func `edits are applied, and diagnostics are sent once for all of them`() {
    begin()
    let first = say(open("a\nx\n"))
    #expect(first.count == 1 && first[0].contains(#""version":1"#) && first[0].contains(#""line":1"#), "\(first)")
    let change = { (version: Int, changes: String) in
      self.notification(
        "textDocument/didChange",
        #"{"textDocument":{"uri":"file:///a.md","version":\#(version)},"contentChanges":[\#(changes)]}"#)
    }
    let edit = #"{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":1}},"text":"y"}"#
    let insertion = #"{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"xx"}"#
    let answers = say(change(2, edit), change(3, insertion + "," + edit))
    #expect(answers.count == 1 && answers[0].contains(#""version":3"#), "\(answers)")
    #expect(answers[0].components(of: #""code":"x""#) == 2)
    #expect(say(change(4, #"{"text":"none"}"#))[0].contains(#""diagnostics":[]"#))
    say(notification("textDocument/didClose", #"{"textDocument":{"uri":"file:///a.md"}}"#))
    #expect(features.calls == ["close file:///a.md"])
    #expect(say(request("textDocument/completion", place))[0].contains("-32602"))
  }

  @Test func `requests at a position get responses in its document's column units`() {
    begin(#"{"capabilities":{"workspace":{"workspaceEdit":{"documentChanges":true}}}}"#)
    say(open("é\u{1D11E}z"))
    // The clef ends at the third UTF-16 unit; a position within it counts as its start.
    let item = say(request("textDocument/completion", place))[0]
    #expect(item.contains(#""start":{"line":0,"character":1}"#) && item.contains(#""newText":"word""#), "\(item)")
    let range = #"{"start":{"line":0,"character":1},"end":{"line":0,"character":3}}"#
    let action = say(
      request("textDocument/codeAction", #"{"textDocument":{"uri":"file:///a.md"},"range":\#(range),"context":{}}"#))[0]
    #expect(action.contains(#""version":1"#) && action.contains(#""range":\#(range)"#), "\(action)")
  }

  @Test func `edits of an action are computed when it is chosen, if the client supports that`() {
    begin(#"{"capabilities":{"textDocument":{"codeAction":{"resolveSupport":{"properties":["edit"]}}}}}"#)
    say(open("abc"))
    let range = #"{"start":{"line":0,"character":1},"end":{"line":0,"character":2}}"#
    let parameters = #"{"textDocument":{"uri":"file:///a.md"},"range":\#(range),"context":{}}"#
    let offered = say(request("textDocument/codeAction", parameters))[0]
    #expect(!offered.contains("newText") && offered.contains(#""data":1"#), "\(offered)")
    let chosen = say(request("codeAction/resolve", #"{"title":"Remove","data":1}"#))[0]
    #expect(chosen.contains(#""changes":{"file:///a.md":[{"range":\#(range)"#), "\(chosen)")
    #expect(say(request("codeAction/resolve", #"{"title":"Remove","data":7}"#))[0].contains("-32602"))
  }

  @Test func `a failure is the response to a request, and is shown once for diagnostics`() {
    begin()
    features.failure = ResponseError(.failed, "the disk is full")
    let first = say(open("x"))
    #expect(first.count == 1 && first[0].contains("window/showMessage") && first[0].contains("the disk is full"))
    #expect(say(open("x")).isEmpty)
    #expect(say(request("textDocument/completion", place))[0].contains("-32803"))
    features.failure = nil
    #expect(say(open("x")).count == 1)
  }

  @Test func `a client that can watch files is asked to, and changed files are checked`() {
    begin(#"{"capabilities":{"workspace":{"didChangeWatchedFiles":{"dynamicRegistration":false}}}}"#)
    let watching = LanguageServer(features, version: "1")
    for message in [
      request("initialize", #"{"capabilities":{"workspace":{"didChangeWatchedFiles":{"dynamicRegistration":true}}}}"#),
      notification("initialized"),
    ] { watching.receive(MessageFrames.framed(Array(message.utf8))) }
    var said = ""
    while let bytes = watching.work() { said += String(decoding: bytes, as: UTF8.self) }
    #expect(said.contains("client/registerCapability") && said.contains("**/*.md"))
    say(notification("workspace/didChangeWatchedFiles", #"{"changes":[]}"#))
    #expect(features.calls == ["refresh"])
  }

  @Test func `random bytes in messages neither end nor block the server`() {
    begin()
    var numbers = SeededNumbers(seed: 3)
    let words = ["12", "\r\n", "\n", "{", "\"jsonrpc\":\"2.0\"", "}", ":", ",", "\"id\":1", "\u{0}"]
    for _ in 0..<2000 { say((0..<6).map { _ in words[Int(numbers.next() % UInt64(words.count))] }.joined()) }
    #expect(say(request("shutdown")).contains { $0.contains(#""result":null"#) })
  }
}

extension String {
  fileprivate func components(of part: String) -> Int {
    split(separator: part, omittingEmptySubsequences: false).count - 1
  }
}
