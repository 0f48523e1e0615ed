// Tests of dictionaries: the formats of dictd, StarDict and tables, which ones are asked, and truncated files.

import Files
import Lexicon
import Problems
import TestSupport
import Text

@Suite struct DictionaryTests {
  private let folder = TemporaryFolder()

  private func library(locale: String? = nil) -> DictionaryLibrary {
    DictionaryLibrary(ownFolders: [folder.file("own")], systemFolders: [folder.file("system")], locale: locale)
  }

  private func texts(_ word: String, _ name: String = "spanish", foldAccents: Bool = false) throws -> [String] {
    try library().define(word, in: language(name), foldAccents: foldAccents).map(\.text)
  }

  /// Writes a dictd dictionary: an index of headwords and the texts one after the other.
  private func writeDictd(_ name: String, _ entries: [(word: String, text: String)]) throws {
    var (index, text) = ("00-database-short\tA\tE\n00databaseshort\tA\tE\n", "")
    for entry in entries {
      index += "\(entry.word)\t\(digits(text.utf8.count))\t\(digits(entry.text.utf8.count))\n"
      text += entry.text
    }
    try folder.write(index, to: "system/\(name).index")
    try folder.write(text, to: "system/\(name).dict")
  }

  private func digits(_ number: Int) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    let last = String(alphabet[number % 64])
    return number < 64 ? last : digits(number / 64) + last
  }

  /// Writes a StarDict dictionary whose entries have one text each.
  private func writeStarDict(_ name: String, kind: String, _ entries: [(word: String, text: String)]) throws {
    var (index, text): ([UInt8], [UInt8]) = ([], [])
    func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
    for entry in entries {
      index += Array(entry.word.utf8) + [0] + big(text.count) + big(entry.text.utf8.count)
      text += Array(entry.text.utf8)
    }
    let facts = """
      StarDict's dict ifo file
      version=2.4.2
      bookname=Test
      sametypesequence=\(kind)
      wordcount=\(entries.count)
      idxfilesize=\(index.count)

      """
    try folder.write(facts, to: "own/\(name)/\(name).ifo")
    try folder.write(index, to: "own/\(name)/\(name).idx")
    try folder.write(text, to: "own/\(name)/\(name).dict")
  }

  @Test func `a dictd dictionary is searched case-insensitively`() throws {
    try writeDictd(
      "freedict-spa-eng", [("gato", "gato /x/\n1. cat\n"), ("Ávila", "Ávila\na city\n"), ("gato", "jack")])
    #expect(try texts("gato") == ["gato /x/\n1. cat", "jack"])
    #expect(try texts("GATO").count == 2)
    #expect(try texts("ávila") == ["Ávila\na city"])
    #expect(try texts("avila") == [])
    #expect(try texts("avila", foldAccents: true) == ["Ávila\na city"])
    #expect(try texts("00databaseshort") == [] && texts("00-database-short") == [])
  }

  @Test func `a headword with a mark of stress is found without it, and the other way round`() throws {
    try writeDictd("freedict-rus-eng", [("замо\u{301}к", "lock"), ("дом", "house")])
    #expect(try texts("замок", "russian") == ["lock"] && texts("до\u{301}м", "russian") == ["house"])
  }

  @Test func `texts compressed by dictzip are read chunk by chunk`() throws {
    let words = (0..<400).map { (word: "w\($0)", text: "meaning \($0) " + String(repeating: "x", count: $0 % 97)) }
    try writeDictd("eng-spa", words)
    try pack("eng-spa", piece: 1000)
    for (word, text) in words { #expect(try self.texts(word, "english") == [text.trimmed]) }
  }

  @Test func `an entry of any size is read across the chunks of dictzip, in the middle and at the end`() throws {
    let words = streamSizes(buffer: 1 << 10).filter { $0 > 1 }.map { size in
      (word: "w\(size)", text: "m" + String(repeating: size % 2 == 0 ? "x" : "y", count: size - 1))
    }
    try writeDictd("eng-spa", words)
    try pack("eng-spa", piece: 1 << 10)
    for (word, text) in words { #expect(try self.texts(word, "english") == [text], "\(word)") }
  }

  @Test func `a chunk of dictzip that has too few bytes is damage`() throws {
    try writeDictd("eng-spa", ["x", "y", "z"].map { (word: $0, text: String(repeating: $0, count: 1500)) })
    try pack("eng-spa", piece: 1000, short: 1)
    let library = library()
    let english = try language("english")
    #expect(try library.define("y", in: english).isEmpty)
    #expect(library.failures.map(\.report.code) == [.failure(.badFile)])
    #expect(try library.define("z", in: english).map(\.text) == [String(repeating: "z", count: 1500)])
  }

  /// Compresses a dictionary's texts as dictzip does, in chunks of `piece` bytes.
  /// - Parameter short: the number of a chunk that loses its last byte.
  private func pack(_ name: String, piece: Int, short: Int = -1) throws {
    let packing = """
      import sys, zlib, struct
      data = open(sys.argv[1], 'rb').read(); size, short = int(sys.argv[2]), int(sys.argv[3]); parts = []
      packer = zlib.compressobj(9, zlib.DEFLATED, -15)
      for at in range(0, len(data), size):
        parts.append(packer.compress(data[at:at+size-(len(parts)==short)]) + packer.flush(zlib.Z_FULL_FLUSH))
      sizes = b''.join(struct.pack('<H', len(part)) for part in parts)
      field = b'RA' + struct.pack('<HHHH', 6 + len(sizes), 1, size, len(parts)) + sizes
      head = b'\\x1f\\x8b\\x08\\x0c' + bytes(6) + struct.pack('<H', len(field)) + field + b'name\\0'
      open(sys.argv[1] + '.dz', 'wb').write(head + b''.join(parts) + packer.flush())
      """
    let path = folder.file("system/\(name).dict")
    let python = try Child(
      ["/usr/bin/env", "python3", "-c", packing, path, String(piece), String(short)],
      environment: ["PATH=/usr/local/bin:/usr/bin:/bin"])
    #expect(try python.finish(input: "").status == 0)
    try Folder.removeFile(path)
  }

  @Test func `StarDict's markup is marked as such, a table has one meaning per column`() throws {
    try writeStarDict("es", kind: "h", [("gato", "<b>cat</b>"), ("perro", "<i>dog</i>")])
    try folder.write("# mine\ngato\ttomcat\tmouser\nno tab\n", to: "own/spa-eng.tsv")
    let meanings = try library().define("gato", in: language("spanish"))
    #expect(meanings.map(\.text) == ["<b>cat</b>", "tomcat", "mouser"])
    #expect(meanings.map(\.isMarkup) == [true, false, false])
    #expect(try library().define("gato", in: language("spanish"), only: "spa-eng").count == 2)
  }

  @Test func `a headword of more than 1,000 bytes is passed over`() throws {
    let long = String(repeating: "a", count: 1001)
    try writeStarDict("es", kind: "m", [(long, "x"), (String(long.dropLast()), "y"), ("gato", "cat")])
    #expect(try texts(long).isEmpty)
    #expect(try texts(String(long.dropLast())) == ["y"])
    #expect(try texts("gato") == ["cat"])
  }

  @Test func `the UTF-8 byte order mark is not part of a table's first word`() throws {
    try folder.write("\u{FEFF}gato\tcat\r\nperro\tdog\r\n", to: "own/spa-eng.tsv")
    #expect(try texts("gato") == ["cat"])
    #expect(try texts("perro") == ["dog"])
  }

  @Test func `a headword is found without the blanks around it, and by the rules of its language`() throws {
    try folder.write("gato \tcat\nniño \tboy\nIrak\tIraq\n", to: "own/words.tsv")
    #expect(try texts("gato") == ["cat"])
    #expect(try texts("niño") == ["boy"])
    #expect(try texts("ırak", "turkish") == ["Iraq"])
    try DictionaryIndexWriter.write(folder.file("own/tr-en.words"), isInterrupted: { false }) { index in
      try index.add(.meaning, "Isparta", "a city")
    }
    #expect(try texts("ısparta", "turkish") == ["a city"])
  }

  @Test func `a hundred thousand entries of one word take no longer than those of many`() throws {
    let lines = (0..<100_000).map { "gato\tcat \($0)" }
    try folder.write(lines.joined(separator: "\n") + "\nperro\tdog\n", to: "own/spa-eng.tsv")
    let start = processorSeconds()
    #expect(try texts("gato").count == 100_000)
    #expect(try texts("perro") == ["dog"])
    let index = folder.file("own/es-en.words")
    try DictionaryIndexWriter.write(index, isInterrupted: { false }) { writer in
      for number in 0..<100_000 { try writer.add(.meaning, "perro", "dog \(number)") }
    }
    #expect(processorSeconds() - start < 60)
  }

  @Test func `only dictionaries of the language are asked, the user's first, then those in the user's language`() throws
  {
    try writeDictd("freedict-spa-eng", [("gato", "cat")])
    try writeDictd("freedict-spa-deu", [("gato", "Katze")])
    try writeDictd("freedict-ita-eng", [("gatto", "cat"), ("gato", "no")])
    try folder.write("gato\tmine\n", to: "own/words.tsv")
    let spanish = try language("spanish")
    #expect(try library(locale: "de").define("gato", in: spanish).map(\.text) == ["mine", "Katze", "cat"])
    #expect(try library().define("gato", in: spanish).map(\.text) == ["mine", "cat", "Katze"])
  }

  @Test func `a language without a dictionary and an unknown name are reported with what to do`() throws {
    let spanish = try language("spanish")
    let none = try #require(throws: DictionaryError.self) { try library().define("gato", in: spanish) }
    #expect(none.message.contains("dict-freedict-spa-eng"))
    try writeDictd("freedict-spa-eng", [("gato", "cat")])
    let unknown = try #require(throws: DictionaryError.self) {
      try library().define("gato", in: spanish, only: "freedict-spa-en")
    }
    #expect(unknown.message.contains("did you mean \"freedict-spa-eng\""))
  }

  @Test func `files truncated anywhere give what is complete or report the damage`() throws {
    try writeDictd("freedict-spa-eng", [("gato", "gato\ncat\n"), ("perro", "perro\ndog\n")])
    try writeStarDict("es", kind: "m", [("gato", "cat"), ("perro", "dog")])
    for name in [
      "system/freedict-spa-eng.index", "system/freedict-spa-eng.dict", "own/es/es.idx", "own/es/es.dict",
      "own/es/es.ifo",
    ] {
      let whole = try #require(folder.read(name))
      for count in 0..<whole.count {
        try folder.write(Array(whole[..<count]), to: name)
        let library = library()
        let found = try library.define("perro", in: language("spanish")).map(\.text)
        #expect(found.allSatisfy { ["perro\ndog", "dog"].contains($0) }, "\(name) cut at \(count)")
        #expect(found.count == 2 || !library.failures.isEmpty || name.hasSuffix("index"), "\(name) cut at \(count)")
      }
      try folder.write(whole, to: name)
    }
  }

  @Test func `a gloss is one line without the headword, without synonyms, truncated between words`() {
    let text = "cat\n    n 1: feline mammal [syn: {cat},\n       {true cat}]\n    2: a {guy}"
    #expect(Meaning(dictionary: "wn", word: "cat", text: text).gloss() == "n 1: feline mammal 2: a guy")
    #expect(Meaning(dictionary: "d", word: "gato", text: "cat").gloss() == "cat")
    #expect(Meaning(dictionary: "d", word: "a", text: "at, to\nin").gloss() == "at, to in")
    #expect(Meaning(dictionary: "d", word: "gato", text: "gato\r\ncat\r\n").gloss() == "cat")
    #expect(Meaning(dictionary: "d", word: "a", text: "one two three").gloss(limit: 8) == "one two …")
  }

  @Test(arguments: [
    ("cat\n    n 1: feline mammal [syn: {cat}]\n    2: a {guy}", ["feline mammal", "a guy"]),
    ("spend, carry, take, wear", ["spend", "carry", "take", "wear"]),
    ("n. 1. amount, number 2. numeral", ["amount, number", "numeral"]),
    ("to make, or to let somebody else make", ["to make, or to let somebody else make"]), ("cat", ["cat"]), ("1.", []),
  ])
  func `the meanings of an entry are those that it numbers, or a few words between commas`(
    text: String, senses: [String]
  ) {
    #expect(Meaning(dictionary: "d", word: "cat", text: text).senses == senses)
  }

  @Test func `an entry of more than 4 MiB is an error, as in a compressed dictionary`() throws {
    try folder.write("gato\tcat\nlong\t" + String(repeating: "x", count: 5 << 20) + "\n", to: "own/es.tsv")
    let library = library()
    let spanish = try language("spanish")
    #expect(try library.define("gato", in: spanish).map(\.text) == ["cat"])
    #expect(try library.define("long", in: spanish).isEmpty)
    #expect(library.failures.map(\.report.code) == [.failure(.badFile)])
  }

  @Test func `a damaged dictionary is read once for the forms of a text`() throws {
    try folder.write("damaged", to: "own/es-a.words")
    try DictionaryIndexWriter.write(folder.file("own/es-b.words"), isInterrupted: { false }) { index in
      try index.add(.form, "gatos", "gato")
    }
    let library = library()
    let spanish = try language("spanish")
    #expect(try library.lemmas(of: "perros", in: spanish).isEmpty)
    #expect(try library.lemmas(of: "gatos", in: spanish) == ["gato"])
    #expect(library.failures.map(\.report.code) == [.failure(.badFile)])
  }

  @Test func `Ctrl-C ends reading a dictionary, and the next one is not asked`() throws {
    for name in ["es", "spa"] { try folder.write("gato\tcat\n", to: "own/\(name).tsv") }
    var isInterrupted = true
    let library = DictionaryLibrary(ownFolders: [folder.file("own")], systemFolders: []) { isInterrupted }
    let spanish = try language("spanish")
    let error = #expect(throws: FileError.self) { try library.define("gato", in: spanish) }
    #expect(error?.report.code == .interrupted)
    #expect(library.failures.isEmpty)
    isInterrupted = false
    #expect(try library.define("gato", in: spanish).map(\.text) == ["cat", "cat"])
    #expect(try library.isOpen(spanish, foldAccents: false))
  }
}
