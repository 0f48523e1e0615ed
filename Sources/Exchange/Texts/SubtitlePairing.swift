// Which lines of a second subtitle file say the same as those of the first: found by when they begin. Invariant: a
// pairing needs no knowledge of either language; the times of both may differ by an offset and by a speed.

import Text

/// How the times of a translation lead to those of a text: `start * speed + offset`.
public struct SubtitleTiming: Equatable, Sendable {
  public var offset: Double
  public var speed: Double

  public init(offset: Double, speed: Double = 1) { (self.offset, self.speed) = (offset, speed) }
}

/// Two subtitle files, paired.
public struct SubtitlePairing: Sendable {
  public let timing: SubtitleTiming
  /// For each paragraph of the text what the translation says meanwhile.
  public let translations: [String?]

  /// The part of the text's paragraphs that has a translation.
  public var share: Double {
    translations.isEmpty ? 0 : Double(translations.count { $0 != nil }) / Double(translations.count)
  }

  /// What films and television run at, one against another.
  private static let speeds = [
    1, 25 / 23.976, 23.976 / 25, 25.0 / 24, 24.0 / 25, 24 / 23.976, 23.976 / 24,
  ]
  private static let bin = 0.2
  private static let farthest = 180.0
  /// Lines near another one that are looked at: no film has more of them, and a file may have all at one time.
  private static let mostNear = 300

  /// - Parameter offset: seconds to add to the translation's times; nil where they are to be found.
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
        // The middle of a bin first: with its own best offset each speed is as good as it can be.
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

  /// The differences between starts that come most often.
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

  /// Seconds in which both say something.
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

  /// A line belongs to a paragraph where they overlap by more than 30 % of the shorter one.
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
