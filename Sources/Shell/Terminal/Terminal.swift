// What is known of the terminal, or that there is none: decided once, from facts that are handed in.
// Invariant: nothing here asks the system; a pipe, NO_COLOR and TERM=dumb give plain text.

public struct Terminal {
  public enum ColorChoice: String, CaseIterable, Sendable { case auto, always, never }

  /// A person types: standard input is a terminal.
  public var hasKeyboard: Bool
  /// A person sees it: the output is a terminal.
  public var hasScreen: Bool
  /// It cannot move the cursor (TERM=dumb).
  public var isDumb: Bool
  public var usesColor: Bool
  /// Signs beyond ASCII may be drawn; texts of cards are UTF-8 always.
  public var usesUnicode: Bool
  /// Entries of a list or table that are shown; nil for all.
  public var rowLimit: Int?
  /// A screen reader reads it: plain lines in reading order, nothing drawn again.
  public var isRead = false
  /// Right and wrong are told by sign and word, not by colour alone.
  public var differentiates = false
  /// Nothing moves by itself.
  public var isCalm = false
  /// Columns and rows now; nil where the terminal does not say.
  private let currentSize: () -> (columns: Int, rows: Int)?

  public init(
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
  public var width: Int { max(20, currentSize()?.columns ?? 80) }
  /// Rows; 24 where nothing better is known.
  public var height: Int { max(5, currentSize()?.rows ?? 24) }
  /// Columns that a table or a line may take; nil in a pipe, where nothing is cut.
  public var cutWidth: Int? { hasScreen ? width : nil }
  /// The cursor can be moved, so that a line can be drawn again.
  public var canRedraw: Bool { hasScreen && !isDumb && !isRead }

  /// The first of the three that is set names the encoding; where none is, the program uses UTF-8 itself.
  private static func isUTF8(_ environment: (String) -> String?) -> Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let locale = environment(name)?.lowercased(), !locale.isEmpty else { continue }
      return locale.contains("utf-8") || locale.contains("utf8")
    }
    return true
  }
}

/// How a text looks. Where colour is off it looks like any other.
public struct Style: OptionSet, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let bold = Style(rawValue: 1 << 0)
  public static let dim = Style(rawValue: 1 << 1)
  public static let underlined = Style(rawValue: 1 << 2)
  public static let reversed = Style(rawValue: 1 << 3)
  public static let red = Style(rawValue: 1 << 4)
  public static let green = Style(rawValue: 1 << 5)
  public static let yellow = Style(rawValue: 1 << 6)
  public static let blue = Style(rawValue: 1 << 7)
  public static let magenta = Style(rawValue: 1 << 8)
  public static let cyan = Style(rawValue: 1 << 9)

  /// The parameters of "select graphic rendition" (ECMA-48, 8.3.117).
  fileprivate var parameters: String {
    let numbers = [1, 2, 4, 7, 31, 32, 33, 34, 35, 36]
    let chosen = numbers.enumerated().filter { rawValue & 1 << $0.offset != 0 }
    return chosen.map { String($0.element) }.joined(separator: ";")
  }
}

extension Terminal {
  /// The text in the style, or the text alone where colour is off.
  public func styled(_ text: String, _ style: Style) -> String {
    guard usesColor, !style.isEmpty, !text.isEmpty else { return text }
    return "\u{1B}[\(style.parameters)m\(text)\u{1B}[0m"
  }
}
