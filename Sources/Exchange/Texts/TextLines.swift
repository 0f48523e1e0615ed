// The lines of a text, one at a time, and what was left out of it.
// Invariant: a line has at most 64 KiB, a longer one continues in the next; asking for lines polls for an interruption,
// so no text is read for long without one.

import Files
import Text

/// What of a text file was replaced or left out, each with its place: nothing is dropped without a word.
public struct TextLosses: Equatable, Sendable {
  /// The limit on the number of places that are named.
  static let mostNamed = 5

  /// The first of them: `line 12: no time is understood in "0:0x --> 1"`.
  public private(set) var named: [String] = []
  /// How many others there are.
  public private(set) var more = 0
  /// How many parts are no spoken text, by kind.
  private var kinds: [Kind: Int] = [:]

  /// Parts of subtitles that are left out on purpose.
  enum Kind: String, CaseIterable {
    case remark, song, drawing
    case `repeat` = "repeated caption"
  }

  init() {}

  mutating func add(_ place: @autoclosure () -> String) {
    if named.count < Self.mostNamed { named.append(place()) } else { more += 1 }
  }

  mutating func add(_ kind: Kind) { kinds[kind, default: 0] += 1 }

  /// Whether nothing was left out or replaced.
  public var isEmpty: Bool { named.isEmpty && kinds.isEmpty }

  /// A line about each: `left out: 2 remarks, 1 song`.
  public var messages: [String] {
    let parts = Kind.allCases.compactMap { kind in kinds[kind].map { counted($0, kind.rawValue) } }
    return named + (more > 0 ? ["\(counted(more, "more place")) like these"] : [])
      + (parts.isEmpty ? [] : ["left out: " + parts.joined(separator: ", ")])
  }
}

/// A text that is being read: what may stop it, and what was left out so far.
struct TextScan {
  let path: String
  let isInterrupted: () -> Bool
  var losses = TextLosses()

  init(_ path: String, isInterrupted: @escaping () -> Bool) { (self.path, self.isInterrupted) = (path, isInterrupted) }

  func check() throws(FileError) {
    if isInterrupted() { throw FileError(path, .read, .interrupted) }
  }

  func lines(_ text: String) -> TextLines { TextLines(text, path, isInterrupted) }
}

/// Splits a text at its line ends.
///
///     var lines = scan.lines("a\r\nb")
///     try lines.next()   // "a"
struct TextLines {
  private static let longest = 1 << 16

  private let text: String
  private let scan: TextScan
  private var index: String.Index
  /// Whether the next line continues the one before.
  private var isContinued = false
  private var unpolled = 0
  /// The number of the line that `next` returned, from 1.
  private(set) var number = 0

  fileprivate init(_ text: String, _ path: String, _ isInterrupted: @escaping () -> Bool) {
    (self.text, index) = (text, text.startIndex)
    scan = TextScan(path, isInterrupted: isInterrupted)
  }

  /// Returns the next line without its end and without characters that only lay it out; nil at the end of the text.
  mutating func next() throws(FileError) -> String? {
    let bytes = text.utf8
    guard index < bytes.endIndex else { return nil }
    if !isContinued { number += 1 }
    let start = index
    var (length, blank): (Int, String.Index?) = (0, nil)
    while index < bytes.endIndex, length < Self.longest || bytes[index] & 0xC0 == 0x80 {
      let byte = bytes[index]
      if byte &- 0x0A < 4 || byte == 0xC2 || byte == 0xE2, let end = endOfLineEnd(bytes, index) {
        let line = text[start..<index]
        (index, isContinued) = (end, false)
        return try polled(line, length)
      }
      bytes.formIndex(after: &index)
      length += 1
      if byte == 0x20 { blank = index }
    }
    isContinued = index < bytes.endIndex
    if isContinued, let blank { index = blank }
    return try polled(text[start..<index], length)
  }

  private mutating func polled(_ line: Substring, _ length: Int) throws(FileError) -> String {
    unpolled += length + 64
    if unpolled > Self.longest {
      unpolled = 0
      try scan.check()
    }
    return String(line).withoutLayout
  }

  /// Returns the index after the line end that begins at an index; nil if none does. Several CR before one LF, as a
  /// conversion of line ends that ran twice leaves them, are one line end.
  private func endOfLineEnd(_ bytes: String.UTF8View, _ index: String.Index) -> String.Index? {
    let after = bytes.index(after: index)
    switch bytes[index] {
    case 0x0D:
      let end = bytes[index...].prefix(8).firstIndex { $0 != 0x0D } ?? after
      return end < bytes.endIndex && bytes[end] == 0x0A ? bytes.index(after: end) : after
    case 0xC2: return bytes[after] == 0x85 ? bytes.index(after: after) : nil
    case 0xE2:
      // U+2028 and U+2029.
      let rest = bytes[after...].prefix(2)
      return rest.elementsEqual([0x80, 0xA8]) || rest.elementsEqual([0x80, 0xA9]) ? rest.endIndex : nil
    default: return after
    }
  }
}
