// Reads subtitles as paragraphs with times: SubRip, WebVTT, and the dialogue of SubStation Alpha scripts.
// Invariant: each line is a line of a cue, the number or name of one, a blank, a note, a drawing, a layer of another
// cue, or named as not understood; a time is at least 0, and an end is never before its start; a paragraph has at most
// 1 MiB.

import Text

enum SubtitleLines {
  static func paragraphs(_ text: String, _ format: TextFormat, _ scan: inout TextScan) throws -> [TextParagraph] {
    let (cues, areRolling) = try spoken(text, format, &scan)
    return try areRolling ? RollingCaptions.sentences(cues, scan) : joined(cues, scan)
  }

  /// Returns what each cue says that was not shown before, in the order of their times. A line that begins with a dash
  /// is another speaker.
  static func spoken(
    _ text: String, _ format: TextFormat, _ scan: inout TextScan
  ) throws -> (cues: [SubtitleCue], areRolling: Bool) {
    var cues = try format == .ass ? SubtitleScript.cues(text, &scan) : SubtitleCues.read(text, format, &scan)
    for index in cues.indices { try SpokenText.removeMarks(from: &cues[index], scan) }
    cues.removeAll(where: \.lines.isEmpty)
    if !zip(cues, cues.dropFirst()).allSatisfy({ $0.start <= $1.start }) {
      cues = cues.indices.sorted { (cues[$0].start, $0) < (cues[$1].start, $1) }.map { cues[$0] }
    }
    let areRolling = RollingCaptions.areRolling(cues)
    cues = try RollingCaptions.withoutRepeats(cues, areRolling: areRolling, &scan)
    for index in cues.indices { try SpokenText.removeRemarks(from: &cues[index], &scan) }
    cues.removeAll(where: \.lines.isEmpty)
    return (cues, areRolling)
  }

  // MARK: Sentences

  private static let mostCues = 3
  static let longestGap = 2.0
  static let longestSpan = 15.0

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

  private typealias Speech = (text: String, start: Double?, end: Double?, isSpeech: Bool)

  private static func speeches(_ cues: [SubtitleCue], _ scan: TextScan) throws -> [Speech] {
    var (speeches, count): ([Speech], Int) = ([], 0)
    for cue in cues {
      let first = speeches.count
      for line in cue.lines {
        count += 1
        if count & 0xFFF == 0 { try scan.check() }
        let (words, isSpeech) = SpokenText.words(of: line)
        if isSpeech || speeches.count == first || speeches[speeches.count - 1].text.utf8.count > TextFile.longest {
          speeches.append((words, cue.start, cue.end, isSpeech))
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

struct SubtitleCue {
  var lines: [String] = []
  let start: Double
  var end: Double
  /// The lines with their markup.
  var source: [String] = []
  /// The times within the cue, each with the number of characters after it, not counting blanks.
  var stamps: [(left: Int, time: Double)] = []
}

/// Collects cues line by line. A cue of WebVTT ends at an empty line; in SubRip, where players show the lines after a
/// blank one too, it ends at the next times.
struct SubtitleCues {
  private(set) var cues: [SubtitleCue] = []
  private let isWeb: Bool
  private var current: SubtitleCue?
  /// Whether the lines up to the next cue belong to one whose times were not understood.
  private var isLost = false
  /// Whether the lines up to an empty one are the head or a note of WebVTT.
  private var isNote = false
  /// A line before the times of a cue: its number or its name, or else a line without a cue.
  private var pending: (line: String, place: Int)?
  /// The number of the last cue; nil if the cues are not numbered.
  private var lastNumber: Int?

  static func read(_ text: String, _ format: TextFormat, _ scan: inout TextScan) throws -> [SubtitleCue] {
    var reader = SubtitleCues(isWeb: format == .vtt)
    var lines = scan.lines(text)
    while let line = try lines.next() { reader.take(line, lines.number, &scan.losses) }
    reader.finish(isBeforeTimes: false)
    reader.dropPending(&scan.losses)
    return reader.cues
  }

  private mutating func take(_ line: String, _ place: Int, _ losses: inout TextLosses) {
    if let (start, end) = SubtitleTime.range(line) {
      isNote = false
      begin(SubtitleCue(start: start, end: end))
    } else if isNote {
      isNote = !line.isEmpty
    } else if SubtitleTime.isMeant(line) {
      begin(nil)
      losses.add("line \(grouped(place)): no time is understood in \(quoted(line)); the cue is left out")
    } else if isWeb ? line.isEmpty : line.utf8.allSatisfy(isASCIISpace) {
      takeBlank(&losses)
    } else if current != nil {
      current?.lines.append(line)
    } else if isWeb, isNoteStart(line, place) {
      isNote = true
    } else if isLost {
      lastNumber = Self.number(line) ?? lastNumber
    } else {
      dropPending(&losses)
      pending = (line, place)
    }
  }

  private func isNoteStart(_ line: String, _ place: Int) -> Bool {
    if place == 1, line.hasPrefix("WEBVTT") { return true }
    let word = line.prefix { $0 != " " && $0 != "\t" }
    return pending == nil && (word == "NOTE" || word == "STYLE" || word == "REGION")
  }

  private mutating func takeBlank(_ losses: inout TextLosses) {
    if isWeb {
      finish(isBeforeTimes: false)
      isLost = false
      dropPending(&losses)
    } else if current?.lines.isEmpty == false {
      current?.lines.append("")
    }
  }

  /// Begins a cue, or with nil the lines of one that is left out.
  private mutating func begin(_ cue: SubtitleCue?) {
    finish(isBeforeTimes: true)
    if let pending, let number = Self.number(pending.line) { lastNumber = number }
    (current, isLost, pending) = (cue, cue == nil, nil)
  }

  private mutating func dropPending(_ losses: inout TextLosses) {
    guard let (line, place) = pending else { return }
    pending = nil
    if !isWeb, Self.number(line) != nil { return }
    losses.add("line \(grouped(place)): \(quoted(line)) belongs to no cue")
  }

  private mutating func finish(isBeforeTimes: Bool) {
    guard var cue = current else { return }
    current = nil
    if isBeforeTimes, !isWeb { removeNumber(from: &cue.lines) }
    cue.lines.removeAll { $0.utf8.allSatisfy(isASCIISpace) }
    cues.append(cue)
  }

  /// Removes the number of the next cue, which is the last line before its times. A number that somebody says stays.
  private mutating func removeNumber(from lines: inout [String]) {
    let count = lines.count
    while lines.last?.isEmpty == true { lines.removeLast() }
    guard let last = lines.last, let number = Self.number(last) else { return }
    let (touchesTimes, followsBlank) = (lines.count == count, lines.dropLast().last?.isEmpty == true)
    let isNext = lastNumber.map { $0 + 1 == number } ?? false
    guard isNext || (touchesTimes && (followsBlank || (lastNumber != nil && count > 1))) else { return }
    lines.removeLast()
    // Some files have it twice.
    if lines.last == last { lines.removeLast() }
    lastNumber = number
  }

  private static func number(_ line: String) -> Int? {
    let digits = line.trimmed
    guard digits.utf8.count <= 27, digits.allSatisfy(\.isNumber), !digits.isEmpty else { return nil }
    return digits.reduce(0) { $0 * 10 + ($1.wholeNumberValue ?? 0) % 10 }
  }
}

enum SubtitleTime {
  /// Parses `00:01:02,500 --> 00:01:04.000 position:50%`. Hours may be missing; there may be blanks around the
  /// separators, another arrow, wide characters, and a start before 0 in a file whose times were moved.
  static func range(_ line: String) -> (start: Double, end: Double)? {
    guard let (before, after) = sides(of: line), let start = time(before.split(separator: " ").last),
      let end = time(after.split(separator: " ").first)
    else { return nil }
    return (start, max(start, end))
  }

  /// Whether a line is meant as the times of a cue: an arrow follows something like a time.
  static func isMeant(_ line: String) -> Bool {
    guard let (before, _) = sides(of: line), let first = before.unicodeScalars.first else { return false }
    return (first.properties.numericType != nil || first == "-") && before.contains(":")
  }

  /// Returns what is before and after the arrow, in ASCII and without blanks around separators.
  private static func sides(of line: String) -> (before: String, after: String)? {
    guard line.utf8.count <= 512 else { return nil }
    let plain = line.unicodeScalars.flatMap { $0 == "\u{2192}" ? ["-", ">"] : [ascii($0)] }
    guard let tip = plain.firstIndex(of: ">"),
      let last = plain[..<tip].lastIndex(where: { $0 != "-" && $0 != " " }), plain[last..<tip].contains("-")
    else { return nil }
    return (joined(plain[...last]), joined(plain[(tip + 1)...]))
  }

  private static func ascii(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x3D, 0x2010...0x2015, 0x2212: "-"
    case 0xFF01...0xFF5E: Unicode.Scalar(UInt8(scalar.value - 0xFEE0))
    default: scalar.properties.isWhitespace ? " " : scalar
    }
  }

  /// Removes the blanks around `:`, `,`, `.` and `;`.
  private static func joined(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var (text, mayFollow): (String.UnicodeScalarView, Bool) = ("".unicodeScalars, false)
    for scalar in scalars {
      let isSeparator = ":,.;".unicodeScalars.contains(scalar)
      if isSeparator { while text.last == " " { text.removeLast() } }
      if scalar != " " || mayFollow { text.append(scalar) }
      mayFollow = !isSeparator
    }
    return String(text).trimmed
  }

  static func time(_ text: Substring?) -> Double? {
    guard let text else { return nil }
    let parts = text.split(omittingEmptySubsequences: false) { ":,.;".contains($0) }
    let separators = text.filter { ":,.;".contains($0) }
    guard (2...4).contains(parts.count) else { return nil }
    var isBefore = false
    var numbers: [Double] = []
    for part in parts {
      isBefore = isBefore || part.hasPrefix("-")
      let digits = part.drop { $0 == "-" }
      guard (1...9).contains(digits.count), digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let number = Double(digits)
      else { return nil }
      numbers.append(number)
    }
    // A fraction follows another separator than `:`, or it has three digits.
    let hasFraction = parts.count == 4 || separators.last != ":" || parts.last?.count == 3 && parts.count > 2
    let fraction = hasFraction ? Double("0." + parts[parts.count - 1]) ?? 0 : 0
    if hasFraction { numbers.removeLast() }
    guard numbers.count < 4, separators.dropLast(hasFraction ? 1 : 0).allSatisfy({ $0 == ":" }) else { return nil }
    return isBefore ? 0 : numbers.reduce(0) { $0 * 60 + $1 } + fraction
  }
}

enum SubtitleScript {
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
      let end = columns.firstIndex(of: "end"), let from = SubtitleTime.time(values[start].trimmed[...]),
      let to = SubtitleTime.time(values[end].trimmed[...]), let words = values.last
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
