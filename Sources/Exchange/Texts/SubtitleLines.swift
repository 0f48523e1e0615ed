// Reads subtitles as paragraphs with times: SubRip, WebVTT, and SubStation Alpha scripts.
// Invariant: a paragraph has at most 1 MiB; each cue is used, or counted or named as left out.

import Text

enum SubtitleLines {
  /// Returns what is said, joined into sentences.
  static func paragraphs(_ text: String, _ format: TextFormat, _ scan: inout TextScan) throws -> [TextParagraph] {
    let cues = try format == .ass ? SubtitleScript.cues(text, &scan) : SubtitleCues.read(text, format, &scan)
    var spoken: [SubtitleCue] = []
    for (number, cue) in cues.enumerated() {
      if number & 0xFF == 0 { try scan.check() }
      let lines = try SpokenText.lines(of: cue, &scan)
      if !lines.isEmpty { spoken.append(SubtitleCue(lines: lines, start: cue.start, end: cue.end)) }
    }
    return try joined(sorted(spoken, &scan), scan)
  }

  /// The most seconds between two captions that follow each other directly, which is about a frame.
  private static let frame = 0.05

  private static func sorted(_ cues: [SubtitleCue], _ scan: inout TextScan) throws -> [SubtitleCue] {
    var (result, shownUntil): ([SubtitleCue], Double) = ([], 0)
    let inOrder = zip(cues, cues.dropFirst()).allSatisfy { $0.start <= $1.start }
    let order = inOrder ? Array(cues.indices) : cues.indices.sorted { (cues[$0].start, $0) < (cues[$1].start, $1) }
    for (number, index) in order.enumerated() {
      if number & 0xFFF == 0 { try scan.check() }
      let cue = cues[index]
      // Rolling captions repeat the preceding line while it is shown; later it is said again.
      if let last = result.last, last.lines.suffix(cue.lines.count) == cue.lines[...], cue.start - shownUntil <= frame {
        scan.losses.add(.repeat)
        shownUntil = max(shownUntil, cue.end)
      } else {
        result.append(cue)
        shownUntil = cue.end
      }
    }
    return result
  }

  // MARK: Sentences

  private static let mostCues = 3
  private static let longestGap = 2.0
  private static let longestSpan = 15.0

  /// Joins cues until a sentence ends. Each speaker in `- Yes. / - No.` gets a paragraph of their own.
  private static func joined(_ cues: [SubtitleCue], _ scan: TextScan) throws -> [TextParagraph] {
    var (paragraphs, joined): ([TextParagraph], Int) = ([], 0)
    for piece in try speeches(cues, scan) {
      let isOpen = joined > 0 && joined < mostCues && !(paragraphs.last?.text.endsSentence ?? true)
      if isOpen, let last = paragraphs.last, let start = piece.start, let end = last.end, !piece.isSpeech,
        start - end < longestGap, (piece.end ?? start) - (last.start ?? 0) <= longestSpan
      {
        paragraphs[paragraphs.count - 1].text += " " + piece.text
        paragraphs[paragraphs.count - 1].end = piece.end
        joined += 1
      } else {
        paragraphs.append(TextParagraph(piece.text, start: piece.start, end: piece.end))
        joined = 1
      }
    }
    return paragraphs
  }

  private struct Speech {
    var text: String
    let start: Double?
    let end: Double?
    /// Whether it begins with a dash, which means another speaker.
    let isSpeech: Bool
  }

  private static func speeches(_ cues: [SubtitleCue], _ scan: TextScan) throws -> [Speech] {
    var (speeches, count): ([Speech], Int) = ([], 0)
    for cue in cues {
      let first = speeches.count
      for line in cue.lines {
        count += 1
        if count & 0xFFF == 0 { try scan.check() }
        let isSpeech = line.first.map { "-–—‐".contains($0) } ?? false
        let words = isSpeech ? String(line.drop { "-–—‐ ".contains($0) }) : line
        if isSpeech || speeches.count == first || speeches[speeches.count - 1].text.utf8.count > TextFile.longest {
          speeches.append(Speech(text: words, start: cue.start, end: cue.end, isSpeech: isSpeech))
        } else {
          // A dash may be on a line of its own.
          if !speeches[speeches.count - 1].text.isEmpty { speeches[speeches.count - 1].text.append(" ") }
          speeches[speeches.count - 1].text.append(words)
        }
      }
    }
    return speeches.filter { !$0.text.isEmpty }
  }
}
