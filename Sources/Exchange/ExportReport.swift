// The options of an export, and its report.
// Invariant: what the file does not hold is counted.

public import Values

/// The options of a deck export.
///
///     var options = ExportOptions()
///     (options.format, options.hasSchedule) = (.json, true)
public struct ExportOptions: Sendable {
  /// Nil: determined by the file's extension.
  public var format: CardFormat?
  /// Whether the cards' schedules are written, if the format can hold them.
  public var hasSchedule = false
  /// Whether cells that a spreadsheet would run as formulas are escaped.
  public var isForSpreadsheet = false
  /// Whether a card that is too large for a row is an error, which leaves the file unchanged.
  public var isComplete = false

  public init() {}
}

/// The report of an export.
///
///     print("\(report.cards) cards, \(report.bytes) bytes")
public struct ExportReport: Sendable {
  public let cards: Int
  public let bytes: Int
  /// What the file could not hold, with the number of cards affected (for options, of decks).
  public let lost: [(part: CardPart, count: Int)]
  /// The first fields of cards that are not in the file, at most six.
  public let omitted: [String]

  public init(cards: Int, bytes: Int, lost: [CardPart: Int] = [:], omitted: [String] = []) {
    (self.cards, self.bytes, self.omitted) = (cards, bytes, omitted)
    self.lost = CardPart.allCases.compactMap { part in lost[part].map { (part, $0) } }
  }

  /// The report as `--json` prints it and Lua reads it.
  public var value: Value {
    .record([
      ("cards", .integer(cards)), ("bytes", .integer(bytes)),
      ("lost", .record(lost.map { ($0.part.rawValue, .integer($0.count)) })),
    ])
  }
}
