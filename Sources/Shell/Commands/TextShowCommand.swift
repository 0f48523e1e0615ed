// `text show`: shows how much of a text is known, in figures and charts. Invariant: neither texts nor cards are
// changed; a picture is written completely or not at all.

import CardDocuments
import Commands
import Files
import Language
import Lexicon
import Problems
import Text
import Values
import Workspace

enum TextShowCommand {
  static var command: BuiltIn {
    BuiltIn(
      "text", "show", summary: "Shows how much of a text is known, according to your cards.",
      answer: "{coverage, expected_coverage, words, names_and_numbers, states, sentences, lemmas_needed, language}",
      details: """
        A word is known if a card of it is remembered for 21 days or more (`set text.known_days`) or if `text known` \
        lists it, learning if its card was studied, new if it was not, ignored if all its cards are suspended. The word \
        of a card is the first field of its note. Names and numbers are not counted. A word is known in each of its \
        forms. Expected coverage is what is remembered today, according to the memory model: a word that is nearly \
        forgotten counts for less. Without --language a text is read in the language that it declares (a book, a page, a \
        WebVTT file), otherwise in that of `set game.language`. --plot draws charts, --png writes them to a file, as SVG if its name ends in .svg.
        """, arguments: [TextCommands.files],
      options: TextCommands.common + [
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
        let panels = TextPanels(view, groupsNumbers: true).panels
        let picture = ChartPicture(title: printable(text.titles.first ?? ""), panels: panels)
        return CommandResult(figures, .lines(try session.draw(picture, to: file)))
      }
      guard invocation.flag("--plot") else { return CommandResult(figures, .parts(shown(view, goals, session))) }
      let terminal = session.console.terminal
      let charts = TextPanels(view, groupsNumbers: terminal.groupsNumbers).panels.map { $0.lines(on: terminal) }
      return CommandResult(
        figures, .parts(shown(view, goals, session) + [.drawn([""] + charts.joined(separator: [""]))]))
    }
  }

  private static let goals = [0.8, 0.9, 0.95, 0.98]

  private static func figures(_ view: TextView, _ language: String, _ goals: [Double]) -> Value {
    let counts = view.counts()
    let states = WordState.allCases.compactMap { state in
      counts[state].map {
        (state.name, Value.record(["words": $0.tokens, "lemmas": $0.lemmas]))
      }
    }
    let needed = goals.map { goal in
      (String(Int((goal * 100).rounded())), view.lemmasNeeded(for: goal).map { Value.integer($0) } ?? .null)
    }
    let sentences = (0...2).map { (String($0), Value.integer(view.sentences(missing: $0))) }
    return .record([
      "coverage": view.coverage, "expected_coverage": view.expectedCoverage,
      "words": view.text.tokens.count - view.passedOver, "names_and_numbers": view.passedOver,
      "states": Value.record(states),
      "sentences": Value.record([("all", .integer(view.text.sentences.count))] + sentences),
      "lemmas_needed": Value.record(needed), "language": language,
    ])
  }

  private static func shown(_ view: TextView, _ goals: [Double], _ session: Session) -> [Display] {
    let counts = view.counts()
    let words = view.text.tokens.count - view.passedOver
    let all = max(1, words)
    var table = TableText([.init(""), .init("Words", .right), .init("Share", .right), .init("Lemmas", .right)])
    for state in WordState.allCases {
      guard let count = counts[state] else { continue }
      table.add([
        state.name, session.grouped(count.tokens), percent(Double(count.tokens) / Double(all)),
        session.grouped(count.lemmas),
      ])
    }
    let needed = goals.filter { view.coverage < $0 }.compactMap { goal in
      view.lemmasNeeded(for: goal).map { "\(wholePercent(goal)): \(session.counted($0, "lemma"))" }
    }
    let sentences = (0...2).map { session.grouped(view.sentences(missing: $0)) }
    var lines = [
      "",
      "Coverage \(percent(view.coverage)) of \(session.counted(words, "word")) in "
        + "\(session.counted(view.text.sentences.count, "sentence")); "
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

  let groupsNumbers: Bool
  private let view: TextView

  init(_ view: TextView, groupsNumbers: Bool) { (self.view, self.groupsNumbers) = (view, groupsNumbers) }

  var panels: [ChartPanel] { [states, growth, parts, sentences] }

  private var states: ChartPanel {
    let counts = view.counts()
    let all = Double(max(1, view.text.tokens.count - view.passedOver))
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
    for missing in view.missing { bars[min(10, Int(missing))] += 1 }
    let title = "Sentences by unknown words"
    return ChartPanel(
      title, .columns(bars, axis: ["0", "", "5", "", "10+"]), highest: grouped(Int(bars.max() ?? 0)))
  }

  private func columns(_ title: String, _ shares: [Double], _ axis: [String]) -> ChartPanel {
    ChartPanel(title, .columns(shares, axis: axis), highest: percent(shares.max() ?? 0))
  }
}
