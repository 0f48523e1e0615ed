// What is known about the terminal, if there is one: decided once, from facts that are passed in.
// Invariant: nothing here queries the system; a pipe, NO_COLOR and TERM=dumb result in plain text.

import Text

package struct Terminal {
  package enum ColorChoice: String, CaseIterable, Sendable { case auto, always, never }

  /// Whether a user types: standard input is a terminal.
  package var hasKeyboard: Bool
  /// Whether a user sees the output: it is a terminal.
  package var hasScreen: Bool
  /// Whether it cannot move the cursor (TERM=dumb).
  package var isDumb: Bool
  package var usesColor: Bool
  /// Whether non-ASCII symbols may be drawn; card texts are always UTF-8.
  package var usesUnicode: Bool
  /// The most entries of a list or table to show; nil for all.
  package var rowLimit: Int?
  /// Whether a screen reader is used: plain lines in reading order, nothing is redrawn.
  package var usesScreenReader = false
  /// Whether right and wrong are shown by symbol and word, not by colour alone.
  package var differentiatesWithoutColor = false
  /// Whether nothing moves on its own.
  package var reducesMotion = false
  /// The current columns and rows; nil when the terminal does not report them.
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

  /// The number of columns; 80 when unknown.
  package var width: Int { max(20, currentSize()?.columns ?? 80) }
  /// The number of rows; 24 when unknown.
  package var height: Int {
    let rows = currentSize()?.rows ?? 0
    return max(5, rows > 0 ? rows : 24)
  }
  /// The width of tables and lines; nil in a pipe, where nothing is truncated.
  package var cutWidth: Int? { hasScreen ? width : nil }
  /// Whether the cursor can be moved to redraw lines.
  package var canRedraw: Bool { hasScreen && !isDumb && !usesScreenReader }

  /// The first of the three variables that is set names the encoding; when none is, the program assumes UTF-8.
  private static func isUTF8(_ environment: (String) -> String?) -> Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let locale = environment(name)?.lowercased(), !locale.isEmpty else { continue }
      return locale.contains(text: "utf-8") || locale.contains(text: "utf8")
    }
    return true
  }
}

/// The style of a text; without colours it has no effect.
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
  /// Clears the screen and moves the cursor to its upper left corner.
  static let clearing = "\u{1B}[H\u{1B}[2J"

  /// The text in the style, or the plain text when colour is off.
  package func styled(_ text: String, _ style: Style) -> String {
    guard usesColor, !style.isEmpty, !text.isEmpty else { return text }
    return "\u{1B}[\(style.parameters)m\(text)\u{1B}[0m"
  }
}
