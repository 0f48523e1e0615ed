// What happened to the lines of a word list: how many words were kept, and how many lines were dropped for each reason.
// Invariant: every line of the list is counted once, as kept or under one reason.

public import Values

/// Why a line of a list gave no word. The raw values are fixed: compiled files store the counts in this order.
public enum DropReason: Int, CaseIterable, Sendable {
  case empty, notText, blank, apostrophe, hyphen, digit, sign, capital, short, long, duplicate

  /// The text for users, after a count: `12 with a hyphen`.
  public var title: String {
    switch self {
    case .empty: "empty"
    case .notText: "not UTF-8"
    case .blank: "with a space"
    case .apostrophe: "with an apostrophe"
    case .hyphen: "with a hyphen"
    case .digit: "with a digit"
    case .sign: "with another character"
    case .capital: "with a capital letter"
    case .short: "of one letter"
    case .long: "too long"
    case .duplicate: "duplicate"
    }
  }
}

/// The number of kept words and of dropped lines by reason.
public struct CompileReport: Equatable, Sendable {
  public internal(set) var kept = 0
  /// Counts in the order of `DropReason`.
  var counts = [Int](repeating: 0, count: DropReason.allCases.count)

  public subscript(reason: DropReason) -> Int {
    get { counts[reason.rawValue] }
    set { counts[reason.rawValue] = newValue }
  }

  public var dropped: [(reason: DropReason, count: Int)] {
    DropReason.allCases.compactMap { self[$0] > 0 ? ($0, self[$0]) : nil }
  }

  /// What `--json` prints: the words, and the dropped lines by reason.
  public var value: Value {
    .record(["words": kept, "dropped": Value.record(dropped.map { ("\($0.reason)", .integer($0.count)) })])
  }
}
