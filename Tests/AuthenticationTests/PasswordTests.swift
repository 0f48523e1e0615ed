// Passwords: secrets in memory, Unicode normalisation, rules, hashes and the ones that are refused, password files.

import Files
import Glibc
import Problems
import TestSupport

@testable import Authentication

@Suite struct SecretTests {
  private func normal(_ bytes: [UInt8]) throws -> [UInt8] {
    let normal = try Secret(bytes: bytes).normalized()
    return normal.withBytes { Array($0) }
  }

  @Test(arguments: [
    ("e\u{301}", "é"), ("é", "é"), ("A\u{30A}", "Å"), ("\u{212B}", "Å"), ("\u{1112}\u{1161}\u{11AB}", "한"),
    ("q\u{307}\u{323}", "q\u{323}\u{307}"), ("ﬁ", "ﬁ"), ("Ω", "Ω"), ("plain", "plain"),
    ("\u{1D160}", "\u{1D158}\u{1D165}\u{1D16E}"), ("", ""),
  ])
  func `text typed in another way is the same password, and compatibility forms stay distinct`(
    typed: String, kept: String
  )
    throws
  {
    #expect(try normal(Array(typed.utf8)) == Array(kept.utf8))
  }

  @Test func `the longest possible text is normalised without truncation`() throws {
    let long = String(repeating: "\u{1F82}", count: 1300)
    #expect(try normal(Array(long.utf8)) == Array(long.utf8))
    let marks = "a" + String(repeating: "\u{301}\u{323}", count: 900)
    let normal = try normal(Array(marks.utf8))
    // ạ́: the dot below comes first and combines with the letter, then come the other 899 dots and the 900 accents.
    #expect(normal.starts(with: Array("\u{1EA1}\u{323}".utf8)))
    #expect(normal.count == 3 + 899 * 2 + 900 * 2)
  }

  @Test(
    arguments: [
      [0x61, 0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0x00, 0x62],
      [0xE2, 0x82],
    ] as [[UInt8]])
  func `text that is not UTF-8 or contains NUL is refused`(bytes: [UInt8]) {
    #expect(refusal { _ = try normal(bytes) } == .badText)
  }

  @Test func `a function that fills it wrongly leaves a secret of a valid length`() throws {
    #expect(try Secret(capacity: 4) { _ in 99 }.count == 4)
    #expect(try Secret(capacity: 4) { _ in -3 }.isEmpty)
    #expect(refusal { _ = try Secret(capacity: 0) { _ in 0 } } == .outOfMemory)
    #expect(refusal { _ = try Secret(capacity: 4) { _ throws(AuthenticationError) in throw .busy } } == .busy)
  }
}

@Suite struct PasswordRuleTests {
  private func check(_ password: String, _ name: String = "margarita") -> AuthenticationError? {
    refusal { try PasswordRules.check(try Secret(password).normalized(), name: name) }
  }

  @Test(arguments: [
    "password", "Password1", "P4ssw0rd!", "passwort99", "12345678", "87654321", "1234567890", "aaaaaaaa", "abababab",
    "abcdefgh", "qwertyui", "qwertz123", "1q2w3e4r", "1qaz2wsx", "iloveyou!", "letmein!!", "welcome2026", "ADMIN123456",
    "deckhand1", "zxcvbnmz", "secretsecret",
  ])
  func `the most common passwords are refused`(password: String) { #expect(check(password) == .common) }

  @Test(arguments: ["margarita", "Margarita1", "atiragram", "margarita2026", "margerita", "m4rg4rit4!", "1margarita1"])
  func `a password similar to the name is refused`(password: String) { #expect(check(password) == .likeName) }

  @Test(arguments: [
    "correct horse", "fünf kleine Fische", "tr0ub4dor&3x", "密码很长很安全", "margarita tastes of lime",
    "my password is a long poem", "aB3$kL9!",
  ])
  func `other passwords are accepted`(password: String) { #expect(check(password) == nil) }

  @Test func `8 to 1,024 bytes, counted in normal form`() {
    #expect(check("short77") == .tooShort(minimum: 8))
    #expect(check("ünöö") == .tooShort(minimum: 8))
    #expect(check("ünööö") == nil)
    #expect(check("e\u{301}e\u{301}e\u{301}") == .tooShort(minimum: 8))
    let long = String(repeating: "long words ", count: 93)
    #expect(check(long + "x") == nil)
    #expect(check(long + "xy") == .tooLong(maximum: 1024))
    #expect(check(String(repeating: "xe\u{301}", count: 341)) == nil)
  }

  @Test func `a short name is not found in every password`() { #expect(check("an answer of some length", "an") == nil) }
}

@Suite struct HashTests {
  private static let salt = "c29tZXNhbHRzb21lc2FsdA"
  private static let hash = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
  private func parse(_ parameters: String, salt: String = salt, hash: String = hash) -> AuthenticationError? {
    refusal { _ = try PasswordHash(text: "$argon2id$v=19$\(parameters)$\(salt)$\(hash)", path: "/c") }
  }

  @Test func `a hash reads back as it was made and matches only its password`() throws {
    let made = try PasswordHash(try Secret("correct horse"), cost: DataFolder.cheap)
    let read = try PasswordHash(text: made.text, path: "/c")
    #expect(read == made)
    #expect(try read.matches(try Secret("correct horse")))
    #expect(try !read.matches(try Secret("correct horsf")))
    #expect(try !read.matches(try Secret("")))
    #expect(try PasswordHash(try Secret("correct horse"), cost: DataFolder.cheap).text != made.text)
    let strong = try PasswordHash(try Secret("correct horse"), cost: .interactive)
    #expect(strong.text.hasPrefix("$argon2id$v=19$m=65536,t=2,p=1$"))
  }

  @Test func `a hash that asks for 4 GB is refused before it is computed`() {
    let start = processorSeconds()
    #expect(parse("m=4194304,t=2,p=1") == .tooCostly(path: "/c", memory: 4_194_304, passes: 2))
    #expect(parse("m=65536,t=5,p=1") == .tooCostly(path: "/c", memory: 65_536, passes: 5))
    #expect(parse("m=65536,t=2,p=2")?.code == "too_costly")
    #expect(parse("m=9999999999,t=9999999999,p=1")?.code == "too_costly")
    #expect(processorSeconds() - start < 1)
    #expect(
      parse("m=4194304,t=2,p=1")?.message
        == "/c asks for 4,096 MiB and 2 passes, more than is allowed for a password; restore it from a backup")
  }

  @Test(arguments: [
    "m=65536,t=2", "m=65536,t=2,p=1,x=1", "m=-1,t=2,p=1", "m=0,t=2,p=1", "m=065536,t=2,p=1", "m=,t=2,p=1",
    "t=2,m=65536,p=1",
    "m=99999999999,t=2,p=1", "m= 65536,t=2,p=1", "m=7,t=2,p=1", "m=65536,t=0,p=1", "m=1e4,t=2,p=1", "",
  ])
  func `invalid parameters count as damage`(parameters: String) { #expect(parse(parameters)?.code == "damaged") }

  @Test func `salt and hash have their exact form, and another kind of hash is a newer one`() {
    #expect(parse("m=65536,t=2,p=1") == nil)
    #expect(parse("m=65536,t=2,p=1", salt: "short")?.code == "damaged")
    #expect(parse("m=65536,t=2,p=1", hash: String(HashTests.hash.dropLast()) + "=")?.code == "damaged")
    #expect(
      refusal {
        _ = try PasswordHash(text: "$argon2id$v=20$m=8,t=1,p=1$\(HashTests.salt)$\(HashTests.hash)", path: "/c")
      }?.code == "newer")
    #expect(
      refusal {
        _ = try PasswordHash(text: "$argon2x$v=19$m=8,t=1,p=1$\(HashTests.salt)$\(HashTests.hash)", path: "/c")
      }?.code == "newer")
    for text in ["", "$", "$$$$$", "plain", "$2b$10$abc", String(repeating: "$", count: 10_000)] {
      #expect(refusal { _ = try PasswordHash(text: text, path: "/c") }?.code == "damaged")
    }
  }

  @Test func `the dummy hash for unknown names is well formed and matches nothing`() throws {
    let nobody = PasswordHash.unmatchable(cost: DataFolder.cheap, random: TestClock().environment.random.bytes)
    #expect(try PasswordHash(text: nobody.text, path: "/c") == nobody)
    #expect(try !nobody.matches(try Secret("anything")))
  }
}

@Suite struct PasswordFileTests {
  private let data = DataFolder()

  private func password(_ text: String) throws -> String {
    let data = DataFolder()
    try data.write(data.path + "/p", Array(text.utf8))
    let secret = try PasswordFile.read(data.path + "/p")
    return secret.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    ("word", "word"), ("word\n", "word"), ("word\r\n", "word"), ("word\n\n", "word\n"), (" word ", " word "),
    ("\n", ""), ("", ""), ("a\nb\n", "a\nb"), ("word\r", "word\r"),
  ])
  func `one line ending at the end is dropped, nothing else`(text: String, kept: String) throws {
    #expect(try password(text) == kept)
  }

  @Test func `a file that is too long, missing or a folder is refused`() throws {
    #expect(refusal { _ = try password(String(repeating: "x", count: 5000)) } == .tooLong(maximum: 1024))
    #expect(refusal { _ = try PasswordFile.read(data.path) } == .passwordFile(path: data.path, code: EISDIR))
    #expect(
      refusal { _ = try PasswordFile.read("/nowhere/p") }?.message
        == "cannot read the password from /nowhere/p: no such file or directory")
  }

  @Test func `a file that others can read is reported, not refused`() throws {
    let path = data.path + "/a b"
    try data.write(path, Array("word".utf8))
    #expect(PasswordFile.warning(for: path) == nil)
    chmod(path, 0o644)
    #expect(PasswordFile.warning(for: path)?.message == "others can open \(path); fix this with `chmod 600 '\(path)'`")
    #expect(try PasswordFile.read(path).count == 4)
  }

  @Test func `one line is read from standard input and the rest is left`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    _ = Array("first\r\nsecond\nrest".utf8).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    #expect(try PasswordFile.readLine(from: ends[0]).withBytes { Array($0) } == Array("first".utf8))
    #expect(try PasswordFile.readLine(from: ends[0]).withBytes { Array($0) } == Array("second".utf8))
    var rest = [UInt8](repeating: 0, count: 10)
    #expect(read(ends[0], &rest, 10) == 4)
  }
}
