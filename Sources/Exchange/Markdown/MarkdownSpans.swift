// Protects formulas, sounds, entities and the `==` of clozes in Markdown, which a field holds unchanged. Placeholders
// replace them while the text is parsed, so that `$a_1 * b_1$` is not emphasis.
// Invariant: one pass over the text, even if something is opened and never closed; a placeholder that was parsed as
// something else (within code, in an address) is replaced by the source text; `==` marks a cloze only where the parsed
// text has text; what it encloses cannot end the cloze or look like its hint.

import CMarkdown
import Templates
import Text

struct MarkdownSpans {
  private struct Kept {
    let source: ArraySlice<UInt8>
    var html: Bytes
  }

  private(set) var text = Bytes()
  private var kept: [Kept] = []
  /// The `==` of clozes, by placeholder.
  private(set) var marks: [Int: MarkdownCloze.Mark] = [:]
  private var unclosed: Set<Int> = []
  /// A placeholder is U+FDD1, a number and U+FDD2. Texts rarely contain these characters; if so, they are protected
  /// like formulas.
  private static let opening: Bytes = [0xEF, 0xB7, 0x91]
  private static let closing: Bytes = [0xEF, 0xB7, 0x92]
  /// The limit on a formula in bytes.
  private static let longestFormula = 4_000

  /// - Parameter marksClozes: whether `==` is protected, because it may mark a cloze.
  init(_ source: Bytes, marksClozes: Bool = false) {
    text.reserveCapacity(source.count)
    var index = 0
    while index < source.count {
      if marksClozes, source[...].begins(with: "==", at: index) {
        let end = index + 2
        marks[kept.count] = MarkdownCloze.Mark(
          offset: index, opens: end < source.count && !isASCIISpace(source[end]),
          closes: index > 0 && !isASCIISpace(source[index - 1]))
        keep(source[index..<end], Bytes("==".utf8))
        index = end
      } else if let (end, html) = span(source, index) {
        keep(source[index..<end], html)
        index = end
      } else {
        let end = plain(source, index)
        text += source[index..<end]
        index = end
      }
    }
  }

  private mutating func keep(_ source: ArraySlice<UInt8>, _ html: Bytes) {
    text += Self.opening + Bytes(String(kept.count).utf8) + Self.closing
    kept.append(Kept(source: source, html: html))
  }

  mutating func setClozes(_ pairs: [Int: Bool]) {
    for (place, isOpening) in pairs {
      kept[place].html = [isOpening ? MarkdownCloze.opening : MarkdownCloze.closing]
    }
  }

  func places(in bytes: Bytes) -> [Int] {
    bytes.indices.compactMap { bytes[$0] == Self.opening[0] ? mark(bytes, $0)?.place : nil }
  }

  // MARK: Finding

  /// Finds a part that must be unchanged, with its end and its HTML.
  private mutating func span(_ bytes: Bytes, _ start: Int) -> (end: Int, html: Bytes)? {
    switch bytes[start] {
    case UInt8(ascii: "$"): return formula(bytes, start)
    case UInt8(ascii: "&"):
      return HTMLEntities.character(bytes[...], start).map { ($0.end, Bytes(bytes[start..<$0.end])) }
    case UInt8(ascii: "["):
      guard bytes[...].begins(with: "[sound:", at: start),
        let end = bytes[start..<min(bytes.count, start + 1_000)].firstIndex(of: UInt8(ascii: "]"))
      else { return nil }
      let name = bytes[start...end]
      return name.contains(0x0A) || name.contains(UInt8(ascii: "<")) ? nil : (end + 1, Bytes(name))
    case 0xEF:
      let mark = bytes[start...].prefix(3)
      return mark.elementsEqual(Self.opening) || mark.elementsEqual(Self.closing)
        ? (start + 3, Bytes(mark)) : nil
    default: return nil
    }
  }

  /// Finds a formula. `$x$` has no whitespace next to its dollars and no digit after them; `$$x$$` may contain
  /// anything except an empty line.
  private func formula(_ bytes: Bytes, _ start: Int) -> (end: Int, html: Bytes)? {
    let width = bytes[...].begins(with: "$$", at: start) ? 2 : 1
    let first = start + width
    let limit = min(bytes.count, first + Self.longestFormula)
    var index = first
    while index < limit {
      switch bytes[index] {
      case UInt8(ascii: "\\"): index += 1
      case 0x0A where bytes[...].begins(with: "\n\n", at: index): return nil
      case UInt8(ascii: "$") where width == 2 && !bytes[...].begins(with: "$$", at: index): break
      case UInt8(ascii: "$"):
        let content = bytes[first..<index]
        let end = index + width
        let isOpen = content.isEmpty || width == 1 && (isASCIISpace(bytes[first]) || isASCIISpace(bytes[index - 1]))
        let isAmount = width == 1 && end < bytes.count && (0x30...0x39).contains(bytes[end])
        return isOpen || isAmount ? nil : (end, Self.html(content, isDisplayed: width == 2))
      default: break
      }
      index += 1
    }
    return nil
  }

  private static func html(_ formula: ArraySlice<UInt8>, isDisplayed: Bool) -> Bytes {
    let escaped = FieldHTML.html(ofPlain: formula.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }.text)
    return Bytes((isDisplayed ? "\\[\(escaped)\\]" : "\\(\(escaped)\\)").utf8)
  }

  /// Returns the end of other text: an escaped character, code between backquotes, or one byte.
  private mutating func plain(_ bytes: Bytes, _ start: Int) -> Int {
    if bytes[start] == UInt8(ascii: "\\") { return min(start + 2, bytes.count) }
    return bytes[start] == UInt8(ascii: "`") ? Self.codeEnd(bytes, start, &unclosed) : start + 1
  }

  /// Returns the end of code between backquotes. If no run of the same length closes it, returns the end of this run.
  /// - Parameter unclosed: lengths of runs that are known not to be closed, so that they are not searched again.
  static func codeEnd(_ bytes: Bytes, _ start: Int, _ unclosed: inout Set<Int>) -> Int {
    let length = run(bytes, start)
    if unclosed.contains(length) { return start + length }
    var index = start + length
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "`") else {
        index += 1
        continue
      }
      let next = run(bytes, index)
      if next == length { return index + next }
      index += next
    }
    unclosed.insert(length)
    return start + length
  }

  private static func run(_ bytes: Bytes, _ start: Int) -> Int {
    var end = start
    while end < bytes.count, bytes[end] == UInt8(ascii: "`") { end += 1 }
    return end - start
  }

  // MARK: Putting back

  /// Replaces the placeholders in a text.
  /// - Parameters:
  ///   - asSource: whether they are replaced by the source text rather than HTML.
  ///   - write: receives the bytes between placeholders.
  func restore(
    _ bytes: Bytes, asSource: Bool, into result: inout Bytes, _ write: (UInt8, inout Bytes) -> Void
  ) {
    var index = 0
    while index < bytes.count {
      if bytes[index] == 0xEF, let (place, end) = mark(bytes, index) {
        if asSource { kept[place].source.forEach { write($0, &result) } } else { result += kept[place].html }
        index = end
      } else {
        write(bytes[index], &result)
        index += 1
      }
    }
  }

  /// Returns the source of a text with placeholders; the bytes between them are unchanged.
  func source(_ bytes: Bytes) -> Bytes {
    if kept.isEmpty { return bytes }
    var result = Bytes()
    restore(bytes, asSource: true, into: &result) { $1.append($0) }
    return result
  }

  private func mark(_ bytes: Bytes, _ start: Int) -> (place: Int, end: Int)? {
    guard bytes[start...].prefix(3).elementsEqual(Self.opening) else { return nil }
    var (place, index) = (0, start + 3)
    while index < bytes.count, (0x30...0x39).contains(bytes[index]), index < start + 12 {
      place = place * 10 + Int(bytes[index] - 0x30)
      index += 1
    }
    guard bytes[index...].prefix(3).elementsEqual(Self.closing), kept.indices.contains(place) else { return nil }
    return (place, index + 3)
  }
}

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
    while case let event = cmark_iter_next(walk), event != CMARK_EVENT_DONE {
      let node = cmark_iter_get_node(walk)
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
    return pairs
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
