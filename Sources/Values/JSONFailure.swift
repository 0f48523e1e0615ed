// Why a text cannot be read as JSON: the limits, and the failure with its position.

import Text

public struct JSONLimits: Equatable, Sendable {
  /// Bytes of the whole text.
  public var bytes: Int
  /// How deeply lists and records may be nested.
  public var depth: Int
  /// The number of values of all kinds together.
  public var values: Int
  public var string: Int

  public init(bytes: Int, depth: Int, values: Int, string: Int) {
    (self.bytes, self.depth, self.values, self.string) = (bytes, depth, values, string)
  }
}

/// Where and why a text is not JSON, or exceeds a limit.
public struct JSONFailure: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    /// Something other than what was expected was found; `found` is nil at the end of the text.
    case expected(String, found: String?)
    case notUTF8
    case controlCharacter
    case badEscape
    case loneSurrogate
    case keyTwice(String)
    case tooLong(limit: Int)
    case tooDeep(limit: Int)
    case tooMany(limit: Int)
    case stringTooLong(limit: Int)
  }

  public let reason: Reason
  /// 1-based; the column counts characters (Unicode scalars).
  public let line: Int
  public let column: Int

  /// The words with their place, for a message that begins with the file: `line 3, column 7: ...`.
  public var placedWords: String { "line \(line), column \(column): \(words)" }

  /// What was expected, or which limit was exceeded: for a message that begins with the file, line and column.
  public var words: String { reason.words }
}

extension JSONFailure.Reason {
  public var words: String {
    switch self {
    case .expected(let expected, let found):
      "\(expected) expected, \(found.map { "\($0) found" } ?? "the file ends here")"
    case .notUTF8: "not UTF-8 in this text"
    case .controlCharacter: "a text contains a control character; write it as \\u and its number"
    case .badEscape: "unknown escape; \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four hexadecimal digits expected"
    case .loneSurrogate: "half of a surrogate pair: a \\u from D800 to DFFF needs its other half"
    case .keyTwice(let key): "the key \(quoted(key)) occurs twice in this object"
    case .tooLong(let limit):
      "the file is larger than \(limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(grouped(limit >> 20)) MiB")"
    case .tooDeep(let limit): "lists and objects nested more than \(limit) deep"
    case .tooMany(let limit): "more than \(grouped(limit)) values"
    case .stringTooLong(let limit): "longer than \(grouped(limit)) bytes"
    }
  }
}
