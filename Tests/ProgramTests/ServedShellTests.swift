// A shell that runs beside `serve`, controlled by another program over HTTP: at the prompt, in a study session, and
// while it is busy, stopped, killed or contacted by something else.

import Glibc
import TestSupport
import Testing

@Suite(.serialized) struct ServedShellTests {
  private let home: Home
  private let serve: PseudoTerminal
  private let client: ServeClient

  init() throws {
    home = try Home()
    try home.run(
      "-e",
      """
      local d = decks.create('Spanish') for i = 3, 1, -1 do d:add{prompt = 'el perro ' .. i, answer = 'the dog ' .. i} end
      decks.create('It\\'s new'):add{prompt = 'nuevo', answer = 'new'}
      """)
    // On a busy machine a shell may take longer than `serve` waits.
    serve = try PseudoTerminal(
      home.words(["serve", "--port", "0"]), environment: home.environment + ManualClock.endlessWaits())
    client = try ServeClient(serve)
  }

  private var socket: String { home.path + "/data/local/shell.socket" }

  /// Returns a shell at its prompt.
  private func shell(_ arguments: String...) throws -> PseudoTerminal {
    let shell = try PseudoTerminal(home.words(arguments), environment: home.environment, columns: 100, rows: 30)
    shell.wait(for: arguments.isEmpty ? "> " : "Enter  show the answer")
    return shell
  }

  private func review(_ deck: String = "Spanish") throws -> String {
    try client.action("guiDeckReview", #"{"name":"\#(deck)"}"#)
  }

  private let yes = #""result":true,"error":null"#
  private let no = #""result":false,"error":null"#

  @Test func `a study session is started at the prompt, turned, answered and undone, as by keys`() throws {
    let shell = try shell()
    #expect(mode(of: socket) == 0o600)
    #expect(try client.action("guiReviewActive").contains(no))
    shell.type("card li", showing: "card li")
    #expect(try review().contains(yes))
    shell.wait(for: "serve, guiDeckReview: study Spanish", "el perro 1")
    let card = try client.action("guiCurrentCard")
    #expect(card.contains("el perro 1") && card.contains(#""buttons":[1,2,3,4]"#), "\(card)")
    #expect(try client.action("guiAnswerCard", #"{"ease":3}"#).contains(no))
    #expect(try client.action("guiShowAnswer").contains(yes))
    shell.wait(for: "the dog 1")
    #expect(try client.action("guiShowQuestion").contains(yes))
    shell.wait(for: "Enter  show the answer")
    #expect(try client.action("guiShowAnswer").contains(yes))
    #expect(try client.action("guiAnswerCard", #"{"ease":4}"#, "User-Agent: Remote/2").contains(yes))
    shell.wait(for: "el perro 2")
    #expect(try home.run("undo", "--list").lines[1].contains("(Remote, guiAnswerCard)"))
    // A key continues where the other program was.
    shell.type("\r", showing: "the dog 2")
    #expect(try client.action("guiAnswerCard", #"{"ease":5}"#).contains(no))
    shell.type("3", showing: "el perro 3")
    #expect(try home.run("undo", "--list").lines[1].contains("(study)"))
    #expect(try client.action("guiUndo").contains(yes))
    shell.wait(for: "el perro 2")
    #expect(try client.action("guiUndo").contains(yes))
    shell.wait(for: "el perro 1")
    #expect(try home.run("card", "list", "is:new", "--columns", "prompt").lines.count == 5)
    shell.type("q", showing: "Stopped.")
    // The half-typed line is shown again.
    shell.wait(for: "card li")
    shell.type("st --columns answer\r", showing: "the dog 3")
    #expect(try client.action("guiReviewActive").contains(no))
    #expect(shell.ended(after: "exit\r") == 0)
    #expect(access(socket, F_OK) != 0)
    #expect(try review().contains("no shell runs alongside serve"))
  }

  @Test func `lists, cards and notes are shown at the prompt; a study session reports a list and starts another deck`()
    throws
  {
    let shell = try shell()
    #expect(try client.action("guiBrowse", #"{"query":"perro"}"#).contains(#""result":[1"#))
    shell.wait(for: "serve, guiBrowse: 3 cards (perro)", "the dog 3")
    let found = try client.action("findNotes", #"{"query":"nuevo"}"#)
    let note = found.components(after: "[").prefix { $0.isNumber }
    #expect(try client.action("guiSelectNote", #"{"note":\#(note)}"#).contains(yes))
    shell.wait(for: "guid")
    #expect(try client.action("guiSelectNote", #"{"note":5}"#).contains(no))
    // The half-typed line is not undone; the last step is.
    #expect(try client.action("createDeck", #"{"deck":"Late"}"#).contains(#""error":null"#))
    #expect(try client.action("guiUndo").contains(yes))
    shell.wait(for: "Undone:")
    #expect(try review().contains(yes))
    shell.wait(for: "el perro 1")
    #expect(try client.action("guiBrowse", #"{"query":"nuevo"}"#).contains(#""result":[1"#))
    shell.wait(for: "serve, guiBrowse: 1 card (nuevo)")
    #expect(try review().contains(yes))
    #expect(try review("It's new").contains(yes))
    shell.wait(for: "Stopped.", "nuevo")
    #expect(try client.action("guiCurrentCard").contains("It's new"))
    // Before the first answer of a study session, undo means the step before it.
    #expect(try client.action("createDeck", #"{"deck":"Later"}"#).contains(#""error":null"#))
    #expect(try client.action("guiUndo").contains(yes))
    #expect(try !home.run("deck", "list").output.contains("Later"))
    #expect(!serve.output.contains("Another program"))
  }

  @Test func `a study session without a prompt is controlled too, but cannot be switched to another deck`() throws {
    let shell = try shell("study", "Spanish")
    #expect(try client.action("guiShowAnswer").contains(yes))
    shell.wait(for: "the dog 1")
    #expect(try review("It's new").contains("busy"))
    #expect(try client.action("guiAnswerCard", #"{"ease":3}"#).contains(yes))
    shell.wait(for: "el perro 2")
    #expect(shell.ended(after: "q") == 0)
    #expect(access(socket, F_OK) != 0)
  }

  @Test func `requests reach the shell that was used last`() throws {
    let first = try shell()
    let second = try shell()
    #expect(try review().contains(yes))
    second.wait(for: "el perro 1")
    first.type("version\r", showing: "Deckhand", "> ")
    #expect(try client.action("guiReviewActive").contains(no))
    second.type("\r", showing: "the dog 1")
    #expect(try client.action("guiReviewActive").contains(yes))
    second.type("q", showing: "Stopped.", "> ")
    #expect(second.ended(after: "exit\r") == 0)
    first.type("version\r", showing: "Deckhand", "> ")
    #expect(try review().contains(yes))
    first.wait(for: "el perro 1")
  }

  @Test func `a shell that is busy, stopped or killed is reported as such, and harms nobody`() throws {
    // This one gives up in time.
    let serve = try home.terminal("serve", "--port", "0")
    let client = try ServeClient(serve)
    func review() throws -> String { try client.action("guiDeckReview", #"{"name":"Spanish"}"#) }
    func reviewOnceFree() throws -> String {
      var (answer, tries) = (try review(), 0)
      while answer.contains("busy"), tries < 100_000 { (answer, tries) = (try review(), tries + 1) }
      return answer
    }
    let shell = try shell()
    // A question of another command.
    shell.type("deck remove Spanish\r", showing: "[y/N]")
    #expect(try review().contains("busy"))
    #expect(try client.action("guiReviewActive").contains(no))
    shell.type("n\r", showing: "> ")
    // Lua that runs long does not respond in time; requests made meanwhile are not carried out afterwards.
    shell.type("print('go', 'on') while true do end\r", showing: "go\ton")
    #expect(try review().contains("busy"))
    shell.type("\u{03}", showing: "> ")
    #expect(try client.action("guiReviewActive").contains(no))
    shell.signal(SIGSTOP)
    #expect(try review().contains("busy"))
    // Many actions at once wait for the shell only once.
    let asking = Array(repeating: #"{"action":"guiReviewActive"}"#, count: 50).joined(separator: ",")
    let answers = try client.action("multi", #"{"actions":[\#(asking)]}"#)
    #expect(answers.components(separatedBy: "false") == 51, "\(answers)")
    shell.signal(SIGCONT)
    #expect(try reviewOnceFree().contains(yes))
    shell.wait(for: "el perro 1")
    shell.signal(SIGKILL)
    _ = shell.ended()
    #expect(access(socket, F_OK) == 0)
    #expect(try review().contains("no shell runs alongside serve"))
    let next = try self.shell()
    #expect(try reviewOnceFree().contains(yes))
    next.wait(for: "el perro 1")
    #expect(try home.run("doctor").status == 0)
    #expect(serve.ended(after: "\u{03}") == 0)
  }

  @Test(arguments: [
    ("", "card li", "card li"), (" study Spanish", "", "Enter  show the answer"),
    ("", "play --base cambering\rgr", "classic> gr"),
  ])
  func `a shell stopped by Ctrl-Z shows nothing, and everything is shown when it continues`(
    command: String, typed: String, shown: String
  ) throws {
    let words = home.words([]).map { "'\($0)'" }.joined(separator: " ") + command
    let script = "set -m; \(words); echo STOPPED; read line; fg"
    let shell = try PseudoTerminal(["/bin/sh", "-c", script], environment: home.environment)
    if !typed.isEmpty {
      shell.wait(for: "> ")
      shell.type(typed)
    }
    shell.wait(for: shown)
    #expect(access(socket, F_OK) == 0)
    shell.type("\u{1A}", showing: "STOPPED")
    #expect(access(socket, F_OK) != 0)
    #expect(try review().contains("no shell runs alongside serve"))
    shell.type("\r")
    #expect(waits { access(socket, F_OK) == 0 })
    if typed.hasPrefix("play") {
      #expect(try review().contains("busy"))
      shell.type("ace\r/quit\r")
      // A screen that is redrawn is redrawn once.
      let drawn = shell.wait(for: "cambering: 1 found").split(separator: "\u{1B}[2J")
      #expect(drawn.allSatisfy { $0.split(separator: shown, omittingEmptySubsequences: false).count < 3 }, "\(drawn)")
      shell.wait(for: "> ")
    }
    #expect(try review().contains(yes))
    shell.wait(for: "el perro 1")
    shell.type("q", showing: "Stopped.")
  }

  @Test func `a connection that sends nothing, or nonsense, disturbs neither the prompt nor a study session`() throws {
    let shell = try shell()
    var random = TestGenerator(5)
    func knock() {
      var sockets: [Int32] = []
      for round in 0..<60 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(socket.utf8).prefix($0.count - 1)) }
        withUnsafePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
          }
        }
        let bytes: [UInt8] =
          switch round % 4 {
          case 0: []
          case 1: [0xFF, 0xFF, 0xFF, 0xFF]
          case 2: [2, 0, 0, 0] + Array("{}".utf8)
          default: (0..<30).map { _ in UInt8.random(in: 0...255, using: &random) }
          }
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        sockets.append(descriptor)
      }
      for descriptor in sockets { close(descriptor) }
    }
    shell.type("card ", showing: "card ")
    knock()
    shell.type("list\r", showing: "the dog 3")
    shell.type("study Spanish\r", showing: "el perro 1")
    knock()
    shell.type("\r", showing: "the dog 1")
    knock()
    // Among so many connections those of `serve` may be dropped.
    while try client.action("guiCurrentCard").contains("busy") {}
    #expect(waits { (try? client.action("guiAnswerCard", #"{"ease":3}"#).contains(yes)) == true })
    shell.wait(for: "el perro 2")
    shell.type("q", showing: "Stopped. 1 right")
  }
}
