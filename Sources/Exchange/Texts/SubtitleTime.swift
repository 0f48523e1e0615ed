// The times of a cue, as programs and people write them. Invariant: a time is at least 0, and an end is never before
// its start.

import Text

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
    case 0xFF01...0xFF5E: Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
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
