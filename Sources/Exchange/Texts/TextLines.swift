// Decodes the bytes of a text, recognises what is no text by its first bytes, and gives the lines one at a time, with
// what was left out. Invariant: each byte that is not in the encoding is replaced, and its place is told; a line has at
// most 64 KiB, a longer one continues in the next; asking for lines polls for an interruption.

import Files
import Text
import Values

/// What of a text file was replaced or left out, each with its place: nothing is dropped without a word.
public struct TextLosses: Equatable, Sendable {
  static let mostNamed = 5

  /// The first of them: `line 12: no time is understood in "0:0x --> 1"`.
  public private(set) var named: [String] = []
  public private(set) var more = 0
  private var kinds: [Kind: Int] = [:]

  enum Kind: String, CaseIterable {
    case remark, song, drawing
    case `repeat` = "repeated caption"
    case pageNumber = "page number", runningHead = "running head"
  }

  mutating func add(_ place: @autoclosure () -> String) {
    if named.count < Self.mostNamed { named.append(place()) } else { more += 1 }
  }

  mutating func add(_ kind: Kind) { kinds[kind, default: 0] += 1 }

  public var isEmpty: Bool { named.isEmpty && kinds.isEmpty }

  /// A line about each: `left out: 2 remarks, 1 song`.
  public var messages: [String] {
    let parts = Kind.allCases.compactMap { kind in kinds[kind].map { counted($0, kind.rawValue) } }
    return named + (more > 0 ? ["\(counted(more, "more place")) like these"] : [])
      + (parts.isEmpty ? [] : ["left out: " + parts.joined(separator: ", ")])
  }
}

struct TextScan {
  let path: String
  let isInterrupted: () -> Bool
  var losses = TextLosses()

  func check() throws(FileError) {
    if isInterrupted() { throw FileError(path, .read, .interrupted) }
  }

  func lines(_ text: String) -> TextLines { TextLines(text, self) }
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
  private var isContinued = false
  private var unpolled = 0
  private(set) var number = 0

  fileprivate init(_ text: String, _ scan: TextScan) {
    (self.text, self.scan, index) = (text, scan, text.startIndex)
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

extension TextFile {
  /// Decodes a text. An encoding that is given is used. Otherwise a byte order mark decides; without one it is UTF-8
  /// if all or nearly all of it is, or else in the encoding that a page names, that its bytes show, or that was usual.
  /// - Parameters:
  ///   - language: the code of its language; nil if it is not known. A page may name another.
  ///   - usual: the encoding of a text that shows none, by default Windows-1252.
  /// - Throws: `FileError`, `TextFileError`, `ExchangeError.badEncoding`.
  static func decoded(
    _ bytes: [UInt8], _ scan: inout TextScan, as given: TextEncoding?, language: String? = nil,
    usual: TextEncoding? = nil, isPage: Bool = false
  ) throws -> (text: String, encoding: TextEncoding) {
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    var encoding = given ?? (!hasMark && TextEncoding.isUTF16(bytes[...]) ? .utf16 : .utf8)
    if encoding == .utf8 {
      let content = Array(bytes.withoutMark)
      let faults = try content.withUnsafeBufferPointer { try UTF8Faults($0, scan) }
      if faults.containsNUL { throw containsNUL(scan) }
      let language = (isPage ? self.language(ofHTML: bytes.prefix(4096)) : nil) ?? language
      let isPlain = faults.count == 0 || given != nil || hasMark
      let named = isPage && !isPlain ? TextEncoding.declared(by: bytes) : nil
      let found = isPlain ? nil : TextEncoding.detected(in: content[...], language: language, usual: usual)
      if isPlain || found == nil && named?.isMultibyte != true && faults.areFew {
        faults.tell(&scan.losses)
        let text = String(decoding: content, as: UTF8.self)
        if given == nil, content.contains(0x1B), text.contains(text: "\u{1B}$B") || text.contains(text: "\u{1B}$@") {
          let reason = "it is encoded in iso-2022-jp, which is not read; iconv -f iso-2022-jp -t UTF-8 converts it"
          throw TextFileError.refused(path: scan.path, reason: reason)
        }
        return (text, .utf8)
      }
      encoding = named ?? found ?? language.flatMap(TextEncoding.legacy(ofLanguage:)) ?? usual ?? .windows1252
    }
    var (text, line): ([UInt8], Int) = ([], 1)
    let isBigEndian = TextEncoding.zeroParity(of: bytes.prefix(64)) == 0
    guard var transcoder = Transcoder(encoding, isBigEndian: isBigEndian) else {
      throw ExchangeError.badEncoding(path: scan.path, encoding: encoding)
    }
    for start in stride(from: 0, to: bytes.count, by: 1 << 18) {
      try scan.check()
      let (place, isLast) = (text.count, bytes.count - start <= 1 << 18)
      transcoder.append(bytes[start..<min(bytes.count, start + 1 << 18)], to: &text)
      if isLast { transcoder.finish(&text) }
      for index in place..<text.count {
        if text[index] == 0x0A { line += 1 }
        guard text[index] == 0xBD, index > 1, text[index - 1] == 0xBF, text[index - 2] == 0xEF else { continue }
        scan.losses.add("line \(grouped(line)): a byte that is not \(encoding.rawValue) was replaced")
      }
    }
    if text.contains(0) { throw containsNUL(scan) }
    return (String(decoding: text, as: UTF8.self), encoding)
  }

  private static func containsNUL(_ scan: TextScan) -> TextFileError {
    .damaged(path: scan.path, reason: "it contains NUL bytes, so it is not text")
  }
}

/// The bytes of a text that are not UTF-8.
private struct UTF8Faults {
  private var first: [Int] = []
  private(set) var count = 0
  private(set) var containsNUL = false
  private var characters = 0
  private let bytes: UnsafeBufferPointer<UInt8>

  var areFew: Bool { characters >= count }

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ scan: TextScan) throws {
    self.bytes = bytes
    for start in stride(from: 0, to: bytes.count, by: 1 << 20) {
      try scan.check()
      let piece = bytes[start..<min(bytes.count, start + 1 << 20)]
      characters += piece.count { $0 >= 0xC0 }
      containsNUL = containsNUL || piece.contains(0)
    }
    var (index, end, polled) = (0, -1, 0)
    while let offset = firstInvalidByte(UnsafeBufferPointer(rebasing: bytes[index...])) {
      let place = index + offset
      if bytes[place] >= 0xC0 { characters -= 1 }
      if bytes[place] != 0, place != end {
        count += 1
        if first.count < TextLosses.mostNamed { first.append(place) }
      }
      (index, end, polled) = (place + 1, place + 1, polled + 1)
      if polled & 0xFFFF == 0 { try scan.check() }
    }
  }

  func tell(_ losses: inout TextLosses) {
    var (line, start, index) = (1, 0, 0)
    for place in first {
      for byte in index..<place where bytes[byte] == 0x0A { (line, start) = (line + 1, byte + 1) }
      index = place
      let hex = hexadecimal([bytes[place]]).uppercased()
      losses.add("line \(grouped(line)), byte \(grouped(place - start + 1)): 0x\(hex) is not UTF-8 and was replaced")
    }
    for _ in first.count..<max(first.count, count) { losses.add("") }
  }
}

/// What a file is that is no text, by its first bytes.
enum FileSignature {
  private static let starts: [(start: [UInt8], offset: Int, name: String)] = [
    (Array("%PDF-".utf8), 0, "a PDF document (pdftotext makes a text of it)"),
    (Array("SQLite format 3\0".utf8), 0, "an SQLite database"), (Array("PK\u{3}\u{4}".utf8), 0, "a ZIP archive"),
    (Array("PK\u{5}\u{6}".utf8), 0, "an empty ZIP archive"),
    (Array("BOOKMOBI".utf8), 60, "a Mobipocket or Kindle book"),
    (Array("{\\rtf".utf8), 0, "an RTF document (a word processor saves it as .docx or .txt)"),
    ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1], 0, "an old or encrypted Office document (save it as .docx or .txt)"),
    (Array("%!PS".utf8), 0, "a PostScript document"), (Array("AT&TFORM".utf8), 0, "a DjVu document"),
    ([0x1F, 0x8B], 0, "a gzip file"), (Array("BZh".utf8), 0, "a bzip2 file"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], 0, "an xz file"), ([0x28, 0xB5, 0x2F, 0xFD], 0, "a Zstandard file"),
    (Array("7z".utf8) + [0xBC, 0xAF], 0, "a 7-Zip archive"), (Array("Rar!".utf8) + [0x1A], 0, "a RAR archive"),
    ([0x89] + Array("PNG".utf8), 0, "a PNG picture"), ([0xFF, 0xD8, 0xFF], 0, "a JPEG picture"),
    (Array("GIF8".utf8), 0, "a GIF picture"), (Array("WEBP".utf8), 8, "a WebP picture"),
    (Array("WAVE".utf8), 8, "a WAV sound"), (Array("ID3".utf8), 0, "an MP3 sound"),
    (Array("OggS".utf8), 0, "an Ogg sound"), (Array("fLaC".utf8), 0, "a FLAC sound"),
    (Array("ftyp".utf8), 4, "an MP4 film or sound"), ([0x1A, 0x45, 0xDF, 0xA3], 0, "a Matroska film"),
    ([0x7F] + Array("ELF".utf8), 0, "a program"),
  ]

  /// Returns what a file is, with its article; nil for a text.
  static func name(of bytes: [UInt8]) -> String? {
    let found = starts.first { start, offset, _ in
      bytes.count >= offset + start.count && bytes[offset..<offset + start.count].elementsEqual(start)
    }
    // Words may begin a text, except for those that only begin a document.
    let isDocument = found.map { ["%", "{"].contains(Character(Unicode.Scalar($0.start[0]))) } ?? false
    let isBinary = bytes.prefix(512).contains { $0 < 0x09 || (0x0E..<0x20).contains($0) || $0 >= 0xF5 || $0 == 0x89 }
    guard let found, isDocument || isBinary else { return nil }
    return found.name
  }

  static func isBook(_ bytes: [UInt8]) -> Bool {
    let firsts =
      ["epub+zip", "vnd.oasis.opendocument.text"].map { "mimetypeapplication/" + $0 } + ["[Content_Types].xml"]
    return name(of: bytes) == "a ZIP archive" && firsts.contains { bytes.dropFirst(30).starts(with: $0.utf8) }
  }

  private static let limits = JSONLimits(bytes: TextFile.limit, depth: 64, values: 6_000_000, string: 64 << 20)

  /// Returns the value of a text that is JSON, null beyond the limits; nil for any other text.
  static func json(_ text: String) -> Value? {
    let bytes = text.utf8.drop(while: isASCIISpace)
    let next = bytes.dropFirst().first { !isASCIISpace($0) }
    guard let first = bytes.first, "{[".utf8.contains(first), let next, "\"[{]}-0123456789tfn".utf8.contains(next)
    else { return nil }
    do throws(JSONFailure) { return try JSONParser.parse(Array(text.utf8), limits: limits, keepsLast: true) } catch {
      switch error.reason {
      case .tooLong, .tooDeep, .tooMany, .stringTooLong: return .null
      // Anything else that begins like JSON is a text.
      default: return nil
      }
    }
  }
}
