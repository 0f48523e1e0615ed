// German: forms keep the capitals of nouns, compounds, and verbs in two words. Fixtures/german_forms.tsv is a small
// table of forms for the sentences of Fixtures/separable.tsv.

import Lexicon
import TestSupport
import Testing

@testable import Language

@Suite struct GermanTests {
  private static func table(_ lines: String) -> [String: [String]] {
    var table: [String: [String]] = [:]
    for line in lines.split(separator: "\n") where !line.hasPrefix("#") {
      let cells = line.split(separator: "\t").map(String.init)
      table[cells[0], default: []].append(cells[1])
    }
    return table
  }

  private func lemmatizer(_ table: [String: [String]], overrides: [String: String] = [:]) throws -> Lemmatizer {
    let german = try #require(Language.named("german"))
    return lemmatizer(german, table, overrides: overrides)
  }

  private func lemmatizer(
    _ language: Language, _ table: [String: [String]], overrides: [String: String] = [:],
    analysers: [TransducerFile] = []
  ) -> Lemmatizer {
    let lemmatizer = Lemmatizer(
      language, overrides: overrides, analysers: analysers, wordNet: nil, missing: nil,
      dictionaryForms: { $0 == "x" ? ["other"] : [] }
    ) { nil }
    lemmatizer.table = { table[$0] ?? [] }
    return lemmatizer
  }

  private func text(_ paragraphs: String..., by lemmatizer: Lemmatizer) throws -> TextIndex {
    var builder = TextBuilder(lemmatizer)
    for paragraph in paragraphs { builder.add(paragraph, at: TextPlace(file: 0)) { _ in } }
    return try builder.finish { _ in }
  }

  private let small = table(
    """
    Haus\tHaus
    haus\thausen
    Häuser\tHaus
    Essen\tEssen
    essen\tessen
    schöne\tschön
    schöne\tSchöne
    Tür\tTür
    Türen\tTür
    groß\tgroß
    großes\tgroß
    """)

  @Test(arguments: [
    ("Das Essen. Wir essen.", ["das", "Essen", "wir", "essen"]), ("Essen ist da.", ["essen", "ist", "da"]),
    ("Haus und Hof.", ["Haus", "und", "hof"]), ("Häuser sind da.", ["Haus", "sind", "da"]),
    ("Schöne Häuser! Das Schöne.", ["schön", "Haus", "das", "schön"]), ("HÄUSER UND TÜREN", ["Haus", "und", "Tür"]),
  ])
  func `a noun is told by its capital, but not at the start of a sentence`(text: String, lemmas: [String]) throws {
    let index = try self.text(text, by: lemmatizer(small))
    let found = index.tokens.compactMap { index.lemma(of: $0).map { index.lemmas[Int($0)].text } }
    // A word that no table has is its own lemma, as it is written.
    #expect(found.map { small[$0] == nil ? $0.lowercased() : $0 } == lemmas)
  }

  @Test(arguments: [
    ("Haustüren", "Haustür"), ("Häusertür", "Häusertür"), ("Hausestür", "Hausestür"), ("haustürgroßes", "haustürgroß"),
    ("Xyztüren", "Xyztüren"), ("Häuser", "Haus"), ("haus", "hausen"), ("häuser", "Haus"),
  ])
  func `the lemma of a compound has that of its last part`(form: String, lemma: String) throws {
    var table = small
    table["Haustür"] = ["Haustür"]
    if form != "haustürgroßes" { table["Haustür"] = nil }
    #expect(try lemmatizer(table).lemma(of: form) == lemma)
  }

  @Test func `tables come after the user's own one and before other dictionaries`() throws {
    #expect(try lemmatizer(small, overrides: ["häuser": "Hütte"]).lemmas(of: "Häuser") == ["Hütte"])
    let analyser = try TransducerFile(
      TransducerSample(entries: [TransducerSample.analysis("casas", "casar", "vblex")]).bytes(), path: "a.bin")
    let spanish = lemmatizer(
      .unknown("spanish", code: "es"), ["casas": ["casa"], "los": ["lo"]], analysers: [analyser])
    #expect(spanish.lemmas(of: "Casas") == ["casa"] && spanish.lemmas(of: "los") == ["el", "lo"])
    #expect(spanish.lemmas(of: "x") == ["other"])
    let polish = lemmatizer(
      .unknown("polish", code: "pl"), ["kotów": ["kot"], "Kotów": ["Kotów"], "Warszawy": ["Warszawa"]])
    #expect(polish.lemmas(of: "Kotów") == ["kot"] && polish.lemmas(of: "Warszawy") == ["Warszawa"])
  }

  @Test func `a verb in two words has one lemma, and its particle is not counted`() throws {
    let lemmatizer = try lemmatizer(Self.table(fixtureText("german_forms.tsv")))
    for line in try fixtureText("separable.tsv").split(separator: "\n") where !line.hasPrefix("#") {
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      let index = try text(cells[0], by: lemmatizer)
      let pieces = index.pieces(of: index.sentences[0]).compactMap { piece, token in token.map { (piece, $0) } }
      let parts = pieces.filter { $0.1.isPart }
      let lemma = parts.first.flatMap { index.lemma(of: $0.1) }
      let verbs = pieces.filter { !$0.1.isPart && lemma != nil && index.lemma(of: $0.1) == lemma }
      let found = verbs.map(\.0) + parts.map(\.0) + (lemma.map { [index.lemmas[Int($0)].text] } ?? [])
      #expect(found == cells.dropFirst().filter { !$0.isEmpty }, "\(cells[0])")
      #expect(lemma.map { index.lemmas[Int($0)].count } ?? 1 == 1)
      #expect(index.forms.reduce(0) { $0 + $1.count } == pieces.count - parts.count)
    }
  }
}
