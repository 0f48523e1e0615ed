// Broken files of every text format: truncated at each byte, changed at each byte, endless lines.

import Exchange
import Files
import Glibc
import Problems
import TestDecks

@Suite struct BrokenFileTests {
  let collection = TestCollection()
  let folder = TemporaryFolder()

  /// A small file of each format that uses all of the format.
  static let files: [(name: String, text: String)] = [
    (
      "f.json",
      #"{"deckhand":1,"options":{"new_per_day":3},"note_types":[{"name":"W","fields":["A"],"cards":[{"name":"C","front":"{{A}}","back":"x"}]}],"cards":[{"prompt":"é","answer":"d\u00f3g","schedule":{"state":"review","due":1e9,"stability":2,"difficulty":5}},{"note_type":"W","note_fields":{"A":"1"},"guid":"g"},{"note_guid":"g","ordinal":0}]}"#
    ),
    (
      "f.jsonl",
      "{\"note_type\":\"Cloze\",\"note_fields\":{\"Text\":\"{{c1::x}}\"}}\n{\"prompt\":\"q\",\"answer\":\"é\",\"tags\":[\"a\"]}\n"
    ),
    ("f.csv", "prompt,answer,tags,guarded\n\"p,1\",\"a \"\"x\"\"\",t u,n\r\n'=2,\"a\nb\",,prompt\n"),
    (
      "f.txt",
      "#separator:tab\n#html:true\n#notetype column:1\n#tags column:4\nBasic\t<b>é</b>\ta\tx y\nCloze\t{{c1::b}}\t\t\n"
    ),
    ("f.md", "## é <!-- id: g; tags: a -->\n\nb\n\n---\n\nA ==c== d\n<!-- id: h -->\n\nQ: x\nA:\n```\ny\n```\n"),
  ]

  /// Imports in a unit that is rolled back, and checks that the import was complete or empty.
  private func check(_ bytes: [UInt8], as name: String, into deck: DeckID) throws {
    try AtomicFile.write(folder.file(name), bytes)
    collection.store.beginUnit()
    do {
      let report = try collection.importing(deck, folder.file(name))
      let added = try collection.store.read { db in
        try ([deck] + DeckTable.within(db, deck).map(\.id)).reduce(0) { try $0 + DeckTable.count(db, $1) }
      }
      #expect(added == report.added)
    } catch let error as ExchangeError {
      #expect(["bad_format", "bad_encoding", "too_large", "bad_value"].contains(error.code), "\(error)")
      #expect(try collection.cards(deck).isEmpty)
    }
    try collection.store.rollbackUnit()
  }

  @Test(arguments: files.indices)
  func `a file truncated or changed at any byte is read completely or not at all`(file: Int) throws {
    var generator = TestGenerator(UInt64(file))
    let (name, text) = Self.files[file]
    let bytes = Array(text.utf8)
    let deck = try collection.deck("d")
    for place in bytes.indices {
      try check(Array(bytes[..<place]), as: name, into: deck)
      for byte in [0x00, 0xFF, 0x0A, UInt8(ascii: "\""), UInt8.random(in: 0...255, using: &generator)] {
        var changed = bytes
        changed[place] = byte
        try check(changed, as: name, into: deck)
      }
    }
  }

  /// A sparse gigabyte, which takes no space on disk.
  @Test(arguments: ["csv", "tsv", "txt", "jsonl", "json", "md"])
  func `an endless line is refused with its position, using little memory`(format: String) throws {
    let path = folder.file("big." + format)
    let start = format.hasPrefix("json") ? "[{\"prompt\":\"" : "a b c"
    try AtomicFile.write(path, Array(start.utf8) + Array(repeating: UInt8(ascii: "x"), count: 1 << 20))
    let descriptor = open(path, O_WRONLY)
    #expect(ftruncate(descriptor, 1 << 30) == 0)
    close(descriptor)
    let deck = try collection.deck("d")
    let error = #expect(throws: ExchangeError.self) { try collection.importing(deck, path) }
    #expect(error?.code == "too_large" && (error?.message.hasPrefix("big.\(format):1: one row has more than") ?? false))
    #expect(try collection.cards(deck).isEmpty)
  }
}
