// Pairs the lines of two subtitle files by their start times.
// Invariant: no knowledge of either language is needed; the times of the files may differ by an offset and a speed.

import Text

/// Maps the times of a translation to those of the text: `start * speed + offset`.
public struct SubtitleTiming: Equatable, Sendable {
  public var offset: Double
  public var speed: Double

  public init(offset: Double, speed: Double = 1) { (self.offset, self.speed) = (offset, speed) }
}

public struct SubtitlePairing: Sendable {
  public let timing: SubtitleTiming
  /// For each paragraph of the text, the simultaneous lines of the translation.
  public let translations: [String?]

  public var share: Double {
    translations.isEmpty ? 0 : Double(translations.count { $0 != nil }) / Double(translations.count)
  }

  private static let speeds = [1, 25 / 23.976, 23.976 / 25, 25.0 / 24, 24.0 / 25, 24 / 23.976, 23.976 / 24]
  private static let bin = 0.2
  private static let farthest = 180.0
  /// The limit on neighbouring lines that are compared. No film has more, but a file may put all lines at one time.
  private static let mostNear = 300

  /// - Parameters:
  ///   - offset: seconds to add to the translation's times; nil to detect the offset and the speed.
  ///   - check: polled; an error from it ends the pairing.
  public init<E>(
    _ text: [TextParagraph], _ translation: [TextParagraph], offset: Double? = nil, check: () throws(E) -> Void
  ) throws(E) {
    if let offset {
      timing = SubtitleTiming(offset: offset)
    } else {
      timing = try Self.found(text, translation, check)
    }
    translations = try Self.translations(text, translation, timing, check)
  }

  private static func found<E>(
    _ text: [TextParagraph], _ translation: [TextParagraph], _ check: () throws(E) -> Void
  ) throws(E) -> SubtitleTiming {
    let starts = text.compactMap(\.start)
    var best = (timing: SubtitleTiming(offset: 0), overlap: -1.0)
    for speed in speeds {
      let others = translation.compactMap { $0.start.map { $0 * speed } }
      for offset in try likelyOffsets(starts, others, check).prefix(3) {
        // Begin at the middle of a bin, then refine, so that each speed is judged by its best offset.
        var timing = SubtitleTiming(offset: offset, speed: speed)
        var most = try overlap(text, translation, timing, check)
        for step in -6...6 {
          let moved = SubtitleTiming(offset: offset + Double(step) * 0.1, speed: speed)
          let overlap = try overlap(text, translation, moved, check)
          if overlap > most { (timing, most) = (moved, overlap) }
        }
        if most > best.overlap * 1.001 { best = (timing, most) }
      }
    }
    return best.timing
  }

  private static func likelyOffsets<E>(
    _ starts: [Double], _ others: [Double], _ check: () throws(E) -> Void
  ) throws(E) -> [Double] {
    let bins = Int(2 * farthest / bin) + 1
    var votes = [Int32](repeating: 0, count: bins)
    var first = 0
    for (number, start) in starts.enumerated() {
      if number & 0x3FF == 0 { try check() }
      while first < others.count, others[first] < start - farthest { first += 1 }
      var index = first
      while index < min(others.count, first + mostNear), others[index] <= start + farthest {
        votes[min(bins - 1, max(0, Int((start - others[index] + farthest) / bin)))] += 1
        index += 1
      }
    }
    return votes.indices.sorted { (-votes[$0], $0) < (-votes[$1], $1) }.prefix(3).map {
      (Double($0) + 0.5) * bin - farthest
    }
  }

  /// Returns the number of seconds in which both files have a line.
  private static func overlap<E>(
    _ text: [TextParagraph], _ translation: [TextParagraph], _ timing: SubtitleTiming, _ check: () throws(E) -> Void
  ) throws(E) -> Double {
    var sum = 0.0
    try forEachOverlap(text, translation, timing, check) { _, _, seconds in sum += seconds }
    return sum
  }

  private static func forEachOverlap<E>(
    _ text: [TextParagraph], _ translation: [TextParagraph], _ timing: SubtitleTiming, _ check: () throws(E) -> Void,
    _ body: (_ text: Int, _ translation: Int, _ seconds: Double) -> Void
  ) throws(E) {
    let spans = translation.map { line in
      let (start, end) = (line.start ?? 0, line.end ?? 0)
      return (start: start * timing.speed + timing.offset, end: end * timing.speed + timing.offset)
    }
    let longest = min(60, spans.map { $0.end - $0.start }.max() ?? 0)
    var first = 0
    for (number, paragraph) in text.enumerated() {
      if number & 0x3FF == 0 { try check() }
      guard let start = paragraph.start, let end = paragraph.end else { continue }
      while first < spans.count, spans[first].start < start - longest { first += 1 }
      var index = first
      while index < min(spans.count, first + mostNear), spans[index].start < end {
        let seconds = min(end, spans[index].end) - max(start, spans[index].start)
        if seconds > 0 { body(number, index, seconds) }
        index += 1
      }
    }
  }

  /// Assigns a line to each paragraph that it overlaps by more than 30 % of the shorter one.
  private static func translations<E>(
    _ text: [TextParagraph], _ translation: [TextParagraph], _ timing: SubtitleTiming, _ check: () throws(E) -> Void
  ) throws(E) -> [String?] {
    var found = [[String]](repeating: [], count: text.count)
    try forEachOverlap(text, translation, timing, check) { number, other, seconds in
      let own = (text[number].end ?? 0) - (text[number].start ?? 0)
      let theirs = ((translation[other].end ?? 0) - (translation[other].start ?? 0)) * timing.speed
      if seconds > 0.3 * min(own, theirs) { found[number].append(translation[other].text) }
    }
    return found.map { $0.isEmpty ? nil : $0.joined(separator: " ") }
  }
}
