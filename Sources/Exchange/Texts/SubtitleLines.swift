// Reads subtitles as paragraphs with times: SubRip, WebVTT, and SubStation Alpha scripts.
// Invariant: a time is at least 0, and an end is never before its start; malformed parts are skipped.

import Text

enum SubtitleLines {
  /// Reads the cues of SubRip and WebVTT: a line with `-->`, then lines up to a blank one. In SubRip, where players
  /// show the lines after a blank one too, a cue ends at the next.
  static func cues(_ text: String, _ format: TextFormat) -> [TextParagraph] {
    var (cues, isAfterBlank): ([TextParagraph], Bool) = ([], true)
    var current: TextParagraph?
    func finish() {
      if let cue = current, let shown = shown(cue.text) {
        cues.append(TextParagraph(shown, start: cue.start, end: cue.end))
      }
      current = nil
    }
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let isBlank = line.allSatisfy(\.isWhitespace)
      defer { isAfterBlank = isBlank }
      if line.contains(text: "-->") {
        // The line before it is the number of the cue, not the last line of the one before.
        if !isAfterBlank, let cue = current, let last = cue.text.split(separator: "\n").last,
          last.allSatisfy({ $0.isNumber || $0.isWhitespace })
        {
          current?.text = cue.text.split(separator: "\n").dropLast().joined(separator: "\n")
        }
        finish()
        current = times(line).map { TextParagraph("", start: $0.0, end: $0.1) }
      } else if isBlank {
        if format != .srt { finish() }
      } else if current != nil {
        if current?.text.isEmpty == false { current?.text.append("\n") }
        current?.text.append(contentsOf: line)
      }
    }
    finish()
    return sorted(cues)
  }

  /// Parses `00:01:02,500 --> 00:01:04.000 position:50%`; hours may be missing.
  private static func times(_ line: Substring) -> (Double, Double)? {
    guard let arrow = line.firstRange(ofText: "-->") else { return nil }
    let after = line[arrow.upperBound...].split(whereSeparator: \.isWhitespace).first ?? ""
    let before = line[..<arrow.lowerBound].split(whereSeparator: \.isWhitespace).last ?? ""
    guard let start = time(before), let end = time(after) else { return nil }
    return (start, max(start, end))
  }

  private static func time(_ text: Substring) -> Double? {
    // In a file whose times were moved, a line may begin before 0.
    let isBefore = text.hasPrefix("-")
    let parts = text.dropFirst(isBefore ? 1 : 0).split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count) else { return nil }
    var seconds = 0.0
    for part in parts {
      let digits = String(part.map { $0 == "," ? "." : $0 })
      guard digits.count <= 9, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
        let number = Double(digits)
      else { return nil }
      seconds = seconds * 60 + number
    }
    return isBefore ? 0 : seconds
  }

  /// Reads the dialogue of a script. The `Format:` line names the columns; the text is the rest of a line.
  static func scriptCues(_ text: String) -> [TextParagraph] {
    var (columns, cues, isEvents): ([String], [TextParagraph], Bool) = ([], [], false)
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("[") { isEvents = line.lowercased().hasPrefix("[events]") }
      guard isEvents, let colon = line.firstIndex(of: ":") else { continue }
      let content = line[line.index(after: colon)...]
      if line.hasPrefix("Format:") {
        columns = content.split(separator: ",").map { String($0).trimmed.lowercased() }
      } else if line.hasPrefix("Dialogue:"), columns.count > 1 {
        let values = content.split(at: ",", maxSplits: columns.count - 1)
        guard values.count == columns.count, let start = columns.firstIndex(of: "start").map({ values[$0] }),
          let end = columns.firstIndex(of: "end").map({ values[$0] }), let from = time(start.trimmingBlanks),
          let to = time(end.trimmingBlanks), let words = values.last, !isDrawing(words)
        else { continue }
        let lines = String(words).replacing(text: "\\N", with: "\n").replacing(text: "\\n", with: "\n")
        guard let shown = shown(lines.replacing(text: "\\h", with: " ")) else { continue }
        cues.append(TextParagraph(shown, start: from, end: max(from, to)))
      }
    }
    // A line repeated in several layers, for its outline and shadow, counts once.
    return sorted(cues.distinct { "\($0.start ?? 0) \($0.text)" })
  }

  private static func isDrawing(_ text: Substring) -> Bool {
    (1...9).contains { text.contains(text: "\\p\($0)") }
  }

  /// The most seconds between two captions that follow each other directly, which is about a frame.
  private static let frame = 0.05

  private static func sorted(_ cues: [TextParagraph]) -> [TextParagraph] {
    var (result, shownUntil): ([TextParagraph], Double) = ([], 0)
    for cue in cues.enumerated().sorted(by: { ($0.element.start ?? 0, $0.offset) < ($1.element.start ?? 0, $1.offset) })
    {
      let (text, start, end) = (cue.element.text, cue.element.start ?? 0, cue.element.end ?? 0)
      // Rolling captions repeat the preceding line while it is shown; later it is said again.
      if let last = result.last, last.text == text || last.text.hasSuffix("\n" + text), start - shownUntil <= frame {
        shownUntil = max(shownUntil, end)
      } else {
        result.append(cue.element)
        shownUntil = end
      }
    }
    return result
  }

  // MARK: Spoken text

  /// Returns a cue's text without markup and with its references decoded; nil when it contains no speech.
  private static func shown(_ text: String) -> String? {
    let text = XMLTags.decoded(withoutMarks(text)[...])
    // A remark may take several lines.
    if isAside(text.trimmed) { return nil }
    let lines = text.split(separator: "\n").compactMap { line -> String? in
      var line = String(line).trimmed
      if line.isEmpty || line.contains("♪") || line.contains("♫") { return nil }
      if isAside(line) { return nil }
      line = withoutSpeaker(line)
      return line.isEmpty ? nil : line
    }
    return lines.isEmpty ? nil : lines.joined(separator: "\n")
  }

  /// Whether a text is one remark in brackets: `[door closes]`, but not `(laughs) Yes. (sighs)`.
  private static func isAside(_ text: String) -> Bool {
    guard let open = text.first, open == "[" || open == "(" else { return false }
    var depth = 0
    let end = text.firstIndex { character in
      if character == open { depth += 1 } else if character == (open == "[" ? "]" : ")") { depth -= 1 }
      return depth == 0
    }
    return end.map { text.index(after: $0) == text.endIndex } ?? false
  }

  /// Removes markup: `<i>`, `<v Ana>`, `{\an8}`. A bracket that is never closed, or that is followed by another
  /// opening one, is text, as in `I <3 you`.
  private static func withoutMarks(_ text: String) -> String {
    var (plain, mark): (String, String) = ("", "")
    for character in text {
      if character == "<" || character == "{" {
        plain += mark
        mark = String(character)
      } else if mark.isEmpty {
        plain.append(character)
      } else if character == (mark.first == "<" ? ">" : "}") {
        mark = ""
      } else {
        mark.append(character)
      }
    }
    return plain + mark
  }

  /// Replaces `NAME:` in capitals at the beginning by a dash, because another speaker begins.
  private static func withoutSpeaker(_ line: String) -> String {
    guard let colon = line.firstIndex(of: ":"), line.distance(from: line.startIndex, to: colon) <= 24 else {
      return line
    }
    let name = line[..<colon].drop { $0 == "-" || $0 == " " }
    guard name.count > 1, name.allSatisfy({ !$0.isLowercase && !$0.isNumber }), name.contains(where: \.isUppercase)
    else {
      return line
    }
    return "- " + String(line[line.index(after: colon)...]).trimmed
  }

  // MARK: Sentences

  private static let mostCues = 3
  private static let longestGap = 2.0
  private static let longestSpan = 15.0

  /// Joins cues until a sentence ends. Each speaker in `- Yes. / - No.` gets a paragraph of their own.
  static func joined(_ cues: [TextParagraph]) -> [TextParagraph] {
    var (paragraphs, joined): ([TextParagraph], Int) = ([], 0)
    for piece in cues.flatMap(speeches) {
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

  private static func speeches(_ cue: TextParagraph) -> [Speech] {
    var speeches: [Speech] = []
    for line in cue.text.split(separator: "\n") {
      let isSpeech = line.hasPrefix("-") || line.hasPrefix("–") || line.hasPrefix("—")
      let words = isSpeech ? line.drop { "-–— ".contains($0) } : line
      if isSpeech || speeches.isEmpty {
        speeches.append(Speech(text: String(words), start: cue.start, end: cue.end, isSpeech: isSpeech))
      } else {
        // A dash may be on a line of its own.
        if !speeches[speeches.count - 1].text.isEmpty { speeches[speeches.count - 1].text.append(" ") }
        speeches[speeches.count - 1].text.append(contentsOf: words)
      }
    }
    return speeches.filter { !$0.text.isEmpty }
  }
}
