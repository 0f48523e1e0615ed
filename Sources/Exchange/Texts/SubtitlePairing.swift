// Pairs the lines of two subtitle files by their start times.
// Invariant: no knowledge of either language is needed; the times of the files may differ by an offset and a speed.

import Text

/// Maps the times of a translation to those of the text: `start * speed + offset`.
public struct SubtitleTiming: Equatable, Sendable {
  public var offset: Double
  public var speed: Double

  public init(offset: Double, speed: Double = 1) { (self.offset, self.speed) = (offset, speed) }
}

/// The result of pairing two subtitle files.
public struct SubtitlePairing: Sendable {
  public let timing: SubtitleTiming
  /// For each paragraph of the text, the simultaneous lines of the translation.
  public let translations: [String?]

  /// The share of the text's paragraphs that have a translation.
  public var share: Double {
    translations.isEmpty ? 0 : Double(translations.count { $0 != nil }) / Double(translations.count)
  }

  /// The ratios between common frame rates of films and television.
  private static let speeds = [
    1, 25 / 23.976, 23.976 / 25, 25.0 / 24, 24.0 / 25, 24 / 23.976, 23.976 / 24,
  ]
  private static let bin = 0.2
  private static let farthest = 180.0
  /// The limit on neighbouring lines that are compared. No film has more, but a file may put all lines at one time.
  private static let mostNear = 300

  /// - Parameter offset: seconds to add to the translation's times; nil to detect the offset and the speed.
  public init(_ text: [TextParagraph], _ translation: [TextParagraph], offset: Double? = nil) {
    if let offset {
      timing = SubtitleTiming(offset: offset)
    } else {
      timing = Self.found(text, translation)
    }
    translations = Self.translations(text, translation, timing)
  }

  private static func found(_ text: [TextParagraph], _ translation: [TextParagraph]) -> SubtitleTiming {
    let starts = text.compactMap(\.start)
    var best = (timing: SubtitleTiming(offset: 0), overlap: -1.0)
    for speed in speeds {
      let others = translation.compactMap { $0.start.map { $0 * speed } }
      for offset in likelyOffsets(starts, others).prefix(3) {
        // Begin at the middle of a bin, then refine, so that each speed is judged by its best offset.
        var timing = SubtitleTiming(offset: offset, speed: speed)
        var most = overlap(text, translation, timing)
        for step in -6...6 {
          let moved = SubtitleTiming(offset: offset + Double(step) * 0.1, speed: speed)
          let overlap = overlap(text, translation, moved)
          if overlap > most { (timing, most) = (moved, overlap) }
        }
        if most > best.overlap * 1.001 { best = (timing, most) }
      }
    }
    return best.timing
  }

  /// Returns the most frequent differences between start times.
  private static func likelyOffsets(_ starts: [Double], _ others: [Double]) -> [Double] {
    let bins = Int(2 * farthest / bin) + 1
    var votes = [Int32](repeating: 0, count: bins)
    var first = 0
    for start in starts {
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
  private static func overlap(
    _ text: [TextParagraph], _ translation: [TextParagraph], _ timing: SubtitleTiming
  ) -> Double {
    var sum = 0.0
    forEachOverlap(text, translation, timing) { _, _, seconds in sum += seconds }
    return sum
  }

  private static func forEachOverlap(
    _ text: [TextParagraph], _ translation: [TextParagraph], _ timing: SubtitleTiming,
    _ body: (_ text: Int, _ translation: Int, _ seconds: Double) -> Void
  ) {
    let spans = translation.map { line in
      let (start, end) = (line.start ?? 0, line.end ?? 0)
      return (start: start * timing.speed + timing.offset, end: end * timing.speed + timing.offset)
    }
    let longest = min(60, spans.map { $0.end - $0.start }.max() ?? 0)
    var first = 0
    for (number, paragraph) in text.enumerated() {
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
  private static func translations(
    _ text: [TextParagraph], _ translation: [TextParagraph], _ timing: SubtitleTiming
  ) -> [String?] {
    var found = [[String]](repeating: [], count: text.count)
    forEachOverlap(text, translation, timing) { number, other, seconds in
      let own = (text[number].end ?? 0) - (text[number].start ?? 0)
      let theirs = ((translation[other].end ?? 0) - (translation[other].start ?? 0)) * timing.speed
      if seconds > 0.3 * min(own, theirs) { found[number].append(translation[other].text) }
    }
    return found.map { $0.isEmpty ? nil : $0.joined(separator: " ") }
  }
}
