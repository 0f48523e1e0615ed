// Fields as a person reads and writes them: plain text where a field holds nothing else. Invariant: plain text that
// became HTML comes back as it was.

/// A field's HTML as plain text, and back.
///
///     FieldHTML.plain("a &lt; b")      // "a < b"
///     FieldHTML.plain("<b>a</b>")      // nil: it holds formatting
public enum FieldHTML {
  /// Nil for a field that holds more than plain text.
  public static func plain(_ html: String) -> String? {
    if !html.utf8.contains(where: { "<&[".utf8.contains($0) }) { return html }
    return HTMLText.isFormatted(html) ? nil : TerminalText.text(Bytes(html.utf8))
  }

  /// HTML as lines of text, whatever formatting it holds.
  public static func text(_ html: String) -> String { TerminalText.text(Bytes(html.utf8)) }

  /// What is to be said of HTML: one line, without its pictures and sounds.
  public static func spoken(_ html: String) -> String { TerminalText.line(Bytes(html.utf8)) }

  public static func html(ofPlain text: String) -> String { HTMLText.html(ofPlain: text) }
}
