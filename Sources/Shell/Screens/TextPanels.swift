// What is known of a text as charts, the same for the terminal and for a picture. Invariant: each chart says what its
// highest bar means.

import CardDocuments
import Language

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
