// Reads HTML part by part: text, the characters that references stand for, tags; what a browser hides is set apart.
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
    if let name = hidden?.name, Self.unparsed.contains(name), !isEndTag(of: name) { return nil }
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

  private func isEndTag(of name: String) -> Bool {
    html.begins(with: "</", at: index)
      && html[(index + 2)...].prefix(name.utf8.count).map(asciiLowered).elementsEqual(name.utf8)
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
