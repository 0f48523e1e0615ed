// Small rules of text that every room applies the same way: what is blank, what is trimmed, how counts and names are
// shown. Invariant: nothing here depends on the locale or on Foundation.

extension String {
  /// The text without the Unicode white space at both ends, line ends included.
  public var trimmed: String {
    // Looking a character up in Unicode's tables costs more than all the rest here.
    func isBlank(_ scalar: Unicode.Scalar) -> Bool {
      scalar.isASCII ? scalar == " " || ("\t"..."\r").contains(scalar) : scalar.properties.isWhitespace
    }
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !isBlank($0) }),
      let last = scalars.lastIndex(where: { !isBlank($0) })
    else { return "" }
    if first == scalars.startIndex, scalars.index(after: last) == scalars.endIndex { return self }
    return String(scalars[first...last])
  }
}

/// A whole number with its thousands set apart: `1,204`.
public func grouped(_ number: Int) -> String {
  let digits = String(number.magnitude)
  var text = number < 0 ? "-" : ""
  for (offset, digit) in digits.enumerated() {
    if offset > 0, (digits.count - offset) % 3 == 0 { text.append(",") }
    text.append(digit)
  }
  return text
}

/// `1 card`, `1,204 cards`. The plural is the singular with an s unless it is given.
public func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
  "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
}

extension Sequence<UInt8> {
  /// Whether all are letters, digits and signs of ASCII, or its space: a column each, and nothing to show in another
  /// way.
  public var isPlainASCII: Bool { allSatisfy { (0x20..<0x7F).contains($0) } }
}

/// Text of somebody else's made safe to show as one run of words: control characters as `\x1B` or `\n`, marks that
/// reorder text and characters that are not seen as `\u{200B}`; cut after `limit` characters.
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

/// The marks that reorder the text around them: a name that holds one could make a message read as something else.
private func isBidiControl(_ scalar: Unicode.Scalar) -> Bool {
  (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
}

/// Whether a scalar is one that no terminal shows (UAX #44, Default_Ignorable_Code_Point), so that two names would look
/// the same. What scripts and emoji need is none beside them: joiners, directional marks, variation selectors.
private func isHidden(
  _ scalar: Unicode.Scalar, between previous: Unicode.Scalar, _ next: Unicode.Scalar?
) -> Bool {
  guard scalar.value >= 0x80, scalar.properties.isDefaultIgnorableCodePoint else { return false }
  switch scalar.value {
  case 0x200C, 0x200D, 0x200E, 0x200F, 0x061C, 0x034F, 0x180B...0x180F, 0xFE00...0xFE0F, 0xE0100...0xE01EF:
    // A keycap is an ASCII digit, a selector and U+20E3.
    if next == "\u{20E3}" { return false }
    return !needsFormatting(previous) && !(next.map(needsFormatting) ?? false)
  default: return true
  }
}

/// Whether a scalar is a letter or sign beyond Latin script, beside which a joiner or a selector means something.
private func needsFormatting(_ scalar: Unicode.Scalar) -> Bool {
  scalar.value >= 0x0590 && !(0x2000...0x206F).contains(scalar.value) && !scalar.properties.isDefaultIgnorableCodePoint
}

/// A name in double quotes, safe to print.
public func quoted(_ name: String) -> String { "\"" + printable(name) + "\"" }
