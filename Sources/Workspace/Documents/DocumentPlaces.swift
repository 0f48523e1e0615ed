// Chooses the position and size of new elements of a document when none is given. Invariant: a new element hides no
// other while there is room for it, if necessary in a smaller size.

public import CardDocuments
import Text

/// The requested placement of a new element; nil values are chosen automatically.
public struct PlacementOptions: Equatable, Sendable {
  public var x: Double?
  public var y: Double?
  public var width: Double?
  public var height: Double?
  public var rotation: Double?

  public init() {}

  fileprivate var isAutomatic: Bool { x == nil && y == nil }
}

/// A new element, and whether it covers others because the card is full.
public struct PlacedElement {
  public let element: ElementHandle
  public let hidesOthers: Bool
}

extension DocumentHandle {
  /// The default width of a text, and the font sizes tried for a text without a size.
  private static let textWidth = 1100.0
  private static let textSizes = [200.0, 160, 130, 105, 85, 70, 55, 45]
  /// The most height of a text without a size, to leave room for more elements; the smallest font size may exceed it.
  private static let usualHeight = 700.0
  /// The scales tried for pictures, and for texts in a box of a fixed height.
  private static let shares = [1.0, 0.8, 0.65, 0.5, 0.4, 0.3]

  /// Adds a text in front, where it hides no other element. If the text wraps or has a size, its box is as high as
  /// the text needs, unless a height is given.
  public func addText(_ text: String, style: TextStyle, _ options: PlacementOptions) throws -> PlacedElement {
    var style = style
    if style.size != nil { style.wraps = true }
    guard style.wraps else {
      let lines = text.lines.count
      let room = try openRoom(
        options, width: options.width ?? 1000, height: options.height ?? min(1600, 220 * Double(lines)))
      return PlacedElement(element: try addText(text, style: style, at: room.place), hidesOthers: room.hidesOthers)
    }
    style.grows = options.height == nil
    let room = try textRoom(text, &style, options)
    return PlacedElement(element: try addText(text, style: style, at: room.place), hidesOthers: room.hidesOthers)
  }

  /// Adds a picture in front, where it hides no other element.
  public func addImage(
    _ picture: Picture, frame: Frame?, isCropped: Bool, _ options: PlacementOptions
  ) throws -> PlacedElement {
    let room = try openRoom(options, width: options.width ?? 800, height: options.height ?? 800)
    let element = try addImage(picture, frame: frame, isCropped: isCropped, at: room.place)
    return PlacedElement(element: element, hidesOthers: room.hidesOthers)
  }

  private typealias Room = (place: ElementPlacement, hidesOthers: Bool)

  /// Finds a place for the text at the largest possible font size, and sets that size in the style.
  private func textRoom(_ text: String, _ style: inout TextStyle, _ options: PlacementOptions) throws -> Room {
    let document = try document()
    let rooms = TextRooms(document.store)
    let (width, asked) = (options.width ?? Self.textWidth, style.size)
    for size in asked.map({ [$0] }) ?? Self.textSizes {
      style.size = size
      let height = try options.height ?? rooms.height(of: text, style: style, width: width)
      if asked == nil, height > Self.usualHeight, size != Self.textSizes.last { continue }
      if !options.isAutomatic { return (placement(options, width, height), false) }
      if let open = document.content.openPlace(width: width, height: height) { return (rotated(open, options), false) }
    }
    let height = try options.height ?? rooms.height(of: text, style: style, width: width)
    return (rotated(document.content.freePlace(width: width, height: height), options), true)
  }

  /// Finds a place for the largest possible box with a ratio; a side that was requested is not scaled.
  private func openRoom(_ options: PlacementOptions, width: Double, height: Double) throws -> Room {
    if !options.isAutomatic { return (placement(options, width, height), false) }
    let content = try document().content
    for share in Self.shares {
      let (wide, high) = (options.width ?? width * share, options.height ?? height * share)
      if let open = content.openPlace(width: wide, height: high) { return (rotated(open, options), false) }
    }
    return (rotated(content.freePlace(width: width, height: height), options), true)
  }

  private func placement(_ options: PlacementOptions, _ width: Double, _ height: Double) -> ElementPlacement {
    ElementPlacement(
      x: options.x ?? 0, y: options.y ?? 0, width: width, height: height, rotation: options.rotation ?? 0)
  }

  private func rotated(_ place: ElementPlacement, _ options: PlacementOptions) -> ElementPlacement {
    var place = place
    place.rotation = options.rotation ?? 0
    return place
  }
}
