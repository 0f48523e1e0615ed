// Determines which lines of Markdown belong to a card.

enum MarkdownCardLines {
  /// Returns the line after the last line of a card: that of the next card, or of a heading or rule without a card.
  /// - Parameters:
  ///   - start: the card's first line, from 1.
  ///   - next: the first line of the next card, or the line after the last one.
  static func end(from start: Int, before next: Int, line: (Int) -> Substring) -> Int {
    var fence = MarkdownFence()
    let isParagraph =
      switch MarkdownLine(line(start)) {
      case .heading, .question: false
      default: true
      }
    for number in start + 1..<max(next, start + 1) {
      let text = line(number)
      if fence.holds(text) { continue }
      switch MarkdownLine(text) {
      case .heading, .question, .rule: return number
      case .blank where isParagraph: return number
      case .text where isParagraph && MarkdownCards.listMark(text) > 0: return number
      default: break
      }
    }
    return next
  }
}
