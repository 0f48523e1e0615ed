// Searching a text for another one: whether it occurs, where, and what is between the occurrences. Invariant: texts are
// compared byte by byte, so that an ASCII character is found whatever combining marks follow it.
//
// Swift's own such functions come with the regular expression library, 1.3 MB that nothing else needs: see `strict`.

extension StringProtocol {
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

  @inlinable public func lastRange(ofText text: some StringProtocol) -> Range<Index>? {
    var (last, place): (Range<Index>?, Index) = (nil, startIndex)
    while !text.isEmpty, let range = firstRange(ofText: text, from: place) { (last, place) = (range, range.upperBound) }
    return last
  }

  @inlinable public func contains(text: some StringProtocol) -> Bool { firstRange(ofText: text) != nil }

  /// Returns the pieces between the occurrences of a text, including empty ones. An empty text separates nothing.
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

  @inlinable public func replacing(text: some StringProtocol, with other: String) -> String {
    split(at: text).joined(separator: other)
  }
}

extension String {
  /// The lines without their line ends, which are LF or CR LF. Swift treats CR LF as one character, which does not
  /// equal LF, so the text is split by bytes.
  ///
  ///     "a\r\nb\n".lines   // ["a", "b", ""]
  public var lines: [Substring] {
    utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map {
      Substring($0.last == 0x0D ? $0.dropLast() : $0)
    }
  }
}
