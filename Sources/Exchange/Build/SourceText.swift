// The text of a source, divided into lines as the source readers count them: from 1, each up to a line feed.

/// A text with an index of its lines.
package struct SourceText {
  package let bytes: [UInt8]
  private let starts: [Int]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var starts = [0]
    bytes.withUnsafeBufferPointer { bytes in
      for place in bytes.indices where bytes[place] == 0x0A { starts.append(place + 1) }
    }
    self.starts = starts
  }

  package var count: Int { starts.count }

  /// Returns the offset of a line; the end of the text for the line after the last one.
  package func start(_ line: Int) -> Int { line <= starts.count ? starts[max(0, line - 1)] : bytes.count }

  /// Returns the offset at which a line ends, without its line end.
  package func end(_ line: Int) -> Int {
    var end = line < starts.count ? starts[line] - 1 : bytes.count
    if end > start(line), bytes[end - 1] == 0x0D { end -= 1 }
    return end
  }

  package func line(_ number: Int) -> Substring {
    String(decoding: bytes[start(number)..<max(start(number), end(number))], as: UTF8.self)[...]
  }

  package func line(at offset: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// Returns the offset of a character in a line, counted from 1.
  package func offset(line: Int, column: Int) -> Int {
    var (place, left) = (start(line), column)
    let end = end(line)
    while place < end {
      if bytes[place] & 0xC0 != 0x80 { left -= 1 }
      if left <= 0 { break }
      place += 1
    }
    return place
  }

  /// Removes blank lines from the end of a range of lines.
  func withoutBlanks(_ lines: Range<Int>) -> Range<Int> {
    var end = lines.upperBound
    while end - 1 > lines.lowerBound, bytes[start(end - 1)..<self.end(end - 1)].allSatisfy({ $0 == 0x20 || $0 == 0x09 })
    { end -= 1 }
    return lines.lowerBound..<end
  }
}
