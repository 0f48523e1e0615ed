// Lays out a card on the study screen: header, prompt, answer and picture, and the keys. Invariant: all texts can be
// seen on a terminal of any size: what does not fit scrolls, and a line says so.

import Templates
import Text
import Workspace

struct StudyLayout {
  let terminal: Terminal
  let name: String
  /// Descriptions of the session's state, longest first: the first one that leaves room for the name is shown.
  let facts: [String]
  let prompt: String
  /// Nil until it is shown.
  let answer: String?
  /// The cloze deletions in the answer, and the fields below it.
  var answerParts = AnswerParts()
  var wrapping = CardLines()
  /// Lines below the texts, ready to be drawn.
  var picture: [String] = []
  /// The text being typed, or the typed answer beside the right one, ready to be drawn.
  var typed: [String] = []
  /// The available keys: lines of items separated by three or more spaces.
  let choices: String
  /// Shown in place of the card: one line per key with its action.
  var help: [String]?
  /// The result of the last action, or a question.
  var notice = ""
  /// How many lines of the texts are scrolled above the screen.
  var scroll = 0

  private var width: Int { ScreenParts.width(on: terminal) }
  private var indent: Int { width < 60 ? 2 : 8 }
  var textWidth: Int { max(8, width - indent - 2) }
  private var allKeys: [String] { ScreenParts(keys: choices).keyLines(on: terminal) }
  /// The lines of keys that leave room for three lines of text; the page of keys lists all of them.
  private var keys: [String] { isLow ? Array(allKeys.prefix(max(0, terminal.height - 1 - 2 - 3))) : allKeys }
  /// Whether the screen is too low for everything.
  private var isLow: Bool { terminal.height < 1 + 3 + allKeys.count + 3 }

  /// The number of lines for the texts: the screen without its last line, header, keys and one or two empty lines.
  private var room: Int { max(1, terminal.height - 1 - (isLow ? 2 : 3) - keys.count) }

  /// The maximum scroll offset of the texts or the page of keys.
  var deepest: Int { help.map { max(0, packed($0).count - helpRoom) } ?? max(0, texts.count - room) }
  /// The number of lines shown at once.
  var page: Int { room }
  /// The scroll offset that shows the answer from its start; 0 when everything fits without scrolling.
  var answerStart: Int { words.count <= room ? 0 : min(deepest, textLines(prompt).count + (room < 3 ? 1 : 0)) }
  /// The number of lines left for pictures; when that is too few to see anything, the lines of a screen without texts.
  var pictureRoom: Int {
    let left = room - words.count
    return left >= 6 ? left : room
  }

  func lines() -> [String] {
    if let help { return helpLines(help) }
    // The terminal may be resized at any time, so its size is not asked for again.
    let texts = texts
    let room = room
    let first = min(max(0, scroll), max(0, texts.count - room))
    let shown = texts[first..<min(texts.count, first + room)]
    // Space for the answer is reserved, so that nothing moves when it appears.
    let free = answer == nil && texts.count + 2 <= room ? ["", ""] : []
    let place = texts.count <= room ? "" : position(first, shown.count, texts.count)
    let hint = [isLow ? "?  keys" : "", place].filter { !$0.isEmpty }.joined(separator: "   ")
    var more = hint.isEmpty ? "" : spaces(3) + terminal.styled(hint.displayWidth <= width - 3 ? hint : place, .dim)
    if !notice.isEmpty { more = spaces(3) + printable(notice).cut(to: max(8, width - 3)) }
    return [header] + (isLow ? [] : [""]) + shown + free + [more] + keys
  }

  /// The number of lines for the page of keys.
  private var helpRoom: Int { max(1, terminal.height - 1 - 3) }

  /// One line per key if there is room, else packed side by side.
  private func packed(_ help: [String]) -> [String] {
    help.count <= helpRoom ? help : packedLines(help.joined(separator: "   "), within: max(8, width - 4))
  }

  private func helpLines(_ help: [String]) -> [String] {
    let lines = packed(help)
    let room = helpRoom
    let first = min(max(0, scroll), max(0, lines.count - room))
    let shown = lines[first..<min(lines.count, first + room)]
    let more = lines.count <= room ? "" : "   " + position(first, shown.count, lines.count)
    return [header, ""] + shown.map { spaces(3) + $0.cut(to: max(8, width - 3)) }
      + ["", spaces(3) + terminal.styled(("any key  back" + more).cut(to: max(8, width - 3)), .dim)]
      .suffix(shown.count < room ? 2 : 1)
  }

  private func position(_ first: Int, _ count: Int, _ total: Int) -> String {
    let arrows = terminal.usesUnicode ? "↑ ↓" : "up down"
    let lines = "\(terminal.grouped(first + 1))-\(terminal.grouped(first + count)) of \(terminal.grouped(total))"
    return "\(arrows)  lines \(lines)".cut(to: width - 3)
  }

  private var texts: [String] { words + picture }

  /// The texts without pictures.
  private var words: [String] {
    let prompt = textLines(prompt).map { spaces(indent) + terminal.styled($0, .bold) }
    let typed = self.typed.map { spaces(indent) + $0 }
    guard let answer else { return prompt + (typed.isEmpty ? [] : [""] + typed) }
    let widest = textLines(self.prompt).map(\.displayWidth).max() ?? 0
    let rule = String(repeating: terminal.usesUnicode ? "─" : "-", count: max(3, min(40, textWidth, widest)))
    let below = answerParts.fieldLines(width: textWidth, on: terminal, wrapping)
    let lines = answerParts.lines(answer, width: textWidth, on: terminal, wrapping)
    return prompt + [spaces(indent) + rule] + typed
      + (lines + (below.isEmpty ? [] : [""] + below)).map { spaces(indent) + $0 }
  }

  /// A text as lines below the card's own.
  func indented(_ text: String) -> [String] { textLines(text).map { spaces(indent) + $0 } }

  private func textLines(_ text: String) -> [String] { wrapping.lines(of: text, within: textWidth) }
  private var header: String { ScreenParts(title: printable(name), facts: facts).titleLine(on: terminal) }
  private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}

/// Wraps the texts of a card into lines, with control characters made visible. The lines are cached, because each key
/// draws the screen again, and a text may have a megabyte.
final class CardLines {
  private static let most = 16
  private var known: [(text: String, width: Int, lines: [String])] = []

  func lines(of text: String, within width: Int) -> [String] {
    if let found = known.first(where: { $0.width == width && $0.text == text }) { return found.lines }
    let lines = text.lines.flatMap { printable(String($0), limit: .max).lines(within: width) }
    known.append((text, width, lines))
    if known.count > Self.most { known.removeFirst() }
    return lines
  }
}

/// The screen's state besides the card itself, reset for each card.
struct StudyView {
  var isAnswerShown = false
  var isHelpShown = false
  /// Whether the next key is the number of a flag.
  var asksFlag = false
  /// Whether the next key is for the page of keys or the number of a flag, not for the card.
  var isCovered: Bool { isHelpShown || asksFlag }
  var answer = AnswerParts()
  let wrapping = CardLines()
  /// The answer that the card asks the user to type; nil when there is none or it was already answered.
  var question: TypedQuestion?
  /// The text typed so far; after the answer is shown, it is displayed beside it.
  var typed = ""
  var comparison: TypedComparison?
  var mistyped: String? { comparison?.isRight == false ? typed : nil }
  /// The result of the last action, until the next key.
  var notice = ""
  /// How many lines of the card's texts, or of the page of keys, are scrolled above the screen.
  var scroll = 0
  /// The scroll offset of the texts while the page of keys is shown.
  var scrollBefore = 0
  /// The pictures of a card: drawn only once, although the clock redraws the screen.
  var picture: (card: CardHandle, isAnswered: Bool, lines: [String])?
  /// Whether the answer's picture is shown without its masks.
  var isBare = false
  /// The time when the card was shown, to measure how long the answer took.
  var shownSince = 0.0
}

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

/// Tracks which characters of a text were hidden over its wrapped lines; wrapping drops only spaces at breaks.
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
