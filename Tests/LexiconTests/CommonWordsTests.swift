// The common words of a list: their selection and order.

import Lexicon
import TestSupport
import Testing

@Suite struct CommonWordsTests {
  private func list() throws -> Lexicon {
    try Lexicon.of(["gato", "perro", "toga", "gota", "árbol"], language: language("spanish"))
  }

  @Test func `words that are both counted and in the list are common, the most frequent first`() throws {
    let common = try #require(try CommonWords(["Gato": 2, "gota": 9, "casa": 50, "árbol": 2], of: list(), least: 1))
    #expect(common.lexicon.count == 3)
    #expect(common.byUse(["toga", "gato", "árbol", "perro", "gota"]) == ["gota", "gato", "árbol", "toga", "perro"])
    #expect(common.contains("gato") && !common.contains("toga") && !common.contains("casa"))
    #expect(common.lexicon.formable(from: "gato").sorted() == ["gato", "gota"])
  }

  @Test func `counts of too few words are ignored`() throws {
    #expect(try CommonWords(["gato": 2, "gota": 9], of: list(), least: 3) == nil)
    #expect(try CommonWords([:], of: list(), least: 0) == nil)
    #expect(try CommonWords(["gato": 0], of: list(), least: 1) == nil)
  }
}
