// Unicode normal forms, case folding and marks, by utf8proc, which is used only here.
// Invariant: the result does not depend on the system's locale; a text that needs no change is returned as it is.

internal import CUtf8proc

extension String {
  /// The text in NFC: a letter with marks is one scalar where Unicode has one.
  public var composed: String {
    if utf8.allSatisfy({ $0 < firstByteOfUnstable }) { return self }
    return mapped(UTF8PROC_COMPOSE) ?? self
  }

  /// The text in NFD: each letter followed by its marks.
  public var decomposed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    return mapped(UTF8PROC_DECOMPOSE) ?? self
  }

  /// The text case-folded and in NFKC: equal for texts that differ only in case or in compatibility forms.
  public var compatiblyFolded: String {
    mapped(utf8proc_option_t(UTF8PROC_COMPOSE.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_CASEFOLD.rawValue)) ?? self
  }

  private func mapped(_ options: utf8proc_option_t) -> String? {
    var text = self
    return text.withUTF8 { bytes in
      // One scalar decomposes into at most 4 canonically, and into at most 18 compatibly.
      let times = options.rawValue & UTF8PROC_COMPAT.rawValue != 0 ? 18 : 4
      return withUnsafeTemporaryAllocation(of: utf8proc_int32_t.self, capacity: bytes.count * times + 16) { work in
        mapUTF8(UnsafeRawBufferPointer(bytes), options, work).map {
          String(decoding: UnsafeRawBufferPointer(work).prefix($0), as: UTF8.self)
        }
      }
    }
  }
}

/// U+0300 is the first scalar that begins with this byte in UTF-8; no scalar below it composes with a preceding one.
private let firstByteOfUnstable: UInt8 = 0xCC

/// Writes the NFC of UTF-8 text into the caller's memory, so that a password is never copied elsewhere. The work space
/// needs 4 × 4 bytes for each byte of the text, and 64 more.
/// - Returns: the number of UTF-8 bytes at its beginning; nil if the text is not UTF-8 or does not fit.
public func composeUTF8(_ text: UnsafeRawBufferPointer, in work: UnsafeMutableBufferPointer<Int32>) -> Int? {
  mapUTF8(text, UTF8PROC_COMPOSE, work)
}

private func mapUTF8(
  _ text: UnsafeRawBufferPointer, _ options: utf8proc_option_t, _ work: UnsafeMutableBufferPointer<Int32>
) -> Int? {
  let options = utf8proc_option_t(options.rawValue | UTF8PROC_STABLE.rawValue)
  // Re-encoding works in place and writes a terminating zero.
  let room = work.count - 1
  let start = text.bindMemory(to: UInt8.self).baseAddress
  let length = utf8proc_decompose(start, text.count, work.baseAddress, room, options)
  guard length >= 0, length <= room else { return nil }
  let size = utf8proc_reencode(work.baseAddress, length, options)
  return size >= 0 ? size : nil
}

extension StringProtocol {
  /// Whether it ends with an end mark of a sentence, before quotes and brackets; nil for a text of these alone.
  public var endsSentence: Bool? { unicodeScalars.last { !"\"'»”’)]」』）".unicodeScalars.contains($0) }?.endsSentence }
}

extension Unicode.Scalar {
  /// Whether it is a letter of any script and case.
  public var isLetter: Bool {
    if value < 0x80 { return (0x61...0x7A).contains(value | 0x20) }
    switch properties.generalCategory {
    case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: return true
    default: return false
    }
  }

  /// Whether it is a Chinese character, or one of the two signs that Japanese and Chinese write among them.
  public var isHan: Bool {
    switch value {
    case 0x3005, 0x3007, 0x3400...0x9FFF, 0xF900...0xFAFF, 0x20000...0x323AF: true
    default: false
    }
  }

  /// Whether it is a combining mark: it does not add to the number of letters of a word.
  public var isMark: Bool {
    if value < 0x300 { return false }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return false
    }
  }

  public var endsSentence: Bool {
    switch self {
    case ".", "!", "?", "…", "؟", "۔", "।", "॥", "。", "！", "？": true
    default: false
    }
  }

  /// Whether it is an uppercase letter, or a digraph that begins with one.
  public var isCapital: Bool {
    if value < 0x80 { return (0x41...0x5A).contains(value) }
    let category = properties.generalCategory
    return category == .uppercaseLetter || category == .titlecaseLetter
  }

  /// Whether it is a diacritic of Latin, Greek and Cyrillic letters, a point of Hebrew, a vowel sign of Arabic, or a
  /// mark of symbols: searches ignore it.
  public var isCombiningDiacritic: Bool {
    switch value {
    case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
    // Hebrew writes a maqaf (U+05BE) and a few other signs of its own between its points.
    case 0x0591...0x05BD, 0x05BF, 0x05C1...0x05C2, 0x05C4...0x05C5, 0x05C7: true
    case 0x0610...0x061A, 0x064B...0x0652, 0x0670: true
    default: false
    }
  }

  /// The letter without its diacritics: `e` for `é`, `α` for `ᾧ`; the scalar itself if it has none.
  public var withoutDiacritics: Unicode.Scalar {
    let scalars = String(self).decomposed.unicodeScalars
    guard let base = scalars.first, scalars.count > 1, base.isLetter,
      scalars.dropFirst().allSatisfy(\.isCombiningDiacritic)
    else { return self }
    return base
  }
}
