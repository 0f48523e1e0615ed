// A colour in a document, and the eight soft background colours for new documents.

import Text
import Values

/// An sRGB colour: red, green, blue and opacity, each from 0 to 1.
///
///     CardColor(typed: "#ff8000")?.parts   // [1, 0.5, 0, 1], nearly
///     CardColor(red: 2, green: 0, blue: 0)   // nil
public struct CardColor: Equatable, Sendable {
  public let red: Double
  public let green: Double
  public let blue: Double
  public let alpha: Double

  /// Nil when a part is outside 0 to 1.
  public init?(red: Double, green: Double, blue: Double, alpha: Double = 1) {
    guard [red, green, blue, alpha].allSatisfy({ (0...1).contains($0) }) else { return nil }
    self.init(checked: red, green, blue, alpha)
  }

  /// Creates a colour from three or four components; nil for any other count, or if a component is outside 0 to 1.
  public init?(parts: [Double]) {
    guard (3...4).contains(parts.count) else { return nil }
    self.init(red: parts[0], green: parts[1], blue: parts[2], alpha: parts.count == 4 ? parts[3] : 1)
  }

  /// Parses a colour as a user types it: `0.8,0.725,0.926` (three or four components), `#aa0000` or `#aa0000ff`.
  public init?(typed text: String) {
    if text.trimmed.hasPrefix("#") {
      let digits = Array(text.trimmed.dropFirst())
      guard digits.count == 6 || digits.count == 8, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
        return nil
      }
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { Int(String(digits[$0...($0 + 1)]), radix: 16) }
      self.init(parts: bytes.map { Double($0) / 255 })
      return
    }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double(String($0).trimmed) }
    guard parts.count <= 4, !parts.contains(nil) else { return nil }
    self.init(parts: parts.compactMap(\.self))
  }

  private init(checked red: Double, _ green: Double, _ blue: Double, _ alpha: Double) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }

  /// Red, green, blue and opacity: always four values.
  public var parts: [Double] { [red, green, blue, alpha] }

  public static let black = CardColor(checked: 0, 0, 0, 1)
  /// The background of a file that names none.
  public static let yellow = CardColor(checked: 1, 1, 0, 1)

  /// The colours from which the background of a new document is chosen.
  public static let soft: [CardColor] = [
    CardColor(checked: 0.800, 0.725, 0.926, 1), CardColor(checked: 0.730, 0.902, 0.792, 1),
    CardColor(checked: 0.944, 0.722, 0.290, 1), CardColor(checked: 0.929, 0.838, 0.896, 1),
    CardColor(checked: 0.940, 0.573, 0.274, 1), CardColor(checked: 0.311, 0.678, 0.694, 1),
    CardColor(checked: 1, 1, 0.699, 1), CardColor(checked: 0.753, 0.878, 0.988, 1),
  ]

  /// A colour outside sRGB, as iOS writes one of Display P3, becomes the nearest one within it.
  init?(json: Value?) {
    guard let list = json?.list else { return nil }
    let parts = list.compactMap(\.double)
    guard parts.count == list.count, parts.allSatisfy(\.isFinite) else { return nil }
    self.init(parts: parts.map { min(max($0, 0), 1) })
  }

  var json: Value { .list(parts.map { .measure($0) }) }
}
