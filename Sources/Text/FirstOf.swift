// A dictionary from pairs that may repeat keys. Invariant: the first pair with a key is used.

extension Dictionary {
  /// Creates a dictionary; of several pairs with the same key, the first is used.
  ///
  ///     Dictionary(firstOf: [("a", 1), ("b", 2), ("a", 3)])   // ["a": 1, "b": 2]
  @inlinable public init(firstOf pairs: some Sequence<(Key, Value)>) {
    self.init(pairs) { first, _ in first }
  }
}
