// The user's signing key: sealed by the account's password, and the same key through a change of it.

import Files
import Glibc
import TestSupport
import Testing
import Text

@testable import Authentication

@Suite struct SigningTests {
  private let folder = TemporaryFolder()
  private let message = Array("a message".utf8)

  private func file(_ step: @escaping (String) -> Int32 = { _ in 0 }) -> SigningKeyFile {
    SigningKeyFile(folder: folder.path, cost: DataFolder.cheap) { step($0.rawValue) }
  }

  private var text: String { String(decoding: folder.read("signing_key") ?? [], as: UTF8.self) }

  @Test func `a key without an account is in a file of mode 0600, and signs`() throws {
    #expect(try file().key() == nil)
    #expect(throws: AuthenticationError.noKey) { try file().sign(message, password: nil) }
    let key = try file().make(password: nil)
    #expect(try file().key() == key && folder.status("signing_key").st_mode & 0o777 == 0o600)
    let signature = try file().sign(message, password: nil)
    #expect(key.verifies(signature, over: message) && !key.verifies(signature, over: message + [0]))
    #expect(!key.verifies(Array(signature.dropLast()), over: message))
    #expect(throws: AuthenticationError.self) { try file().make(password: nil) }
    // Others than the user can read it: it is not used.
    chmod(folder.file("signing_key"), 0o644)
    #expect(throws: AuthenticationError.self) { try file().sign(message, password: nil) }
  }

  @Test func `a key of an account opens with its password only, and never lies in the file as it is`() throws {
    let key = try file().make(password: Secret("correct horse"))
    #expect(text.contains("sealed m=8,t=1 ") && !text.contains("plain"))
    #expect(key.verifies(try file().sign(message, password: Secret("correct horse")), over: message))
    #expect(throws: AuthenticationError.self) { try file().sign(message, password: Secret("wrong horse")) }
    #expect(throws: AuthenticationError.required) { try file().sign(message, password: nil) }
  }

  @Test func `a key from before the account is sealed when it is used first`() throws {
    let key = try file().make(password: nil)
    #expect(text.contains("plain"))
    #expect(key.verifies(try file().sign(message, password: Secret("correct horse")), over: message))
    #expect(!text.contains("plain") && text.contains("sealed"))
    #expect(key.verifies(try file().sign(message, password: Secret("correct horse")), over: message))
  }

  @Test func `each bit of the file counts`() throws {
    _ = try file().make(password: Secret("correct horse"))
    let bytes = folder.read("signing_key") ?? []
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1
      try folder.write(changed, to: "signing_key")
      chmod(folder.file("signing_key"), 0o600)
      #expect(throws: AuthenticationError.self, "\(place)") {
        try file().sign(message, password: Secret("correct horse"))
      }
    }
  }

  @Test func `a change of the password takes the key along, and a failure anywhere leaves it with one of the two`()
    throws
  {
    for step in ["begun", "created", "written", "synced"] {
      for count in 1...3 {
        let data = DataFolder()
        let store = try data.storeWithAna()
        let access = try store.verify("ana", Secret("correct horse"))
        let key = try SigningKeyFile(in: access, cost: DataFolder.cheap).make(password: Secret("correct horse"))
        var reached = 0
        store.reach = { found in
          guard found.rawValue == step else { return 0 }
          reached += 1
          return reached == count ? ENOSPC : 0
        }
        let problem = refusal {
          try store.changePassword(of: "ana", from: Secret("correct horse"), to: Secret("better horse"))
        }
        // Where only the last of the three files was not written, the new password holds, and the key opens with it.
        #expect((problem == nil) == (count == 3), "\(step) \(count)")
        store.reach = { _ in 0 }
        let password = count == 3 ? "better horse" : "correct horse"
        let again = try SigningKeyFile(in: store.verify("ana", Secret(password)), cost: DataFolder.cheap)
        #expect(key.verifies(try again.sign(message, password: Secret(password)), over: message), "\(step) \(count)")
      }
    }
    let data = DataFolder()
    let store = try data.storeWithAna()
    let key = try SigningKeyFile(in: store.verify("ana", Secret("correct horse")), cost: DataFolder.cheap)
      .make(password: Secret("correct horse"))
    try store.changePassword(of: "ana", from: Secret("correct horse"), to: Secret("better horse"))
    let again = try SigningKeyFile(in: store.verify("ana", Secret("better horse")), cost: DataFolder.cheap)
    #expect(key.verifies(try again.sign(message, password: Secret("better horse")), over: message))
    #expect(throws: AuthenticationError.self) { try again.sign(message, password: Secret("correct horse")) }
  }
}
