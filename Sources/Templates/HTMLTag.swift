// One HTML tag: its name and its attributes. Invariant: reading tag after tag takes time in proportion to the text.
// `HTMLReader` reads all parts of HTML; `TagReading` finds tags alone.

import Text

package struct HTMLTag {
  package let name: String
  package let isClosing: Bool
  /// The text after the name.
  package let rest: ArraySlice<UInt8>

  /// Elements that begin and end a line.
  package static let blocks: Set<String> = [
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr",
    "html", "li", "main", "nav", "ol", "option", "p", "section", "summary", "table", "tbody", "tfoot", "thead", "tr",
    "ul",
  ]

  /// Elements whose text is a paragraph of its own.
  package static let paragraphs = blocks.union(["td", "th", "pre", "title", "br"])

  private static let voids: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
  ]

  package var isVoid: Bool { HTMLTag.voids.contains(name) }

  /// Whether the element is invisible.
  package var isHidden: Bool {
    if name == "rp" || name == "head" || name == "template" || name == "noscript" { return true }
    if attribute("hidden") != nil { return true }
    guard let style = attribute("style") else { return false }
    return style.utf8.filter { !isASCIISpace($0) }.map(asciiLowered)[...].position(of: "display:none", from: 0) != nil
  }

  /// The last path component of `src` or `data`.
  var fileName: String {
    let path = attribute("src") ?? attribute("data") ?? ""
    if path.utf8.starts(with: "data:".utf8) { return "" }
    let name = MediaNames.decoded(Bytes(path.utf8)[...])
    return name.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) } ?? name
  }

  /// Returns the value of an attribute, empty for one without a value; nil if it is missing.
  package func attribute(_ wanted: StaticString) -> String? {
    var index = rest.startIndex
    while let (name, value) = nextAttribute(&index) {
      if name.count == wanted.utf8CodeUnitCount, rest.beginsIgnoringCase(with: wanted, at: name.startIndex) {
        return value.text
      }
    }
    return nil
  }

  /// The values of all attributes, without quotes.
  var values: [ArraySlice<UInt8>] {
    var (index, values) = (rest.startIndex, [ArraySlice<UInt8>]())
    while let (_, value) = nextAttribute(&index) { values.append(value) }
    return values
  }

  private func nextAttribute(_ index: inout Int) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
    guard index < rest.endIndex else { return nil }
    let (name, value, end) = attribute(at: index)
    index = Swift.max(end, index + 1)
    return (name, value)
  }

  private func attribute(at start: Int) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>, end: Int) {
    let nameStart = rest[start...].firstIndex { !isASCIISpace($0) && $0 != UInt8(ascii: "/") } ?? rest.endIndex
    let nameEnd =
      rest[nameStart...].firstIndex { isASCIISpace($0) || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "/") }
      ?? rest.endIndex
    let name = rest[nameStart..<nameEnd]
    var index = rest[nameEnd...].firstIndex { !isASCIISpace($0) } ?? rest.endIndex
    guard index < rest.endIndex, rest[index] == UInt8(ascii: "=") else { return (name, rest[index..<index], index) }
    index = rest[(index + 1)...].firstIndex { !isASCIISpace($0) } ?? rest.endIndex
    guard index < rest.endIndex else { return (name, rest[index..<index], index) }
    if rest[index] == UInt8(ascii: "\"") || rest[index] == UInt8(ascii: "'") {
      let end = rest[(index + 1)...].firstIndex(of: rest[index]) ?? rest.endIndex
      return (name, rest[(index + 1)..<end], Swift.min(end + 1, rest.endIndex))
    }
    let end = rest[index...].firstIndex(where: isASCIISpace) ?? rest.endIndex
    return (name, rest[index..<end], end)
  }
}

/// Finds tags. An unclosed quote is searched for only once.
package struct TagReading {
  private var quotesAreBroken = false
  private var isWithoutEnd = false

  package init() {}

  /// Returns the next tag at or after an index, with its place.
  package mutating func next(_ html: ArraySlice<UInt8>, from start: Int) -> (tag: HTMLTag, place: Range<Int>)? {
    var index = start
    while let opening = html[index...].firstIndex(of: UInt8(ascii: "<")) {
      if let (tag, end) = tag(html, opening) { return (tag, opening..<end) }
      index = opening + 1
    }
    return nil
  }

  /// Returns the tag that begins with `<` at an index, and its end.
  package mutating func tag(_ html: ArraySlice<UInt8>, _ start: Int) -> (tag: HTMLTag, end: Int)? {
    var nameStart = start + 1
    guard !isWithoutEnd, nameStart < html.endIndex else { return nil }
    let isClosing = html[nameStart] == UInt8(ascii: "/")
    if isClosing { nameStart += 1 }
    guard nameStart < html.endIndex else { return nil }
    let first = html[nameStart]
    guard isASCIILetter(first) || !isClosing && (first == UInt8(ascii: "!") || first == UInt8(ascii: "?")) else {
      return nil
    }
    let nameEnd =
      html[nameStart...].firstIndex { isASCIISpace($0) || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") }
      ?? html.endIndex
    guard let end = end(html, nameEnd) else {
      isWithoutEnd = true
      return nil
    }
    let name = html[nameStart..<nameEnd].prefix(32).map(asciiLowered)
    return (HTMLTag(name: name.text, isClosing: isClosing, rest: html[nameEnd..<end]), end + 1)
  }

  private mutating func end(_ html: ArraySlice<UInt8>, _ start: Int) -> Int? {
    guard !quotesAreBroken else { return html[start...].firstIndex(of: UInt8(ascii: ">")) }
    var quote: UInt8 = 0
    var index = start
    while index < html.endIndex {
      let byte = html[index]
      if quote != 0 {
        if byte == quote { quote = 0 }
      } else if byte == UInt8(ascii: ">") {
        return index
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), follows(html, index) {
        quote = byte
      }
      index += 1
    }
    quotesAreBroken = true
    return html[start...].firstIndex(of: UInt8(ascii: ">"))
  }

  /// Whether a quote begins a value: the character before it, not counting whitespace, is `=`.
  private func follows(_ html: ArraySlice<UInt8>, _ index: Int) -> Bool {
    var before = index - 1
    while before > html.startIndex, index - before < 16, isASCIISpace(html[before]) { before -= 1 }
    return before >= html.startIndex && html[before] == UInt8(ascii: "=")
  }
}
