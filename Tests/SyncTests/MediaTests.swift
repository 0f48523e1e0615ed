// Media sync with one fault in the server's responses; the real server is in Tests/Peers/anki_sync_media.py.

import Decks
import Exchange
import Problems
import TestSupport

@testable import Sync

@Suite struct MediaTests {
  private let folder = TemporaryFolder()
  private let standIn: StandIn

  init() throws { standIn = try StandIn() }

  /// Sets up a media sync; contents are stored by their first bytes.
  private func exchange(_ mode: String, _ states: [String: MediaState] = [:], usn: Int = 0) -> MediaExchange {
    exchange(mode, KnownMedia(states: states, usn: usn))
  }

  private func exchange(_ mode: String, _ known: KnownMedia, limit: Int = .max) -> MediaExchange {
    let contents = MediaContents(
      limit: limit, read: { Array($0.utf8) }, keep: { String(decoding: $0.prefix(20), as: UTF8.self) })
    return MediaExchange(
      standIn.mediaServer(mode), contents, folder: folder.path, known, isInterrupted: { false })
  }

  private let own = MediaState(hash: "mine", size: 4)

  @Test func `new files are downloaded and uploaded`() throws {
    let sync = exchange("media", ["mine.txt": own])
    try sync.run { _ in }
    #expect(sync.report.received == 2 && sync.report.sent == 1 && sync.report.findings.isEmpty)
    #expect(sync.known.states["a.png"]?.hash == "one" && sync.known.states["b ä.mp3"]?.hash == "two")
    #expect(sync.known.states["mine.txt"]?.isPending == false && sync.known.states["mine.txt"]?.digest?.count == 40)
    #expect(sync.known.usn == 3)
    #expect(folder.names.isEmpty)
  }

  @Test(arguments: [
    "media-begin", "media-error", "media-list", "media-rows", "media-digest", "media-endless", "media-bomb",
    "media-lying", "media-nozip", "media-empty", "media-cut", "media-nometa", "media-badmeta", "media-listmeta",
    "media-nomember", "media-other", "media-path", "media-content", "media-none", "media-twice", "media-409",
    "media-lastusn",
  ])
  func `a fault is reported, and no file is added or left behind`(mode: String) throws {
    let sync = exchange(mode, ["mine.txt": own])
    do {
      try sync.run { _ in }
      Issue.record("\(mode) was taken for media")
    } catch let error as SyncError {
      #expect(["bad_sync_answer", "busy"].contains(error.code), "\(mode): \(error)")
      #expect(!error.message.contains("\u{1B}"))
    }
    #expect(sync.known.states == ["mine.txt": own] && sync.known.usn == 0)
    #expect(folder.names.isEmpty)
  }

  @Test(arguments: ["media-taken", "media-nothing", "media-words", "media-lasttaken", "media-firsttaken"])
  func `a malformed response to an upload leaves the files unsent`(mode: String) throws {
    let sync = exchange(mode, ["mine.txt": own])
    #expect(throws: SyncError.self) { try sync.run { _ in } }
    #expect(sync.known.states["mine.txt"]?.isPending == true)
    // Files received earlier are recorded.
    #expect(sync.known.states["a.png"]?.isPending == false)
  }

  @Test func `names that lead outside the folder stay on the server and are counted there`() throws {
    let sync = exchange("media-names")
    try sync.run { _ in }
    #expect(sync.report.received == 0 && sync.report.findings.count == 9)
    #expect(sync.known.states.values.allSatisfy { $0.hash == nil && !$0.isPending })
    #expect(sync.report.findings.allSatisfy { !$0.contains("\n") })
  }

  @Test func `a file whose deletion was sent and that exists again is uploaded, and only then`() throws {
    for (usn, isBack) in [(3, true), (2, false)] {
      let there = MediaState(hash: "mine", size: 4, digest: String(repeating: "a", count: 40), isPending: false)
      var known = KnownMedia(states: ["a.png": there], usn: 2)
      known.deletions["a.png"] = usn
      let sync = exchange("media-deleted", known)
      try sync.run { _ in }
      #expect(sync.report.sent == (isBack ? 1 : 0) && sync.report.removedHere == (isBack ? 0 : 1))
      #expect((sync.known.states["a.png"]?.hash == "mine") == isBack)
    }
  }

  @Test
  func `a file deleted here stays deleted if the server lists it unchanged, and one with an unusable name is dropped`()
    throws
  {
    var known = KnownMedia(
      states: [
        "../x": MediaState(hash: nil, digest: String(repeating: "a", count: 40), isPending: false),
        "gone.png": MediaState(hash: nil, digest: "b802f384302cb24fbab0a44997e820bf2e8507bb", isPending: true),
      ], usn: 2)
    known.usn = 2
    let sync = exchange("media-removals", known)
    try sync.run { _ in }
    #expect(sync.known.states.isEmpty && sync.report.received == 0 && sync.report.removedThere == 1)
    #expect(sync.known.deletions.keys.sorted() == ["gone.png"])
  }

  @Test func `a file whose content is gone is reported, the others are uploaded`() throws {
    let server = standIn.mediaServer("media-none-new")
    let contents = MediaContents(limit: .max, read: { $0 == "mine" ? Array("mine".utf8) : nil }, keep: { _ in "" })
    let states = ["a.txt": MediaState(hash: "lost", size: 4), "b.txt": own]
    let sync = MediaExchange(
      server, contents, folder: folder.path, KnownMedia(states: states, usn: 2), isInterrupted: { false })
    try sync.run { _ in }
    #expect(sync.report.sent == 1 && sync.report.findings.count == 1)
    #expect(sync.report.findings.first?.contains("a.txt") == true, "\(sync.report.findings)")
    #expect(sync.known.states["b.txt"]?.isPending == false)
  }

  @Test func `a deletion is stored with the USN that the server gives it`() throws {
    let gone = MediaState(hash: nil, digest: String(repeating: "a", count: 40))
    let sync = exchange("media-none-new", KnownMedia(states: ["weg.png": gone], usn: 2))
    try sync.run { _ in }
    #expect(sync.known.deletions == ["weg.png": 3] && sync.known.states.isEmpty)
    #expect(sync.known.unsent == 0)
  }

  @Test func `pending files are counted as they would be sent`() {
    let known = KnownMedia(
      states: ["a": own, "b": MediaState(hash: "x"), "c": MediaState(hash: nil, digest: "d")], usn: 3)
    #expect(known.unsent == 2)
    let other = MediaState(hash: "x", size: 1, digest: "e", isPending: false)
    #expect(KnownMedia(states: ["a": other], usn: 3).unsent == 0 && KnownMedia(states: ["a": other]).unsent == 1)
  }

  @Test func `differing counts are compared once more, then reported`() throws {
    let sync = exchange("media-insane", usn: 1)
    try sync.run { _ in }
    #expect(sync.report.findings.count == 1)
  }

  @Test func `a file that cannot be sent is reported once, even if all files are compared once more`() throws {
    let sync = exchange("media-insane", ["empty": MediaState(hash: "x")], usn: 1)
    try sync.run { _ in }
    #expect(sync.report.findings.count == 2, "\(sync.report.findings)")
  }

  @Test func `files that cannot be sent are reported`() throws {
    let sync = exchange(
      "media", ["empty": MediaState(hash: "x"), "large": MediaState(hash: "x", size: 200 << 20), ".dot": own])
    try sync.run { _ in }
    #expect(sync.report.sent == 0 && sync.report.findings.count == 3)
  }

  @Test func `a server cannot store more than the limit in one sync; received files are kept`() throws {
    // Two files of three bytes each.
    let sync = exchange("media", KnownMedia(), limit: 5)
    #expect(throws: SyncError.overShare(limit: 5, isMedia: true)) { try sync.run { _ in } }
    #expect(sync.report.received == 1 && sync.known.usn == 0)
    #expect(sync.known.states.count == 1)
    let next = exchange("media", KnownMedia(), limit: 6)
    try next.run { _ in }
    #expect(next.report.received == 2)
  }

  @Test func `an interruption ends it`() throws {
    let contents = MediaContents(limit: .max, read: { _ in nil }, keep: { _ in "" })
    let sync = MediaExchange(
      standIn.mediaServer("media"), contents, folder: folder.path, KnownMedia(), isInterrupted: { true })
    #expect(throws: SyncError.interrupted) { try sync.run { _ in } }
  }
}
