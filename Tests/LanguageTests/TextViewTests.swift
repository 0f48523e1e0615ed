// Coverage, unknown words and plans of small texts, counted by hand.

import Lexicon
import Testing

@testable import Language

@Suite struct TextViewTests {
  private let language = Language.unknown("x", title: "X", code: "xx")

  private func text(_ paragraphs: String...) throws -> TextIndex {
    var builder = TextBuilder(Lemmatizer(language, overrides: [:], analysers: [], wordNet: nil, missing: nil) { nil })
    for paragraph in paragraphs { builder.add(paragraph, at: TextPlace(file: 0)) { _ in } }
    return try builder.finish { _ in }
  }

  private func view(_ text: TextIndex, known: Set<String>, new: Set<String> = [], ignored: Set<String> = []) -> TextView
  {
    TextView(text) {
      known.contains($0) ? .known : new.contains($0) ? .new : ignored.contains($0) ? .ignored : .unknown
    }
  }

  @Test func `coverage leaves out names, numbers and ignored words`() throws {
    let text = try text("un gato vio 3 perros con Ana.", "hoy un gato vio luz.")
    let view = view(text, known: ["un", "gato", "vio"], ignored: ["hoy"])
    // Known: un gato vio, twice; unknown: perros, con, luz.
    #expect(view.coverage == 6 / 9 as Double)
    #expect(view.counts()[.unknown] == StateCount(tokens: 3, lemmas: 3))
    #expect(view.passedOver == 2)
    #expect(view.missing == [2, 1])
    #expect(view.lemmasNeeded(for: 0.66) == 0 && view.lemmasNeeded(for: 0.7) == 1 && view.lemmasNeeded(for: 1) == 3)
  }

  @Test func `a lemma to learn adds only the words that are not known through another one`() throws {
    let entries = [
      TransducerSample.analysis("fue", "ser", "vblex", "past"), TransducerSample.analysis("fue", "ir", "vblex", "past"),
      TransducerSample.analysis("soy", "ser", "vblex", "pri"),
    ]
    let file = try TransducerFile(TransducerSample(entries: entries).bytes(), path: "a.bin")
    var builder = TextBuilder(
      Lemmatizer(language, overrides: [:], analysers: [file], wordNet: nil, missing: nil) { nil })
    builder.add("soy y soy y luz fue.", at: TextPlace(file: 0)) { _ in }
    let view = try view(builder.finish { _ in }, known: ["ir", "y"])
    #expect(view.coverage == 0.5 && view.lemmasNeeded(for: 0.8) == 1 && view.lemmasNeeded(for: 1) == 2)
    #expect(view.coverage(afterLemmas: 1, steps: 1) == [1 / 2, 5 / 6] as [Double])
  }

  @Test func `without data a word that occurs only at the start of sentences is not a name`() throws {
    #expect(try text("Perro negro. Gato.").tokens.allSatisfy { !$0.isName })
  }

  @Test func `marks that are too many in a row are left out`() throws {
    let marks = String(repeating: "\u{301}\u{323}", count: 500)
    let text = try text("A\(marks) b.")
    #expect(text.forms.count == 2 && text.forms[0].text.unicodeScalars.count < 130)
  }

  @Test func `a word with a mark of stress is the same word in Russian`() throws {
    let russian = try #require(Language.named("russian"))
    var builder = TextBuilder(Lemmatizer(russian, overrides: [:], analysers: [], wordNet: nil, missing: nil) { nil })
    builder.add("дом стоя\u{301}л и стоял.", at: TextPlace(file: 0)) { _ in }
    let text = try builder.finish { _ in }
    #expect(text.forms.map(\.text) == ["дом", "стоял", "и"])
  }

  @Test func `a text without words is fully covered`() throws {
    for text in [try text(), try text("...", "3 4")] { #expect(view(text, known: []).coverage == 1) }
  }

  @Test func `a capitalised word inside a sentence is a name unless it is often lower-case`() throws {
    let text = try text("hoy Rosa corta una rosa y otra rosa roja.", "hoy vino Rosa.", "vino Marta con otra.")
    let names = text.tokens.filter(\.isName).map { text.forms[Int($0.form)].text }
    #expect(names == ["rosa", "rosa", "marta"])
    let hyphenated = try self.text("hoy vino Abel-beth-maacah.")
    let parts = hyphenated.tokens.filter(\.isName).map { hyphenated.forms[Int($0.form)].text }
    #expect(parts == ["abel", "beth", "maacah"])
  }

  @Test func `each sentence of a plan has exactly one word that is unknown at that point`() throws {
    let text = try text("el gato duerme.", "el perro duerme.", "el perro negro corre mucho hoy.", "un pez.")
    let view = view(text, known: ["el", "gato"])
    let plan = view.plan(count: .max) {}
    var known: Set<String> = ["el", "gato"]
    for word in plan {
      let sentence = text.sentences[word.sentence]
      let unknown = Set(text.tokens(of: sentence).map { text.forms[Int($0.form)].text }).subtracting(known)
      #expect(unknown == [text.lemmas[Int(word.lemma)].text])
      known.formUnion(unknown)
    }
    #expect(plan.map { text.lemmas[Int($0.lemma)].text } == ["duerme", "perro"])
  }

  @Test func `a plan can use sentences with any number of unknown words`() throws {
    var builder = TextBuilder(Lemmatizer(language, overrides: [:], analysers: [], wordNet: nil, missing: nil) { nil })
    func letter(_ number: Int) -> Character { Character(Unicode.Scalar(UInt8(97 + number % 26))) }
    let words = (0..<1100).map { String([letter($0), letter($0 / 26), letter($0 / 676), "x"]) }
    builder.add(words.joined(separator: " ") + ".", at: TextPlace(file: 0)) { _ in }
    for word in words { builder.add("\(word) el.", at: TextPlace(file: 0)) { _ in } }
    let plan = try view(builder.finish { _ in }, known: ["el"]).plan(count: .max) {}
    #expect(plan.count == 1100 && plan.allSatisfy { $0.sentence > 0 })
  }

  @Test func `a heading shows a word only if no sentence does`() throws {
    let text = try text("Perros.", "Ayer vi muchos perros.", "Luz.")
    let view = view(text, known: ["ayer", "vi"])
    let best = view.bestSentences(for: view.lemmasByGain()) {}
    let shown = view.lemmasByGain().compactMap { best[$0] }.map { text.text(of: text.sentences[$0]) }
    #expect(shown == ["Ayer vi muchos perros.", "Ayer vi muchos perros.", "Luz."])
  }

  @Test func `a heading is no sentence, but its words are words of the text`() throws {
    var builder = TextBuilder(Lemmatizer(language, overrides: [:], analysers: [], wordNet: nil, missing: nil) { nil })
    for (words, isHeading) in [("la luz y el gato", true), ("un gato.", false), ("un gato blanco feroz.", false)] {
      var place = TextPlace(file: 0)
      place.isHeading = isHeading
      builder.add(words, at: place) { _ in }
    }
    let view = try view(builder.finish { _ in }, known: ["un", "la", "y", "el"])
    #expect(view.missing == [TextView.heading, 1, 3] && view.sentenceCount == 2 && view.sentences(missing: 1) == 1)
    #expect(view.counts()[.known]?.tokens == 5)
    #expect(view.plan(count: .max) {}.map(\.sentence) == [1])
    // Only the heading has the word.
    let luz = view.text.lemmas.indices.filter { view.text.lemmas[$0].text == "luz" }.map { UInt32($0) }
    #expect(view.bestSentences(for: luz) {}.map(\.value) == [0])
    #expect(view.bestSentences(for: view.lemmasByGain().prefix(1).map { $0 }) {}.map(\.value) == [2])
  }

  @Test func `a word that has a card counts as unknown in sentences, and is known once it is learned`() throws {
    let text = try text("el gato duerme.")
    let before = view(text, known: ["el"], new: ["gato"])
    #expect(before.missing == [2] && before.bestSentences(for: before.lemmasByGain()) {}.map(\.value) == [0, 0])
    let after = view(text, known: ["el", "gato"])
    #expect(after.bestSentences(for: after.lemmasByGain()) {}.map(\.value) == [0])
  }

  @Test func `the best sentence has the fewest unknown words, then a good length, no name, and comes first`() throws {
    let text = try text(
      "gato.", "el gato es de Ana y de un perro.", "el gato es de un perro.", "el gato es de un perro.", "gato feroz.")
    let view = view(text, known: ["el", "es", "de", "un", "perro", "y", "ana"])
    let gato = view.lemmasByGain().prefix(1)
    #expect(view.bestSentences(for: Array(gato)) {}.map(\.value) == [2])
  }

  @Test func `a sentence that ends with punctuation is better than one that breaks off`() throws {
    let text = try text("el gato es de un,", "el gato es de un.", "el gato es de «un».")
    let view = view(text, known: ["el", "es", "de", "un"])
    let best = view.bestSentences(for: Array(view.lemmasByGain().prefix(1))) {}
    #expect(best.map(\.value) == [1])
    #expect(text.sentences.map(text.endsWithMark) == [false, true, true])
  }

  @Test func `a word joined to a name by a hyphen belongs to the name`() throws {
    let text = try text("la casa de Obed-edom y el gato-perro.")
    #expect(text.tokens.filter(\.isName).map { text.forms[Int($0.form)].text } == ["obed", "edom"])
  }
}
