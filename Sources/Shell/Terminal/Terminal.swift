// What is known of the terminal, or that there is none: decided once, from facts that are handed in.
// Invariant: nothing here asks the system; a pipe, NO_COLOR and TERM=dumb give plain text.

import Text

package struct Terminal {
  package enum ColorChoice: String, CaseIterable, Sendable { case auto, always, never }

  /// A user types: standard input is a terminal.
  package var hasKeyboard: Bool
  /// A user sees it: the output is a terminal.
  package var hasScreen: Bool
  /// It cannot move the cursor (TERM=dumb).
  package var isDumb: Bool
  package var usesColor: Bool
  /// Signs beyond ASCII may be drawn; texts of cards are UTF-8 always.
  package var usesUnicode: Bool
  /// Entries of a list or table that are shown; nil for all.
  package var rowLimit: Int?
  /// A screen reader reads it: plain lines in reading order, nothing drawn again.
  package var usesScreenReader = false
  /// Right and wrong are told by sign and word, not by colour alone.
  package var differentiatesWithoutColor = false
  /// Nothing moves by itself.
  package var reducesMotion = false
  /// Columns and rows now; nil where the terminal does not say.
  private let currentSize: () -> (columns: Int, rows: Int)?

  package init(
    hasKeyboard: Bool, hasScreen: Bool, color: ColorChoice = .auto, environment: (String) -> String? = { _ in nil },
    size: @escaping () -> (columns: Int, rows: Int)? = { nil }
  ) {
    self.hasKeyboard = hasKeyboard
    self.hasScreen = hasScreen
    isDumb = ["dumb", "", nil].contains(environment("TERM"))
    let wantsNone = environment("NO_COLOR")?.isEmpty == false
    usesColor = color == .always || color == .auto && hasScreen && !isDumb && !wantsNone
    usesUnicode = !hasScreen || Self.isUTF8(environment)
    currentSize = size
  }

  /// Columns; 80 where nothing better is known.
  package var width: Int { max(20, currentSize()?.columns ?? 80) }
  /// Rows; 24 where nothing better is known.
  package var height: Int { max(5, currentSize()?.rows ?? 24) }
  /// Columns that a table or a line may take; nil in a pipe, where nothing is cut.
  package var cutWidth: Int? { hasScreen ? width : nil }
  /// The cursor can be moved, so that a line can be drawn again.
  package var canRedraw: Bool { hasScreen && !isDumb && !usesScreenReader }

  /// The first of the three that is set names the encoding; where none is, the program uses UTF-8 itself.
  private static func isUTF8(_ environment: (String) -> String?) -> Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let locale = environment(name)?.lowercased(), !locale.isEmpty else { continue }
      return locale.contains(text: "utf-8") || locale.contains(text: "utf8")
    }
    return true
  }
}

/// How a text looks. Where colour is off it looks like any other.
package struct Style: OptionSet, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let bold = Style(rawValue: 1 << 0)
  package static let dim = Style(rawValue: 1 << 1)
  package static let reversed = Style(rawValue: 1 << 2)
  package static let red = Style(rawValue: 1 << 3)
  package static let green = Style(rawValue: 1 << 4)
  package static let yellow = Style(rawValue: 1 << 5)
  package static let blue = Style(rawValue: 1 << 6)
  package static let cyan = Style(rawValue: 1 << 7)

  /// The parameters of "select graphic rendition" (ECMA-48, 8.3.117).
  fileprivate var parameters: String {
    let numbers = [1, 2, 7, 31, 32, 33, 34, 36]
    let chosen = numbers.enumerated().filter { rawValue & 1 << $0.offset != 0 }
    return chosen.map { String($0.element) }.joined(separator: ";")
  }
}

extension Terminal {
  /// The text in the style, or the text alone where colour is off.
  package func styled(_ text: String, _ style: Style) -> String {
    guard usesColor, !style.isEmpty, !text.isEmpty else { return text }
    return "\u{1B}[\(style.parameters)m\(text)\u{1B}[0m"
  }
}
