// Draws a study session: the card, the state of the session, the keys. Invariant: every key with an effect is on the
// screen or on its page of keys.

import Bindings
import CardDocuments
import Commands
import Decks
import Memory
import Problems
import Templates
import Text
import Workspace

extension StudyScreen {
  /// - Parameter isCleared: whether the whole screen is drawn again.
  func draw(isCleared: Bool = false) throws {
    guard try study.card() != nil else { return }
    if !redraws { return session.console.show(.lines([try plainLine()])) }
    if isCleared { screen.redrawAll(try lines()) } else { screen.show(try lines()) }
  }

  func lines() throws -> [String] { try layout()?.lines() ?? [] }

  private func layout() throws -> StudyLayout? {
    guard let card = try study.card() else { return nil }
    let record = try card.record()
    let isPaused = try !study.progress().isActive
    let isAnswered = view.isAnswerShown && !isPaused
    var layout = StudyLayout(
      terminal: terminal, name: try title(of: card, record), facts: try isSprint ? sprintFacts() : reviewFacts(),
      prompt: isPaused ? CardDrawing(plain: "(paused)") : try view.shown(of: card, on: terminal).prompt,
      answer: isAnswered ? try view.shown(of: card, on: terminal).answer : nil,
      choices: isPaused ? "any key  continue" : try StudyKeys(screen: self).all())
    if !isPaused { layout.fewChoices = try StudyKeys(screen: self).few() }
    if isAnswered { layout.fields = view.fields }
    layout.wrapping = view.wrapping
    (layout.scroll, layout.help) = (view.scroll, view.isHelpShown ? help : nil)
    layout.notice = view.notice
    if isPaused { return layout }
    layout.typed = typedLines(width: max(8, layout.textWidth))
    (layout.pictures, layout.picture) = try pictures(of: card, isAnswered: isAnswered, in: layout)
    return layout
  }

  /// The title: the deck (the card's own when several are studied together), and the card's flag.
  private func title(of card: CardHandle, _ record: CardRecord) throws -> String {
    let name = study.options.moreDecks.isEmpty ? name : try card.deck().record().name
    guard record.flag > 0, record.flag < CardHiding.flagNames.count else { return name }
    return "\(name)  \(terminal.usesUnicode ? "⚑ " : "flag ")\(CardHiding.flagNames[record.flag])"
  }

  var flagQuestion: String {
    "Flag:   "
      + CardHiding.flagNames.enumerated().dropFirst().map { "\($0.offset) \($0.element)" }.joined(separator: "   ")
      + "   0 none"
  }

  /// What is said of a card that its note no longer makes, and that shows little or nothing; empty for others.
  var unmadeNotice: String {
    get throws {
      guard try study.card()?.isUnmade() == true else { return "" }
      let notice = "This card is no longer made by its note; `doctor --mend cards` removes such cards."
      if !redraws { session.console.note(notice) }
      return notice
    }
  }

  /// Scrolls the texts by lines or pages.
  /// - Returns: false when everything is already visible.
  func scroll(_ key: Key) throws -> Bool {
    guard let layout = try layout(), layout.deepest > 0 else { return false }
    switch key {
    case .up: view.scroll -= 1
    case .down: view.scroll += 1
    case .pageUp: view.scroll -= layout.page
    case .pageDown: view.scroll += layout.page
    case .home: view.scroll = 0
    default: view.scroll = layout.deepest
    }
    view.scroll = min(max(0, view.scroll), layout.deepest)
    return true
  }

  func showAnswer() throws {
    if view.isAnswerShown { return }
    if view.question != nil, !view.typed.trimmed.isEmpty {
      do { view.given = try study.give(view.typed) } catch let problem as WorkspaceError {
        (view.notice, view.typed) = (problem.message, "")
        if !redraws { session.console.show([problem.message.asSentence]) }
        return
      }
    }
    view.isAnswerShown = true
    if session.preferences?.study.showsFields == true { view.fields = try study.card()?.unnamedFields() ?? [] }
    view.scroll = redraws ? try layout()?.answerStart ?? 0 : 0
    try autoplay()
  }

  /// The text being typed below what there is to choose from, or what was given beside the right answer; marks below it
  /// show what the colours show.
  private func typedLines(width: Int) -> [String] {
    guard view.isAnswerShown else {
      let options = (view.question?.options ?? []).enumerated().map { "\($0 + 1) \(printable($1, limit: 500))" }
      guard view.isTyping else { return options.flatMap { $0.lines(within: width) } }
      // Typing happens at the end, so the end is shown.
      var shown = printable(String(view.typed.suffix(width)), limit: .max)
      while shown.displayWidth > width - 3 { shown.removeFirst() }
      return packedLines(options.joined(separator: "   "), within: width)
        + ["> " + shown + (terminal.usesUnicode ? "▏" : "_")]
    }
    guard let given = view.given else { return [] }
    let signs = terminal.usesUnicode ? ["✗ ", "≈ ", "✓ "] : ["x ", "~ ", "+ "]
    let sign = given.rating.map { signs[min(2, Int($0.rawValue) - 1)] } ?? "  "
    let isRight = given.words.allSatisfy { $0.mark == .right }
    let rows = { (words: [WordComparison.Word], wrong: Style, text: (WordComparison.Word) -> String) in
      let runs = words.map { [StyledRun(printable(text($0), limit: 500), $0.mark == .right ? .green : wrong)] }
      return Array(runs.joined(separator: [StyledRun(" ")])).lines(within: width - 2)
    }
    var lines: [String] = []
    for row in rows(given.words, .red, { $0.given.isEmpty ? "-" : $0.given }) {
      lines.append((lines.isEmpty ? sign : "  ") + terminal.styled(row))
      if isRight { continue }
      let marks = row.map { String(repeating: $0.style == .red ? "^" : " ", count: $0.text.displayWidth) }
      lines.append("  " + marks.joined())
    }
    if !isRight {
      lines += rows(given.words.filter { $0.mark != .extra }, .bold, \.expected).map { "  " + terminal.styled($0) }
    }
    return lines + printable(given.feedback, limit: 500).lines(within: width)
  }

  /// Whether the masks of the picture on the answer can be taken off, and put back.
  var canBeBared: Bool { view.isAnswerShown && view.drawn?.masked?.canBeBared == true }

  var hint: String {
    if !view.isAnswerShown {
      return "Enter  show the answer    u undo   e edit   ? more" + (isSprint ? "   p pause   q quit" : "")
    }
    return isSprint
      ? "w wrong    r right    u undo   e edit   ? more   p pause   q quit"
      : "again, hard, good or easy?    u undo   q quit"
  }

  /// Every key with its action.
  var help: [String] {
    let answers =
      isSprint
      ? ["r, 2, right  it was right", "w, 1, left  it was wrong"]
      : [
        "1, left  again: not known", "2  hard: known with effort", "3, right  good: known", "4  easy: known at once",
        "s  suspend the card", "b  bury it until tomorrow", "f  flag it", "r  replay its sound",
      ]
    return ["Enter  show the answer"] + answers + [
      "h  open the hint", "u  undo the last step", "e  edit the card", "m  take the masks off a picture", "p  pause",
      "up, down  scroll", "q  quit",
    ]
  }

  private func sprintFacts() throws -> [String] {
    let seconds = Int((try study.timeRemaining() ?? 0).rounded(.up))
    let clock = "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + String(seconds % 60)
    let (right, wrong) = terminal.usesUnicode ? ("✓", "✗") : ("right", "wrong")
    let words = terminal.differentiatesWithoutColor && terminal.usesUnicode ? (" right", " wrong") : ("", "")
    let progress = try study.progress()
    let (rights, wrongs) = (terminal.grouped(progress.right), terminal.grouped(progress.wrong))
    let score = "\(right) \(rights)\(words.0)  \(wrong) \(wrongs)\(words.1)"
    return ["\(terminal.counted(progress.remaining, "card")) · \(score) · \(clock)", "\(score) · \(clock)", clock]
  }

  private func reviewFacts() throws -> [String] {
    let (counts, progress) = (try study.counts(), try study.progress())
    let answered = progress.right + progress.wrong
    let part = Double(answered) / Double(max(1, answered + progress.remaining))
    let width = 14
    let filled = Int((part * Double(width)).rounded(.down))
    let (full, empty) = terminal.usesUnicode ? ("▓", "░") : ("#", ".")
    let bar = String(repeating: full, count: filled) + String(repeating: empty, count: width - filled)
    let waiting = "\(terminal.grouped(counts.due)) due · \(terminal.grouped(counts.new)) new"
    let percent = "\(Int(part * 100)) %"
    let goal = self.goal.map { ["\(GoalWords(terminal).short($0)) · \(waiting) · \(percent)"] } ?? []
    return goal + ["\(waiting) · \(bar) \(percent)", "\(waiting) · \(percent)", waiting, percent]
  }

  /// The output without redrawing: the prompt, then the answer with the question, one line each.
  private func plainLine() throws -> String {
    guard let card = try study.card() else { return "" }
    let progress = try study.progress()
    if !progress.isActive, !progress.isOver {
      return "Paused; any \(terminal.hasKeyboard ? "key" : "line") continues."
    }
    let enter = view.proposed.map { " Enter means \($0.name)." } ?? ""
    let question = isSprint ? "Right or wrong?" : "Again, hard, good, or easy?" + enter
    if view.isAnswerShown {
      let fields = view.fields.map { "\n\($0.name): \($0.text)" }.joined()
      let answer = (try view.shown(of: card, on: terminal).answer.words + fields).asSentence
      let document = try card.document()?.document()
      let picture = document.map { $0.content.summary + " " } ?? ""
      return "\(comparisonInWords)\(answer) \(picture)\(question)"
    }
    let options = (view.question?.options ?? []).enumerated().map { "\($0 + 1) \($1)" }
    let parts = [try view.shown(of: card, on: terminal).prompt.words] + options + [view.openedHint]
    let prompt = parts.filter { !$0.isEmpty }.map(\.asSentence).joined(separator: " ")
    guard terminal.usesScreenReader else { return prompt }
    let answered = progress.right + (isSprint ? 0 : progress.wrong)
    let number = "Card \(terminal.grouped(answered + 1)) of \(terminal.grouped(answered + progress.remaining))"
    return "\(number). \(prompt)"
  }

  /// What was given, beside what is right, as text: for output without redrawing.
  private var comparisonInWords: String {
    guard let given = view.given else { return "" }
    let wrong = given.words.enumerated().filter { $0.element.mark != .right }.map { place, word in
      "Word \(place + 1)"
        + (word.given.isEmpty
          ? " is missing: \(word.expected)."
          : word.expected.isEmpty ? " is too much: \(word.given)." : ": \(word.given); right is \(word.expected).")
    }
    let typed = given.words.map(\.given).joined(separator: " ")
    let all = (wrong.isEmpty && !typed.isEmpty ? ["\(typed): right."] : wrong) + [given.feedback]
    return all.filter { !$0.isEmpty }.map { $0.inOneLine + " " }.joined()
  }

  private static let mostPictures = 2

  /// The lines of the pictures, by their marks in the texts, and of what is below the texts; made once for each side of
  /// a card.
  /// - Parameter layout: gives the available rows, including an empty line above what is below.
  func pictures(
    of card: CardHandle, isAnswered: Bool, in layout: StudyLayout
  ) throws -> (placed: [String: [String]], below: [String]) {
    if let known = view.picture, known.card === card, known.isAnswered == isAnswered { return known.drawn }
    let document = isAnswered ? try card.document()?.document() : nil
    let rows = layout.pictureRoom
    if let masked = try view.sides(of: card, on: terminal).masked {
      let picture = terminal.canRedraw && terminal.usesColor ? DocumentPicture(session, rows: rows - 1) : nil
      let lines = picture?.lines(
        ofMedia: masked.name, of: view.isBare ? nil : masked, isFront: !isAnswered, in: study.workspace)
      let below = lines.map { $0.isEmpty ? [] : [""] + $0 } ?? []
      view.picture = (card, isAnswered, ([:], below))
      return ([:], below)
    }
    let placed = try media(of: card, isAnswered: isAnswered, rows: document == nil ? rows : rows / 2)
    let used = placed.values.reduce(0) { $0 + $1.count }
    let drawn = (placed, try document.map { try self.drawn($0, rows: rows - used, layout) } ?? [])
    view.picture = (card, isAnswered, drawn)
    return drawn
  }

  private func media(of card: CardHandle, isAnswered: Bool, rows: Int) throws -> [String: [String]] {
    guard terminal.canRedraw, terminal.usesColor else { return [:] }
    let media = try card.media()
    let front = try study.workspace.media.known(media: media.promptPictures)
    let back =
      isAnswered ? try study.workspace.media.known(media: media.answerPictures).filter { !front.contains($0) } : []
    // At least one picture of the side being looked at is shown.
    let before = front.prefix(back.isEmpty ? Self.mostPictures : Self.mostPictures - 1)
    let shown = before + back.prefix(Self.mostPictures - before.count)
    let picture = DocumentPicture(session, rows: rows / max(1, shown.count) - 1)
    var drawn: [String: [String]] = [:]
    for name in shown {
      let lines = picture.lines(ofMedia: name, of: nil, isFront: true, in: study.workspace)
      if !lines.isEmpty { drawn[CardDrawing.mark(ofPicture: name)] = lines }
    }
    return drawn
  }

  /// The document of a card, drawn as by `doc show`; as text when the terminal shows no pictures.
  private func drawn(_ document: StoredDocument, rows: Int, _ layout: StudyLayout) throws -> [String] {
    let lines = try DocumentPicture(session, rows: rows - 1).lines(of: document)
    return [""] + (lines.isEmpty ? layout.indented(document.content.summary) : lines)
  }
}

extension String {
  fileprivate var inOneLine: String { printable(lines.filter { !$0.isEmpty }.joined(separator: " / "), limit: .max) }

  /// The text in one line, with a full stop if it has no end mark of its own.
  var asSentence: String {
    let line = inOneLine
    return line.unicodeScalars.last?.endsSentence == true ? line : line + "."
  }
}

/// Formats a length of time for a button: `10 min`, `5 d`, `1.2 y`.
func span(_ seconds: Double) -> String {
  switch seconds {
  case ..<3600: "\(max(1, Int((seconds / 60).rounded()))) min"
  case ..<86_400: "\(Int((seconds / 3600).rounded())) h"
  case ..<(365 * 86_400): "\(Int((seconds / 86_400).rounded())) d"
  default: "\((seconds / 31_557_600 * 10).rounded() / 10) y"
  }
}
