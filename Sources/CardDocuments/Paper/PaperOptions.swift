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

/// How a deck is printed.
public struct PaperOptions: Equatable, Sendable {
  public var kind = PaperKind.cards
  public var size = PaperSize.a4
  public var sides = PaperSides.two
  /// Each seed is a version with its own order. Without one, cards and lists keep theirs; worksheets are version 1.
  public var seed: Int?

  public init() {}
}

/// A side of a card: its pictures, nil for one that cannot be shown, and the text above and below them.
public struct PaperSide: Equatable, Sendable {
  public var above: String
  public var pictures: [Picture?]
  public var below: String

  public init(_ above: String, pictures: [Picture?] = [], below: String = "") {
    (self.above, self.pictures, self.below) = (above, pictures, below)
  }

  var text: String { [above, below].filter { !$0.isEmpty }.joined(separator: "\n") }
  var isEmpty: Bool { text.isEmpty && pictures.isEmpty }
}

/// What was printed.
public struct PaperReport: Equatable, Sendable {
  public var pages = 0
  public var cards = 0
  /// The cards with nothing to print on this kind of sheet.
  public var leftOut = 0
}
