// Reads a text in any supported format as paragraphs, with times for subtitles.
// Invariant: the output is valid text; a file of more than 64 MiB is refused; nothing in it is executed or fetched.

import Files
import Templates
import Text

/// A part of a text; sentences do not extend across parts.
public struct TextParagraph: Equatable, Sendable {
  public var text: String
  /// For subtitles: seconds from the beginning.
  public var start: Double?
  public var end: Double?

  public init(_ text: String, start: Double? = nil, end: Double? = nil) {
    (self.text, self.start, self.end) = (text, start, end)
  }

  fileprivate var withoutLayout: TextParagraph { TextParagraph(text.withoutLayout, start: start, end: end) }
}

/// The formats of texts, by file extension.
public enum TextFormat: String, CaseIterable, Sendable {
  case plain = "txt"
  case markdown = "md"
  case html, epub, srt, vtt, ass

  /// Returns the format for a file name; without a known extension it is plain text.
  public init(path: String) {
    let name = lastPart(of: path).lowercased()
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...] } ?? ""
    switch ending {
    case "htm", "xhtml", "xht": self = .html
    case "ssa": self = .ass
    case "markdown": self = .markdown
    default: self = TextFormat(rawValue: String(ending)) ?? .plain
    }
  }

  /// Detects the format of a text without a name by its beginning; the default is plain text.
  init(beginningOf text: String) {
    let lines = text.split(maxSplits: 2, whereSeparator: \.isNewline).map(\.trimmingBlanks)
    let first = lines.first?.lowercased() ?? ""
    if first.hasPrefix("webvtt") {
      self = .vtt
    } else if lines.prefix(2).contains(where: { $0.contains(text: " --> ") }) {
      self = .srt
    } else if first == "[script info]" {
      self = .ass
    } else {
      self = first.hasPrefix("<!doctype html") || first.hasPrefix("<html") ? .html : .plain
    }
  }

  /// Whether the paragraphs have times.
  public var isTimed: Bool { self == .srt || self == .vtt || self == .ass }
}

/// A text file that has been read.
///
///     let text = try TextFile("ep03.srt", encoding: nil) { false }
///     text.paragraphs.first?.start   // 12.4
public struct TextFile: Sendable {
  /// The limit on a text file's size in bytes.
  static let limit = 64 << 20

  public let path: String
  public let format: TextFormat
  public let paragraphs: [TextParagraph]
  /// The encoding that the file was read in.
  public let encoding: TextEncoding
  /// The language code that the file declares (`es`, `pt-BR`); nil when it declares none.
  public let language: String?

  /// Reads a file.
  /// - Parameters:
  ///   - path: `-` is standard input, whose format is detected by its beginning.
  ///   - encoding: nil to detect it.
  ///   - language: the code of the text's language, which determines the encoding of bytes that are not UTF-8.
  /// - Throws: `FileError`, `TextFileError`.
  public init(
    _ path: String, encoding: TextEncoding?, language usual: String? = nil, isInterrupted: @escaping () -> Bool
  ) throws {
    self.path = path
    let named = TextFormat(path: path)
    let legacy = usual.flatMap(TextEncoding.legacy(ofLanguage:))
    if named == .epub {
      format = named
      let book = try Book(path, legacy: legacy, isInterrupted: isInterrupted)
      paragraphs = try book.paragraphs().map(\.withoutLayout)
      (self.encoding, language) = (book.encoding, book.language)
    } else {
      let bytes = try ByteFile.given(path, .any, isInterrupted: isInterrupted).rest(limit: Self.limit)
      let (text, found) = try Self.decoded(bytes, path: path, as: encoding, legacy: legacy, isPage: named == .html)
      self.encoding = found
      format = path == "-" ? TextFormat(beginningOf: text) : named
      paragraphs = Self.paragraphs(of: text, format).map(\.withoutLayout)
      language = Self.language(of: text, format)
    }
    if paragraphs.isEmpty { throw TextFileError.empty(path: path) }
  }

  /// Reads the lines of a word list in any encoding.
  /// - Parameter language: the code of the words' language, which determines the encoding of bytes that are not UTF-8.
  /// - Throws: `FileError`, `TextFileError`.
  public static func lines(
    _ path: String, language: String? = nil, isInterrupted: @escaping () -> Bool
  ) throws -> [String] {
    let bytes = try ByteFile.given(path, .any, isInterrupted: isInterrupted).rest(limit: limit)
    let text = try decoded(bytes, path: path, as: nil, legacy: language.flatMap(TextEncoding.legacy(ofLanguage:))).text
    return text.split(whereSeparator: \.isNewline).map(String.init)
  }

  private static func paragraphs(of text: String, _ format: TextFormat) -> [TextParagraph] {
    switch format {
    case .plain: plainParagraphs(text)
    case .markdown: markdownParagraphs(text)
    case .html, .epub: MarkupText.paragraphs(Array(text.utf8)).map { TextParagraph($0) }
    case .srt, .vtt: SubtitleLines.joined(SubtitleLines.cues(text, format))
    case .ass: SubtitleLines.joined(SubtitleLines.scriptCues(text))
    }
  }

  /// Decodes a text. A byte order mark decides; otherwise it is UTF-8 if that is valid, or else in the encoding that a
  /// page names or that texts of its language had, or else in `legacy`, by default Windows-1252.
  static func decoded(
    _ bytes: [UInt8], path: String, as encoding: TextEncoding?, legacy: TextEncoding? = nil, isPage: Bool = false
  ) throws(TextFileError) -> (text: String, encoding: TextEncoding) {
    var encoding = encoding ?? .utf8
    var isFound = false
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      (encoding, isFound) = (.utf8, true)
    } else if TextEncoding.found(in: bytes.prefix(1 << 16)) == .utf16 {
      (encoding, isFound) = (.utf16, true)
    }
    if encoding == .utf8 {
      let content = bytes.withoutMark
      if let text = String(validating: content, as: UTF8.self) {
        if content.contains(0) { throw .damaged(path: path, reason: "it contains NUL bytes, so it is not text") }
        return (text, .utf8)
      }
      if isFound { throw .damaged(path: path, reason: "it has a UTF-8 byte order mark, but is not valid UTF-8") }
      let named = isPage ? TextEncoding.declared(by: bytes) ?? legacyEncoding(ofHTML: bytes) : nil
      encoding = named ?? legacy ?? .windows1252
    }
    var text: [UInt8] = []
    var transcoder = Transcoder(encoding, isBigEndian: TextEncoding.zeroParity(of: bytes.prefix(64)) == 0)
    transcoder.append(bytes[...], to: &text)
    transcoder.finish(&text)
    if text.contains(0) { throw .damaged(path: path, reason: "it contains NUL bytes, so it is not text") }
    return (String(decoding: text, as: UTF8.self), encoding)
  }

  /// Returns the language that a page declares in its `html` tag, or a WebVTT file in its header.
  private static func language(of text: String, _ format: TextFormat) -> String? {
    let head = text.utf8.prefix(4096)
    switch format {
    case .html: return language(ofHTML: Array(head)[...])
    case .vtt:
      let lines = String(decoding: head, as: UTF8.self)
        .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).prefix { !$0.isEmpty }
      let line = lines.first { $0.lowercased().hasPrefix("language:") }
      return line.map { String($0.dropFirst("language:".count).trimmingBlanks) }
    case .plain, .markdown, .epub, .srt, .ass: return nil
    }
  }

  private static func legacyEncoding(ofHTML html: [UInt8]) -> TextEncoding? {
    language(ofHTML: html.prefix(4096)).flatMap(TextEncoding.legacy(ofLanguage:))
  }

  private static func language(ofHTML html: ArraySlice<UInt8>) -> String? {
    var (tags, place) = (TagReading(), html.startIndex)
    while let start = html[place...].firstIndex(of: UInt8(ascii: "<")) {
      guard let (tag, end) = tags.tag(html, start) else {
        place = start + 1
        continue
      }
      if tag.name == "html" { return tag.attribute("lang") ?? tag.attribute("xml:lang") }
      place = end
    }
    return nil
  }

  /// Splits a text into paragraphs at blank lines.
  private static func plainParagraphs(_ text: String) -> [TextParagraph] {
    var (paragraphs, lines): ([TextParagraph], [Substring]) = ([], [])
    func finish() {
      if !lines.isEmpty { paragraphs.append(TextParagraph(lines.joined(separator: " "))) }
      lines = []
    }
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let line = line.trimmingBlanks
      if line.isEmpty { finish() } else { lines.append(line) }
    }
    finish()
    return paragraphs
  }

  /// Returns the paragraphs of Markdown without the marks of headings, lists and quotations; code and front matter are
  /// left out.
  private static func markdownParagraphs(_ text: String) -> [TextParagraph] {
    var (plain, isCode, wasQuoted) = ("", false, false)
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[...]
    if let first = lines.first, MarkdownLine(first) == .rule,
      let end = lines.dropFirst().firstIndex(where: { $0 == "..." || MarkdownLine($0) == .rule })
    {
      lines = lines[(end + 1)...]
    }
    for line in lines {
      let line = line.trimmingBlanks
      if line.hasPrefix("```") || line.hasPrefix("~~~") {
        isCode.toggle()
        continue
      }
      if isCode { continue }
      let isQuoted = line.hasPrefix(">")
      let inner = line.drop { "> ".contains($0) }
      let content = inner.drop { "#>*+-_=| ".contains($0) }
      // A heading or a list item is a paragraph of its own; the lines of a quotation go on.
      let isApart = content.startIndex != inner.startIndex || isQuoted && !wasQuoted
      wasQuoted = isQuoted
      plain += (isApart ? "\n" : "") + withoutLinks(content) + "\n" + (line.hasPrefix("#") ? "\n" : "")
    }
    return plainParagraphs(plain)
  }

  /// Replaces `[text](address)` by `text`, and removes marks of emphasis and code.
  private static func withoutLinks(_ line: Substring) -> String {
    var (text, depth, isTarget): (String, Int, Bool) = ("", 0, false)
    var previous: Character = " "
    for character in line {
      if isTarget {
        depth += character == "(" ? 1 : character == ")" ? -1 : 0
        isTarget = depth > 0
      } else if character == "(", previous == "]" {
        (isTarget, depth) = (true, 1)
      } else if !"[]*`".contains(character) {
        text.append(character)
      }
      previous = character
    }
    return text
  }
}

extension Substring {
  /// The text without whitespace at its ends.
  var trimmingBlanks: Substring {
    var text = drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}

extension String {
  /// The text without characters that only lay it out, since they would split its words: places for hyphens, places
  /// where a line does not break, and directions.
  var withoutLayout: String {
    func isLayout(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0xAD, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF: true
      default: false
      }
    }
    guard unicodeScalars.contains(where: isLayout) else { return self }
    var scalars = unicodeScalars
    scalars.removeAll(where: isLayout)
    return String(scalars)
  }
}
