// Extracts the text of HTML and XHTML as paragraphs.
// Invariant: entities defined by the document are not expanded, and nothing is fetched; time is linear in the length,
// even if something is opened and never closed. Text that a browser hides is left out.

import Templates
import Text

enum MarkupText {
  private static let blocks = HTMLTag.blocks.union(["td", "th", "pre", "figure", "title", "br"])
  private static let skipped: Set<String> = ["script", "style", "rt", "rp", "nav", "head", "svg", "math", "template"]
  /// Elements whose content is not markup: a `<` in a script is an operator.
  private static let unparsed: Set<String> = ["script", "style"]
  private static let raisedDigits = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"]

  /// Returns the blocks of text that a browser would show, each as one line.
  static func paragraphs(_ html: [UInt8], _ scan: TextScan) throws -> [String] {
    var scanner = Scanner(html)
    try scanner.run(scan)
    return scanner.paragraphs
  }

  private struct Scanner {
    let html: [UInt8]
    var paragraphs: [String] = []
    private var index = 0
    private var text: [UInt8] = []
    /// The element that is being skipped until it is closed, its nesting depth, and that of lists and tables in it.
    private var skipping: (name: String, depth: Int, lists: Int)?
    /// Where the text of an open `sup` begins.
    private var raisedStart: Int?
    private var tags = TagReading()
    private var hasMoreComments = true
    private var hasMoreDeclarations = true

    init(_ html: [UInt8]) { self.html = html }

    mutating func run(_ scan: TextScan) throws {
      var polled = 0
      while index < html.count {
        if index - polled > 1 << 16 {
          polled = index
          try scan.check()
        }
        if html[index] == UInt8(ascii: "<"), passMarkup() { continue }
        if skipping == nil { addCharacter() } else { index += 1 }
      }
      finish()
    }

    private mutating func addCharacter() {
      let byte = html[index]
      if byte == UInt8(ascii: "&"), let (scalar, end) = HTMLEntities.webCharacter(html[...], index) {
        text += String(scalar == "\u{A0}" ? " " : scalar).utf8
        index = end
        return
      }
      add(byte)
      index += 1
    }

    private mutating func add(_ byte: UInt8) {
      if byte > 0x20 {
        text.append(byte)
      } else if let last = text.last, last != 0x20 {
        if text.count > TextFile.longest { finish() } else { text.append(0x20) }
      }
    }

    private mutating func finish() {
      let paragraph = String(decoding: text, as: UTF8.self).withoutLayout.trimmed
      if !paragraph.isEmpty { paragraphs.append(paragraph) }
      (text, raisedStart) = ([], nil)
    }

    /// Writes a number in a `sup`, such as the mark of a note, with raised digits: it is no part of the word before it.
    private mutating func raiseDigits() {
      guard let start = raisedStart, start < text.count, text[start...].allSatisfy({ (0x30...0x39).contains($0) })
      else { return }
      let raised = text[start...].map { MarkupText.raisedDigits[Int($0) - 0x30] }.joined()
      text.replaceSubrange(start..., with: Array(raised.utf8))
    }

    /// Skips a tag, a comment or a declaration; returns false when there is none, or it is never closed.
    private mutating func passMarkup() -> Bool {
      let rest = html[index...]
      if let name = skipping?.name, MarkupText.unparsed.contains(name), !isEndTag(rest, of: name) { return false }
      if rest.starts(with: "<!--".utf8) {
        guard hasMoreComments, let end = find(Array("-->".utf8), from: index + 4) else {
          hasMoreComments = false
          return false
        }
        index = end
        return true
      }
      if rest.starts(with: "<![CDATA[".utf8) {
        let end = find(Array("]]>".utf8), from: index + 9)
        if skipping == nil { for byte in html[(index + 9)..<(end.map { $0 - 3 } ?? html.count)] { add(byte) } }
        index = end ?? html.count
        return true
      }
      if hasMoreDeclarations, rest.starts(with: "<!DOCTYPE".utf8) {
        if let end = declarationEnd() {
          index = end
          return true
        }
        hasMoreDeclarations = false
      }
      guard let (tag, end) = tags.tag(html[...], index) else { return false }
      apply(tag)
      index = end
      return true
    }

    /// Whether a text begins with the end tag of an element.
    private func isEndTag(_ text: ArraySlice<UInt8>, of name: String) -> Bool {
      guard text.starts(with: "</".utf8) else { return false }
      return String(decoding: text.dropFirst(2).prefix(name.utf8.count), as: UTF8.self).lowercased() == name
    }

    private func find(_ needle: [UInt8], from start: Int) -> Int? {
      var place = start
      while place + needle.count <= html.count {
        if html[place] == needle[0], html[place...].starts(with: needle) { return place + needle.count }
        place += 1
      }
      return nil
    }

    /// Returns the end of a DOCTYPE including its declarations in brackets, which are not read.
    private func declarationEnd() -> Int? {
      var (place, depth) = (index, 0)
      while place < html.count {
        switch html[place] {
        case UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: ">") where depth <= 0: return place + 1
        default: break
        }
        place += 1
      }
      return nil
    }

    private static let lists: Set<String> = ["ul", "ol", "dl", "table", "select"]
    private static let items: Set<String> = ["li", "dt", "dd", "td", "th", "tr", "tbody", "option"]

    /// Whether a tag ends an element whose end tag may be omitted in HTML.
    private static func ends(
      _ skipped: (name: String, depth: Int, lists: Int), at name: String, isClosing: Bool
    ) -> Bool {
      switch skipped.name {
      case "p": MarkupText.blocks.contains(name) && name != "br" && !(isClosing && name == "p")
      case _ where items.contains(skipped.name):
        skipped.lists == 0 && (isClosing ? lists : items).contains(name)
      case "head": name == "body"
      case "rt", "rp": isClosing && name == "ruby"
      case "a": MarkupText.blocks.contains(name)
      default: false
      }
    }

    /// Whether a tag begins the mark of a note (`noteref` in EPUB 3's Structural Semantics Vocabulary, `doc-noteref` in
    /// DPUB-ARIA), whose number would become part of the word before it.
    private static func isNoteMark(_ tag: HTMLTag) -> Bool {
      guard tag.name == "a", !tag.isClosing else { return false }
      let kinds = (tag.attribute("epub:type") ?? "") + " " + (tag.attribute("role") ?? "")
      return kinds.split(separator: " ").contains { $0 == "noteref" || $0 == "doc-noteref" }
    }

    private mutating func apply(_ tag: HTMLTag) {
      let (name, isClosing) = (tag.name, tag.isClosing)
      let isEmpty = tag.rest.last == UInt8(ascii: "/")
      if let skipped = skipping {
        if Self.ends(skipped, at: name, isClosing: isClosing) {
          skipping = nil
          return apply(tag)
        }
        if isEmpty { return }
        let step = isClosing ? -1 : 1
        let lists = max(0, skipped.lists + (Self.lists.contains(name) ? step : 0))
        let depth = skipped.depth + (name == skipped.name ? step : 0)
        skipping = depth == 0 ? nil : (skipped.name, depth, lists)
        return
      }
      if MarkupText.skipped.contains(name) || Self.isNoteMark(tag) || !isClosing && tag.isHidden {
        if !isClosing, !isEmpty, !tag.isVoid { skipping = (name, 1, 0) }
        if MarkupText.blocks.contains(name) { finish() }
      } else if MarkupText.blocks.contains(name) {
        finish()
      } else if name == "sup" {
        if isClosing { raiseDigits() }
        raisedStart = isClosing ? nil : text.count
      }
    }
  }
}
