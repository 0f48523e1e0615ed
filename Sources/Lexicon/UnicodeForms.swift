// The canonical forms of Unicode, which Swift has in its standard library without a public name yet.
// Invariant: this is the only file that reaches for them; everything else says `composed` or `decomposed`.

@_spi(_Unicode) import Swift

extension String {
  /// The text in NFC: each letter with its marks as one scalar where Unicode has one.
  var composed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: _nfc)
    return String(scalars)
  }

  /// The scalars of the text in NFD: each letter followed by its marks.
  var decomposedScalars: [Unicode.Scalar] { Array(_nfd) }
}

extension Unicode.Scalar {
  /// A letter of any script and case.
  var isLetter: Bool {
    if value < 0x80 { return (0x61...0x7A).contains(value | 0x20) }
    switch properties.generalCategory {
    case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: return true
    default: return false
    }
  }

  /// A mark that belongs to the letter before it: it adds no letter to a word's length.
  var isMark: Bool {
    if value < 0x300 { return false }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return false
    }
  }

  /// A letter in capitals, or a digraph that begins with one.
  var isCapital: Bool {
    if value < 0x80 { return (0x41...0x5A).contains(value) }
    let category = properties.generalCategory
    return category == .uppercaseLetter || category == .titlecaseLetter
  }
}
