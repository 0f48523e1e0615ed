// The keys, names and limits of the .rwcard format, version 2. The page and the schema in the documentation say the
// same, and the tests compare them with this file.
// Invariant: a key that is not listed here is never read, changed or lost.

import Values

/// The formats in which .rwcard files have ever been written.
public enum CardShape: String, CaseIterable, Sendable {
  case midChapter = "mid-chapter"
  case edition1 = "edition 1"
  case edition2 = "edition 2"
  case version2 = "version 2"
  /// A version after 2: read as far as possible, never written.
  case future = "a later version"
}

enum DocumentFormat {
  static let name = "rwcard"
  static let version = 2

  static let documentKeys = ["background", "elements", "format", "groups", "id", "version"]
  static let elementKeys = [
    "align", "alt", "color", "cropped", "font", "frame", "group", "grows", "height", "id", "image", "imageFile", "kind",
    "link", "locked", "rotation", "size", "text", "width", "wraps", "x", "y",
  ]
  static let groupKeys = ["color", "id", "name"]

  /// The keys of the older formats that have a meaning; all their other keys are kept as they are.
  static let editionKeys = ["backgroundColor", "id", "imageElements", "textElements"]

  /// The prefix for an old file's own key whose name means something else in version 2.
  static let clashPrefix = "legacy."

  /// The whole card, in units; 0, 0 is its centre.
  static let canvasWidth = 1300.0
  static let canvasHeight = 2000.0
  static let elementSide = 800.0
  static let textSize = 200.0
  static let textSizes = 5.0...2000
  /// Positions and sizes beyond this limit are reported, and drawn as if they were at the limit.
  static let farthest = 100_000.0

  static let maximumElements = 10_000
  /// The most bytes of a text on a card, an alternative text or a link.
  static let maximumText = 100_000
  static let maximumBytes = 8 << 20
  static let limits = JSONLimits(bytes: maximumBytes, depth: 64, values: 300_000, string: 1 << 20)
  /// The long side of an image, in pixels.
  static let imageSide = 1000
}
