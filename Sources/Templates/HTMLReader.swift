// Reads HTML part by part: text, the characters that references stand for, tags with their attributes; what a browser
// hides is set apart. `TagReading` finds tags alone.
// Invariant: each byte is read once, whatever is opened and never closed; entities defined by a document are not
// expanded, and nothing is fetched.

import Text

package struct HTMLReader {
  package enum Part {
    /// Text without references, at most `longestText` bytes outside of CDATA.
    case text(ArraySlice<UInt8>)
    /// What a reference stands for; a space for `&nbsp;`.
    case character(Unicode.Scalar)
    case tag(HTMLTag)
    /// A comment, a declaration or a piece of a hidden element, with its tag where such an element begins.
    case hidden(HTMLTag?)
  }

  private static let longestText = 1 << 13
  /// Elements whose content is not markup: a `<` in a script is an operator.
  private static let unparsed: Set<String> = ["script", "style"]
  private static let lists: Set<String> = ["ul", "ol", "dl", "table", "select"]
  private static let items: Set<String> = ["li", "dt", "dd", "td", "th", "tr", "tbody", "option"]

  /// Where the next part begins. Whoever reads a part that goes beyond its end moves it on.
  package var index: Int
  private let html: ArraySlice<UInt8>
  private let isDocument: Bool
  private let isHidden: (HTMLTag) -> Bool
  private var tags = TagReading()
  private var (hasMoreComments, hasMoreDeclarations) = (true, true)
  /// The hidden element, how many elements of its name are open, and how many lists and tables in it.
  private var hidden: (name: String, depth: Int, lists: Int)?

  /// - Parameters:
  ///   - isDocument: whether it is a file, which may be XHTML: CDATA and empty elements are read as in XML, and a
  ///     comment that is never closed is text, so that nothing after it is lost.
  ///   - isHidden: whether an element is left out; scripts and styles always are.
  package init(_ html: ArraySlice<UInt8>, isDocument: Bool = false, isHidden: @escaping (HTMLTag) -> Bool) {
    (self.html, self.isDocument, self.isHidden, index) = (html, isDocument, isHidden, html.startIndex)
  }

  package mutating func next() -> Part? {
    guard index < html.endIndex else { return nil }
    if html[index] == UInt8(ascii: "<"), let part = markup() { return part }
    if html[index] == UInt8(ascii: "&"), hidden == nil, let (scalar, end) = HTMLEntities.webCharacter(html, index) {
      index = end
      return .character(scalar == "\u{A0}" ? " " : scalar)
    }
    let limit = Swift.min(html.endIndex, index + Self.longestText)
    let rest = html[(index + 1)..<limit]
    let end = rest.firstIndex { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") } ?? limit
    defer { index = end }
    return hidden == nil ? .text(html[index..<end]) : .hidden(nil)
  }

  /// Reads a tag, a comment, CDATA or a declaration; returns nil when there is none, or it is never closed.
  private mutating func markup() -> Part? {
    if let name = hidden?.name, Self.unparsed.contains(name) {
      let tag = html[index...].prefix(name.utf8.count + 2).map(asciiLowered)
      if !tag.elementsEqual("</\(name)".utf8) { return nil }
    }
    if html.begins(with: "<!--", at: index) {
      let end = hasMoreComments ? html.position(of: "-->", from: index + 4) : nil
      hasMoreComments = end != nil
      if end == nil, isDocument { return nil }
      index = end.map { $0 + 3 } ?? html.endIndex
      return .hidden(nil)
    }
    if isDocument, html.begins(with: "<![CDATA[", at: index) {
      let start = index + 9
      let end = html.position(of: "]]>", from: start)
      index = end.map { $0 + 3 } ?? html.endIndex
      return hidden == nil ? .text(html[start..<(end ?? html.endIndex)]) : .hidden(nil)
    }
    if isDocument, hasMoreDeclarations, html.begins(with: "<!DOCTYPE", at: index) {
      if let end = declarationEnd() {
        index = end
        return .hidden(nil)
      }
      hasMoreDeclarations = false
    }
    guard let (tag, end) = tags.tag(html, index) else { return nil }
    index = end
    return part(tag)
  }

  /// Returns the end of a DOCTYPE including its declarations in brackets, which are not read.
  private func declarationEnd() -> Int? {
    var depth = 0
    for place in index..<html.endIndex {
      switch html[place] {
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">") where depth <= 0: return place + 1
      default: break
      }
    }
    return nil
  }

  private mutating func part(_ tag: HTMLTag) -> Part {
    let isEmpty = tag.isVoid || isDocument && tag.rest.last == UInt8(ascii: "/")
    if let outer = hidden, !ends(outer, at: tag) {
      if isEmpty { return .hidden(nil) }
      let step = tag.isClosing ? -1 : 1
      let lists = Swift.max(0, outer.lists + (Self.lists.contains(tag.name) ? step : 0))
      let depth = outer.depth + (tag.name == outer.name ? step : 0)
      hidden = depth == 0 ? nil : (outer.name, depth, lists)
      return .hidden(nil)
    }
    hidden = nil
    guard !tag.isClosing, Self.unparsed.contains(tag.name) || isHidden(tag) else { return .tag(tag) }
    if !isEmpty { hidden = (tag.name, 1, 0) }
    return .hidden(tag)
  }

  /// Whether a tag ends an element whose end tag may be omitted.
  private func ends(_ outer: (name: String, depth: Int, lists: Int), at tag: HTMLTag) -> Bool {
    let (name, isClosing) = (tag.name, tag.isClosing)
    switch outer.name {
    case "p": return HTMLTag.paragraphs.contains(name) && name != "br" && !(isClosing && name == "p")
    case _ where Self.items.contains(outer.name):
      return outer.lists == 0 && (isClosing ? Self.lists : Self.items).contains(name)
    case "head": return name == "body"
    case "rt", "rp": return isClosing && name == "ruby"
    case "a": return HTMLTag.paragraphs.contains(name)
    default: return false
    }
  }
}

package struct HTMLTag {
  package let name: String
  package let isClosing: Bool
  package let rest: ArraySlice<UInt8>

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

  package var isHidden: Bool {
    if name == "rp" || name == "head" || name == "template" || name == "noscript" { return true }
    if attribute("hidden") != nil { return true }
    if name == "button", attribute("id") == "toggle" { return true }  // "Toggle Masks"
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

  package var attributes: [(name: String, value: String)] {
    var (index, found) = (rest.startIndex, [(name: String, value: String)]())
    while let (name, value) = nextAttribute(&index) {
      if !name.isEmpty { found.append((name.text, HTMLEntities.decoded(value.text))) }
    }
    return found
  }

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
