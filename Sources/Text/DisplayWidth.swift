// The number of columns that a text takes on a terminal, and truncating and padding it to a width.
// Invariant: a character is never split, and a truncated text is never wider than requested.

internal import CUtf8proc

extension String {
  /// The width in columns. Control characters count as 0: make them visible with `printable` first.
  package var displayWidth: Int {
    if utf8.isPlainASCII { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }

  /// Returns the text if it fits, otherwise its beginning followed by the mark.
  package func cut(to width: Int, mark: String = "…") -> String {
    guard displayWidth > width else { return self }
    let room = width - mark.displayWidth
    guard room > 0 else { return String(mark.prefix(max(0, width))) }
    var taken = 0
    let beginning = prefix { character in
      taken += character.displayWidth
      return taken <= room
    }
    return beginning + mark
  }

  /// Pads the text with spaces at its end, or at its start, to a width in columns.
  package func filled(to width: Int, atStart: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - displayWidth))
    return atStart ? blanks + self : self + blanks
  }

  package var withoutTrailingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}

/// Shrinks widths to a largest common one, at least `least`, so that their sum fits; what is left goes to the first
/// ones that were shrunk.
/// - Parameter givesWay: whether the width at an index may shrink.
package func sharedWidths(_ natural: [Int], room: Int, least: Int, _ givesWay: (Int) -> Bool = { _ in true }) -> [Int] {
  func taken(_ cap: Int) -> Int {
    natural.indices.reduce(0) { $0 + (givesWay($1) ? min(natural[$1], cap) : natural[$1]) }
  }
  var (low, high) = (least, max(least, natural.max() ?? 0))
  while low < high {
    let middle = (low + high + 1) / 2
    if taken(middle) <= room { low = middle } else { high = middle - 1 }
  }
  var left = max(0, room - taken(low))
  return natural.indices.map { place in
    let own = natural[place]
    guard givesWay(place), own > low else { return own }
    guard left > 0 else { return low }
    left -= 1
    return low + 1
  }
}

extension Character {
  /// The width in columns of the whole grapheme cluster: 2 for an emoji, else the sum of its scalars, since a terminal
  /// gives a column to each vowel sign and consonant of an Indic syllable.
  package var displayWidth: Int {
    var width = 0
    for scalar in unicodeScalars {
      // An emoji presentation selector (U+FE0F), and the letters of a flag.
      if scalar == "\u{FE0F}", width > 0 || unicodeScalars.first?.properties.isEmoji == true { return 2 }
      if (0x1F1E6...0x1F1FF).contains(scalar.value), unicodeScalars.count > 1 { return 2 }
      let columns = scalar.displayWidth
      // The people of a family and the tone of a skin are drawn in the place of the first.
      if columns == 2 { return 2 }
      width += columns
    }
    return width
  }
}

extension Unicode.Scalar {
  fileprivate var displayWidth: Int {
    if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) || value == 0xAD ? 0 : 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
    default: return isConjoining ? 0 : isWide ? 2 : 1
    }
  }

  /// Korean vowels and final consonants are drawn in the square of their initial consonant.
  private var isConjoining: Bool { (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) }

  private var isWide: Bool { value >= 0x1100 && utf8proc_charwidth(Int32(value)) == 2 }
}
