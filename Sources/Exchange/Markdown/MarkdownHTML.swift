// Converts Markdown to the HTML that Anki stores in fields. cmark-gfm parses it, with tables.
// Invariant: a text of one paragraph has no element around it, so that plain text stays plain; a line end within a
// paragraph becomes a space; the cost of a hostile text is bounded by its length and its depth.

import CMarkdown
import Files
import Templates
import Text

/// The HTML of a text.
///
///     MarkdownHTML("a **b** $c$").html   // a <b>b</b> \(c\)
package struct MarkdownHTML {
  /// The limit on a text in bytes. It is that of a row, so that everything that an export writes can be imported.
  static let limit = 1_000_000
  /// The limit in bytes for a text that may have link reference definitions.
  static let longestWithAddresses = 10_000
  static let deepest = 50
  static let mostCells = 50_000

  package private(set) var html = ""
  /// The pictures and sounds that the text names, by their names in the HTML, with their paths beside the file.
  private(set) var media: [(name: String, path: String)] = []

  private(set) var hasClozes = false

  /// - Parameters:
  ///   - isLine: whether the text is a single line, such as a heading, without lists or other blocks.
  ///   - marksClozes: whether `==` marks a cloze.
  package init(_ text: String, isLine: Bool = false, marksClozes: Bool = false) {
    if Self.isPlain(text) {
      html = FieldHTML.html(ofPlain: text)
      return
    }
    let source = Bytes((isLine ? "# " + text : MarkdownHTML.keepingNotes(text)).utf8)
    var spans = MarkdownSpans(source, marksClozes: marksClozes)
    let highest = marksClozes ? MarkdownCloze.highestNumber(in: source) : 0
    Self.parse(spans.text) { document in
      let pairs = MarkdownCloze.pairs(in: document, spans)
      spans.setClozes(pairs)
      hasClozes = highest > 0 || !pairs.isEmpty
      var writer = MarkdownElements(spans)
      writer.write(document)
      html = pairs.isEmpty ? writer.result.text : MarkdownCloze.written(writer.result, after: highest).text
      media = writer.media
    }
    for name in MediaNames.inHTML(html).sorted() where !media.contains(where: { $0.name == name }) {
      media.append((name, name))
    }
  }

  /// Returns the text with a backslash before each definition of a footnote that cmark would drop, because nothing
  /// refers to it or because it is another one of the same name.
  private static func keepingNotes(_ text: String) -> String {
    guard text.contains(text: "[^"), text.contains(text: "]:") else { return text }
    var (fence, seen) = (MarkdownFence(), Set<String>())
    let lowered = text.lowercased()
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let start = line.drop { $0 == " " }
      guard !fence.holds(line), line.count - start.count < 4, start.hasPrefix("[^"),
        let end = start.firstIndex(of: "]"),
        start[end...].hasPrefix("]:")
      else { return String(line) }
      let name = start[...end].lowercased()
      let isUsed = lowered.split(at: name).count > lowered.split(at: name + ":").count
      return isUsed && seen.insert(name).inserted ? String(line) : "\\" + start
    }.joined(separator: "\n")
  }

  /// Returns why a text is refused; nil when it is valid.
  package static func invalidReason(_ text: String) -> String? {
    if text.utf8.count > limit { return "a text in Markdown has at most \(grouped(limit)) bytes" }
    // cmark would replace it by another character.
    if text.utf8.contains(0) { return "the text contains a NUL character" }
    let lines = text.utf8.split(separator: 0x0A)
    if lines.contains(where: { depth($0) > deepest }) {
      return "lists and quotes can be nested at most \(deepest) deep"
    }
    // cmark pads each row of a table to the full width, and copies the address of a definition to each link that uses
    // it.
    if (lines.map(cells).max() ?? 0) * lines.count > mostCells {
      return "a table has at most \(grouped(mostCells)) cells"
    }
    if text.utf8.count > longestWithAddresses, text.contains(text: "]:") {
      return "a text with link definitions has at most \(grouped(longestWithAddresses)) bytes"
    }
    return nil
  }

  /// Returns the number of cells per row of a table whose delimiter row this line is; 0 for any other line.
  private static func cells(_ line: Substring.UTF8View) -> Int {
    guard line.allSatisfy({ "|:-> \t\r".utf8.contains($0) }) else { return 0 }
    return line.count { $0 == UInt8(ascii: "|") } + 1
  }

  /// Counts the quote and list markers at the beginning of a line. A list marker is followed by whitespace or nothing.
  private static func depth(_ line: Substring.UTF8View) -> Int {
    var (depth, before) = (0, UInt8(0x20))
    var index = line.startIndex
    while index < line.endIndex {
      let byte = line[index]
      line.formIndex(after: &index)
      let isBeforeBlank = index == line.endIndex || " \t\r".utf8.contains(line[index])
      switch byte {
      case UInt8(ascii: ">"): depth += 1
      case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"):
        if !isBeforeBlank { return depth }
        depth += 1
      case UInt8(ascii: "."), UInt8(ascii: ")"):
        if !isBeforeBlank || !(0x30...0x39).contains(before) { return depth }
        depth += 1
      case 0x20, 0x09, 0x0D, 0x30...0x39: break
      default: return depth
      }
      before = byte
    }
    // A line of `-` and `*` alone is a rule.
    return line.allSatisfy { "-* \t".utf8.contains($0) } ? 0 : depth
  }

  /// Whether a text has only characters without a meaning in Markdown.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last, first > 0x40 || first == 0x27, last != 0x20 else {
      return text.isEmpty
    }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      case 0x20, 0x27, 0x28, 0x29, 0x2C, 0x2E, 0x2F, 0x3A, 0x3B, 0x3F: true
      default: byte >= 0x80 && byte != 0xEF
      }
    }
  }

  private static let isReady: Bool = {
    cmark_gfm_core_extensions_ensure_registered()
    return true
  }()

  private static func parse(_ text: Bytes, _ body: (OpaquePointer) -> Void) {
    guard isReady, let parser = cmark_parser_new(CMARK_OPT_UNSAFE | CMARK_OPT_FOOTNOTES) else { return }
    defer { cmark_parser_free(parser) }
    if let tables = cmark_find_syntax_extension("table") { cmark_parser_attach_syntax_extension(parser, tables) }
    text.withUnsafeBytes { bytes in
      cmark_parser_feed(parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    guard let document = cmark_parser_finish(parser) else { return }
    defer { cmark_node_free(document) }
    body(document)
  }
}

struct MarkdownMedia {
  let name: String
  let path: String
  private static let sounds = [".mp3", ".ogg", ".oga", ".opus", ".wav", ".m4a", ".flac", ".aac", ".mp4", ".webm"]

  /// - Parameter address: the address in Markdown. The result is nil for a URL, an absolute path, and an invalid name.
  init?(_ address: String) {
    let start = address.utf8.prefix { $0 != UInt8(ascii: "/") }
    if address.isEmpty || address.hasPrefix("/") || start.contains(UInt8(ascii: ":")) { return nil }
    let decoded = MediaNames.decoded(address)
    do throws(NoteError) {
      name = try MediaNames.checked(lastPart(of: decoded))
    } catch { return nil }
    path = decoded
  }

  var isSound: Bool { Self.sounds.contains { name.lowercased().hasSuffix($0) } }

  var isPicture: Bool {
    [".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif"].contains { name.lowercased().hasSuffix($0) }
  }

  /// The HTML that plays or shows it.
  var html: String { isSound ? "[sound:\(name)]" : "<img src=\"\(FieldHTML.html(ofPlain: name))\">" }

  /// Finds a file.
  /// - Parameters:
  ///   - path: the path in the text.
  ///   - place: the text's folder relative to `folder`, such as `verbs`; empty for `folder` itself.
  ///   - folder: the folder outside of which nothing is read.
  /// - Returns: the path relative to `folder`; nil when it is not a plain, visible file.
  static func file(_ path: String, from place: String, in folder: String) throws -> String? {
    var parts = place.split(separator: "/").map(String.init)
    for part in path.split(separator: "/") where part != "." {
      if part != ".." {
        if part.utf8.first == UInt8(ascii: ".") { return nil }
        parts.append(String(part))
      } else if parts.popLast() == nil {
        return nil
      }
    }
    var reached = folder
    for (index, part) in parts.enumerated() {
      reached += "/" + part
      let isLast = index == parts.count - 1
      guard let found = try FileFacts.at(reached, followingLinks: false), found.kind == (isLast ? .file : .folder)
      else { return nil }
    }
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }
}
