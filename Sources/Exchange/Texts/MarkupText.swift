// Extracts the text of HTML and XHTML as paragraphs. Text that a browser hides is left out.

import Templates
import Text

enum MarkupText {
  private static let skipped: Set<String> = ["rt", "rp", "nav", "head", "svg", "math", "template"]
  private static let raisedDigits = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"]

  /// Returns the blocks of text that a browser would show, each as one line.
  static func paragraphs(_ html: [UInt8], _ scan: TextScan) throws -> [TextParagraph] {
    var blocks = Blocks()
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
      case .character(let scalar): blocks.text += String(scalar).utf8
      case .tag(let tag): blocks.apply(tag)
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

    mutating func add(_ byte: UInt8) {
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
