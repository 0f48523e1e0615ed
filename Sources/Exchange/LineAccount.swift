// What became of each line of a file of cards. In formats without lines, each element or record counts as a line.
// Invariant: a line that is not blank is in a row, used, or left with a reason. What a reader forgets is left as
// `not_accounted`, which is a fault of the reader.

public import Decks
import Text
public import Values

public enum LeftReason: String, Sendable, CaseIterable {
  case answerWithoutQuestion = "answer_without_question", code, comment
  /// A comment with an id or tags that belongs to no card.
  case factsWithoutCard = "facts_without_card"
  case noCards = "no_cards", noCloze = "no_cloze", noSeparator = "no_separator", notAccounted = "not_accounted"
  case noType = "no_type", otherFields = "other_fields", otherFormat = "other_format"
  /// What a plugin's reader says, in the name of the lines.
  case other
  case outside, pair, repeatedGuid = "repeated_guid", unclosedComment = "unclosed_comment", unknownKey = "unknown_key"

  /// Completes "line 3: ...".
  public var words: String {
    switch self {
    case .answerWithoutQuestion: "an answer without a question"
    case .code: "code outside of a card"
    case .comment: "a comment"
    case .factsWithoutCard: "a comment for a card where there is none"
    case .noCards: "a note without cards"
    case .noCloze: "a text after C: without a [gap]"
    case .noSeparator: "without the separator of the list, or with two of it"
    case .notAccounted: "not read; please report this as a fault"
    case .noType: "a note whose note type is not in the file"
    case .otherFields: "a note with more or fewer fields than its note type"
    case .otherFormat: "cards in a notation of another program"
    case .other: "for another reason"
    case .outside: "text outside of a card"
    case .pair: "a pair with ::, which is not a card here"
    case .repeatedGuid: "a note with the guid of another note of the file"
    case .unclosedComment: "a comment that is never closed"
    case .unknownKey: "a key that is not known"
    }
  }
}

public struct LeftLines: Equatable, Sendable {
  public let line: Int
  public let to: Int
  public let reason: LeftReason
  public var name = ""
  /// The place in a format without lines: `note 5`.
  public var part: String?
  public var file: String?

  public var inWords: String {
    if reason == .other { return printable(name, limit: 200) }
    return name.isEmpty ? reason.words : "\(reason.words): \(printable(name, limit: 60))"
  }

  public var place: RowPlace { RowPlace(line: line, part: part, file: file) }
}

/// The sums of an account: `lines` is blank, rows, used and left together.
public struct LineReport: Equatable, Sendable {
  public internal(set) var (blank, rows, used) = (0, 0, 0)
  public internal(set) var left: [LeftReason: Int] = [:]
  public internal(set) var parts: [LeftLines] = []

  public var leftCount: Int { left.values.reduce(0, +) }
  public var lines: Int { blank + rows + used + leftCount }

  public var isUnread: Bool { rows == 0 && (used == 0 || leftCount > 0) }

  public mutating func add(_ other: LineReport, file: String?) {
    (blank, rows, used) = (blank + other.blank, rows + other.rows, used + other.used)
    left.merge(other.left, uniquingKeysWith: +)
    for var part in other.parts.prefix(max(0, 1_000 - parts.count)) {
      part.file = part.file ?? file
      parts.append(part)
    }
  }

  mutating func leave(_ part: LeftLines, count: Int) {
    left[part.reason, default: 0] += count
    guard let last = parts.last, last.to + 1 == part.line, last.reason == part.reason, last.name == part.name,
      part.part == nil
    else {
      if parts.count < 1_000 { parts.append(part) }
      return
    }
    parts[parts.count - 1] = LeftLines(line: last.line, to: part.to, reason: part.reason, name: part.name)
  }

  public var fields: [(String, Value)] {
    let list = parts.map { part in
      let lines = [("line", Value.integer(part.line)), ("to", .integer(part.to))]
      let isOther = part.reason == .other
      return Value.record(
        (part.part.map { [("part", Value.text($0))] } ?? lines)
          + [("reason", .text(isOther ? part.name : part.reason.rawValue))]
          + (part.name.isEmpty || isOther ? [] : [("name", .text(part.name))])
          + (part.file.map { [("file", .text($0))] } ?? []))
    }
    return [
      ("lines", .integer(lines)), ("blank", .integer(blank)), ("rows", .integer(rows)), ("used", .integer(used)),
      ("left_count", .integer(leftCount)), ("left", .list(list)),
    ]
  }
}

/// The account of one file, kept by its source and its reader: one bit for each line.
final class LineAccount {
  private(set) var report = LineReport()
  /// The lines that a reader both left and gave to a row.
  private(set) var contradictions = 0
  private var known: [UInt64] = []
  private var ofRows: [UInt64] = []
  /// The number of elements, when they are counted instead of lines.
  private(set) var elements: Int?

  func countElements() { elements = 0 }

  func nextElement() -> Int {
    let number = (elements ?? 0) + 1
    elements = number
    return number
  }

  func blank(_ line: Int) { if elements == nil { report.blank += mark(line...line) } }

  func use(_ lines: ClosedRange<Int>) { report.used += mark(lines) }

  func row(_ lines: ClosedRange<Int>) {
    let fresh = mark(lines)
    report.rows += fresh
    if fresh == 0, !lines.contains(where: { Self.has($0, ofRows) }) { contradictions += 1 }
    for line in lines { Self.set(line, &ofRows) }
  }

  /// - Parameters:
  ///   - place: the lines of the file, when elements are counted.
  ///   - part: the place in words, in a format without lines.
  func leave(
    _ lines: ClosedRange<Int>, _ reason: LeftReason, name: String = "", at place: Int? = nil, part: String? = nil
  ) {
    if lines.contains(where: { Self.has($0, ofRows) }) { contradictions += 1 }
    let left = LeftLines(
      line: place ?? lines.lowerBound, to: place ?? lines.upperBound, reason: reason, name: name, part: part)
    report.leave(left, count: mark(lines))
  }

  func end(lines: Int) {
    defer { report.parts.sort { $0.line < $1.line } }
    let count = elements ?? lines
    if report.lines == count { return }
    for line in 1...max(1, count) where line <= count && !Self.has(line, known) { leave(line...line, .notAccounted) }
  }

  /// Notes that lines have a meaning, and returns how many of them had none yet.
  @discardableResult func mark(_ lines: ClosedRange<Int>) -> Int {
    var fresh = 0
    for line in lines where !Self.has(line, known) {
      Self.set(line, &known)
      fresh += 1
    }
    return fresh
  }

  private static func has(_ line: Int, _ bits: [UInt64]) -> Bool {
    line >> 6 < bits.count && bits[line >> 6] & (1 << UInt64(line & 63)) != 0
  }

  private static func set(_ line: Int, _ bits: inout [UInt64]) {
    let missing = (line >> 6) + 1 - bits.count
    if missing > 0 { bits += Array(repeating: 0, count: max(64, bits.count, missing)) }
    bits[line >> 6] |= 1 << UInt64(line & 63)
  }
}
