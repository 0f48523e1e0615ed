// deckhand-net with a server that responds badly (`StandIn/server.py`): each fault is reported, and nothing of the
// response is kept.

import Files
import Glibc
import Problems
import TestSupport
import Values
import Wire

@testable import Sync

/// The stand-in server while it runs; it ends with the value.
final class StandIn {
  let port: Int
  private let folder = TemporaryFolder()
  private let process: pid_t
  private let input: Int32

  init(isEncrypted: Bool = false) throws {
    let folder = sourceRoot() + "/Tests/SyncTests/StandIn/"
    let (given, answers) = try (makePipe(), makePipe())
    let words = ["/usr/bin/python3", folder + "server.py"]
    process = try spawn(
      words + (isEncrypted ? [folder + "certificate.pem", folder + "key.pem"] : []), environment: ["PATH=/usr/bin:/bin"]
    ) { actions in
      posix_spawn_file_actions_adddup2(&actions, given.reading, 0)
      posix_spawn_file_actions_adddup2(&actions, answers.writing, 1)
    }
    close(given.reading)
    close(answers.writing)
    input = given.writing
    defer { close(answers.reading) }
    let text = String(decoding: readSome(answers.reading), as: UTF8.self)
    port = try #require(Int(text.split(separator: "\n").first ?? ""), "python3 did not start the stand-in: \(text)")
    try self.folder.write("a-key", to: "key")
    chmod(keyPath, 0o600)
  }

  private var keyPath: String { folder.file("key") }

  /// - Parameter mode: how it answers.
  func server(_ mode: String) -> SyncServer {
    SyncServer(.built, address: "http://127.0.0.1:\(port)/\(mode)/", session: "abc", keyPath: keyPath)
  }

  func mediaServer(_ mode: String) -> MediaServer {
    MediaServer(.built, address: "http://127.0.0.1:\(port)/\(mode)/", session: "abc", keyPath: keyPath)
  }

  /// Returns the paths that were requested.
  func heard() throws -> [String] { try told("heard") }

  /// Returns the calls of the collection's sync that were made.
  func called() throws -> [String] {
    try told("called/x").compactMap { $0.split(separator: "/").last.map(String.init) }
  }

  private func told(_ call: String) throws -> [String] {
    let request = SyncRequest(call: call, address: "http://127.0.0.1:\(port)/", session: "a", keyPath: keyPath)
    return try #require(SyncProgram.built.call(request, []).answer.list).compactMap(\.text)
  }

  deinit {
    close(input)
    _ = waitForEnd(process)
  }
}

@Suite struct BadServerTests {
  private let standIn: StandIn

  init() throws { standIn = try StandIn() }

  private let folder = TemporaryFolder()

  private func server(_ address: String, timeout: Int = 20) throws -> SyncServer {
    try folder.write("a-key", to: "key")
    chmod(folder.file("key"), 0o600)
    let server = SyncServer(.built, address: address, session: "abc", keyPath: folder.file("key"))
    server.timeout = timeout
    return server
  }

  private func fault(_ body: () throws -> Void) -> SyncFault? {
    do {
      try body()
      return nil
    } catch SyncError.call(let fault, step: _, address: _) {
      return fault
    } catch {
      Issue.record(error)
      return nil
    }
  }

  @Test func `a malformed response is reported, whatever is wrong with it`() throws {
    for (mode, words) in [
      ("garbage", "cannot be unpacked"), ("page", "does not give its size"), ("text", "is not JSON"),
      ("list", "does not say what the server has"), ("types", "does not say what the server has"),
      ("lastusn", "does not say what the server has"),
      ("deep", "is not JSON"), ("bomb", "is larger than it says"), ("largebomb", "is larger than 64 MiB"),
      ("window", "cannot be unpacked"), ("nosize", "does not give its size"), ("small", "is smaller than it says"),
      ("big", "is larger than it says"), ("negative", "invalid size header"), ("words", "invalid size header"),
      ("half", "is truncated"), ("two", "cannot be unpacked"), ("headers", "has too many headers"),
    ] {
      let server = try server("http://127.0.0.1:\(standIn.port)/\(mode)/")
      guard case .badAnswer(let reason)? = fault({ _ = try server.meta() }) else {
        Issue.record("\(mode) was taken for an answer")
        continue
      }
      #expect(reason.contains(words), "\(mode): \(reason)")
    }
  }

  @Test func `each HTTP status is reported by its number`() throws {
    let server = try server("http://127.0.0.1:\(standIn.port)/")
    for (status, code) in [
      (403, "not_signed_in"), (409, "busy"), (400, "server_refused"), (404, "no_server"), (405, "no_server"),
      (302, "no_server"), (413, "too_large"), (500, "server_failed"), (502, "server_failed"), (503, "server_failed"),
      (501, "newer"), (204, "server_failed"),
    ] {
      let other = SyncServer(
        .built,
        address: server.address + "\(status)/", session: "abc", keyPath: folder.file("key"))
      do throws(SyncError) {
        _ = try other.meta()
        Issue.record("\(status) was taken for an answer")
      } catch {
        #expect(error.code == code, "\(status)")
        #expect(error.message.utf8.count < 700, "\(error.message)")
      }
    }
  }

  @Test func `a connection that breaks, is silent or cannot be made counts as offline`() throws {
    let base = "http://127.0.0.1:\(standIn.port)/"
    for (address, isSilent) in [(base + "cut/", false), (base + "silent/", true), ("http://127.0.0.1:1/", false)] {
      let server = try server(address, timeout: isSilent ? 2 : 20)
      do throws(SyncError) { _ = try server.meta() } catch {
        #expect(error.code == "offline", "\(address): \(error)")
        if case .call(.silent, step: _, address: _) = error {
          #expect(isSilent)
        } else {
          #expect(!isSilent, "\(error)")
        }
      }
    }
    let server = try server(base + "nohttp/", timeout: 2)
    #expect(throws: SyncError.self) { try server.meta() }
  }

  @Test func `redirects are followed a few times, and only to a server`() throws {
    let base = "http://127.0.0.1:\(standIn.port)/"
    for mode in ["loop", "nowhere", "file", "named"] {
      let server = try server(base + mode + "/")
      guard case .badRedirect? = fault({ _ = try server.meta() }) else {
        Issue.record("\(mode) was followed")
        continue
      }
    }
    let forbidden = try server(base + "ankiweb/")
    #expect(fault { _ = try forbidden.meta() } == .ankiWeb(host: "sync5.ankiweb.net"))
    for mode in ["moved", "movedcall"] {
      let server = try server(base + mode + "/")
      #expect(try server.meta().usn == 7)
      #expect(server.address == base + "ok/")
    }
  }

  @Test func `after a server has moved either of its addresses can be used to sign in again, and no other`() throws {
    let base = "http://127.0.0.1:\(standIn.port)/"
    try folder.write("geheim\n", to: "password")
    let home = ["DATA", "CONFIG", "STATE", "CACHE"].map { "XDG_\($0)_HOME=\(folder.file("home"))" }
    func signIn(_ path: String) throws -> Run {
      let words = ["sync", "login", base + path, "--user", "ana", "--server-password-file", folder.file("password")]
      return try Child([builtProgram("deckhand")] + words, environment: home + ["PATH=/usr/bin:/bin"]).finish(input: "")
    }
    func key() -> String { String(decoding: folder.read("home/deckhand/local/.sync-key") ?? [], as: UTF8.self) }
    #expect(try signIn("signs-old").output.contains("Linked with \(base)signs-new/ as"))
    var before = key()
    for path in ["signs-old", "signs-new"] {
      let again = try signIn(path)
      #expect(again.status == 0, "\(path): \(again.errors)")
      #expect(key() != before)
      before = key()
    }
    #expect(try signIn("signs-other").errors.contains("\(base)signs-new/"))
    #expect(key() == before && before.hasPrefix("key-signs-new"))
  }

  @Test func `a password may contain any characters`() throws {
    let password = "a\"b\\c\u{1}\u{1F}\n\u{7F} é"
    let body = Array(password.utf8).withUnsafeBytes { SyncServer.signInBody("ana", $0) }
    let sent = try JSONParser.parse(body, limits: JSONLimits(bytes: 1000, depth: 4, values: 10, string: 100)).record
    #expect(sent?["u"] == .text("ana") && sent?["p"] == .text(password))
  }

  @Test(arguments: [307, 308])
  func `another host gets neither the password nor the key`(status: Int) throws {
    let (standIn, other) = try (StandIn(), StandIn())
    let server = try server("http://127.0.0.1:\(standIn.port)/to-\(status)-\(other.port)/")
    let expected = SyncFault.elsewhere(address: "http://127.0.0.1:\(other.port)/ok/")
    #expect(fault { _ = try server.meta() } == expected)
    #expect(fault { try Array("geheim".utf8).withUnsafeBytes { try server.signIn("ana", password: $0) } } == expected)
    let media = MediaServer(
      .built,
      address: server.address, session: "abc", keyPath: folder.file("key"))
    #expect(fault { _ = try media.begin() } == expected)
    #expect(try other.heard() == [])
    #expect(
      SyncError.call(expected, step: "sync/meta", address: server.address).message.contains(
        "`sync login http://127.0.0.1:\(other.port)/ok/`"))
  }

  @Test func `an untrusted certificate is refused before anything is sent`() throws {
    let standIn = try StandIn(isEncrypted: true)
    let server = try server("https://localhost:\(standIn.port)/ok/")
    guard case .certificate? = fault({ _ = try server.meta() }) else {
      Issue.record("it was trusted")
      return
    }
  }

  @Test func `the key is a file of the user's, and nothing else is accepted as one`() throws {
    let base = "http://127.0.0.1:\(standIn.port)/"
    let server = try server(base + "ok/")
    unlink(folder.file("key"))
    #expect(fault { _ = try server.meta() } == .noKey)
    try folder.write("two\nlines", to: "key")
    #expect(fault { _ = try server.meta() } == .key(reason: "the key file contains no key"))
    unlink(folder.file("key"))
    for mode in ["ok", "key", "403"] {
      let asked = try self.server(base + mode + "/")
      unlink(folder.file("key"))
      #expect(throws: SyncError.self) {
        try Array("geheim".utf8).withUnsafeBytes { try asked.signIn("ana", password: $0) }
      }
      #expect(folder.read("key") == nil, "\(mode)")
    }
  }

  @Test func `a missing program, and one that the user interrupts, is reported`() throws {
    let missing = SyncServer(
      SyncProgram(path: "/nonexistent/deckhand-net", environment: [], clock: monotonicSeconds, shouldStop: { false }),
      address: "http://127.0.0.1:1/", session: "a", keyPath: folder.file("key"))
    #expect(throws: SyncError.noProgram(path: "/nonexistent/deckhand-net")) { try missing.meta() }
    var questions = 0
    try folder.write("a-key", to: "key")
    let stopped = SyncServer(
      SyncProgram(
        path: builtProgram("deckhand-net"), environment: [], clock: monotonicSeconds,
        shouldStop: {
          questions += 1
          return questions > 3
        }), address: "http://127.0.0.1:\(standIn.port)/silent/",
      session: "a", keyPath: folder.file("key"))
    #expect(throws: SyncError.interrupted) { try stopped.meta() }
    #expect(questions >= 4)
  }

  @Test func `a malformed request does not end deckhand-net`() throws {
    let process = try ChannelProcess(path: builtProgram("deckhand-net"), environment: [], longestFrame: 1 << 20)
    let deadline = Deadline(seconds: 300, clock: monotonicSeconds) { false }
    for head in ["", "{", "[]", #"{"call":1}"#, "\0"] {
      try process.send(Array(head.utf8), deadline: deadline)
      let reply = try process.ask([], deadline: deadline)
      guard case .failed(.badAnswer)? = syncHead(reply).flatMap(SyncReply.init) else {
        Issue.record("\(head)")
        continue
      }
    }
    #expect(process.isAlive())
  }
}
