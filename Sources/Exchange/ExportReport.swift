// How a deck is exported, and what an export did.
// Invariant: what the file does not hold is counted.

public import Values

/// How a deck is exported.
///
///     var options = ExportOptions()
///     (options.format, options.hasSchedule) = (.json, true)
public struct ExportOptions: Sendable {
  /// nil: by the file's ending.
  public var format: CardFormat?
  /// Whether the cards' schedules are written where the format can hold them.
  public var hasSchedule = false
  /// Whether cells that a spreadsheet would run as formulas are guarded.
  public var isForSpreadsheet = false

  public init() {}
}

/// What an export did.
///
///     print("\(report.cards) cards, \(report.bytes) bytes")
public struct ExportReport: Sendable {
  public let cards: Int
  public let bytes: Int
  /// What the file could not hold, and of how many cards (of how many decks for options).
  public let lost: [(part: CardPart, count: Int)]

  public init(cards: Int, bytes: Int, lost: [CardPart: Int] = [:]) {
    (self.cards, self.bytes) = (cards, bytes)
    self.lost = CardPart.allCases.compactMap { part in lost[part].map { (part, $0) } }
  }

  /// As `--json` prints it and Lua reads it.
  public var value: Value {
    .record([
      ("cards", .integer(cards)), ("bytes", .integer(bytes)),
      ("lost", .record(lost.map { ($0.part.rawValue, .integer($0.count)) })),
    ])
  }
}
