// One thing on a card: an image or a text, in its box.
// Invariant: an element is the JSON object that stands in the file; reading a field never changes it and writing a
// field changes that key only, so what is not understood stays.

import Values

/// What an element is.
///
///     ElementKind(rawValue: "image")   // .image
public enum ElementKind: String, CaseIterable, Sendable {
  case image, text
}

/// A text or an image of a document. What it does not know of its JSON it keeps.
///
///     for element in document.elements where element.kind == .text { print(element.text ?? "") }
public struct Element: Equatable, Sendable {
  /// As in a file of version 2.
  var json: Value.Record
  /// Stable for as long as the element lives. That of its JSON, unless an element before it has the same there.
  public let id: String

  init(json: Value.Record, id: String? = nil) {
    self.json = json
    self.id = id ?? json["id"]?.text ?? ""
  }

  /// Nil for a kind that is not known here.
  public var kind: ElementKind? { json["kind"]?.text.flatMap(ElementKind.init) }

  /// From the card's centre to the element's, in units of the canvas (1300 × 2000), y down.
  public var x: Double { number("x", 0) }
  public var y: Double { number("y", 0) }
  /// In units of the canvas; what the file says, even where it is not above 0.
  public var width: Double { number("width", CardFormat.elementSide) }
  public var height: Double { number("height", CardFormat.elementSide) }
  /// Degrees clockwise, about the element's centre.
  public var rotation: Double { number("rotation", 0) }

  /// The shape that an image is cut to; nil when it has none, or one that is not known here.
  public var frame: Frame? { kind == .image ? json["frame"]?.text.flatMap(Frame.init) : nil }
  /// The image in the store, nil when the element has none.
  public var image: ContentHash? { kind == .image ? json["image"]?.text.flatMap(ContentHash.init) : nil }
  /// The image's file as the original app named it, until the store has taken it in.
  public var imageFile: String? { kind == .image ? json["imageFile"]?.text : nil }
  /// Whether the image fills its box and what stands out is cut off; else it is fitted whole. Nil for a text.
  public var isCropped: Bool? { kind == .image ? json["cropped"]?.boolean ?? false : nil }
  /// What the image shows, for who cannot see it.
  public var alt: String? { kind == .image ? json["alt"]?.text ?? "" : nil }

  public var text: String? { kind == .text ? json["text"]?.text ?? "" : nil }
  public var color: CardColor? { kind == .text ? CardColor(json: json["color"]) ?? .black : nil }
  /// Whether its lines are broken between words where the box ends; else each is drawn as small as makes it fit. Nil
  /// for an image.
  public var wraps: Bool? { kind == .text ? json["wraps"]?.boolean ?? false : nil }
  /// The height of its lines in units, or less where they do not fit. Nil for an image.
  public var size: Double? { kind == .text ? number("size", CardFormat.textSize) : nil }
  /// `center`, `left` or `right`: the side of its box that its lines begin at. Nil for an image.
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

/// Where an element stands. What is left out gets the default: in the middle, 800 × 800, upright.
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
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.rotation = rotation
  }

  var fields: [(ElementField, ElementValue)] {
    [
      (.x, .number(x)), (.y, .number(y)), (.width, .number(width)), (.height, .number(height)),
      (.rotation, .number(rotation)),
    ]
  }
}
