// Vocabularies of e-readers, lists of known words, Yomitan dictionaries: what is read, and what is refused.

import Files
import Storage
import TestSupport
import Text

@testable import Exchange

@Suite struct VocabularyTests {
  private let folder = TemporaryFolder()

  private func database(_ name: String, _ statements: [String], journal: Bool = false) throws -> String {
    let path = folder.file(name)
    let file = try ExclusiveDatabase(path)
    try file.use { db in
      if journal { try db.execute(sql: "PRAGMA journal_mode = WAL") }
      for sql in statements { try db.execute(sql: sql) }
      guard journal else { return }
      // As a device leaves it when it was switched off: the latest changes are only in the journal.
      try AtomicFile.copy(path, to: path + ".copy", isInterrupted: { false })
      try AtomicFile.copy(path + "-wal", to: path + ".copy-wal", isInterrupted: { false })
    }
    try file.close()
    return path
  }

  private func read(_ path: String) throws -> [VocabularyEntry] {
    #expect(try VocabularyFile.isOne(path, isInterrupted: { false }))
    return try VocabularyFile(path, temporary: folder.path) { false }.entries
  }

  @Test func `KOReader's words have their sentences, as highlighted, and their books`() throws {
    let path = try database(
      "vocabulary_builder.sqlite3",
      [
        "CREATE TABLE title (id INTEGER PRIMARY KEY, name TEXT, filter INTEGER)",
        "INSERT INTO title VALUES (1, 'Don Quijote', 1)",
        """
        CREATE TABLE vocabulary (word TEXT, title_id INTEGER, create_time INTEGER, review_time INTEGER,
          due_time INTEGER, review_count INTEGER, prev_context TEXT, next_context TEXT, streak_count INTEGER,
          highlight TEXT)
        """,
        "INSERT INTO vocabulary VALUES ('lu\u{AD}gar', 1, 0, 0, 0, 0, 'En un', 'de la Man\u{AD}cha.', 0, NULL)",
        "INSERT INTO vocabulary VALUES ('hidalgo', 1, 0, 0, 0, 0, 'vivía un', '', 0, 'hidalgos')",
      ])
    let entries = try read(path)
    #expect(entries.map(\.word) == ["lugar", "hidalgos"])
    #expect(entries[0].sentence == "En un lugar de la Mancha." && entries[0].title == "Don Quijote")
    #expect(entries[1].sentence == "vivía un hidalgos" && entries.allSatisfy { $0.state == .learning })
  }

  @Test func `the pieces of KOReader's sentences are joined as they were in the book`() throws {
    let path = try database(
      "joined.sqlite3",
      [
        "CREATE TABLE title (id INTEGER PRIMARY KEY, name TEXT)",
        "CREATE TABLE vocabulary (word TEXT, title_id INTEGER, prev_context TEXT, next_context TEXT)",
        "INSERT INTO vocabulary VALUES ('casa', 1, 'Una ', ', blanca.'), ('arte', 1, 'l''', ' bella')",
        "INSERT INTO vocabulary VALUES ('猫', 1, '私は', 'です。'), ('ven', 1, 'Dijo:', 'aquí'), ('sí', 1, '¿', '?')",
      ])
    #expect(
      try read(path).map(\.sentence) == ["Una casa, blanca.", "l'arte bella", "私は猫です。", "Dijo: ven aquí", "¿sí?"])
  }

  @Test func `an older KOReader file without contexts gives its words`() throws {
    let path = try database(
      "old.sqlite3",
      [
        "CREATE TABLE title (id INTEGER, name TEXT)", "CREATE TABLE vocabulary (word TEXT, title_id INTEGER)",
        "INSERT INTO vocabulary VALUES ('gato', 3), ('', 3), (NULL, 1)",
      ])
    #expect(try read(path).map(\.word) == ["gato"])
  }

  @Test func `a Kindle's words have usage, book and language, and are known when mastered`() throws {
    let path = try database(
      "vocab.db",
      [
        "CREATE TABLE WORDS (id TEXT PRIMARY KEY, word TEXT, stem TEXT, lang TEXT, category INTEGER, timestamp INTEGER)",
        "CREATE TABLE LOOKUPS (id TEXT, word_key TEXT, book_key TEXT, dict_key TEXT, pos TEXT, usage TEXT, timestamp INTEGER)",
        "CREATE TABLE BOOK_INFO (id TEXT PRIMARY KEY, asin TEXT, guid TEXT, lang TEXT, title TEXT, authors TEXT)",
        "INSERT INTO WORDS VALUES ('es:casas', 'casas', 'casa', 'es', 0, 5), ('en:dog', 'dog', 'dog', 'en', 100, 6)",
        "INSERT INTO LOOKUPS VALUES ('1', 'es:casas', 'b', 'd', '0', 'Las casas son altas. ', 5)",
        "INSERT INTO BOOK_INFO VALUES ('b', '', '', 'es', 'Novela', 'N. N.')",
      ])
    let entries = try read(path).sorted { $0.word < $1.word }
    #expect(entries.map(\.word) == ["casas", "dog"] && entries.map(\.state) == [.learning, .known])
    #expect(entries[0].sentence == "Las casas son altas." && entries[0].title == "Novela")
    #expect(entries[0].isOf(code: "es", name: "spanish") && !entries[1].isOf(code: "es", name: "spanish"))
  }

  @Test func `a Kobo's words have the language of their dictionary`() throws {
    let path = try database(
      "KoboReader.sqlite",
      [
        "CREATE TABLE WordList (Text TEXT, VolumeId TEXT, DictSuffix TEXT, DateCreated TEXT)",
        "INSERT INTO WordList VALUES ('gato', 'v', '-es', ''), ('cat', 'v', '', '')",
      ])
    let entries = try read(path)
    #expect(entries.map(\.word) == ["gato", "cat"] && entries.map(\.language) == ["es", nil])
  }

  @Test func `data still in the device's journal is read, and nothing beside the file changes`() throws {
    let made = try database(
      "wal.db",
      [
        "CREATE TABLE WordList (Text TEXT, DictSuffix TEXT)", "INSERT INTO WordList VALUES ('gato', '')",
      ], journal: true)
    try folder.write(try #require(folder.read("wal.db.copy")), to: "left.db")
    try folder.write(try #require(folder.read("wal.db.copy-wal")), to: "left.db-wal")
    let before = folder.names
    #expect(try read(folder.file("left.db")).map(\.word) == ["gato"])
    #expect(folder.names == before && fileExists(made))
  }

  @Test func `a file that is not a vocabulary, or is damaged, is refused by name and nothing in it runs`() throws {
    let foreign = try database("foreign.db", ["CREATE TABLE t (a)"])
    let view = try database(
      "view.db",
      ["CREATE VIEW WordList AS SELECT load_extension('/tmp/x.so') AS Text, '' AS DictSuffix", "CREATE TABLE t (a)"])
    let whole = try #require(folder.read("foreign.db"))
    let cut = try folder.write(Array(whole.prefix(3_000)), to: "cut.db")
    for path in [foreign, view, cut] {
      #expect { try read(path) } throws: { error in
        guard case TextFileError.damaged(path, _) = error else { return false }
        return true
      }
    }
    #expect(try !VocabularyFile.isOne(folder.write("gato\n", to: "text.db"), isInterrupted: { false }))
  }

  private func list(_ name: String, _ text: String, _ columns: String? = nil) throws -> [VocabularyEntry] {
    let path = try folder.write(text, to: name)
    return try KnownWordList(path, columns: columns.map { try ColumnChoice.list(of: $0) } ?? []) { false }.entries
  }

  @Test func `a list has one word per line, followed by what an export added`() throws {
    let entries = try list("a.txt", "# mine\ngato\n\nperro\tknown\ncasa\tignored\nluna\tLearning\n sol , moon\n")
    #expect(entries.map(\.word) == ["gato", "perro", "casa", "luna", "sol"])
    #expect(entries.map(\.state) == [.known, .known, .ignored, .learning, .known])
  }

  @Test(arguments: [
    ("a.tsv", "perro\tknown\ncasa\tignored\nluna\tlearning\nsol\tsun\n"),
    ("a.csv", "perro,known\ncasa,ignored\nluna,learning\nsol,sun\n"),
  ])
  func `a table without a heading is read as a list`(name: String, text: String) throws {
    let entries = try list(name, text)
    #expect(entries.map(\.word) == ["perro", "casa", "luna", "sol"])
    #expect(entries.map(\.state) == [.known, .ignored, .learning, .known])
    #expect(try list("b.csv", "word,meaning\nignorado,ignored\n").map(\.state) == [.known])
  }

  @Test(arguments: ["list.txt", "list.csv"])
  func `a list that is not in UTF-8 is read in the encoding that its language had`(name: String) throws {
    let path = folder.file(name)
    try AtomicFile.write(path, [0xEA, 0xEE, 0xF2, 0x0A])
    #expect(try KnownWordList(path, columns: [], language: "ru") { false }.entries.map(\.word) == ["кот"])
  }

  @Test func `a word loses the marks that are too many in a row`() throws {
    let word = "a" + String(repeating: "\u{301}", count: longestMarkRun + 1)
    for (name, text) in [("a.txt", word + "\n"), ("a.csv", "word,status\n\(word),5\n")] {
      #expect(try list(name, text).map(\.word.unicodeScalars.count) == [longestMarkRun + 1])
    }
  }

  @Test func `a Lute table gives the status and the language of its terms`() throws {
    let entries = try list(
      "lute.csv",
      """
      term,parent,translation,language,tags,added,status,link_status,pronunciation
      gatos,gato,"cat, tom",Spanish,,2024-01-01,5,,
      "por\u{200B} favor",,please,Spanish,,2024-01-01,W,,
      Madrid,,,Spanish,,2024-01-01,I,,
      perro,,dog,Spanish,,2024-01-01,3,,
      chien,,dog,French,,2024-01-01,5,,
      """)
    #expect(entries.map(\.word) == ["gatos", "por favor", "Madrid", "perro", "chien"])
    #expect(entries.map(\.state) == [.known, .known, .ignored, .learning, .known])
    #expect(entries.map { $0.isOf(code: "es", name: "spanish") } == [true, true, true, true, false])
  }

  @Test func `a list without a word is reported, and short rows give the cells they have`() throws {
    #expect(throws: TextFileError.self) { try list("empty.txt", "\n\n") }
    #expect(throws: TextFileError.self) { try list("empty.csv", "term,status\n") }
    let entries = try list("l.tsv", "term\tstatus\tlanguage\nhond\n\t5\tDutch\nkat\t5\n")
    #expect(entries.map(\.word) == ["hond", "kat"] && entries.map(\.state) == [.learning, .known])
    #expect(entries.map(\.language) == [nil, nil])
  }

  @Test func `a column is chosen by name or number, and an unknown one is named`() throws {
    #expect(
      try list("b.csv", "Front;Level\ngato;5\nsol;2\n", "word=front,status=2").map(\.state) == [.known, .learning])
    #expect(try list("c.csv", "gato,cat\nsol,sun\n").map(\.word) == ["gato", "sol"])
    let numbered = try list("e.csv", "1,gato,5\n2,sol,2\n", "word=2,status=3")
    #expect(numbered.map(\.word) == ["gato", "sol"] && numbered.map(\.state) == [.known, .learning])
    #expect(try list("f.csv", "Front,Status\ngato,2\n", "word=1").map(\.state) == [.learning])
    #expect(try list("g.csv", "id,word\n1,gato\n", "word=2").map(\.word) == ["gato"])
    #expect(throws: ExchangeError.self) { try list("b.csv", "Front;Level\ngato;5\n", "word=Frond") }
    #expect(throws: ExchangeError.self) { try list("b.csv", "Front;Level\ngato;5\n", "prompt=Front") }
    #expect(throws: TextFileError.self) { try list("d.csv", "") }
  }

  private func zip(_ members: [(String, String)]) throws -> String {
    let name = "d\(members.count)-\(members.map(\.1.utf8.count).reduce(0, +)).zip"
    return try ExchangeTests.zip(folder, named: name, members.map { ($0, Array($1.utf8)) }, deflated: true)
  }

  private let head = (
    "index.json", "{\"title\": \"Mine\", \"format\": 3, \"sourceLanguage\": \"es\", \"revision\": \"1\"}"
  )

  private func entries(_ members: [(String, String)]) throws -> [YomitanFile.Entry] {
    var entries: [YomitanFile.Entry] = []
    try YomitanFile(try zip(members)) { false }.forEachEntry { entries.append($0) }
    return entries
  }

  @Test func `Yomitan's terms, forms and frequencies are read, bank by bank`() throws {
    let terms = """
      [["gato","","n","",5,["cat, tom cat",{"type":"text","text":"jack"},{"type":"image","path":"a.png"}],1,""],
       ["gatos","","non-lemma","",0,[["gato",["plural"]]],2,""], ["猫","ねこ","","",0,["cat \\"x\\" ]["],3,""]]
      """
    let structured = """
      [["casa","","","",0,[{"type":"structured-content","content":[{"tag":"ol","content":[{"tag":"li","content":"house"},
      {"tag":"li","content":["home ",{"tag":"ruby","content":["a",{"tag":"rt","content":"b"}]}]}]}]}],1,""]]
      """
    let frequencies = """
      [["gato","freq",12],["casa","freq",{"value":3,"displayValue":"3 ㋕"}],["x","pitch",{}],
       ["猫","pitch",{"reading":"ねこ","pitches":[{"position":1},{"position":"HL"}]}],["猫","pitch",{"pitches":"x"}],
       ["gato","ipa",{"reading":"gato","transcriptions":[{"ipa":"/ˈɡa.to/","tags":["Spain"]},{"ipa":"[ˈɡa.t̪o]"},{}]}],
       ["x","ipa",{"transcriptions":[{"ipa":" "}]}],["x","ipa",7],["x","other",{"reading":"x"}],
       ["sol","freq",{"reading":"sol","frequency":{"value":7}}],["y","freq","often"]]
      """
    let found = try entries([
      head, ("term_bank_10.json", structured), ("term_bank_2.json", terms), ("term_meta_bank_1.json", frequencies),
      ("a.png", "not looked at"),
    ])
    #expect(
      found == [
        .meaning(word: "gato", text: "cat, tom cat; jack", score: 5), .form(word: "gatos", lemma: "gato"),
        .form(word: "ねこ", lemma: "猫"), .meaning(word: "猫", text: "cat \"x\" ]["),
        .meaning(word: "casa", text: "house\nhome a"), .frequency(word: "gato", text: "12"),
        .frequency(word: "casa", text: "3 ㋕"), .pronunciation(word: "猫", text: "ねこ [1, HL]"),
        .pronunciation(word: "gato", text: "/ˈɡa.to/ (Spain), [ˈɡa.t̪o]"), .frequency(word: "sol", text: "7"),
        .frequency(word: "y", text: "often"),
      ])
    let file = try YomitanFile(try zip([head])) { false }
    #expect(file.title == "Mine" && file.words == "es" && file.meanings == nil)
  }

  @Test func `sparse Yomitan definitions give what they contain`() throws {
    let terms = """
      [["a","","","",0,[{"type":"text"},{"type":"structured-content"},{"type":"other"},7],1,""],["b","","","",0],
       ["c","","","",null,[{"type":"structured-content","content":{"tag":"table","content":[{"tag":"tr","content":
       [{"tag":"td","content":"x"},{"tag":"td"},{"content":"y"}]}]}}],1,""]]
      """
    let meta = """
      [["a","freq",1.5],["a","freq",{"value":2.5}],["a","freq",[]],["a",7,{}]]
      """
    let found = try entries([head, ("term_bank_1.json", terms), ("term_meta_bank_1.json", meta)])
    #expect(
      found.contains(.meaning(word: "c", text: "x  y")) || found.contains(.meaning(word: "c", text: "x y")), "\(found)")
    #expect(found.contains(.frequency(word: "a", text: "1.5")) && found.contains(.frequency(word: "a", text: "2.5")))
    #expect(
      !found.contains { if case .meaning(let word, _, _) = $0 { word == "a" || word == "b" } else { false } },
      "\(found)")
  }

  @Test func `in a dictionary of version 1, each value after the fifth is a definition`() throws {
    let head = ("index.json", "{\"title\": \"Old\", \"version\": 1}")
    let terms = "[[\"gato\",\"\",\"n\",\"\",5,\"cat\",\"tom cat\"],[\"sol\",\"\",\"\",\"\",0]]"
    #expect(
      try entries([head, ("term_bank_1.json", terms)]) == [.meaning(word: "gato", text: "cat; tom cat", score: 5)])
  }

  @Test(arguments: [
    "", "[", "[[\"a\"]]", "{}", "[1]", "[[\"a\",\"\",\"\",\"\",0,[\"x\"]]", "x[]", "[]]", "[[\"a\",\"b\"],",
    "[[\"\u{1}\"]]",
  ])
  func `a damaged bank is refused by name`(bank: String) throws {
    #expect { try entries([head, ("term_bank_1.json", bank)]) } throws: { error in
      guard case TextFileError.damaged(_, let reason) = error else { return false }
      return reason.contains("term_bank_1.json")
    }
  }

  @Test func `a zip without an index, or with a different one, is not a dictionary`() throws {
    #expect(throws: TextFileError.self) { try entries([("term_bank_1.json", "[]")]) }
    #expect(throws: TextFileError.self) { try entries([("index.json", "{\"title\": 5}")]) }
    #expect(throws: TextFileError.self) { try entries([("index.json", "[")]) }
  }

  @Test func `elements are the same however the bytes arrive, and one that is too long is refused`() throws {
    let text = Array(" [ [1, \"a,]\\\"b\"], {\"x\": [2, 3]} , 5 ] ".utf8)
    for size in 1...text.count {
      var (found, elements): ([String], JSONElements) = ([], JSONElements(limit: 100))
      for start in stride(from: 0, to: text.count, by: size) {
        let piece = Array(text[start..<min(text.count, start + size)])
        let isFine = piece.withUnsafeBytes { bytes in
          elements.take(bytes) { found.append(String(decoding: $0, as: UTF8.self).filter { $0 != " " }) }
        }
        #expect(isFine)
      }
      #expect(found == ["[1,\"a,]\\\"b\"]", "{\"x\":[2,3]}", "5"] && elements.isFinished)
    }
    var elements = JSONElements(limit: 10)
    let isFine = Array("[\"aaaaaaaaaaaaaaaaaaaaaaaa".utf8).withUnsafeBytes { elements.take($0) { _ in } }
    #expect(!isFine)
  }
}
