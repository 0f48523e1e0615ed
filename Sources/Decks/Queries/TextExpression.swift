// Regular expressions over the texts of cards, and texts that take the place of others in fields. Invariant: the
// length, depth, steps and memory of an expression are limited: what would exceed them is an error, and never taken for
// a text that does not match. A replacement changes the text of a field alone, never its tags.

import CPCRE2
import Templates
import Text

/// A compiled expression.
final class TextExpression: Equatable {
  /// In bytes.
  private static let longest = 2000
  private static let deepest: UInt32 = 50
  /// The limits of a match: steps, and memory in KiB.
  private static let mostSteps: UInt32 = 10_000_000
  private static let mostMemory: UInt32 = 20_000
  static let withCase = PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C
  private static let withoutCase = withCase | PCRE2_CASELESS | PCRE2_MATCH_INVALID_UTF

  private let source: String
  private let code: OpaquePointer
  private let limits: OpaquePointer?
  private let result: OpaquePointer?
  private lazy var room = [UInt8](repeating: 0, count: CardTexts.limit + 1)

  /// - Throws: an error with the offset in characters and a text that completes "... expected".
  init(_ source: String, options: UInt32 = withoutCase) throws(ExpressionError) {
    let terms = pcre2_compile_context_create_8(nil)
    defer { pcre2_compile_context_free_8(terms) }
    pcre2_set_newline_8(terms, UInt32(PCRE2_NEWLINE_LF))
    pcre2_set_max_pattern_length_8(terms, Self.longest)
    pcre2_set_parens_nest_limit_8(terms, Self.deepest)
    var (number, offset): (Int32, Int) = (0, 0)
    let bytes = Array(source.utf8)
    guard let code = pcre2_compile_8(bytes, bytes.count, options, &number, &offset, terms) else {
      let before = String(decoding: bytes.prefix(offset), as: UTF8.self).count
      throw ExpressionError(offset: before, expected: "a valid expression (\(Self.words(number)))")
    }
    (self.source, self.code) = (source, code)
    (limits, result) = (pcre2_match_context_create_8(nil), pcre2_match_data_create_8(1, nil))
    pcre2_set_match_limit_8(limits, Self.mostSteps)
    pcre2_set_heap_limit_8(limits, Self.mostMemory)
  }

  deinit {
    pcre2_match_data_free_8(result)
    pcre2_match_context_free_8(limits)
    pcre2_code_free_8(code)
  }

  private static func words(_ number: Int32) -> String {
    let room = 200
    var text = [UInt8](repeating: 0, count: room)
    let count = pcre2_get_error_message_8(number, &text, room)
    return String(decoding: text.prefix(max(0, Int(count))), as: UTF8.self)
  }

  /// Whether the expression matches anywhere in a text.
  /// - Throws: `badQuery` when that takes too many steps.
  func matches(_ text: UnsafeBufferPointer<UInt8>) throws(DeckError) -> Bool {
    let found = pcre2_match_8(code, text.baseAddress, text.count, 0, 0, result, limits)
    if found >= 0 { return true }
    if found == PCRE2_ERROR_NOMATCH { return false }
    throw .badQuery(query: "re:\(source)", column: 4, expected: "an expression that takes fewer steps")
  }

  /// Returns a text with everything that matches replaced; nil if nothing does.
  /// - Parameter new: with `$1` or `${name}` for groups, unless `isLiteral`.
  /// - Throws: `badOption` if `new` cannot be used, or if it takes too many steps; `badText` for a result that is too
  ///   long.
  func replacing(_ text: String, by new: String, isLiteral: Bool) throws(DeckError) -> String? {
    let options = PCRE2_SUBSTITUTE_GLOBAL | (isLiteral ? PCRE2_SUBSTITUTE_LITERAL : 0)
    var count = room.count
    let found = pcre2_substitute_8(
      code, text, text.utf8.count, 0, options, nil, limits, new, new.utf8.count, &room, &count)
    switch found {
    case 0: return nil
    case 1...: return String(decoding: room[..<count], as: UTF8.self)
    case PCRE2_ERROR_NOMEMORY:
      throw .badText(what: "new text", reason: "has more than \(grouped(CardTexts.limit)) bytes")
    case PCRE2_ERROR_MATCHLIMIT, PCRE2_ERROR_DEPTHLIMIT, PCRE2_ERROR_HEAPLIMIT:
      throw .badOption(name: "OLD", reason: "must be an expression that takes fewer steps: \(quoted(source))")
    default: throw .badOption(name: "NEW", reason: "cannot be used: \(Self.words(found))")
    }
  }

  static func == (one: TextExpression, other: TextExpression) -> Bool { one.source == other.source }
}

struct ExpressionError: Error {
  let offset: Int
  let expected: String
}

/// A text to look for, as it is written, and the text that takes its place.
///
///     try TextReplacement(of: "colour", by: "color").applied(toHTML: "a <b>colour</b>")   // "a <b>color</b>"
public struct TextReplacement {
  private let expression: TextExpression
  private let new: String
  private let isLiteral: Bool

  /// - Parameter isExpression: whether `old` is a regular expression, whose groups `new` names as `$1` or `${name}`.
  /// - Throws: `badOption` for a text or an expression that cannot be looked for.
  public init(of old: String, by new: String, isExpression: Bool = false) throws(DeckError) {
    if old.isEmpty { throw .badOption(name: "OLD", reason: "must not be empty") }
    do throws(ExpressionError) {
      expression = try TextExpression(
        old.composed, options: isExpression ? TextExpression.withCase : PCRE2_UTF | PCRE2_LITERAL)
    } catch {
      throw .badOption(name: "OLD", reason: "must be \(error.expected): \(quoted(old))")
    }
    (self.new, isLiteral) = (new, !isExpression)
  }

  /// Returns a field with the text replaced between its tags, also where entities spell it; nil if it does not have it.
  /// - Throws: what `TextExpression.replacing` throws.
  public func applied(toHTML html: String) throws(DeckError) -> String? {
    let bytes = Bytes(html.utf8)
    var reader = HTMLReader(bytes[...]) { _ in false }
    var (result, start, isChanged) = (Bytes(), 0, false)
    while start < bytes.count {
      let end = reader.index
      switch reader.next() {
      case .text, .character: continue
      default: break
      }
      let text = HTMLEntities.decoded(bytes[start..<end].text).composed
      if let changed = try text.isEmpty ? nil : expression.replacing(text, by: new, isLiteral: isLiteral) {
        // A line end of HTML breaks no line.
        let lines = changed.split(at: "\n").map { FieldHTML.html(ofPlain: String($0)) }
        result += lines.joined(separator: "\n").replacing(text: "\u{A0}", with: "&nbsp;").utf8
        isChanged = true
      } else {
        result += bytes[start..<end]
      }
      result += bytes[end..<reader.index]
      start = reader.index
    }
    return isChanged ? result.text : nil
  }
}
