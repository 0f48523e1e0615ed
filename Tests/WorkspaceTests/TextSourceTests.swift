// Where texts and words come from: vocabularies, subtitles, dictionaries, and what is reported about them.

import Decks
import Files
import Glibc
import Language
import Lexicon
import Problems
import Storage
import Templates
import TestWorkspace
import Text
import ToggleSettings

@testable import Exchange
@testable import Workspace

@Suite struct TextSourceTests {
  private let person = Person()
  private let workspace: Workspace

  init() throws {
    let dictionaries = person.folder.file("dictionaries")
    workspace = try person.workspace(
      meanings: DictionaryLibrary(ownFolders: [dictionaries], systemFolders: []) { false })
  }

  private func text(_ names: [String], _ change: (inout TextOptions) -> Void = { _ in }) throws -> TextHandle {
    var options = TextOptions()
    options.language = "dutch"
    change(&options)
    return try TextHandle(names.map { person.folder.file($0) }, options, in: workspace)
  }

  private func database(_ name: String, _ sql: String) throws {
    let file = try ExclusiveDatabase(person.folder.file(name))
    try file.use { try $0.execute(sql: sql) }
    try file.close()
  }

  @Test func `words are found by the program that is set, and mined with their readings`() throws {
    let rows = [("食べ", "食べる", "タベ"), ("ながら", "ながら", "ナガラ"), ("行っ", "行く", "イッ"), ("た", "た", "タ")]
    let analysis = rows.enumerated().map { number, row in
      "\(number + 1)\t\(row.0)\t\(row.1)\tVERB\t_\t_\t_\t_\t_\tReading=\(row.2)|SpaceAfter=No\n"
    }.joined()
    try person.folder.write(analysis, to: "a.conllu")
    try person.folder.write("食べながら行った。", to: "a.txt")
    let program = try person.folder.write(
      "#!/bin/sh\n[ \"$1\" = ja ] && cat \(person.folder.file("a.conllu"))\n", to: "bin/words")
    #expect(chmod(program, 0o755) == 0)
    let tree = try workspace.preferences().tree
    try tree.set("words.analyser.ja", text: "\(program) {language}", by: .user)
    for name in ["a.txt", "a.conllu"] {
      let read = try text([name]) { $0.language = "japanese" }
      #expect(read.text.failure == nil && read.text.lemmas.map(\.text) == ["食べる", "ながら", "行く", "た"], "\(name)")
      let mined = try read.minable().added
      #expect(mined.map(\.reading) == ["たべる", nil, "いく", nil], "\(name)")
      #expect(mined.first?.sentence == "<b>食べ</b>ながら行った" + (name == "a.txt" ? "。" : ""))
    }
    let read = try text(["a.txt"]) { $0.language = "japanese" }
    try read.mine(try read.minable().added, into: "Mined")
    let deck = try workspace.decks.open("Mined")
    let cards = try (1...4).compactMap { try deck.card(at: $0) }
    let readings = try cards.map { try $0.note().field("Reading") }
    #expect(readings == ["たべる", "", "いく", ""])
    #expect(try read.minable().present == 4)
    // Without it the text is read by the rules of the language, and no cards are made.
    try tree.set("words.analyser.ja", text: "/nonexistent", by: .user)
    let unread = try text(["a.txt"]) { $0.language = "japanese" }
    #expect(unread.text.sentences.count == 1 && unread.text.failure?.message.contains("\"/nonexistent\"") == true)
    #expect(throws: LanguageError.self) { try unread.minable() }
    try person.folder.write("1\t食べ\n", to: "a.conllu")
    let reason = "line 1 has 2 columns, and 10 are expected"
    #expect(throws: TextFileError.damaged(path: person.folder.file("a.conllu"), reason: reason)) {
      try text(["a.conllu"]) { $0.language = "japanese" }
    }
  }

  @Test func `Chinese words are those of its dictionaries, and the error without one names what helps`() throws {
    try person.folder.write("我们喜欢学习。他们不是学生。", to: "a.txt")
    try person.folder.write("我们\twe\n喜欢\tlike\n学习\tstudy\n学生\tstudent\n", to: "zho-eng.tsv")
    let dictionaries = try UserDictionaries(workspace)
    let name = try dictionaries.add(person.folder.file("zho-eng.tsv")).name
    let read = try text(["a.txt"]) { $0.language = "chinese" }
    #expect(read.text.lemmas.map(\.text) == ["我们", "喜欢", "学习", "他", "们", "不", "是", "学生"])
    #expect(try read.minable().added.first { $0.lemma == "学生" }?.gloss == "student")
    try dictionaries.remove(name)
    let unaided = try text(["a.txt"]) { $0.language = "chinese" }.text
    // With python3-jieba its list takes the place of a dictionary.
    let list = try #require(Language.base("zh")).reading.division.list
    if fileExists(list) {
      #expect(unaided.failure == nil && unaided.lemmas.contains { $0.text == "他们" })
    } else {
      let message = unaided.failure?.message
      #expect(message?.contains("word dictionaries add") == true && message?.contains("python3-jieba") == true)
    }
  }

  @Test func `a vocabulary gives the unmastered words of the language, from the books they were in`() throws {
    try database(
      "vocab.db",
      """
      CREATE TABLE WORDS (id TEXT, word TEXT, stem TEXT, lang TEXT, category INTEGER, timestamp INTEGER);
      CREATE TABLE LOOKUPS (id TEXT, word_key TEXT, book_key TEXT, dict_key TEXT, pos TEXT, usage TEXT, timestamp INTEGER);
      CREATE TABLE BOOK_INFO (id TEXT, asin TEXT, guid TEXT, lang TEXT, title TEXT, authors TEXT);
      INSERT INTO WORDS VALUES ('1', 'hond', 'hond', 'nl', 0, 5), ('2', 'dog', 'dog', 'en', 0, 6),
        ('3', 'kat', 'kat', 'nl', 100, 7), ('4', 'vis', 'vis', 'nl', 0, 8);
      INSERT INTO LOOKUPS VALUES ('1', '1', 'b', 'd', '0', 'De hond slaapt.', 5);
      INSERT INTO BOOK_INFO VALUES ('b', '', '', 'nl', 'Boek', 'N. N.');
      """)
    let text = try text(["vocab.db"])
    let report = try text.minable()
    #expect(report.added.map(\.lemma).sorted() == ["hond", "vis"])
    #expect(report.added.map(\.source).sorted() == ["Boek", "vocab"])
    #expect(report.added.map(\.plainSentence).sorted() == ["De hond slaapt.", "vis"])
  }

  @Test func `a word that was looked up twice comes before one that was looked up once`() throws {
    try database(
      "words.db",
      """
      CREATE TABLE title (id INTEGER, name TEXT);
      CREATE TABLE vocabulary (word TEXT, title_id INTEGER, prev_context TEXT, next_context TEXT);
      INSERT INTO vocabulary VALUES ('kat', 1, 'een', 'slaapt.'), ('vis', 1, 'een', 'eet.'), ('vis', 1, 'nog een', '.');
      """)
    #expect(try text(["words.db"]).minable().added.map(\.lemma) == ["vis", "kat"])
    try workspace.decks.create("D").add(NewCard(prompt: "kat", answer: "cat"))
    try UserWordList(workspace, language: "dutch").set(["vis"], as: .known)
    let report = try text(["words.db"]).minable()
    #expect(report.added.isEmpty && report.present == 2)
  }

  @Test func `each looked-up word becomes a card or is named with its reason`() throws {
    try database(
      "vocab.db",
      """
      CREATE TABLE WORDS (id TEXT, word TEXT, stem TEXT, lang TEXT, category INTEGER, timestamp INTEGER);
      CREATE TABLE LOOKUPS (id TEXT, word_key TEXT, book_key TEXT, dict_key TEXT, pos TEXT, usage TEXT, timestamp INTEGER);
      CREATE TABLE BOOK_INFO (id TEXT, asin TEXT, guid TEXT, lang TEXT, title TEXT, authors TEXT);
      INSERT INTO WORDS VALUES ('1', 'in plaats van', '', 'nl', 0, 1), ('2', 'Kerstmis', '', 'nl', 0, 2),
        ('3', 'zee-egel', '', 'nl', 0, 3), ('4', 'afwezig', '', 'nl', 0, 4), ('5', 'dog', '', 'en', 0, 5),
        ('6', '…', '', 'nl', 0, 6), ('7', 'kat', '', 'nl', 100, 7), ('8', 'in plaats  VAN', '', 'nl', 0, 8),
        ('9', 'vis', '', 'nl', 0, 9);
      INSERT INTO LOOKUPS VALUES ('1', '1', '', '', '', 'Hij komt in plaats van mij.', 1),
        ('2', '2', '', '', '', 'Wij vieren Kerstmis samen.', 2), ('3', '3', '', '', '', 'Een zee-egel prikt.', 3),
        ('4', '4', '', '', '', 'De hond slaapt.', 4), ('6', '6', '', '', '', '…', 6),
        ('8', '8', '', '', '', 'Zij komt in plaats van hem.', 8);
      """)
    try UserWordList(workspace, language: "dutch").set(["vis"], as: .ignored)
    let text = try text(["vocab.db"])
    let report = try text.minable()
    #expect(report.added.map(\.lemma) == ["in plaats van", "Kerstmis", "zee-egel", "afwezig"])
    #expect(
      report.added.map(\.sentence) == [
        "Hij komt <b>in plaats van</b> mij.", "Wij vieren <b>Kerstmis</b> samen.", "Een <b>zee-egel</b> prikt.",
        "De hond slaapt.",
      ])
    #expect(report.added[0].cloze == "Hij komt {{c1::in plaats van}} mij.")
    #expect(
      report.leftOut.map { "\($0.word): \($0.reason)" } == [
        "dog: its language is en", "kat: the device lists it as known", "…: it has no letters",
        "vis: it is listed as not to be learned",
      ])
    #expect(try text.mine(report.added, into: "V") == 4)
    let again = try text.minable()
    #expect(again.added.isEmpty && again.present == 4 && again.leftOut.elementsEqual(report.leftOut, by: ==))
    try workspace.care.undo()
    #expect(
      try text.minable(count: 3, isCloze: true).leftOut.suffix(1).map { "\($0.word): \($0.reason)" } == [
        "afwezig: --count leaves it for later"
      ])
    let reason = "its sentence lacks it, so there is no gap to show"
    #expect(try text.minable(isCloze: true).leftOut.last?.reason == reason)
  }

  @Test func `a dictionary that cannot be read is an error, not a missing meaning`() throws {
    try person.folder.write("de kat slaapt.", to: "a.txt")
    _ = try UserWordList(workspace, language: "dutch").set(["de", "slaapt"], as: .known)
    let text = try text(["a.txt"])
    let dictionaries = person.folder.file("dictionaries")
    mkdir(dictionaries, 0o700)
    // A link to itself: ELOOP.
    symlink("nl-en.tsv", dictionaries + "/nl-en.tsv")
    #expect(throws: FileError.self) { try text.minable() }
    unlink(dictionaries + "/nl-en.tsv")
    // A dictionary without its file is not there.
    symlink("gone", dictionaries + "/nl-en.tsv")
    #expect(try !text.minable().added.isEmpty)
  }

  @Test func `a late line has its hours, and a translation of a plain text is refused`() throws {
    try person.folder.write("1\n12:34:56,000 --> 12:34:58,000\nde hond slaapt.\n", to: "film.srt")
    let film = try text(["film.srt"])
    #expect(film.source(of: film.text.sentences[0]) == "film 12:34:56")
    try person.folder.write("The dog sleeps.\n", to: "film.txt")
    #expect(throws: TextFileError.self) {
      _ = try text(["film.srt"]) { $0.translations = [person.folder.file("film.txt")] }
    }
    // A line that ends before it begins has no time.
    try person.folder.write("1\n00:00:05,000 --> 00:00:02,000\nde kat slaapt.\n", to: "back.srt")
    _ = try UserWordList(workspace, language: "dutch").set(["de", "slaapt"], as: .known)
    let word = try #require(try text(["back.srt"]).minable().added.first)
    #expect(word.place.time == nil)
  }

  @Test func `a text in another encoding is reported`() throws {
    try person.folder.write([UInt8]("caf\u{E9} de hond".unicodeScalars.map { UInt8($0.value) }), to: "latin.txt")
    let read = try text(["latin.txt"])
    #expect(read.encodings.map(\.encoding) == [.windows1252] && read.encodings[0].path.hasSuffix("latin.txt"))
    let russian = try text(["latin.txt", "latin.txt"]) { $0.language = "russian" }
    #expect(russian.encodings.map(\.encoding) == [.windows1251, .windows1251])
  }

  @Test(arguments: ["", "een hele lange zin", String(repeating: "x", count: 301), "(m)"])
  func `a field that is not a word is ignored`(_ field: String) throws {
    try person.folder.write("een hele lange zin x", to: "a.txt")
    #expect(try text(["a.txt"]).lemmas(ofField: field).isEmpty)
  }

  @Test(arguments: ["kat", "kat (m)", "(de) kat", "[sound:kat.mp3] kat, poes", "[sound:(kat).mp3]<b>(een) kat</b>"])
  func `the word of a field is found among its remarks and sounds`(_ field: String) throws {
    try person.folder.write("een kat", to: "a.txt")
    #expect(try text(["a.txt"]).lemmas(ofField: field) == ["kat"])
  }

  private func zip(_ members: [(String, String)]) throws -> String {
    let path = person.folder.file("d.zip")
    removeTree(path)
    let builder = try ZipBuilder(path, named: path)
    for (number, (name, text)) in members.enumerated() {
      try person.folder.write(text, to: "member-\(number)")
      try builder.add(
        name, from: person.folder.file("member-\(number)"), offset: 0, count: text.utf8.count, isDeflated: true)
    }
    try builder.finish()
    return path
  }

  @Test func `a Yomitan dictionary is indexed, queried and removed`() throws {
    let path = try zip([
      (
        "index.json",
        #"{"title": "Mine", "format": 3, "sourceLanguage": "nl", "targetLanguage": "en", "revision": "1"}"#
      ),
      (
        "term_bank_1.json",
        #"[["hond","","n","",5,["dog"],1,""],["honden","","non-lemma","",0,[["hond",["plural"]]],2,""]]"#
      ),
      (
        "term_meta_bank_1.json",
        #"[["hond","freq",12],["hond","ipa",{"reading":"hond","transcriptions":[{"ipa":"/hɔnt/"}]}]]"#
      ),
    ])
    let dictionaries = try UserDictionaries(workspace)
    let added = try dictionaries.add(path)
    #expect(added.name == "nl-en-mine")
    #expect(added.counts == [.meaning: 1, .form: 1, .frequency: 1, .pronunciation: 1])
    #expect(size(of: added.path) > 0)
    #expect(throws: DictionaryError.self) { try dictionaries.remove("Mime") }
    try dictionaries.remove(added.name)
    #expect(size(of: added.path) < 0)
  }

  @Test func `without a user folder no dictionary is added`() throws {
    let path = try zip([("index.json", #"{"title": "Mine", "format": 3, "sourceLanguage": "nl", "revision": "1"}"#)])
    let other = try Person().workspace(meanings: DictionaryLibrary(ownFolders: [], systemFolders: []) { false })
    let error = #expect(throws: DictionaryError.self) { _ = try UserDictionaries(other).add(path) }
    #expect(error?.report.message.contains("no folder for dictionaries") == true)
  }
}
