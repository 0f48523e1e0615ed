// Lays out a card on the study screen: header, prompt, answer and picture, and the keys. Invariant: all texts can be
// seen on a terminal of any size: what does not fit scrolls, and a line says so.

import Decks
import Memory
import Templates
import Text
import Workspace

struct StudyLayout {
  let terminal: Terminal
  let name: String
  /// Descriptions of the session's state, longest first: the first one that leaves room for the name is shown.
  let facts: [String]
  let prompt: CardDrawing
  /// Nil until it is shown.
  let answer: CardDrawing?
  /// The fields below the answer.
  var fields: [(name: String, text: String)] = []
  var wrapping = CardLines()
  /// The pictures that are drawn in place of their marks, each as lines that are ready to be drawn.
  var pictures: [String: [String]] = [:]
  /// Lines below the texts, ready to be drawn.
  var picture: [String] = []
  /// The text being typed, or the typed answer beside the right one, ready to be drawn.
  var typed: [String] = []
  /// The available keys: lines of items separated by three or more spaces.
  let choices: String
  /// The most important keys in one line, longest first, for a screen that is low.
  var fewChoices: [String] = []
  /// Shown in place of the card: one line per key with its action.
  var help: [String]?
  /// The result of the last action, or a question.
  var notice = ""
  /// How many lines of the texts are scrolled above the screen.
  var scroll = 0

  private var width: Int { ScreenParts.width(on: terminal) }
  private var indent: Int { width < 60 ? 2 : 8 }
  var textWidth: Int { max(8, width - indent - 2) }
  private var allKeys: [String] {
    guard ScreenParts.isLow(terminal), let last = fewChoices.last else {
      return ScreenParts(keys: choices).keyLines(on: terminal)
    }
    let few = fewChoices.first { $0.displayWidth <= width - 4 } ?? last
    return ["   " + terminal.styled(few.cut(to: max(8, width - 4)), .dim)]
  }
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
  var answerStart: Int { plainWords.count <= room ? 0 : min(deepest, placed(prompt).count + (room < 3 ? 1 : 0)) }
  /// The number of lines left for pictures; when that is too few to see anything, the lines of a screen without texts.
  var pictureRoom: Int {
    let left = room - plainWords.count
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
    let hint = [isLow && keys.isEmpty ? "?  keys" : "", place].filter { !$0.isEmpty }.joined(separator: "   ")
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

  /// The texts with the pictures that stand in them.
  private var words: [String] {
    let prompt = placed(prompt)
    let typed = self.typed.map { spaces(indent) + $0 }
    guard let answer else { return prompt + (typed.isEmpty ? [] : [""] + typed) }
    let widest = rows(self.prompt).map(\.text.displayWidth).max() ?? 0
    let rule = String(repeating: terminal.usesUnicode ? "─" : "-", count: max(3, min(40, textWidth, widest)))
    let below = fields.flatMap { field in
      rows(CardDrawing(plain: "\(field.name): \(field.text)")).map { spaces(indent) + terminal.styled($0.text, .dim) }
    }
    return prompt + [spaces(indent) + rule] + typed + placed(answer) + (below.isEmpty ? [] : [""] + below)
  }

  private var plainWords: [String] {
    var layout = self
    layout.pictures = [:]
    return layout.words
  }

  private func rows(_ drawing: CardDrawing) -> [[StyledRun]] { wrapping.rows(of: drawing, within: textWidth) }

  /// The lines of a side; below each line the pictures whose marks it has.
  private func placed(_ drawing: CardDrawing) -> [String] {
    rows(drawing).flatMap { row -> [String] in
      let drawn = row.compactMap { pictures[$0.text] }
      let text = row.filter { pictures[$0.text] == nil }
      let isGone = !drawn.isEmpty && text.allSatisfy { $0.text.trimmed.isEmpty }
      return (isGone ? [] : [(spaces(indent) + terminal.styled(text)).withoutTrailingSpaces]) + drawn.flatMap { $0 }
    }
  }

  /// A text as lines below the card's own.
  func indented(_ text: String) -> [String] { rows(CardDrawing(plain: text)).map { spaces(indent) + $0.text } }

  private var header: String { ScreenParts(title: printable(name), facts: facts).titleLine(on: terminal) }
  private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}

/// The lines of drawings. They are cached, because each key draws the screen again, and a text may have a megabyte.
final class CardLines {
  private static let most = 16
  private var known: [(drawing: CardDrawing, width: Int, rows: [[StyledRun]])] = []

  func rows(of drawing: CardDrawing, within width: Int) -> [[StyledRun]] {
    if let found = known.first(where: { $0.width == width && $0.drawing == drawing }) { return found.rows }
    let rows = drawing.rows(within: width)
    known.append((drawing, width, rows))
    if known.count > Self.most { known.removeFirst() }
    return rows
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
  /// The sides of the card; nil before they are drawn.
  var drawn: DrawnSides?
  private var opensHints = false
  /// The hint of an exercise, once it was opened.
  private(set) var openedHint = ""
  /// The fields below the answer.
  var fields: [(name: String, text: String)] = []
  let wrapping = CardLines()
  /// What the card asks; nil if it is only to be recalled.
  var question: CardQuestion?
  /// What an exercise proposes; again, where it was given nothing.
  var proposed: Rating? {
    let isAsked = question.map { $0.exercise != nil && $0.input != .none } ?? false
    return isAsked && given == nil ? .again : given?.rating
  }
  /// Whether keys are the letters of an answer.
  var isTyping: Bool { !isAnswerShown && question.map { $0.input == .text || $0.input == .order } ?? false }
  /// The text typed so far, or the number of what was chosen.
  var typed = ""
  /// What that is worth, once the answer is shown.
  var given: GivenResult?
  var mistyped: String? { question?.exercise == nil && given?.rating == .again ? typed : nil }
  /// The result of the last action, until the next key.
  var notice = ""
  /// How many lines of the card's texts, or of the page of keys, are scrolled above the screen.
  var scroll = 0
  /// The scroll offset of the texts while the page of keys is shown.
  var scrollBefore = 0
  /// The pictures of a card: drawn only once, although the clock redraws the screen.
  var picture: (card: CardHandle, isAnswered: Bool, drawn: (placed: [String: [String]], below: [String]))?
  /// Whether the answer's picture is shown without its masks.
  var isBare = false
  /// The time when the card was shown, to measure how long the answer took.
  var shownSince = 0.0

  /// The sides of the card, drawn once until it changes or a hint is opened.
  mutating func sides(of card: CardHandle, on terminal: Terminal) throws -> DrawnSides {
    if let drawn { return drawn }
    var options = terminal.drawing
    options.opensHints = opensHints
    let sides = try card.drawn(options)
    drawn = sides
    return sides
  }

  /// The sides of the card, or what its exercise shows instead.
  mutating func shown(of card: CardHandle, on terminal: Terminal) throws -> (prompt: CardDrawing, answer: CardDrawing) {
    let own = try sides(of: card, on: terminal)
    guard let question, question.exercise != nil else { return (own.prompt, own.answer) }
    let reveal = question.text("reveal").map { CardDrawing(plain: $0) }
    return (CardDrawing(plain: question.text("prompt") ?? "Listen."), reveal ?? own.answer)
  }

  /// Whether a side that is shown has a hint.
  var hasHint: Bool {
    question?.text("hint") != nil || drawn?.prompt.hasHints == true || isAnswerShown && drawn?.answer.hasHints == true
  }

  /// Opens or closes the hints of the card.
  mutating func toggleHint() {
    if let hint = question?.text("hint") {
      return (notice, openedHint) = (hint.replacing(text: "\n", with: " / "), hint)
    }
    guard hasHint else { return notice = "This card has no hint." }
    (opensHints, drawn) = (!opensHints, nil)
  }
}

/// The keys that a session offers now; in a review with the time until the card would come back.
struct StudyKeys {
  private static let marks = "s suspend   b bury   f flag   r replay   p pause   q quit"

  let screen: StudyScreen
  private var view: StudyView { screen.view }
  private var opening: String { view.hasHint ? "h hint   " : "" }
  private var showsIntervals: Bool { screen.session.preferences?.study.showsIntervals ?? true }

  func all() throws -> String {
    if view.asksFlag { return screen.flagQuestion }
    if view.isTyping, let question = view.question {
      let again = question.text("say") ?? question.sound == nil ? "" : "    Ctrl-R listen"
      let enter = question.options.isEmpty ? "show the answer beside what you type" : "the numbers in order, as 3 1 2"
      return "Enter  \(enter)\(again)\(question.text("hint") == nil ? "" : "    Tab hint")    Esc quit"
    }
    guard view.isAnswerShown, !screen.isSprint else {
      let count = view.question?.options.count ?? 0
      return (count > 0 ? "1-\(count) choose   " : "") + opening + screen.hint
        + (screen.isSprint ? "" : "\n" + Self.marks)
    }
    let ratings = try ratings(withIntervals: showsIntervals).joined(separator: "    ")
    return (view.proposed.map { "Enter \($0.name)    " } ?? "") + ratings
      + "        \(opening)u undo   e edit   ? more\n" + Self.marks
      + (screen.canBeBared ? "   m masks" : "")
  }

  /// The most important keys in one line, longest first.
  func few() throws -> [String] {
    if view.asksFlag || view.isTyping { return [] }
    guard view.isAnswerShown else {
      return ["Enter  show the answer   \(opening)? keys", "Enter answer   \(opening)?"]
    }
    if screen.isSprint { return ["w wrong   r right   ? keys"] }
    let long = try ratings(withIntervals: showsIntervals).joined(separator: "   ") + "   \(opening)? keys"
    return [long] + (try ["   ", "  "].map { try ratings(withIntervals: false).joined(separator: $0) + $0 + "?" })
  }

  private func ratings(withIntervals: Bool) throws -> [String] {
    let known = try screen.study.choices(seconds: screen.secondsSoFar)
    if known.isEmpty { return Rating.allCases.map { "\($0.rawValue) \($0.name)" } }
    return known.map { choice in
      "\(choice.rating.rawValue) \(choice.rating.name)" + (withIntervals ? " " + span(choice.interval) : "")
    }
  }
}
