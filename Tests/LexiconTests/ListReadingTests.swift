// Tests of word lists as they come: encodings, sizes, scripts, and how invalid ones are reported.

import Glibc
import Lexicon
import Problems
import TestSupport

@Suite struct ListReadingTests {
  private let folder: TemporaryFolder

  init() throws { folder = TemporaryFolder() }

  private func load(_ bytes: [UInt8], language name: String = "english", limits: ListLimits = ListLimits()) throws
    -> Lexicon
  {
    let path = try folder.write(bytes, to: "list.txt")
    let library = LexiconLibrary(listFolders: [], cacheFolder: nil, limits: limits)
    return try library.load(path: path, language: language(name))
  }

  private func load(_ text: String, language name: String = "english") throws -> Lexicon {
    try load(Array(text.utf8), language: name)
  }

  private func problem(_ bytes: [UInt8], limits: ListLimits = ListLimits()) throws -> LexiconError {
    try #require(throws: LexiconError.self) { try load(bytes, limits: limits) }
  }

  @Test func `a byte order mark, line endings of any kind and trailing spaces are not part of a word`() throws {
    #expect(try Array(load("\u{FEFF}grace\r\ncab  \n\tbean\u{A0}\nno end").words()) == ["grace", "bean", "cab"])
  }

  @Test func `a list may have any number of bytes`() throws {
    for size in streamSizes(buffer: 1 << 16) where size > 8 {
      let lines = [UInt8](repeating: 0x0A, count: size - 8)
      #expect(try Array(load(Array("cab\n".utf8) + lines + Array("bean".utf8)).words()) == ["bean", "cab"], "\(size)")
    }
  }

  @Test func `a list in another encoding is refused with the encoding it seems to have`() throws {
    let utf16: [UInt8] = [0xFF, 0xFE] + "cab\n".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    #expect(try problem(utf16).message.contains("UTF-16"))
    #expect(try problem(Array(utf16.dropFirst(2))).message.contains("NUL"))
    let latin1 = Array("caf".utf8) + [0xE9, 0x0A]
    let lines = [UInt8]((0..<20).map { _ in latin1 }.joined())
    #expect(try problem(lines).message.contains("line 1 is not UTF-8 (Latin-1?"))
    #expect(try problem(lines).code == "bad_list")
  }

  @Test func `a few broken lines are dropped and counted`() throws {
    let words = madeUpWords(500, letters: Array("abcdef"), lengths: 4...8, seed: 3)
    let lexicon = try load(Array((words.joined(separator: "\n") + "\n").utf8) + [0x63, 0xE9, 0x0A, 0xFF, 0x0A])
    #expect(lexicon.count == 500)
    #expect(lexicon.report[.notText] == 2)
    // A character of three bytes that is truncated after two is not a letter of two.
    let cut = try load(Array((words.joined(separator: "\n") + "\n").utf8) + [0x63, 0xE0, 0xA7, 0x0A])
    #expect(cut.count == 500 && cut.report[.notText] == 1)
  }

  @Test func `a line of a megabyte is dropped, and the rest is read`() throws {
    for letter in ["a", "é", "' "] {
      let lexicon = try load("cab\n" + String(repeating: letter, count: 1 << 20) + "\ngrace\n")
      #expect(Array(lexicon.words()) == ["grace", "cab"])
      #expect(lexicon.report[.long] == 1)
    }
  }

  @Test func `a list beyond the limit of bytes or words is refused`() throws {
    var limits = ListLimits()
    limits.bytes = 2 << 20
    #expect(
      try problem([UInt8](repeating: 0x61, count: 3 << 20), limits: limits).message.contains(
        "it has 3 MiB; the limit for lists is 2 MiB"))
    limits.words = 2
    #expect(try problem(Array("aa\nbb\ncc\n".utf8), limits: limits).message.contains("more words"))
  }

  @Test func `an invalid list is refused`() throws {
    for text in ["", "\n\n\n", "A\nB\n", "1234\n", "x\n"] {
      #expect(try problem(Array(text.utf8)).message.contains("no usable word"))
    }
    let library = LexiconLibrary(listFolders: [], cacheFolder: nil)
    #expect(throws: LexiconError.unreadable(path: folder.path, reason: "it is a folder")) {
      try library.load(path: folder.path)
    }
    let missing = try #require(throws: LexiconError.self) { try library.load(path: folder.path + "/none") }
    #expect(missing.code == "unreadable")
    #expect(throws: LexiconError.unreadable(path: "/dev/zero", reason: "it is not a file")) {
      try library.load(path: "/dev/zero")
    }
  }

  @Test func `a list that cannot be looked for is not reported as missing`() throws {
    // Root may search any folder, but nobody follows a link to itself.
    let lists = folder.file("lists")
    symlink(lists, lists)
    let library = LexiconLibrary(listFolders: [lists, folder.path], cacheFolder: nil)
    let problem = try #require(throws: LexiconError.self) { try library.lexicon(for: language("french")) }
    #expect(problem.message == "\(lists)/french cannot be read: too many levels of symbolic links")
    // Nor is another list taken instead, without a word.
    try folder.write("chat\nchien\n", to: "french")
    #expect(throws: LexiconError.self) { try library.lexicon(for: language("french")) }
  }

  @Test func `a missing list is reported with the package that contains it`() throws {
    let library = LexiconLibrary(listFolders: [folder.path], cacheFolder: nil)
    let problem = try #require(throws: LexiconError.self) { try library.lexicon(for: language("french")) }
    #expect(problem.code == "no_word_list")
    #expect(
      problem.message
        == "no word list for \"french\"; install Debian's wfrench, or load one: words.load(\"list.txt\", {language = \"french\"})"
    )
    let unknown = try #require(throws: LexiconError.self) { try library.language(named: "spanich") }
    #expect(unknown.message.contains("did you mean \"spanish\"?"))
    #expect(library.languages().isEmpty)
  }

  @Test func `the languages are those whose lists are installed, the larger English first`() throws {
    for name in ["american-english", "american-english-huge", "spanish"] {
      try folder.write("\(name.prefix(5))\n", to: name)
    }
    let library = LexiconLibrary(listFolders: ["/nowhere", folder.path], cacheFolder: nil)
    #expect(library.languages().map(\.name) == ["english", "spanish", "american-english", "american-english-huge"])
    try folder.write("huge\n", to: "american-english-huge")
    #expect(try Array(library.lexicon(for: language("english")).words()) == ["huge"])
  }

  @Test func `any script of letters works, and letters are counted, not bytes or scalars`() throws {
    let greek = try load("λόγος\nΑθήνα\nκαι\n", language: "greek")
    #expect(Array(greek.words(length: 5)) == ["λόγος"])
    #expect(greek.contains(greek.normalized("ΛΌΓΟΣ")))
    #expect(greek.formable(from: "καιλ") == ["και"])
    let sigmas = try load("λόγοσ\nςωμα\n", language: "greek")
    #expect(Array(sigmas.words()) == ["λόγος", "σωμα"])
    #expect(sigmas.formable(from: "λόγοσα") == ["λόγος"] && sigmas.formable(from: "μαως") == ["σωμα"])
    #expect(try sigmas.match("*σ") == ["λόγος"] && canForm(letters: "λόγοσ", word: "λόγος"))
    let russian = try load("слово\nёж\nМосква\nволос\n", language: "russian")
    #expect(russian.anagrams(of: "оослв") == ["волос", "слово"])
    #expect(russian.report[.capital] == 1)
    #expect(try Array(load("за\u{301}мок\nзамок\n", language: "russian").words()) == ["замок"])
    let hindi = try load("हिन्दी\nभाषा\n")
    #expect(hindi.count(length: 2) == 1)
    #expect(try hindi.match("भा*") == ["भाषा"])
    #expect(try load("სიტყვა\n").count(length: 6) == 1)
    #expect(try load("e\u{301}te\u{301}\n").contains("été"))
  }

  @Test func `German nouns are lowercased, names in capitals are not words`() throws {
    let german = try load("Haus\nhaus\nÄpfel\nUSA\nlaufen\n", language: "german")
    #expect(Array(german.words()) == ["laufen", "äpfel", "haus"])
    #expect(german.report[.duplicate] == 1)
    #expect(german.report[.capital] == 1)
  }

  @Test(arguments: [
    ("  CASA \r\n", "spanish", "casa"), ("NIÑO", "spanish", "niño"), ("nin\u{303}o", "spanish", "niño"),
    ("ISI", "turkish", "ısı"), ("İYİ", "turkish", "iyi"), ("I\u{307}yi", "turkish", "iyi"), ("ISI", "english", "isi"),
    ("ΛΌΓΟΣ ΣΑΣ", "greek", "λόγος σας"), ("Straße", "german", "straße"), ("", "english", ""),
    ("За\u{301}мок cafe\u{301}", "russian", "замок café"), ("ї\u{301}жа", "ukrainian", "їжа"),
  ])
  func `a text is normalised by the rules of its language, and doing it twice changes nothing`(
    text: String, name: String, expected: String
  ) throws {
    let language = try language(name)
    let normal = normalize(text, language: language)
    #expect(Array(normal.unicodeScalars) == Array(expected.unicodeScalars))
    #expect(normalize(normal, language: language) == normal)
  }

  @Test func `accents are folded if requested, and ñ never`() throws {
    let spanish = try language("spanish")
    #expect(normalize("Canción", language: spanish, foldAccents: true) == "cancion")
    #expect(normalize("NIÑO pingüino", language: spanish, foldAccents: true) == "niño pinguino")
    #expect(normalize("façade à côté", language: try language("french"), foldAccents: true) == "facade a cote")
    #expect(normalize("mañana", language: try language("italian"), foldAccents: true) == "mañana")
    let korean = normalize("한국어", language: try language("english"), foldAccents: true)
    #expect(Array(korean.unicodeScalars) == Array("한국어".unicodeScalars))
    #expect(normalize("åäö é", language: try language("swedish"), foldAccents: true) == "åäö e")
    try folder.write("canción\nniño\nano\n", to: "spanish")
    let library = LexiconLibrary(listFolders: [folder.path], cacheFolder: folder.path)
    let (folded, plain) = (try library.lexicon(for: spanish, foldAccents: true), try library.lexicon(for: spanish))
    #expect(Array(folded.words()) == ["cancion", "niño", "ano"])
    #expect(folded.contains(folded.normalized("CANCIÓN")) && !folded.contains("nino"))
    #expect(plain.contains("canción") && !plain.contains("cancion"))
    #expect(folder.names == ["spanish", "spanish.folded.words", "spanish.words"])
  }

  @Test(arguments: [
    ("cambering", "grace", true), ("cambering", "geng", false), ("ab?", "abc", true), ("ab?", "abcd", false),
    ("", "", true), ("niño", "nino", false), ("aa", "aaa", false), ("?", "ñ", true),
  ])
  func `a word can use a letter as often as it is available`(letters: String, word: String, expected: Bool) {
    #expect(canForm(letters: letters, word: word) == expected)
  }

  @Test func `extreme numbers of letters are handled in time`() throws {
    let lexicon = try Lexicon.of(
      madeUpWords(2000, letters: Array("abcdefgh"), lengths: 2...9, seed: 8), language: language("english"))
    #expect(lexicon.countFormable(from: String(repeating: "abcdefgh", count: 64)) == 2000)
    #expect(lexicon.countFormable(from: String(repeating: "?", count: 500)) == 2000)
    #expect(lexicon.countFormable(from: String(repeating: "z", count: 1 << 20)) == 0)
    #expect(lexicon.countFormable(from: "z\u{301}\u{0}\u{1B}") == 0)
  }

  @Test func `known languages have names of their own, and English, Spanish and Italian come first`() {
    #expect(Language.known.prefix(3).map(\.name) == ["english", "spanish", "italian"])
    #expect(Set(Language.known.map(\.name)).count == Language.known.count)
    #expect(Language.named("Spanish") == Language.named("es") && Language.named("ger")?.name == "german")
    #expect(Language.named("xx") == nil)
    #expect(Language.named("english")?.valueOfLetters["q"] == 10)
    #expect(Language.named("spanish")?.valueOfLetters["ñ"] == 8)
  }
}
