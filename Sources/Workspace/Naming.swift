// The names of things, for whoever types one: read as a whole. Invariant: none of it takes a query for each thing.

public import Decks

extension Workspace {
  /// Every deck, by name.
  ///
  ///     try workspace.deckRecords().map(\.name)   // ["Spanish", "Spanish::Verbs"]
  public func deckRecords() throws -> [DeckRecord] { try read { try DeckTable.list($0) } }

  /// The tags of the cards that were added last, in order.
  public func recentTags() throws -> [String] { try read { try CardTable.recentTags($0) } }
}
