// Accounts: names, adding, the credentials file and possible damage to it, delays after failures, concurrent
// processes.

import Files
import Glibc
import Problems
import TestSupport

@testable import Authentication

@Suite struct AccountNameTests {
  @Test(arguments: ["ana", "Ana-María", "joão.2", "o_b", "Ἀθηνᾶ", "иван", "たなか太郎", "김철수", "3pio", "محمد", "ਗੁਰੂ"])
  func `names in a single script are accepted`(name: String) throws { #expect(try AccountName(name).text == name) }

  @Test(arguments: [
    ("a/b", "only letters and digits are allowed, and . _ - between them"),
    ("a\0b", "only letters and digits are allowed, and . _ - between them"),
    ("..", "it must begin with a letter or a digit"), (".hidden", "it must begin with a letter or a digit"),
    ("-a", "it must begin with a letter or a digit"), ("a.", "it must not end with a dot"),
    ("a b", "only letters and digits are allowed, and . _ - between them"),
    ("a\u{200D}b", "only letters and digits are allowed, and . _ - between them"),
    ("a\u{202E}b", "only letters and digits are allowed, and . _ - between them"),
    ("a\nb", "only letters and digits are allowed, and . _ - between them"),
    ("a😀", "only letters and digits are allowed, and . _ - between them"), ("local", "it is reserved for Deckhand"),
    ("LOCAL", "it is reserved for Deckhand"), ("аna", "its letters are from more than one script"),
    ("Ρaul", "its letters are from more than one script"),
    (String(repeating: "a", count: 65), "it must have at most 64 bytes"),
    (String(repeating: "a", count: 10_000), "it must have at most 64 bytes"),
  ])
  func `a dangerous or deceptive name is refused with the reason`(name: String, reason: String) {
    #expect(refusal { _ = try AccountName(name) } == .badName(name, reason: reason))
  }

  @Test(arguments: [
    ("ana", "Ana", "exists"), ("ana", "ANA", "exists"), ("ana", "ａｎａ", "exists"), ("paul", "pau1", "exists"),
    ("ace", "асе", "exists"), ("mia", "m1a", "exists"), ("oto", "0t0", "exists"), ("ana_b", "ana-b", "exists"),
    ("josé", "jose\u{301}", "exists"), ("ana", "anna", ""), ("ana", "aná", ""),
  ])
  func `a name that is taken or looks like a taken one is refused`(first: String, second: String, code: String) throws {
    let data = DataFolder()
    let store = try data.store()
    _ = try store.add(first, try Secret("correct horse"), adoptingLocal: false)
    #expect(refusal { try store.checkNew(second) }?.code ?? "" == code)
  }
}

@Suite struct AccountStoreTests {
  private let data = DataFolder()

  @Test func `an account is added, listed, opened case-insensitively, and removed with its data`() throws {
    let store = try data.store()
    #expect(try store.openLocal().folder() == data.path + "/local")
    #expect(try store.add(" Ana ", try Secret("correct horse"), adoptingLocal: true) == "Ana")
    #expect(refusal { _ = try store.add("ben", try Secret("battery staple"), adoptingLocal: true) } == .required)
    _ = try store.add("ben", try Secret("battery staple"), adoptingLocal: false)
    #expect(try store.names() == ["Ana", "ben"])
    #expect(refusal { _ = try store.openLocal() } == .required)
    let access = try store.verify("aNA", try Secret("correct horse"))
    #expect(access.name == "Ana")
    let folder = try access.folder()
    #expect(folder == data.path + "/accounts/Ana")
    var status = stat()
    #expect(stat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
    #expect(stat(folder + "/credentials", &status) == 0 && status.st_mode & 0o777 == 0o600)
    mkdir(folder + "/documents", 0o700)
    try data.write(folder + "/documents/x", [1])
    symlink("/etc/passwd", folder + "/link")
    try store.remove(access)
    #expect(refusal { _ = try access.folder() } == .required)
    #expect(try store.names() == ["ben"])
    #expect(try PrivateFile.names(in: data.path + "/accounts").filter { $0 != ".attempts" } == [".lock", "ben"])
  }

  @Test func `the first account takes over the local data in one step`() throws {
    mkdir(data.path + "/local", 0o755)
    try data.write(data.path + "/local/history", [1, 2])
    let store = try data.store()
    _ = try store.add("ana", try Secret("correct horse"), adoptingLocal: true)
    #expect(!PrivateFile.exists(data.path + "/local"))
    #expect(try data.read(data.path + "/accounts/ana/history") == [1, 2])
    var status = stat()
    #expect(stat(data.path + "/accounts/ana", &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test func `an account that could not be added leaves nothing`() throws {
    for folder in ["local", "local/attempts"] { mkdir(data.path + "/" + folder, 0o700) }
    let store = try data.store()
    // The credentials are written, then the attempts are not.
    #expect(refusal { _ = try store.add("ana", try Secret("correct horse"), adoptingLocal: true) } != nil)
    #expect(try PrivateFile.names(in: data.path + "/local") == ["attempts"])
    store.reach = { $0 == .written ? ENOSPC : 0 }
    #expect(refusal { _ = try store.add("ana", try Secret("correct horse"), adoptingLocal: false) } != nil)
    #expect(try PrivateFile.names(in: data.path + "/accounts") == [".lock"])
  }

  @Test func `a wrong name and a wrong password get the same answer, empty input gets empty`() throws {
    let store = try data.storeWithAna()
    #expect(refusal { _ = try store.verify("ana", try Secret("wrong horse")) } == .denied)
    #expect(refusal { _ = try store.verify("nobody", try Secret("wrong horse")) } == .denied)
    #expect(refusal { _ = try store.verify("../ana", try Secret("correct horse")) } == .denied)
    #expect(refusal { _ = try store.verify(String(repeating: "a", count: 10_000), try Secret("x")) } == .denied)
    #expect(refusal { _ = try store.verify("a\0b", try Secret("x")) } == .denied)
    let oneLetter = "e" + String(repeating: "\u{301}", count: 500_000)
    #expect(refusal { _ = try store.verify(oneLetter, try Secret("x")) } == .denied)
    data.hand.pass(2)
    #expect(refusal { _ = try store.verify("ana", try Secret(bytes: [0xFF, 0xFE])) } == .denied)
    #expect(refusal { _ = try store.verify("", try Secret("x")) } == .empty)
    #expect(refusal { _ = try store.verify(" \n", try Secret("x")) } == .empty)
    #expect(refusal { _ = try store.verify("ana", try Secret("")) } == .empty)
  }

  @Test func `a password in another Unicode form is the same`() throws {
    let store = try data.store()
    _ = try store.add("ana", try Secret("caf\u{E9} au lait"), adoptingLocal: false)
    _ = try store.verify("ana", try Secret("cafe\u{301} au lait"))
  }

  @Test func `a password is changed only with the old one, by the rules`() throws {
    let store = try data.storeWithAna()
    #expect(
      refusal { try store.changePassword(of: "ana", from: try Secret("wrong one"), to: try Secret("battery staple")) }
        == .denied)
    data.hand.pass(2)
    #expect(
      refusal { try store.changePassword(of: "ana", from: try Secret("correct horse"), to: try Secret("ana12345")) }
        == .likeName)
    try store.changePassword(of: "ana", from: try Secret("correct horse"), to: try Secret("battery staple"))
    #expect(refusal { _ = try store.verify("ana", try Secret("correct horse")) } == .denied)
    data.hand.pass(2)
    _ = try store.verify("ana", try Secret("battery staple"))
  }

  @Test func `a weaker hash is strengthened at the next sign-in, a stronger one is left`() throws {
    let weak = try data.storeWithAna()
    let strong = try data.store(cost: HashCost(memory: 64, passes: 2))
    let first = try data.read(data.credentials)
    _ = try strong.verify("ana", try Secret("correct horse"))
    let second = try data.read(data.credentials)
    #expect(first != second && String(decoding: second, as: UTF8.self).contains("m=64,t=2,p=1"))
    _ = try weak.verify("ana", try Secret("correct horse"))
    #expect(try data.read(data.credentials) == second)
    data.hand.pass(1)
    #expect(refusal { _ = try strong.verify("ana", try Secret("wrong horse")) } == .denied)
    #expect(try data.read(data.credentials) == second)
  }
}

@Suite struct CredentialsTests {
  private let data = DataFolder()

  private func answer(_ data: DataFolder) throws -> AuthenticationError? {
    let store = try data.store()
    data.hand.pass(7200)
    return refusal { _ = try store.verify("ana", try Secret("correct horse")) }
  }

  @Test func `a file truncated anywhere is refused, and reported as damaged`() throws {
    _ = try data.storeWithAna()
    let whole = try data.read(data.credentials)
    for length in 0..<whole.count {
      try data.write(data.credentials, Array(whole.prefix(length)))
      #expect(try answer(data)?.code == "damaged", "\(length)")
    }
    try data.write(data.credentials, whole)
    #expect(try answer(data) == nil)
  }

  @Test func `a file changed in any byte is refused`() throws {
    _ = try data.storeWithAna()
    let whole = try data.read(data.credentials)
    for place in whole.indices {
      for byte in [whole[place] ^ 1, whole[place] ^ 0x80, 0, 0x0A, 0x39] where byte != whole[place] {
        var changed = whole
        changed[place] = byte
        #expect(throws: AuthenticationError.self) { try Credentials(bytes: changed, path: "/c") }
      }
    }
  }

  @Test func `a file with a forged cost is refused even with a right checksum`() throws {
    _ = try data.storeWithAna()
    let text = String(decoding: try data.read(data.credentials), as: UTF8.self)
    let forged = text.split(separator: "m=8,", maxSplits: 1).joined(separator: "m=4194304,")
    let hash = forged.split(separator: "\n")[2].dropFirst("password ".count)
    #expect(refusal { _ = try PasswordHash(text: String(hash), path: "/c") }?.code == "too_costly")
  }

  @Test func `a file that others can open is refused with the remedy`() throws {
    _ = try data.storeWithAna()
    for mode: mode_t in [0o644, 0o640, 0o604, 0o620, 0o601] {
      chmod(data.credentials, mode)
      #expect(
        try answer(data)?.message
          == "others can open \(data.credentials); fix this with `chmod 600 \(data.credentials)`")
    }
    chmod(data.credentials, 0o600)
    chmod(data.path + "/accounts/ana", 0o777)
    #expect(
      try answer(data) == .exposed(path: data.path + "/accounts/ana", remedy: "chmod 700 \(data.path)/accounts/ana"))
    chmod(data.path + "/accounts/ana", 0o700)
    #expect(try answer(data) == nil)
  }

  @Test func `a link, a folder, a pipe or another account's file is refused at once`() throws {
    let store = try data.storeWithAna()
    _ = try store.add("ben", try Secret("battery staple"), adoptingLocal: false)
    let bens = data.path + "/accounts/ben/credentials"
    unlink(data.credentials)
    symlink(bens, data.credentials)
    #expect(try answer(data)?.code == "damaged")
    unlink(data.credentials)
    mkdir(data.credentials, 0o700)
    #expect(try answer(data)?.code == "damaged")
    rmdir(data.credentials)
    mkfifo(data.credentials, 0o600)
    #expect(try answer(data)?.code == "damaged")
    unlink(data.credentials)
    try data.write(data.credentials, try data.read(bens))
    #expect(try answer(data) == .damaged(path: data.credentials, reason: "it belongs to another account"))
    try data.write(data.credentials, [UInt8](repeating: 0x61, count: 5000))
    #expect(try answer(data) == .damaged(path: data.credentials, reason: "it is too long"))
  }

  @Test func `a file of a newer program is reported as such`() throws {
    _ = try data.storeWithAna()
    try data.write(data.credentials, Array("deckhand-credentials 2\nsomething else\n".utf8))
    #expect(try answer(data)?.message == "\(data.credentials) needs a newer Deckhand (credentials 2)")
    try data.write(data.credentials, Array("deckhand-credentials x\n".utf8))
    #expect(try answer(data)?.code == "damaged")
  }

  @Test func `a damaged file does not use up an attempt`() throws {
    _ = try data.storeWithAna()
    let whole = try data.read(data.credentials)
    try data.write(data.credentials, [1])
    let store = try data.store()
    for _ in 0..<5 { #expect(refusal { _ = try store.verify("ana", try Secret("correct horse")) }?.code == "damaged") }
    try data.write(data.credentials, whole)
    _ = try store.verify("ana", try Secret("correct horse"))
  }
}
