// What the filters of a tag make of a field: `{{text:Front}}`, `{{furigana:Expression}}`.
// Invariant: a filter that is not known (those of add-ons) leaves the text as it is; none runs anything.

import Text

/// Filters of one tag, in the order in which they apply.
struct TemplateFilter {
  let field: String
  /// Of the card: its place among the note's, from 0.
  let ordinal: Int
  let isFront: Bool
  /// Text for a terminal: what is asked for or spoken stands there as text.
  let isForTerminal: Bool
  /// Whether tags tell where clozes are.
  let tagsClozes: Bool
  /// The clozes of the field before any filter.
  package let clozes: () -> ClozeText

  func apply(_ filters: [String], to text: Bytes) -> Bytes {
    if filters == ["cloze", "type"] || filters == ["nc", "type"] { return typed(text, filters[0]) }
    let first = filters.first.flatMap { apply(cloze: $0, clozes) }
    return filters.dropFirst(first == nil ? 0 : 1).reduce(first ?? text) { apply($1, to: $0) }
  }

  /// Nil for a filter that is not about clozes.
  private func apply(cloze filter: String, _ text: () -> ClozeText) -> Bytes? {
    switch filter {
    case "cloze": text().shown(number: ordinal + 1, isFront: isFront, isTagged: tagsClozes)
    case "cloze-only": text().only(number: ordinal + 1, isFront: isFront)
    default: nil
    }
  }

  private func apply(_ filter: String, to text: Bytes) -> Bytes {
    switch filter {
    case "text": HTMLText.stripped(text)
    case "furigana": Ruby.text(text, as: .both)
    case "kana": Ruby.text(text, as: .reading)
    case "kanji": Ruby.text(text, as: .base)
    case "hint": hint(text)
    case "type": typed(text, nil)
    case _ where filter.utf8.starts(with: "tts ".utf8): spoken(text, filter)
    default: apply(cloze: filter, { ClozeText(text) }) ?? text
    }
  }

  /// `[[type:Field]]`, where the session asks; on a terminal the front shows nothing and the back what was to be typed.
  private func typed(_ text: Bytes, _ kind: String?) -> Bytes {
    if isForTerminal {
      if isFront { return [] }
      return kind == "cloze" ? clozes().only(number: ordinal + 1, isFront: false) : text
    }
    return Bytes("[[type:\(kind.map { $0 + ":" } ?? "")\(field)]]".utf8)
  }

  private func spoken(_ text: Bytes, _ filter: String) -> Bytes {
    if isForTerminal { return HTMLText.stripped(text).isEmpty ? [] : Bytes("[spoken ".utf8) + text + Bytes("]".utf8) }
    let options = filter.utf8.dropFirst(4)
    return Bytes("[anki:tts lang=".utf8) + Bytes(options) + Bytes("]".utf8) + text + Bytes("[/anki:tts]".utf8)
  }

  /// A link with the field's name, and the field folded away behind it.
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

  /// FNV-1a (Fowler, Noll, Vo), 64 bits.
  private func fingerprint(_ text: Bytes) -> UInt64 {
    text.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
