// Fields as users read and write them: as plain text if a field holds nothing else.
// Invariant: plain text that is converted to HTML and back is unchanged.

import Files

/// Converts a field's HTML to plain text and back.
///
///     FieldHTML.plain("a &lt; b")      // "a < b"
///     FieldHTML.plain("<b>a</b>")      // nil: it holds formatting
public enum FieldHTML {
  /// Returns the plain text; nil for a field that holds formatting.
  public static func plain(_ html: String) -> String? { HTMLText.plain(html) }

  /// Returns HTML as lines of text, without its formatting.
  public static func text(_ html: String) -> String {
    TerminalText.text(Bytes(html.utf8), isInterrupted: isNeverInterrupted)
  }

  /// Returns the text for speech output: one line, without pictures and sounds.
  public static func spoken(_ html: String) -> String { TerminalText.line(Bytes(html.utf8)) }

  public static func html(ofPlain text: String) -> String { HTMLText.html(ofPlain: text) }

  /// Returns the text that fields are sorted and compared by: without tags, but with the names of media files.
  public static func sortText(_ html: String) -> String {
    if !html.utf8.contains(where: { "<&".utf8.contains($0) }) { return html }
    return HTMLText.stripped(namingMedia(Bytes(html.utf8))).text
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
