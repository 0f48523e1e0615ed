// Shows a text in pages with its unknown words marked; the user can look them up and change what is known word by word.
// Invariant: a word's mark is a character as well as a colour; each change is one undo step; the place is saved.

import Authentication
import Language
import Lexicon
import Text
import Workspace

final class ReadingScreen {
  private let session: Session
  private let text: TextHandle
  private let deck: String
  private var view: TextView
  private var first: Int
  /// The number of the first sentence's lines that are on earlier pages, when it is longer than a page.
  private var skipped = 0
  /// The index of the selected word's token.
  private var cursor: Int?
  private var alert: [String] = []
  /// Whether a low screen shows all keys.
  private var showsKeys = false
  /// The position last printed when output is not redrawn, as for a screen reader; then only changes are printed.
  private var printed: (first: Int, cursor: Int?)?

  /// - Parameter deck: the deck for cards of words.
  init(_ session: Session, _ text: TextHandle, deck: String) throws {
    (self.session, self.text, self.deck) = (session, text, deck)
    view = try text.view()
    first = min(try text.savedPlace(), max(0, text.text.sentences.count - 1))
    cursor = nil
    moveCursor(from: tokens(of: first).lowerBound - 1, by: 1)
  }

  private var terminal: Terminal { session.console.terminal }
  private var index: TextIndex { text.text }
  private func tokens(of sentence: Int) -> Range<Int> { index.tokenRange(of: index.sentences[sentence]) }

  func run() throws {
    _ = try KeyScreen(session: session).run(showing: lines) { event -> KeyOutcome<Bool> in
      switch event {
      case .key(let key): try handle(key)
      case .line(let line):
        guard let first = line.first else {
          try handle(.enter)
          break
        }
        if first == "q" { return .ends(true) }
        try handle(.character(first))
      default: break
      }
      if case .key(.character("q")) = event { return .ends(true) }
      return .continues
    }
    // A user who left at the password of the idle lock is signed out.
    if !session.auth.needsAuthentication { try text.savePlace(first) }
  }

  private func handle(_ key: Key) throws {
    alert = []
    switch key {
    case .character("n"), .tab, .right, .down: moveCursor(from: cursor ?? shownTokens.lowerBound - 1, by: 1)
    case .character("p"), .left, .up: moveCursor(from: cursor ?? shownTokens.lowerBound, by: -1)
    case .character(" "), .pageDown: turnForward()
    case .character("b"), .pageUp: turnBack()
    case .home: turn(to: 0)
    case .character("?"): showsKeys.toggle()
    case .enter, .character("m"): try showMeaning()
    case .character("k"): try list(as: .known)
    case .character("i"): try list(as: .ignored)
    case .character("c"): try makeCard()
    default: break
    }
  }

  /// Moves to the next or previous unknown word, turning the page if necessary.
  private func moveCursor(from token: Int, by step: Int) {
    var place = token + step
    while index.tokens.indices.contains(place) {
      if view.state(of: index.tokens[place])?.isMissing == true { return select(place) }
      place += step
    }
    alert = [step > 0 ? "No next unknown word." : "No previous unknown word."]
  }

  /// Selects a word and turns to its page, unless it is on this one.
  private func select(_ token: Int) {
    cursor = token
    let sentence = index.sentence(ofToken: token)
    if sentence < first || sentence >= end { (first, skipped) = (sentence, 0) }
    if sentence == first { skipped = pageStart(ofLine: broken(first).places[token - tokens(of: first).lowerBound]) }
  }

  /// - Parameter skipping: the number of the sentence's lines that are on earlier pages.
  private func turn(to sentence: Int, skipping lines: Int = 0) {
    guard index.sentences.indices.contains(sentence) else {
      alert = ["The text ends here."]
      return
    }
    (first, skipped) = (sentence, lines)
    cursor = shownTokens.first { view.state(of: index.tokens[$0])?.isMissing == true }
  }

  private func turnForward() {
    if skipped + room < broken(first).lines.count { turn(to: first, skipping: skipped + room) } else { turn(to: end) }
  }

  private func turnBack() {
    if skipped > 0 { return turn(to: first, skipping: max(0, skipped - room)) }
    var (sentence, used) = (first, 0)
    while sentence > 0 {
      let lines = broken(sentence - 1).lines.count
      used += lines
      if used > room, sentence < first { break }
      sentence -= 1
      // Turns to the last part of a sentence that is longer than a page.
      if lines > room { return turn(to: sentence, skipping: (lines - 1) / room * room) }
    }
    turn(to: sentence)
  }

  /// The first line of the page that contains a line of the sentence: only a sentence longer than a page has several.
  private func pageStart(ofLine line: Int) -> Int { broken(first).lines.count > room ? line / room * room : 0 }

  private var shownTokens: Range<Int> {
    let (all, places) = (tokens(of: first), broken(first).places)
    let start = all.lowerBound + (places.firstIndex { $0 >= skipped } ?? places.count)
    if let next = places.firstIndex(where: { $0 >= skipped + room }) { return start..<all.lowerBound + next }
    return start..<max(start, tokens(of: max(first, min(end, index.sentences.count) - 1)).upperBound)
  }

  private func lemma() -> UInt32? { cursor.flatMap { view.lemma(of: index.tokens[$0]) } }

  private func showMeaning() throws {
    guard let cursor, let lemma = lemma() else { return alert = ["No word is marked."] }
    let word = try text.minedWord(lemma, inSentence: index.sentence(ofToken: cursor))
    let heading = printable(word.lemma) + (word.reading.map { " (\(printable($0)))" } ?? "")
    alert = [
      "\(heading): \(word.gloss.map { printable($0) } ?? "no meaning found") "
        + "(\(session.counted(word.count, "time")))"
    ]
  }

  private func list(as state: WordState) throws {
    guard let lemma = lemma() else { return alert = ["No word is marked."] }
    let word = index.lemmas[Int(lemma)].text
    try UserWordList(session.workspace(), language: text.language.name).set([word], as: state)
    try advance("\(printable(word)): \(state.name)")
  }

  private func makeCard() throws {
    guard let cursor, let lemma = lemma() else { return alert = ["No word is marked."] }
    let word = try text.minedWord(lemma, inSentence: index.sentence(ofToken: cursor))
    if try text.mine([word], into: deck, isCloze: false) == 0 {
      alert = ["\(printable(word.lemma)) already has a card"]
    } else {
      let meaning = word.gloss.map { " = \(printable($0))" } ?? ", no meaning found"
      try advance("Card in \(printable(deck)): \(printable(word.lemma))\(meaning)")
    }
  }

  private func advance(_ what: String) throws {
    view = try text.view()
    moveCursor(from: cursor ?? 0, by: 1)
    alert = [what]
  }

  private var width: Int { max(12, ScreenParts.width(on: terminal) - 4) }
  private var hasFewKeys: Bool { terminal.canRedraw && ScreenParts.isLow(terminal) && !showsKeys }
  /// The number of lines for the text: on a low screen the keys are cut, but not the result of a key.
  private var room: Int { max(1, min(max(3, terminal.height - (hasFewKeys ? 6 : 9)), terminal.height - 4)) }

  /// The sentence after the last one of the page.
  private var end: Int {
    var (sentence, used) = (first, -skipped)
    while sentence < index.sentences.count {
      used += broken(sentence).lines.count
      if used > room, sentence > first { break }
      sentence += 1
    }
    return max(sentence, first + 1)
  }

  func lines() -> [String] {
    defer { printed = (first, cursor) }
    if !terminal.canRedraw, let printed, printed.first == first { return news(since: printed.cursor) }
    // Widening the window reduces the number of lines; a smaller one may end before the selected word.
    skipped = min(skipped, pageStart(ofLine: broken(first).lines.count - 1))
    if let cursor { select(cursor) }
    let place = index.sentences.isEmpty ? 100 : first * 100 / index.sentences.count
    var parts = ScreenParts(
      title: text.titles.first ?? "", facts: ["\(place) %   known \(percent(view.coverage))", "\(place) %"])
    let last = min(end, index.sentences.count)
    parts.body = Array((first..<last).flatMap { broken($0).lines }.dropFirst(skipped).prefix(room))
    parts.alert = alert
    let few = ["n next   Enter meaning   c card   k known   Space page   ? keys", "n next   Enter meaning   ? keys"]
    parts.keys =
      hasFewKeys
      ? few.first { $0.displayWidth <= width } ?? few[1]
      : "n, p next, previous unknown word   Enter meaning   c card   k known   i ignore\nSpace, b page   q leaves"
    return parts.lines(on: terminal)
  }

  /// The result of the last key, with the sentence of the selected word if the selection moved or there is no result.
  private func news(since former: Int?) -> [String] {
    let sentence = cursor.map { index.sentence(ofToken: $0) } ?? first
    var parts = ScreenParts()
    parts.alert = alert
    let done = parts.alertLines(on: terminal)
    return done.isEmpty || cursor != former ? done + broken(sentence).lines.map { parts.indent + $0 } : done
  }

  /// Wraps a sentence into lines with its words marked by their states; also returns the line index of each word.
  private func broken(_ sentence: Int) -> (lines: [String], places: [Int]) {
    var (lines, line, used, places) = ([String](), "", 0, [Int]())
    var token = tokens(of: sentence).lowerBound
    for piece in index.pieces(of: index.sentences[sentence]) {
      var shown = printable(piece.text, limit: 400)
      var style: Style = []
      if let found = piece.token {
        (shown, style) = marked(shown, view.state(of: found), isCursor: token == cursor)
        token += 1
      }
      for (number, word) in shown.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
        // A long compound, an address, or a sentence in a script without spaces may be wider than the screen.
        for (place, part) in String(word).lines(within: width).enumerated() {
          let space = number > 0 && place == 0 && used > 0 ? 1 : 0
          let columns = part.displayWidth
          if used + space + columns > width, used > 0 {
            lines.append(line)
            (line, used) = ("", 0)
          } else if space > 0 {
            line += " "
            used += 1
          }
          line += terminal.styled(part, style)
          used += columns
        }
      }
      if piece.token != nil { places.append(lines.count) }
    }
    return (lines + [line], places)
  }

  /// Marks the selected word as `[word]`, an unknown one as `word*`, one with a new card as `word+`.
  private func marked(_ word: String, _ state: WordState?, isCursor: Bool) -> (String, Style) {
    let sign = state == .unknown ? "*" : state == .new ? "+" : ""
    if isCursor { return ("[\(word)]\(sign)", [.bold, .reversed]) }
    switch state {
    case .unknown: return (word + sign, .yellow)
    case .new: return (word + sign, .cyan)
    case .learning: return (word, .blue)
    case .ignored: return (word, .dim)
    case .known, nil: return (word, [])
    }
  }
}
