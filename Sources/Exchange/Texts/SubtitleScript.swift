// Reads the dialogue of SubStation Alpha scripts. Invariant: each line of dialogue is a cue, a drawing, a layer of
// another cue, or named as not understood.

import Text

enum SubtitleScript {
  /// The columns of a script without a `Format:` line.
  private static let usual = [
    "layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text",
  ]

  /// Reads the dialogue of a script. The `Format:` line names the columns; the text is the rest of a line.
  static func cues(_ text: String, _ scan: inout TextScan) throws -> [SubtitleCue] {
    var (columns, cues, isEvents) = (usual, [SubtitleCue](), true)
    var lines = scan.lines(text)
    while let line = try lines.next() {
      let line = line.trimmed
      if line.hasPrefix("[") { isEvents = line.lowercased().hasPrefix("[events]") }
      guard let colon = line.utf8.prefix(9).firstIndex(of: UInt8(ascii: ":")) else { continue }
      let content = line[line.utf8.index(after: colon)...]
      switch line[..<colon].lowercased() {
      case "format" where isEvents:
        let named = content.split(separator: ",").map { String($0).trimmed.lowercased() }
        if named.contains("start"), named.contains("end") { columns = named }
      case "dialogue":
        guard let cue = cue(content, columns) else {
          scan.losses.add("line \(grouped(lines.number)): no cue is understood in \(quoted(line))")
          continue
        }
        if cue.lines.contains(where: { !$0.trimmed.isEmpty }) {
          cues.append(cue)
        } else if content.contains(text: "\\p") {
          scan.losses.add(.drawing)
        }
      default: continue
      }
    }
    return withoutLayers(cues)
  }

  private static func cue(_ content: Substring, _ columns: [String]) -> SubtitleCue? {
    let values = content.split(at: ",", maxSplits: columns.count - 1)
    guard values.count == columns.count, let start = columns.firstIndex(of: "start"),
      let end = columns.firstIndex(of: "end"), let from = SubtitleTime.time(values[start].trimmingBlanks),
      let to = SubtitleTime.time(values[end].trimmingBlanks), let words = values.last
    else { return nil }
    return SubtitleCue(lines: [withoutOverrides(words)], start: from, end: max(from, to))
  }

  /// Removes what is in braces, and the drawings between `{\p1}` and `{\p0}`. A brace that is never closed is text.
  private static func withoutOverrides(_ text: Substring) -> String {
    var (shown, rest, isDrawing) = ("", text, false)
    while let open = rest.utf8.firstIndex(of: UInt8(ascii: "{")),
      let close = rest.utf8[open...].firstIndex(of: UInt8(ascii: "}"))
    {
      if !isDrawing { shown += rest[..<open] }
      isDrawing = drawingScale(rest[open..<close]).map { $0 > 0 } ?? isDrawing
      rest = rest[rest.utf8.index(after: close)...]
    }
    return isDrawing ? shown : shown + rest
  }

  /// Returns the last number after `\p`; nil if there is none.
  private static func drawingScale(_ overrides: Substring) -> Int? {
    overrides.split(separator: "\\").compactMap { tag in
      tag.hasPrefix("p") ? Int(tag.dropFirst().prefix { $0.isASCII && $0.isNumber }) : nil
    }.last
  }

  /// Keeps one of the cues that are shown together with the same text, as layers with its outline and its shadow.
  private static func withoutLayers(_ cues: [SubtitleCue]) -> [SubtitleCue] {
    var last: [String: (start: Double, end: Double)] = [:]
    return cues.filter { cue in
      let text = cue.lines.joined().replacing(text: "\\N", with: "").replacing(text: "\\n", with: "").lowercased()
        .filter { !$0.isWhitespace }
      if let other = last[text] {
        let common = min(cue.end, other.end) - max(cue.start, other.start)
        if common * 2 > min(cue.end - cue.start, other.end - other.start) { return false }
      }
      last[text] = (cue.start, cue.end)
      return true
    }
  }
}
