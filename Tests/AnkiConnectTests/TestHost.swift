// A server over a user's data, called as a client calls it.

import Decks
import Glibc
import Storage
import TestWorkspace
import Values
import Wire

@testable import AnkiConnect

final class TestHost: ActionHost {
  let person = Person()
  let workspace: Workspace
  var origins: [String] = []
  var key = ""
  /// The user's answers about origins.
  var answers: [String: Bool] = [:]
  var asked: [String] = []
  var told: [String] = []
  var performed: [String] = []
  var syncs = 0

  init() throws {
    workspace = try person.workspace()
  }

  func openWorkspace() throws -> Workspace { workspace }
  func clientSettings() throws -> (origins: [String], key: String) { (origins, key) }

  func performing<Result>(action: String, for client: String?, _ body: () throws -> Result) throws -> Result {
    performed.append(client.map { "\($0), \(action)" } ?? action)
    return try body()
  }

  func askAbout(_ origin: String) {
    asked.append(origin)
    if answers[origin] ?? false { origins.append(origin) }
  }

  func log(_ line: String) { told.append(line) }
  func synchronize() throws { syncs += 1 }

  func profiles() throws -> (all: [String], active: String) { (["ana", "ben"], "ana") }
}

struct Client {
  let host: TestHost
  let server: ActionServer
  /// Nil as for Yomitan; 6 as for most others.
  var version: Int?

  init(version: Int? = 6) throws {
    host = try TestHost()
    server = ActionServer(host)
    self.version = version
  }

  /// Sends bytes; returns the status and the body.
  func send(
    _ bytes: [UInt8], origin: String? = nil, method: String = "POST", agent: String? = nil
  ) -> (reply: ClientReply, text: String) {
    var request = ClientRequest(method: method, origin: origin)
    request.agent = agent
    let (reply, body) = server.answer(request, bytes)
    return (reply, String(decoding: body, as: UTF8.self))
  }

  func request(_ action: String, _ params: String) -> String {
    let version = version.map { #","version":\#($0)"# } ?? ""
    return #"{"action":"\#(action)","params":\#(params)\#(version)}"#
  }

  /// Returns the whole response to an action, as JSON.
  func answer(_ action: String, _ params: String = "{}") throws -> Value {
    let text = send(Array(request(action, params).utf8)).text
    return try value(text)
  }

  /// Returns the result of an action that must succeed.
  @discardableResult
  func call(_ action: String, _ params: String = "{}", _ place: SourceLocation = #_sourceLocation) throws -> Value {
    let answer = try answer(action, params)
    if version ?? 4 <= 4 { return answer }
    let record = try #require(answer.record, sourceLocation: place)
    #expect(record.names.filter { $0 != "warnings" }.sorted() == ["error", "result"], sourceLocation: place)
    #expect(record["error"] == .null, "\(action): \(record["error"]?.text ?? "")", sourceLocation: place)
    return record["result"] ?? .null
  }

  /// Returns why an action was refused.
  func refusal(_ action: String, _ params: String = "{}") throws -> String? {
    let record = try answer(action, params).record
    #expect(record?["result"] == .null && record?.names.sorted() == ["error", "result"])
    return record?["error"]?.text
  }

  func value(_ text: String) throws -> Value {
    try JSONParser.parse(
      Array(text.utf8), limits: JSONLimits(bytes: 1 << 26, depth: 64, values: 1 << 20, string: 1 << 26))
  }

  var steps: [String] { get throws { try host.workspace.care.steps().map(\.name) } }
}

/// Two notes of a type that makes two cards of each.
struct Pairs {
  let client: Client
  let notes: [Int]
  let cards: [Int]

  init() throws {
    let client = try Client()
    self.client = client
    try client.call(
      "createModel",
      #"""
      {"modelName":"Pair","inOrderFields":["Word","Meaning"],"css":"* {}","cardTemplates":[
        {"Front":"{{Word}}","Back":"{{Meaning}}"},{"Front":"{{Meaning}}","Back":"{{Word}}"}]}
      """#)
    try client.call("createDeck", #"{"deck":"Spanish"}"#)
    notes = try ["uno", "dos"].map { word in
      let note =
        #"{"deckName":"Spanish","modelName":"Pair","fields":{"Word":"\#(word)","Meaning":"m \#(word)"},"tags":["\#(word)"]}"#
      return try client.call("addNote", #"{"note":\#(note)}"#).integer ?? 0
    }
    cards = try client.call("findCards", #"{"query":"deck:Spanish"}"#).numbers
  }
}

extension Value {
  var numbers: [Int] { (list ?? []).compactMap(\.integer) }
  var texts: [String] { (list ?? []).compactMap(\.text) }
}
