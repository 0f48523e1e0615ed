// deckhand-net: calls a sync server for deckhand, which sends requests over standard input and output; or listens for
// other programs on this machine.
// Invariant: it is the only program that opens a network socket; the account's key leaves it only to the server that
// issued it; it ends with its input.

import CCurl
import Glibc
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
    do throws(CallFailure) {
      let answer = try SignedCalls(calls: calls, request: request).make(body)
      return (.done(address: answer.address), answer.body)
    } catch {
      return (.failed(error.fault), [])
    }
  }

}

/// The fault that ended a call.
struct CallFailure: Error {
  let fault: SyncFault

  init(_ fault: SyncFault) { self.fault = fault }
}
