// Reads the cues of SubRip and WebVTT. Invariant: each line is a line of a cue, the number or name of one, a blank, a
// note of WebVTT, or named as not understood.

import Text

/// What is shown from one time to another.
struct SubtitleCue {
  var lines: [String] = []
  let start: Double
  let end: Double
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

  private init(isWeb: Bool) { self.isWeb = isWeb }

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

  /// Names a line that belongs to no cue.
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
