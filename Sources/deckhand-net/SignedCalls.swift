// A call with the account's key: reading the key, and storing it.
// Invariant: the key exists only in one file that only the user can read, and in the header of a call; the answer to a
// sign-in is not passed on.

import Files
import Glibc
import Problems
import Values
import Wire

/// One request from deckhand.
struct SignedCalls {
  let calls: ServerCalls
  let request: SyncRequest
  private static let longestKey = 1000

  /// - Throws: `CallFailure`.
  func make(_ body: [UInt8]) throws(CallFailure) -> ServerAnswer {
    let address: SyncAddress
    do throws(SyncAddressFault) { address = try SyncAddress(request.address) } catch { throw CallFailure(error) }
    let key = request.isSignIn ? "" : try key()
    var answer = try calls.make(
      ServerCall(
        path: request.call, address: address, key: key, session: request.session, body: body,
        timeout: request.timeout, answerLimit: request.answerLimit))
    if request.isSignIn {
      let key = try keyOf(answer.body)
      if request.expectedAddress.isEmpty || request.expectedAddress == answer.address { try keep(key) }
      answer.body = Array("null".utf8)
    }
    return answer
  }

  private func key() throws(CallFailure) -> String {
    let text: String?
    do throws(FileError) {
      text = try FileText.read(
        request.keyPath, limit: SignedCalls.longestKey, isInterrupted: isNeverInterrupted)
    } catch {
      if error.number == ENOENT { throw CallFailure(.noKey) }
      throw CallFailure(.key(reason: error.message))
    }
    guard let text else { throw CallFailure(.noKey) }
    guard SignedCalls.isKey(text) else { throw CallFailure(.key(reason: "the key file contains no key")) }
    return text
  }

  private static func isKey(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= longestKey && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  private func keyOf(_ body: [UInt8]) throws(CallFailure) -> String {
    guard let key = syncHead(body)?.record?["key"]?.text, SignedCalls.isKey(key) else {
      throw CallFailure(.badAnswer(reason: "contains no key"))
    }
    return key
  }

  private func keep(_ key: String) throws(CallFailure) {
    var options = Replacement(isInterrupted: isNeverInterrupted)
    options.keepsMode = false
    do throws(FileError) { try AtomicFile.write(request.keyPath, Array(key.utf8), options) } catch {
      throw CallFailure(.key(reason: error.message))
    }
  }
}

extension CallFailure {
  init(_ fault: SyncAddressFault) {
    switch fault {
    case .ankiWeb(let host): self.init(SyncFault.ankiWeb(host: host))
    case .elsewhere(let address): self.init(SyncFault.elsewhere(address: address))
    case .malformed(let expected): self.init(.badRedirect(reason: "\(expected) expected"))
    }
  }
}
