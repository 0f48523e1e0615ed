// How a card is laid out on the study screen: header, prompt, answer and picture, and what can be pressed. Invariant:
// all of the texts can be seen, on any size of terminal: what does not fit scrolls, and a line says so.

import Decks
import Templates
import Text
import Workspace

struct StudyLayout {
  let terminal: Terminal
  /// The name of the deck.
  let name: String
  /// The state of the session in words, the longest first: the first that leaves room for the name is shown.
  let facts: [String]
  let prompt: String
  /// Nil while it is not shown.
  let answer: String?
  /// What of it was hidden, and what stands below it.
  var answerParts = AnswerParts()
  /// Below the texts, as lines that are ready to be drawn.
  var picture: [String] = []
  /// What was typed beside the right answer, or is being typed, ready to be drawn.
  var typed: [String] = []
  /// What can be pressed: lines of pieces that stand apart by three blanks or more.
  let choices: String
  /// Stands in place of the card: a key a line, and what it does.
  var help: [String]?
  /// What was just done, or is asked.
  var notice = ""
  /// How many lines of the texts are above the screen.
  var scroll = 0

  private var width: Int { ScreenParts.width(on: terminal) }
  private var indent: Int { width < 60 ? 2 : 8 }
  var textWidth: Int { max(8, width - indent - 2) }
  private var allKeys: [String] { ScreenParts(keys: choices).keyLines(on: terminal) }
  /// What can be pressed, as far as three lines of the texts stand above it; the page of keys tells all of it.
  private var keys: [String] { isLow ? Array(allKeys.prefix(max(0, terminal.height - 1 - 2 - 3))) : allKeys }
  /// Whether the screen is too low for all of it.
  private var isLow: Bool { terminal.height < 1 + 3 + allKeys.count + 3 }

  /// Lines that there are for the texts: the screen without its last line, header, what can be pressed, and two empty
  /// lines, or one on a low screen.
  private var room: Int { max(1, terminal.height - 1 - (isLow ? 2 : 3) - keys.count) }

  /// How far the texts, or the page of keys, can be scrolled.
  var deepest: Int { help.map { max(0, packed($0).count - helpRoom) } ?? max(0, texts.count - room) }
  /// Lines that are shown at once.
  var page: Int { room }
  /// Where to scroll so that the answer is seen from its beginning: 0 when it is seen whole without.
  var answerStart: Int { words.count <= room ? 0 : min(deepest, textLines(prompt).count + (room < 3 ? 1 : 0)) }
  /// Lines that are left for pictures; where that is too little to see anything, those of a screen without texts.
  var pictureRoom: Int {
    let left = room - words.count
    return left >= 6 ? left : room
  }

  func lines() -> [String] {
    if let help { return helpLines(help) }
    let texts = texts
    let first = min(max(0, scroll), deepest)
    let shown = texts[first..<min(texts.count, first + room)]
    // The place of the answer is kept free, so that nothing jumps when it comes.
    let free = answer == nil && texts.count + 2 <= room ? ["", ""] : []
    let place = deepest == 0 ? "" : position(first, shown.count, texts.count)
    let hint = [isLow ? "?  keys" : "", place].filter { !$0.isEmpty }.joined(separator: "   ")
    var more = hint.isEmpty ? "" : blanks(3) + terminal.styled(hint.displayWidth <= width - 3 ? hint : place, .dim)
    if !notice.isEmpty { more = blanks(3) + printable(notice).cut(to: max(8, width - 3)) }
    return [header] + (isLow ? [] : [""]) + shown + free + [more] + keys
  }

  /// Lines of the page of keys.
  private var helpRoom: Int { max(1, terminal.height - 1 - 3) }

  /// A line for each key where there is room for as many, else side by side.
  private func packed(_ help: [String]) -> [String] {
    help.count <= helpRoom ? help : packedLines(help.joined(separator: "   "), within: max(8, width - 4))
  }

  private func helpLines(_ help: [String]) -> [String] {
    let lines = packed(help)
    let first = min(max(0, scroll), deepest)
    let shown = lines[first..<min(lines.count, first + helpRoom)]
    let more = deepest == 0 ? "" : "   " + position(first, shown.count, lines.count)
    return [header, ""] + shown.map { blanks(3) + $0.cut(to: max(8, width - 3)) }
      + ["", blanks(3) + terminal.styled(("any key  back" + more).cut(to: max(8, width - 3)), .dim)]
      .suffix(shown.count < helpRoom ? 2 : 1)
  }

  private func position(_ first: Int, _ count: Int, _ total: Int) -> String {
    let arrows = terminal.usesUnicode ? "↑ ↓" : "up down"
    return "\(arrows)  lines \(first + 1)-\(first + count) of \(total)".cut(to: width - 3)
  }

  private var texts: [String] { words + picture }

  /// The texts without pictures.
  private var words: [String] {
    let prompt = textLines(prompt).map { blanks(indent) + terminal.styled($0, .bold) }
    let typed = self.typed.map { blanks(indent) + $0 }
    guard let answer else { return prompt + (typed.isEmpty ? [] : [""] + typed) }
    let widest = textLines(self.prompt).map(\.displayWidth).max() ?? 0
    let rule = String(repeating: terminal.usesUnicode ? "─" : "-", count: max(3, min(40, textWidth, widest)))
    let below = answerParts.fieldLines(width: textWidth, on: terminal)
    let lines = answerParts.lines(answer, width: textWidth, on: terminal) + (below.isEmpty ? [] : [""] + below)
    return prompt + [blanks(indent) + rule] + typed + lines.map { blanks(indent) + $0 }
  }

  private func textLines(_ text: String) -> [String] { cardLines(text, within: textWidth) }

  private var header: String { ScreenParts(title: printable(name), facts: facts).titleLine(on: terminal) }

  private func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }
}

/// A card's text in lines; control characters in it are shown.
func cardLines(_ text: String, within width: Int) -> [String] {
  text.split(separator: "\n", omittingEmptySubsequences: false)
    .flatMap { printable(String($0), limit: .max).lines(within: width) }
}

/// What the screen shows beside the card itself, begun anew with each card.
struct StudyView {
  var isAnswerShown = false
  var isHelpShown = false
  /// The next key is the number of a flag.
  var asksFlag = false
  /// Of the answer that is shown.
  var answer = AnswerParts()
  /// What the card asks to be typed; nil for nothing, and once it was answered.
  var question: TypedQuestion?
  /// What was typed so far, and once the answer is shown beside it.
  var typed = ""
  var comparison: TypedComparison?
  /// What was typed and is not the answer.
  var mistyped: String? { comparison?.isRight == false ? typed : nil }
  /// What was just done, until the next key.
  var notice = ""
  /// Lines of the card's texts, or of the page of keys, that are above the screen.
  var scroll = 0
  /// Those of the texts while the page of keys is shown.
  var scrollBefore = 0
  /// The picture of a card: drawn once, though the clock redraws the screen.
  var picture: (card: CardHandle, isAnswered: Bool, lines: [String])?
  /// When the card was shown, for how long the answer took.
  var shownSince = 0.0
}
