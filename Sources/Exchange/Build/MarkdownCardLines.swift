// Determines which lines of Markdown belong to a card.

enum MarkdownCardLines {
  /// Returns the line after the last line of a card: that of the next card, or of a heading or rule without a card.
  /// - Parameters:
  ///   - start: the card's first line, from 1.
  ///   - next: the first line of the next card, or the line after the last one.
  static func end(from start: Int, before next: Int, line: (Int) -> Substring) -> Int {
    var fence = MarkdownFence()
    let mark = underline(from: start, before: next, line: line)
    let isParagraph =
      switch MarkdownLine(line(start)) {
      case .heading, .question, .gaps: false
      default: mark == nil
      }
    var paragraph: Int?
    for number in (mark ?? start) + 1..<max(next, (mark ?? start) + 1) {
      let text = line(number)
      if fence.holds(text) { continue }
      switch MarkdownLine(text) {
      case .heading, .question, .gaps: return number
      case .rule: return paragraph ?? number
      case .blank where isParagraph: return number
      case .text where isParagraph && MarkdownCards.listMark(text) > 0: return number
      default: break
      }
      // A heading may follow that is underlined.
      paragraph = mark == nil || MarkdownLine(text) != .text ? nil : paragraph ?? number
    }
    return next
  }

  /// Returns the line of `=` or `-` that makes the first lines a heading.
  private static func underline(from start: Int, before next: Int, line: (Int) -> Substring) -> Int? {
    guard MarkdownLine(line(start)) == .text else { return nil }
    for number in start + 1..<max(next, start + 1) {
      if MarkdownLine.isUnderline(line(number)) {
        return MarkdownCards.canBeUnderlined((start..<number).map { String(line($0)) }) ? number : nil
      }
      guard MarkdownLine(line(number)) == .text else { return nil }
    }
    return nil
  }
}
