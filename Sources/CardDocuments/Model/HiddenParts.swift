// The parts of a document that a note may hide one by one. Invariant: each is an element that is drawn, and its outline
// covers the element.

import Glibc
import Wire

extension CardDocument {
  /// The images that have a frame, or else the texts: the corners of each, or of the box around a circle, as shares of
  /// the card's width and height, and its alternative text or text.
  public var hiddenParts: [(corners: [SIMD2<Double>], isRound: Bool, words: String)] {
    let framed = elements.filter { $0.frame != nil && $0.namesImage }
    let parts = framed.isEmpty ? elements.filter { $0.kind == .text && !$0.lines.isEmpty } : framed
    return parts.map { element in
      let (place, isRound) = (element.drawnPlacement, element.frame == .circle)
      let steps = (element.frame ?? .rectangle).outline(width: place.width, height: place.height)
      var corners = steps.compactMap { step -> SIMD2<Double>? in
        if case .move(let end) = step { return SIMD2(end.x, end.y) }
        if case .line(let end) = step { return SIMD2(end.x, end.y) } else { return nil }
      }
      // Its box covers a frame with curves.
      let side = isRound ? min(place.width, place.height) : nil
      let half = SIMD2(side ?? place.width, side ?? place.height) / 2
      if corners.count < steps.count - 1 {
        corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)].map { SIMD2($0, $1) * half }
      }
      let turn = isRound ? 0 : place.degrees * .pi / 180
      let outline = corners.map { corner in
        let x = place.x + corner.x * cos(turn) - corner.y * sin(turn)
        return SIMD2(x / Self.width, (place.y + corner.x * sin(turn) + corner.y * cos(turn)) / Self.height)
      }
      return (outline, isRound, oneLine(element.text ?? element.alt ?? ""))
    }
  }
}
