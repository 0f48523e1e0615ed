// The frame of a web page around its cards: escaping, the script and the style, and the policy that forbids a browser
// to run anything else. Invariant: no text of a card is interpreted as markup; the policy names the script and the
// style by the hash of their bytes.

import Text
import Values

/// Builds the parts of a page.
enum PageText {
  private static let script = squeezed(
    PackageResources.scheduler_js + PackageResources.study_js + PackageResources.page_js)
  private static let timedScript = script + squeezed(PackageResources.fsrs7_js)
  static let style = squeezedStyle(PackageResources.page_css)

  /// Minifies a source: removes indentation, blank lines, lines that are only a comment, and spaces around operators.
  /// No string in these files spans several lines or contains such an operator.
  static func squeezed(_ source: [UInt8]) -> [UInt8] {
    var result = ""
    for line in String(decoding: source, as: UTF8.self).split(separator: "\n") {
      let line = line.drop { $0 == " " }
      let isComment = line.hasPrefix("//") || line.hasPrefix("/*") && line.hasSuffix("*/")
      if !line.isEmpty, !isComment { result += withoutListBlanks(line) + "\n" }
    }
    for mark in operators { result = result.replacing(text: " \(mark) ", with: mark) }
    for (wide, narrow) in brackets { result = result.replacing(text: wide, with: narrow) }
    return Array(result.utf8)
  }

  /// Removes the spaces after commas and semicolons outside of quotes.
  private static func withoutListBlanks(_ line: Substring) -> String {
    guard !line.contains("`") else { return String(line) }
    let pieces = line.split(separator: "\"", omittingEmptySubsequences: false)
    return pieces.enumerated().map { number, piece in
      number % 2 == 1 ? String(piece) : piece.replacing(text: ", ", with: ",").replacing(text: "; ", with: ";")
    }.joined(separator: "\"")
  }

  static func squeezedStyle(_ source: [UInt8]) -> [UInt8] {
    var style = String(decoding: squeezed(source), as: UTF8.self)
    for mark in [": ", "; ", ", ", ";\n", "}\n"] { style = style.replacing(text: mark, with: String(mark.prefix(1))) }
    return Array(style.utf8)
  }

  /// Operators that do not need spaces around them.
  static let operators = [
    "=>", "===", "!==", "=", "+=", "&&", "||", "??", "+", "-", "*", "/", "<", ">", "<=", ">=", "?", ":", "{", "}",
  ]

  /// Brackets that do not need a space on one side.
  static let brackets = [
    ("{ ", "{"), (" }", "}"), (") {", "){"), ("if (", "if("), ("for (", "for("), (") return", ")return"),
  ]

  /// - Parameter timed: whether FSRS-7 schedules any cards of the page.
  static func script(timed: Bool) -> [UInt8] { timed ? timedScript : script }

  /// Returns everything before the first section of cards.
  /// - Parameter options: the script's options for the whole page, as JSON.
  static func head(title: String, options: String, timed: Bool) -> [UInt8] {
    let hash = base64(sha256(script(timed: timed)))
    let policy = "script-src 'sha256-\(hash)'; media-src data:; manifest-src data:; "
    return head(title: title, style: style, policy: policy, homeScreen(title))
      + Array("<noscript id=\"cards\" data-options=\"\(escaped(options))\">\n".utf8)
  }

  /// Returns the tags with which a phone can add the page to its home screen as an app. It starts at the page's
  /// address.
  private static func homeScreen(_ title: String) -> String {
    let letter = title.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?"
    let picture = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="#1d5fa8"/>\
      <text x="50" y="70" font-size="56" font-family="sans-serif" text-anchor="middle" fill="#fff">\(escaped(letter))</text></svg>
      """
    let icon = "data:image/svg+xml;base64,\(base64(Array(picture.utf8)))"
    let manifest = Value.record([
      ("name", .text(title)), ("short_name", .text(String(title.prefix(20)))), ("display", .text("standalone")),
      ("background_color", .text("#fbfaf7")), ("theme_color", .text("#1d5fa8")),
      (
        "icons",
        .list([.record([("src", .text(icon)), ("sizes", .text("any")), ("type", .text("image/svg+xml"))])])
      ),
    ])
    return """
      <meta name="application-name" content="\(escaped(title))">
      <meta name="mobile-web-app-capable" content="yes">
      <meta name="apple-mobile-web-app-capable" content="yes">
      <meta name="apple-mobile-web-app-title" content="\(escaped(title))">
      <meta name="theme-color" content="#1d5fa8">
      <link rel="icon" href="\(icon)">
      <link rel="manifest" href="data:application/manifest+json;base64,\(base64(Array(manifest.json.utf8)))">

      """
  }

  /// Returns the beginning of a page, with its title as the first heading.
  /// - Parameters:
  ///   - policy: directives that allow more than showing embedded pictures.
  ///   - more: additional lines of the head.
  static func head(title: String, style: [UInt8], policy: String = "", _ more: String = "") -> [UInt8] {
    let policy =
      "default-src 'none'; \(policy)style-src 'sha256-\(base64(sha256(style)))'; img-src data:; "
      + "base-uri 'none'; form-action 'none'"
    var page = Array(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(escaped(title))</title>
      \(more)<style>
      """.utf8)
    page += style
    page += Array(
      """
      </style>
      </head>
      <body>
      <main>
      <h1>\(escaped(title))</h1>

      """.utf8)
    return page
  }

  /// Returns everything after the last section.
  static func end(timed: Bool) -> [UInt8] {
    Array("</noscript>\n</main>\n<script>".utf8) + script(timed: timed)
      + Array("</script>\n</body>\n</html>\n".utf8)
  }

  /// Escapes a text for use between tags and in quoted attributes.
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
