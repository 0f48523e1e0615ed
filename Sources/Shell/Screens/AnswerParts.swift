// What an answer shows besides its text: cloze deletions in colour or brackets, and fields that no template names.
// Invariant: the text is the card's own; without colours only brackets are added.

import Text
import Workspace

struct AnswerParts {
  /// Ranges in the UTF-8 of the answer, in order.
  private var hidden: [Range<Int>] = []
  private var fields: [(name: String, text: String)] = []

  init() {}

  init(_ card: CardHandle, _ session: Session) throws {
    hidden = try card.hiddenParts()
    if session.preferences?.study.showsFields == true { fields = try card.unnamedFields() }
  }

  /// The plain form without colours: hidden parts are in brackets, the fields follow on separate lines.
  func inWords(_ answer: String) -> String {
    ([marked(answer)] + fields.map { "\($0.name): \($0.text)" }).joined(separator: "\n")
  }

  /// The answer as wrapped lines.
  func lines(_ answer: String, width: Int, on terminal: Terminal, _ wrapping: CardLines) -> [String] {
    if hidden.isEmpty { return wrapping.lines(of: answer, within: width) }
    guard terminal.usesColor else { return wrapping.lines(of: marked(answer), within: width) }
    let text = terminal.differentiatesWithoutColor ? marked(answer) : answer
    var marks = HiddenMarks(answer, hidden, areBracketed: terminal.differentiatesWithoutColor)
    return wrapping.lines(of: text, within: width).map { line in
      marks.runs(of: line).map { $0.isHidden ? terminal.styled($0.text, [.bold, .cyan]) : $0.text }.joined()
    }
  }

  /// The fields to show below the answer, each after its name.
  func fieldLines(width: Int, on terminal: Terminal, _ wrapping: CardLines) -> [String] {
    fields.flatMap { field in
      wrapping.lines(of: "\(field.name): \(field.text)", within: width).map { terminal.styled($0, .dim) }
    }
  }

  private func marked(_ answer: String) -> String {
    HiddenMarks.pieces(of: answer, hidden).map { $0.isHidden ? "[\($0.text)]" : $0.text }.joined()
  }
}

/// Tracks which characters of a text were hidden while its wrapped lines are processed; wrapping drops only spaces at
/// the line breaks.
private struct HiddenMarks {
  private let marks: [(scalar: Unicode.Scalar, isHidden: Bool)]
  private var next = 0

  init(_ text: String, _ hidden: [Range<Int>], areBracketed: Bool) {
    marks = HiddenMarks.pieces(of: text, hidden).flatMap { piece in
      let shown = piece.text.lines.map { printable(String($0), limit: .max) }.joined()
      let text = piece.isHidden && areBracketed ? "[\(shown)]" : shown
      return text.unicodeScalars.map { ($0, piece.isHidden) }
    }
  }

  /// Splits a line into runs that are entirely hidden or entirely visible.
  mutating func runs(of line: String) -> [(text: String, isHidden: Bool)] {
    var runs: [(text: String, isHidden: Bool)] = []
    for scalar in line.unicodeScalars {
      while next < marks.count, marks[next].scalar != scalar { next += 1 }
      let isHidden = next < marks.count && marks[next].isHidden
      next += 1
      if runs.last?.isHidden != isHidden { runs.append(("", isHidden)) }
      runs[runs.count - 1].text.unicodeScalars.append(scalar)
    }
    return runs
  }

  static func pieces(of text: String, _ hidden: [Range<Int>]) -> [(text: String, isHidden: Bool)] {
    let bytes = Array(text.utf8)
    var (pieces, start): ([(text: String, isHidden: Bool)], Int) = ([], 0)
    for range in hidden where range.lowerBound >= start && range.upperBound <= bytes.count {
      if range.lowerBound > start {
        pieces.append((String(decoding: bytes[start..<range.lowerBound], as: UTF8.self), false))
      }
      pieces.append((String(decoding: bytes[range], as: UTF8.self), true))
      start = range.upperBound
    }
    if start < bytes.count { pieces.append((String(decoding: bytes[start...], as: UTF8.self), false)) }
    return pieces
  }
}
