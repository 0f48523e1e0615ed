// `serve` as other programs meet it: over HTTP, from several at once, beside another shell, and with what is no HTTP.

import Glibc
import TestSupport
import Testing

@Suite struct ServeTests {
  private let home: Home
  private let shell: PseudoTerminal
  private let port: UInt16

  init() throws {
    home = try Home()
    try home.run("deck", "create", "Spanish")
    shell = try home.terminal("serve", "--port", "0")
    let line = shell.wait(for: "Ctrl-C", seconds: 20)
    let digits = line.components(after: "127.0.0.1:").prefix { $0.isNumber }
    port = try #require(UInt16(digits), "\(line)")
  }

  // MARK: As a client

  /// Sends bytes and gives all that comes until the other end closes, or nothing came for so long.
  /// - Parameter isTaken: whether all of it is read there; what is refused in its middle may not be.
  private func exchange(_ bytes: [UInt8], milliseconds: Int32 = 10_000, isTaken: Bool = true) throws -> String {
    let socket = try connected()
    defer { close(socket) }
    let isWritten = writeAll(bytes, to: socket)
    #expect(isWritten || !isTaken)
    return answer(on: socket, milliseconds)
  }

  private func connected() throws -> Int32 { try #require(connection()) }

  /// Nil where nobody listens.
  private func connection() -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  private func answer(on socket: Int32, _ milliseconds: Int32 = 10_000) -> String {
    var bytes: [UInt8] = []
    while !readable([socket], milliseconds: milliseconds).isEmpty {
      let some = readSome(socket)
      if some.isEmpty { break }
      bytes += some
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func head(_ method: String = "POST", length: Int?, host: String? = nil, _ more: [String] = []) -> String {
    let host = host ?? "127.0.0.1:\(port)"
    let lines =
      ["\(method) / HTTP/1.1", "Host: \(host)", "Connection: close"] + (length.map { ["Content-Length: \($0)"] } ?? [])
    return (lines + more).joined(separator: "\r\n") + "\r\n\r\n"
  }

  private func post(_ body: String, host: String? = nil, _ more: String...) throws -> String {
    try exchange(Array((head(length: body.utf8.count, host: host, more) + body).utf8))
  }

  private func body(_ answer: String) -> String { answer.components(after: "\r\n\r\n") }

  private func add(_ front: String) -> String {
    #"{"action":"addNote","version":6,"params":{"note":{"deckName":"Spanish","modelName":"Basic","fields":{"Front":"\#(front)","Back":"b"}}}}"#
  }

  // MARK: What is right

  @Test func `a note comes in, is seen by a shell beside it, and one step of undo takes it away`() throws {
    let answer = try post(add("uno"), "Origin: moz-extension://3f1c")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK"), "\(answer)")
    #expect(answer.contains("Access-Control-Allow-Origin: moz-extension://3f1c\r\n"))
    #expect(body(answer).hasPrefix(#"{"result":1"#) && body(answer).hasSuffix(#","error":null}"#), "\(answer)")
    #expect(try home.run("card", "list").output.contains("uno"))
    #expect(try home.run("undo", "--list").output.contains("adding 1 note to Spanish (moz-extension://3f1c, addNote)"))
    try home.run("card", "add", "Spanish", "dos", "two")
    #expect(try body(post(#"{"action":"findNotes","version":6,"params":{"query":"dos"}}"#)).hasPrefix(#"{"result":[1"#))
    try home.run("undo", "2")
    #expect(try body(post(#"{"action":"findCards","version":6,"params":{"query":"uno"}}"#)).contains(#""result":[]"#))
    // A program that is no browser is known by what it calls itself.
    for (word, agent, name) in [("tres", "User-Agent: anki-editor/0.3", "anki-editor"), ("seis", "X-None: 1", "serve")]
    {
      #expect(try post(add(word), agent).hasPrefix("HTTP/1.1 200 OK"))
      #expect(try home.run("undo", "--list").output.contains("adding 1 note to Spanish (\(name), addNote)"))
    }
    shell.type("\u{03}")
    #expect(shell.ended() == 0)
    #expect(shell.output.contains("Nothing listens any more. Done: 5 actions."))
  }

  @Test func `what a browser asks before is answered, and other pages are asked for once`() throws {
    let extensionLine = "Origin: chrome-extension://abc"
    let preflight = try exchange(
      Array(head("OPTIONS", length: nil, [extensionLine, "Access-Control-Request-Private-Network: true"]).utf8))
    #expect(preflight.hasPrefix("HTTP/1.1 200"), "\(preflight)")
    #expect(preflight.contains("Access-Control-Allow-Private-Network: true"))
    #expect(try exchange(Array(head("GET", length: nil).utf8)).hasSuffix("AnkiConnect v.6"))
    let page = "Origin: app://obsidian.md"
    #expect(try post(#"{"action":"version"}"#, page).hasPrefix("HTTP/1.1 403"))
    #expect(try exchange(Array(head("OPTIONS", length: nil, [page]).utf8)).hasPrefix("HTTP/1.1 403"))
    let ask = #"{"action":"requestPermission","version":6}"#
    // What was typed before it asks does not answer.
    shell.type("y\r")
    shell.wait(for: "y\r\n")
    for (origin, key, words) in [("Origin: https://other.example", "n", "denied"), (page, "y", "granted")] {
      let socket = try connected()
      defer { close(socket) }
      writeAll(Array((head(length: ask.utf8.count, [origin]) + ask).utf8), to: socket)
      shell.wait(for: "[y/N]")
      shell.type(key + "\r")
      #expect(body(answer(on: socket)).contains(words))
    }
    #expect(try post(#"{"action":"version"}"#, page).hasSuffix("\r\n\r\n6"))
    #expect(try home.run("set", "serve.origins").output.contains("app://obsidian.md"))
    // A key that another shell sets holds from then on.
    try home.run("set", "serve.key", "secret")
    #expect(try body(post(#"{"action":"version","version":6}"#)).contains("valid api key must be provided"))
    #expect(try body(post(#"{"action":"version","version":6,"key":"secret"}"#)).contains(#""result":6"#))
  }

  @Test func `several clients at once and a shell beside them lose nothing`() throws {
    let clients = try (0..<4).map { _ in try connected() }
    let adding = try Child(
      home.words(["-e", "for i = 1, 20 do decks.open('Spanish'):add{prompt = 's' .. i, answer = 'x'} end"]),
      environment: home.environment)
    for (number, socket) in clients.enumerated() {
      let actions = (0..<10).map { add("c\(number)-\($0)") }.joined(separator: ",")
      let text = #"{"action":"multi","version":6,"params":{"actions":[\#(actions)]}}"#
      writeAll(Array((head(length: text.utf8.count) + text).utf8), to: socket)
    }
    for socket in clients {
      let text = body(answer(on: socket))
      #expect(text.components(separatedBy: #""error":null"#) == 12, "\(text)")
      close(socket)
    }
    #expect(try adding.finish(input: "").status == 0)
    #expect(try home.run("-e", "print(#decks.open('Spanish'))").output == "60\n")
    #expect(try home.run("doctor", "cards").status == 0)
  }

  // MARK: What is wrong

  @Test func `hosts that are not this machine, and what is too long, are refused`() throws {
    for host in ["evil.example:\(port)", "127.0.0.1", "127.0.0.1:1", "localhost.evil.org:\(port)", ""] {
      let answer = try post(#"{"action":"version"}"#, host: host)
      #expect(answer.hasPrefix("HTTP/1.1 403") || answer.hasPrefix("HTTP/1.1 400"), "\(host): \(answer)")
    }
    for host in ["localhost:\(port)", "LOCALHOST:\(port)", "[::1]:\(port)"] {
      #expect(try post(#"{"action":"version"}"#, host: host).hasSuffix("\r\n6"))
    }
    #expect(try exchange(Array(head("PUT", length: 0).utf8)).hasPrefix("HTTP/1.1 405"))
    #expect(try exchange(Array(head(length: 1 << 30).utf8)).hasPrefix("HTTP/1.1 413"))
    #expect(try exchange(Array(head(length: 95_000_000).utf8)).hasPrefix("HTTP/1.1 413"))
    let long = Array((head(length: 2, ["X-Long: " + String(repeating: "x", count: 100_000)]) + "{}").utf8)
    #expect(try exchange(long, isTaken: false).hasPrefix("HTTP/1.1 4"))
  }

  @Test func `what is no HTTP, or breaks off, disturbs nobody`() throws {
    var random = TestGenerator(3)
    let starts: [[UInt8]] = [
      [], Array("GET".utf8), Array("POST / HTTP/9.9\r\n\r\n".utf8), Array("\r\n\r\n\r\n".utf8),
      Array("POST / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: -5\r\n\r\n".utf8),
      Array("POST / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 99999999999999999999999\r\n\r\n".utf8),
      Array("POST / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".utf8),
      Array("POST / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nHost: evil\r\nContent-Length: 2\r\n\r\n{}".utf8),
      Array(head(length: 100).utf8), [0x16, 0x03, 0x01, 0x02, 0x00],
    ]
    for bytes in starts { _ = try exchange(bytes, milliseconds: 50) }
    for _ in 0..<200 {
      var bytes = Array((head(length: 20, ["Origin: x"]) + #"{"action":"version"}"#).utf8)
      for _ in 0..<Int.random(in: 1..<6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      let socket = try connected()
      writeAll(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))), to: socket)
      close(socket)
    }
    #expect(try post(#"{"action":"version"}"#).hasSuffix("\r\n6"))
    // Silent connections, and those with half a request, give way to new ones.
    for start in ["", "POST / HT", head(length: 100) + "{"] {
      let idle = try (0..<40).map { _ in try connected() }
      for socket in idle { writeAll(Array(start.utf8), to: socket) }
      #expect(try post(#"{"action":"version"}"#).hasSuffix("\r\n6"), "\(start)")
      for socket in idle { close(socket) }
    }
    #expect(try home.run("doctor", "cards").status == 0)
  }

  @Test func `a small request for much takes bounded memory, and is told`() throws {
    let path = try home.write([UInt8](repeating: 0x41, count: 20 << 20), to: "long.mp3")
    #expect(
      try body(
        post(#"{"action":"storeMediaFile","version":6,"params":{"filename":"long.mp3","path":"\#(path)"}}"#)
      ).contains(#""error":null"#))
    let one = #"{"action":"retrieveMediaFile","version":6,"params":{"filename":"long.mp3"}}"#
    let actions = Array(repeating: one, count: 60).joined(separator: ",")
    let answer = try post(#"{"action":"multi","version":6,"params":{"actions":[\#(actions)]}}"#)
    #expect(answer.components(separatedBy: "the answer to one request has at most 128 MiB") == 57)
    let peak = text(of: "/proc/\(shell.process)/status").components(after: "VmHWM:").drop { !$0.isNumber }
    #expect(Int(peak.prefix { $0.isNumber }) ?? .max < 500 << 10, "\(peak.prefix(20))")
  }

  @Test func `two at one port: the second is told; a signal ends it, and deckhand-net with it`() throws {
    let second = try home.run("serve", "--port", "\(port)")
    #expect(second.status == 1)
    #expect(second.errors.contains("another program listens at the port \(port)"), "\(second.errors)")
    #expect(try home.run("serve", "--port", "70000").status == 2)
    shell.signal(SIGTERM)
    #expect(shell.ended() == 128 + SIGTERM)
    #expect(waits { socketIsClosed })
  }

  private var socketIsClosed: Bool {
    guard let socket = connection() else { return true }
    close(socket)
    return false
  }
}

extension String {
  /// What comes after the first place of a text.
  fileprivate func components(after text: String) -> String {
    firstRange(of: text).map { String(self[$0.upperBound...]) } ?? ""
  }

  /// How many parts it has between places of a text.
  fileprivate func components(separatedBy text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count
  }
}
