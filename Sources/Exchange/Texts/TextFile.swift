// Reads a text of any kind that is known: paragraphs, with their times where it is a subtitle file. Invariant: what
// comes out is well-formed; a file of more than 64 MiB is refused; nothing of it is run or fetched.

import Files
import Text

/// A part of a text that sentences do not cross.
public struct TextParagraph: Equatable, Sendable {
  public var text: String
  /// Seconds from the beginning, of a subtitle.
  public var start: Double?
  public var end: Double?

  public init(_ text: String, start: Double? = nil, end: Double? = nil) {
    (self.text, self.start, self.end) = (text, start, end)
  }
}

/// The kinds of texts, by the endings of their names.
public enum TextFormat: String, CaseIterable, Sendable {
  case plain = "txt"
  case markdown = "md"
  case html, epub, srt, vtt, ass

  /// The kind of a file by its name; what has no known ending is plain.
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

  /// The kind of a text that has no name, by how it begins; what begins as no other kind is plain.
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

  /// Whether its paragraphs have times.
  public var isTimed: Bool { self == .srt || self == .vtt || self == .ass }
}

/// A text that was read.
///
///     let text = try TextFile("ep03.srt", encoding: nil) { false }
///     text.paragraphs.first?.start   // 12.4
public struct TextFile: Sendable {
  /// Bytes that a text file may have.
  static let limit = 64 << 20

  public let path: String
  public let format: TextFormat
  public let paragraphs: [TextParagraph]
  /// What the file was read as.
  public let encoding: TextEncoding
  /// The language that the file says it is in, as a code (`es`, `pt-BR`); nil where it says nothing.
  public let language: String?

  /// - Parameters:
  ///   - path: `-` is standard input, whose kind is found by how it begins.
  ///   - encoding: nil where it is to be found.
  /// - Throws: `FileError`, `TextFileError`.
  public init(_ path: String, encoding: TextEncoding?, isInterrupted: @escaping () -> Bool) throws {
    self.path = path
    let named = TextFormat(path: path)
    if named == .epub {
      format = named
      let book = try Book(path, isInterrupted: isInterrupted)
      paragraphs = try book.paragraphs()
      (self.encoding, language) = (.utf8, book.language)
    } else {
      let bytes = try ByteFile.given(path, .any, isInterrupted: isInterrupted).rest(limit: Self.limit)
      let (text, found) = try Self.decoded(bytes, path: path, as: encoding)
      self.encoding = found
      format = path == "-" ? TextFormat(beginningOf: text) : named
      paragraphs = Self.paragraphs(of: text, format)
      language = Self.language(of: text, format)
    }
    if paragraphs.isEmpty { throw TextFileError.empty(path: path) }
  }

  /// The lines of a list of words, whatever its encoding.
  /// - Throws: `FileError`, `TextFileError`.
  public static func lines(_ path: String, isInterrupted: @escaping () -> Bool) throws -> [String] {
    let bytes = try ByteFile.given(path, .any, isInterrupted: isInterrupted).rest(limit: limit)
    return try decoded(bytes, path: path, as: nil).text.split(whereSeparator: \.isNewline).map(String.init)
  }

  private static func paragraphs(of text: String, _ format: TextFormat) -> [TextParagraph] {
    switch format {
    case .plain: plainParagraphs(text)
    case .markdown: markdownParagraphs(text)
    case .html, .epub: MarkupText.paragraphs(Array(text.utf8)).map { TextParagraph($0) }
    case .srt, .vtt: SubtitleLines.joined(SubtitleLines.cues(text))
    case .ass: SubtitleLines.joined(SubtitleLines.scriptCues(text))
    }
  }

  /// A mark at the beginning decides, then whether it is UTF-8; what is neither is Windows-1252.
  static func decoded(
    _ bytes: [UInt8], path: String, as encoding: TextEncoding?
  ) throws(TextFileError) -> (text: String, encoding: TextEncoding) {
    var encoding = encoding ?? .utf8
    var isFound = false
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      (encoding, isFound) = (.utf8, true)
    } else if TextEncoding.found(in: bytes.prefix(1 << 16)) == .utf16 {
      (encoding, isFound) = (.utf16, true)
    }
    if encoding == .utf8 {
      let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
      if let text = String(validating: content, as: UTF8.self) {
        if content.contains(0) { throw .damaged(path: path, reason: "it contains NUL bytes, so it is not text") }
        return (text, .utf8)
      }
      if isFound { throw .damaged(path: path, reason: "it has a UTF-8 byte order mark, but is not valid UTF-8") }
      encoding = .windows1252
    }
    var text: [UInt8] = []
    var transcoder = Transcoder(encoding, isBigEndian: TextEncoding.zeroParity(of: bytes.prefix(64)) == 0)
    transcoder.append(bytes[...], to: &text)
    transcoder.finish(&text)
    if text.contains(0) { throw .damaged(path: path, reason: "it contains NUL bytes, so it is not text") }
    return (String(decoding: text, as: UTF8.self), encoding)
  }

  /// What a page says in its first tag, and a WebVTT file in its head.
  private static func language(of text: String, _ format: TextFormat) -> String? {
    let head = text.utf8.prefix(4096)
    switch format {
    case .html: return XMLTags(Array(head)).first("html").flatMap { $0["lang"] ?? $0["xml:lang"] }
    case .vtt:
      let lines = String(decoding: head, as: UTF8.self)
        .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).prefix { !$0.isEmpty }
      let line = lines.first { $0.lowercased().hasPrefix("language:") }
      return line.map { String($0.dropFirst("language:".count).trimmingBlanks) }
    case .plain, .markdown, .epub, .srt, .ass: return nil
    }
  }

  /// Lines until a blank one are a paragraph.
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

  /// The paragraphs of Markdown without marks of headings, lists and quotations; code is left out.
  private static func markdownParagraphs(_ text: String) -> [TextParagraph] {
    var (plain, isCode) = ("", false)
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let line = line.trimmingBlanks
      if line.hasPrefix("```") || line.hasPrefix("~~~") {
        isCode.toggle()
        continue
      }
      if isCode { continue }
      let content = line.drop { "#>*+-_=| ".contains($0) }
      // A heading or a point of a list is a paragraph of its own.
      let isApart = content.startIndex != line.startIndex
      plain += (isApart ? "\n" : "") + withoutLinks(content) + "\n" + (line.hasPrefix("#") ? "\n" : "")
    }
    return plainParagraphs(plain)
  }

  /// `text` for `[text](address)`, and without marks of emphasis and code.
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
  /// Without blanks at its ends.
  fileprivate var trimmingBlanks: Substring {
    var text = drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
