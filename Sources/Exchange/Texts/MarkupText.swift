// Extracts the text of HTML, XHTML, and of documents of Word and OpenDocument, as paragraphs. Text that a browser hides
// is left out, and in documents what was deleted, what is there twice, remarks and tables of contents.

import Templates
import Text

enum MarkupText {
  private static let skipped: Set<String> = [
    "rt", "rp", "nav", "head", "svg", "math", "template", "w:movefrom", "w:rt", "mc:fallback", "text:note-citation",
    "text:tracked-changes", "text:table-of-content", "text:ruby-text", "office:annotation", "svg:title", "svg:desc",
  ]
  private static let raisedDigits = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"]

  /// Returns the blocks of text that a browser would show, each as one line, or the paragraphs of a document.
  static func paragraphs(_ html: [UInt8], _ scan: TextScan, isDocument: Bool = false) throws -> [TextParagraph] {
    var blocks = Blocks(isDocument: isDocument)
    var reader = HTMLReader(html[...], isDocument: true) { tag in
      skipped.contains(tag.name) || isNoteMark(tag) || tag.isHidden
    }
    var polled = 0
    while let part = reader.next() {
      if reader.index - polled > 1 << 16 {
        polled = reader.index
        try scan.check()
      }
      switch part {
      case .text(let text): for byte in text { blocks.add(byte) }
      case .character(let scalar): if blocks.isRead { blocks.text += String(scalar).utf8 }
      case .tag(let tag): isDocument ? blocks.applyToDocument(tag) : blocks.apply(tag)
      case .hidden(let tag): if let tag, HTMLTag.paragraphs.contains(tag.name) { blocks.finish() }
      }
    }
    blocks.finish()
    return blocks.paragraphs
  }

  /// Whether a tag begins the mark of a note (`noteref` in EPUB 3's Structural Semantics Vocabulary, `doc-noteref` in
  /// DPUB-ARIA), whose number would become part of the word before it.
  private static func isNoteMark(_ tag: HTMLTag) -> Bool {
    guard tag.name == "a" else { return false }
    let kinds = (tag.attribute("epub:type") ?? "") + " " + (tag.attribute("role") ?? "")
    return kinds.split(separator: " ").contains { $0 == "noteref" || $0 == "doc-noteref" }
  }

  private struct Blocks {
    var paragraphs: [TextParagraph] = []
    var text: [UInt8] = []
    private var isHeading = false
    private var raisedStart: Int?
    /// Whether text counts here: in a document, that of its paragraphs.
    private(set) var isRead: Bool
    /// The texts around the paragraph that is read, and the place of that.
    private var outer: [(text: [UInt8], place: Int)] = []

    init(isDocument: Bool) { isRead = !isDocument }

    mutating func add(_ byte: UInt8) {
      guard isRead else { return }
      if byte > 0x20 {
        text.append(byte)
      } else if let last = text.last, last != 0x20 {
        if text.count > TextFile.longest { finish() } else { text.append(0x20) }
      }
    }

    mutating func finish() {
      let paragraph = String(decoding: text, as: UTF8.self).withoutLayout.trimmed
      // A heading that is never closed is no heading.
      let isTitle = isHeading && paragraph.utf8.count <= 400
      if !paragraph.isEmpty { paragraphs.append(TextParagraph(paragraph, isHeading: isTitle)) }
      (text, raisedStart) = ([], nil)
    }

    /// Applies a tag of Word or OpenDocument. A paragraph within another one, as in a note, comes after that.
    mutating func applyToDocument(_ tag: HTMLTag) {
      let isEmpty = tag.rest.last == UInt8(ascii: "/")
      switch tag.name {
      case "w:p", "text:p", "text:h":
        if tag.isClosing, case let (around, place)? = outer.popLast() {
          let count = paragraphs.count
          finish()
          if paragraphs.count > count { paragraphs.insert(paragraphs.removeLast(), at: place) }
          text = around
        } else if !tag.isClosing, !isEmpty {
          outer.append((text, paragraphs.count))
          text = []
        }
        isRead = !outer.isEmpty && tag.name != "w:p"
      case "w:t": isRead = !outer.isEmpty && !tag.isClosing && !isEmpty
      case "w:tab", "w:br", "w:cr", "text:tab", "text:s", "text:line-break": if text.last != 0x20 { text.append(0x20) }
      case "w:nobreakhyphen": text.append(UInt8(ascii: "-"))
      default: break
      }
    }

    mutating func apply(_ tag: HTMLTag) {
      if HTMLTag.paragraphs.contains(tag.name) {
        finish()
        if ["h1", "h2", "h3", "h4", "h5", "h6"].contains(tag.name) { isHeading = !tag.isClosing }
      } else if tag.name == "sup" {
        if tag.isClosing { raiseDigits() }
        raisedStart = tag.isClosing ? nil : text.count
      }
    }

    /// Writes a number in a `sup`, such as the mark of a note, with raised digits: it is no part of the word before it.
    private mutating func raiseDigits() {
      guard let start = raisedStart, start < text.count, text[start...].allSatisfy({ (0x30...0x39).contains($0) })
      else { return }
      let raised = text[start...].map { MarkupText.raisedDigits[Int($0) - 0x30] }.joined()
      text.replaceSubrange(start..., with: Array(raised.utf8))
    }
  }
}
