// Responses of a sync server. This program starts itself in place of the network program: it responds with the input's
// data for each call, or else as for an empty collection. Invariant: a refused sync changes nothing.

import Authentication
import Files
import FuzzDriver
import Glibc
import Storage
import Sync
import Values
import Wire
import Workspace

/// Constants shared by both ends.
private enum Server {
  static let programName = "deckhand-net"
  static let answersName = "answers"
  static let now = 1_700_000_000
}

func sync(_ folder: FuzzFolder) throws -> FuzzTarget {
  var environment = Environment.ofSystem(seed: 1, bootID: "fuzz") { false }
  environment.clocks.now = { Double(Server.now) }
  environment.folders.netProgram = folder.file(Server.programName)
  guard let own = realpath("/proc/self/exe", nil) else { preconditionFailure("/proc/self/exe is not there") }
  defer { free(own) }
  symlink(own, folder.file(Server.programName))
  folder.write([], to: Server.answersName)
  let host = try FuzzHost(folder, environment)
  let operations = host.openWorkspace().sync
  let place = try SyncPlace("http://127.0.0.1:8080/")
  _ = try operations.link(with: place, user: "u", password: Secret(bytes: Array("p".utf8)))
  _ = try operations.run(operations.previewServer { _ in }, consent: { _ in true }) { _ in }
  try host.begin()
  return FuzzTarget("sync") { bytes in
    folder.write(bytes, to: Server.answersName)
    let before = try host.count()
    do {
      _ = try operations.run(consent: { _ in true }) { _ in }
    } catch {
      hold(try host.count() == before, "a sync that was refused changed the collection: \(error)")
    }
    try host.takeBack()
  }
}

/// Returns whether this process was started as the network program; if so it has served its channel.
func servedAnswers() -> Bool {
  let own = CommandLine.arguments[0]
  guard own.hasSuffix("/" + Server.programName) else { return false }
  let file = String(own.dropLast(Server.programName.count)) + Server.answersName
  var known: [UInt8] = []
  // Requests for changes since a USN get nothing new.
  var asksAll = true
  var given: [(name: String, bytes: ArraySlice<UInt8>)] = []
  let stream = FrameStream(input: 0, output: 1, longest: longestSyncFrame)
  func frame() -> [UInt8]? { do { return try stream.receive() } catch { return nil } }
  while let head = frame(), let body = frame() {
    guard let request = syncHead(head).flatMap(SyncRequest.init) else { return true }
    if request.call == "sync/start" { asksAll = syncHead(body)?.record?["minUsn"]?.integer == 0 }
    do {
      let answers = try FileText.bytes(file, limit: 1 << 20, isInterrupted: { false })
      if answers != known { (known, given) = (answers, parts(answers)) }
    } catch { return true }
    var answer = given.firstIndex { $0.name == request.call }.map { Array(given.remove(at: $0).bytes) }
    if request.isSignIn {
      do { try AtomicFile.write(request.keyPath, Array("key".utf8)) } catch { return true }
      answer = Array("null".utf8)
    }
    let reply = JSONWriter.bytes(of: SyncReply.done(address: request.address).value)
    do {
      try stream.send(reply)
      try stream.send(answer ?? Array(usual(request.call, body, asksAll).utf8))
    } catch { return true }
  }
  return true
}

private let deck = #"{"id":1,"name":"Default","conf":1,"dyn":0,"mod":5,"usn":0}"#

/// The response of a server that has only a deck, with the shell's own counts.
private func usual(_ call: String, _ body: [UInt8], _ asksAll: Bool) -> String {
  switch call {
  case "sync/meta":
    """
    {"mod":\(Server.now),"scm":1,"usn":1,"ts":\(Server.now),"msg":"","cont":true,"hostNum":0,"empty":false,"media_usn":0}
    """
  case "sync/start": #"{"cards":[],"notes":[],"decks":[]}"#
  case "sync/applyChanges":
    """
    {"models":[],"decks":[[\(asksAll ? deck : "")],[]],"tags":[],"conf":{},"crt":1600000000}
    """
  case "sync/chunk": #"{"done":true,"notes":[],"cards":[],"revlog":[]}"#
  case "sync/sanityCheck2":
    // The shell's counts are a list in its call.
    #"{"status":"ok","s":"# + String(decoding: Array(body.drop { $0 != UInt8(ascii: "[") }), as: UTF8.self)
  case "sync/finish": String(Server.now)
  default: "null"
  }
}
