// A card's question for a typed answer, and the comparison of a typed answer with the expected one, letter by letter.
// Invariant: the comparison is a pure function; its time is bounded, whatever was typed.

import Text

/// A card's question for a typed answer: `{{type:Back}}` on its front.
public struct TypedQuestion: Equatable, Sendable {
  /// The expected answer, in one line without formatting; never empty.
  public let expected: String
  /// `{{type:nc:Back}}`: a missing or wrong diacritic is not a mistake.
  public let ignoresAccents: Bool

  public init(expected: String, ignoresAccents: Bool) {
    (self.expected, self.ignoresAccents) = (expected, ignoresAccents)
  }
}

/// A typed answer compared with the expected one.
///
///     let compared = TypedComparison(typed: "el pero", expected: "el perro")
///     compared.typed      // right "el per", missing "-", right "o"
///     compared.expected   // right "el per", missing "r", right "o"
public struct TypedComparison: Equatable, Sendable {
  public enum Mark: Sendable {
    case right
    /// Typed, but not in the expected answer.
    case wrong
    /// In the expected answer, but not typed. `typed` shows a `-` for each such letter.
    case missing
  }

  public struct Part: Equatable, Sendable {
    public fileprivate(set) var text: String
    public let mark: Mark

    public init(_ text: String, _ mark: Mark) { (self.text, self.mark) = (text, mark) }
  }

  public private(set) var typed: [Part] = []
  public private(set) var expected: [Part] = []
  public let isRight: Bool

  /// The limit of the product of both lengths; beyond it, only the common beginning and end are compared.
  private static let mostCells = 4_000_000

  /// Whitespace at both ends is ignored.
  /// - Parameter ignoresAccents: whether `e` is right where `é` is expected.
  public init(typed given: String, expected wanted: String, ignoresAccents: Bool = false) {
    let (given, wanted) = (Array(given.trimmed.composed), Array(wanted.trimmed.composed))
    let compared = { (letter: Character) in ignoresAccents ? letter.withoutAccents : String(letter) }
    let (mine, right) = (given.map(compared), wanted.map(compared))
    isRight = mine == right
    let start = zip(mine, right).prefix { $0 == $1 }.count
    let end = zip(mine.dropFirst(start).reversed(), right.dropFirst(start).reversed()).prefix { $0 == $1 }.count
    for index in 0..<start { addRight(given[index], wanted[index]) }
    let (mineLeft, rightLeft) = (start..<mine.count - end, start..<right.count - end)
    if mineLeft.count * rightLeft.count <= Self.mostCells {
      addAligned(given, wanted, mineLeft, rightLeft) { mine[$0] == right[$1] }
    } else {
      for index in mineLeft { add(given[index], .wrong) }
      for index in rightLeft { addMissing(wanted[index], isTyped: false) }
    }
    for index in 0..<end { addRight(given[mineLeft.upperBound + index], wanted[rightLeft.upperBound + index]) }
  }

  /// Aligns both by the fewest changes (Levenshtein distance).
  private mutating func addAligned(
    _ given: [Character], _ wanted: [Character], _ mine: Range<Int>, _ right: Range<Int>,
    isSame: (Int, Int) -> Bool
  ) {
    let width = right.count + 1
    // The distance from each pair of positions to the ends of both.
    var costs = [Int32](repeating: 0, count: (mine.count + 1) * width)
    for row in stride(from: mine.count, through: 0, by: -1) {
      for column in stride(from: right.count, through: 0, by: -1) {
        let place = row * width + column
        if row == mine.count || column == right.count {
          costs[place] = Int32(mine.count - row + right.count - column)
        } else if isSame(mine.lowerBound + row, right.lowerBound + column) {
          costs[place] = costs[place + width + 1]
        } else {
          costs[place] = 1 + min(costs[place + width + 1], costs[place + width], costs[place + 1])
        }
      }
    }
    var (row, column) = (0, 0)
    while row < mine.count || column < right.count {
      let place = row * width + column
      let (letter, other) = (mine.lowerBound + row, right.lowerBound + column)
      if row < mine.count, column < right.count, isSame(letter, other) {
        addRight(given[letter], wanted[other])
        (row, column) = (row + 1, column + 1)
      } else if row < mine.count, column < right.count, costs[place] == 1 + costs[place + width + 1] {
        add(given[letter], .wrong)
        addMissing(wanted[other], isTyped: true)
        (row, column) = (row + 1, column + 1)
      } else if row < mine.count, column == right.count || costs[place] == 1 + costs[place + width] {
        add(given[letter], .wrong)
        row += 1
      } else {
        addMissing(wanted[other], isTyped: false)
        column += 1
      }
    }
  }

  private mutating func addRight(_ given: Character, _ wanted: Character) {
    add(given, .right)
    TypedComparison.add(String(wanted), .right, to: &expected)
  }

  private mutating func add(_ given: Character, _ mark: Mark) { TypedComparison.add(String(given), mark, to: &typed) }

  /// - Parameter isTyped: whether another letter was typed in its place.
  private mutating func addMissing(_ wanted: Character, isTyped: Bool) {
    if !isTyped { TypedComparison.add("-", .missing, to: &typed) }
    TypedComparison.add(String(wanted), .missing, to: &expected)
  }

  private static func add(_ text: String, _ mark: Mark, to parts: inout [Part]) {
    if parts.last?.mark == mark { parts[parts.count - 1].text += text } else { parts.append(Part(text, mark)) }
  }
}

extension Character {
  fileprivate var withoutAccents: String {
    var result = ""
    for scalar in String(self).decomposed.unicodeScalars where !scalar.isCombiningDiacritic {
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}
