// Regular expressions, by PCRE2.
// Invariant: the length of an expression, its depth, and the steps and the memory of a match are limited: what would
// exceed them is an error, and never taken for a card that does not match.

import CPCRE2

/// A compiled expression. It ignores case.
final class TextExpression: Equatable {
  /// In bytes.
  private static let longest = 2000
  private static let deepest: UInt32 = 50
  /// The limits of a match: steps, and memory in KiB.
  private static let mostSteps: UInt32 = 10_000_000
  private static let mostMemory: UInt32 = 20_000
  private static let options =
    PCRE2_CASELESS | PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C

  private let source: String
  private let code: OpaquePointer
  private let limits: OpaquePointer?
  private let result: OpaquePointer?

  /// - Throws: an error with the offset in characters and a text that completes "... expected".
  init(_ source: String) throws(ExpressionError) {
    let terms = pcre2_compile_context_create_8(nil)
    defer { pcre2_compile_context_free_8(terms) }
    pcre2_set_newline_8(terms, UInt32(PCRE2_NEWLINE_LF))
    pcre2_set_max_pattern_length_8(terms, Self.longest)
    pcre2_set_parens_nest_limit_8(terms, Self.deepest)
    var (number, offset): (Int32, Int) = (0, 0)
    let bytes = Array(source.utf8)
    guard let code = pcre2_compile_8(bytes, bytes.count, Self.options, &number, &offset, terms) else {
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

  static func == (one: TextExpression, other: TextExpression) -> Bool { one.source == other.source }
}

struct ExpressionError: Error {
  let offset: Int
  let expected: String
}
