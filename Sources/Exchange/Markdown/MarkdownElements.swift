// Writes a text parsed by cmark-gfm as HTML: bold is `<b>`, italics `<i>`, a sound `[sound:x]`.
// Invariant: one iteration without recursion, however deep the elements are; raw HTML in the source is unchanged.

import CMarkdown
import Templates
import Text

struct MarkdownElements {
  private let spans: MarkdownSpans
  private var html = Bytes()
  private var footnotes = 0
  private(set) var media: [(name: String, path: String)] = []
  /// The alternative text of the current image; nil outside of images.
  private var alternative: Bytes?
  private var (column, alignments, isInHead): (Int, Bytes, Bool) = (0, [], false)

  init(_ spans: MarkdownSpans) { self.spans = spans }

  var result: Bytes { html }

  mutating func write(_ document: OpaquePointer) {
    guard let walk = cmark_iter_new(document) else { return }
    defer { cmark_iter_free(walk) }
    while case let event = cmark_iter_next(walk), event != CMARK_EVENT_DONE {
      if let node = cmark_iter_get_node(walk) { write(node, isEnd: event == CMARK_EVENT_EXIT) }
    }
  }

  private mutating func write(_ node: OpaquePointer, isEnd: Bool) {
    let type = cmark_node_get_type(node)
    if alternative != nil, type != CMARK_NODE_IMAGE { return describe(node, type, isEnd: isEnd) }
    switch type {
    case CMARK_NODE_TEXT: escape(literal(node), asSource: false)
    case CMARK_NODE_SOFTBREAK: html.append(0x20)
    case CMARK_NODE_LINEBREAK: html.add("<br>")
    case CMARK_NODE_CODE:
      html.add("<code>")
      escape(literal(node), asSource: true)
      html.add("</code>")
    case CMARK_NODE_FOOTNOTE_REFERENCE: if !isEnd { html.add("<sup>\(literal(node).text)</sup>") }
    case CMARK_NODE_HTML_INLINE: html += spans.source(literal(node))
    case CMARK_NODE_STRONG: html.add(isEnd ? "</b>" : "<b>")
    case CMARK_NODE_EMPH: html.add(isEnd ? "</i>" : "<i>")
    case CMARK_NODE_LINK: isEnd ? html.add("</a>") : openLink(node)
    case CMARK_NODE_IMAGE: isEnd ? closeImage(node) : (alternative = [])
    default: writeBlock(node, type, isEnd: isEnd)
    }
  }

  private mutating func writeBlock(_ node: OpaquePointer, _ type: cmark_node_type, isEnd: Bool) {
    switch type {
    case CMARK_NODE_PARAGRAPH: if isWrapped(node) { html.add(isEnd ? "</p>" : "<p>") }
    case CMARK_NODE_HEADING:
      // A single line was parsed as a heading.
      if isAlone(node), cmark_node_get_heading_level(node) == 1 { return }
      html.add("<\(isEnd ? "/" : "")h\(cmark_node_get_heading_level(node))>")
    case CMARK_NODE_BLOCK_QUOTE: html.add(isEnd ? "</blockquote>" : "<blockquote>")
    case CMARK_NODE_LIST: writeList(node, isEnd: isEnd)
    case CMARK_NODE_ITEM: html.add(isEnd ? "</li>" : "<li>")
    case CMARK_NODE_THEMATIC_BREAK: html.add("<hr>")
    case CMARK_NODE_CODE_BLOCK: writeCode(node)
    case CMARK_NODE_HTML_BLOCK: html += withoutLineEnd(spans.source(literal(node)))
    case CMARK_NODE_DOCUMENT: break
    case CMARK_NODE_FOOTNOTE_DEFINITION:
      if !isEnd { footnotes += 1 }
      html.add(isEnd ? "</div>" : "<div><sup>\(footnotes)</sup> ")
    default: writeTable(node, isEnd: isEnd)
    }
  }

  private func isAlone(_ node: OpaquePointer) -> Bool {
    cmark_node_next(node) == nil && cmark_node_previous(node) == nil
  }

  /// Whether a paragraph needs a `<p>` element.
  private func isWrapped(_ node: OpaquePointer) -> Bool {
    guard let parent = cmark_node_parent(node), cmark_node_get_type(parent) == CMARK_NODE_ITEM,
      let list = cmark_node_parent(parent)
    else { return !isAlone(node) }
    return cmark_node_get_list_tight(list) == 0
  }

  private mutating func writeList(_ node: OpaquePointer, isEnd: Bool) {
    let isNumbered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST
    if isEnd { return html.add(isNumbered ? "</ol>" : "</ul>") }
    let start = cmark_node_get_list_start(node)
    html.add(!isNumbered ? "<ul>" : start == 1 ? "<ol>" : "<ol start=\"\(start)\">")
  }

  private mutating func writeCode(_ node: OpaquePointer) {
    let info = cmark_node_get_fence_info(node).map { spans.source(Bytes(String(cString: $0).utf8)).text } ?? ""
    if info == MarkdownText.rawInfo {
      html += withoutLineEnd(spans.source(literal(node)))
      return
    }
    let language = info.split(separator: " ").first ?? ""
    html.add("<pre><code\(language.isEmpty ? "" : " class=\"language-\(Self.attribute(String(language)))\"")>")
    escape(withoutLineEnd(literal(node)), asSource: true)
    html.add("</code></pre>")
  }

  private func withoutLineEnd(_ bytes: Bytes) -> Bytes { bytes.last == 0x0A ? bytes.dropLast() : bytes }

  private mutating func writeTable(_ node: OpaquePointer, isEnd: Bool) {
    switch cmark_node_get_type_string(node).map({ String(cString: $0) }) {
    case "table":
      if !isEnd {
        let count = Int(cmark_gfm_extensions_get_table_columns(node))
        alignments = Bytes(
          UnsafeBufferPointer(start: cmark_gfm_extensions_get_table_alignments(node), count: count))
      }
      html.add(isEnd ? "</tbody></table>" : "<table><thead>")
      if isEnd, html.suffix(23).elementsEqual("<tbody></tbody></table>".utf8) {
        html.removeLast(23)
        html.add("</table>")
      }
    case "table_header":
      (isInHead, column) = (true, 0)
      html.add(isEnd ? "</tr></thead><tbody>" : "<tr>")
    case "table_row":
      (isInHead, column) = (false, 0)
      html.add(isEnd ? "</tr>" : "<tr>")
    case "table_cell":
      let name = isInHead ? "th" : "td"
      if isEnd { return html.add("</\(name)>") }
      let sides: [UInt8: String] = [0x6C: "left", 0x63: "center", 0x72: "right"]
      let side = column < alignments.count ? sides[alignments[column]] : nil
      html.add("<\(name)\(side.map { " align=\"\($0)\"" } ?? "")>")
      column += 1
    default: break
    }
  }

  // MARK: Texts

  private func literal(_ node: OpaquePointer) -> Bytes {
    cmark_node_get_literal(node).map { Bytes(String(cString: $0).utf8) } ?? []
  }

  private mutating func escape(_ bytes: Bytes, asSource: Bool) {
    spans.restore(bytes, asSource: asSource, into: &html) { byte, result in
      byte == 0x0A ? result.append(byte) : FieldHTML.add(byte, ofPlainTo: &result)
    }
  }

  private static func attribute(_ text: String) -> String {
    FieldHTML.html(ofPlain: text).replacing(text: "\"", with: "&quot;")
  }

  // MARK: Links and pictures

  /// Returns an address or a title; entities in it are those of the source.
  private func address(_ text: UnsafePointer<CChar>?) -> String {
    guard let text else { return "" }
    var result = Bytes()
    spans.restore(Bytes(String(cString: text).utf8), asSource: true, into: &result) { $1.append($0) }
    return result.text.replacing(text: "&amp;", with: "&")
  }

  private mutating func openLink(_ node: OpaquePointer) {
    html.add("<a href=\"\(Self.attribute(address(cmark_node_get_url(node))))\"")
    let title = address(cmark_node_get_title(node))
    html.add(title.isEmpty ? ">" : " title=\"\(Self.attribute(title))\">")
  }

  private mutating func describe(_ node: OpaquePointer, _ type: cmark_node_type, isEnd: Bool) {
    guard !isEnd else { return }
    switch type {
    case CMARK_NODE_TEXT, CMARK_NODE_CODE:
      let words = spans.source(literal(node))
      alternative? += words
    case CMARK_NODE_SOFTBREAK, CMARK_NODE_LINEBREAK: alternative?.append(0x20)
    default: break
    }
  }

  private mutating func closeImage(_ node: OpaquePointer) {
    let words = (alternative ?? []).text
    alternative = nil
    let path = address(cmark_node_get_url(node))
    let file = MarkdownMedia(path)
    if let file {
      media.append((file.name, file.path))
      if file.isSound { return html.add("[sound:\(file.name)]") }
    }
    let source = file.map { $0.name.replacing(text: "%", with: "%25") } ?? path
    html.add("<img src=\"\(Self.attribute(source))\"")
    if !words.isEmpty { html.add(" alt=\"\(Self.attribute(words))\"") }
    let title = address(cmark_node_get_title(node))
    html.add(title.isEmpty ? ">" : " title=\"\(Self.attribute(title))\">")
  }
}
