// `text show`: how much of a text is known, in figures and charts; and `text known`: words that are known, or not to be
// learned, without a card. Invariant: texts are never changed; a picture is written completely or not at all.

import CardDocuments
import Commands
import Exchange
import Files
import Language
import Lexicon
import Problems
import Text
import Values
import Workspace

enum TextShowCommand {
  static let command = BuiltIn(
    "text", "show", summary: "Shows how much of a text is known, according to your cards.",
    answer: "{coverage, expected_coverage, words, names_and_numbers, states, sentences, lemmas_needed, language}",
    details: """
      A word is known if a card of it is remembered for 21 days or more (`set text.known_days`) or if `text known` \
      lists it, learning if its card was studied, new if it was not, ignored if all its cards are suspended. The word \
      of a card is the first field of its note. Names and numbers are not counted. A word is known in each of its \
      forms. Expected coverage is what is remembered today, according to the memory model: a word that is nearly \
      forgotten counts for less. Without --language a text is read in the language that it declares (a book, a page, \
      a WebVTT file), otherwise in the one that its words show, or in that of `set text.language`. --plot draws \
      charts, --png writes them to a file, as SVG if its name ends in .svg.
      """, arguments: [TextCommands.files],
    options: TextCommands.common + [
      Option(
        "--known", "LIST", .file, isRepeating: true, access: .read,
        help: "a list of words that count as known: one word per line, a table, or the vocabulary of a Kindle"),
      Option(
        "--target", "PERCENT", .integer(1...100), help: "how many lemmas are missing to know this share of the text"),
      Option("--plot", help: "draw charts"),
      Option("--png", "FILE", .file, access: .write, help: "draw the charts as a picture, PNG or .svg"),
    ], example: "text show novel.epub --language spanish"
  ) { invocation, session in
    let text = try TextCommands.open(invocation, session, deck: invocation.optionalText("--deck"))
    let view = try text.view()
    let goals = invocation.optionalInteger("--target").map { [Double($0) / 100] } ?? Self.goals
    let figures = figures(view, text.language.name, goals)
    if let file = invocation.optionalText("--png") {
      let panels = TextPanels(view: view, groupsNumbers: true).panels
      let picture = ChartPicture(title: printable(text.titles.first ?? ""), panels: panels)
      return CommandResult(figures, .lines(try session.draw(picture, to: file)))
    }
    guard invocation.flag("--plot") else { return CommandResult(figures, .parts(shown(view, goals, session))) }
    let terminal = session.console.terminal
    let charts = TextPanels(view: view, groupsNumbers: terminal.groupsNumbers).panels.map { $0.lines(on: terminal) }
    return CommandResult(figures, .parts(shown(view, goals, session) + [.drawn([""] + charts.joined(separator: [""]))]))
  }

  private static let goals = [0.8, 0.9, 0.95, 0.98]

  private static func figures(_ view: TextView, _ language: String, _ goals: [Double]) -> Value {
    let counts = view.counts()
    let states = WordState.allCases.compactMap { state in
      counts[state].map { (state.name, Value.record(["words": $0.tokens, "lemmas": $0.lemmas])) }
    }
    let needed = goals.map { goal in
      (String(Int((goal * 100).rounded())), view.lemmasNeeded(for: goal).map { Value.integer($0) } ?? .null)
    }
    let sentences = (0...2).map { (String($0), Value.integer(view.sentences(missing: $0))) }
    return .record([
      "coverage": view.coverage, "expected_coverage": view.expectedCoverage,
      "words": view.words, "names_and_numbers": view.passedOver,
      "states": Value.record(states),
      "sentences": Value.record([("all", .integer(view.sentenceCount))] + sentences),
      "lemmas_needed": Value.record(needed), "language": language,
    ])
  }

  private static func shown(_ view: TextView, _ goals: [Double], _ session: Session) -> [Display] {
    let counts = view.counts()
    let words = view.words
    let all = max(1, words)
    let rows = WordState.allCases.compactMap { state in
      counts[state].map {
        let share = percent(Double($0.tokens) / Double(all))
        return [state.name, session.grouped($0.tokens), share, session.grouped($0.lemmas)]
      }
    }
    let table = TableText(["", .number("Words"), .number("Share"), .number("Lemmas")], rows: rows)
    let needed = goals.filter { view.coverage < $0 }.compactMap { goal in
      view.lemmasNeeded(for: goal).map { "\(wholePercent(goal)): \(session.counted($0, "lemma"))" }
    }
    let sentences = (0...2).map { session.grouped(view.sentences(missing: $0)) }
    var lines = [
      "",
      "Coverage \(percent(view.coverage)) of \(session.counted(words, "word")) in "
        + "\(session.counted(view.sentenceCount, "sentence")); "
        + session.counted(view.passedOver, "name or number", "names and numbers"),
      "Remembered today, according to the memory model: \(percent(view.expectedCoverage))",
      "Sentences with no unknown word \(sentences[0]), with one \(sentences[1]), with two \(sentences[2])",
    ]
    if !needed.isEmpty { lines.append("To learn for " + needed.joined(separator: ", ")) }
    return [.table(table), .lines(lines)]
  }
}

struct TextPanels: NumberShowing {
  private static let partCount = 30

  let view: TextView
  let groupsNumbers: Bool

  var panels: [ChartPanel] { [states, growth, parts, sentences] }

  private var states: ChartPanel {
    let counts = view.counts()
    let all = Double(max(1, view.words))
    let rows = WordState.allCases.map { state in
      let tokens = counts[state]?.tokens ?? 0
      return ChartPanel.Row(state.name, Double(tokens), "\(grouped(tokens)), \(percent(Double(tokens) / all))")
    }
    return ChartPanel("Words by how well they are known", .rows(rows))
  }

  /// Up to a coverage of 98 %, or with all lemmas that can be learned.
  private var growth: ChartPanel {
    let most = view.lemmasNeeded(for: 0.98) ?? view.lemmasByGain().count
    let bars = view.coverage(afterLemmas: most, steps: Self.partCount - 1)
    return columns("Coverage with more lemmas learned", bars, ["0", "", "", "", grouped(most)])
  }

  private var parts: ChartPanel {
    columns("Coverage along the text", view.coverage(ofParts: Self.partCount), ["start", "", "", "", "end"])
  }

  private var sentences: ChartPanel {
    var bars = [Double](repeating: 0, count: 11)
    for missing in view.missing where missing != TextView.heading { bars[min(10, Int(missing))] += 1 }
    let title = "Sentences by unknown words"
    return ChartPanel(title, .columns(bars, axis: ["0", "", "5", "", "10+"]), highest: grouped(Int(bars.max() ?? 0)))
  }

  private func columns(_ title: String, _ shares: [Double], _ axis: [String]) -> ChartPanel {
    ChartPanel(title, .columns(shares, axis: axis), highest: percent(shares.max() ?? 0))
  }
}

enum KnownWordsCommand {
  static let command = BuiltIn(
    "text", "known",
    effect: .depends {
      guard $0.list("WORD").isEmpty, $0.optionalText("--import") == nil, $0.optionalInteger("--first") == nil else {
        return .changes
      }
      return $0.optionalText("--export") == nil ? .reads : .announces
    }, summary: "Marks words without cards as known, or as not to be learned, and lists them.",
    answer: "{lemma, state}... or {changed, learning?}",
    details: """
      Without words it shows the list. Without --language, the words are of the language of `set text.language`, or \
      of `set game.language`. --first 1000 is a start for somebody who knows the most frequent words; it needs a list \
      of them (Debian's onboard-data, or frequency/CODE.tsv in the data folder). --import reads one word per line, \
      what --export wrote, a table (.csv, .tsv), JSON (a list of words, or of records with a member `word`) or the \
      vocabulary of a Kindle. In a table with a column of statuses, as from Lute and LWT, 5 and W are known, I is \
      ignored, and words still being learned are left out; --column word=NAME names the column of the words if its \
      heading does not. `undo` undoes a change.
      """, arguments: [Argument("WORD", isOptional: true, isRepeating: true, help: "a word that is known")],
    options: [
      Common.language, Option("--ignore", help: "mark the words as not to be learned"),
      Option("--forget", help: "remove the words from the list"),
      Option("--first", "N", .integer(1...100_000), help: "mark the N most frequent words of the language as known"),
      Option("--import", "FILE", .file, access: .read, help: "read the words from a file"),
      Option(
        "--column", "WHAT=NAME", isRepeating: true,
        help: "the column of a table that has the word, the status, or the language"),
      Option("--export", "FILE", .file, access: .write, help: "write the list to a file"),
    ], example: "text known gato perro --language spanish"
  ) { invocation, session in
    try invocation.allowOne(of: ["--ignore", "--forget", "--export"])
    try invocation.refuse(["WORD", "--import"], beside: "--export")
    try invocation.refuse(["WORD", "--import", "--export", "--ignore", "--forget"], beside: "--first")
    try invocation.require("--import", beside: "--column")
    for option in ["--ignore", "--forget"] { try invocation.require("WORD", "--import", beside: option) }
    let workspace = try session.workspace()
    let named = invocation.optionalText("--language")
    let list = try UserWordList(workspace, language: named)
    if named == nil {
      let title = list.language.title
      TextCommands.noteOnce("text known: the words are \(title); use --language for another language", session)
    }
    let state: WordState = invocation.flag("--forget") ? .unknown : invocation.flag("--ignore") ? .ignored : .known
    if let path = invocation.optionalText("--import") {
      return try imported(path, as: state, list, invocation, session)
    }
    let words = invocation.list("WORD")
    let first = invocation.optionalInteger("--first")
    if first != nil || !words.isEmpty {
      let count = try first.map(list.setFirst) ?? list.set(words, as: state)
      let what = state == .unknown ? "off the list" : state.name
      return CommandResult(.record(["changed": count]), line: "\(session.counted(count, "word")) now \(what).")
    }
    let listed = try list.all().map { ($0.lemma, $0.isIgnored ? "ignored" : "known") }
    if let path = invocation.optionalText("--export") {
      guard session.rehearsal.mayActOutside("write \(printable(path))") else { return .unchanged() }
      let text = listed.map { "\($0.0)\t\($0.1)\n" }.joined()
      try AtomicFile.write(session.environment.folders.expanded(path), Array(text.utf8), .exported())
      return CommandResult(
        .list(listed.map { Value.record(["lemma": $0.0, "state": $0.1]) }),
        line: "Wrote \(session.counted(listed.count, "word")) to \(printable(path)).")
    }
    return CommandResult(listing: listed, ["Lemma", "State"], whenEmpty: "No words.") {
      ["lemma": $0.0, "state": $0.1]
    } row: {
      [printable($0.0), $0.1]
    }
  }

  private static func imported(
    _ path: String, as state: WordState, _ list: UserWordList, _ invocation: Invocation, _ session: Session
  ) throws -> CommandResult {
    let columns = try DeckFileCommands.table {
      try invocation.list("--column").flatMap { try ColumnChoice.list(of: $0) }
    }
    let path = session.environment.folders.expanded(path)
    let found = try list.add(from: path, columns: columns, as: state, and: invocation.list("WORD"))
    TextCommands.noteLosses(found.losses, of: path, session, command: "text known")
    if found.learning > 0 {
      session.console.note("text known: \(session.counted(found.learning, "word")) still being learned left out")
    }
    let what =
      switch state {
      case .unknown: "off the list"
      case .known where found.ignored > 0: "known or ignored"
      default: state.name
      }
    return CommandResult(
      .record(["changed": found.changed, "learning": found.learning]),
      line: "\(session.counted(found.changed, "word")) now \(what).")
  }
}
