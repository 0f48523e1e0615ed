// Readings above characters: ` kanji[kana]`. A space begins the word that the reading belongs to.
// Invariant: `[sound:...]` is not a reading; the text is scanned once, even if brackets are never closed.

enum Ruby {
  enum Form {
    /// Both, as an HTML `ruby` element.
    case both
    /// The part in the brackets.
    case reading
    /// The part before the brackets.
    case base
  }

  static func text(_ field: Bytes, as form: Form) -> Bytes {
    let text = replacingNbsp(field)
    var result = Bytes()
    result.reserveCapacity(text.count)
    var (index, search) = (0, BracketSearch(text))
    while index < text.count {
      // A word ends at the next space or `>`; the space before the word belongs to it.
      let start = text[index] == 0x20 ? index + 1 : index
      if let found = search.reading(ofWordAt: start) {
        write(text, index..<start, found, as: form, &result)
        index = found.end
      } else {
        let end = Swift.max(search.wordEnd(start), index + 1)
        result += text[index..<end]
        index = end
      }
    }
    return result
  }

  private static func write(
    _ text: Bytes, _ blank: Range<Int>, _ found: BracketSearch.Reading, as form: Form, _ result: inout Bytes
  ) {
    let (base, reading) = (text[found.base], text[found.reading])
    if reading.begins(with: "sound:") {
      result += text[blank.lowerBound..<found.end]
      return
    }
    switch form {
    case .both:
      result.add("<ruby><rb>")
      result += base
      result.add("</rb><rt>")
      result += reading
      result.add("</rt></ruby>")
    case .reading: result += reading
    case .base: result += base
    }
  }

  private static func replacingNbsp(_ field: Bytes) -> Bytes {
    var (result, index) = (Bytes(), 0)
    while let next = field[...].position(of: "&nbsp;", from: index) {
      result += field[index..<next]
      result.append(0x20)
      index = next + 6
    }
    return index == 0 ? field : result + field[index...]
  }
}

/// Searches for brackets from the start of a text to its end; reads each byte only a few times.
private struct BracketSearch {
  struct Reading {
    let base: Range<Int>
    let reading: Range<Int>
    let end: Int
  }

  private let text: Bytes
  private var brackets = NextByte(UInt8(ascii: "]"))
  private var lineEnds = NextByte(0x0A)

  init(_ text: Bytes) { self.text = text }

  func wordEnd(_ start: Int) -> Int {
    var index = start
    while index < text.count, text[index] != 0x20, text[index] != UInt8(ascii: ">") { index += 1 }
    // The text after a `>` begins another word.
    return index < text.count && text[index] == UInt8(ascii: ">") ? index + 1 : index
  }

  /// Returns the first bracket of a word that follows at least one character, is closed on the same line, and is not
  /// empty.
  mutating func reading(ofWordAt start: Int) -> Reading? {
    var index = start
    while index < text.count, text[index] != 0x20, text[index] != UInt8(ascii: ">") {
      if text[index] == UInt8(ascii: "["), index > start, let closing = closing(from: index + 2) {
        return Reading(base: start..<index, reading: index + 1..<closing, end: closing + 1)
      }
      index += 1
    }
    return nil
  }

  /// Returns the closing bracket at or after an index, unless the line ends before it.
  private mutating func closing(from start: Int) -> Int? {
    guard let closing = brackets.next(text[...], from: start) else { return nil }
    return closing < lineEnds.next(text[...], from: start - 1) ?? text.count ? closing : nil
  }
}
