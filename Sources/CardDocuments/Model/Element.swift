// An element of a card: an image or a text, in its box, and a text's style. Invariant: an element is its JSON object
// in the file. Reading a field never changes it, and writing a field changes only that key, so unknown keys are
// preserved. The defaults are what a file without the keys means.

import Values

public enum ElementKind: String, CaseIterable, Sendable {
  case image, text
}

/// A text or an image of a document. It preserves the JSON keys that it does not know.
public struct Element: Equatable, Sendable {
  /// The JSON object as in a file of version 2.
  var json: Value.Record
  /// Stable for the lifetime of the element. It is the id in its JSON, unless an earlier element has the same id there.
  public let id: String

  init(json: Value.Record, id: String? = nil) {
    self.json = json
    self.id = id ?? json["id"]?.text ?? ""
  }

  public var kind: ElementKind? { json["kind"]?.text.flatMap(ElementKind.init) }

  /// The offset of the element's centre from the card's, in units of the canvas (1300 × 2000), y down.
  public var x: Double { number("x", 0) }
  public var y: Double { number("y", 0) }
  /// In units of the canvas, as the file says, even if not above 0.
  public var width: Double { number("width", DocumentFormat.elementSide) }
  public var height: Double { number("height", DocumentFormat.elementSide) }
  /// Degrees clockwise about the element's centre.
  public var rotation: Double { number("rotation", 0) }

  /// The shape that clips an image; nil if it has none, or an unknown one.
  public var frame: Frame? { kind == .image ? json["frame"]?.text.flatMap(Frame.init) : nil }
  /// The image in the store, nil when the element has none.
  public var image: ContentHash? { kind == .image ? json["image"]?.text.flatMap(ContentHash.init) : nil }
  /// The file name that the original app gave the image, until the store has imported it.
  public var imageFile: String? { kind == .image ? json["imageFile"]?.text : nil }
  /// Whether the image fills its box, with the rest cut off; otherwise it is fitted in whole. Nil for a text.
  public var isCropped: Bool? { kind == .image ? json["cropped"]?.boolean ?? false : nil }
  /// The alternative text: what the image shows, for people who cannot see it.
  public var alt: String? { kind == .image ? json["alt"]?.text ?? "" : nil }

  public var text: String? { kind == .text ? json["text"]?.text ?? "" : nil }
  public var color: CardColor? { kind == .text ? CardColor(json: json["color"]) ?? .black : nil }
  /// Whether lines are broken at the width of the box; otherwise each is drawn small enough to fit. Nil for an image.
  public var wraps: Bool? { kind == .text ? json["wraps"]?.boolean ?? false : nil }
  /// The line height in units, reduced if the lines do not fit. Nil for an image.
  public var size: Double? { kind == .text ? number("size", DocumentFormat.textSize) : nil }
  /// How the lines are aligned in the box: `center`, `left` or `right`. Nil for an image.
  public var align: String? { kind == .text ? json["align"]?.text ?? "center" : nil }
  /// Whether its box is as high as the text needs. Nil for an image.
  public var grows: Bool? { kind == .text ? json["grows"]?.boolean ?? false : nil }
  /// A font family; empty for the default one.
  public var font: String? { kind == .text ? json["font"]?.text ?? "" : nil }

  /// Elements that name the same group belong together.
  public var group: String? { json["group"]?.text }
  /// An address or a document that the element points to.
  public var link: String? { json["link"]?.text }
  /// A locked element is not moved, changed or removed until it is unlocked.
  public var isLocked: Bool { json["locked"]?.boolean ?? false }

  private func number(_ key: String, _ fallback: Double) -> Double { json[key]?.double ?? fallback }
}

/// The position, size and rotation of an element. The defaults: in the middle, 800 × 800, upright.
///
///     ElementPlacement(y: -400, width: 1000)   // above the middle, 1000 × 800, upright
public struct ElementPlacement: Equatable, Sendable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double
  public var rotation: Double

  public init(
    x: Double = 0, y: Double = 0, width: Double = CardDocument.elementSide, height: Double = CardDocument.elementSide,
    rotation: Double = 0
  ) {
    (self.x, self.y, self.width) = (x, y, width)
    (self.height, self.rotation) = (height, rotation)
  }

  var fields: [(ElementField, ElementValue)] {
    [
      (.x, .number(x)), (.y, .number(y)), (.width, .number(width)), (.height, .number(height)),
      (.rotation, .number(rotation)),
    ]
  }
}

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
  public var grows = false

  public init(
    color: CardColor = .black, font: String = "", wraps: Bool = false, size: Double? = nil, align: String = "center"
  ) {
    (self.color, self.font, self.wraps, self.size, self.align) = (color, font, wraps, size, align)
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
