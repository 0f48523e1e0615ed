// The options of printing cards. Invariant: the same options, cards and fonts give the same bytes.

/// The kinds of printed sheets.
public enum PaperKind: String, CaseIterable, Sendable {
  /// Cards to cut out.
  case cards
  /// Sentences with gaps.
  case cloze
  /// Prompts and shuffled answers, to join with lines.
  case match
  /// Words hidden in a square of letters.
  case search
  /// Prompts and answers in two columns, to fold between.
  case list
}

/// Where the answers of cards to cut out are printed.
public enum PaperSides: String, CaseIterable, Sendable {
  /// On the back of the sheet, printed on both sides and turned at the long edge.
  case two
  /// Beside their prompts, to fold between.
  case fold
}

public enum PaperSize: String, CaseIterable, Sendable {
  case a4, letter

  /// In points, upright.
  var width: Double { self == .a4 ? 595.28 : 612 }
  var height: Double { self == .a4 ? 841.89 : 792 }
}

/// The number of cards across and down.
///
///     PaperGrid("2x5")?.rows   // 5
public struct PaperGrid: Equatable, Sendable {
  public let columns: Int
  public let rows: Int

  /// The allowed numbers of columns and of rows.
  public static let sides = 1...10
  static let toCut = PaperGrid(columns: 2, rows: 5)
  static let toFold = PaperGrid(columns: 1, rows: 5)

  private init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }

  /// Parses two numbers within `sides` with an `x` between them; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let columns = parts[0], let rows = parts[1], Self.sides.contains(columns),
      Self.sides.contains(rows)
    else { return nil }
    self.init(columns: columns, rows: rows)
  }
}

/// How a deck is printed.
///
///     var options = PaperOptions()
///     (options.kind, options.seed) = (.match, 7)
public struct PaperOptions: Equatable, Sendable {
  public var kind = PaperKind.cards
  public var size = PaperSize.a4
  /// The grid of cards to cut out; nil for 2 by 5, or 1 by 5 for cards to fold.
  public var grid: PaperGrid?
  public var sides = PaperSides.two
  /// The version: each seed yields another order. Without one, cards and lists keep their order, and worksheets are
  /// version 1.
  public var seed: Int?

  public init() {}
}

/// A side of a card: its text and its pictures; nil for a picture that cannot be shown.
public struct PaperSide: Equatable, Sendable {
  public var text: String
  public var pictures: [Picture?]

  public init(_ text: String, pictures: [Picture?] = []) { (self.text, self.pictures) = (text, pictures) }

  var isEmpty: Bool { text.isEmpty && pictures.isEmpty }
}

/// What was printed.
public struct PaperReport: Equatable, Sendable {
  public var pages = 0
  public var cards = 0
  /// The cards with nothing to print on this kind of sheet.
  public var leftOut = 0
}
