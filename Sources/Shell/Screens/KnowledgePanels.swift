// Charts of how well the memory model predicts a user. Invariant: with few answers a text says so instead of a chart.

import CardDocuments
import Decks
import Memory

struct KnowledgePanels: NumberShowing {
  /// The fewest answers on later days for a calibration chart.
  private static let fewestAnswers = 100

  let groupsNumbers: Bool
  private let knowledge: ModelKnowledge

  init(_ knowledge: ModelKnowledge, groupsNumbers: Bool) {
    (self.knowledge, self.groupsNumbers) = (knowledge, groupsNumbers)
  }

  var panels: [ChartPanel] {
    let hasPicture = knowledge.fit.count >= Self.fewestAnswers
    return [ChartPanel("Memory model", .words(hasPicture ? words : [few]))]
      + (hasPicture ? [CalibrationPicture.panel("Predicted, and remembered", knowledge.fit, self)] : []) + [minutes]
  }

  private var few: String {
    "\(counted(knowledge.fit.count, "answer")) on later days: too few to say how well \(name) predicts your answers "
      + "(\(Self.fewestAnswers) are needed)."
  }

  private var name: String { knowledge.model == "fsrs-7" ? "FSRS-7" : "FSRS-6" }

  private var words: [String] {
    let fit = knowledge.fit
    let off = rounded(fit.rmse * 100, 2)
    var lines = [
      "\(name) predicted \(counted(fit.count, "answer")): \(off) % off on average, log loss "
        + "\(rounded(fit.logLoss, 4)), AUC \(rounded(fit.auc, 4))."
    ]
    if let refit = knowledge.refit {
      let (before, after) = (
        rounded(refit.before.logLoss, 4), rounded(refit.after.logLoss, 4)
      )
      lines.append(
        refit.isBetter && before != after
          ? "`deck optimize` would lower the log loss of FSRS-6 from \(before) to \(after) on held-out cards."
          : "`deck optimize` would find nothing better for FSRS-6.")
    }
    return lines
  }

  /// The cost at the deck's retention and at others, the lowest retention first.
  private var minutes: ChartPanel {
    let costs = ([knowledge.now] + knowledge.others).sorted { $0.retention < $1.retention }
    return ChartPanel(
      "Minutes a day at a retention of",
      .rows(
        costs.map { cost in
          let isNow = cost.retention == knowledge.now.retention
          let text = rounded(cost.minutes, 2) + (isNow ? " (now)" : "")
          return ChartPanel.Row(GoalWords(self).percent(cost.retention), cost.minutes, text)
        }))
  }
}
