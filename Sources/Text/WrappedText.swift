// Breaking text into lines: between words where possible, within a word only if it is longer than a line.
// Invariant: no line is wider than requested, nothing is lost except spaces at a break, and no character is split.

extension String {
  /// Returns the text in lines of at most `width` columns (at least 1); line ends and spaces in a line are kept.
  /// - Parameter breaksWords: whether to break a word that is longer than a line; if not, its line is too wide.
  package func lines(within width: Int, indent: String = "", breaksWords: Bool = true) -> [String] {
    utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }.flatMap { line in
      line.displayWidth <= width
        ? [String(line)] : broken(line, max(1, width), indent: indent, breaksWords: breaksWords)
    }
  }
}

extension Substring {
  fileprivate var displayWidth: Int { String(self).displayWidth }

  /// Whether there is a space, judged by its byte, because comparing a character with many marks is slow.
  fileprivate func isBlank(at index: Index) -> Bool {
    utf8[index] == UInt8(ascii: " ") && utf8.index(after: index) == self.index(after: index)
  }

  /// The text from the first character on that is not a space.
  fileprivate var withoutFirstBlanks: Substring {
    var start = startIndex
    while start < endIndex, isBlank(at: start) { start = index(after: start) }
    return self[start...]
  }
}

private func broken(_ line: Substring, _ width: Int, indent: String, breaksWords: Bool) -> [String] {
  var lines: [String] = []
  var rest = line
  while !rest.isEmpty {
    let start = lines.isEmpty ? "" : indent
    let taken = beginning(of: rest, max(1, width - start.displayWidth), breaksWords: breaksWords)
    lines.append(start + trimmedEnd(taken))
    rest = rest[taken.endIndex...].withoutFirstBlanks
  }
  return lines
}

/// Returns the part of the line that fits: up to the last space, otherwise to the end of the word or of the width.
private func beginning(of line: Substring, _ width: Int, breaksWords: Bool) -> Substring {
  var used = 0
  var lastBlank: Substring.Index?
  var hasWord = false
  for index in line.indices {
    let isBlank = line.isBlank(at: index)
    if isBlank, hasWord { lastBlank = index }
    if !isBlank { hasWord = true }
    used += line[index].displayWidth
    guard used > width else { continue }
    if isBlank { return line[..<index] }
    if let lastBlank { return line[..<lastBlank] }
    if breaksWords { return index > line.startIndex ? line[..<index] : line[...index] }
    return line[..<(line.indices[index...].first { line.isBlank(at: $0) } ?? line.endIndex)]
  }
  return line
}

private func trimmedEnd(_ text: Substring) -> String {
  var text = text
  while !text.isEmpty, case let last = text.index(before: text.endIndex), text.isBlank(at: last) {
    text = text[..<last]
  }
  return String(text)
}

/// Wraps a line between its pieces, which are separated by three or more spaces.
public func packedLines(_ text: String, within width: Int) -> [String] {
  if text.displayWidth <= width { return [text] }
  let pieces = text.split(at: "   ").map(\.trimmed).filter { !$0.isEmpty }
  return filled(pieces, by: "   ", within: width).flatMap { $0.lines(within: width) }
}

/// Fills lines of at most `width` columns (at least 20); a longer word gets its own line.
public func wrapped(_ text: String, width: Int) -> [String] {
  filled(text.split(whereSeparator: \.isWhitespace).map { String($0) }, by: " ", within: max(20, width))
}

private func filled(_ pieces: [String], by gap: String, within width: Int) -> [String] {
  var (lines, used): ([String], Int) = ([], 0)
  for piece in pieces {
    let columns = piece.displayWidth
    if !lines.isEmpty, used + gap.count + columns <= width {
      lines[lines.count - 1] += gap + piece
      used += gap.count + columns
    } else {
      lines.append(piece)
      used = columns
    }
  }
  return lines
}
