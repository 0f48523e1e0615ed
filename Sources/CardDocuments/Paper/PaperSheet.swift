// A deck as a PDF for printing, and the options of that. Invariant: the file holds its old content or all pages; for
// cards to cut out, at most one sheet is in memory in this process. The same options, cards and fonts give the same
// bytes.

import Files
import Values
import Wire

/// Draws cards on pages.
///
///     let sheet = PaperSheet(titled: "Spanish", options)
///     let report = try sheet.write(count, to: "spanish.pdf", by: program) { index in (front, back) }
public struct PaperSheet {
  private let title: String
  private let options: PaperOptions

  public static let mostCards = 10_000

  public init(titled title: String, _ options: PaperOptions) { (self.title, self.options) = (title, options) }

  /// - Parameters:
  ///   - drawn: called with the number of cards done, to show progress; an error that it throws ends the printing.
  ///   - card: returns both sides of a card; called once for each card.
  /// - Throws: `DocumentError`, and what `card` throws; the file is then unchanged.
  public func write(
    _ count: Int, to path: String, by drawing: DrawingProgram, drawn: (Int) throws -> Void = { _ in },
    card: (Int) throws -> (front: PaperSide, back: PaperSide)
  ) throws -> PaperReport {
    guard DrawingFormat(path: path) == .pdf else { throw DocumentError.unknownEnding(path: path, expected: ".pdf") }
    guard count > 0 else { throw DocumentError.nothingToPrint(options.kind) }
    guard count <= Self.mostCards else { throw DocumentError.tooManyToPrint(limit: Self.mostCards) }
    var numbers = SeededNumbers(seed: options.seed ?? 1)
    let order = options.seed == nil ? Array(0..<count) : Array(0..<count).shuffled(using: &numbers)
    var pages = Pages(drawing: drawing)
    try pages.begin()
    if options.kind == .cards {
      try cut(order, onto: &pages, drawn, card)
    } else {
      try fill(order, numbers, onto: &pages, drawn, card)
    }
    guard pages.report.pages > 0 else { throw DocumentError.nothingToPrint(options.kind) }
    try writeWhole(pages.finish(), to: path)
    return pages.report
  }

  private func cut(
    _ order: [Int], onto pages: inout Pages, _ drawn: (Int) throws -> Void,
    _ card: (Int) throws -> (front: PaperSide, back: PaperSide)
  ) throws {
    let cut = CutCards(size: options.size, title: title)
    let sheets = (order.count + CutCards.perPage - 1) / CutCards.perPage
    let version = options.seed.map { ", version \($0)" } ?? ""
    for sheet in 0..<sheets {
      let some = order[(sheet * CutCards.perPage)..<min((sheet + 1) * CutCards.perPage, order.count)]
      let name = "\(title), sheet \(sheet + 1) of \(sheets)\(version)"
      for scene in cut.pages(try some.map(card), sheet: name) { try pages.add(scene) }
      pages.report.cards += some.count
      try drawn(pages.report.cards)
    }
  }

  private func fill(
    _ order: [Int], _ numbers: SeededNumbers, onto pages: inout Pages, _ drawn: (Int) throws -> Void,
    _ card: (Int) throws -> (front: PaperSide, back: PaperSide)
  ) throws {
    var cards: [(front: PaperSide, back: PaperSide)] = []
    for index in order {
      cards.append(try card(index))
      try drawn(cards.count)
    }
    let drawing = pages.drawing
    var sheet = Worksheet(options, titled: title, numbers: numbers) { queries throws(ProgramFailure) in
      try drawing.measure(queries)
    }
    do throws(ProgramFailure) { try sheet.fill(cards) } catch { throw DocumentError.drawing(error) }
    for page in sheet.pages { try pages.add(page.scene(titled: title)) }
    (pages.report.cards, pages.report.leftOut) = (sheet.cards, cards.count - sheet.cards)
  }
}

/// Sends pages to the drawing program, one after another.
private struct Pages {
  let drawing: DrawingProgram
  var report = PaperReport()

  func begin() throws(DocumentError) {
    do throws(ProgramFailure) { try drawing.discardSheet() } catch { throw .drawing(error) }
  }

  mutating func add(_ scene: Scene) throws(DocumentError) {
    do throws(ProgramFailure) { _ = try drawing.drawOnce(.addPage(scene)) } catch { throw .drawing(error) }
    report.pages += 1
  }

  func finish() throws(DocumentError) -> [UInt8] {
    do throws(ProgramFailure) { return try drawing.finishSheet() } catch { throw .drawing(error) }
  }
}

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
  /// Each seed is a version with its own order. Without one, cards and lists keep theirs; worksheets are version 1.
  public var seed: UInt64?

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
