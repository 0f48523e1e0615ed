// Clozes in Markdown: `==word==`, `{{c1::word}}` and, after `C:`, `[word]`.
// Invariant: `==` marks a cloze only where the parsed text has text, so not in code, formulas, addresses, titles and
// tags; what it encloses cannot end the cloze or look like its hint.

import CMarkdown
import Templates
import Text

enum MarkdownCloze {
  /// A `==` that is protected as a placeholder while the text is parsed.
  struct Mark {
    let offset: Int
    /// As other programs read it, a `==` before a blank opens nothing and one after a blank closes nothing, as in
    /// `a == b`.
    let opens: Bool
    let closes: Bool
  }

  /// Bytes that are in no text: they stand for the marks in HTML until it is complete.
  static let opening: UInt8 = 0xFF
  static let closing: UInt8 = 0xFE

  /// Returns the placeholders that open (true) or close (false) a cloze that is not empty. Both are in one element.
  static func pairs(in document: OpaquePointer, _ spans: MarkdownSpans) -> [Int: Bool] {
    guard !spans.marks.isEmpty, let walk = cmark_iter_new(document) else { return [:] }
    defer { cmark_iter_free(walk) }
    var (pairs, open, images): ([Int: Bool], [OpaquePointer: Int], Int) = ([:], [:], 0)
    while true {
      let event = cmark_iter_next(walk)
      if event == CMARK_EVENT_DONE { return pairs }
      guard let node = cmark_iter_get_node(walk) else { continue }
      let type = cmark_node_get_type(node)
      if type == CMARK_NODE_IMAGE { images += event == CMARK_EVENT_EXIT ? -1 : 1 }
      guard type == CMARK_NODE_TEXT, images == 0, let parent = cmark_node_parent(node),
        let text = cmark_node_get_literal(node), !isAddress(text, of: parent)
      else { continue }
      for place in spans.places(in: Bytes(String(cString: text).utf8)) {
        guard let mark = spans.marks[place] else { continue }
        if let start = open[parent], let first = spans.marks[start] {
          if !mark.closes { continue }
          if mark.offset > first.offset + 2 { (pairs[start], pairs[place]) = (true, false) }
          open[parent] = nil
        } else if mark.opens {
          open[parent] = place
        }
      }
    }
  }

  /// Whether a text only repeats the address of the link that contains it, as in `<https://example.org>`.
  private static func isAddress(_ text: UnsafePointer<CChar>, of parent: OpaquePointer) -> Bool {
    guard cmark_node_get_type(parent) == CMARK_NODE_LINK, let url = cmark_node_get_url(parent) else { return false }
    return [String(cString: text), "mailto:" + String(cString: text)].contains(String(cString: url))
  }

  /// Replaces the marks in HTML by Anki's notation, numbered after the highest number in the text. In between, `}}` and
  /// `::` are separated as Anki's manual says: by a blank in a formula, otherwise by a comment.
  static func written(_ html: Bytes, after highest: Int) -> Bytes {
    var (result, number, isOpen, nested) = (Bytes(), highest, false, 0)
    var (isTag, isFormula) = (false, false)
    result.reserveCapacity(html.count)
    for (index, byte) in html.enumerated() {
      let next = index + 1 < html.count ? html[index + 1] : 0
      switch byte {
      case opening:
        number += 1
        (isOpen, nested) = (true, 0)
        result.add("{{c\(number)::")
        continue
      case closing:
        isOpen = false
        result.add("}}")
        continue
      case UInt8(ascii: "<"): isTag = true
      case UInt8(ascii: ">"): isTag = false
      case UInt8(ascii: "\\") where next == UInt8(ascii: "(") || next == UInt8(ascii: "["): isFormula = true
      case UInt8(ascii: "\\") where next == UInt8(ascii: ")") || next == UInt8(ascii: "]"): isFormula = false
      case UInt8(ascii: "{") where isOpen && explicitNumber(html, index) != nil: nested += 1
      default: break
      }
      result.append(byte)
      guard isOpen, byte == UInt8(ascii: "}") || byte == UInt8(ascii: ":") else { continue }
      if nested > 0 {
        if byte == UInt8(ascii: "}"), index > 0, html[index - 1] == byte { nested -= 1 }
      } else if next == byte || next == closing && byte == UInt8(ascii: "}") {
        if isTag {
          result.removeLast()
          result.add("&#\(byte);")
        } else {
          result.add(isFormula ? " " : "<!-- -->")
        }
      }
    }
    return result
  }

  /// Returns the highest number in `{{c3::...}}`; 0 when there is none. An escaped one does not count.
  static func highestNumber(in bytes: Bytes) -> Int {
    var (highest, index) = (0, 0)
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\") {
        index += 1
      } else {
        highest = max(highest, explicitNumber(bytes, index) ?? 0)
      }
      index += 1
    }
    return highest
  }

  /// Returns the number of `{{c3::` that begins at an index.
  private static func explicitNumber(_ bytes: Bytes, _ index: Int) -> Int? {
    guard bytes[index] == UInt8(ascii: "{"), bytes[index...].starts(with: "{{c".utf8) else { return nil }
    let digits = bytes[(index + 3)...].prefix(4).prefix { (0x30...0x39).contains($0) }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return bytes[(index + 3 + digits.count)...].starts(with: "::".utf8) && (1..<500).contains(number) ? number : nil
  }

  /// Returns a text after `C:` with its gaps `[word]` in Anki's notation; nil when it has none. Pictures and `\[` are
  /// not gaps.
  static func gaps(in text: String) -> String? {
    let bytes = Bytes(text.utf8)
    var (result, number, index) = (Bytes(), 0, 0)
    while index < bytes.count {
      let isPicture = bytes[index...].starts(with: "![".utf8)
      let start = isPicture ? index + 1 : index
      if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count {
        result += bytes[index...(index + 1)]
        index += 2
      } else if bytes[start] == UInt8(ascii: "["), let end = bytes[start...].firstIndex(of: UInt8(ascii: "]")),
        end > start + 1
      {
        if isPicture {
          result += bytes[index...end]
        } else {
          number += 1
          result += Bytes("{{c\(number)::".utf8) + bytes[(start + 1)..<end] + Bytes("}}".utf8)
        }
        index = end + 1
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return number == 0 ? nil : result.text
  }
}
