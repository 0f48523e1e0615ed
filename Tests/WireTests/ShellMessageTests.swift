// Messages between `serve` and a shell survive encoding and decoding; malformed ones are refused.

import TestSupport
import Testing
import Values
import Wire

@Suite struct ShellMessageTests {
  @Test(arguments: ShellRequest.Kind.allCases)
  func `a request survives encoding and decoding`(kind: ShellRequest.Kind) throws {
    let request = ShellRequest(kind, number: 1_700_000_000_123, text: "deck:\"A::ñ\" \n", origin: "Yomitan, guiBrowse")
    #expect(syncHead(JSONWriter.bytes(of: request.value)).flatMap(ShellRequest.init) == request)
  }

  @Test(arguments: [
    ShellReply.done(true), .done(false), .busy, .studied(nil), .studied(StudyState(card: 7, choices: [])),
    .studied(StudyState(card: 7, choices: [.init(1, 60), .init(2, 0.5), .init(4, nil)])),
  ])
  func `a reply survives encoding and decoding`(reply: ShellReply) throws {
    #expect(syncHead(JSONWriter.bytes(of: reply.value)).flatMap(ShellReply.init) == reply)
  }

  @Test func `a malformed message is refused`() throws {
    let request = ShellRequest(.answer, number: 3, origin: "x").value
    for name in ["kind", "number", "text", "origin"] {
      let fields = (request.record?.fields ?? []).map { ($0.name, $0.name == name ? Value.list([]) : $0.value) }
      #expect(ShellRequest(.record(fields)) == nil, "\(name)")
    }
    #expect(ShellRequest(.record([("kind", .text("quit")), ("number", .integer(1))])) == nil)
    for text in ["{}", "[]", "null", #"{"done":1}"#, #"{"card":"x","choices":[]}"#, #"{"busy":false}"#, "{", ""] {
      #expect(syncHead(Array(text.utf8)).flatMap(ShellReply.init) == nil, "\(text)")
    }
    var random = TestGenerator(11)
    let bytes = JSONWriter.bytes(of: ShellReply.studied(StudyState(card: 7, choices: [.init(1, 60)])).value)
    for _ in 0..<2000 {
      var changed = bytes
      for _ in 0..<3 {
        changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let request = syncHead(changed).flatMap(ShellRequest.init) { Issue.record("\(request)") }
      _ = syncHead(changed).flatMap(ShellReply.init)
    }
  }
}
