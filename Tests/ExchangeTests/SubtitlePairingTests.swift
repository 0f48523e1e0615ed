// Pairing of generated subtitles: offset and speed are found, and lines without a partner stay without a translation.

import Testing
import Values

@testable import Exchange

@Suite struct SubtitlePairingTests {
  /// Returns lines with irregular gaps, as in a film.
  private func film(_ count: Int, seed: UInt64) -> [TextParagraph] {
    var numbers = SeededNumbers(seed: seed)
    var (lines, time): ([TextParagraph], Double) = ([], 10)
    for number in 0..<count {
      let length = Double.random(in: 1...4, using: &numbers)
      lines.append(TextParagraph("line \(number)", start: time, end: time + length))
      time += length + Double.random(in: 0.3...8, using: &numbers)
    }
    return lines
  }

  @Test(
    arguments: [
      SubtitleTiming(offset: 0), SubtitleTiming(offset: 2.3), SubtitleTiming(offset: -41),
      SubtitleTiming(offset: 5, speed: 25 / 23.976), SubtitleTiming(offset: -12, speed: 23.976 / 25),
    ], Array(UInt64(1)...6))
  func `offset and speed are found, and lines are paired`(timing: SubtitleTiming, seed: UInt64) {
    let (offset, speed) = (timing.offset, timing.speed)
    let text = film(420, seed: seed)
    var numbers = SeededNumbers(seed: seed &+ 100)
    // The other file's times are such that `start * speed + offset` gives ours; a tenth of its lines is missing.
    let other = text.filter { _ in Double.random(in: 0..<1, using: &numbers) > 0.1 }.map { line in
      let jitter = Double.random(in: -0.3...0.3, using: &numbers)
      return TextParagraph(
        line.text, start: ((line.start ?? 0) + jitter - offset) / speed,
        end: ((line.end ?? 0) + jitter - offset) / speed)
    }
    let pairing = SubtitlePairing(text, other) {}
    #expect(abs(pairing.timing.speed - speed) < 1e-6 && abs(pairing.timing.offset - offset) < 0.6)
    let there = Set(other.map(\.text))
    let right = zip(text, pairing.translations).count { $1 == $0.text }
    let wrong = zip(text, pairing.translations).count { $1 != nil && $1 != $0.text }
    #expect(Double(right) >= 0.94 * Double(there.count), "\(right) of \(there.count)")
    #expect(Double(wrong) <= 0.03 * Double(right + wrong), "\(wrong) wrong")
  }

  @Test(arguments: 1...12)
  func `a few lines at the same times are paired directly`(count: Int) {
    let text = (0..<count).map { TextParagraph("\($0)", start: Double($0) * 3, end: Double($0) * 3 + 2.5) }
    let timing = SubtitlePairing(text, text, check: {}).timing
    #expect(timing.speed == 1 && abs(timing.offset) < 0.01, "\(timing)")
  }

  @Test func `a given offset is used as it is, and nothing pairs with nothing`() {
    let text = film(10, seed: 4)
    let moved = text.map { TextParagraph($0.text, start: ($0.start ?? 0) - 300, end: ($0.end ?? 0) - 300) }
    #expect(SubtitlePairing(text, moved, offset: 300, check: {}).share == 1)
    #expect(
      SubtitlePairing(text, [], check: {}).share == 0 && SubtitlePairing([], text, check: {}).translations.isEmpty)
  }

  @Test func `pairing can be interrupted anywhere`() {
    struct Stop: Error {}
    let text = (0..<3_000).map { TextParagraph("a", start: Double($0), end: Double($0) + 1) }
    for wanted in [1, 2, 50, 200] {
      var polls = 0
      #expect(throws: Stop.self) {
        _ = try SubtitlePairing(text, text) { () throws(Stop) in
          polls += 1
          if polls == wanted { throw Stop() }
        }
      }
      #expect(polls == wanted)
    }
  }
}
