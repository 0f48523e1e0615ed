// A document as an editor has it: its text, and positions in it as lines and columns. A line ends with LF, CR LF or CR,
// as the protocol defines.
// Invariant: the text is UTF-8, and no change splits a character; a position beyond a line or the text is clamped to
// its end; the cost of a change grows with its length and the number of lines after it.

import Text

public enum PositionEncoding: String, Sendable {
  case utf8 = "utf-8"
  case utf16 = "utf-16"
}

/// A position in a document, from 0.
public struct Position: Equatable, Sendable {
  public var line: Int
  public var character: Int
}

/// The range from one position up to another.
public struct TextRange: Equatable, Sendable {
  public var start: Position
  public var end: Position

  public init(_ start: Position, _ end: Position) { (self.start, self.end) = (start, end) }
}

/// A document that is edited in step with its editor.
///
///     var document = TextDocument("file:///es/a.md", version: 1, text: "## el gato\n", encoding: .utf16)
///     document.replace(TextRange(Position(line: 0, character: 3), Position(line: 0, character: 5)), by: "la")
public struct TextDocument {
  public let uri: String
  public var version: Int
  public let encoding: PositionEncoding
  public private(set) var bytes: [UInt8]
  public private(set) var lineStarts: [Int]

  public init(_ uri: String, version: Int, text: some Collection<UInt8>, encoding: PositionEncoding) {
    (self.uri, self.version, self.encoding) = (uri, version, encoding)
    bytes = Array(text)
    lineStarts = [0] + Self.starts(in: bytes, 0..<bytes.count)
  }

  /// Returns the offsets of the lines that begin after the line ends in a range of the text.
  private static func starts(in bytes: [UInt8], _ part: Range<Int>) -> [Int] {
    var starts: [Int] = []
    bytes.withUnsafeBufferPointer { bytes in
      for place in part {
        let byte = bytes[place]
        if byte == 0x0A || byte == 0x0D && (place + 1 == bytes.count || bytes[place + 1] != 0x0A) {
          starts.append(place + 1)
        }
      }
    }
    return starts
  }

  /// Replaces a range with a text, or the whole text if no range is given.
  public mutating func replace(_ range: TextRange?, by text: String) {
    guard let range else {
      self = TextDocument(uri, version: version, text: text.utf8, encoding: encoding)
      return
    }
    let start = offset(of: range.start)
    let replaced = start..<max(start, offset(of: range.end))
    // The change may join or split a CR LF on either side.
    let first = line(at: max(0, replaced.lowerBound - 1))
    let last = line(at: min(bytes.count, replaced.upperBound + 1))
    let end = last + 1 < lineStarts.count ? lineStarts[last + 1] : bytes.count
    let grown = text.utf8.count - replaced.count
    bytes.replaceSubrange(replaced, with: text.utf8)
    let behind = min(last + 2, lineStarts.count)
    if grown != 0 { for index in behind..<lineStarts.count { lineStarts[index] += grown } }
    lineStarts.replaceSubrange(first + 1..<behind, with: Self.starts(in: bytes, lineStarts[first]..<end + grown))
  }

  /// The line that contains an offset, from 0.
  public func line(at offset: Int) -> Int {
    (1..<lineStarts.count).bisected { lineStarts[$0] <= offset } - 1
  }

  /// The range of a line without its line end.
  public func content(ofLine line: Int) -> Range<Int> {
    let start = lineStarts[line]
    var end = line + 1 < lineStarts.count ? lineStarts[line + 1] : bytes.count
    while end > start, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
    return start..<end
  }

  public func offset(of position: Position) -> Int {
    guard position.line >= 0 else { return 0 }
    guard position.line < lineStarts.count else { return bytes.count }
    let line = content(ofLine: position.line)
    var (place, end, units) = (line.lowerBound, line.lowerBound, 0)
    while end < line.upperBound {
      repeat {
        units += width(bytes[end])
        end += 1
      } while end < line.upperBound && bytes[end] & 0xC0 == 0x80
      if units > position.character { break }
      place = end
    }
    return place
  }

  public func position(of offset: Int) -> Position {
    let line = line(at: offset)
    let place = content(ofLine: line).clamped(to: lineStarts[line]..<max(lineStarts[line], offset))
    let character = encoding == .utf8 ? place.count : bytes[place].reduce(0) { $0 + width($1) }
    return Position(line: line, character: character)
  }

  public func range(of offsets: Range<Int>) -> TextRange {
    TextRange(position(of: offsets.lowerBound), position(of: offsets.upperBound))
  }

  /// The units of the byte; in UTF-16, those of the character that begins with it, and 0 for a continuation byte.
  private func width(_ byte: UInt8) -> Int {
    encoding == .utf8 ? 1 : byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1
  }
}

/// Converts between file URIs and paths.
///
///     FileURI.path(of: "file:///es/el%20gato.md")   // "/es/el gato.md"
public enum FileURI {
  private static let scheme = "file://"

  /// Returns the path of a URI; nil if it is not a file on this machine.
  public static func path(of uri: String) -> String? {
    guard uri.hasPrefix(scheme) else { return nil }
    let rest = uri.utf8.dropFirst(scheme.utf8.count)
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    let host = String(decoding: rest[..<slash], as: UTF8.self)
    guard host.isEmpty || host.lowercased() == "localhost" else { return nil }
    return String(validating: percentDecoded(rest[slash...]), as: UTF8.self)
  }

  public static func uri(of path: String) -> String { scheme + percentEncoded(path: path) }
}
