// HTML as the text that cards store and search finds: blocks and `<br>` become lines, pictures and sounds become names,
// readings go in brackets.
// Invariant: the text is scanned once; scripts, styles, comments and hidden elements leave no trace.

import Text

package struct TerminalText {
  /// Converts a card side or a field to text.
  /// - Parameters:
  ///   - limit: the size of the result in bytes after which the rest of the HTML is ignored.
  ///   - isInterrupted: polled from time to time; true ends the work early.
  package static func text(_ html: Bytes, limit: Int = .max, isInterrupted: () -> Bool) -> String {
    var reader = TerminalText(html[...])
    reader.run(limit, isInterrupted)
    var result = reader.result
    while let last = result.last, last == 0x20 || last == 0x0A { result.removeLast() }
    return limitingMarks(result.text)
  }

  /// Returns the text in one line, without pictures and sounds.
  package static func line(_ html: Bytes) -> String {
    var reader = TerminalText(html[...], showsMedia: false)
    reader.run(.max) { false }
    return reader.result.map { $0 == 0x0A ? 0x20 : $0 }.text.trimmed
  }

  private let html: ArraySlice<UInt8>
  private let showsMedia: Bool
  private var reader: HTMLReader
  private var result = Bytes()
  /// The line breaks before the next character; dropped if nothing has been written yet.
  private var breaks = 0
  private var blank = false
  private var preformatted = 0
  /// The position after the opening bracket of an open reading.
  private var reading: Int?
  private var hintIsOpen = false
  /// The start of a hint's text: no space is written before it.
  private var hintStart: Int?
  private var brackets = NextByte(UInt8(ascii: "]"))

  private static let bytesBetweenPolls = 1 << 13

  private init(_ html: ArraySlice<UInt8>, showsMedia: Bool = true) {
    (self.html, self.showsMedia) = (html, showsMedia)
    reader = HTMLReader(html) { $0.isHidden }
  }

  private mutating func run(_ limit: Int, _ isInterrupted: () -> Bool) {
    var nextPoll = Self.bytesBetweenPolls
    while result.count <= limit, let part = reader.next() {
      if reader.index >= nextPoll {
        if isInterrupted() { return }
        nextPoll = reader.index + Self.bytesBetweenPolls
      }
      switch part {
      case .text(let text): read(text)
      case .character(let scalar): put(String(scalar))
      case .tag(let tag): show(tag)
      case .hidden: break
      }
    }
  }

  private mutating func read(_ text: ArraySlice<UInt8>) {
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "["): index = readBracket(index)
      case _ where isASCIISpace(byte):
        if preformatted == 0 {
          blank = true
        } else if byte == 0x0A {
          breaks += 1
        } else {
          put(byte == 0x0D ? 0x20 : byte)
        }
        index += 1
      case 0xC2 where html.begins(with: "\u{A0}", at: index):
        put(0x20)
        index += 2
      default:
        put(byte)
        index += 1
      }
    }
    reader.index = Swift.max(reader.index, index)
  }

  // MARK: Writing

  private mutating func put(_ byte: UInt8) {
    if breaks > 0 || blank { putGap() }
    result.append(byte)
  }

  private mutating func put(_ text: String) {
    for byte in text.utf8 { put(byte) }
  }

  private mutating func putGap() {
    if !result.isEmpty, result.count != hintStart {
      if breaks > 0 {
        while result.last == 0x20 { result.removeLast() }
        result.append(contentsOf: repeatElement(0x0A, count: breaks))
      } else {
        result.append(0x20)
      }
    }
    (breaks, blank) = (0, false)
  }

  /// Reads a bracket and returns the index after it: `[sound:name]` becomes `[sound name]`.
  private mutating func readBracket(_ index: Int) -> Int {
    guard html.begins(with: "[sound:", at: index), let end = brackets.next(html, from: index), end < index + 1_000
    else {
      put(UInt8(ascii: "["))
      return index + 1
    }
    if showsMedia { put("[sound \(MediaNames.decoded(html[(index + 7)..<end], hasEscapes: false))]") }
    return end + 1
  }

  // MARK: Tags

  private mutating func show(_ tag: HTMLTag) {
    switch tag.name {
    case "br": if !tag.isClosing { breaks += 1 }
    case "img" where !showsMedia, "audio" where !showsMedia, "video" where !showsMedia: break
    case "img": if !tag.isClosing { put(tag.fileName.isEmpty ? "[picture]" : "[picture \(tag.fileName)]") }
    case "audio", "video":
      if !tag.isClosing, !tag.fileName.isEmpty { put("[\(tag.name == "audio" ? "sound" : "video") \(tag.fileName)]") }
    case "td", "th": blank = true
    case "rt" where !tag.isClosing:
      if reading != nil { return }
      put("(")
      reading = result.count
    case "rt", "ruby":
      guard tag.isClosing, let start = reading else { return }
      reading = nil
      if result.count == start { result.removeLast() } else { put(")") }
    case "a":
      if !tag.isClosing, tag.attribute("class") == "hint" {
        hintIsOpen = true
        put("[")
        hintStart = result.count
      } else if tag.isClosing, hintIsOpen {
        hintIsOpen = false
        blank = false
        put("]")
      }
    case "pre":
      preformatted = Swift.max(0, preformatted + (tag.isClosing ? -1 : 1))
      breaks = Swift.max(1, breaks)
    case _ where HTMLTag.blocks.contains(tag.name): breaks = Swift.max(1, breaks)
    default: break
    }
  }
}
