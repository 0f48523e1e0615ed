// A dictionary of pairs of which several may have one key. Invariant: of these the first one counts.

extension Dictionary {
  /// The pairs by their keys; of several with one key the first.
  ///
  ///     Dictionary(firstOf: [("a", 1), ("b", 2), ("a", 3)])   // ["a": 1, "b": 2]
  @inlinable public init(firstOf pairs: some Sequence<(Key, Value)>) {
    self.init(pairs) { first, _ in first }
  }
}
