// The text of a web page around its cards: escaping, the script and the style, and the policy that lets a browser run
// nothing else.
// Invariant: no text of a card is ever markup; the policy names the script and the style by the hash of their bytes.

import Text

/// What a page is put together from.
enum PageText {
  static let script = squeezed(PackageResources.page_js)
  static let style = Array(
    String(decoding: squeezed(PackageResources.page_css), as: UTF8.self)
      .replacing(": ", with: ":").replacing("; ", with: ";").utf8)

  /// Lines without the blanks that they begin with, without blank ones and those that are only a comment, and without
  /// blanks around operators. No text within these files is over several lines or has such an operator in it.
  static func squeezed(_ source: [UInt8]) -> [UInt8] {
    var result = ""
    for line in String(decoding: source, as: UTF8.self).split(separator: "\n") {
      let line = line.drop { $0 == " " }
      let isComment = line.hasPrefix("//") || line.hasPrefix("/*") && line.hasSuffix("*/")
      if !line.isEmpty, !isComment { result += line + "\n" }
    }
    for mark in operators { result = result.replacing(" \(mark) ", with: mark) }
    return Array(result.replacing("{ ", with: "{").replacing(" }", with: "}").utf8)
  }

  /// Operators that need no blanks around them.
  static let operators = [
    "=>", "===", "!==", "=", "+=", "&&", "||", "??", "+", "-", "*", "/", "<", ">", "<=", ">=", "?", ":", "{", "}",
  ]

  /// Everything before the first section of cards.
  /// - Parameter options: what the script is told of the whole page, as JSON.
  static func head(title: String, options: String) -> [UInt8] {
    var page = Array(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(escaped(title))</title>
      <style>
      """.utf8)
    page += style
    page += Array(
      """
      </style>
      </head>
      <body>
      <main>
      <h1>\(escaped(title))</h1>
      <noscript id="cards" data-options="\(escaped(options))">

      """.utf8)
    return page
  }

  /// Everything behind the last section.
  static var end: [UInt8] {
    Array("</noscript>\n</main>\n<script>".utf8) + script + Array("</script>\n</body>\n</html>\n".utf8)
  }

  private static var policy: String {
    let (script, style) = (base64(sha256(script)), base64(sha256(style)))
    return "default-src 'none'; script-src 'sha256-\(script)'; style-src 'sha256-\(style)'; img-src data:; "
      + "media-src data:; base-uri 'none'; form-action 'none'"
  }

  /// Text as HTML, good between tags and in quoted attributes.
  static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  static func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      case UInt8(ascii: "\r"): bytes += "&#13;".utf8
      default: bytes.append(byte)
      }
    }
  }
}
