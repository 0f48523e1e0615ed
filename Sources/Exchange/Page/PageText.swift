// The frame of a web page around its cards or pictures: escaping, the script and the style, and the policy that
// forbids a browser to run anything else. Invariant: no text is interpreted as markup; the policy names the script and
// the style by the hash of their bytes; memory holds one picture.

public import Files
import Text
public import Values

enum PageText {
  private static let script = squeezed(
    PackageResources.scheduler_js + PackageResources.study_js + PackageResources.page_js)
  private static let timedScript = script + squeezed(PackageResources.fsrs7_js)
  static let style = squeezed(PackageResources.page_css, beside: marksOfStyle)
  static let marksOfStyle = ":;,{}>"

  /// Minifies a source: removes indentation, blank lines, lines that are only a comment, and the blanks beside marks
  /// outside of quotes, or of backquotes in a line that has them. No string in these files spans several lines.
  static func squeezed(_ source: [UInt8], beside marks: String = "=><&|?+-*/:{},;()") -> [UInt8] {
    var result = ""
    for line in String(decoding: source, as: UTF8.self).split(separator: "\n") {
      let line = line.drop { $0 == " " }
      if line.isEmpty || line.hasPrefix("//") || line.hasPrefix("/*") && line.hasSuffix("*/") { continue }
      let quote: Character = line.contains("`") ? "`" : "\""
      let pieces = line.split(separator: quote, omittingEmptySubsequences: false).enumerated().map { number, piece in
        number % 2 == 1 ? String(piece) : withoutBlanks(piece, beside: marks)
      }
      result += pieces.joined(separator: String(quote)) + "\n"
    }
    return Array(result.utf8)
  }

  private static func withoutBlanks(_ text: Substring, beside marks: String) -> String {
    var kept = ""
    for character in text {
      if marks.contains(character), kept.last == " " { kept.removeLast() }
      if character != " " || !(kept.last.map(marks.contains) ?? false) { kept.append(character) }
    }
    return kept
  }

  static func script(timed: Bool) -> [UInt8] { timed ? timedScript : script }

  /// Returns everything before the first section of cards.
  /// - Parameters:
  ///   - options: the script's options for the whole page, as JSON.
  ///   - css: the rules of note types.
  static func head(title: String, options: String, timed: Bool, css: String = "") -> [UInt8] {
    let hash = base64(sha256(script(timed: timed)))
    let policy = "script-src 'sha256-\(hash)'; media-src data:; manifest-src data:; "
    return head(title: title, style: style + Array(css.utf8), policy: policy, homeScreen(title))
      + Array("<noscript id=\"cards\" data-options=\"\(escaped(options))\">\n".utf8)
  }

  /// Returns the tags with which a phone can add the page to its home screen as an app. It starts at the page's
  /// address.
  private static func homeScreen(_ title: String) -> String {
    let letter = title.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?"
    let picture = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="#1d5fa8"/>\
      <text x="50" y="70" font-size="56" font-family="sans-serif" text-anchor="middle" \
      fill="#fff">\(escaped(letter))</text></svg>
      """
    let icon = "data:image/svg+xml;base64,\(base64(Array(picture.utf8)))"
    let manifest = Value.record([
      "name": title, "short_name": String(title.prefix(20)), "display": "standalone", "background_color": "#fbfaf7",
      "theme_color": "#1d5fa8",
      "icons": Value.list([.record([("src", .text(icon)), ("sizes", .text("any")), ("type", .text("image/svg+xml"))])]),
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

  static func end(timed: Bool) -> [UInt8] {
    Array("</noscript>\n</main>\n<script>".utf8) + script(timed: timed)
      + Array("</script>\n</body>\n</html>\n".utf8)
  }

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

/// A picture of a gallery.
///
///     GalleryPicture(title: "el gato", description: "A card, yellow, with the text \"el gato\".", png: bytes)
public struct GalleryPicture: Sendable {
  public let title: String
  public let description: String
  public let png: [UInt8]
  public let broken: Int

  public init(title: String, description: String, png: [UInt8], broken: Int = 0) {
    (self.title, self.description, self.png, self.broken) = (title, description, png, broken)
  }
}

/// The report of writing a gallery.
///
///     report.bytes   // of the file
public struct GalleryReport: Equatable, Sendable {
  public internal(set) var documents = 0
  public internal(set) var bytes = 0
  /// The number of images within documents that could not be shown.
  public internal(set) var broken = 0

  public var value: Value {
    .record([("documents", .integer(documents)), ("bytes", .integer(bytes)), ("broken", .integer(broken))])
  }
}

/// Writes a gallery of pictures.
///
///     try GalleryPage(title: "Animals", count: 9) { try picture($0) }
///       .write(to: "animals.html", isInterrupted: isInterrupted)
public struct GalleryPage {
  private static let style = PageText.squeezed(PackageResources.gallery_css, beside: PageText.marksOfStyle)
  private let title: String
  private let count: Int
  private let picture: (Int) throws -> GalleryPicture

  /// - Parameter picture: returns the picture at an index, from 0; an error from it ends the writing.
  public init(title: String, count: Int, picture: @escaping (Int) throws -> GalleryPicture) {
    (self.title, self.count, self.picture) = (title, count, picture)
  }

  /// - Parameters:
  ///   - isInterrupted: called for each chunk that is written, and while waiting for a pipe.
  ///   - progress: called with the pictures done; an error from it ends the writing and leaves the file unchanged.
  public func write(
    to path: String, _ kinds: FileKinds = .plain, isInterrupted: @escaping () -> Bool,
    progress: (Int) throws -> Void = { _ in }
  ) throws -> GalleryReport {
    var report = GalleryReport()
    try AtomicFile.write(path, .exported(kinds, isInterrupted: isInterrupted)) { sink in
      try sink.append(PageText.head(title: title, style: Self.style))
      try sink.append("<ul>\n".utf8)
      for place in 0..<count {
        let picture = try picture(place)
        try write(picture, place + 1, to: sink)
        report.documents += 1
        report.broken += picture.broken
        try progress(place + 1)
      }
      try sink.append("</ul>\n</main>\n</body>\n</html>\n".utf8)
      report.bytes = sink.count
    }
    return report
  }

  private func write(_ picture: GalleryPicture, _ number: Int, to sink: FileSink) throws {
    try sink.append(
      """
      <li id="c\(number)"><figure><a href="#c\(number)"><img alt="\(PageText.escaped(picture.description))" \
      loading="lazy" src="data:image/png;base64,
      """.utf8)
    try sink.append(base64(picture.png).utf8)
    try sink.append(
      """
      "></a><figcaption dir="auto">\(PageText.escaped(picture.title)) \
      <a class="close" href="#">Close</a></figcaption></figure></li>

      """.utf8)
  }
}
