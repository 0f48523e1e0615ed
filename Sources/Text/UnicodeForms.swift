// The normal forms of Unicode, case folding and marks, by utf8proc: the only place of the program that asks for them.
// Invariant: the same text gives the same form whatever the system's locale; what needs no change is given back as it
// is.

internal import CUtf8proc

extension String {
  /// The text in NFC: each letter with its marks as one scalar where Unicode has one.
  public var composed: String {
    if utf8.allSatisfy({ $0 < firstByteOfUnstable }) { return self }
    return mapped(UTF8PROC_COMPOSE) ?? self
  }

  /// The text in NFD: each letter followed by its marks.
  public var decomposed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    return mapped(UTF8PROC_DECOMPOSE) ?? self
  }

  /// What two texts have in common that differ in capitals or in compatible forms only: case folded, in NFKC.
  public var compatiblyFolded: String {
    mapped(utf8proc_option_t(UTF8PROC_COMPOSE.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_CASEFOLD.rawValue)) ?? self
  }

  private func mapped(_ options: utf8proc_option_t) -> String? {
    var text = self
    return text.withUTF8 { bytes in
      // One scalar has at most 4 in its canonical form and 18 in its compatible one.
      let times = options.rawValue & UTF8PROC_COMPAT.rawValue != 0 ? 18 : 4
      return withUnsafeTemporaryAllocation(of: utf8proc_int32_t.self, capacity: bytes.count * times + 16) { work in
        mapUTF8(UnsafeRawBufferPointer(bytes), options, work).map {
          String(decoding: UnsafeRawBufferPointer(work).prefix($0), as: UTF8.self)
        }
      }
    }
  }
}

/// No scalar below U+0300, which is the first that UTF-8 begins with this byte, composes with one before it.
private let firstByteOfUnstable: UInt8 = 0xCC

/// Puts the NFC of UTF-8 into memory that the caller owns: a password never leaves its own. The work space needs four
/// bytes for each byte of the text times four, and 64 more.
/// - Returns: how many bytes of UTF-8 are at its beginning now; nil for what is not UTF-8 or has no room.
public func composeUTF8(_ text: UnsafeRawBufferPointer, in work: UnsafeMutableBufferPointer<Int32>) -> Int? {
  mapUTF8(text, UTF8PROC_COMPOSE, work)
}

private func mapUTF8(
  _ text: UnsafeRawBufferPointer, _ options: utf8proc_option_t, _ work: UnsafeMutableBufferPointer<Int32>
) -> Int? {
  let options = utf8proc_option_t(options.rawValue | UTF8PROC_STABLE.rawValue)
  // Re-encoding works in place and puts a zero behind its end.
  let room = work.count - 1
  let start = text.bindMemory(to: UInt8.self).baseAddress
  let length = utf8proc_decompose(start, text.count, work.baseAddress, room, options)
  guard length >= 0, length <= room else { return nil }
  let size = utf8proc_reencode(work.baseAddress, length, options)
  return size >= 0 ? size : nil
}

extension Unicode.Scalar {
  /// A letter of any script and case.
  public var isLetter: Bool {
    if value < 0x80 { return (0x61...0x7A).contains(value | 0x20) }
    switch properties.generalCategory {
    case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: return true
    default: return false
    }
  }

  /// A mark that belongs to the letter before it: it adds no letter to a word's length.
  public var isMark: Bool {
    if value < 0x300 { return false }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return false
    }
  }

  /// A letter in capitals, or a digraph that begins with one.
  public var isCapital: Bool {
    if value < 0x80 { return (0x41...0x5A).contains(value) }
    let category = properties.generalCategory
    return category == .uppercaseLetter || category == .titlecaseLetter
  }

  /// A mark of Latin, Greek and Cyrillic letters, or of symbols: what a search passes over.
  public var isCombiningDiacritic: Bool {
    switch value {
    case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
    default: false
    }
  }

  /// The letter without its diacritics: `e` of `é`, `α` of `ᾧ`; the scalar itself where it is no such letter.
  public var withoutDiacritics: Unicode.Scalar {
    let scalars = String(self).decomposed.unicodeScalars
    guard let base = scalars.first, scalars.count > 1, base.isLetter,
      scalars.dropFirst().allSatisfy(\.isCombiningDiacritic)
    else { return self }
    return base
  }
}
