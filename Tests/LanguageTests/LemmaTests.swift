// Lemmas from made-up data and, if Debian's packages are installed, from the real files.

import Files
import Lexicon
import TestSupport

@testable import Language

@Suite struct LemmaTests {
  private let spanish = Language.unknown("spanish", title: "Spanish", code: "es")
  private let folder = TemporaryFolder()

  /// - Parameter entries: readings as an analyser has them.
  private func lemmatizer(
    _ entries: [[(String, String)]], of language: Language? = nil, overrides: [String: String] = [:]
  ) throws -> Lemmatizer {
    let file = try TransducerFile(TransducerSample(entries: entries).bytes(), path: "a.bin")
    return Lemmatizer(language ?? spanish, overrides: overrides, analysers: [file], wordNet: nil, missing: nil) { nil }
  }

  @Test func `the likelier part of speech is first, but the user's table precedes all`() throws {
    let entries = [
      TransducerSample.analysis("casas", "casar", "vblex", "pri"),
      TransducerSample.analysis("casas", "casa", "n", "f"),
      TransducerSample.analysis("lavarse", "lavarse", "vblex", "inf"),
    ]
    let plain = try lemmatizer(entries)
    #expect(plain.lemmas(of: "Casas") == ["casa", "casar"])
    #expect(plain.lemma(of: "lavarse") == "lavar")
    #expect(plain.lemmas(of: "xyz") == ["xyz"])
    #expect(plain.lemma(of: "los") == "el")
    #expect(try lemmatizer(entries, overrides: ["casas": "hogar"]).lemmas(of: "casas") == ["hogar"])
  }

  @Test func `among equally likely lemmas the text's own is used`() throws {
    let lemmatizer = try lemmatizer(
      [
        TransducerSample.analysis("fue", "ser", "vblex", "past"),
        TransducerSample.analysis("fue", "ir", "vblex", "past"),
        TransducerSample.analysis("soy", "ser", "vblex", "pri"),
      ], of: Language.unknown("x", title: "X", code: "xx"))
    var builder = TextBuilder(lemmatizer)
    builder.add("Yo soy y soy. Ella fue.", at: TextPlace(file: 0)) { _ in }
    let text = try builder.finish { _ in }
    #expect(text.lemmas.first { $0.text == "ser" }?.count == 3)
    #expect(lemmatizer.lemma(of: "fue") == "ir")
  }

  @Test func `stems of a spelling dictionary are found by suffix, condition and flag`() throws {
    let folder = try Folder.makeTemporary(in: "/tmp", prefix: "deckhand-stems-")
    defer { #expect(throws: Never.self) { try Folder.removeTree(folder) } }
    try AtomicFile.write(folder + "/x.aff", Array("SET UTF-8\nSFX S Y 2\nSFX S 0 s [aeiou]\nSFX S z ces z\n".utf8))
    try AtomicFile.write(folder + "/x.dic", Array("3\nperro/S\nluz/S\nlu\n".utf8))
    let stems = try AffixStems(words: folder + "/x.dic", affixes: folder + "/x.aff") { false }
    #expect(stems.stems(of: "perros") == ["perro"])
    #expect(stems.stems(of: "luces") == ["luz"])
    #expect(stems.stems(of: "lus").isEmpty && stems.stems(of: "").isEmpty)
  }

  @Test func `equally likely stems are in the order of their letters`() throws {
    let flags = ["A": "ur", "B": "er", "C": "ir", "D": "ar", "E": "yr", "F": "or"]
    let affixes = flags.map { "SFX \($0) Y 1\nSFX \($0) \($1) o \($1)\n" }.joined()
    let words = flags.map { "cre\($1)/\($0)\n" }.joined()
    try folder.write("SET UTF-8\n" + affixes, to: "x.aff")
    try folder.write("6\n" + words, to: "x.dic")
    let stems = try AffixStems(words: folder.file("x.dic"), affixes: folder.file("x.aff")) { false }
    #expect(stems.stems(of: "creo") == ["crear", "creer", "creir", "creor", "creur", "creyr"])
  }

  @Test func `the lemma of a phrase is that of its only word, without an article`() {
    func lemma(_ phrase: String, _ code: String) -> String? {
      Lemmatizer(
        Language.unknown(code, code: code), overrides: [:], analysers: [], wordNet: nil, missing: nil
      ) { nil }.lemma(ofPhrase: phrase)
    }
    #expect(lemma("la casa", "es") == "casa" && lemma("la", "es") == "el" && lemma("casa azul", "es") == nil)
    #expect(lemma("l'acqua", "it") == "acqua" && lemma("un\u{2019}isola", "it") == "isola")
    #expect(lemma("der Hund", "de") == "hund" && lemma("het huis", "nl") == "huis" && lemma("en bil", "sv") == "bil")
    #expect(lemma("το σπίτι", "el") == "σπίτι" && lemma("die hard", "en") == nil)
    #expect(lemma("un po'", "it") == "po'" && lemma("o'clock", "en") == "o'clock")
    #expect(lemma("aujourd'hui", "fr") == "aujourd'hui" && lemma("l'ami", "fr") == "ami")
    #expect(lemma("la maison", "fr") == "maison" && lemma("qu\u{2019}", "fr") == "que" && lemma("t'", "fr") == "te")
  }

  @Test(arguments: ["p'yat", "p\u{2019}yat", "p\u{2BC}yat"])
  func `apostrophes are the same in a form and in the user's table`(form: String) throws {
    try folder.write("P\u{2019}yat\tfive\n", to: "uk.tsv")
    let library = LanguageLibrary(
      ownFolder: folder.path, sharedFolders: [], spellingFolders: [], isInterrupted: { false })
    let ukrainian = Language.unknown("ukrainian", title: "Ukrainian", code: "uk")
    #expect(library.lemmatizer(of: ukrainian).lemma(of: form) == "five")
  }

  @Test func `a name that only its capital tells from a word may have any apostrophe`() throws {
    let names = try lemmatizer([TransducerSample.analysis("D'Annunzio", "D'Annunzio", "np")])
    for form in ["D'Annunzio", "D\u{2019}Annunzio"] { #expect(names.lemma(of: form) == "D'Annunzio") }
  }

  @Test func `an exception of WordNet that is a word of its own is both`() throws {
    for part in ["noun", "verb", "adj", "adv"] {
      try folder.write(part == "noun" ? "cola colon\ndata datum\nfeet foot\n" : "", to: part + ".exc")
      try folder.write(
        part == "noun" ? "cola n 1\ncolon n 1\ndata n 1\ndatum n 1\nfoot n 1\n" : "", to: "index." + part)
    }
    try folder.write("data%1:14:00:: 1 76\ndatum%1:09:00:: 1 5\n", to: "cntlist.rev")
    let lemmatizer = Lemmatizer(
      Language.unknown("x", title: "X", code: "xx"), overrides: [:], analysers: [],
      wordNet: try WordNetForms(folder.path) { false }, missing: nil
    ) { nil }
    #expect(lemmatizer.lemmas(of: "cola") == ["colon", "cola"])
    #expect(lemmatizer.lemmas(of: "data") == ["data", "datum"])
    #expect(lemmatizer.lemmas(of: "feet") == ["foot"])
  }

  @Test func `counts of WordNet that are too large or negative do no harm`() throws {
    for part in ["noun", "verb", "adj", "adv"] {
      try folder.write("", to: part + ".exc")
      try folder.write(part == "noun" ? "cat n 1\n" : "", to: "index." + part)
    }
    for count in ["9223372036854775807", "-9223372036854775808", "4294967295"] {
      let lines = (0..<3).map { "cat%1:05:0\($0):: 1 \(count)\n" }
      try folder.write(lines.joined(), to: "cntlist.rev")
      let forms = try WordNetForms(folder.path) { false }
      #expect(forms.candidates(of: "cats").map(\.lemma) == ["cat"])
    }
  }

  @Test func `data that could not be read because of Ctrl-C is read at the next call`() throws {
    try folder.write("casas\thogar\n", to: "es.tsv")
    try folder.write("", to: "stop")
    let stop = folder.file("stop")
    let library = LanguageLibrary(
      ownFolder: folder.path, sharedFolders: [], spellingFolders: [], isInterrupted: { fileExists(stop) })
    #expect(library.lemmatizer(of: spanish).lemma(of: "casas") == "casas")
    #expect(library.failures.isEmpty)
    try Folder.removeFile(stop)
    #expect(library.lemmatizer(of: spanish).lemma(of: "casas") == "hogar")
  }

  /// The packages that Scripts/setup installs.
  private let library = LanguageLibrary(
    ownFolder: "/nonexistent", sharedFolders: ["/usr/share"], spellingFolders: ["/usr/share/hunspell"]
  ) { false }

  @Test(
    .enabled(
      if: fileExists("/usr/share/apertium/apertium-eng-spa/spa-eng.automorf.bin"), "apertium-eng-spa is not installed"),
    arguments: [
      ("dámelo", "dar"), ("fuimos", "ser"), ("niñas", "niño"), ("levantarse", "levantar"), ("del", "de"),
      ("echándola", "echar"), ("más", "más"), ("hay", "haber"),
    ])
  func `Spanish forms have their lemmas`(form: String, lemma: String) throws {
    let lemmas = library.lemmatizer(of: spanish).lemmas(of: form)
    #expect(lemmas.contains(lemma), "\(lemmas)")
  }

  @Test(
    .enabled(if: fileExists("/usr/share/wordnet/index.noun"), "wordnet-base is not installed"),
    arguments: [
      ("mice", "mouse"), ("running", "run"), ("was", "be"), ("children", "child"), ("boxes", "box"), ("left", "leave"),
      ("lemmas", "lemma"), ("n't", "not"), ("Trees", "tree"),
    ])
  func `English forms have their lemmas`(form: String, lemma: String) throws {
    let english = Language.unknown("english", title: "English", code: "en")
    let lemmas = library.lemmatizer(of: english).lemmas(of: form)
    #expect(lemmas.contains(lemma), "\(lemmas)")
  }

  @Test func `without data forms are their own lemmas, and the missing package is named`() {
    let library = LanguageLibrary(ownFolder: "/none", sharedFolders: ["/none"], spellingFolders: []) { false }
    let lemmatizer = library.lemmatizer(of: spanish)
    #expect(lemmatizer.missing == "apertium-eng-spa" && library.failures.isEmpty)
    #expect(lemmatizer.lemma(of: "Casas") == "casas")
  }

  @Test func `damaged data is named, and forms still get an answer`() throws {
    let folder = try Folder.makeTemporary(in: "/tmp", prefix: "deckhand-language-")
    defer { #expect(throws: Never.self) { try Folder.removeTree(folder) } }
    try makePrivateFolder(folder + "/apertium")
    try makePrivateFolder(folder + "/apertium/apertium-eng-spa")
    let path = folder + "/apertium/apertium-eng-spa/spa-eng.automorf.bin"
    try AtomicFile.write(path, Array("LTTBnonsense".utf8))
    let library = LanguageLibrary(ownFolder: folder, sharedFolders: [folder], spellingFolders: []) { false }
    #expect(library.lemmatizer(of: spanish).lemma(of: "casas") == "casas")
    guard case .damaged(path, _) = library.failures.first else { Issue.record("\(library.failures)"); return }
  }

  @Test func `the user's table is read, and invalid lines are skipped`() throws {
    let folder = try Folder.makeTemporary(in: "/tmp", prefix: "deckhand-lemmas-")
    defer { #expect(throws: Never.self) { try Folder.removeTree(folder) } }
    try AtomicFile.write(folder + "/es.tsv", Array("# mine\nraposa\traposa\nnothing\nVoy \t ir \n\t\n".utf8))
    let library = LanguageLibrary(ownFolder: folder, sharedFolders: [], spellingFolders: []) { false }
    #expect(library.lemmatizer(of: spanish).lemma(of: "voy") == "ir")
    #expect(library.lemmatizer(of: spanish).lemmas(of: "raposa") == ["raposa"])
  }
}
