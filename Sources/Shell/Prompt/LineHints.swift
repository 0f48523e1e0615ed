// Hints for a line while it is typed: the styles of its parts, and help for the word at the cursor.
// Invariant: asking for hints changes nothing; ranges are in UTF-8 bytes of the line.

import CTerminal

/// The style of a part of a line.
package enum LineStyle: Equatable, Sendable {
  case command, option, string, keyword, number, comment
  /// A name that exists, and one that does not.
  case known, unknown
  /// The bracket at the cursor and its partner, and a bracket without a partner.
  case bracket, wrongBracket

  var code: line_editor_style {
    switch self {
    case .command: LINE_COMMAND
    case .option: LINE_OPTION
    case .string: LINE_STRING
    case .keyword: LINE_KEYWORD
    case .number: LINE_NUMBER
    case .comment: LINE_COMMENT
    case .known: LINE_KNOWN
    case .unknown: LINE_UNKNOWN
    case .bracket: LINE_BRACKET
    case .wrongBracket: LINE_WRONG_BRACKET
    }
  }
}

/// A range of a line with a style; where ranges overlap, the later one wins.
package struct StyledPart: Equatable, Sendable {
  package let range: Range<Int>
  package let style: LineStyle

  package init(_ range: Range<Int>, _ style: LineStyle) { (self.range, self.style) = (range, style) }
}

/// The callbacks that provide hints for a line while it is typed.
package struct LineHints {
  /// Whether the line is coloured and completed with a suggestion from the history.
  package var areShown: () -> Bool = { false }
  package var parts: (_ line: String, _ cursor: Int) -> [StyledPart] = { _, _ in [] }
  /// Shows help for the word at the cursor on separate lines.
  package var showHelp: (_ line: String, _ cursor: Int) -> Void = { _, _ in }
  /// Lists what an empty line could be, on separate lines; false when there is nothing to list.
  package var showAll: () -> Bool = { false }
  /// Opens the line in the user's editor and returns the result.
  package var edited: (_ line: String) -> String = { $0 }

  package init() {}
}
