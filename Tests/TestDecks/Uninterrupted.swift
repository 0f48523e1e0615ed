// Queries for tests, which nobody can interrupt. Invariant: the program's own code has none of these; there each
// caller passes what can interrupt it.

public import Decks

extension CardQuery {
  public init(_ text: String) throws(DeckError) { try self.init(text, isInterrupted: { false }) }
}
