// `serve` from the view of other programs: over HTTP, from several at once, beside another shell, and with input that
// is not HTTP.

import Glibc
import TestSupport

@Suite struct ServeTests {
  private let home = Home()
  private let shell: PseudoTerminal
  private let client: ServeClient
  private var port: UInt16 { client.port }

  init() throws {
    try home.run("deck", "create", "Spanish")
    shell = try home.terminal("serve", "--port", "0")
    client = try ServeClient(shell)
  }

  private func add(_ front: String) -> String {
    #"{"action":"addNote","version":6,"params":{"note":{"deckName":"Spanish","modelName":"Basic","fields":{"Front":"\#(front)","Back":"b"}}}}"#
  }

  @Test func `a note is added, seen by a shell beside it, and removed by one undo step`() throws {
    let answer = try client.post(add("uno"), "Origin: moz-extension://3f1c")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK"), "\(answer)")
    #expect(answer.contains("Access-Control-Allow-Origin: moz-extension://3f1c\r\n"))
    #expect(
      client.body(answer).hasPrefix(#"{"result":1"#) && client.body(answer).hasSuffix(#","error":null}"#), "\(answer)")
    #expect(try home.run("card", "list").output.contains("uno"))
    #expect(try home.run("undo", "--list").output.contains("adding 1 note to Spanish (moz-extension://3f1c, addNote)"))
    try home.run("card", "add", "Spanish", "dos", "two")
    #expect(
      try client.body(client.post(#"{"action":"findNotes","version":6,"params":{"query":"dos"}}"#)).hasPrefix(
        #"{"result":[1"#))
    try home.run("undo", "2")
    #expect(
      try client.body(client.post(#"{"action":"findCards","version":6,"params":{"query":"uno"}}"#)).contains(
        #""result":[]"#))
    // A program that is not a browser is identified by its user agent.
    for (word, agent, name) in [("tres", "User-Agent: anki-editor/0.3", "anki-editor"), ("seis", "X-None: 1", "serve")]
    {
      #expect(try client.post(add(word), agent).hasPrefix("HTTP/1.1 200 OK"))
      #expect(try home.run("undo", "--list").output.contains("adding 1 note to Spanish (\(name), addNote)"))
    }
    #expect(shell.ended(after: "\u{03}") == 0)
    #expect(shell.output.contains("Stopped listening. Done: 5 actions."))
  }

  @Test func `a browser's preflight request is answered, and other pages are asked for once`() throws {
    let extensionLine = "Origin: chrome-extension://abc"
    let preflight = try client.exchange(
      Array(client.head("OPTIONS", length: nil, [extensionLine, "Access-Control-Request-Private-Network: true"]).utf8))
    #expect(preflight.hasPrefix("HTTP/1.1 200"), "\(preflight)")
    #expect(preflight.contains("Access-Control-Allow-Private-Network: true"))
    #expect(try client.exchange(Array(client.head("GET", length: nil).utf8)).hasSuffix("AnkiConnect v.6"))
    let page = "Origin: app://obsidian.md"
    #expect(try client.post(#"{"action":"version"}"#, page).hasPrefix("HTTP/1.1 403"))
    #expect(try client.exchange(Array(client.head("OPTIONS", length: nil, [page]).utf8)).hasPrefix("HTTP/1.1 403"))
    let ask = #"{"action":"requestPermission","version":6}"#
    // Keys typed before the question do not answer it.
    shell.type("y\r", showing: "y\r\n")
    #expect(try client.body(client.post(ask, page)).contains("denied"))
    shell.wait(for: "[y/N]")
    // Nobody waits for the answer, and no other page adds a question.
    #expect(try client.body(client.post(ask, "Origin: https://other.example")).contains("denied"))
    #expect(try client.body(client.post(#"{"action":"version","version":6}"#)).contains(#""result":6"#))
    // What another shell sets during the question is kept.
    try home.run("set", "serve.origins", "https://late.example")
    shell.type("y\r", showing: "have access from now on")
    #expect(!shell.output.contains("other.example"))
    #expect(try client.body(client.post(ask, page)).contains("granted"))
    #expect(try client.post(#"{"action":"version"}"#, page).hasSuffix("\r\n\r\n6"))
    try home.run("set", "serve.origins").succeeds("app://obsidian.md", "https://late.example")
    // A key that another shell sets is valid from then on.
    try home.run("set", "serve.key", "secret")
    #expect(
      try client.body(client.post(#"{"action":"version","version":6}"#)).contains("valid api key must be provided"))
    #expect(try client.body(client.post(#"{"action":"version","version":6,"key":"secret"}"#)).contains(#""result":6"#))
  }

  @Test func `several clients at once and a shell beside them lose nothing`() throws {
    let clients = try (0..<4).map { _ in try client.connected() }
    let adding = try home.start([
      "-e", "for i = 1, 20 do decks.open('Spanish'):add{prompt = 's' .. i, answer = 'x'} end",
    ])
    for (number, socket) in clients.enumerated() {
      let actions = (0..<10).map { add("c\(number)-\($0)") }.joined(separator: ",")
      let text = #"{"action":"multi","version":6,"params":{"actions":[\#(actions)]}}"#
      writeAll(Array((client.head(length: text.utf8.count) + text).utf8), to: socket)
    }
    for socket in clients {
      let text = client.body(client.answer(on: socket))
      #expect(text.components(separatedBy: #""error":null"#) == 12, "\(text)")
      close(socket)
    }
    #expect(try adding.finish(input: "").status == 0)
    #expect(try home.lua("print(#decks.open('Spanish'))").output == "60\n")
    #expect(try home.run("doctor", "cards").status == 0)
  }

  @Test func `foreign hosts and oversized requests are refused`() throws {
    for host in ["evil.example:\(port)", "127.0.0.1", "127.0.0.1:1", "localhost.evil.org:\(port)", ""] {
      let answer = try client.post(#"{"action":"version"}"#, host: host)
      #expect(answer.hasPrefix("HTTP/1.1 403") || answer.hasPrefix("HTTP/1.1 400"), "\(host): \(answer)")
    }
    for host in ["localhost:\(port)", "LOCALHOST:\(port)", "[::1]:\(port)"] {
      #expect(try client.post(#"{"action":"version"}"#, host: host).hasSuffix("\r\n6"))
    }
    #expect(try client.exchange(Array(client.head("PUT", length: 0).utf8)).hasPrefix("HTTP/1.1 405"))
    #expect(try client.exchange(Array(client.head(length: 1 << 30).utf8)).hasPrefix("HTTP/1.1 413"))
    #expect(try client.exchange(Array(client.head(length: 95_000_000).utf8)).hasPrefix("HTTP/1.1 413"))
    let long = Array((client.head(length: 2, ["X-Long: " + String(repeating: "x", count: 100_000)]) + "{}").utf8)
    #expect(try client.exchange(long, isTaken: false).hasPrefix("HTTP/1.1 4"))
  }

  @Test func `input that is not HTTP, or breaks off, disturbs no other client`() throws {
    var random = TestGenerator(3)
    let starts: [[UInt8]] = [
      [], Array("GET".utf8), Array("POST / HTTP/9.9\r\n\r\n".utf8), Array("\r\n\r\n\r\n".utf8),
      Array("POST / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: -5\r\n\r\n".utf8),
      Array("POST / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 99999999999999999999999\r\n\r\n".utf8),
      Array("POST / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".utf8),
      Array("POST / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nHost: evil\r\nContent-Length: 2\r\n\r\n{}".utf8),
      Array(client.head(length: 100).utf8), [0x16, 0x03, 0x01, 0x02, 0x00],
    ]
    for bytes in starts { _ = try client.exchange(bytes, milliseconds: 50) }
    for _ in 0..<200 {
      var bytes = Array((client.head(length: 20, ["Origin: x"]) + #"{"action":"version"}"#).utf8)
      for _ in 0..<Int.random(in: 1..<6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      let socket = try client.connected()
      writeAll(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))), to: socket)
      close(socket)
    }
    #expect(try client.post(#"{"action":"version"}"#).hasSuffix("\r\n6"))
    // Idle connections, and those with half a request, give way to new ones.
    for start in ["", "POST / HT", client.head(length: 100) + "{"] {
      let idle = try (0..<40).map { _ in try client.connected() }
      for socket in idle { writeAll(Array(start.utf8), to: socket) }
      #expect(try client.post(#"{"action":"version"}"#).hasSuffix("\r\n6"), "\(start)")
      for socket in idle { close(socket) }
    }
    #expect(try home.run("doctor", "cards").status == 0)
  }

  @Test func `a small request for large data uses bounded memory, and is reported`() throws {
    let path = try home.write([UInt8](repeating: 0x41, count: 20 << 20), to: "long.mp3")
    #expect(
      try client.body(
        client.post(#"{"action":"storeMediaFile","version":6,"params":{"filename":"long.mp3","path":"\#(path)"}}"#)
      ).contains(#""error":null"#))
    let one = #"{"action":"retrieveMediaFile","version":6,"params":{"filename":"long.mp3"}}"#
    let actions = Array(repeating: one, count: 60).joined(separator: ",")
    let answer = try client.post(#"{"action":"multi","version":6,"params":{"actions":[\#(actions)]}}"#)
    #expect(answer.components(separatedBy: "the answer to one request has at most 128 MiB") == 57)
    let peak = text(of: "/proc/\(shell.process)/status").components(after: "VmHWM:").drop { !$0.isNumber }
    #expect(Int(peak.prefix { $0.isNumber }) ?? .max < 500 << 10, "\(peak.prefix(20))")
  }

  @Test func `a second server on one port is refused; a signal ends the first, and deckhand-net with it`() throws {
    try home.run("serve", "--port", "\(port)").fails("another program listens on port \(port)")
    #expect(try home.run("serve", "--port", "70000").status == 2)
    shell.signal(SIGTERM)
    #expect(shell.ended() == 128 + SIGTERM)
    #expect(waits { socketIsClosed })
  }

  private var socketIsClosed: Bool {
    guard let socket = client.connection() else { return true }
    close(socket)
    return false
  }
}
