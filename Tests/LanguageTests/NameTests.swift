// Which words are names, by their capitals: see Fixtures/names.tsv and Fixtures/function_words.tsv.

import Lexicon
import TestSupport
import Testing

@testable import Language

@Suite struct NameTests {
  /// The rows of a table, by column.
  private func rows(_ name: String) throws -> [[String]] {
    try fixtureText("\(name).tsv").split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  /// Returns the names of a text, each with the number of its occurrence: `Tom@2`.
  private func names(_ paragraphs: [String], _ language: Language, reading words: [String] = []) throws -> [String] {
    let entries = words.map { TransducerSample.analysis($0, $0, "adv") }
    let data =
      try entries.isEmpty
      ? [] : [TransducerFile(TransducerSample(entries: entries).bytes(), path: "a.bin")]
    var builder = TextBuilder(
      Lemmatizer(language, overrides: [:], analysers: data, wordNet: nil, missing: nil) { nil })
    for paragraph in paragraphs { builder.add(paragraph, at: TextPlace(file: 0)) { _ in } }
    let text = try builder.finish { _ in }
    var counts: [String: Int] = [:]
    return text.sentences.flatMap(text.pieces).compactMap { piece, token in
      guard let token else { return nil }
      counts[piece, default: 0] += 1
      return token.isName ? "\(piece)@\(counts[piece] ?? 0)" : nil
    }
  }

  @Test func `names are found by their capitals`() throws {
    let rows = try rows("names")
    #expect(rows.count == 7)
    for row in rows {
      let language = try #require(Language.named(row[0]))
      #expect(try names([row[1]], language) == row[2].split(separator: " ").map(String.init), "\(row[1])")
    }
  }

  @Test func `a word of a closed class is never a name`() throws {
    for row in try rows("function_words") {
      let language = try #require(Language.base(row[0]))
      // Its table has an English word that the Spanish texts it was counted in quote.
      for word in row[1].split(separator: " ") where row[0] != "es" || word != "the" {
        let capital = word.prefix(1).uppercased() + word.dropFirst()
        let gap = word.hasSuffix("'") ? "" : " "
        #expect(try names(["x \(capital)\(gap)x"], language).isEmpty, "\(row[0]) \(capital)")
      }
    }
  }

  @Test(arguments: [
    ("¿DÓNDE ESTÁ? NO LO SÉ TODAVÍA.", []), ("EN UN LUGAR de la Mancha", ["Mancha@1"]), ("no lo haré NUNCA", []),
    ("la ONU y el PP", ["ONU@1", "PP@1"]), ("vino Ana. ¿DÓNDE ESTÁ ANA?", ["Ana@1", "ANA@1"]),
    ("hoy DON'T GO con EE.UU.", ["EE.UU@1"]), ("y Η ΖΩΉ ΜΟΥ", []),
  ])
  func `words in capitals are words, and short ones alone are abbreviations`(text: String, found: [String]) throws {
    let words = "en un no lo lugar dónde está sé todavía nunca n't don't go η ζωή μου".split(separator: " ")
    #expect(try names([text], .unknown("x", code: "xx"), reading: words.map(String.init)) == found)
  }
}
