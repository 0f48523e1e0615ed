// Converts the HTML of a field to Markdown.
// Invariant: the Markdown gives the same HTML again, byte for byte: every candidate is read back before it is used.
// HTML that no notation can express becomes raw HTML, in a fence if nothing else works.

import Templates
import Text

package enum MarkdownText {
  package enum Place {
    case line, blocks, cloze
  }

  /// The info string of a fence whose content is HTML, as in pandoc.
  static let rawInfo = "{=html}"

  /// - Returns: nil for HTML that cannot be written there.
  package static func text(of html: String, _ place: Place) -> String? {
    if html.utf8.count > MarkdownHTML.limit { return nil }
    for notation in Notation.allCases {
      guard var text = notation.text(of: html, place) else { continue }
      if place == .cloze { text = MarkdownLine.escaped(text) }
      guard isRead(text, as: html, place) else { continue }
      return text
    }
    return nil
  }

  /// The notations to try, the most readable first.
  private enum Notation: CaseIterable {
    case blocks, lines, line, tags, asItIs, fence

    func text(of html: String, _ place: Place) -> String? {
      let startsWithTag = html.hasPrefix("<")
      switch self {
      case .blocks:
        guard place == .blocks || place == .cloze, startsWithTag else { return nil }
        var blocks = MarkdownBlocks(html, isCloze: place == .cloze)
        return blocks.text()
      case .lines: return place == .line ? nil : inline(html, place, [.breaksLines, .marks])
      case .line: return inline(html, place, .marks)
      case .tags: return inline(html, place, [])
      case .asItIs: return startsWithTag ? html : nil
      case .fence:
        if place != .blocks { return nil }
        let fence = MarkdownText.fence(around: html)
        return "\(fence)\(rawInfo)\n\(html)\n\(fence)"
      }
    }

    private func inline(_ html: String, _ place: Place, _ options: MarkdownInlines.Options) -> String {
      var inlines = MarkdownInlines(Bytes(html.utf8)[...], place == .cloze ? options.union(.escapesClozes) : options)
      return inlines.text().text
    }
  }

  /// Returns a run of backquotes that is longer than any in the text.
  static func fence(around text: String, atLeast least: Int = 3) -> String {
    var (longest, run) = (0, 0)
    for byte in text.utf8 {
      run = byte == UInt8(ascii: "`") ? run + 1 : 0
      longest = max(longest, run)
    }
    return String(repeating: "`", count: max(least, longest + 1))
  }

  private static func isRead(_ text: String, as html: String, _ place: Place) -> Bool {
    switch place {
    case .line:
      return !text.utf8.contains(0x0A) && !text.contains(text: MarkdownFacts.opening)
        && MarkdownHTML(text, isLine: true).html == html
    case .blocks: return !MarkdownLine.hasComment(text) && MarkdownHTML(text).html == html
    case .cloze:
      guard let rows = MarkdownWriter.rows(in: text), rows.count == 1, case .note(_, let fields, _) = rows[0].content
      else { return false }
      return fields[0].html == html
    }
  }
}

struct MarkdownInlines {
  struct Options: OptionSet {
    let rawValue: Int
    /// `<br>` becomes a backslash at the end of a line.
    static let breaksLines = Options(rawValue: 1)
    /// Bold, italics, code, links and pictures become Markdown; otherwise their tags are kept.
    static let marks = Options(rawValue: 2)
    static let escapesClozes = Options(rawValue: 4)
    /// Escapes bars, which would end a cell.
    static let escapesBars = Options(rawValue: 8)
  }

  /// How many bytes are searched for the end of an element.
  private static let longestElement = 4_000

  private let html: ArraySlice<UInt8>
  private let options: Options
  private var index: Int
  private var result = Bytes()
  private var tags = TagReading()
  private var open: [(tag: String, mark: String)] = []
  private let hasAddresses: Bool
  private let hasFormulas: Bool

  init(_ html: ArraySlice<UInt8>, _ options: Options) {
    (self.html, self.options, index) = (html, options, html.startIndex)
    hasAddresses =
      html.position(of: "](", from: html.startIndex) != nil
      || html.position(of: "]:", from: html.startIndex) != nil
      || html.position(of: "][", from: html.startIndex) != nil
    hasFormulas = html.count { $0 == UInt8(ascii: "$") } > 1
  }

  mutating func text() -> Bytes {
    while index < html.endIndex {
      switch html[index] {
      case UInt8(ascii: "<"): writeTag()
      case UInt8(ascii: "&"): writeEntity()
      case UInt8(ascii: "\\"): if !writeFormula() { escape() }
      case UInt8(ascii: "["): if !writeSound() { hasAddresses ? escape() : copy() }
      case UInt8(ascii: "]"): hasAddresses ? escape() : copy()
      case UInt8(ascii: "`"): escape()
      case UInt8(ascii: "*"), UInt8(ascii: "_"): writeMark()
      case UInt8(ascii: "$"): hasFormulas ? escape() : copy()
      case UInt8(ascii: "|") where options.contains(.escapesBars): escape()
      case UInt8(ascii: "=") where options.contains(.escapesClozes) && html.begins(with: "==", at: index):
        escape()
        copy()
      case 0x0A:
        result.append(0x0A)
        index += 1
      default: copy()
      }
    }
    return result
  }

  private mutating func copy() {
    result.append(html[index])
    index += 1
    if isLineStart(before: result.count - 1) { escapeLineStart() }
  }

  private mutating func escape() {
    result.append(UInt8(ascii: "\\"))
    result.append(html[index])
    index += 1
  }

  private func isLineStart(before place: Int) -> Bool { place == 0 || result[place - 1] == 0x0A }

  /// Escapes what would begin a block at the beginning of a line; after a number, escapes its point.
  private mutating func escapeLineStart() {
    let byte = result[result.count - 1]
    let next = index < html.endIndex ? html[index] : 0x20
    switch byte {
    case UInt8(ascii: "="): if result.count > 1 { result.insert(UInt8(ascii: "\\"), at: result.count - 1) }
    case UInt8(ascii: "#"), UInt8(ascii: ">"), UInt8(ascii: "~"), UInt8(ascii: "|"):
      result.insert(UInt8(ascii: "\\"), at: result.count - 1)
    case UInt8(ascii: "-"), UInt8(ascii: "+"):
      if next == 0x20 || next == UInt8(ascii: "-") || next == UInt8(ascii: "<") {
        result.insert(UInt8(ascii: "\\"), at: result.count - 1)
      }
    case 0x30...0x39:
      while index < html.endIndex, (0x30...0x39).contains(html[index]) {
        result.append(html[index])
        index += 1
      }
      if index < html.endIndex, html[index] == UInt8(ascii: ".") || html[index] == UInt8(ascii: ")") { escape() }
    default: break
    }
  }

  /// Writes `*` or `_`, unescaped if it has no meaning: between spaces, and `_` also within a word.
  private mutating func writeMark() {
    let before = result.last ?? 0x20
    let after = index + 1 < html.endIndex ? html[index + 1] : 0x20
    let isWithinWord = html[index] == UInt8(ascii: "_") && isLetter(before) && isLetter(after)
    let isFree = before == 0x20 && after == 0x20 && result.count > 0
    isWithinWord || isFree ? copy() : escape()
  }

  private func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: byte >= 0x80
    }
  }

  /// Writes `&lt;` as `<`, escaped where a tag might begin; likewise `&gt;` and `&amp;`.
  private mutating func writeEntity() {
    for (name, byte): (StaticString, UInt8) in [
      ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")), ("&amp;", UInt8(ascii: "&")),
    ] where html.begins(with: name, at: index) {
      let end = index + name.utf8CodeUnitCount
      let next = end < html.endIndex ? html[end] : 0x20
      if byte == UInt8(ascii: "&"), next == UInt8(ascii: "#") || isLetter(next) { break }
      let isTag = byte == UInt8(ascii: "<") && next != 0x20 && !(0x30...0x39).contains(next)
      let isQuote = byte == UInt8(ascii: ">") && isLineStart(before: result.count)
      if isTag || isQuote { result.append(UInt8(ascii: "\\")) }
      result.append(byte)
      index = end
      return
    }
    guard let (_, end) = HTMLEntities.character(html, index) else { return escape() }
    result += html[index..<end]
    index = end
  }

  private mutating func writeSound() -> Bool {
    guard html.begins(with: "[sound:", at: index),
      let end = html[index..<min(html.endIndex, index + 1_000)].firstIndex(of: UInt8(ascii: "]"))
    else { return false }
    result += html[index...end]
    index = end + 1
    return true
  }

  /// Writes `\(x\)` as `$x$`, and `\[x\]` as `$$x$$`.
  private mutating func writeFormula() -> Bool {
    let isDisplayed = html.begins(with: "\\[", at: index)
    guard isDisplayed || html.begins(with: "\\(", at: index),
      let end = position(of: isDisplayed ? "\\]" : "\\)", from: index + 2)
    else { return false }
    guard let formula = FieldHTML.plain(html[(index + 2)..<end].text), !formula.utf8.contains(UInt8(ascii: "$")) else {
      return false
    }
    result.add(isDisplayed ? "$$\(formula)$$" : "$\(formula)$")
    index = end + 2
    return true
  }

  // MARK: Tags

  private mutating func writeTag() {
    guard let (tag, end) = tags.tag(html, index) else { return escape() }
    let source = html[index..<end]
    let text = source.text
    if text == "<br>", options.contains(.breaksLines), isBreak(end) {
      result.add("\\\n")
    } else if !options.contains(.marks) || !writeElement(tag, text, end) {
      result += source
    } else {
      return
    }
    index = end
  }

  private func isBreak(_ end: Int) -> Bool {
    guard let last = result.last, last != 0x0A, last != 0x20, end < html.endIndex else { return false }
    return html[end] != 0x20 && !html.begins(with: "<br>", at: end)
  }

  /// - Returns: whether the element was written; then the index is after it.
  private mutating func writeElement(_ tag: HTMLTag, _ text: String, _ end: Int) -> Bool {
    switch text {
    case "<b>", "<i>": return openMark(text == "<b>" ? "**" : "*", "</\(tag.name)>", end)
    case "</b>", "</i>":
      guard open.last?.tag == text, let mark = open.popLast()?.mark else { return false }
      result.add(mark)
      index = end
      return true
    case "<code>": return writeCode(end)
    default: return tag.name == "img" ? writePicture(tag, text, end) : tag.name == "a" && writeLink(tag, text, end)
    }
  }

  /// Opens bold or italics, unless Markdown would not recognize the marks: next to whitespace within them, or between
  /// a letter outside and another character within.
  private mutating func openMark(_ mark: String, _ closing: String, _ end: Int) -> Bool {
    guard let close = position(of: closing, from: end), close > end else { return false }
    let (first, last) = (html[end], html[close - 1])
    if first == 0x20 || last == 0x20 || first == 0x0A || last == 0x0A { return false }
    let after = close + closing.utf8.count
    let isAfterLetter = result.last.map(isLetter) ?? false
    let isBeforeLetter = after < html.endIndex && isLetter(html[after])
    if isAfterLetter && !isLetter(first) || isBeforeLetter && !isLetter(last) { return false }
    result.add(mark)
    open.append((closing, mark))
    index = end
    return true
  }

  private func position(of text: String, from start: Int) -> Int? {
    let bytes = Bytes(text.utf8)
    let near = start..<min(html.endIndex, start + Self.longestElement)
    return near.first { html[$0] == bytes[0] && html[$0...].starts(with: bytes) }
  }

  private mutating func writeCode(_ end: Int) -> Bool {
    guard let close = position(of: "</code>", from: end), let code = FieldHTML.plain(html[end..<close].text),
      !code.isEmpty, !code.utf8.contains(0x0A)
    else { return false }
    let fence = MarkdownText.fence(around: code, atLeast: 1)
    let isPadded = code.hasPrefix("`") || code.hasSuffix("`") || code.hasPrefix(" ") && code.hasSuffix(" ")
    let inner = isPadded ? " \(code) " : code
    result.add(fence + (options.contains(.escapesBars) ? inner.replacing(text: "|", with: "\\|") : inner) + fence)
    index = close + 7
    return true
  }

  private mutating func writePicture(_ tag: HTMLTag, _ text: String, _ end: Int) -> Bool {
    guard let source = tag.attribute("src") else { return false }
    let words = tag.attribute("alt") ?? ""
    let expected = "<img src=\"\(source)\"" + (words.isEmpty ? "" : " alt=\"\(words)\"") + ">"
    guard text == expected else { return false }
    var label = MarkdownInlines(Bytes(words.utf8)[...], .marks)
    result.add("![\(label.text().text)](\(Self.address(source)))")
    index = end
    return true
  }

  private mutating func writeLink(_ tag: HTMLTag, _ text: String, _ end: Int) -> Bool {
    guard !tag.isClosing, let address = tag.attribute("href"), let close = position(of: "</a>", from: end) else {
      return false
    }
    let title = tag.attribute("title") ?? ""
    let expected = "<a href=\"\(address)\"" + (title.isEmpty ? "" : " title=\"\(title)\"") + ">"
    guard text == expected, !title.contains("\\") else { return false }
    let content = html[end..<close]
    let start = address.utf8.prefix { $0 != UInt8(ascii: ":") }
    let isPlain = title.isEmpty && start.count > 1 && start.count < address.utf8.count && !address.contains(" ")
    if content.text == address, isPlain {
      result.add("<\(address)>")
    } else {
      var inner = MarkdownInlines(content, options.subtracting(.breaksLines))
      let words = inner.text().text
      result.add("[\(words)](\(Self.address(address))\(title.isEmpty ? "" : " \"\(title)\""))")
    }
    index = close + 4
    return true
  }

  /// Returns an address in Markdown's notation; `&amp;` and `&quot;` are decoded.
  private static func address(_ value: String) -> String {
    let plain = value.replacing(text: "&amp;", with: "&").replacing(text: "&quot;", with: "\"")
    let isSafe = plain.utf8.allSatisfy { $0 > 0x20 && !"()<>\\\"*_`[]$".utf8.contains($0) }
    if isSafe { return plain }
    return "<" + ["\\", "<", ">"].reduce(plain) { $0.replacing(text: $1, with: "\\" + $1) } + ">"
  }
}
