// The style of a text on a card. Invariant: the defaults are what a file without the keys means.

/// The fields of a text other than its words and its position.
public struct TextStyle: Equatable, Sendable {
  public var color: CardColor
  /// A font family; empty for the default one.
  public var font: String
  /// Whether lines are broken between words at the width of the box.
  public var wraps: Bool
  /// The line height in units; nil for the default of 200.
  public var size: Double?
  /// `center`, `left` or `right`.
  public var align: String
  /// Whether its box is as high as the text needs.
  public var grows: Bool

  public init(
    color: CardColor = .black, font: String = "", wraps: Bool = false, size: Double? = nil, align: String = "center",
    grows: Bool = false
  ) {
    (self.color, self.font, self.wraps) = (color, font, wraps)
    (self.size, self.align, self.grows) = (size, align, grows)
  }

  /// The fields to write: the colour, and each field that differs from its default.
  var fields: [(ElementField, ElementValue)] {
    var fields: [(ElementField, ElementValue)] = [(.color, .color(color))]
    if wraps { fields.append((.wraps, .flag(true))) }
    if let size { fields.append((.size, .number(size))) }
    if align != "center" { fields.append((.align, .text(align))) }
    if grows { fields.append((.grows, .flag(true))) }
    if !font.isEmpty { fields.append((.font, .text(font))) }
    return fields
  }
}
