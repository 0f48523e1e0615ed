// Small rules of text that every room applies the same way: what is blank, what is trimmed, how counts and names are
// shown. Invariant: nothing here depends on the locale or on Foundation.

extension String {
  /// The text without the Unicode white space at both ends, line ends included.
  public var trimmed: String {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
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

/// Text made safe to print as one line: control characters, marks that reorder what is around them and characters that
/// are not seen are shown as `\x1B`, `\n` or `\u{200B}`; cut after `limit` characters.
public func printable(_ text: String, limit: Int = 200) -> String {
  if text.utf8.count <= limit, text.utf8.isPlainASCII { return text }
  var shown = ""
  var length = 0
  for scalar in text.unicodeScalars {
    if length == limit { return shown + "…" }
    length += 1
    switch scalar {
    case "\n": shown += "\\n"
    case "\t": shown += "\\t"
    case "\r": shown += "\\r"
    default:
      if isControl(scalar) || isBidiControl(scalar) || isUnseen(scalar) {
        let hex = String(scalar.value, radix: 16, uppercase: true)
        shown += scalar.value < 0x100 ? "\\x" + (hex.count < 2 ? "0" : "") + hex : "\\u{\(hex)}"
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
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

/// What has no width and no use within a word; the joiners of scripts and emoji have.
private func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x180E, 0x200B, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0001: true
  default: false
  }
}

/// A name in double quotes, safe to print.
public func quoted(_ name: String) -> String { "\"" + printable(name) + "\"" }
