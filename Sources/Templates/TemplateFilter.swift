// How the filters of a tag transform a field: `{{text:Front}}`, `{{furigana:Expression}}`.
// Invariant: an unknown filter (from an add-on) leaves the text as it is; no filter executes anything; `[sound:...]` is
// not a reading; a text is scanned once, even if brackets are never closed.

import Text

struct TemplateFilter {
  let field: String
  /// The index of the card among the note's cards, from 0.
  let ordinal: Int
  let isFront: Bool
  /// Whether the output is terminal text, where typed and spoken parts appear as text.
  let isForTerminal: Bool
  let tagsClozes: Bool
  let clozes: () -> ClozeText

  /// - Parameter spend: called with the size in bytes of what each filter makes; an error that it throws ends the work.
  func apply(
    _ filters: [String], to text: Bytes, spend: (Int) throws(NoteError) -> Void
  ) throws(NoteError) -> Bytes {
    if filters == ["cloze", "type"] || filters == ["nc", "type"] { return typed(text, filters[0]) }
    let first = filters.first.flatMap { apply(cloze: $0, clozes) }
    var result = first ?? text
    for filter in filters.dropFirst(first == nil ? 0 : 1) {
      result = apply(filter, to: result)
      try spend(result.count)
    }
    return result
  }

  private func apply(cloze filter: String, _ text: () -> ClozeText) -> Bytes? {
    switch filter {
    case "cloze": text().shown(number: ordinal + 1, isFront: isFront, isTagged: tagsClozes)
    case "cloze-only": text().only(number: ordinal + 1, isFront: isFront)
    default: nil
    }
  }

  private func apply(_ filter: String, to text: Bytes) -> Bytes {
    switch filter {
    case "text": FieldHTML.stripped(text)
    case "furigana": Ruby.text(text, as: .both)
    case "kana": Ruby.text(text, as: .reading)
    case "kanji": Ruby.text(text, as: .base)
    case "hint": hint(text)
    case "type": typed(text, nil)
    case _ where filter.utf8.starts(with: "tts ".utf8): spoken(text, filter)
    default: apply(cloze: filter, { ClozeText(text) }) ?? text
    }
  }

  /// Returns `[[type:Field]]`, where the session asks for the answer. On a terminal, the front shows nothing and the
  /// back shows the expected text.
  private func typed(_ text: Bytes, _ kind: String?) -> Bytes {
    if isForTerminal {
      if isFront { return [] }
      return kind == "cloze" ? clozes().typed(number: ordinal + 1) : text
    }
    return Bytes("[[type:\(kind.map { $0 + ":" } ?? "")\(field)]]".utf8)
  }

  private func spoken(_ text: Bytes, _ filter: String) -> Bytes {
    if isForTerminal { return FieldHTML.stripped(text).isEmpty ? [] : Bytes("[spoken ".utf8) + text + Bytes("]".utf8) }
    let options = filter.utf8.dropFirst(4)
    return Bytes("[anki:tts lang=".utf8) + Bytes(options) + Bytes("]".utf8) + text + Bytes("[/anki:tts]".utf8)
  }

  /// A link with the field's name, and the field hidden after it.
  private func hint(_ text: Bytes) -> Bytes {
    if text.text.trimmed.isEmpty { return text }
    let id = "hint" + String(fingerprint(text), radix: 16)
    var result = Bytes()
    result.add("\n<a class=hint href=\"#\"\nonclick=\"this.style.display='none';\n")
    result.add("document.getElementById('\(id)').style.display='block';\nreturn false;\" draggable=false>\n")
    result.add("\(field)</a>\n<div id=\"\(id)\" class=hint style=\"display: none\">")
    result += text
    result.add("</div>\n")
    return result
  }

  private func fingerprint(_ text: Bytes) -> UInt64 {
    text.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

enum Ruby {
  enum Form {
    /// Both, as an HTML `ruby` element.
    case both
    case reading, base
  }

  static func text(_ field: Bytes, as form: Form) -> Bytes {
    let text = replacingNbsp(field)
    var result = Bytes()
    result.reserveCapacity(text.count)
    var (index, search) = (0, BracketSearch(text))
    while index < text.count {
      // A word ends at the next space or `>`; the space before the word belongs to it.
      let start = text[index] == 0x20 ? index + 1 : index
      let found = search.reading(ofWordAt: start)
      let end = found?.end ?? Swift.max(search.wordEnd(start), index + 1)
      if let found, !text[found.reading].begins(with: "sound:") {
        switch form {
        case .both:
          result.add("<ruby><rb>")
          result += text[found.base]
          result.add("</rb><rt>")
          result += text[found.reading]
          result.add("</rt></ruby>")
        case .reading: result += text[found.reading]
        case .base: result += text[found.base]
        }
      } else {
        result += text[index..<end]
      }
      index = end
    }
    return result
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
  mutating func reading(ofWordAt start: Int) -> (base: Range<Int>, reading: Range<Int>, end: Int)? {
    var index = start
    while index < text.count, text[index] != 0x20, text[index] != UInt8(ascii: ">") {
      if text[index] == UInt8(ascii: "["), index > start, let closing = closing(from: index + 2) {
        return (start..<index, index + 1..<closing, closing + 1)
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
