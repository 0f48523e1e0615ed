// The note that a row of a list with more than two columns makes, as the bytes of its fields.
// Invariant: with `hasTexts`, the row's prompt and answer are exactly what the note's card shows.

import Text

struct ListedText {
  static let separator = UInt8(0x1F)
  /// The fields of the note in their order, as HTML, separated by U+001F.
  var column: [UInt8] = []
  /// Whether the row's prompt and answer are what the card shows, so that it can be written with others.
  var hasTexts = false

  var fields: [(name: String?, html: String)] {
    column.split(separator: Self.separator, omittingEmptySubsequences: false)
      .map { (nil, String(decoding: $0, as: UTF8.self)) }
  }

  /// Replaces the fields that name a file by what shows or plays it.
  mutating func show(_ path: String, as html: String) {
    let fields = fields.map { $0.html == path ? html : $0.html }
    (column, hasTexts) = (Array(fields.joined(separator: "\u{1F}").utf8), false)
  }

  /// Whether a card shows a cell byte by byte: it has no mark of HTML, no brackets, only single blanks that break.
  static func isShownAsItIs(_ cell: ArraySlice<UInt8>) -> Bool {
    var last = UInt8(0)
    for byte in cell {
      switch byte {
      case 0x00..<0x20, UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["), 0x7F: return false
      case 0x20 where last == 0x20, 0x80...0xA0 where last == 0xC2: return false
      default: last = byte
      }
    }
    return true
  }

  /// Returns the file that a cell names; nil for other texts.
  static func media(_ cell: ArraySlice<UInt8>) -> (name: String, path: String)? {
    guard let dot = cell.suffix(5).lastIndex(of: UInt8(ascii: ".")), cell.endIndex - dot > 3, cell.count < 500,
      let file = MarkdownMedia(String(decoding: cell, as: UTF8.self)), file.isSound || file.isPicture
    else { return nil }
    return (file.name, file.path)
  }
}
