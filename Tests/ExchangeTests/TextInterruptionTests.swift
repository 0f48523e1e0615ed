// Long reading of texts, books and word lists: an interruption is reported, and a damaged file is reported with the
// damaged part.

import Files
import Problems
import Storage
import TestSupport

@testable import Exchange

@Suite struct TextInterruptionTests {
  private let folder = TemporaryFolder()

  /// Interrupts a reading at the first check, at the second, and so on, until it completes.
  private func interrupt(_ read: (Patience) throws -> Void, _ place: SourceLocation = #_sourceLocation) throws {
    for moment in 0..<200 {
      do {
        try read(Patience(moment))
        #expect(moment > 0, "it never asks", sourceLocation: place)
        return
      } catch {
        try #require((error as? any Problem)?.report.code == .interrupted, "\(error)", sourceLocation: place)
      }
    }
  }

  private func zip(_ name: String, _ members: [(String, String)]) throws -> String {
    try ExchangeTests.zip(folder, named: name, members.map { ($0, Array($1.utf8)) }, deflated: false)
  }

  private let book = [
    ("META-INF/container.xml", "<container><rootfile full-path=\"p.opf\"/></container>"),
    (
      "p.opf",
      "<package><manifest><item id=\"a\" href=\"a.xhtml\" media-type=\"application/xhtml+xml\"/>"
        + "<item id=\"b\" href=\"b.xhtml\" media-type=\"application/xhtml+xml\"/></manifest>"
        + "<spine><itemref idref=\"a\"/><itemref idref=\"b\"/></spine></package>"
    ), ("a.xhtml", "<html><p>Uno.</p></html>"), ("b.xhtml", "<html><p>Dos y tres.</p></html>"),
  ]

  private let dictionary = [
    ("index.json", #"{"title": "Mine", "format": 3, "sourceLanguage": "es", "revision": "1"}"#),
    ("term_bank_1.json", #"[["gato","","n","",5,["cat"],1,""]]"#),
    ("term_bank_2.json", #"[["perro","","n","",5,["dog"],1,""]]"#),
  ]

  @Test func `reading a book can be interrupted anywhere`() throws {
    let path = try zip("a.epub", book)
    try interrupt { patience in
      let text = try TextFile(path, encoding: nil) { patience.isOver() }
      #expect(text.paragraphs.map(\.text) == ["Uno.", "Dos y tres."])
    }
  }

  @Test func `reading a dictionary can be interrupted anywhere`() throws {
    let path = try zip("a.zip", dictionary)
    try interrupt { patience in
      var count = 0
      try YomitanFile(path) { patience.isOver() }.forEachEntry { _ in count += 1 }
      #expect(count == 2)
    }
  }

  @Test func `reading a word list and a vocabulary can be interrupted anywhere`() throws {
    let list = try folder.write("term,status\n" + (0..<2100).map { "w\($0),5\n" }.joined(), to: "l.csv")
    try interrupt { patience in
      let list = try KnownWordList(list, columns: []) { patience.isOver() }
      #expect(list.entries.count == 2100)
    }
    let path = folder.file("words.db")
    let file = try ExclusiveDatabase(path)
    try file.use { db in
      try db.execute(sql: "CREATE TABLE title (id INTEGER, name TEXT)")
      try db.execute(sql: "CREATE TABLE vocabulary (word TEXT, title_id INTEGER)")
      try db.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
            INSERT INTO vocabulary SELECT 'w' || i, 1 FROM n
          """)
    }
    try file.close()
    try interrupt { patience in
      let vocabulary = try VocabularyFile(path, temporary: folder.path) { patience.isOver() }
      #expect(vocabulary.entries.count == 9000)
    }
  }

  @Test(arguments: ["Dos y tres.", "\"dog\""])
  func `a damaged part is reported by name`(_ text: String) throws {
    let isBook = text.hasPrefix("Dos")
    let path = try isBook ? zip("a.epub", book) : zip("a.zip", dictionary)
    var bytes = try #require(folder.read(isBook ? "a.epub" : "a.zip"))
    let wanted = Array(text.utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: wanted) })
    bytes[place + 2] ^= 1
    try folder.write(bytes, to: isBook ? "a.epub" : "a.zip")
    let error = #expect(throws: TextFileError.self) {
      if isBook {
        _ = try TextFile(path, encoding: nil) { false }
      } else {
        try YomitanFile(path) { false }.forEachEntry { _ in }
      }
    }
    let name = isBook ? "b.xhtml" : "term_bank_2.json"
    #expect(
      error?.report.message.contains("the file \"\(name)\" is corrupt") == true,
      "\(String(describing: error))")
  }
}
