// Reads a text in a ZIP file: an EPUB, whose container names a package, whose spine names the chapters (EPUB 3.3, OCF,
// Packages); a document of Word (.docx) or OpenDocument (.odt).
// Invariant: only members of the file are read, at most 10,000 of them, 64 MiB each and 256 MiB in all, counted as
// they are inflated. Each item of the spine is read or named as left out.

import Files
import Templates
import Text

final class Book {
  private static let mostMembers = 10_000
  private static let mostOfOne = 64 << 20
  private static let mostOfAll = 256 << 20

  private let path: String
  private let given: String?
  private let zip: ZipFile
  private var scan: TextScan
  /// The encoding of text that is not UTF-8 if neither it nor its language determines it.
  private let usual: TextEncoding?
  private var inflated = 0
  /// The language in the package (`dc:language`), and the format; set when the paragraphs are read.
  private(set) var language: String?
  private(set) var format = TextFormat.epub
  private(set) var encoding = TextEncoding.utf8
  private let lowered: [String: String]

  var losses: TextLosses { scan.losses }

  init(
    _ path: String, language: String?, usual: TextEncoding?, isInterrupted: @escaping () -> Bool
  ) throws {
    (self.path, given, self.usual) = (path, language, usual)
    scan = TextScan(path: path, isInterrupted: isInterrupted)
    zip = try ZipFile.ofText(path, mostMembers: Self.mostMembers, isInterrupted: isInterrupted)
    lowered = Dictionary(zip.members.keys.map { ($0.lowercased(), $0) }, uniquingKeysWith: min)
  }

  func paragraphs() throws -> [TextParagraph] {
    if let document = try documentParagraphs() { return document }
    let container = XMLTags(try content("META-INF/container.xml"))
    guard let root = container.first("rootfile")?["full-path"] else {
      throw TextFileError.damaged(path: path, reason: "it is not an EPUB: META-INF/container.xml names no package")
    }
    let name = member(root, in: "") ?? root
    let package = XMLTags(try content(name))
    language = package.text(of: "language")
    let folder = name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
    let items = Dictionary(
      package.all("item").compactMap { item in item["id"].map { ($0, item) } }, uniquingKeysWith: { $1 })
    let encrypted = try encryptedMembers()
    var (paragraphs, spine) = ([TextParagraph](), package.all("itemref").map { $0["idref"] ?? "" })
    // Programs read the pages in the order of the manifest when the spine names none.
    if spine.isEmpty { spine = package.all("item").filter(Self.isPage).map { $0["id"] ?? "" } }
    for id in spine {
      try scan.check()
      guard let name = chapter(id, items, in: folder) else { continue }
      if encrypted.contains(name) {
        throw TextFileError.refused(path: path, reason: "its chapters are encrypted (it is sold with copy protection)")
      }
      paragraphs += try MarkupText.paragraphs(try content(name), scan)
    }
    if paragraphs.isEmpty, let loss = losses.named.first {
      throw TextFileError.damaged(path: path, reason: "it contains no text: \(loss)")
    }
    return paragraphs
  }

  /// Returns the paragraphs of a document, the notes of Word at the end; nil for a book.
  private func documentParagraphs() throws -> [TextParagraph]? {
    func members(_ names: [String]) -> [String] {
      names.compactMap { name in zip.members.keys.filter { $0.hasPrefix(name) && $0.hasSuffix(".xml") }.min() }
    }
    if zip.members["META-INF/container.xml"] != nil { return nil }
    format = zip.members["content.xml"] != nil ? .odt : .docx
    let parts = members(format == .odt ? ["content.xml"] : ["word/document", "word/footnotes", "word/endnotes"])
    if parts.isEmpty { return nil }
    for name in members(["META-INF/manifest.xml"]) where XMLTags(try content(name)).first("encryption-data") != nil {
      throw TextFileError.refused(path: path, reason: "it is encrypted; save it without a password")
    }
    language = try members(["meta.xml", "docProps/core"]).first.flatMap {
      XMLTags(try content($0)).text(of: "language")
    }
    return try parts.flatMap { try MarkupText.paragraphs(content($0), scan, isDocument: true) }
  }

  /// Returns the member of an item of the spine, or of its fallback that is a page. Names an item without one as left
  /// out.
  private func chapter(_ id: String, _ items: [String: HTMLTag], in folder: String) -> String? {
    guard let first = items[id] else {
      scan.losses.add("the chapter \(quoted(id)) is left out: the book has no such item")
      return nil
    }
    var (item, seen): (HTMLTag, Set<String>) = (first, [id])
    while !Self.isPage(item), let next = item["fallback"], seen.insert(next).inserted, let other = items[next] {
      item = other
    }
    let place = item["href"] ?? ""
    guard Self.isPage(item) else {
      let type = first["media-type"] ?? "no type"
      scan.losses.add("the chapter \(quoted(first["href"] ?? id)) is left out: it is no page (\(printable(type)))")
      return nil
    }
    let name = member(place, in: folder)
    if name == nil { scan.losses.add("the chapter \(quoted(place)) is left out: the book lacks that file") }
    return name
  }

  /// Whether an item of the manifest is a page, by its type or by the name of its file.
  private static func isPage(_ item: HTMLTag) -> Bool {
    let type = (item["media-type"] ?? "").prefix { $0 != ";" }.lowercased().trimmed
    let pages = [
      "application/xhtml+xml", "text/html", "text/xhtml", "application/xml", "text/xml", "text/x-oeb1-document",
    ]
    if pages.contains(type) { return true }
    let name = (item["href"] ?? "").prefix { $0 != "#" && $0 != "?" }.lowercased()
    let isNamed = [".xhtml", ".html", ".htm", ".xht", ".xml"].contains { name.hasSuffix($0) }
    return isNamed && !["image/", "audio/", "video/", "font/"].contains { type.hasPrefix($0) }
  }

  /// Returns the members that `META-INF/encryption.xml` names; often they are fonts.
  private func encryptedMembers() throws -> Set<String> {
    guard zip.members["META-INF/encryption.xml"] != nil else { return [] }
    let references = XMLTags(try content("META-INF/encryption.xml")).all("cipherreference")
    return Set(references.compactMap { $0["uri"].flatMap { member($0, in: "") } })
  }

  /// Returns the member that a reference leads to: with or without percent signs decoded, its query removed, and in
  /// another case if there is no other way.
  private func member(_ reference: String, in folder: String) -> String? {
    let plain = String(reference.prefix { $0 != "#" }).replacing(text: "\\", with: "/")
    let decoded = String(decoding: percentDecoded(plain.utf8), as: UTF8.self)
    let names = [decoded, plain].flatMap { name in [name, String(name.prefix { $0 != "?" })] }
      .map { Self.resolved($0, in: $0.hasPrefix("/") ? "" : folder) }
    return names.first { zip.members[$0] != nil } ?? names.lazy.compactMap { self.lowered[$0.lowercased()] }.first
  }

  /// Resolves `..` in a reference. It never leads out of the file.
  private static func resolved(_ reference: String, in folder: String) -> String {
    var parts: [String] = folder.split(separator: "/").map(String.init)
    for part in reference.split(separator: "/") {
      switch part {
      case "..": _ = parts.popLast()
      case ".": break
      default: parts.append(String(part))
      }
    }
    return parts.joined(separator: "/")
  }

  private func content(_ name: String) throws -> [UInt8] {
    guard let member = zip.members[name] else {
      throw TextFileError.damaged(path: path, reason: "it is not an EPUB, .docx or .odt: \(name) is missing")
    }
    var bytes: [UInt8] = []
    do {
      try zip.read(member) { piece in
        inflated += piece.count
        guard bytes.count + piece.count <= Self.mostOfOne, inflated <= Self.mostOfAll else {
          throw TextFileError.refused(path: path, reason: "it contains more text than the limit for a book")
        }
        bytes += piece
      }
    } catch let error as PackageError {
      throw TextFileError(error, path)
    }
    // Chapters in another encoding are rare, and should have a byte order mark or name it.
    var part = TextScan(path: path, isInterrupted: scan.isInterrupted)
    let (text, found) = try TextFile.decoded(
      bytes, &part, as: nil, language: language ?? given, usual: usual, isPage: true)
    if found != .utf8 { encoding = found }
    for loss in part.losses.messages { scan.losses.add("\(quoted(name)): \(loss)") }
    return Array(text.utf8)
  }
}

extension ZipFile {
  /// Opens a book or a dictionary.
  /// - Throws: `FileError`, `TextFileError`.
  static func ofText(_ path: String, mostMembers: Int, isInterrupted: @escaping () -> Bool) throws -> ZipFile {
    // Opening the file first produces the usual error messages for a missing or unreadable file.
    _ = try ByteFile(path, isInterrupted: isInterrupted)
    let zip: ZipFile
    do throws(PackageError) { zip = try ZipFile(path, named: path, holdsFolders: true) } catch {
      throw TextFileError(error, path)
    }
    guard zip.members.count <= mostMembers else {
      throw TextFileError.refused(path: path, reason: "it contains more than \(grouped(mostMembers)) files")
    }
    return zip
  }
}

/// The opening tags of an XML document, by name without prefix. Comments, CDATA and declarations are skipped.
struct XMLTags {
  private let xml: [UInt8]
  private var tags: [(name: String, tag: HTMLTag, end: Int)] = []

  init(_ xml: [UInt8]) {
    self.xml = xml
    var reader = HTMLReader(xml[...], isDocument: true) { _ in false }
    while let part = reader.next(), tags.count < 200_000 {
      guard case .tag(let tag) = part, !tag.isClosing else { continue }
      tags.append((String(tag.name.split(separator: ":").last ?? ""), tag, reader.index))
    }
  }

  func all(_ name: String) -> [HTMLTag] { tags.filter { $0.name == name }.map(\.tag) }
  func first(_ name: String) -> HTMLTag? { tags.first { $0.name == name }?.tag }
  /// Returns the text between the first tag of a name and the next tag.
  func text(of name: String) -> String? {
    tags.first { $0.name == name }.map { tag in
      String(decoding: xml[tag.end...].prefix { $0 != UInt8(ascii: "<") }, as: UTF8.self).trimmed
    }
  }
}

extension HTMLTag {
  /// The value of an attribute. The values that a book is read by may have blanks around them.
  subscript(name: StaticString) -> String? { attribute(name).map { HTMLEntities.decoded($0).trimmed } }
}
