// Plugin indexes that somebody else may have forged: read completely, or refused with the reason. Signatures are
// tested through the program.

import Files
import Glibc
import Problems
import TestSupport
import Testing
import Text
public import Values

@testable import Authentication
@testable import PluginHost

@Suite struct PluginIndexTests {
  private let folder = TemporaryFolder()
  private static let hash = String(repeating: "0a", count: 32)

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
    } catch let error as any Problem { return error.message } catch { return "\(error)" }
    Issue.record("it was taken")
    return ""
  }

  // MARK: Listings

  /// Returns a valid listing with other values for some keys; nil removes a key.
  private func listing(_ changes: [String: Value?] = [:], release: [String: Value?] = [:]) -> [UInt8] {
    var version: Value.Record = [
      "version": "1.0.0", "file": "verbs-1.0.0.tar.gz", "sha256": .text(Self.hash), "size": 10, "api": 1,
      "permissions": ["shell"], "licence": "MIT",
    ]
    for (key, value) in release { version[key] = value }
    var whole: Value.Record = ["name": "verbs", "summary": "Verbs.", "versions": [.record(version)]]
    for (key, value) in changes { whole[key] = value }
    return JSONWriter.bytes(of: .record(whole))
  }

  @Test func `a valid listing is read, its versions from the highest down`() throws {
    let versions = ["1.0.0", "1.10.0", "1.9.0"].map { version in
      Value.record([
        ("version", .text(version)), ("file", "a/b.tar.gz"), ("sha256", .text(Self.hash)), ("size", 1), ("api", 1),
        ("licence", "MIT"), ("needs", .record([("deckhand", ">=0.1")])),
      ])
    }
    let read = try PluginListing(listing(["versions": .list(versions)]), name: "verbs")
    #expect(read.releases.map(\.version.description) == ["1.10.0", "1.9.0", "1.0.0"])
    #expect(read.key == nil && read.author == nil && read.releases[0].needs.deckhand != nil)
    // Permissions of a later API version are not checked by this program.
    let later = try PluginListing(
      listing(release: ["api": 2, "permissions": ["telepathy"]]), name: "verbs")
    #expect(later.releases[0].api == 2 && later.releases[0].permissions.isEmpty)
  }

  @Test(arguments: [
    "../x.tar.gz", "a/../x.tar.gz", "/etc/passwd", "a//b", "./a", "a/.git", "", "a/", ".hidden", "a\u{7}b", "a\nb",
    "a\u{202E}b", "a\\b", "1/2/3/4/5/6/7/8/9",
  ])
  func `a path that leads outside or is invisible is refused`(path: String) {
    let reason = message { _ = try PluginListing(listing(release: ["file": .text(path)]), name: "verbs") }
    #expect(reason.contains("/versions/0: \"file\": a path of plain names below the index's folder"), "\(reason)")
  }

  @Test(
    arguments: ["summary", "author"], ["\u{1B}[2J", "a\u{202E}b", "a\nb", "", " ", String(repeating: "x", count: 301)])
  func `a text that would change the terminal is refused`(key: String, text: String) {
    let reason = message { _ = try PluginListing(listing([key: .text(text)]), name: "verbs") }
    #expect(reason.contains("\"\(key)\": a printable text"), "\(reason)")
    #expect(!reason.unicodeScalars.contains("\u{1B}"))
  }

  @Test(
    arguments: [
      ("licence", nil), ("licence", "\u{1B}]0;x\u{7}"), ("yanked", ""), ("version", "1.x"), ("version", nil),
      ("sha256", "abc"), ("sha256", .text(hash.uppercased())), ("size", 0), ("size", .integer(1 << 40)), ("size", -1),
      ("api", 0), ("permissions", ["fly"]), ("permissions", "shell"), ("needs", ["x"]), ("url", "file:///etc/passwd"),
      ("url", "https://a b"), ("url", "https://a\u{7}"),
    ] as [(String, Value?)])
  func `a version with a wrong value is refused with its position`(key: String, value: Value?) {
    let reason = message { _ = try PluginListing(listing(release: [key: value]), name: "verbs") }
    #expect(reason.contains("verbs.json: /versions/0: \"\(key)\""), "\(reason)")
  }

  @Test func `a listing with another name, without versions, or with a duplicate version is refused`() {
    #expect(message { _ = try PluginListing(listing(), name: "nouns") }.contains("the name of its file"))
    #expect(message { _ = try PluginListing(listing(["versions": []]), name: "verbs") }.contains("a list of 1 to"))
    #expect(
      message { _ = try PluginListing(listing(["key": "RWx"]), name: "verbs") }.contains("public key is expected"))
    let twice = Value.list([
      .record(JSONObject(listing()).release), .record(JSONObject(listing()).release),
    ])
    #expect(message { _ = try PluginListing(listing(["versions": twice]), name: "verbs") }.contains("in it twice"))
    for text in ["", "[]", "{", "nul", "\u{FEFF}{}"] {
      #expect(message { _ = try PluginListing(Array(text.utf8), name: "verbs") }.contains("verbs.json: "))
    }
  }

  @Test func `a truncated or changed listing is refused or read, nothing else`() throws {
    let sound = listing()
    for cut in 0..<sound.count - 2 { _ = message { _ = try PluginListing(Array(sound.prefix(cut)), name: "verbs") } }
    var numbers = SeededNumbers(seed: 32)
    for _ in 0..<2_000 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      }
      // An accepted listing has a plain path and printable texts.
      guard let read = try? PluginListing(bytes, name: "verbs") else { continue }
      #expect(printable(read.summary, limit: 300) == read.summary && !read.releases[0].file.hasPrefix("/"))
    }
  }

  // MARK: Folders

  private func index(_ changes: [String: Value?] = [:]) throws {
    try folder.write(listing(), to: "verbs.json")
    var whole: Value.Record = [
      "format": 1, "name": "words", "number": 3, "date": "2026-11-23",
      "plugins": .record([("verbs", .text(hexadecimal(sha256(listing()))))]),
    ]
    for (key, value) in changes { whole[key] = value }
    try folder.write(JSONWriter.bytes(of: .record(whole)), to: "index.json")
  }

  private func read() throws -> PluginIndex { try PluginIndex(folder.path, key: nil) }

  @Test func `an index is read, and a listing only if its hash matches`() throws {
    try index(["expires": "2027-11-23"])
    let read = try read()
    #expect(read.name == "words" && read.number == 3 && read.expires == "2027-11-23" && read.plugins == ["verbs"])
    #expect(try read.listing(of: "verbs")?.releases.count == 1 && (try read.listing(of: "nouns")) == nil)
    try folder.write(listing(["summary": "Other."]), to: "verbs.json")
    #expect(message { _ = try read.listing(of: "verbs") }.contains("a different verbs.json"))
  }

  @Test(
    arguments: [
      ("format", 2), ("format", nil), ("name", "../x"), ("name", nil), ("number", 0), ("number", "7"),
      ("date", "yesterday"), ("date", "2026-02-30"), ("expires", "2026-13-01"), ("plugins", []),
      ("plugins", .record([("../verbs", .text(hash))])), ("plugins", .record([("verbs", "x")])),
      ("plugins", .record([("a\u{1B}b", .text(hash))])),
    ] as [(String, Value?)])
  func `an index with a wrong value is refused by its key`(key: String, value: Value?) throws {
    try index([key: value])
    let reason = message { _ = try read() }
    #expect(
      reason.contains("index.json: ") && (reason.contains("\"\(key)\"") || reason.contains("format 2")), "\(reason)")
    #expect(!reason.unicodeScalars.contains("\u{1B}"))
  }

  @Test func `links that lead outside, pipes and huge files are refused`() throws {
    #expect(message { _ = try read() }.contains("has no index.json"))
    let outside = TemporaryFolder()
    try index()
    try outside.write(folder.read("index.json") ?? [], to: "index.json")
    unlink(folder.file("index.json"))
    symlink(outside.file("index.json"), folder.file("index.json"))
    #expect(message { _ = try read() }.contains("is outside it"))
    unlink(folder.file("index.json"))
    mkfifo(folder.file("index.json"), 0o600)
    #expect(!message { _ = try read() }.isEmpty)
    unlink(folder.file("index.json"))
    try folder.write([], to: "index.json")
    truncate(folder.file("index.json"), 1 << 40)
    #expect(!message { _ = try read() }.isEmpty)
  }

  @Test func `a package outside the index, also through a link, is never read`() throws {
    try index()
    let outside = TemporaryFolder()
    try outside.write("secret", to: "verbs-1.0.0.tar.gz")
    symlink(outside.file("verbs-1.0.0.tar.gz"), folder.file("verbs-1.0.0.tar.gz"))
    let (index, listing) = (try read(), try PluginListing(listing(), name: "verbs"))
    let leads = message { _ = try index.package(of: listing, listing.releases[0], isInterrupted: { false }) }
    #expect(leads.contains("is outside it"), "\(leads)")
    unlink(folder.file("verbs-1.0.0.tar.gz"))
    let missing = message { _ = try index.package(of: listing, listing.releases[0], isInterrupted: { false }) }
    #expect(missing.contains("put its package (10 bytes) at \(folder.path)/verbs-1.0.0.tar.gz"), "\(missing)")
  }

  @Test func `an older index, a changed one with the same number and an expired one are distinguished`() throws {
    try index(["expires": "2026-11-30"])
    let read = try read()
    let day = 20_780.0 * 86_400  // 2026-11-23
    try read.checkAge(seen: nil, now: day)
    try read.checkAge(seen: (3, read.sha256), now: day + 7 * 86_400)
    try read.checkAge(seen: (2, "other"), now: day)
    #expect(message { try read.checkAge(seen: (4, "other"), now: day) }.contains("has number 3, and number 4 was seen"))
    #expect(message { try read.checkAge(seen: (3, "other"), now: day) }.contains("but different content"))
    #expect(message { try read.checkAge(seen: nil, now: day + 8 * 86_400) }.contains("was valid until 2026-11-30"))
  }

  // MARK: Lock files

  @Test func `a lock file reads back as written, and anything else is refused`() throws {
    let lock = PluginLock([
      .init(name: "verbs", version: "1.0.0", content: Self.hash),
      .init(name: "nouns", version: "2", content: Self.hash),
    ])
    let path = try folder.write(lock.bytes, to: "plugins.lock")
    #expect(try PluginLock(file: path, isInterrupted: { false }) == lock)
    #expect(lock.entries.map(\.name) == ["nouns", "verbs"])
    for text in [
      "", "[]", "{}", #"{"format": 1}"#, #"{"format": 2, "plugins": {}}"#, #"{"format": 1, "plugins": {"../x": {}}}"#,
      #"{"format": 1, "plugins": {"x": {"version": "1.0"}}}"#,
    ] {
      try folder.write(text, to: "plugins.lock")
      #expect(
        message { _ = try PluginLock(file: path, isInterrupted: { false }) }.contains("nothing was changed"), "\(text)")
    }
  }
}

/// The only version of a listing.
private struct JSONObject {
  let release: Value.Record

  init(_ bytes: [UInt8]) {
    let limits = JSONLimits(bytes: 1 << 20, depth: 16, values: 1_000, string: 1 << 16)
    let value = try? JSONParser.parse(bytes, limits: limits)
    release = value?.record?["versions"]?.list?.first?.record ?? Value.Record()
  }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral {
  public init(stringLiteral text: String) { self = .text(text) }
  public init(integerLiteral number: Int) { self = .integer(number) }
  public init(arrayLiteral elements: Value...) { self = .list(elements) }
}
