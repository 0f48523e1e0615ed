// Elements that may repeat a key, and places in sorted elements. Invariant: the first one with a key is used.

extension Dictionary {
  /// Creates a dictionary; of several pairs with the same key, the first is used.
  ///
  ///     Dictionary(firstOf: [("a", 1), ("b", 2), ("a", 3)])   // ["a": 1, "b": 2]
  @inlinable public init(firstOf pairs: some Sequence<(Key, Value)>) { self.init(pairs) { first, _ in first } }

  /// Returns the value of a key; makes and keeps it if there is none.
  @inlinable public mutating func kept(_ key: Key, _ make: () throws -> Value) rethrows -> Value {
    if let known = self[key] { return known }
    let made = try make()
    self[key] = made
    return made
  }
}

extension Range<Int> {
  /// Returns, by binary search, the first number that is not before what is wanted; the end if all are.
  @inlinable public func bisected(_ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Sequence {
  /// Returns the elements in order; of several with the same key, the first.
  ///
  ///     [3, 1, 3].distinct(by: \.self)   // [3, 1]
  @inlinable public func distinct<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
    var seen: Set<Key> = []
    return filter { seen.insert(key($0)).inserted }
  }
}
