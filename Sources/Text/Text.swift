// Small text rules that every room applies in the same way: whitespace, trimming, display of counts and names.
// Invariant: nothing here depends on the locale or on Foundation.

extension String {
  /// The text without Unicode whitespace at both ends, including line ends.
  public var trimmed: String {
    // A lookup in Unicode's tables costs more than everything else here.
    func isBlank(_ scalar: Unicode.Scalar) -> Bool {
      scalar.isASCII ? scalar == " " || ("\t"..."\r").contains(scalar) : scalar.properties.isWhitespace
    }
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !isBlank($0) }), let last = scalars.lastIndex(where: { !isBlank($0) })
    else { return "" }
    if first == scalars.startIndex, scalars.index(after: last) == scalars.endIndex { return self }
    return String(scalars[first...last])
  }
}

extension Substring {
  public var trimmed: String { String(self).trimmed }
}

/// Formats an integer with a comma between thousands: `1,204`.
public func grouped(_ number: Int) -> String {
  let digits = String(number.magnitude)
  var text = number < 0 ? "-" : ""
  for (offset, digit) in digits.enumerated() {
    if offset > 0, (digits.count - offset) % 3 == 0 { text.append(",") }
    text.append(digit)
  }
  return text
}

/// Formats a count with its noun: `1 card`, `1,204 cards`. The default plural is the singular with an s.
public func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
  "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
}

extension [String] {
  /// The texts as a choice: `a, b or c`.
  public var asChoice: String { count < 2 ? joined() : dropLast().joined(separator: ", ") + " or " + self[count - 1] }
}

extension Sequence<UInt8> {
  /// Whether all bytes are printable ASCII: each takes one column and can be shown as it is.
  public var isPlainASCII: Bool { allSatisfy { (0x20..<0x7F).contains($0) } }
}

/// Makes untrusted text safe to show in a line: control characters as `\x1B` or `\n`, bidirectional controls and
/// invisible characters as `\u{200B}`; truncated after `limit` characters.
public func printable(_ text: String, limit: Int = 200) -> String {
  if text.utf8.count <= limit, text.utf8.isPlainASCII { return text }
  var shown = ""
  var (length, previous): (Int, Unicode.Scalar) = (0, " ")
  var rest = text.unicodeScalars[...]
  while let scalar = rest.popFirst() {
    if length == limit { return shown + "…" }
    length += 1
    switch scalar {
    case "\n": shown += "\\n"
    case "\t": shown += "\\t"
    case "\r": shown += "\\r"
    default:
      if isControl(scalar) || isBidiControl(scalar) || isHidden(scalar, between: previous, rest.first) {
        let hex = String(scalar.value, radix: 16, uppercase: true)
        shown += scalar.value < 0x100 ? "\\x" + (hex.count < 2 ? "0" : "") + hex : "\\u{\(hex)}"
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    previous = scalar
  }
  return shown
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
}

/// Characters that reorder the text around them: a name with one could change how a message reads.
private func isBidiControl(_ scalar: Unicode.Scalar) -> Bool {
  (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
}

/// Whether a scalar is invisible on a terminal (UAX #44, Default_Ignorable_Code_Point), so that two names could look
/// the same. Joiners, directional marks and variation selectors do not count where scripts or emoji need them.
private func isHidden(_ scalar: Unicode.Scalar, between previous: Unicode.Scalar, _ next: Unicode.Scalar?) -> Bool {
  guard scalar.value >= 0x80, scalar.properties.isDefaultIgnorableCodePoint else { return false }
  switch scalar.value {
  case 0x200C, 0x200D, 0x200E, 0x200F, 0x061C, 0x034F, 0x180B...0x180F, 0xFE00...0xFE0F, 0xE0100...0xE01EF:
    // A keycap is an ASCII digit, a selector and U+20E3.
    if next == "\u{20E3}" { return false }
    return !needsFormatting(previous) && !(next.map(needsFormatting) ?? false)
  default: return true
  }
}

/// Whether a scalar belongs to a script or symbol set beyond Latin, next to which a joiner or a selector has a meaning.
private func needsFormatting(_ scalar: Unicode.Scalar) -> Bool {
  scalar.value >= 0x0590 && !(0x2000...0x206F).contains(scalar.value) && !scalar.properties.isDefaultIgnorableCodePoint
}

public func quoted(_ name: String) -> String { "\"" + printable(name) + "\"" }
