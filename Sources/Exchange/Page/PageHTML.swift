// Writes the HTML of a card's side into a page: the elements, attributes and properties that only show something.
// Invariant: what is not allowed by name leaves its text alone; every element that is begun is ended; a picture or a
// sound is one of the collection, so that the page asks the network for nothing.

import Decks
import Files
import Templates
import Text

struct PageHTML {
  private static let deepest = 100
  private static let allowed: Set<String> = [
    "abbr", "b", "bdi", "big", "blockquote", "caption", "center", "cite", "code", "dd", "del", "details", "dfn", "div",
    "dl", "dt", "em", "figcaption", "figure", "font", "h1", "h2", "h3", "h4", "h5", "h6", "i", "ins", "kbd", "li",
    "mark", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub",
    "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "u", "ul", "var",
  ]
  private static let attributes: [StaticString] = ["class", "lang", "dir", "align", "colspan", "rowspan", "start"]

  private static func isWord(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-_ ".utf8.contains(byte)
  }

  /// Writes a media file: the first of the names that is there, with its description.
  typealias Media = (_ names: [String], _ description: String?) throws -> Void

  private let sink: FileSink
  private var text: [UInt8] = []
  /// What ends the open elements, with their names. A hint whose text is expected has no name.
  private var open: [(name: String, end: String)] = []

  init(to sink: FileSink) { self.sink = sink }

  mutating func write(_ html: String, media: Media) throws {
    // The text behind a hint is shown by its link.
    var reader = HTMLReader(Array(html.utf8)[...]) { $0.isHidden && !$0.isHint }
    while let part = reader.next() {
      switch part {
      case .text(let piece): text += piece
      case .character(let scalar): text += String(scalar).utf8
      case .tag(let tag):
        try flush(media)
        try tag.isClosing ? close(tag.name) : show(tag, media)
      case .hidden: break
      }
    }
    try flush(media)
    while let last = open.popLast() { try sink.append(last.end.utf8) }
  }

  private mutating func flush(_ media: Media) throws {
    let shown = text.text
    if !shown.trimmed.isEmpty { try leaveHint() }
    var bytes: [UInt8] = []
    for piece in FieldPiece.pieces(of: shown) {
      switch piece {
      case .text(let text): PageText.append(text, to: &bytes)
      case .sound(let name):
        try sink.append(bytes)
        try media([name], nil)
        bytes = []
      }
    }
    try sink.append(bytes)
    text = []
  }

  private mutating func leaveHint() throws {
    if open.last?.name == "", let hint = open.popLast() { try sink.append(hint.end.utf8) }
  }

  private mutating func show(_ tag: HTMLTag, _ media: Media) throws {
    if tag.isHint, tag.name == "div", open.last?.name == "", let hint = open.popLast() {
      return try begin(tag, "<div>", end: "</div>" + hint.end)
    }
    try leaveHint()
    switch tag.name {
    case "br", "wbr": try sink.append("<\(tag.name)>".utf8)
    case "hr": if tag.attribute("id") != "answer" { try sink.append("<hr>".utf8) }
    case "img", "audio", "video", "source", "object":
      let description = tag.attribute("alt").map { MediaNames.decoded($0) }
      try media(MediaNames.named(by: tag), description)
    case "a" where tag.isHint && open.count < Self.deepest:
      open.append(("", "</details>"))
      try begin(tag, "<details class=\"hint\"><summary>", end: "</summary>")
    case _ where Self.allowed.contains(tag.name):
      try begin(tag, "<\(tag.name)\(attributes(of: tag))>", end: "</\(tag.name)>")
    default: break
    }
  }

  private mutating func begin(_ tag: HTMLTag, _ start: String, end: String) throws {
    guard open.count <= Self.deepest else { return }
    open.append((tag.name, end))
    try sink.append(start.utf8)
  }

  private mutating func close(_ name: String) throws {
    guard let place = open.lastIndex(where: { $0.name == name }) else { return }
    for element in open[place...].reversed() { try sink.append(element.end.utf8) }
    open.removeSubrange(place...)
  }

  private func attributes(of tag: HTMLTag) -> String {
    var text = ""
    for name in Self.attributes {
      guard let value = tag.attribute(name), !value.isEmpty, value.utf8.count < 100, value.utf8.allSatisfy(Self.isWord)
      else { continue }
      text += " \(name)=\"\(value)\""
    }
    var style = tag.attribute("style") ?? ""
    if let color = tag.attribute("color") { style = "color:\(color);" + style }
    let declarations = PageStyle.declarations(style)
    // The policy allows no attribute of style; the script sets its properties.
    return declarations.isEmpty ? text : text + " data-style=\"\(PageText.escaped(declarations))\""
  }
}

/// The styles of note types in a page. Invariant: a rule applies only within the cards of its note type; it has only
/// properties that neither load anything nor leave the place of an element.
enum PageStyle {
  private static let properties: Set<String> = [
    "background", "background-color", "border", "border-bottom", "border-collapse", "border-color", "border-left",
    "border-radius", "border-right", "border-spacing", "border-style", "border-top", "border-width", "color",
    "direction", "display", "font", "font-family", "font-size", "font-style", "font-variant", "font-weight", "height",
    "letter-spacing", "line-height", "list-style", "list-style-type", "margin", "margin-bottom", "margin-left",
    "margin-right", "margin-top", "max-height", "max-width", "min-width", "padding", "padding-bottom", "padding-left",
    "padding-right", "padding-top", "ruby-position", "text-align", "text-decoration", "text-decoration-color",
    "text-decoration-line", "text-indent", "text-transform", "vertical-align", "white-space", "width", "word-break",
  ]
  private static let usual: Set<String> = [
    "color:black", "color:#000", "background:white", "background:#fff", "background-color:white",
    "background-color:#fff", "background-color:#ffffff", "color:#000000",
  ]
  private static let functions: Set<String> = ["rgb", "rgba", "hsl", "hsla"]

  /// Returns the allowed declarations of a style: `color:red;font-size:20px`.
  static func declarations(_ style: String) -> String {
    HTMLTag.declarations(style).filter { properties.contains($0.property) && isAllowed($0.value) }
      .map { "\($0.property):\($0.value)" }.joined(separator: ";")
  }

  private static func isAllowed(_ value: String) -> Bool {
    // A function is the word before a bracket; `url` and `image-set` would load something.
    let words = value.split(separator: "(", omittingEmptySubsequences: false).dropLast()
    return value.utf8.count < 200 && value.unicodeScalars.allSatisfy(isPlain)
      && words.allSatisfy { functions.contains(String($0.reversed().prefix { $0.isLetter }.reversed())) }
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) || "#%.,()- \"'!".unicodeScalars.contains(scalar)
      || scalar.value > 0x7F
  }

  /// Returns the rules of a note type for elements within those of a class; `.card` is such an element itself.
  static func scoped(_ css: String, to name: String) -> String {
    var (result, rest) = ("", withoutComments(css)[...])
    while let start = rest.firstIndex(of: "{") {
      let selector = rest[..<start].split(whereSeparator: \.isWhitespace).joined(separator: " ")
      rest = rest[rest.index(after: start)...]
      // A rule with rules in it depends on a medium, and is left out.
      guard let end = rest.firstIndex(where: { $0 == "}" || $0 == "{" }) else { break }
      if rest[end] == "{" {
        rest = afterBlock(rest)
        continue
      }
      var declarations = declarations(String(rest[..<end]))
      rest = rest[rest.index(after: end)...]
      let selectors = selector.split(separator: ",").compactMap { scoped(selector: String($0).trimmed, to: name) }
      // Black on white is what most types say without meaning it; a page may be dark.
      if selectors == ["." + name] {
        declarations = declarations.split(separator: ";").filter { !usual.contains(String($0)) }.joined(separator: ";")
      }
      if !selectors.isEmpty, !declarations.isEmpty {
        result += "\(selectors.joined(separator: ",")){\(declarations)}"
      }
    }
    return result
  }

  private static func scoped(selector: String, to name: String) -> String? {
    guard !selector.isEmpty, selector.utf8.count < 200,
      selector.utf8.allSatisfy({ byte in
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "_-.#>+~* ".utf8.contains(byte)
      })
    else { return nil }
    var parts = selector.split(separator: " ", maxSplits: 1).map(String.init)
    guard let first = parts.first, ["card", ".card", "html", "body"].contains(first) else {
      return ".\(name) \(selector)"
    }
    parts[0] = "." + name
    return parts.joined(separator: " ")
  }

  private static func withoutComments(_ css: String) -> String {
    css.split(at: "/*").enumerated().map { place, piece in
      place == 0 ? String(piece) : piece.split(at: "*/", maxSplits: 1).dropFirst().joined()
    }.joined()
  }

  /// Returns what follows the block that is open.
  private static func afterBlock(_ text: Substring) -> Substring {
    var (depth, index) = (1, text.startIndex)
    while index < text.endIndex, depth > 0 {
      if text[index] == "{" { depth += 1 } else if text[index] == "}" { depth -= 1 }
      index = text.index(after: index)
    }
    return text[index...]
  }
}
