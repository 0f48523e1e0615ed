// Where new elements of a document are put when nobody says where, and how large they are then. Invariant: a new
// element hides no other while there is room for it, if need be smaller than usual.

public import CardDocuments

/// What is asked of a new element's place; what is nil is chosen.
///
///     var wish = PlaceWish()
///     wish.width = 600
///     try document.addText("el gato", style: TextStyle(size: 120), wish)
public struct PlaceWish: Equatable, Sendable {
  public var x: Double?
  public var y: Double?
  public var width: Double?
  public var height: Double?
  public var rotation: Double?

  public init() {}

  fileprivate var isChosen: Bool { x == nil && y == nil }
}

/// A new element, and whether it had to be put over others since the card is full.
public struct PlacedElement {
  public let element: ElementHandle
  public let hidesOthers: Bool
}

extension DocumentHandle {
  /// The width of a text, and the sizes that one is tried at that has none of its own.
  private static let textWidth = 1100.0
  private static let textSizes = [200.0, 160, 130, 105, 85, 70, 55, 45]
  /// A text that is given no size is no higher than this, so that more finds room, unless it is at the smallest size.
  private static let usualHeight = 700.0
  /// How much smaller pictures, and texts in a box of a fixed height, are tried.
  private static let shares = [1.0, 0.8, 0.65, 0.5, 0.4, 0.3]

  /// Puts a text in front, where it hides no other. One that wraps or has a size gets a box as high as it needs, unless
  /// a height is asked for.
  public func addText(_ text: String, style: TextStyle, _ wish: PlaceWish) throws -> PlacedElement {
    var style = style
    if style.size != nil { style.wraps = true }
    guard style.wraps else {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
      let room = try openRoom(wish, width: wish.width ?? 1000, height: wish.height ?? min(1600, 220 * Double(lines)))
      return PlacedElement(element: try addText(text, style: style, at: room.place), hidesOthers: room.hidesOthers)
    }
    style.grows = wish.height == nil
    let room = try textRoom(text, &style, wish)
    return PlacedElement(element: try addText(text, style: style, at: room.place), hidesOthers: room.hidesOthers)
  }

  /// Puts a picture in front, where it hides no other.
  public func addImage(
    _ picture: Picture, frame: Frame?, isCropped: Bool, _ wish: PlaceWish
  ) throws -> PlacedElement {
    let room = try openRoom(wish, width: wish.width ?? 800, height: wish.height ?? 800)
    let element = try addImage(picture, frame: frame, isCropped: isCropped, at: room.place)
    return PlacedElement(element: element, hidesOthers: room.hidesOthers)
  }

  private typealias Room = (place: ElementPlacement, hidesOthers: Bool)

  /// The largest size at which a text finds a place; the style is given it.
  private func textRoom(_ text: String, _ style: inout TextStyle, _ wish: PlaceWish) throws -> Room {
    let document = try document()
    let rooms = TextRooms(document.store)
    let (width, asked) = (wish.width ?? Self.textWidth, style.size)
    for size in asked.map({ [$0] }) ?? Self.textSizes {
      style.size = size
      let height = try wish.height ?? rooms.height(of: text, style: style, width: width)
      if asked == nil, height > Self.usualHeight, size != Self.textSizes.last { continue }
      if !wish.isChosen { return (put(wish, width, height), false) }
      if let open = document.content.openPlace(width: width, height: height) { return (turned(open, wish), false) }
    }
    let height = try wish.height ?? rooms.height(of: text, style: style, width: width)
    return (turned(document.content.freePlace(width: width, height: height), wish), true)
  }

  /// The largest box of a ratio that finds a place; where a side is asked for, it stays as it is.
  private func openRoom(_ wish: PlaceWish, width: Double, height: Double) throws -> Room {
    if !wish.isChosen { return (put(wish, width, height), false) }
    let content = try document().content
    for share in Self.shares {
      let (wide, high) = (wish.width ?? width * share, wish.height ?? height * share)
      if let open = content.openPlace(width: wide, height: high) { return (turned(open, wish), false) }
    }
    return (turned(content.freePlace(width: width, height: height), wish), true)
  }

  private func put(_ wish: PlaceWish, _ width: Double, _ height: Double) -> ElementPlacement {
    ElementPlacement(x: wish.x ?? 0, y: wish.y ?? 0, width: width, height: height, rotation: wish.rotation ?? 0)
  }

  private func turned(_ place: ElementPlacement, _ wish: PlaceWish) -> ElementPlacement {
    var place = place
    place.rotation = wish.rotation ?? 0
    return place
  }
}

extension ElementHandle {
  /// Makes the box of a text that grows as high as it must be; its upper side stays where it is.
  func growBox() throws {
    let (element, stored) = (try element(), try document.document())
    guard element.grows == true else { return }
    let height = try TextRooms(stored.store).height(of: element)
    guard height != element.height else { return }
    try stored.set(.y, of: id, to: .number(element.y + (height - element.height) / 2))
    try stored.set(.height, of: id, to: .number(height))
  }
}
