// A bulk add that is large enough for a second thread; `ThreadWatchTests` also runs it under its thread check.

import Decks
import TestDecks
import Testing

@Suite struct SecondThreadTests {
  @Test func `a long batch adds all cards, and finds existing ones`() throws {
    let collection = TestCollection()
    let deck = try collection.deck("Many")
    let cards = (0..<2000).map { NewCard(prompt: "prompt \($0 % 1900)", answer: "answer \($0 % 1900)") }
    let report = try collection.addAll(deck, cards)
    #expect((report.added, report.skipped) == (1900, 100))
    #expect(try collection.prompts(deck) == (0..<1900).map { "prompt \($0)" })
    #expect(try collection.addAll(deck, cards).skipped == 2000)
  }
}
