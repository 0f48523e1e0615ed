// What a line reader is told of a line while it is typed: how its parts look, and help for the word at the cursor.
// Invariant: asking changes nothing; ranges are in UTF-8 bytes of the line.

import CTerminal

/// What a part of a line is.
package enum LineStyle: Equatable, Sendable {
  case command, option, string, keyword, number, comment
  /// A name that leads to something, and one that leads to nothing.
  case known, unknown
  /// The bracket at the cursor with its partner, and one that has none.
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

/// A part of a line in a style; of parts that overlap the later one counts.
package struct StyledPart: Equatable, Sendable {
  package let range: Range<Int>
  package let style: LineStyle

  package init(_ range: Range<Int>, _ style: LineStyle) { (self.range, self.style) = (range, style) }
}

/// Who is asked about a line while it is typed.
package struct LineHints {
  /// Whether the line is coloured, and goes on with a suggestion from the history.
  package var areShown: () -> Bool = { false }
  package var parts: (_ line: String, _ cursor: Int) -> [StyledPart] = { _, _ in [] }
  /// Shows help for the word at the cursor on lines of its own.
  package var showHelp: (_ line: String, _ cursor: Int) -> Void = { _, _ in }
  /// Shows what an empty line could be, on lines of its own; false where nothing is special about it.
  package var showAll: () -> Bool = { false }
  /// The line as the user's editor leaves it.
  package var edited: (_ line: String) -> String = { $0 }

  package init() {}
}
