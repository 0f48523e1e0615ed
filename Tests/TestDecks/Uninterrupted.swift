// Queries of tests, with nobody who could ask to stop.
// Invariant: the program's own code has none of these; there each caller says who may stop it.

public import Decks

extension CardQuery {
  public init(_ text: String) throws(DeckError) { try self.init(text, isInterrupted: { false }) }
}
