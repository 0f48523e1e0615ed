// Golden pictures and the measure that compares with them.

import CZlib
import Glibc
import Problems
import TestSupport
import Wire

@testable import CardDocuments

/// Rows of red, green, blue, alpha of a drawing.
struct Pixels {
  let width: Int
  let height: Int
  let rgba: [UInt8]

  init(_ document: StoredDocument, width: Int = 130, height: Int = 200) throws {
    self.width = width
    self.height = height
    rgba = try document.pixels(width: width, height: height).rgba
  }

  /// Returns the colour at a position of the card, in its units from the centre.
  func at(_ x: Double, _ y: Double) -> (red: Int, green: Int, blue: Int) {
    let column = min(width - 1, max(0, Int((x + 650) / 1300 * Double(width))))
    let row = min(height - 1, max(0, Int((y + 1000) / 2000 * Double(height))))
    let at = (row * width + column) * 4
    return (Int(rgba[at]), Int(rgba[at + 1]), Int(rgba[at + 2]))
  }

  /// Returns where ink darker than the background is, in units of the card; nil if there is none.
  func inkBounds() -> (left: Double, top: Double, right: Double, bottom: Double)? {
    var bounds: (Int, Int, Int, Int)?
    for row in 0..<height {
      for column in 0..<width where rgba[(row * width + column) * 4 + 1] < 128 {
        let old = bounds ?? (column, row, column, row)
        bounds = (min(old.0, column), min(old.1, row), max(old.2, column), max(old.3, row))
      }
    }
    func unit(_ pixel: Int, _ count: Int, _ side: Double) -> Double { Double(pixel) / Double(count) * side - side / 2 }
    return bounds.map {
      (unit($0.0, width, 1300), unit($0.1, height, 2000), unit($0.2 + 1, width, 1300), unit($0.3 + 1, height, 2000))
    }
  }
}

/// Reduces the picture to a fifth of its size, so that differences in antialiasing do not count: brightness and two
/// colour differences for each pixel, 0 to 1.
func impression(of png: [UInt8], width: Int, with drawing: DrawingProgram) throws -> [Double] {
  let rgba = try pixels(of: png, width: width / 5, height: width * 4 / 13, with: drawing).map { Double($0) / 255 }
  return stride(from: 0, to: rgba.count, by: 4).flatMap { at in
    let (red, green, blue) = (rgba[at], rgba[at + 1], rgba[at + 2])
    return [0.299 * red + 0.587 * green + 0.114 * blue, (red - green) / 2, (blue - green) / 2]
  }
}

/// Returns how different two pictures look: the largest and the mean difference; 0 is identical, 1 is black against
/// white.
func difference(_ first: [Double], _ second: [Double]) -> (worst: Double, mean: Double) {
  guard first.count == second.count else { return (1, 1) }
  let differences = zip(first, second).map { abs($0 - $1) }
  return (differences.max() ?? 0, differences.reduce(0, +) / Double(first.count))
}

/// Makes a card with a pale background and the elements that the closure adds.
func document(
  in folder: TemporaryFolder, background: CardColor = CardColor.soft[7], drawing: DrawingProgram = makeDrawing(),
  _ body: (StoredDocument) throws -> Void
) throws -> StoredDocument {
  let store = try makeStore(folder, drawing: drawing)
  var random = TestGenerator(1)
  let document = try store.create(background: background, using: &random)
  try body(document)
  return document
}

/// Returns a PDF with its compressed objects unpacked. cairo compresses them since 1.18.
func pdfText(_ bytes: [UInt8]) -> String {
  var parts = ""
  var rest = bytes[...]
  while let start = rest.firstRange(of: "/ObjStm".utf8),
    let data = rest[start.upperBound...].firstRange(of: "stream\n".utf8)
  {
    parts += text(Array(rest[..<data.upperBound]))
    rest = rest[data.upperBound...]
    var objects = [UInt8](repeating: 0, count: 1 << 20)
    // 15 stands for zlib's own format.
    let count = Array(rest).withUnsafeBufferPointer {
      deckhand_inflate($0.baseAddress, $0.count, &objects, objects.count, 15)
    }
    parts += text(Array(objects[..<max(0, count)]))
  }
  return parts + text(Array(rest))
}

let white = CardColor(parts: [1, 1, 1]) ?? .yellow

/// The cards with golden pictures: each frame, and each kind of drawing.
let goldenNames =
  Frame.allCases.map(\.rawValue) + ["rotated", "clipped", "texts", "error", "scripts", "empty", "edition1"]

/// A frame is small on its card, so it needs more pixels for round corners to be visible.
func goldenWidth(_ name: String) -> Int { Frame(rawValue: name) == nil ? 130 : 390 }

func goldenCard(_ name: String, in folder: TemporaryFolder) throws -> StoredDocument {
  if name == "edition1" {
    try folder.write(fixture("pictures/quarter.png"), to: "8808F791-E832-465D-911A-A250B91A5141")
    try folder.write(fixture("shapes/edition1.rwcard"), to: "old.rwcard")
    return try makeStore(folder).open(folder.path + "/old.rwcard")
  }
  return try document(in: folder) { document in
    if let frame = Frame(rawValue: name) {
      let place = ElementPlacement(width: 300, height: 250)
      _ = try document.addImage(testSVG(width: 600, height: 500), named: "x", frame: frame, at: place)
      return
    }
    switch name {
    case "rotated":
      let place = ElementPlacement(x: 100, y: -300, width: 600, height: 600, rotation: 30)
      _ = try document.addImage(testSVG(width: 60, height: 60), named: "x", frame: .chevron, at: place)
      _ = try document.addText("turned", at: ElementPlacement(x: -100, y: 500, width: 800, height: 300, rotation: -90))
    case "clipped":
      _ = try document.addImage(testSVG(), named: "x", at: ElementPlacement(x: 600, y: 900, width: 800, height: 800))
      _ = try document.addImage(testSVG(), named: "x", frame: .circle, at: ElementPlacement(x: -500, y: -500))
    case "texts":
      _ = try document.addText("short", at: ElementPlacement(y: -700, width: 1200, height: 400))
      let red = CardColor(red: 0.8, green: 0, blue: 0) ?? .black
      _ = try document.addText(
        "a text that is much too long for it", style: TextStyle(color: red, font: "Serif"), at: ElementPlacement())
      _ = try document.addText("flat", at: ElementPlacement(y: 700, width: 1200, height: 100))
    case "error":
      let element = try document.addImage(testSVG(), named: "x", frame: .heart)
      unlink(folder.path + "/media/" + (element.image?.description ?? ""))
    case "scripts":
      for (index, text) in ["שלום עולם", "مرحبا بالعالم", "你好，世界", "🐶🎉", "mixed שלום 狗 🐶"].enumerated() {
        _ = try document.addText(text, at: ElementPlacement(y: Double(index - 2) * 380, width: 1200, height: 300))
      }
    default: break
    }
  }
}

/// Points of a box 1200 × 1000, in units of half its sides, that are inside and outside of a frame.
struct FramePoints: Sendable {
  typealias Points = [(Double, Double)]
  let frame: Frame
  let inside: Points
  let outside: Points

  init(_ frame: Frame, _ inside: Points, _ outside: Points) {
    self.frame = frame
    self.inside = inside
    self.outside = outside
  }

  static let all: [FramePoints] = [
    FramePoints(.circle, [(0.0, 0.0), (0, 0.95), (0.6, 0.6), (-0.8, 0)], [(0.95, 0.0), (0.65, 0.75), (-0.9, 0)]),
    FramePoints(.rectangle, [(0.97, 0.97), (-0.97, -0.97)], []),
    FramePoints(.roundedRectangle, [(0.97, 0), (0, -0.97), (0.94, 0.92)], [(0.995, 0.995)]),
    FramePoints(
      .heart, [(0, 0.9), (0.5, -0.9), (-0.5, -0.9), (0, -0.5), (0.9, -0.4)],
      [(0, -0.8), (0.9, 0.6), (-0.9, 0.6), (0.97, -0.97)]),
    FramePoints(.lens, [(0, 0.45), (0, -0.45), (0.9, 0), (-0.9, 0)], [(0, 0.6), (0.8, 0.4), (-0.8, -0.4)]),
    FramePoints(.chevron, [(0.9, 0), (0.3, 0.9), (-0.3, 0)], [(-0.6, 0), (0.9, 0.5), (0.9, -0.5)]),
    FramePoints(.cone, [(0, -0.9), (0, 0.8), (0.9, -0.2)], [(0.5, 0.6), (-0.5, 0.6), (0.9, -0.9)]),
    FramePoints(
      .cloud, [(0, 0), (0, 0.7), (0.7, 0), (0.1, -0.7)], [(0.95, -0.9), (-0.95, -0.9), (-0.8, -0.5), (0, 0.95)]),
    FramePoints(.diamond, [(0, 0.9), (0.9, 0), (0.45, 0.45)], [(0.6, 0.6), (-0.6, -0.6), (0.9, 0.9)]),
    FramePoints(.hexagon, [(0.9, 0), (0.45, 0.95), (-0.45, -0.95)], [(0.9, 0.5), (-0.9, -0.5)]),
    FramePoints(.octagon, [(0.95, 0.3), (0.3, 0.95), (0.6, 0.6)], [(0.9, 0.9), (-0.9, 0.9)]),
  ]
}
