// Fields as a person reads and writes them: plain text where a field holds nothing else. Invariant: plain text that
// became HTML comes back as it was.

import Files

/// A field's HTML as plain text, and back.
///
///     FieldHTML.plain("a &lt; b")      // "a < b"
///     FieldHTML.plain("<b>a</b>")      // nil: it holds formatting
public enum FieldHTML {
  /// Nil for a field that holds more than plain text.
  public static func plain(_ html: String) -> String? { HTMLText.plain(html) }

  /// HTML as lines of text, whatever formatting it holds.
  public static func text(_ html: String) -> String {
    TerminalText.text(Bytes(html.utf8), isInterrupted: isNeverInterrupted)
  }

  /// What is to be said of HTML: one line, without its pictures and sounds.
  public static func spoken(_ html: String) -> String { TerminalText.line(Bytes(html.utf8)) }

  public static func html(ofPlain text: String) -> String { HTMLText.html(ofPlain: text) }

  /// What a field is sorted and compared by: its text without tags, and of media the names.
  public static func sortText(_ html: String) -> String {
    if !html.utf8.contains(where: { "<&".utf8.contains($0) }) { return html }
    return HTMLText.stripped(namingMedia(Bytes(html.utf8))).text
  }

  /// Each tag of a picture or a sound replaced by the name of its file.
  private static func namingMedia(_ html: Bytes) -> Bytes {
    var (result, index, tags) = (Bytes(), 0, TagReading())
    while index < html.count {
      if html[index] == UInt8(ascii: "<"), let (tag, end) = tags.tag(html[...], index), !tag.isClosing,
        ["img", "audio", "video", "object", "source"].contains(tag.name),
        let name = tag.attribute(tag.name == "object" ? "data" : "src")
      {
        result.add(" \(name) ")
        index = end
      } else {
        result.append(html[index])
        index += 1
      }
    }
    return result
  }
}
