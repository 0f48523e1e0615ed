// A picture of which a card hides areas, as Anki's type Image Occlusion has it: each area is a cloze such as
// `{{c1::image-occlusion:rect:left=.1:top=.2:width=.3:height=.4:oi=1}}`; another field has the picture.
// Invariant: the front covers the areas that are asked for; the words say how many areas cannot be read.

import Glibc
import Text
import Values
package import Wire

/// The picture of a card that hides areas of it.
///
///     try card.maskedPicture()?.words   // "Picture casa.png, 4 areas hidden; asked is area 1 at left, middle"
public struct MaskedPicture: Sendable {
  /// The name of the picture's file.
  package let name: String
  /// The number of the areas that are asked for.
  private let number: Int
  private let areas: [MaskedArea]
  private let unreadable: Int
  private let css: String

  /// Nil for a note without areas, or without a picture.
  package init?(_ fields: NoteFields, of type: NoteType, number: Int, isThere: (String) throws -> Bool) rethrows {
    guard type.isCloze, let own = type.fields.first(where: { !fields.clozes(of: $0).areas.isEmpty }) else { return nil }
    let others = type.fields.filter { $0 != own }.map { fields.values[$0]?.text ?? "" }
    let names = try others.flatMap { try MediaNames.inOrder($0, isThere: isThere).pictures }
    guard let name = names.first else { return nil }
    (self.name, self.number, css) = (name, number, type.css)
    let all = fields.clozes(of: own).areas
    areas = all.compactMap(\.self)
    unreadable = all.count - areas.count
  }

  private func isAsked(_ area: MaskedArea) -> Bool { area.numbers.contains(number) && !area.isFixed }

  private func isHiddenToo(_ area: MaskedArea) -> Bool { area.isHiddenAlways && !isAsked(area) && !area.isFixed }

  /// Whether the masks on an answer can be taken off: only if it hides more than the areas that were asked for.
  public var canBeBared: Bool { areas.contains(where: \.isHiddenAlways) }

  /// Returns what is drawn over a picture of that size in pixels, from back to front.
  package func items(isFront: Bool, width: Int, height: Int) -> [SceneItem] {
    func items(_ kind: String, _ fill: UInt32, _ line: UInt32, _ isOne: (MaskedArea) -> Bool) -> [SceneItem] {
      let colors = (color("\(kind)-shape-color", fill), color("\(kind)-shape-border", line))
      return areas.filter(isOne).flatMap { $0.items(SIMD2(Double(width), Double(height)), colors) }
    }
    return items("active", 0xFF8E_8EFF, 0x2121_21FF) { $0.isFixed || isFront && isAsked($0) }
      + items("inactive", 0xFFEB_A2FF, 0x2121_21FF, isHiddenToo)
      + items("highlight", 0xFF8E_8E00, 0xFF8E_8EFF) { !isFront && isAsked($0) }
  }

  /// Returns the colour that the type's style has in a variable, as `#rrggbb` or `#rrggbbaa`.
  private func color(_ variable: String, _ usual: UInt32) -> SceneColor {
    let value = css.split(at: "--\(variable):").dropFirst().last?.prefix { $0 != ";" && $0 != "}" } ?? ""
    let digits = value.split(at: "#").dropFirst().last.map { String($0).trimmed } ?? ""
    let all = digits.utf8.count == 6 ? digits + "ff" : digits
    return SceneColor(rgba: all.utf8.count == 8 ? UInt32(all, radix: 16) ?? usual : usual)
  }

  /// The front in words.
  package var words: String {
    let hidden = areas.count { isAsked($0) || isHiddenToo($0) }
    let places = areas.filter(isAsked).map(\.placeInWords).distinct(by: \.self).map { " " + $0 }
    return "Picture \(name), \(counted(hidden, "area")) hidden; asked is area \(number)"
      + places.joined(separator: " and") + (unreadable == 0 ? "" : "; \(counted(unreadable, "area")) cannot be read")
  }

  fileprivate var answer: String { "Picture \(name), area \(number) shown" }

  /// Returns a text of the card without the words for the picture, where it is shown beside them.
  package func removed(from text: String) -> String {
    text.replacing(text: words, with: "").replacing(text: answer, with: "").trimmed
  }

  /// Returns the cloze of an area that all cards hide.
  /// - Parameter corners: shares of the picture's width and height; an ellipse fills the box around them.
  public static func cloze(_ number: Int, _ corners: [SIMD2<Double>], isRound: Bool) -> String {
    guard let (low, high) = box(around: corners) else { return "" }
    let ends = [low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)]
    let isBox = corners.count == 4 && corners.allSatisfy(ends.contains)
    let points = corners.map { share($0.x) + "," + share($0.y) }.joined(separator: " ")
    func pair(_ first: String, _ second: String, _ size: SIMD2<Double>) -> String {
      "\(first)=\(share(size.x)):\(second)=\(share(size.y))"
    }
    let area = isBox ? pair("width", "height", high - low) : "points=" + points
    let size = isRound ? pair("rx", "ry", (high - low) / 2) : area
    let shape = isRound ? "ellipse" : isBox ? "rect" : "polygon"
    return "{{c\(number)::image-occlusion:\(shape):\(pair("left", "top", low)):\(size):oi=1}}"
  }

  /// Four decimals without a zero before the point, as Anki writes them: `.3375`.
  private static func share(_ value: Double) -> String {
    let text = Value.measure((value * 10_000).rounded() / 10_000).json
    return text.hasPrefix("0.") ? String(text.dropFirst()) : text
  }
}

private func box(around points: [SIMD2<Double>]) -> (low: SIMD2<Double>, high: SIMD2<Double>)? {
  guard let first = points.first else { return nil }
  return points.reduce((first, first)) { (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1)) }
}

/// An area, or a text on the picture. Lengths are shares of the picture's width and height.
struct MaskedArea: Sendable {
  let numbers: [Int]
  /// Whether the cards of other areas hide it too.
  let isHiddenAlways: Bool
  /// Nil for an area; `size` is the height of a line.
  private let label: (text: String, size: Double)?
  private let origin: SIMD2<Double>
  /// From the origin, which is the upper left corner.
  private let corners: [SIMD2<Double>]
  /// Degrees clockwise about the origin.
  private let angle: Double

  /// Reads `rect`, `left=.1` and so on; nil if a number cannot be read.
  init?(_ parts: [String], _ numbers: [Int]) {
    let pairs = parts.dropFirst().map { $0.split(at: "=", maxSplits: 1).map(String.init) }.filter { $0.count == 2 }
    let usual = [["angle", "0"], ["fs", ".1"], ["scale", "1"]]
    let values = Dictionary(firstOf: (pairs + usual).map { ($0[0], $0[1]) })
    func number(_ name: String, least: Double = 0) -> Double? {
      values[name].flatMap { Double($0) }.flatMap { $0 >= least && $0 <= max(100, -least) ? $0 : nil }
    }
    func pair(_ first: String, _ second: String, least: Double = 0) -> SIMD2<Double>? {
      number(first, least: least).flatMap { x in number(second, least: least).map { SIMD2(x, $0) } }
    }
    guard let origin = pair("left", "top", least: -100), let angle = number("angle", least: -360),
      let size = ["rect": pair("width", "height"), "ellipse": pair("rx", "ry")][parts[0]] ?? SIMD2(0, 0),
      let line = number("fs"), let scale = number("scale")
    else { return nil }
    (self.numbers, self.origin, self.angle, isHiddenAlways) = (numbers, origin, angle, values["oi"] == "1")
    let text = (values["text"] ?? "").replacing(text: "\u{1F}", with: ":")
    label = parts[0] == "text" ? (TerminalText.line(Bytes(text.utf8)), line * scale) : nil
    switch parts[0] {
    case "rect": corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map { SIMD2($0, $1) * size }
    case "ellipse": corners = (0..<64).map { Double($0) * .pi / 32 }.map { size + size * SIMD2(cos($0), sin($0)) }
    case "polygon":
      let numbers = (values["points"] ?? "").split(separator: " ").map {
        $0.split(separator: ",").map { Double($0) ?? .nan }
      }
      guard numbers.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.magnitude <= 100 } }),
        let box = box(around: numbers.map { SIMD2($0[0], $0[1]) })
      else { return nil }
      corners = numbers.map { SIMD2($0[0], $0[1]) - box.low }
    default: corners = []
    }
  }

  /// Whether it is drawn alike on both sides of all cards.
  var isFixed: Bool { numbers.contains(0) || label != nil }

  /// The place of its middle by thirds of the picture: "at left, top", "in the middle".
  var placeInWords: String {
    let middle = origin + corners.reduce(SIMD2(0, 0)) { pointwiseMax($0, $1) } / 2
    func third(_ share: Double, _ first: String, _ last: String) -> String {
      share < 1 / 3.0 ? first : share > 2 / 3.0 ? last : "middle"
    }
    let (column, row) = (third(middle.x, "left", "right"), third(middle.y, "top", "bottom"))
    return column == row ? "in the middle" : "at \(column), \(row)"
  }

  func items(_ picture: SIMD2<Double>, _ colors: (fill: SceneColor, line: SceneColor)) -> [SceneItem] {
    let (start, turn) = (origin * picture, angle * .pi / 180)
    if let (text, share) = label {
      // Letters that are wider than most become smaller.
      let size = SIMD2(0.7 * Double(text.unicodeScalars.count), 1) * share * picture.y
      let sides = [SIMD2(-0.5, -0.5), SIMD2(0.5, -0.5), SIMD2(0.5, 0.5), SIMD2(-0.5, 0.5)].map { $0 * size }
      let letters = SceneItem.Content.text(text, font: "sans", color: SceneColor(rgba: 0xFF), size: size.y)
      return [.shape(path(sides), color: SceneColor(rgba: 0xFFFF_FFFF)), letters].map {
        item($0, start + size / 2, size)
      }
    }
    let places = corners.map { $0 * picture }.map { place in
      start + SIMD2(place.x * cos(turn) - place.y * sin(turn), place.x * sin(turn) + place.y * cos(turn))
    }
    let outline = path(places)
    let line = max(1, picture.x / 100)
    return [.shape(outline, color: colors.fill), .shape(outline, color: colors.line, line: line)].map {
      item($0, SIMD2(0, 0), SIMD2(1, 1))
    }
  }

  private func path(_ corners: [SIMD2<Double>]) -> [PathStep] {
    corners.map { .line(PathPoint(x: $0.x, y: $0.y)) } + [.close]
  }

  private func item(_ content: SceneItem.Content, _ centre: SIMD2<Double>, _ size: SIMD2<Double>) -> SceneItem {
    SceneItem(
      placement: Placement(x: centre.x, y: centre.y, width: size.x, height: size.y, degrees: 0), content: content)
  }
}

extension SceneColor {
  fileprivate init(rgba bits: UInt32) {
    let parts = [24, 16, 8, 0].map { Double(bits >> UInt32($0) & 0xFF) / 255 }
    self.init(red: parts[0], green: parts[1], blue: parts[2], alpha: parts[3])
  }
}

extension NoteCardMaker {
  /// Returns the texts of a card with words for a picture of which it hides areas, and an answer without its front.
  func describing(_ texts: CardTexts, _ fields: NoteFields, ordinal: Int) -> CardTexts {
    let found = MaskedPicture(fields, of: type, number: ordinal + 1) { _ in true }
    guard let masked = found else { return texts }
    func described(_ text: String) -> String { text.replacing(text: "[picture \(masked.name)]", with: masked.words) }
    let isRepeated = texts.answer.utf8.starts(with: texts.prompt.utf8)
    let rest = texts.answer.utf8.dropFirst(isRepeated ? texts.prompt.utf8.count : 0)
    let answer = described(String(decoding: rest, as: UTF8.self).trimmed)
    return CardTexts(prompt: described(texts.prompt), answer: answer.isEmpty ? masked.answer : answer)
  }
}
