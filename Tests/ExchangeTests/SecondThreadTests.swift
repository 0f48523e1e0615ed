// A package that is large enough for a second thread; `ThreadWatchTests` also runs it under its thread check.

import Decks
import Exchange
import TestDecks
import Testing

@Suite struct SecondThreadTests {
  @Test func `a large package is exported and imported completely`() throws {
    let here = PackageCollection()
    let deck = try here.collection.deck("Many")
    let cards = (0..<1000).map { NewCard(prompt: "prompt \($0)", answer: "answer \($0)") }
    #expect(try here.collection.addAll(deck, cards).added == 1000)
    let (path, report) = try here.exporting("Many")
    #expect(report.cards == 1000)
    let there = PackageCollection()
    #expect(try there.importing(path, into: "Came").added == 1000)
    #expect(try there.importing(path, into: "Came").added == 0)
    #expect(try there.count("cards") == 1000)
  }
}
