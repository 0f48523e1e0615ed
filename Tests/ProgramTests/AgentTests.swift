// `mcp` from the view of the program that an agent runs in: over pipes, beside another shell, and when it is killed.

import Glibc
import TestSupport
import Values

@Suite struct AgentTests {
  private let home = Home()

  private static let twoNotes =
    #"[{"prompt":"el perro","answer":"the **dog**","tags":["animal"]},{"prompt":"el gato","answer":"the cat"}]"#

  private func plan(_ agent: Agent, _ notes: String = twoNotes, deck: String = "Spanish") throws -> String {
    let answer = try agent.call("add_notes", #"{"deck":"\#(deck)","notes":\#(notes)}"#)
    return try #require(answer["plan"].value?.text, "\(answer)")
  }

  private func prompts() throws -> [String] {
    try home.run("card", "list", "--columns", "prompt").lines.dropFirst().map(\.self)
  }

  @Test func `both revisions of the protocol are spoken, each in its own words`() throws {
    let agent = try Agent(home)
    let found = agent.request("server/discover", "{}")["result"]
    #expect(found["resultType"].value == .text("complete") && found["ttlMs"].value?.integer != nil)
    #expect(found["supportedVersions"].value?.list?.first == .text("2026-07-28"))
    #expect(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"].value == .text("deckhand"))
    for (meta, code) in [
      ("{}", -32602), (#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#, -32602),
      (
        #"{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}"#,
        -32022
      ),
    ] {
      let error = agent.send("tools/list", #"{"_meta":\#(meta)}"#)["error"]
      #expect(error["code"].value?.integer == code, "\(meta)")
      if code == -32022 { #expect(error["data"]["requested"].value == .text("2031-01-01")) }
    }
    #expect(agent.request("ping", "{}")["error"]["code"].value?.integer == -32601)
    #expect(agent.request("tools/call", #"{"name":"rm","arguments":{}}"#)["error"]["code"].value?.integer == -32602)
    for (asked, given) in [("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2024-11-05", "2025-11-25")] {
      let hello = agent.send(
        "initialize", #"{"protocolVersion":"\#(asked)","capabilities":{},"clientInfo":{"name":"old"}}"#)["result"]
      #expect(hello["protocolVersion"].value == .text(given) && hello["resultType"].value == nil)
    }
    #expect(agent.send("ping", "{}")["result"].value == .record([]))
    #expect(agent.send("tools/list", "{}")["result"].value?.record?.names == ["tools"])
    for (line, code) in [("{", -32700), ("[]", -32600), (#"{"jsonrpc":"2.0"}"#, -32600)] {
      #expect(agent.exchange(line, id: nil)["error"]["code"].value?.integer == code, "\(line)")
    }
    agent.child.closeInput()
    #expect(agent.child.wait() == 0)
  }

  @Test
  func `there are twelve tools in a fixed order and fewer than 7,000 characters, and only readers with mcp.allow=read`()
    throws
  {
    let agent = try Agent(home)
    let tools = agent.request("tools/list", "{}")["result"]["tools"]
    #expect(
      try tools.elements().map { try $0["name"].text() } == [
        "decks", "search_cards", "show_cards", "forecast", "text_words", "add_notes", "update_notes", "change_cards",
        "remove_notes", "import_text", "apply", "undo",
      ])
    #expect(tools.value?.json(.compact).count ?? .max < 7000)
    let text = tools.value?.json(.compact) ?? ""
    #expect(!text.contains("outputSchema") && !text.contains("path") && !text.contains("url"))
    try home.run("set", "mcp.allow", "read")
    #expect(agent.request("tools/list", "{}")["result"]["tools"].value?.list?.count == 5)
    #expect(agent.request("tools/call", #"{"name":"apply","arguments":{"plan":"x"}}"#)["error"].value != nil)
  }

  @Test func `a plan changes nothing, is carried out once as one step that names the client, and is undone`() throws {
    let agent = try Agent(home)
    let answer = try agent.call("add_notes", #"{"deck":"Spanish","notes":\#(Self.twoNotes)}"#)
    #expect(agent.text.contains("| added | card | el perro | the dog; animal |"), "\(agent.text)")
    #expect(try answer["results"].elements().map { $0["outcome"].value } == [.text("added"), .text("added")])
    #expect(try prompts() == [])
    let plan = try answer["plan"].text()
    let done = try agent.call("apply", #"{"plan":"\#(plan)"}"#)
    #expect(done["name"].value == .text("creating the deck Spanish, adding 2 notes to Spanish (mcp tester)"))
    #expect(try prompts() == ["el perro", "el gato"])
    #expect(try agent.call("apply", #"{"plan":"\#(plan)"}"#).value == done.value)
    let guid = try done["results"].elements()[0]["guid"].text()
    let card = try agent.call("show_cards", #"{"guids":["\#(guid)","none"]}"#)["cards"].elements()
    #expect(card[0]["fields"]["Back"].value == .text("the **dog**"))
    #expect(card[1]["error"]["code"].value == .text("not_found"))
    let step = try done["step"].integer()
    #expect(try agent.call("undo", #"{"step":\#(step)}"#)["undone"].value == .boolean(true))
    #expect(try prompts() == [])
    #expect(try agent.call("apply", #"{"plan":"\#(plan)"}"#)["undone"].value == .boolean(true))
  }

  @Test func `a plan that was applied by a process that was killed gives the same result in the next one`() throws {
    let agent = try Agent(home)
    let plan = try plan(agent)
    agent.child.feed(agent.line("tools/call", #"{"name":"apply","arguments":{"plan":"\#(plan)"}}"#))
    // The answer is lost.
    _ = agent.child.next(milliseconds: 60_000)
    agent.child.kill(SIGKILL)
    _ = agent.child.wait()
    let next = try Agent(home)
    #expect(try next.call("apply", #"{"plan":"\#(plan)"}"#)["results"].elements().count == 2)
    #expect(try prompts() == ["el perro", "el gato"])
    let refused = try next.call("apply", #"{"plan":"plan-of-another"}"#)
    #expect(refused["error"]["code"].value == .text("not_found") && next.isError)
  }

  @Test func `a plan is refused if anything was changed since, and a step of another is not undone`() throws {
    let agent = try Agent(home)
    let plan = try plan(agent)
    try home.run("deck", "create", "German")
    #expect(try agent.call("apply", #"{"plan":"\#(plan)"}"#)["error"]["code"].value == .text("changed"))
    #expect(try agent.call("undo", #"{"step":1}"#)["error"]["code"].value == .text("not_here"))
    #expect(try home.run("deck", "list", "--json").lines.count == 1)
  }

  @Test func `each item has its own result, and nothing in it is taken for an option`() throws {
    let agent = try Agent(home)
    let notes =
      #"[{"prompt":"--help","answer":"-x"},{"prompt":""},{"type":"None","fields":{"A":"b"}},{"prompt":"a","answer":"b"},{"prompt":"a","answer":"b"}]"#
    let answer = try agent.call("add_notes", #"{"deck":"--json","notes":\#(notes)}"#)
    let codes = try answer["results"].elements().map { $0["error"]["code"].value ?? $0["outcome"].value }
    #expect(
      codes == [.text("added"), .text("empty_note"), .text("not_found"), .text("added"), .text("skipped")], "\(codes)")
    _ = try agent.call("apply", #"{"plan":"\#(answer["plan"].text())"}"#)
    #expect(
      try home.run("card", "list", "--columns", "prompt,answer", "--json").lines.first
        == #"{"prompt": "--help", "answer": "-x"}"#)
    for (tool, arguments, place) in [
      ("add_notes", #"{"deck":"D","notes":[]}"#, "/notes"), ("add_notes", #"{"deck":"D"}"#, "/notes"),
      ("search_cards", #"{"query":"a","limit":101}"#, "/limit"), ("decks", #"{"file":"/etc/passwd"}"#, "/file"),
      ("import_text", #"{"deck":"D","text":"a","format":"apkg"}"#, "/format"),
      ("change_cards", #"{"query":" ","flag":1}"#, "/query"), ("undo", #"{"step":"1"}"#, "/step"),
    ] {
      let error = try agent.call(tool, arguments)["error"]
      #expect(error["code"].value == .text("bad_value"), "\(tool) \(arguments)")
      #expect(try agent.isError && error["message"].text().contains(place), "\(error.value?.json ?? "")")
    }
    #expect(try agent.call("remove_notes", #"{"guids":["none"]}"#)["plan"].value == .null && agent.isError)
  }

  @Test func `edits, changes of all cards of a query, removals and imports show what they would change`() throws {
    let agent = try Agent(home)
    let done = try agent.apply("add_notes", #"{"deck":"Spanish","notes":\#(Self.twoNotes)}"#)
    let guids = try done["results"].elements().map { try $0["guid"].text() }
    _ = try agent.call("update_notes", #"{"notes":[{"guid":"\#(guids[1])","answer":"the tomcat","add_tags":["m"]}]}"#)
    #expect(agent.text.contains("answer: the cat → the tomcat") && agent.text.contains("tags:  → m"), "\(agent.text)")
    _ = try agent.apply("change_cards", #"{"query":"deck:Spanish","add_tags":["x"],"suspended":true,"flag":3}"#)
    #expect(try home.run("card", "list", "tag:x", "is:suspended", "flag:3", "--json").lines.count == 2)
    try home.run("deck", "create", "Old")
    _ = try agent.call("change_cards", #"{"query":"gato","deck":"Old"}"#)
    #expect(agent.text.contains("deck: Spanish → Old"), "\(agent.text)")
    let report = try agent.apply("import_text", #"{"deck":"New","text":"a;b\nc;\n","format":"csv"}"#)["results"]
      .elements()[0]
    #expect(report["added"].value == .integer(1) && report["rejected_count"].value == .integer(1))
    let removed = try agent.apply("remove_notes", #"{"guids":["\#(guids[0])","\#(guids[0])"]}"#)["results"].elements()
    #expect(removed.count { $0["error"].value != nil } == 1)
    #expect(try prompts() == ["a", "el gato"])
  }

  @Test func `with mcp.allow=ask the client asks the user first, and nothing that it makes up is consent`() throws {
    try home.run("set", "mcp.allow", "ask")
    let agent = try Agent(home, capabilities: #"{"elicitation":{"form":{}}}"#)
    let plan = try plan(agent)
    func apply(_ more: String) -> ValueReader {
      agent.request("tools/call", #"{"name":"apply","arguments":{"plan":"\#(plan)"}\#(more)}"#)["result"]
    }
    let accepted = #""inputResponses":{"apply":{"action":"accept","content":{}}}"#
    #expect(apply(#",\#(accepted)"#)["resultType"].value == .text("input_required"))
    let asked = apply(#",\#(accepted),"requestState":"x""#)
    #expect(asked["resultType"].value == .text("input_required"))
    let form = asked["inputRequests"]["apply"]
    #expect(form["method"].value == .text("elicitation/create"))
    #expect(try form["params"]["message"].text().contains("el perro"))
    let state = try asked["requestState"].text()
    let declined = apply(#","inputResponses":{"apply":{"action":"decline"}},"requestState":"\#(state)""#)
    #expect(declined["structuredContent"]["error"]["code"].value == .text("cancelled"))
    // An answer counts once.
    let again = apply(#",\#(accepted),"requestState":"\#(state)""#)
    let fresh = try again["requestState"].text()
    #expect(try fresh != state && prompts() == [])
    #expect(apply(#",\#(accepted),"requestState":"\#(fresh)""#)["structuredContent"]["step"].value?.integer != nil)
    #expect(try prompts().count == 2)
    let mute = try Agent(home)
    #expect(
      try mute.call("apply", #"{"plan":"\#(self.plan(mute, deck: "Other"))"}"#)["error"]["code"].value
        == .text("not_here"))
  }

  @Test
  func `with mcp.decks the cards of other decks are neither shown nor changed, and mcp.allow=write needs no plan`()
    throws
  {
    try home.run("set", "mcp.allow", "write")
    let agent = try Agent(home)
    let secret = try agent.call("add_notes", #"{"deck":"Secret","notes":[{"prompt":"mine","answer":"own"}]}"#)
    #expect(secret["step"].value?.integer != nil)
    _ = try agent.call("add_notes", #"{"deck":"Old words::A","notes":[{"prompt":"uno","answer":"one"}]}"#)
    let guid = try secret["results"].elements()[0]["guid"].text()
    try home.run("set", "mcp.decks", "'Old words'")
    #expect(
      try agent.call("decks", "{}")["decks"].elements().map { $0["name"].value } == [
        .text("Old words"), .text("Old words::A"),
      ])
    #expect(try agent.call("search_cards", #"{"query":"mine or uno or deck:Secret"}"#)["total"].value == .integer(1))
    #expect(try agent.call("show_cards", #"{"guids":["\#(guid)"]}"#)["cards"].elements()[0]["error"].value != nil)
    _ = try agent.call("remove_notes", #"{"guids":["\#(guid)"]}"#)
    #expect(agent.isError)
    for tool in [
      #"add_notes","arguments":{"deck":"Secret","notes":[{"prompt":"a","answer":"b"}]}"#,
      #"change_cards","arguments":{"query":"uno","deck":"Secret"}"#,
    ] {
      let result = agent.request("tools/call", #"{"name":"\#(tool)}"#)["result"]
      #expect(result["structuredContent"]["error"]["code"].value == .text("not_found"), "\(tool)")
    }
    #expect(try prompts().sorted() == ["mine", "uno"])
  }

  @Test func `a long import tells its progress, and one that is cancelled has no answer and changes nothing`() throws {
    let agent = try Agent(home)
    let text = (0..<40_000).map { "p\($0),a\\n" }.joined()
    let call =
      #"{"name":"import_text","arguments":{"deck":"D","text":"\#(text)","format":"csv"},"_meta":{"progressToken":7,\#(agent.meta)}}"#
    // Cancelled while it runs, not while it waits.
    let progress = agent.exchange(agent.line("tools/call", call, meta: "")) {
      $0["method"].value == .text("notifications/progress")
    }
    #expect(progress["params"]["progressToken"].value == .integer(7))
    agent.child.feed(
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(agent.number)}}"# + "\n")
    let next = agent.request("tools/list", "{}")
    #expect(next["result"].value != nil)
    #expect(!agent.said.contains { $0["id"].value?.integer == agent.number - 1 })
    #expect(try agent.call("decks", "{}")["decks"].value == .list([]))
  }
}

/// A client of `mcp` that speaks the newest revision.
private final class Agent {
  let child: Child
  let meta: String
  private(set) var number = 0
  private(set) var said: [ValueReader] = []
  private(set) var text = ""
  private(set) var isError = false
  private var bytes: [UInt8] = []

  init(_ home: Home, capabilities: String = "{}") throws {
    child = try home.start(["mcp"])
    let prefix = "io.modelcontextprotocol"
    meta =
      #""\#(prefix)/protocolVersion":"2026-07-28","\#(prefix)/clientCapabilities":\#(capabilities),"\#(prefix)/clientInfo":{"name":"tester","version":"1"}"#
  }

  /// A request; its parameters are an object, to which the client adds what each request has.
  func line(_ method: String, _ parameters: String, meta: String? = nil) -> String {
    number += 1
    let more = meta ?? #""_meta":{\#(self.meta)}"#
    let comma = more.isEmpty || parameters == "{}" ? "" : ","
    return
      #"{"jsonrpc":"2.0","id":\#(number),"method":"\#(method)","params":\#(parameters.dropLast())\#(comma)\#(more)}}"#
      + "\n"
  }

  func request(_ method: String, _ parameters: String) -> ValueReader { exchange(line(method, parameters), id: number) }

  /// Sends a line and waits for the answer with the id, or for one with the id null.
  func exchange(_ line: String, id: Int?) -> ValueReader {
    exchange(line) { $0["id"].value == id.map { .integer($0) } ?? .null }
  }

  func send(_ method: String, _ parameters: String) -> ValueReader {
    exchange(line(method, parameters, meta: ""), id: number)
  }

  /// - Returns: what the tool answers to programs.
  func call(_ tool: String, _ arguments: String) throws -> ValueReader {
    let result = request("tools/call", #"{"name":"\#(tool)","arguments":\#(arguments)}"#)["result"]
    text = try result["content"].elements().first?["text"].text() ?? ""
    isError = try result["isError"].boolean()
    return result["structuredContent"]
  }

  func apply(_ tool: String, _ arguments: String) throws -> ValueReader {
    try call("apply", #"{"plan":"\#(call(tool, arguments)["plan"].text())"}"#)
  }

  func exchange(_ line: String, until isWanted: (ValueReader) -> Bool) -> ValueReader {
    child.feed(line.hasSuffix("\n") ? line : line + "\n")
    while true {
      while let end = bytes.firstIndex(of: 0x0A) {
        let limits = JSONLimits(bytes: 1 << 24, depth: 64, values: 1 << 20, string: 1 << 24)
        let message = Result { ValueReader(try JSONParser.parse(Array(bytes[..<end]), limits: limits)) }
        bytes.removeSubrange(...end)
        guard case .success(let message) = message else { return ValueReader(.null) }
        said.append(message)
        if isWanted(message) { return message }
      }
      let more = child.next(milliseconds: 60_000)
      if more.isEmpty { return ValueReader(.null) }
      bytes += more
    }
  }
}
