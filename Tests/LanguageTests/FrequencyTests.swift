// Word frequency lists, from packages and from users.

import Lexicon
import TestSupport

@testable import Language

@Suite struct FrequencyTests {
  private let folder = TemporaryFolder()

  private func language(_ name: String) throws -> Language { try #require(Language.named(name)) }

  private func library() -> LanguageLibrary {
    LanguageLibrary(
      ownFolder: "", sharedFolders: [folder.path], spellingFolders: [], frequencyFolder: folder.path + "/own",
      isInterrupted: { false })
  }

  @Test func `an Onboard model is read up to its pairs of words, without names`() throws {
    let model = """

      \\data\\
      ngram 1=4

      \\1-grams:
      1 <s>
      300 ADN
      100 Madrid
      60 gato
      40 qué

      \\2-grams:
      500 el gato
      """
    try folder.write(model, to: "onboard/models/es_ES.lm")
    #expect(try library().frequencies(of: language("spanish")) == ["gato": 600_000, "qué": 400_000])
    #expect(try library().frequencies(of: language("italian")) == nil)
  }

  @Test func `a user's own table comes first, with counts or in its order`() throws {
    try folder.write("\\data\\\n\\1-grams:\n1 perro\n", to: "onboard/models/es_ES.lm")
    try folder.write("# mine\ngato\t3\nperro\t1\nx\tnone\n", to: "own/es.tsv")
    #expect(try library().frequencies(of: language("spanish")) == ["gato": 750_000, "perro": 250_000])
    try folder.write("\u{FEFF}uno\r\ndos\r\ntres\r\n", to: "own/es.tsv")
    let counts = try #require(try library().frequencies(of: language("spanish")))
    #expect(counts.sorted { $0.value > $1.value }.map(\.key) == ["uno", "dos", "tres"])
  }

  @Test func `a list that is not text is reported, and no word is common`() throws {
    try folder.write([0x67, 0x09, 0xFF], to: "own/es.tsv")
    let library = library()
    #expect(try library.frequencies(of: language("spanish")) == nil)
    #expect(library.failures.count == 1)
  }
}
