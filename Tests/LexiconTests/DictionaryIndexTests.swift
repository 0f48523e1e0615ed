// Indexed dictionaries: what is written is found, damage breaks nothing; StarDict synonyms.

import Problems
import TestSupport

@testable import Lexicon

@Suite struct DictionaryIndexTests {
  private let folder: TemporaryFolder
  private let spanish = Language.unknown("spanish", title: "Spanish", code: "es")

  init() { folder = TemporaryFolder() }

  private func library() -> DictionaryLibrary {
    DictionaryLibrary(ownFolders: [folder.path], systemFolders: []) { false }
  }

  private func write(_ name: String, _ entries: [(DictionaryEntryKind, String, String)]) throws {
    try DictionaryIndexWriter.write(folder.file(name), isInterrupted: { false }) { index in
      for (kind, headword, text) in entries { try index.add(kind, headword, text) }
    }
  }

  @Test func `meanings, forms and frequencies are found, each by its headword`() throws {
    try write(
      "es-en-a.words",
      [
        (.meaning, "Gato", "cat"), (.meaning, "gato", "jack"), (.form, "gatos", "gato"), (.frequency, "gato", "812"),
        (.meaning, "año", "year"), (.meaning, "ano", "anus"), (.markup, "perro", "<b>dog</b>"),
        (.meaning, "", "nothing"), (.meaning, String(repeating: "x", count: 2_000), "too long"),
      ])
    let library = library()
    #expect(try library.define("gato", in: spanish).map(\.text) == ["cat", "jack"])
    #expect(try library.define("gatos", in: spanish).isEmpty)
    #expect(try library.lemmas(of: "Gatos", in: spanish) == ["gato"])
    #expect(try library.remarks(.frequency, on: "gato", in: spanish).map(\.text) == ["812"])
    #expect(try library.define("año", in: spanish).map(\.text) == ["year"])
    #expect(try library.define("AÑO", in: spanish, foldAccents: true).map(\.text) == ["year"])
    #expect(try library.define("perro", in: spanish).map(\.isMarkup) == [true])
    #expect(library.failures.isEmpty)
  }

  @Test func `a table of forms keeps capitals in German, and is asked apart from other dictionaries`() throws {
    try write("de-a.words", [(.form, "Essen", "Speise"), (.meaning, "essen", "to eat")])
    let german = try #require(Language.named("german"))
    #expect(self.library().formTable(of: german) == nil)
    let tables = TemporaryFolder()
    try tables.write("# mine\nEssen\tEssen\nessen\tessen\t3\naß\t essen \n\tx\nx\t\n", to: "forms.tsv")
    let counts = try DictionaryIndexWriter.write(folder.file("de.forms.words"), isInterrupted: { false }) {
      try self.library().index(tables.file("forms.tsv"), areForms: true, into: $0)
    }
    #expect(counts == [.form: 3])
    let library = self.library()
    #expect(library.formTable(of: german) != nil && library.formTable(of: spanish) == nil)
    func lemmas(_ form: String) throws -> [String] { try library.lemmas(of: form, in: german, fromTables: true) }
    #expect(try lemmas("Essen") == ["Essen"] && lemmas("essen") == ["essen"] && lemmas("aß") == ["essen"])
    #expect(try lemmas("ESSEN").isEmpty && library.lemmas(of: "essen", in: german) == ["Speise"])
    #expect(try library.define("essen", in: german).map(\.text) == ["to eat"])
    #expect(throws: DictionaryError.self) {
      try DictionaryIndexWriter.write(folder.file("no.words"), isInterrupted: { false }) {
        try self.library().index(folder.file("es.ifo"), areForms: true, into: $0)
      }
    }
  }

  @Test func `of German entries that differ in capitals, those of the word come first`() throws {
    let texts = ["Sehen <n> eyesight", "Sehenswürdigkeit (sehen) sight", "sehen <v> see"]
    try write("deu-a.words", texts.map { (.meaning, "sehen", $0) })
    let german = try #require(Language.named("german"))
    #expect(try library().define("sehen", in: german).map(\.text) == [texts[2], texts[0], texts[1]])
    #expect(try library().define("Sehen", in: german).map(\.text) == texts)
  }

  @Test func `a language with a table of forms only has no dictionary`() throws {
    try write("es.forms.words", [(.form, "gatos", "gato")])
    #expect(!library().hasDictionary(of: spanish))
    #expect(throws: DictionaryError.self) { try library().define("gato", in: spanish) }
  }

  @Test func `each of many entries is found again, and nothing else`() throws {
    let words = (0..<5_000).map { "w\($0 * 7 % 5_003)" }
    try write("es-many.words", words.map { (.meaning, $0, "of " + $0) })
    let library = library()
    for word in words { #expect(try library.define(word, in: spanish).map(\.text) == ["of " + word]) }
    #expect(try library.define("w5003", in: spanish).isEmpty)
  }

  @Test func `entries of a headword are ordered by their scores, then as they were added`() throws {
    let entries = [("rare", -5), ("plain", 0), ("first", Int.max), ("good", 7), ("also plain", 0), ("last", Int.min)]
    try DictionaryIndexWriter.write(folder.file("es.words"), isInterrupted: { false }) { index in
      for (text, score) in entries { try index.add(.meaning, "banco", text, score: score) }
    }
    let texts = try library().define("banco", in: spanish).map(\.text)
    #expect(texts == ["first", "good", "plain", "also plain", "rare", "last"])
  }

  @Test func `dictionaries that the order names are asked first`() throws {
    for name in ["es-a", "es-b", "es-c"] { try write("\(name).words", [(.meaning, "sol", name)]) }
    let library = library()
    #expect(try library.define("sol", in: spanish).map(\.text) == ["es-a", "es-b", "es-c"])
    #expect(
      try library.define("sol", in: spanish, order: ["es-c", "none", "es-b"]).map(\.text) == ["es-c", "es-b", "es-a"])
  }

  @Test func `a file truncated or changed anywhere finds less and breaks nothing`() throws {
    try write("es.words", [(.meaning, "gato", "cat"), (.form, "gatos", "gato"), (.meaning, "perro", "dog")])
    let whole = try #require(folder.read("es.words"))
    var random = TestGenerator(7)
    for count in 0..<(2 * whole.count) {
      var bytes = count < whole.count ? Array(whole[..<count]) : whole
      if count >= whole.count { bytes[count - whole.count] = UInt8(truncatingIfNeeded: random.next()) }
      try folder.write(bytes, to: "es.words")
      let library = library()
      #expect(try library.define("perro", in: spanish).count <= 1)
      #expect(count >= whole.count || !library.failures.isEmpty, "cut at \(count)")
      _ = try library.lemmas(of: "gatos", in: spanish)
    }
  }

  @Test func `a dictionary that another version indexed is named, and finds nothing`() throws {
    try write("es.words", [(.meaning, "gato", "cat")])
    var bytes = try #require(folder.read("es.words"))
    // The first version had another hash for the Turkish i without a dot.
    for place in [7, bytes.count - 1] { bytes[place] = UInt8(ascii: "1") }
    try folder.write(bytes, to: "es.words")
    let library = library()
    #expect(try library.define("gato", in: spanish).isEmpty)
    #expect(library.failures.first?.message.contains("another version of this program indexed it") == true)
  }

  /// Writes a StarDict dictionary with synonyms.
  private func writeStarDict(synonyms: [(String, UInt32)]) throws {
    func big(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    var (index, texts): ([UInt8], [UInt8]) = ([], [])
    for (word, text) in [("casa", "house"), ("ir", "to go")] {
      index += Array(word.utf8) + [0] + big(UInt32(texts.count)) + big(UInt32(text.utf8.count))
      texts += Array(text.utf8)
    }
    var syn: [UInt8] = []
    for (word, number) in synonyms { syn += Array(word.utf8) + [0] + big(number) }
    try folder.write(index, to: "es.idx")
    try folder.write(texts, to: "es.dict")
    try folder.write(syn, to: "es.syn")
    try folder.write(
      "StarDict's dict ifo file\nversion=2.4.2\nwordcount=2\nidxfilesize=\(index.count)\nsynwordcount=\(synonyms.count)\n"
        + "sametypesequence=m\n", to: "es.ifo")
  }

  @Test func `StarDict synonyms are looked up, count as forms, and stay forms in an index`() throws {
    try writeStarDict(synonyms: [("casas", 0), ("voy", 1), ("nowhere", 7)])
    #expect(try library().define("casas", in: spanish).map(\.text) == ["house"])
    #expect(try library().define("nowhere", in: spanish).isEmpty)
    #expect(try library().lemmas(of: "voy", in: spanish) == ["ir"])
    #expect(try library().lemmas(of: "casa", in: spanish).isEmpty)
    let indexed = TemporaryFolder()
    try DictionaryIndexWriter.write(indexed.file("es-b.words"), isInterrupted: { false }) { index in
      try library().index(folder.file("es.ifo"), into: index)
    }
    let other = DictionaryLibrary(ownFolders: [indexed.path], systemFolders: []) { false }
    #expect(try other.lemmas(of: "casas", in: spanish) == ["casa"])
    #expect(try other.define("ir", in: spanish).map(\.text) == ["to go"])
  }
}
