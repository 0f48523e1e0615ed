// HTML without its tags, as the filter `text:` returns it; plain text as HTML; fields as users read and write them.
// Invariant: every function takes time in proportion to the length of the text, whatever is left unclosed; plain text
// that is converted to HTML and back is unchanged.

import Files
import Text

public enum FieldHTML {
  /// Removes tags, comments, styles and scripts, and decodes entities. A single invalid reference leaves all of them
  /// undecoded.
  static func stripped(_ html: Bytes) -> Bytes {
    let text = withoutTags(html[...])
    return text.contains(UInt8(ascii: "&")) ? decoded(text) ?? text : text
  }

  /// Removes tags, comments, styles and scripts; anything between `<` and `>` counts as a tag.
  static func withoutTags(_ html: ArraySlice<UInt8>) -> Bytes {
    var result = Bytes()
    result.reserveCapacity(html.count)
    var search = TagSearch(html)
    var (index, start) = (html.startIndex, html.startIndex)
    while index < html.endIndex {
      guard html[index] == UInt8(ascii: "<"), let end = search.end(of: index) else {
        index += 1
        continue
      }
      result += html[start..<index]
      index = end
      start = end
    }
    return result + html[start...]
  }

  /// Finds the ends of tags. A closing sequence that was not found is not searched for again.
  private struct TagSearch {
    let html: ArraySlice<UInt8>
    private var isWithout: Set<Int> = []

    init(_ html: ArraySlice<UInt8>) { self.html = html }

    mutating func end(of start: Int) -> Int? {
      if html.begins(with: "<!--", at: start), let end = find("-->", 0, from: start + 4) { return end }
      for (opening, closing, key): (StaticString, StaticString, Int) in [
        ("<style", "</style>", 1), ("<script", "</script>", 2),
      ] where html.beginsIgnoringCase(with: opening, at: start) {
        if let inner = find(">", 3, from: start + opening.utf8CodeUnitCount), let end = find(closing, key, from: inner)
        {
          return end
        }
      }
      return find(">", 3, from: start + 1)
    }

    private mutating func find(_ needle: StaticString, _ key: Int, from start: Int) -> Int? {
      if isWithout.contains(key) { return nil }
      var index = start
      while index < html.endIndex {
        if html.beginsIgnoringCase(with: needle, at: index) { return index + needle.utf8CodeUnitCount }
        index += 1
      }
      isWithout.insert(key)
      return nil
    }
  }

  /// Nil if a `&` does not begin a known reference.
  private static func decoded(_ text: Bytes) -> Bytes? {
    var result = Bytes()
    result.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "&") else {
        result.append(text[index])
        index += 1
        continue
      }
      guard let (scalar, end) = HTMLEntities.character(text[...], index) else { return nil }
      result.add(String(scalar == "\u{A0}" ? " " : scalar))
      index = end
    }
    return result
  }

  /// Removes the tags inside formulas, which are between `\(` or `\[` and `\)` or `\]`.
  static func strippingMathTags(_ html: Bytes) -> Bytes {
    guard html.contains(UInt8(ascii: "\\")) else { return html }
    var result = Bytes()
    var (index, start) = (0, 0)
    while let opening = bracket(html, "([", from: index), let closing = bracket(html, ")]", from: opening + 2) {
      result += html[start..<opening + 2]
      result += withoutTags(html[(opening + 2)..<closing])
      start = closing
      index = closing + 2
    }
    return result + html[start...]
  }

  /// Returns the index of a backslash followed by one of two brackets.
  private static func bracket(_ html: Bytes, _ brackets: StaticString, from start: Int) -> Int? {
    var index = start
    while index + 1 < html.count {
      if html[index] == UInt8(ascii: "\\"),
        html[index + 1] == brackets.utf8Start[0] || html[index + 1] == brackets.utf8Start[1]
      {
        return index
      }
      index += 1
    }
    return nil
  }

  // MARK: Plain text

  /// Converts plain text to HTML: `&`, `<` and `>` become entities, a line end becomes `<br>`, and other control
  /// characters become numeric references.
  public static func html(ofPlain text: String) -> String {
    if !text.utf8.contains(where: isEscaped) { return text }
    return text.utf8.reduce(into: Bytes()) { add($1, ofPlainTo: &$0) }.text
  }

  package static func add(_ byte: UInt8, ofPlainTo html: inout Bytes) {
    switch byte {
    case UInt8(ascii: "&"): html.add("&amp;")
    case UInt8(ascii: "<"): html.add("&lt;")
    case UInt8(ascii: ">"): html.add("&gt;")
    case UInt8(ascii: "\n"): html.add("<br>")
    case 0..<0x20 where byte != UInt8(ascii: "\t"): html.add("&#\(byte);")
    default: html.append(byte)
    }
  }

  /// Whether a byte of plain text is escaped in HTML.
  package static func isEscaped(_ byte: UInt8) -> Bool {
    // Called for every byte that is added: `&`, `<` and `>` are compared one by one, because searching a text of three
    // costs more.
    byte < 0x20 ? byte != 0x09 : byte == 0x26 || byte == 0x3C || byte == 0x3E
  }

  /// Returns the plain text that `html(ofPlain:)` converted to this HTML; nil for HTML that holds anything else.
  ///
  ///     FieldHTML.plain("a &lt; b")      // "a < b"
  ///     FieldHTML.plain("<b>a</b>")      // nil: it holds formatting
  public static func plain(_ html: String) -> String? {
    if !html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) { return html }
    let bytes = Bytes(html.utf8)
    var (result, index) = (Bytes(), 0)
    result.reserveCapacity(bytes.count)
    while let place = bytes[index...].firstIndex(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) {
      guard let (byte, length) = escape(bytes, at: place) else { return nil }
      result += bytes[index..<place]
      result.append(byte)
      index = place + length
    }
    return (result + bytes[index...]).text
  }

  private static let escapes: [(StaticString, UInt8)] = [
    ("<br>", UInt8(ascii: "\n")), ("&amp;", UInt8(ascii: "&")), ("&lt;", UInt8(ascii: "<")),
    ("&gt;", UInt8(ascii: ">")),
  ]

  /// Decodes one of the escapes that `html(ofPlain:)` writes.
  private static func escape(_ html: Bytes, at index: Int) -> (byte: UInt8, length: Int)? {
    for (text, byte) in escapes where html[...].begins(with: text, at: index) { return (byte, text.utf8CodeUnitCount) }
    guard html[...].begins(with: "&#", at: index), let end = html[index...].prefix(6).firstIndex(of: UInt8(ascii: ";")),
      let byte = UInt8(html[(index + 2)..<end].text), byte > 0, byte < 0x20
    else { return nil }
    return (byte, end + 1 - index)
  }

  /// Whether HTML holds more than plain text, so that editing it as plain text would lose something.
  package static func isFormatted(_ html: String) -> Bool { plain(html) == nil }

  // MARK: Fields

  /// Returns HTML as lines of text, without its formatting.
  public static func text(_ html: String) -> String {
    TerminalText.text(Bytes(html.utf8), isInterrupted: isNeverInterrupted)
  }

  /// Returns the text for speech output: one line, without pictures and sounds.
  public static func spoken(_ html: String) -> String { TerminalText.line(Bytes(html.utf8)) }

  /// Returns the text of a card with ♪ in place of its sounds, for a list: `el perro ♪`.
  public static func withSigns(_ text: String) -> String {
    let pieces = text.split(at: "[sound")
    return pieces.dropFirst().reduce(String(pieces[0])) { shown, piece in
      guard " :".utf8.contains(piece.utf8.first ?? 0), let end = piece.firstIndex(of: "]") else {
        return shown + "[sound" + piece
      }
      return shown + (shown.isEmpty || shown.hasSuffix(" ") ? "♪" : " ♪") + piece[piece.index(after: end)...]
    }
  }

  /// Returns the text that fields are sorted and compared by: without tags, but with the names of media files.
  public static func sortText(_ html: String) -> String {
    var html = html
    return html.withUTF8 { withSortText(of: $0) { String(decoding: $0, as: UTF8.self) } }
  }

  /// Passes the sort text of a field to the body; that of a field without markup is the field itself.
  public static func withSortText<T>(
    of field: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws -> T
  ) rethrows -> T {
    guard field.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else { return try body(field) }
    return try stripped(namingMedia(Bytes(field))).withUnsafeBufferPointer(body)
  }

  /// Replaces each tag of a picture or a sound with the name of its file.
  private static func namingMedia(_ html: Bytes) -> Bytes {
    var (result, index, tags) = (Bytes(), 0, TagReading())
    while let (tag, place) = tags.next(html[...], from: index) {
      result += html[index..<place.lowerBound]
      if !tag.isClosing, ["img", "audio", "video", "object", "source"].contains(tag.name),
        let name = tag.attribute(tag.name == "object" ? "data" : "src")
      {
        result.add(" \(name) ")
      } else {
        result += html[place]
      }
      index = place.upperBound
    }
    return result + html[index...]
  }
}
