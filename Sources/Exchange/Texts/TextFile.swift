// Reads a text in any supported format as paragraphs, with times for subtitles.
// Invariant: the output is valid text; a file of more than 64 MiB is refused; nothing in it is executed or fetched.

import Files
public import Problems
import Templates
import Text

public struct TextParagraph: Equatable, Sendable {
  public var text: String
  /// For subtitles: seconds from the beginning.
  public var start: Double?
  public var end: Double?
  /// Whether the file marks it as a heading.
  public var isHeading: Bool

  public init(_ text: String, start: Double? = nil, end: Double? = nil, isHeading: Bool = false) {
    (self.text, self.start, self.end, self.isHeading) = (text, start, end, isHeading)
  }

  /// Whether it is a short line without an end mark that is in capitals or ends with a number, such as `Chapter IV`.
  public var looksLikeHeading: Bool {
    guard text.utf8.count <= 120, text.last == "." || text.endsSentence == false else { return false }
    let last = text.split(separator: " ").last ?? ""
    return text.hasPrefix("第") || text.allSatisfy { !$0.isLetter || $0.isUppercase }
      || last.allSatisfy { $0.isNumber || "IVXLCDM".contains($0) }
  }
}

public enum TextFormat: String, CaseIterable, Sendable {
  case plain = "txt", markdown = "md", html, epub, docx, odt, pdf, srt, vtt, ass, conllu

  /// `.txt, .md, … or .conllu`.
  public static let endings = allCases.map { "." + $0.rawValue }.asChoice

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
    let lines = text.split(maxSplits: 2, whereSeparator: \.isNewline).map(\.trimmed)
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

  public var isTimed: Bool { self == .srt || self == .vtt || self == .ass }
}

/// A text file that has been read.
///
///     let text = try TextFile("ep03.srt", encoding: nil) { false }
///     text.paragraphs.first?.start   // 12.4
public struct TextFile: Sendable {
  static let limit = 64 << 20
  /// The limit on the size of a paragraph in bytes; a longer one is divided.
  static let longest = 1 << 20

  public let path: String
  public let format: TextFormat
  public let paragraphs: [TextParagraph]
  public let encoding: TextEncoding
  /// The language code that the file declares (`es`, `pt-BR`); nil when it declares none.
  public let language: String?
  public let losses: TextLosses
  /// The file's own analysis of its text, in CoNLL-U; nil for any other format.
  public let analysis: String?

  /// Reads a file.
  /// - Parameters:
  ///   - path: `-` is standard input, whose format is detected by its beginning.
  ///   - encoding: nil to detect it.
  ///   - code: the code of the text's language, which determines the encoding of bytes that are not UTF-8; nil if it
  ///     is not known.
  ///   - usual: the code of the language that a text usually has.
  ///   - pages: of a PDF, what `pdftotext -bbox-layout` writes of it.
  /// - Throws: `FileError`, `TextFileError`.
  public init(
    _ path: String, encoding: TextEncoding?, language code: String? = nil, usual: String? = nil,
    pages: [UInt8]? = nil, isInterrupted: @escaping () -> Bool
  ) throws {
    self.path = path
    var scan = TextScan(path: path, isInterrupted: isInterrupted)
    let legacy = usual.flatMap(TextEncoding.legacy(ofLanguage:))
    let named = TextFormat(path: path)
    let isPacked = [.epub, .docx, .odt].contains(named)
    let bytes =
      try pages
      ?? (isPacked ? [] : ByteFile.given(path, .any, isInterrupted: isInterrupted).rest(limit: Self.limit))
    if pages != nil {
      (format, self.encoding, language, analysis) = (.pdf, .utf8, nil, nil)
      paragraphs = try PrintedPages.paragraphs(bytes, &scan).map { TextParagraph($0) }
    } else if isPacked || FileSignature.isBook(bytes) {
      let book = try Book(path, language: code, usual: encoding ?? legacy, isInterrupted: isInterrupted)
      paragraphs = try book.paragraphs()
      (format, self.encoding, language) = (book.format, book.encoding, book.language)
      (scan.losses, analysis) = (book.losses, nil)
    } else {
      let text: String
      if let name = FileSignature.name(of: bytes) { throw Self.refused(name, scan) }
      (text, self.encoding) = try Self.decoded(
        bytes, &scan, as: encoding, language: code, usual: legacy, isPage: named == .html)
      if FileSignature.json(text) != nil { throw Self.refused("JSON", scan) }
      let found = TextFormat(beginningOf: String(text.prefix(1 << 10)))
      format = path == "-" || (named.isTimed && (found == .vtt || found == .ass)) ? found : named
      paragraphs =
        switch format {
        case .plain, .docx, .odt, .pdf: try Self.plainParagraphs(text, scan)
        case .markdown: try Self.markdownParagraphs(text, scan)
        case .html, .epub: try MarkupText.paragraphs(Array(text.utf8), scan)
        case .srt, .vtt, .ass: try SubtitleLines.paragraphs(text, format, &scan)
        case .conllu: try Self.analysedParagraphs(text, scan).map { TextParagraph($0) }
        }
      (language, analysis) = (Self.language(of: text, format), format == .conllu ? text : nil)
    }
    losses = scan.losses
    if paragraphs.isEmpty { throw TextFileError.empty(path: path) }
  }

  /// Reads the lines of a word list in any encoding.
  /// - Throws: `FileError`, `TextFileError`.
  public static func lines(_ path: String, isInterrupted: @escaping () -> Bool) throws -> [String] {
    var scan = TextScan(path: path, isInterrupted: isInterrupted)
    let bytes = try ByteFile.given(path, .any, isInterrupted: isInterrupted).rest(limit: limit)
    var (lines, found) = (scan.lines(try decoded(bytes, &scan, as: nil).text), [String]())
    while let line = try lines.next() { if !line.isEmpty { found.append(line) } }
    return found
  }

  private static func refused(_ name: String, _ scan: TextScan) -> TextFileError {
    .refused(path: scan.path, reason: "it is \(name), not a text; a \(TextFormat.endings) file expected")
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
      return line.map { $0.dropFirst("language:".count).trimmed }
    case .plain, .markdown, .epub, .docx, .odt, .pdf, .srt, .ass, .conllu: return nil
    }
  }

  static func language(ofHTML html: ArraySlice<UInt8>) -> String? {
    let tag = XMLTags(Array(html)).first("html")
    return tag?.attribute("lang") ?? tag?.attribute("xml:lang")
  }

  private static func plainParagraphs(_ text: String, _ scan: TextScan) throws -> [TextParagraph] {
    var (paragraphs, lines, length): ([TextParagraph], [String], Int) = ([], [], 0)
    func finish() {
      if !lines.isEmpty { paragraphs.append(TextParagraph(lines.joined(separator: " "))) }
      (lines, length) = ([], 0)
    }
    var all = scan.lines(text)
    while let line = try all.next() {
      let line = line.trimmed
      if line.isEmpty || length > longest { finish() }
      if !line.isEmpty { lines.append(line) }
      length += line.utf8.count
    }
    finish()
    return paragraphs
  }

  /// Returns the text of CoNLL-U: the paragraphs that it marks, or else one for each sentence.
  private static func analysedParagraphs(_ text: String, _ scan: TextScan) throws -> [String] {
    let isDivided = text.hasPrefix("# new") || text.contains(text: "\n# new")
    var (paragraphs, begins, gap): ([String], Bool, String) = ([], true, "")
    var (sentence, given, last): (String, String?, Int) = ("", nil, 0)
    var lines = scan.lines(text + "\n\n")
    while let line = try lines.next() {
      if line.hasPrefix("# text =") {
        given = String(line.dropFirst(8))
      } else if line.hasPrefix("# new") {
        begins = true
      } else if line.isEmpty {
        let words = (given ?? sentence).trimmed
        if !words.isEmpty {
          if begins || !isDivided { paragraphs.append("") }
          paragraphs[paragraphs.count - 1] += (begins || !isDivided ? "" : gap) + words
          (begins, gap) = (false, sentence.hasSuffix(" ") ? " " : "")
        }
        (sentence, given, last) = ("", nil, 0)
      } else {
        let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
        let ids = cells[0].split(separator: "-").compactMap { Int($0) }
        // The words of a range are in it already.
        guard cells.count > 1, let first = ids.first, first > last else { continue }
        last = ids.last ?? first
        sentence += cells[1] + (cells.last?.contains(text: "SpaceAfter=No") == true ? "" : " ")
      }
    }
    return paragraphs
  }

  /// Returns the paragraphs of Markdown without the marks of headings, lists and quotations; code and front matter are
  /// left out.
  private static func markdownParagraphs(_ text: String, _ scan: TextScan) throws -> [TextParagraph] {
    var (plain, isCode, wasQuoted) = ("", false, false)
    var (all, found) = (scan.lines(text), [Substring]())
    while let line = try all.next() { found.append(line[...]) }
    var lines = found[...]
    if let first = lines.first, MarkdownLine(first) == .rule,
      let end = lines.dropFirst().firstIndex(where: { $0 == "..." || MarkdownLine($0) == .rule })
    {
      lines = lines[(end + 1)...]
    }
    for (number, line) in lines.enumerated() {
      if number & 0xFF == 0 { try scan.check() }
      let line = line.trimmed[...]
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
      // A mark that no other line still has.
      let (mark, end) = line.hasPrefix("#") ? ("# ", "\n") : ("", "")
      plain += (isApart ? "\n" : "") + mark + withoutLinks(content) + "\n" + end
    }
    return try plainParagraphs(plain, scan).filter { $0.text != "#" }.map { paragraph in
      guard paragraph.text.hasPrefix("# ") else { return paragraph }
      return TextParagraph(String(paragraph.text.dropFirst(2)), isHeading: true)
    }
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

extension String {
  /// The text without characters that only lay it out, since they would split its words and hide what a line begins
  /// with: places for hyphens, places where a line does or does not break, and directions.
  var withoutLayout: String {
    func mayBeLayout(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0xAD, 0x61C, 0x200B, 0x200E...0x200F, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF: true
      default: false
      }
    }
    if utf8.allSatisfy({ $0 < 0x80 }) || !unicodeScalars.contains(where: mayBeLayout) { return self }
    var (kept, last): (UnicodeScalarView, UInt32) = ("".unicodeScalars, 0)
    for scalar in unicodeScalars {
      // Thai, Lao, Burmese and Khmer write it between words.
      let isWordBreak = scalar == "\u{200B}" && ((0xE00..<0x10A0).contains(last) || (0x1780..<0x1800).contains(last))
      if isWordBreak || !mayBeLayout(scalar) { kept.append(scalar) }
      last = scalar.value
    }
    return String(kept)
  }
}

/// Why a text cannot be read.
///
///     TextFileError.refused(path: "a.epub", reason: "it is encrypted").message
public enum TextFileError: Problem, Equatable {
  /// The file does not have the format that its name says, or is truncated. `reason` is a clause with `it`.
  case damaged(path: String, reason: String)
  /// It contains something unsupported, or more than the limits allow.
  case refused(path: String, reason: String)
  /// Reading it needs something that is not installed: its name and its Debian package.
  case missing(path: String, needed: String, package: String)
  case empty(path: String)

  public var report: ProblemReport {
    switch self {
    case .damaged(let path, let reason):
      ProblemReport(
        .badFile, "The text cannot be read", "\(quoted(path)) cannot be read: \(printable(reason))", ["path": path])
    case .refused(let path, let reason):
      ProblemReport(
        .fileRefused, "The text is refused", "\(quoted(path)) is refused: \(printable(reason))", ["path": path])
    case .missing(let path, let needed, let package):
      ProblemReport(
        .notHere, "The text cannot be read here",
        "reading \(quoted(path)) needs \(needed); install Debian's \(package)", ["path": path])
    case .empty(let path):
      ProblemReport(.badFile, "No text", "\(quoted(path)) contains no text", ["path": path])
    }
  }

  /// Converts an error of a ZIP file that is not an Anki package.
  init(_ error: PackageError, _ path: String) {
    self =
      switch error {
      case .noLibrary: .missing(path: path, needed: "libzip", package: "libzip4 or libzip5")
      case .notAPackage(_, let reason): .damaged(path: path, reason: "it \(reason)")
      case .refused(_, let place, let reason): .refused(path: path, reason: "\(place) \(reason)")
      case .damaged(_, let place, let reason): .damaged(path: path, reason: "\(place) \(reason)")
      case .newer, .interrupted: .damaged(path: path, reason: "it does not have the format that its name says")
      }
  }
}
