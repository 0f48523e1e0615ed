// Texts compared with the cards: word states from study and word lists, and cards mined from texts. The language has
// no data, so that on every machine each form is its own lemma.

import Decks
import Exchange
import Files
import Language
import Lexicon
import Memory
import Problems
import Storage
import Templates
import TestWorkspace
import ToggleSettings

@testable import Workspace

@Suite struct TextHandleTests {
  private let person = Person()
  private let workspace: Workspace

  init() throws { workspace = try person.workspace() }

  private func text(_ content: String, deck: String? = nil) throws -> TextHandle {
    try person.folder.write(content, to: "a.txt")
    var options = TextOptions()
    options.language = "dutch"
    options.deck = deck
    return try TextHandle([person.data + "/a.txt"], options, in: workspace)
  }

  private func state(_ word: String, in text: TextHandle) throws -> WordState? {
    let view = try text.view()
    return view.text.lemmas.firstIndex { $0.text == word }.map { view.lemmaStates[$0] }
  }

  @Test func `a word is new with its card, ignored with a suspended one, known or ignored by the list`() throws {
    let text = try text("de hond ziet een kat en twee vissen.")
    let deck = try workspace.decks.create("Dutch")
    try deck.add(NewCard(prompt: "hond (m)", answer: "dog"))
    let card = try deck.add(NewCard(prompt: "<b>kat</b>, poes", answer: "cat"))
    #expect(try state("hond", in: text) == .new && state("ziet", in: text) == .unknown)
    try card.setSuspended(true)
    try UserWordList(workspace, language: "dutch").set(["De", "een"], as: .known)
    try UserWordList(workspace, language: "dutch").set(["en"], as: .ignored)
    #expect(try state("de", in: text) == .known && state("en", in: text) == .ignored)
    #expect(try UserWordList(workspace, language: "dutch").all().map(\.lemma) == ["de", "een", "en"])
    #expect(try UserWordList(workspace, language: "dutch").set(["de"], as: .known) == 0)
    try UserWordList(workspace, language: "dutch").set(["de"], as: .unknown)
    #expect(try state("de", in: text) == .unknown)
    #expect(try UserWordList(workspace, language: "spanish").all().isEmpty)
  }

  @Test func `a text follows every change to the words of cards`() throws {
    let text = try text("de hond ziet een kat, een vis en een lange dag.")
    let deck = try workspace.decks.create("Dutch")
    for word in ["hond", "(de) kat"] { try deck.add(NewCard(prompt: word, answer: "x")) }
    func expect(_ words: Set<String>, _ place: SourceLocation = #_sourceLocation) throws {
      let view = try text.view()
      let known = zip(text.text.lemmas, view.lemmaStates).filter { $1 == .new }.map(\.0.text)
      #expect(Set(known) == words, sourceLocation: place)
      #expect(try workspace.care.integrityProblems() == [], sourceLocation: place)
    }
    try expect(["hond", "kat"])
    let note = try #require(try deck.card(at: 2)).note()
    try note.update(fields: ["Front": "lange dag"])
    try expect(["kat"])
    let backup = person.data + "/one.deckhand-backup"
    try workspace.care.backup(to: backup)
    try note.update(fields: ["Front": "vis; vissen"])
    try expect(["kat", "vis"])
    for words: Set<String> in [["kat"], ["hond", "kat"], ["hond"], []] {
      _ = try workspace.care.undo()
      try expect(words)
    }
    for _ in 0..<4 { _ = try workspace.care.redo() }
    try expect(["kat", "vis"])
    _ = try workspace.care.restore(workspace.care.stage(backup))
    try expect(["kat"])
    let package = person.data + "/dutch.apkg"
    _ = try workspace.decks.open("Dutch").exportCards(to: package)
    try workspace.decks.open("Dutch").remove()
    try expect([])
    _ = try workspace.exchange.importCards(intoDeck: nil, from: [package], .plain, .init())
    try expect(["kat"])
  }

  @Test func `words from a file and from the command line are one undo step`() throws {
    let list = try UserWordList(workspace, language: "dutch")
    let file = try person.folder.write("hond\nkat\n", to: "known.txt")
    #expect(try list.add(from: file, columns: [], as: .known, and: ["vis", "kat"]).changed == 3)
    #expect(try list.all().map(\.lemma) == ["hond", "kat", "vis"])
    _ = try workspace.care.undo()
    #expect(try list.all().isEmpty)
  }

  @Test func `if a deck is given only its cards and those of its inner decks count`() throws {
    _ = try workspace.decks.create("A")
    let text = try text("de hond.", deck: "A")
    let inner = try workspace.decks.create("A::B")
    try workspace.decks.create("AB").add(NewCard(prompt: "de", answer: "the"))
    try inner.add(NewCard(prompt: "hond", answer: "dog"))
    #expect(try state("hond", in: text) == .new && state("de", in: text) == .unknown)
  }

  @Test func `mining makes a card of each unknown word with its easiest sentence, once, as one undo step`() throws {
    let content = "de hond slaapt.\n\nde hond slaapt nooit.\n\nde kat eet veel vis.\n\neen hond & een <b>."
    let text = try text(content)
    try UserWordList(workspace, language: "dutch").set(["de", "hond", "een"], as: .known)
    let report = try text.minable(count: 2)
    // In their sentences, nothing else is unknown.
    try #require(report.added.map(\.lemma) == ["slaapt", "b"])
    #expect(report.added[0].sentence == "de hond <b>slaapt</b>.")
    #expect(report.added[1].sentence == "een hond &amp; een &lt;<b>b</b>&gt;.")
    #expect(try text.mine(report.added, into: "New deck", isCloze: false) == 2)
    let deck = try workspace.decks.open("New deck")
    let notes = try (1...2).map { try #require(try deck.card(at: $0)).note() }
    // The most useful word is studied first.
    #expect(try notes.map { try $0.field("Word") } == ["slaapt", "b"])
    let next = try text.minable(count: 2)
    #expect(next.added.map(\.lemma) == ["nooit", "kat"] && next.present == 2)
    #expect(try text.minable().added.count == 5)
    _ = try workspace.care.undo()
    #expect(throws: (any Error).self) { try workspace.decks.open("New deck") }
    #expect(try text.minable(count: 2).added.count == 2)
    // An existing deck is found case-insensitively.
    let there = try workspace.decks.create("NEW deck")
    #expect(try text.mine(report.added, into: "New deck", isCloze: false) == 2 && there.count() == 2)
  }

  @Test func `the translations of films are found by the names of their files, and are not read as texts`() throws {
    for name in ["S1.es.srt", "S1.en.srt", "S2.es.srt", "S2.en-GB.sdh.srt", "Mr. Bean.srt"] {
      try person.folder.write("", to: name)
    }
    func path(_ name: String) -> String { "\(person.folder.path)/\(name)" }
    func found(_ texts: [String], _ named: [String]) throws -> [String] {
      let films = try FilmTranslations(of: texts.map(path), named: named.map { $0 == "en" ? $0 : path($0) })
      return zip(films.texts, films.paths).map { lastPart(of: $0) + " " + ($1.map { lastPart(of: $0) } ?? "-") }
    }
    let season = ["S1.es.srt S1.en.srt", "S2.es.srt S2.en-GB.sdh.srt"]
    #expect(try found(["S1.es.srt", "S2.es.srt"], ["en"]) == season)
    #expect(try found(["S1.en.srt", "S1.es.srt", "S2.es.srt"], ["en"]) == season)
    // What a shell makes of `--translation *.en*.srt`.
    #expect(try found(["S1.es.srt", "S2.es.srt", "S2.en-GB.sdh.srt"], ["S1.en.srt"]) == season)
    #expect(try found(["S1.es.srt", "Mr. Bean.srt"], ["en"]) == [season[0], "Mr. Bean.srt -"])
    #expect(try found(["Mr. Bean.srt"], ["S1.en.srt"]) == ["Mr. Bean.srt S1.en.srt"])
    #expect(throws: TextFileError.self) { try found(["Mr. Bean.srt"], ["en"]) }
    #expect(throws: TextFileError.self) { try found(["S1.es.srt"], ["S1.en.srt", "Mr. Bean.srt"]) }
    #expect(throws: TextFileError.self) { try found(["S1.es.srt", "S1.en.srt"], []) }
  }

  @Test func `a text is read in its own language, and refused in another one that was set`() throws {
    let english = "it was the best of times and it was the worst of times for all of us who had been there."
    let spanish = "el perro que vive en la casa de al lado no es de nadie, pero todos le dan algo de comer."
    func language(_ content: String, _ name: String = "a.txt", given: String? = nil) throws -> String {
      var options = TextOptions()
      options.language = given
      let text = try TextHandle([try person.folder.write(content, to: name)], options, in: workspace)
      return text.language.code + (text.languageReason.map { " \($0)" } ?? "")
    }
    #expect(try language(spanish) == "es words" && language(english) == "en words")
    #expect(try language("un gato", "b.fr.txt") == "en gameLanguage")
    #expect(try language("1\n00:00:01,000 --> 00:00:02,000\nun chat\n", "b.fr.srt") == "fr")
    try workspace.preferences().tree.set("text.language", text: "spanish", by: .user)
    #expect(try language(spanish) == "es" && language("the cat") == "es" && language(english, given: "english") == "en")
    #expect(throws: WorkspaceError.self) { try language(english) }
  }

  @Test func `new cards are ordered by how much they help with a text, in one step`() throws {
    let text = try text("de hond slaapt. de hond eet vis. de kat eet. een hond.")
    let deck = try workspace.decks.create("D")
    for word in ["kat", "zon", "hond", "eet", "een", "maan"] {
      try deck.add(NewCard(prompt: word, answer: "x"), at: .bottom)
    }
    try UserWordList(workspace, language: "dutch").set(["een"], as: .known)
    let other = try workspace.decks.create("Other")
    try other.add(NewCard(prompt: "hond", answer: "x"))
    func prompts() throws -> [String] { try (1...6).compactMap { try deck.card(at: $0)?.record().prompt } }
    let before = try prompts()
    #expect(try deck.orderNewCards(byGainIn: text).found == 3)
    #expect(try prompts() == ["hond", "eet", "kat", "zon", "een", "maan"])
    #expect(try deck.orderNewCards(byGainIn: text).moved == 0)
    _ = try workspace.care.undo()
    #expect(try prompts() == before)
  }

  @Test func `a cloze hides the word`() throws {
    let text = try text("de hond slaapt.")
    try UserWordList(workspace, language: "dutch").set(["de", "hond"], as: .known)
    let words = try text.minable().added
    try text.mine(words, into: "D", isCloze: true)
    let card = try #require(try workspace.decks.open("D").card(at: 1))
    #expect(try card.note().field("Sentence") == "de hond {{c1::slaapt}}.")
  }

  @Test func `subtitles include their translation and their time`() throws {
    try person.folder.write("1\n00:00:01,000 --> 00:00:03,000\nde hond slaapt.\n", to: "ep03.srt")
    try person.folder.write("1\n00:00:01,500 --> 00:00:03,500\nThe dog sleeps.\n", to: "ep03.en.srt")
    var options = TextOptions()
    options.language = "dutch"
    options.translations = [person.data + "/ep03.en.srt"]
    options.offset = -0.5
    let text = try TextHandle([person.data + "/ep03.srt"], options, in: workspace)
    try UserWordList(workspace, language: "dutch").set(["de", "hond"], as: .known)
    let word = try #require(try text.minable().added.first)
    #expect(word.place.translation == "The dog sleeps." && word.source == "ep03 00:00:01")
  }

  @Test func `expected coverage follows the memory model, coverage counts long-known words`() throws {
    let text = try text("hond kat hond.")
    let deck = try workspace.decks.create("D")
    let card = try deck.add(NewCard(prompt: "hond", answer: "dog"))
    #expect(try text.view().expectedCoverage == 0)
    let session = try deck.study(SessionHandle.Options(try workspace.preferences()))
    _ = try session.answer(.easy)
    let stability = try #require(try card.record().stability)
    #expect(try text.view().coverage == 0)
    #expect(try abs(text.view().expectedCoverage - 2.0 / 3) < 0.01)
    person.clock.pass(86_400 * stability.rounded())
    #expect(try abs(text.view().expectedCoverage - 2.0 / 3 * 0.9) < 0.02)
    try UserWordList(workspace, language: "dutch").set(["kat"], as: .ignored)
    #expect(try abs(text.view().expectedCoverage - 0.9) < 0.02)
  }

  @Test func `a word list counts as known for one text only`() throws {
    try person.folder.write("hond\nkat\tignored\n", to: "list.txt")
    try person.folder.write("hond kat vis.", to: "a.txt")
    var options = TextOptions()
    options.language = "dutch"
    options.knownLists = [person.data + "/list.txt"]
    let text = try TextHandle([person.data + "/a.txt"], options, in: workspace)
    #expect(try state("hond", in: text) == .known && state("kat", in: text) == .unknown)
    #expect(try text.view().expectedCoverage == 1.0 / 3)
    #expect(try UserWordList(workspace, language: "dutch").all().isEmpty)
  }

  @Test func `words of a list are set to the states it gives, in one step`() throws {
    try person.folder.write(
      "term,status,language\nhond,5,Dutch\nkat,2,Dutch\nvis,I,Dutch\nchien,5,French\n", to: "l.csv")
    let list = try UserWordList(workspace, language: "dutch")
    let imported = try list.add(from: person.data + "/l.csv", columns: [], as: .known)
    #expect(imported.changed == 2 && imported.learning == 1)
    #expect(try list.all().map(\.lemma) == ["hond", "vis"] && list.all().map(\.isIgnored) == [false, true])
    _ = try workspace.care.undo()
    #expect(try list.all().isEmpty)
  }

  @Test func `looked-up words become cards with the sentences they were in`() throws {
    let path = person.data + "/words.db"
    let file = try ExclusiveDatabase(path)
    try file.use { db in
      try db.execute(sql: "CREATE TABLE title (id INTEGER, name TEXT)")
      try db.execute(sql: "INSERT INTO title VALUES (1, 'Boek')")
      try db.execute(sql: "CREATE TABLE vocabulary (word TEXT, title_id INTEGER, prev_context TEXT, next_context TEXT)")
      try db.execute(
        sql: """
          INSERT INTO vocabulary VALUES ('vis', 1, 'de grote kat eet', 'en melk.'), ('kat', 1, 'een', 'slaapt.'),
            ('vis', 1, 'nog een', '.')
          """)
    }
    try file.close()
    var options = TextOptions()
    options.language = "dutch"
    let text = try TextHandle([path], options, in: workspace)
    let report = try text.minable()
    #expect(report.added.map(\.lemma) == ["vis", "kat"])
    #expect(report.added[0].sentence == "de grote kat eet <b>vis</b> en melk." && report.added[0].source == "Boek")
    try UserWordList(workspace, language: "dutch").set(["kat"], as: .known)
    #expect(try text.minable().added.map(\.lemma) == ["vis"])
  }

  @Test func `a custom note type is filled by the names of its fields, or by their order`() throws {
    let text = try text("de hond slaapt.")
    try UserWordList(workspace, language: "dutch").set(["de", "hond"], as: .known)
    let words = try text.minable().added
    try text.mine(words, into: "Basic", noteType: "Basic")
    let basic = try #require(try workspace.decks.open("Basic").card(at: 1)).note()
    #expect(try basic.field("Front") == "slaapt" && basic.field("Back") == "de hond <b>slaapt</b>.")
    _ = try workspace.noteTypes.create(
      NoteTypeDraft(
        name: "Own", fields: ["WORD", "Notes", "sentence"], cards: [CardTemplate("C", front: "{{WORD}}", back: "x")],
        css: ""))
    try text.mine(words, into: "Own", noteType: "Own")
    let own = try #require(try workspace.decks.open("Own").card(at: 1)).note()
    #expect(try own.field("WORD") == "slaapt" && own.field("Notes").isEmpty)
    #expect(try own.field("sentence") == "de hond <b>slaapt</b>.")
    #expect(throws: NoteError.self) { try text.mine(words, into: "Own", noteType: "Owm") }
  }

  @Test func `an indexed dictionary gives meanings and lemmas, in the order of the setting`() throws {
    let person = Person()
    let meanings = DictionaryLibrary(ownFolders: [person.data + "/dictionaries"], systemFolders: []) { false }
    let workspace = try person.workspace(meanings: meanings)
    try person.folder.write("slaapt\tsleeps\n", to: "nl-a.tsv")
    try person.folder.write("slaapt\tis asleep\n", to: "Second one.tsv")
    let added = try UserDictionaries(workspace).add(person.data + "/nl-a.tsv", words: nil)
    #expect(added.name == "nl-a" && added.meanings == 1)
    _ = try UserDictionaries(workspace).add(
      person.data + "/Second one.tsv", words: workspace.words.language(named: "dutch"))
    let dutch = try workspace.words.language(named: "dutch")
    #expect(try workspace.words.gloss(of: "slaapt", in: dutch) == "sleeps")
    try UserDictionaries(workspace).setOrder(["nl-second-one"], by: .user)
    #expect(try workspace.words.gloss(of: "slaapt", in: dutch) == "is asleep")
    try UserDictionaries(workspace).remove("nl-second-one")
    #expect(try workspace.words.gloss(of: "slaapt", in: dutch) == "sleeps")
    #expect(throws: DictionaryError.self) { try UserDictionaries(workspace).remove("nl-a.tsv") }
    try person.folder.write("a\tb\n", to: " nl\u{1}\\x .tsv")
    let named = try UserDictionaries(workspace).add(person.data + "/ nl\u{1}\\x .tsv")
    #expect(named.path == person.data + "/dictionaries/nl-x.words")
    try person.folder.write("a\tb\n", to: "words.tsv")
    #expect(throws: DictionaryError.self) { try UserDictionaries(workspace).add(person.data + "/words.tsv") }
  }
}
