// A progress line for long work. For work that takes less than a second nothing is drawn, unless requested.
// Invariant: the line is drawn only when the cursor can be moved, at most ten times a second, and is removed when the
// work is done.

import Text

package final class ProgressLine {
  private static let delay = 1.0
  private static let interval = 0.1
  private static let longestBar = 28

  private let label: String
  private var total: Int?
  private let unit: String
  private let terminal: Terminal
  private let now: () -> Double
  private let write: (String) -> Void
  private let start: Double
  private var nextDrawing: Double
  private var isDrawn = false
  private var isOver = false
  package private(set) var done = 0

  /// - Parameters:
  ///   - total: the number of steps; nil or 0 when it is unknown.
  ///   - unit: what a step is, in the plural: `cards`.
  ///   - isDelayed: whether nothing is drawn within the first second.
  ///   - now: the seconds of a monotonic clock.
  ///   - write: writes text to the terminal unchanged.
  package init(
    _ label: String, total: Int? = nil, unit: String = "", on terminal: Terminal, isDelayed: Bool = true,
    now: @escaping () -> Double,
    write: @escaping (String) -> Void
  ) {
    self.label = printable(label)
    self.total = total.flatMap { $0 > 0 ? $0 : nil }
    (self.unit, self.terminal, self.now, self.write) = (unit, terminal, now, write)
    start = terminal.canRedraw ? now() : 0
    nextDrawing = isDelayed ? start + Self.delay : start
  }

  /// Adds completed steps.
  package func step(_ count: Int = 1) {
    let (sum, overflow) = done.addingReportingOverflow(max(0, count))
    done = overflow ? Int.max : sum
    draw()
  }

  /// Sets the number of completed steps, and the total if it has become known.
  package func reach(_ count: Int, of all: Int? = nil) {
    done = max(0, count)
    if let all, all > 0 { total = all }
    draw()
  }

  /// Removes the line; the work has ended, successfully or not.
  package func finish() {
    if isDrawn { write("\r\u{1B}[K") }
    isDrawn = false
    isOver = true
  }

  private func draw() {
    guard terminal.canRedraw, !isOver else { return }
    let time = now()
    guard time >= nextDrawing else { return }
    nextDrawing = time + Self.interval
    isDrawn = true
    write("\r" + text(elapsed: max(time - start, 0.001)) + "\u{1B}[K")
  }

  private func text(elapsed: Double) -> String {
    let rate = Double(done) / elapsed
    var facts: [String] = []
    if let total {
      let percent = Int((min(1, Double(done) / Double(total)) * 100).rounded(.down))
      facts.append(String(percent).filled(to: 3, atStart: true) + " %")
    } else if done == 0 {
      // Nothing is counted yet, so the elapsed time is shown.
      facts.append(Self.duration(elapsed))
    } else {
      facts.append(grouped(done) + (unit.isEmpty ? "" : " " + unit))
    }
    // Beside a percentage, a rate is useful only with a unit.
    if rate > 0, total == nil || !unit.isEmpty {
      facts.append(Self.rounded(rate) + (unit.isEmpty ? "/s" : " \(unit)/s"))
    }
    if let total, rate > 0, done < total { facts.append(Self.duration(Double(total - done) / rate) + " left") }
    // The last column stays free, because some terminals wrap when it is written.
    let width = terminal.width - 1
    let rest = facts.joined(separator: "  ")
    let room = width - label.displayWidth - rest.displayWidth - 4
    guard let total, room >= 8 else { return (label + "  " + rest).cut(to: width) }
    let fraction = min(1, Double(done) / Double(total))
    return label + "  " + bar(fraction, width: min(room, Self.longestBar)) + "  " + rest
  }

  private func bar(_ fraction: Double, width: Int) -> String {
    let full = Int(fraction * Double(width))
    guard terminal.usesUnicode else {
      return String(repeating: "#", count: full) + String(repeating: "-", count: width - full)
    }
    let tip = full < width ? "╸" : ""
    let rest = String(repeating: terminal.usesColor ? "━" : "─", count: max(0, width - full - 1))
    return String(repeating: "━", count: full) + tip + terminal.styled(rest, .dim)
  }

  /// Rounds to three significant digits, since a changing number cannot be read more precisely.
  private static func rounded(_ rate: Double) -> String {
    guard rate >= 10 else { return "\((rate * 10).rounded() / 10)" }
    var scale = 1.0
    while rate / scale >= 1000 { scale *= 10 }
    return grouped(Int(exactly: ((rate / scale).rounded() * scale).rounded()) ?? Int.max)
  }

  /// Formats a duration: `0.4 s`, `12 s`, `3 min`, `2 h`.
  private static func duration(_ seconds: Double) -> String {
    switch seconds {
    case ..<10: "\((seconds * 10).rounded() / 10) s"
    case ..<100: "\(Int(seconds.rounded())) s"
    case ..<6_000: "\(Int((seconds / 60).rounded())) min"
    case ..<3_600_000: "\(Int((seconds / 3600).rounded())) h"
    default: "long"
    }
  }
}
