// A drawing as plain data: everything that deckhand-draw needs to draw a card, without files or documents. Invariant: a
// scene refers to its pictures by their index in `pictures`, so that a picture used by many items is sent once.

public struct PathPoint: Equatable, Sendable {
  public var x: Double
  public var y: Double
  public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// A step of an outline; angles are in radians, clockwise because y points down.
public enum PathStep: Equatable, Sendable {
  case move(PathPoint)
  case line(PathPoint)
  case curve(PathPoint, PathPoint, PathPoint)
  case arc(centre: PathPoint, radius: Double, from: Double, to: Double)
  case close
}

/// Four components, each 0 to 1.
public struct SceneColor: Equatable, Sendable {
  public var red: Double
  public var green: Double
  public var blue: Double
  public var alpha: Double
  public init(red: Double, green: Double, blue: Double, alpha: Double) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }
}

/// A box in the scene: its centre, from the scene's upper left corner, its size, and its rotation about the centre.
public struct Placement: Equatable, Sendable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double
  /// Clockwise.
  public var degrees: Double
  public init(x: Double, y: Double, width: Double, height: Double, degrees: Double) {
    (self.x, self.y, self.width) = (x, y, width)
    (self.height, self.degrees) = (height, degrees)
  }
}

/// The side of the box at which the lines of a text begin.
public enum TextAlignment: UInt8, CaseIterable, Sendable {
  case center, left, right
}

public struct SceneItem: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    /// A picture fitted into the box with its aspect ratio kept, or filling the box and cropped, and clipped by an
    /// outline around the box's centre (empty: not clipped). `index` is its index in the scene's pictures; nil is the
    /// error picture.
    case picture(index: Int?, clip: [PathStep], fills: Bool = false)
    /// Lines, separated by line feeds, in the middle of the box; each `size` units high, or smaller so that all fit.
    /// With `wraps`, a line that is wider than the box is wrapped before the text gets smaller.
    case text(
      String, font: String, color: SceneColor, size: Double, wraps: Bool = false, align: TextAlignment = .center)
    /// An outline around the box's centre: filled, or drawn as a line that is `line` units thick.
    case shape([PathStep], color: SceneColor, line: Double? = nil)
  }
  public var placement: Placement
  public var content: Content
  public init(placement: Placement, content: Content) { (self.placement, self.content) = (placement, content) }
}

public struct Scene: Equatable, Sendable {
  public var width: Double
  public var height: Double
  public var background: SceneColor
  /// Accessibility texts: a short title, and everything that is on the drawing.
  public var title: String
  public var summary: String
  public var pictures: [[UInt8]]
  /// In drawing order: the last is in front.
  public var items: [SceneItem]
  public init(
    width: Double, height: Double, background: SceneColor, title: String, summary: String, pictures: [[UInt8]],
    items: [SceneItem]
  ) {
    (self.width, self.height, self.background, self.title) = (width, height, background, title)
    (self.summary, self.pictures, self.items) = (summary, pictures, items)
  }
}
