// A text in pages, its unknown words marked: what is known of it is seen, asked and changed word by word. Invariant:
// the mark of a word is a sign as well as a colour; each change is a step of undo of its own, and the place is kept at
// the end.

import Decks
import Language
import Lexicon
import Text
import Workspace

final class ReadingScreen {
  private let session: Session
  private let text: TextHandle
  private let deck: String
  private var view: TextView
  /// The first sentence of the page.
  private var first: Int
  /// How many lines of it stand on the pages before, where it is longer than a page.
  private var skipped = 0
  /// The marked word: a token of the text.
  private var cursor: Int?
  private var alert: [String] = []
  /// What was printed last where all that is printed stays, for a screen reader: what is new is printed then.
  private var printed: (first: Int, cursor: Int?)?

  /// - Parameter deck: where cards of words go.
  init(_ session: Session, _ text: TextHandle, deck: String) throws {
    (self.session, self.text, self.deck) = (session, text, deck)
    view = try text.view()
    first = min(try text.keptPlace(), max(0, text.text.sentences.count - 1))
    cursor = nil
    moveCursor(from: tokens(of: first).lowerBound - 1, by: 1)
  }

  private var terminal: Terminal { session.console.terminal }
  private var index: TextIndex { text.text }

  private func tokens(of sentence: Int) -> Range<Int> { index.tokenRange(of: index.sentences[sentence]) }

  /// Shows it until the user leaves.
  func run() throws {
    _ = try KeyScreen(session).run(showing: lines) { event -> KeyOutcome<Bool> in
      switch event {
      case .key(let key): try take(key)
      case .line(let line):
        guard let first = line.first else {
          try take(.enter)
          break
        }
        if first == "q" { return .ends(true) }
        try take(.character(first))
      default: break
      }
      if case .key(.character("q")) = event { return .ends(true) }
      return .goesOn
    }
    try text.keepPlace(first)
  }

  // MARK: Keys

  private func take(_ key: Key) throws {
    alert = []
    switch key {
    case .character("n"), .tab, .right, .down: moveCursor(from: cursor ?? shownTokens.lowerBound - 1, by: 1)
    case .character("p"), .left, .up: moveCursor(from: cursor ?? shownTokens.lowerBound, by: -1)
    case .character(" "), .pageDown: turnForward()
    case .character("b"), .pageUp: turnBack()
    case .home: turn(to: 0)
    case .enter, .character("m"): try showMeaning()
    case .character("k"): try list(as: .known)
    case .character("i"): try list(as: .ignored)
    case .character("c"): try makeCard()
    default: break
    }
  }

  /// The next or previous word that is unknown, on whatever page.
  private func moveCursor(from token: Int, by step: Int) {
    var place = token + step
    while index.tokens.indices.contains(place) {
      if view.state(of: index.tokens[place])?.isMissing == true {
        cursor = place
        let sentence = index.sentence(ofToken: place)
        if sentence < first || sentence >= end { (first, skipped) = (sentence, 0) }
        if sentence == first { skipped = pageStart(ofLine: broken(first).places[place - tokens(of: first).lowerBound]) }
        return
      }
      place += step
    }
    alert = [step > 0 ? "No unknown word follows." : "No unknown word before."]
  }

  /// - Parameter skipping: how many lines of the sentence stand on the pages before.
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
      // The end of a sentence that is longer than a page.
      if lines > room { return turn(to: sentence, skipping: (lines - 1) / room * room) }
    }
    turn(to: sentence)
  }

  /// The first line of the page of a sentence's line: only one that is longer than a page has several.
  private func pageStart(ofLine line: Int) -> Int { broken(first).lines.count > room ? line / room * room : 0 }

  /// The tokens on the page.
  private var shownTokens: Range<Int> {
    let (all, places) = (tokens(of: first), broken(first).places)
    let start = all.lowerBound + (places.firstIndex { $0 >= skipped } ?? places.count)
    if let next = places.firstIndex(where: { $0 >= skipped + room }) { return start..<all.lowerBound + next }
    return start..<max(start, tokens(of: max(first, min(end, index.sentences.count) - 1)).upperBound)
  }

  private func lemma() -> UInt32? { cursor.flatMap { view.lemma(of: index.tokens[$0]) } }

  private func showMeaning() throws {
    guard let lemma = lemma() else { return alert = ["No word is marked."] }
    let word = index.lemmas[Int(lemma)]
    let gloss = try session.workspace().words.gloss(of: word.text, isLemma: true, in: text.language)
    alert = [
      "\(printable(word.text)): \(gloss.map { printable($0) } ?? "no meaning found") (\(session.counted(word.count, "time")))"
    ]
  }

  private func list(as state: WordState) throws {
    guard let lemma = lemma() else { return alert = ["No word is marked."] }
    let word = index.lemmas[Int(lemma)].text
    try UserWordList(session.workspace(), language: text.language.name).set([word], as: state)
    try goOn("\(printable(word)): \(state.name)")
  }

  private func makeCard() throws {
    guard let cursor, let lemma = lemma() else { return alert = ["No word is marked."] }
    let word = try text.minedWord(lemma, inSentence: index.sentence(ofToken: cursor))
    if try text.mine([word], into: deck, isCloze: false) == 0 {
      alert = ["\(printable(word.lemma)) has a card already"]
    } else {
      try goOn("Card in \(printable(deck)): \(printable(word.lemma)) = \(printable(word.gloss ?? "no meaning found"))")
    }
  }

  private func goOn(_ what: String) throws {
    view = try text.view()
    moveCursor(from: cursor ?? 0, by: 1)
    alert = [what]
  }

  // MARK: Drawing

  private var width: Int { max(12, ScreenParts.width(on: terminal) - 4) }
  private var room: Int { max(3, terminal.height - 9) }

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
    let place = index.sentences.isEmpty ? 100 : first * 100 / index.sentences.count
    var parts = ScreenParts(
      title: text.titles.first ?? "",
      facts: ["\(place) %   known \(percent(view.coverage))", "\(place) %"])
    let last = min(end, index.sentences.count)
    // A window that was made wider has fewer lines.
    skipped = min(skipped, pageStart(ofLine: broken(first).lines.count - 1))
    parts.body = Array((first..<last).flatMap { broken($0).lines }.dropFirst(skipped).prefix(room))
    parts.alert = alert
    parts.keys =
      "n, p next, previous unknown word   Enter meaning   c card   k known   i ignore\nSpace, b page   q leaves"
    return parts.lines(on: terminal)
  }

  /// What was done, and the sentence of the marked word where that is another one, or nothing was done.
  private func news(since former: Int?) -> [String] {
    let sentence = cursor.map { index.sentence(ofToken: $0) } ?? first
    var parts = ScreenParts()
    parts.alert = alert
    let done = parts.alertLines(on: terminal)
    return done.isEmpty || cursor != former ? done + broken(sentence).lines.map { parts.indent + $0 } : done
  }

  /// A sentence in lines, its words marked by their states, and the line of each word.
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
      for (number, part) in shown.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
        let space = number > 0 && used > 0 ? 1 : 0
        let columns = String(part).displayWidth
        if used + space + columns > width, used > 0 {
          lines.append(line)
          (line, used) = ("", 0)
        } else if space > 0 {
          line += " "
          used += 1
        }
        line += terminal.styled(String(part), style)
        used += columns
      }
      if piece.token != nil { places.append(lines.count) }
    }
    return (lines + [line], places)
  }

  /// `[word]` where the cursor is, `word*` for an unknown one, `word+` for one with a new card.
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
