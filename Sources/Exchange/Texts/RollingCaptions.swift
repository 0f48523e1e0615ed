// Captions that roll, as automatic ones do: each repeats what is still shown of the one before. What is new in each
// becomes one stream of words, which is cut into sentences.
// Invariant: a word that is shown several times is read once; the times of the sentences never go back.

import Templates
import Text

enum RollingCaptions {
  /// The most seconds between two captions that follow each other directly, which is about a frame.
  private static let frame = 0.05
  /// More lines than any caption has; lines beyond them are not compared.
  private static let mostLines = 16
  private static let fewestRepeats = 3

  // MARK: What is new

  /// Whether captions have times before words as automatic ones have, or many of them repeat the one before.
  /// - Parameter cues: in the order of their times.
  static func areRolling(_ cues: [SubtitleCue]) -> Bool {
    if cues.contains(where: { !$0.stamps.isEmpty }) { return true }
    let direct = zip(cues, cues.dropFirst()).filter { $1.start - $0.end <= frame }
    let repeats = direct.count { news(in: $1.lines, after: $0.lines) != $1.lines }
    return repeats >= fewestRepeats && repeats * 3 >= direct.count
  }

  /// Removes the lines that repeat what is still shown; of captions that do not roll, only whole ones. What repeats all
  /// of a caption makes it longer.
  static func withoutRepeats(
    _ cues: [SubtitleCue], areRolling: Bool, _ scan: inout TextScan
  ) throws -> [SubtitleCue] {
    var (result, shown, shownUntil): ([SubtitleCue], SubtitleCue?, Double) = ([], nil, 0)
    for (number, cue) in cues.enumerated() {
      if number & 0xFF == 0 { try scan.check() }
      var lines = cue.lines
      if let shown {
        let (new, gap) = (news(in: cue.lines, after: shown.lines), cue.start - shownUntil)
        // Each word of a caption may be marked in turn, with gaps between.
        let haveMarks = [cue, shown].allSatisfy { $0.source.contains { $0.contains("<") } }
        let isMarked = haveMarks && cue.source != shown.source
        if gap <= frame ? areRolling || new.isEmpty : new.isEmpty && isMarked && gap < SubtitleLines.longestGap {
          lines = new
        }
      }
      shown = cue
      if lines.isEmpty {
        scan.losses.add(.repeat)
        shownUntil = max(shownUntil, cue.end)
        result[result.count - 1].end = shownUntil
      } else {
        result.append(cue)
        result[result.count - 1].lines = lines
        shownUntil = cue.end
      }
    }
    return result
  }

  /// Returns the lines of a caption without the longest run of first ones that repeats the last ones of another. A line
  /// that continues the last one is new from there on.
  private static func news(in lines: [String], after shown: [String]) -> [String] {
    for count in stride(from: min(lines.count, shown.count, mostLines), to: 0, by: -1) {
      let (first, last) = (lines[count - 1], shown[shown.count - 1])
      guard first.hasPrefix(last), lines.prefix(count - 1).elementsEqual(shown.suffix(count).dropLast()) else {
        continue
      }
      let words = first.dropFirst(last.count)
      if words.isEmpty { return Array(lines[count...]) }
      if !words[words.startIndex].isCased, !words[words.startIndex].isNumber {
        return [words.trimmed] + lines[count...]
      }
    }
    return lines
  }

  /// Returns the times before words as automatic captions have them, `<00:00:01.400><c>`.
  static func stamps(_ source: [String]) -> [(left: Int, time: Double)] {
    guard source.contains(where: { $0.contains(text: "><c") }) else { return [] }
    var (count, found): (Int, [(before: Int, time: Double)]) = (0, [])
    for line in source {
      for (number, piece) in line.split(separator: "<", omittingEmptySubsequences: false).enumerated() {
        let end = number == 0 ? nil : piece.firstIndex(of: ">")
        if let end, let time = SubtitleTime.time(piece[..<end]) { found.append((count, time)) }
        let text = end.map { piece[piece.index(after: $0)...] } ?? piece
        count += HTMLEntities.decoded(String(text)).count { !$0.isWhitespace }
      }
    }
    return found.map { (count - $0.before, $0.time) }
  }

  // MARK: Sentences

  /// In bytes.
  private static let longestSentence = 4000
  /// The shortest pause that ends a sentence where end marks do too, and where there are none.
  private static let pauses = (marked: 2.0, unmarked: 0.8)
  /// How long a character of a word is spoken, in seconds, if only the beginning of the word is known.
  private static let secondsPerCharacter = 0.07

  private struct Word {
    let text: Substring
    let start: Double
    let end: Double
    /// When the caption ends.
    let shownUntil: Double
    let isSpeech: Bool

    /// Whether a sentence ends after it. A short word with a capital and a full stop may be an abbreviation.
    var endsSentence: Bool {
      let mayBeShort = text.count <= 4 && text.last == "." && text.first?.isUppercase == true
      return !mayBeShort && String(text).endsSentence == true
    }
  }

  /// Cuts what the captions say at end marks, pauses and new speakers.
  static func sentences(_ cues: [SubtitleCue], _ scan: TextScan) throws -> [TextParagraph] {
    var (paragraphs, last, now): ([TextParagraph], Word?, Double) = ([], nil, 0)
    func count(_ isCounted: (Unicode.Scalar) -> Bool) -> Int {
      cues.reduce(0) { $0 + $1.lines.reduce(0) { $0 + $1.unicodeScalars.count(where: isCounted) } }
    }
    // At least one for 100 words.
    let hasMarks = count(\.endsSentence) * 100 > count { $0 == " " }
    let pause = hasMarks ? pauses.marked : pauses.unmarked
    for (number, cue) in cues.enumerated() {
      if number & 0xFF == 0 { try scan.check() }
      for word in words(of: cue, after: now) {
        now = word.start
        let open = paragraphs.indices.last ?? 0
        if let last, !word.isSpeech, now - last.end < pause, paragraphs[open].text.utf8.count < longestSentence,
          hasMarks || now - (paragraphs[open].start ?? 0) < SubtitleLines.longestSpan,
          !last.endsSentence || word.text.first?.isLowercase == true
        {
          // What a line goes on with may be a mark.
          paragraphs[open].text += (word.text.first.map(",.…".contains) == true ? "" : " ") + word.text
        } else {
          if let last { paragraphs[open].end = min(max(last.start, last.shownUntil), now) }
          paragraphs.append(TextParagraph(String(word.text), start: now))
        }
        paragraphs[paragraphs.count - 1].end = max(now, word.shownUntil)
        last = word
      }
    }
    return paragraphs
  }

  /// Returns the words of a caption with their times: those before them in its markup, or else by the number of
  /// characters.
  private static func words(of cue: SubtitleCue, after last: Double) -> [Word] {
    var pieces: [(text: Substring, isSpeech: Bool)] = []
    for line in cue.lines {
      let (words, isSpeech) = SpokenText.words(of: line)
      for text in words.split(separator: " ") { pieces.append((text, isSpeech && text.startIndex == words.startIndex)) }
    }
    let total = pieces.reduce(0) { $0 + $1.text.count }
    var (place, stamp, now) = (0, 0, max(last, cue.start))
    func time(_ place: Int) -> Double { cue.start + (cue.end - cue.start) * Double(place) / Double(total) }
    return pieces.map { piece in
      while stamp < cue.stamps.count, cue.stamps[stamp].left >= total - place {
        now = max(now, min(cue.stamps[stamp].time, cue.end))
        stamp += 1
      }
      let count = piece.text.count
      if cue.stamps.isEmpty { now = max(now, time(place)) }
      place += count
      let end = cue.stamps.isEmpty ? max(now, time(place)) : now + secondsPerCharacter * Double(count)
      return Word(text: piece.text, start: now, end: end, shownUntil: cue.end, isSpeech: piece.isSpeech)
    }
  }
}
