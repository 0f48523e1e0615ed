// deckhand-net: calls a sync server for deckhand, which sends requests over standard input and output; or listens for
// other programs on this machine.
// Invariant: only it opens a network socket; an account's key goes only to the server that issued it.

import CCurl
import Files
import Glibc
import Problems
import Values
import Wire

@main struct Sync {
  static func main() {
    let stream = FrameStream.standard(
      longest: longestSyncFrame, toUsers: "deckhand-net is started by deckhand, and talks to servers for it.")
    // Neither a core file nor another program of the user may expose the key in memory.
    deckhand_forbid_dumps()
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let calls = ServerCalls() else { exit(1) }
    do {
      while true {
        let (head, body) = (try stream.receive(), try stream.receive())
        if let opening = syncHead(head).flatMap(ListenRequest.init) { HTTPListener.serve(opening, stream) }
        let (reply, answer) = answer(head, body, calls)
        try stream.send(JSONWriter.bytes(of: reply.value))
        if case .done = reply { try stream.send(answer) }
      }
    } catch {
      // deckhand is gone.
      exit(0)
    }
  }

  private static func answer(_ head: [UInt8], _ body: [UInt8], _ calls: ServerCalls) -> (SyncReply, [UInt8]) {
    guard let request = syncHead(head).flatMap(SyncRequest.init) else {
      return (.failed(.badAnswer(reason: "was requested in an invalid way")), [])
    }
    do throws(SyncFault) {
      let answer = try SignedCalls(calls: calls, request: request).make(body)
      return (.done(address: answer.address), answer.body)
    } catch {
      return (.failed(error), [])
    }
  }
}

struct SignedCalls {
  let calls: ServerCalls
  let request: SyncRequest
  private static let longestKey = 1000

  func make(_ body: [UInt8]) throws(SyncFault) -> ServerAnswer {
    let address: SyncAddress
    do throws(SyncAddressFault) { address = try SyncAddress(request.address) } catch { throw SyncFault(error) }
    let key = request.isSignIn ? "" : try key()
    var answer = try calls.make(
      ServerCall(
        path: request.call, address: address, key: key, session: request.session, body: body,
        timeout: request.timeout, answerLimit: request.answerLimit))
    if request.isSignIn {
      guard let key = syncHead(answer.body)?.record?["key"]?.text, SignedCalls.isKey(key) else {
        throw .badAnswer(reason: "contains no key")
      }
      if request.expectedAddress.isEmpty || request.expectedAddress == answer.address { try keep(key) }
      answer.body = Array("null".utf8)
    }
    return answer
  }

  private func key() throws(SyncFault) -> String {
    let text: String?
    do throws(FileError) {
      text = try FileText.read(request.keyPath, limit: SignedCalls.longestKey, isInterrupted: isNeverInterrupted)
    } catch {
      if error.number == ENOENT { throw .noKey }
      throw .key(reason: error.message)
    }
    guard let text else { throw .noKey }
    guard SignedCalls.isKey(text) else { throw .key(reason: "the key file contains no key") }
    return text
  }

  private static func isKey(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= longestKey && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  private func keep(_ key: String) throws(SyncFault) {
    var options = Replacement(isInterrupted: isNeverInterrupted)
    options.keepsMode = false
    do throws(FileError) { try AtomicFile.write(request.keyPath, Array(key.utf8), options) } catch {
      throw .key(reason: error.message)
    }
  }
}

extension SyncFault {
  init(_ fault: SyncAddressFault) {
    self =
      switch fault {
      case .ankiWeb(let host): .ankiWeb(host: host)
      case .elsewhere(let address): .elsewhere(address: address)
      case .malformed(let expected): .badRedirect(reason: "\(expected) expected")
      }
  }
}
