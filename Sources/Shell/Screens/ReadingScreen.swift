// Shows a text in pages with its unknown words marked; the user can look them up and change what is known word by word.
// Invariant: a word's mark is a character as well as a colour; each change is one undo step; the place is saved.

import Authentication
import Language
import Lexicon
import Problems
import Storage
import Text
import Workspace

final class ReadingScreen {
  private typealias Place = ReadingLayout.Place

  private let session: Session
  private let text: TextHandle
  private let deck: String
  private let layout: ReadingLayout
  /// The first line of the page.
  private var top: Place
  private var alert: [String] = []
  /// What the user is asked for, and what is done with the answer, which may be one key.
  private var question: (text: String, isOneKey: Bool, answer: (String) throws -> Void)?
  private var typed = ""
  /// What was searched for last.
  private var sought = ""
  /// The steps of the changes that were made here, each with the word that it was made for.
  private var changes: [(step: Int, token: Int)] = []
  /// Whether a low screen shows all keys.
  private var showsKeys = false
  /// The position last printed when output is not redrawn, as for a screen reader; then only changes are printed.
  private var printed: (top: Place, cursor: Int?)?

  /// - Parameter deck: the deck for cards of words.
  init(_ session: Session, _ text: TextHandle, deck: String) throws {
    (self.session, self.text, self.deck) = (session, text, deck)
    let terminal = session.console.terminal
    layout = ReadingLayout(try text.view(), terminal, width: Self.width(on: terminal))
    let saved = text.text.sentences[min(try text.savedPlace(), text.text.sentences.count - 1)]
    top = layout.place(of: text.text.tokenRange(of: saved).lowerBound)
    turn(to: top)
  }

  private var terminal: Terminal { session.console.terminal }
  private var index: TextIndex { text.text }
  private var cursor: Int? { layout.cursor }
  private func tokens(of sentence: Int) -> Range<Int> { index.tokenRange(of: index.sentences[sentence]) }

  func run() throws {
    let screen = KeyScreen(session: session)
    _ = try screen.run(showing: lines, takesEscape: { question != nil }) { event -> KeyOutcome<Bool> in
      switch event {
      case .key(.character("q")) where question == nil: return .ends(true)
      case .key(let key): try handle(key)
      case .pasted(let words) where question != nil: typed += words
      case .line(let line):
        // Without a keyboard: a key and what it asks for, or the latter alone.
        if question == nil, line.hasPrefix("q") { return .ends(true) }
        for letter in line where question != nil || letter == line.first { try handle(.character(letter)) }
        if question != nil { try handle(.enter) }
      default: break
      }
      return .continues
    }
    // A user who left at the password of the idle lock is signed out.
    if session.auth.needsAuthentication { return }
    try text.savePlace(index.sentence(ofToken: min(layout.token(at: top), index.tokens.count - 1)))
  }

  private func handle(_ key: Key) throws {
    alert = []
    if let question { return try answer(key, question.isOneKey, question.answer) }
    switch key {
    case .character("n"), .tab, .right, .down: moveCursor(from: cursor ?? shownTokens.lowerBound - 1, by: 1)
    case .character("p"), .left, .up: moveCursor(from: cursor ?? shownTokens.lowerBound, by: -1)
    case .character(" "), .pageDown: turn(to: layout.moved(top, by: room))
    case .character("b"), .pageUp: turn(to: layout.moved(top, by: -room))
    case .home: turn(to: (0, 0))
    case .character("/"): ask("Find: ", search)
    case .character("g"): ask("Go to (50%\(layout.chapters.isEmpty ? "" : ", a chapter")): ", go)
    case .character("?"): showsKeys.toggle()
    case .enter, .character("m"): try showMeaning()
    case .character("k"): try list(as: .known)
    case .character("i"): try list(as: .ignored)
    case .character("c"): try chooseMeaning()
    case .character("u"): try undo()
    default: break
    }
  }

  private func ask(_ text: String, isOneKey: Bool = false, _ answer: @escaping (String) throws -> Void) {
    (question, typed, alert) = ((text, isOneKey, answer), "", [text])
  }

  private func answer(_ key: Key, _ isOneKey: Bool, _ use: (String) throws -> Void) throws {
    switch key {
    case .character(let letter):
      typed.append(letter)
      if !terminal.canRedraw, terminal.hasKeyboard { session.console.write(printable(String(letter))) }
    case .backspace: _ = typed.popLast()
    case .escape: return question = nil
    case .enter: break
    default: return
    }
    guard isOneKey || key == .enter else { return }
    question = nil
    try use(typed.trimmed)
  }

  /// Moves to the next or previous unknown word, turning the page if necessary.
  private func moveCursor(from token: Int, by step: Int) {
    var place = token + step
    while index.tokens.indices.contains(place) {
      if layout.view.state(of: index.tokens[place])?.isMissing == true { return select(place) }
      place += step
    }
    alert = [step > 0 ? "No next unknown word." : "No previous unknown word."]
  }

  /// Selects a word and turns to its page: this one, the next or previous one, or one that begins with its sentence.
  private func select(_ token: Int) {
    layout.cursor = token
    let (place, sentence) = (layout.place(of: token), tokens(of: index.sentence(ofToken: token)))
    let found = [top, layout.moved(top, by: room), layout.moved(top, by: -room), layout.place(of: sentence.lowerBound)]
      .compactMap(\.self).first { $0 <= place && layout.moved($0, by: room).map { place < $0 } ?? true }
    top = found ?? layout.moved(place, by: -room / 2) ?? place
  }

  private func turn(to place: Place?) {
    guard let place else { return alert = ["The text ends here."] }
    top = place
    layout.cursor = shownTokens.first { layout.view.state(of: index.tokens[$0])?.isMissing == true }
  }

  private var shownTokens: Range<Int> {
    let first = layout.token(at: top)
    return first..<max(first, layout.moved(top, by: room).map(layout.token(at:)) ?? index.tokens.count)
  }

  /// The text without differences of capitals and accents.
  private func folded(_ text: String) -> String {
    String(String.UnicodeScalarView(text.compatiblyFolded.decomposed.unicodeScalars.filter { !$0.isMark }))
  }

  /// Selects the next word at which a text occurs; for an empty one, the text that was searched for last.
  private func search(_ wanted: String) {
    if !wanted.isEmpty { sought = wanted }
    let start = cursor.map { $0 + 1 } ?? layout.token(at: top)
    let first = index.sentence(ofToken: start)
    for (step, number) in [first..<index.sentences.count, 0..<first + 1].joined().enumerated() where !sought.isEmpty {
      guard let token = word(with: folded(sought), in: number, from: step == 0 ? start : 0) else { continue }
      if step > 0, number <= first { alert = ["From the beginning:"] }
      return select(token)
    }
    alert = ["\(quoted(sought)) is not in this text."]
  }

  private func word(with sought: String, in sentence: Int, from start: Int) -> Int? {
    var (text, token, ends) = ("", tokens(of: sentence).lowerBound, [(end: Int, token: Int)]())
    for piece in index.pieces(of: index.sentences[sentence]) {
      if token >= start { text += folded(piece.text) }
      if piece.token == nil { continue }
      ends.append((text.utf8.count, token))
      token += 1
    }
    guard let range = text.firstRange(ofText: sought) else { return nil }
    let offset = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
    return ends.first { $0.end > offset }?.token ?? token - 1
  }

  /// Goes to a percentage, or to a chapter by a word or number in its name, a part of its name, or its number.
  private func go(_ wanted: String) {
    let names = layout.chapters.map(chapterName)
    if wanted.hasSuffix("%") || names.isEmpty, let share = Int(wanted.prefix { $0.isNumber }), share <= 100 {
      let count = index.tokens.count
      return turn(to: layout.place(of: min(count - 1, count * share / 100)))
    }
    let (folds, part) = (names.map(folded), folded(wanted))
    let found =
      folds.firstIndex { $0.split { !$0.isLetter && !$0.isNumber }.contains(part[...]) }
      ?? folds.firstIndex { $0.contains(text: part) } ?? Int(wanted).map { $0 - 1 }
    if !wanted.isEmpty, let found, names.indices.contains(found) { return turn(to: (layout.chapters[found], 0)) }
    alert = [names.isEmpty ? "50% or another percentage expected" : "The chapters are \(firstFew(names, 4))."]
  }

  private func chapterName(_ block: Int) -> String {
    let place = index.place(of: layout.firstSentence(of: block))
    let name = place.isHeading ? index.text(of: layout.firstSentence(of: block)) : text.titles[place.file]
    return printable(name, limit: 60)
  }

  // MARK: Words

  private func lemma() -> UInt32? {
    let lemma = cursor.flatMap { layout.view.lemma(of: index.tokens[$0]) }
    if lemma == nil { alert = ["No word is marked."] }
    return lemma
  }

  private func showMeaning() throws {
    guard let cursor, let lemma = lemma() else { return }
    let word = try text.minedWord(LookUp(lemma, in: index.sentence(ofToken: cursor)))
    let heading = printable(word.lemma) + (word.reading.map { " (\(printable($0)))" } ?? "")
    let (meaning, count) = (word.gloss.map { printable($0) } ?? "no meaning found", session.counted(word.count, "time"))
    alert = ["\(heading): \(meaning) (\(count))"]
  }

  private func list(as state: WordState) throws {
    guard let lemma = lemma() else { return }
    let word = index.lemmas[Int(lemma)].text
    _ = try changing { try UserWordList(session.workspace(), language: text.language.name).set([word], as: state) }
    try advance("\(printable(word)): \(state.name)")
  }

  /// Makes a card of the word, after asking which meaning it gets if there are several.
  private func chooseMeaning() throws {
    guard let lemma = lemma(), let cursor else { return }
    var word = try text.minedWord(LookUp(lemma, in: index.sentence(ofToken: cursor)))
    let meanings = try session.workspace().words.senses(of: word.lemma, in: text.language).prefix(9)
    if meanings.count < 2 { return try makeCard(word) }
    let choices = meanings.enumerated().map { "\($0 + 1) \(printable($1, limit: 80))" }.joined(separator: "   ")
    ask("\(printable(word.lemma)):   \(choices)   Enter: all ", isOneKey: true) { [self] key in
      if let number = Int(key), meanings.indices.contains(number - 1) { word.gloss = meanings[number - 1] }
      try makeCard(word)
    }
  }

  private func makeCard(_ word: MinedWord) throws {
    if try changing({ try text.mine([word], into: deck, isCloze: false) }) == 0 {
      alert = ["\(printable(word.lemma)) already has a card"]
    } else {
      let meaning = word.gloss.map { " = \(printable($0))" } ?? ", no meaning found"
      try advance("Card in \(printable(deck)): \(printable(word.lemma))\(meaning)")
    }
  }

  private func advance(_ what: String) throws {
    layout.view = try text.view()
    moveCursor(from: cursor ?? 0, by: 1)
    alert = [what]
  }

  /// Makes a change, and remembers its step for `undo`.
  private func changing(_ body: () throws -> Int) throws -> Int {
    let care = try session.workspace().care
    let before = try care.steps(limit: 1).first?.id
    let count = try body()
    if let step = try care.steps(limit: 1).first?.id, step != before, let cursor { changes.append((step, cursor)) }
    return count
  }

  private func undo() throws {
    guard let (step, token) = changes.popLast() else { return alert = ["Nothing to undo here."] }
    do {
      alert = ["Undone: " + printable(try session.workspace().care.undo(step).name)]
      layout.view = try text.view()
      select(token)
    } catch let problem as UndoError { alert = [problem.report.message] }
  }

  // MARK: Drawing

  private static func width(on terminal: Terminal) -> Int { max(12, ScreenParts.width(on: terminal) - 4) }
  private var hasFewKeys: Bool { terminal.canRedraw && ScreenParts.isLow(terminal) && !showsKeys }
  /// The number of lines for the text: on a low screen the keys are cut, but not the result of a key.
  private var room: Int { max(1, min(max(3, terminal.height - (hasFewKeys ? 6 : 9)), terminal.height - 4)) }

  func lines() -> [String] {
    defer { printed = (top, cursor) }
    if !terminal.canRedraw, let printed, printed.top == top { return news(since: printed.cursor) }
    top = layout.fit(terminal, width: Self.width(on: terminal), keeping: top)
    // A smaller window may end before the selected word.
    if let cursor { select(cursor) }
    let share = wholePercent(Double(layout.token(at: top)) / Double(index.tokens.count))
    let title = printable(text.titles[index.place(of: layout.firstSentence(of: top.block)).file])
    let chapter = chapterName(layout.chapters.last { $0 <= top.block } ?? 0)
    var parts = ScreenParts(title: chapter == title ? title : "\(title), \(chapter)")
    parts.facts = ["\(share)   known \(percent(layout.view.coverage))", share]
    parts.body = layout.page(from: top, count: room)
    parts.alert = question.map { [$0.text + printable(typed) + (terminal.usesUnicode ? "▏" : "_")] } ?? alert
    let few = ["n next   Enter meaning   c card   k known   Space page   ? keys", "n next   Enter meaning   ? keys"]
    parts.keys =
      question != nil
      ? "Enter goes on   Esc goes back"
      : hasFewKeys
        ? few.first { $0.displayWidth <= Self.width(on: terminal) } ?? few[1]
        : "n, p next, previous unknown word   Enter meaning   c card   k known   i ignore   u undo\n"
          + "Space, b page   / find   g go to   q leaves"
    return parts.lines(on: terminal)
  }

  /// The result of the last key, with the sentence of the selected word if the selection moved or there is no result.
  private func news(since former: Int?) -> [String] {
    var parts = ScreenParts()
    parts.alert = alert
    let done = parts.alertLines(on: terminal)
    if question != nil || !done.isEmpty && cursor == former { return done }
    let sentence = index.sentence(ofToken: min(cursor ?? layout.token(at: top), index.tokens.count - 1))
    let lines = layout.lines(of: sentence..<sentence + 1).lines
    return done + (lines + layout.translation(of: index.place(of: index.sentences[sentence]))).map { parts.indent + $0 }
  }
}
