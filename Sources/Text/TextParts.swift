// Texts within a text: whether they are there, where, and what is between them. Invariant: texts are compared byte by
// byte, so that a mark of ASCII is found whatever follows it.
//
// Swift's own functions of these names come with the library of regular expressions, 1.3 MB that nothing else needs:
// see `strict` in Package.swift.

extension StringProtocol {
  /// Where a text begins and ends in this one, the first time from an index on. An empty one is at the start.
  @inlinable public func firstRange(ofText text: some StringProtocol, from start: Index? = nil) -> Range<Index>? {
    let wanted = text.utf8
    var place = start ?? startIndex
    guard let first = wanted.first else { return place..<place }
    while let hit = utf8[place...].firstIndex(of: first) {
      if utf8[hit...].starts(with: wanted) { return hit..<utf8.index(hit, offsetBy: wanted.count) }
      place = utf8.index(after: hit)
    }
    return nil
  }

  /// Where a text begins and ends in this one, the last time.
  @inlinable public func lastRange(ofText text: some StringProtocol) -> Range<Index>? {
    var (last, place): (Range<Index>?, Index) = (nil, startIndex)
    while !text.isEmpty, let range = firstRange(ofText: text, from: place) {
      (last, place) = (range, range.upperBound)
    }
    return last
  }

  /// Whether it holds a text.
  ///
  ///     "a::b".contains(text: "::")   // true
  @inlinable public func contains(text: some StringProtocol) -> Bool { firstRange(ofText: text) != nil }

  /// The pieces between a text, empty ones included. An empty text separates nothing.
  ///
  ///     "a::b".split(at: "::")   // ["a", "b"]
  @inlinable public func split(at text: some StringProtocol, maxSplits: Int = .max) -> [SubSequence] {
    var (pieces, place): ([SubSequence], Index) = ([], startIndex)
    while !text.isEmpty, pieces.count < maxSplits, let range = firstRange(ofText: text, from: place) {
      pieces.append(self[place..<range.lowerBound])
      place = range.upperBound
    }
    return pieces + [self[place...]]
  }

  /// This text with another one in place of each that is found.
  ///
  ///     "a & b".replacing(text: "&", with: "&amp;")
  @inlinable public func replacing(text: some StringProtocol, with other: String) -> String {
    split(at: text).joined(separator: other)
  }
}

extension String {
  /// Its lines without their ends, be these line feeds or, as on other systems, returns with them: both are one
  /// character, which a line feed is not found in.
  ///
  ///     "a\r\nb\n".lines   // ["a", "b", ""]
  public var lines: [Substring] {
    utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map {
      Substring($0.last == 0x0D ? $0.dropLast() : $0)
    }
  }
}
