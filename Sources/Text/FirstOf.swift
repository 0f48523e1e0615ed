// Elements by key: the first with each, places in sorted ones, those out of order. Invariant: the first one counts.

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

extension RandomAccessCollection where Index == Int {
  /// Returns the fewest elements without which the others ascend by their keys, which are distinct; of at most 2^31.
  ///
  ///     [2, 9, 3, 4].outOfOrder(by: \.self)   // [9]
  @inlinable public func outOfOrder<Key: Comparable>(by key: (Element) -> Key) -> [Element] {
    if zip(self, dropFirst()).allSatisfy({ key($0) < key($1) }) { return [] }
    // Of the ascending rows of each length: the last element of the one that ends lowest.
    var lasts: [Int32] = []
    // The element before each in the longest row that ends with it.
    var before: [Int32] = []
    before.reserveCapacity(count)
    for (index, element) in zip(Int32(clamping: startIndex)..., self) {
      let wanted = key(element)
      let length = lasts.indices.bisected { key(self[Int(lasts[$0])]) < wanted }
      before.append(length > 0 ? lasts[length - 1] : Int32(clamping: startIndex - 1))
      if length == lasts.count { lasts.append(index) } else { lasts[length] = index }
    }
    var (inOrder, others): (Int32?, [Element]) = (lasts.last, [])
    for index in indices.reversed() {
      if Int32(clamping: index) == inOrder { inOrder = before[index - startIndex] } else { others.append(self[index]) }
    }
    others.reverse()
    return others
  }
}
