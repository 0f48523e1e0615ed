// Reads an EPUB: its container names a package, whose spine names the chapters (EPUB 3.3, OCF, Packages).
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
  private let zip: ZipFile
  private var scan: TextScan
  /// The encoding of text that is not UTF-8 if neither it nor the package's language determines it.
  private let legacy: TextEncoding?
  private var inflated = 0
  /// The language in the package (`dc:language`); set when the paragraphs are read.
  private(set) var language: String?
  /// The encoding of a file that is not UTF-8, if there is one.
  private(set) var encoding = TextEncoding.utf8
  /// The members by their names in lower case.
  private let lowered: [String: String]

  /// What was left out or replaced.
  var losses: TextLosses { scan.losses }

  init(_ path: String, legacy: TextEncoding?, isInterrupted: @escaping () -> Bool) throws {
    (self.path, self.legacy, scan) = (path, legacy, TextScan(path, isInterrupted: isInterrupted))
    zip = try ZipFile.ofText(path, mostMembers: Self.mostMembers, isInterrupted: isInterrupted)
    lowered = Dictionary(zip.members.keys.map { ($0.lowercased(), $0) }, uniquingKeysWith: min)
  }

  /// Returns the paragraphs of all chapters, in the order of the book.
  func paragraphs() throws -> [TextParagraph] {
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
    var (paragraphs, spine): ([TextParagraph], [[String: String]]) = ([], package.all("itemref"))
    // Programs read the pages in the order of the manifest when the spine names none.
    if spine.isEmpty { spine = package.all("item").filter(Self.isPage).map { ["idref": $0["id"] ?? ""] } }
    for reference in spine {
      try scan.check()
      guard let name = chapter(reference["idref"] ?? "", items, in: folder) else { continue }
      if encrypted.contains(name) {
        throw TextFileError.refused(path: path, reason: "its chapters are encrypted (it is sold with copy protection)")
      }
      paragraphs += try MarkupText.paragraphs(try content(name), scan).map { TextParagraph($0) }
    }
    if paragraphs.isEmpty, let loss = losses.named.first {
      throw TextFileError.damaged(path: path, reason: "it contains no text: \(loss)")
    }
    return paragraphs
  }

  /// Returns the member of an item of the spine, or of its fallback that is a page. Names an item without one as left
  /// out.
  private func chapter(_ id: String, _ items: [String: [String: String]], in folder: String) -> String? {
    guard let first = items[id] else {
      scan.losses.add("the chapter \(quoted(id)) is left out: the book has no such item")
      return nil
    }
    var (item, seen): ([String: String], Set<String>) = (first, [id])
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
  private static func isPage(_ item: [String: String]) -> Bool {
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
    let references = XMLTags(try content("META-INF/encryption.xml")).all("CipherReference")
    return Set(references.compactMap { $0["URI"].flatMap { member($0, in: "") } })
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
      throw TextFileError.damaged(path: path, reason: "it is not an EPUB: \(name) is missing")
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
    let assumed = language.flatMap(TextEncoding.legacy(ofLanguage:)) ?? legacy
    var part = TextScan(path, isInterrupted: scan.isInterrupted)
    let (text, found) = try TextFile.decoded(bytes, &part, as: nil, legacy: assumed, isPage: true)
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
  private var tags: [(name: String, attributes: [String: String], end: Int)] = []

  init(_ xml: [UInt8]) {
    self.xml = xml
    var index = 0
    while let start = xml[index...].firstIndex(of: UInt8(ascii: "<")), tags.count < 200_000 {
      if let end = Self.endOfSkipped(xml[start...]) {
        index = end
        continue
      }
      let rest = xml[(start + 1)...]
      let isTag = rest.first.map { Unicode.Scalar($0).isLetter } ?? false
      guard let end = isTag ? Self.endOfTag(rest) : rest.firstIndex(of: UInt8(ascii: ">")) else { return }
      index = end + 1
      if isTag { add(String(decoding: xml[(start + 1)..<end], as: UTF8.self), end: index) }
    }
  }

  /// Returns the index of the `>` that closes a tag; one within quotes is part of an attribute.
  private static func endOfTag(_ rest: ArraySlice<UInt8>) -> Int? {
    var quote: UInt8?
    for index in rest.indices {
      let byte = rest[index]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return index
      }
    }
    return nil
  }

  /// Returns the end of a comment or a CDATA section that begins here; one that is never closed extends to the end.
  private static func endOfSkipped(_ rest: ArraySlice<UInt8>) -> Int? {
    let kinds: [(StaticString, StaticString)] = [("<!--", "-->"), ("<![CDATA[", "]]>")]
    guard let (opening, closing) = kinds.first(where: { rest.begins(with: $0.0) }) else { return nil }
    let end = rest.position(of: closing, from: rest.startIndex + opening.utf8CodeUnitCount)
    return end.map { $0 + closing.utf8CodeUnitCount } ?? rest.endIndex
  }

  private mutating func add(_ tag: String, end: Int) {
    let name = tag.prefix { !$0.isWhitespace && $0 != "/" }
    var attributes: [String: String] = [:]
    var rest = tag.dropFirst(name.count)
    while let equals = rest.firstIndex(of: "=") {
      let key = rest[..<equals].split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
      rest = rest[rest.index(after: equals)...].drop { $0.isWhitespace }
      guard let quote = rest.first else { break }
      let isQuoted = quote == "\"" || quote == "'"
      if isQuoted { rest = rest.dropFirst() }
      guard let end = isQuoted ? rest.firstIndex(of: quote) : rest.firstIndex(where: \.isWhitespace) ?? rest.endIndex
      else { break }
      var value = rest[..<end]
      // The slash of an empty element.
      if !isQuoted, end == rest.endIndex, value.last == "/" { value.removeLast() }
      // The values that a book is read by may have blanks around them.
      attributes[key] = Self.decoded(value).trimmed
      rest = rest[end...].dropFirst()
    }
    tags.append((String(name.split(separator: ":").last ?? name), attributes, end))
  }

  /// Decodes the references in the value of an attribute, or in the text of a cue.
  static func decoded(_ value: Substring) -> String {
    guard value.utf8.contains(UInt8(ascii: "&")) else { return String(value) }
    var (text, rest): ([UInt8], ArraySlice<UInt8>) = ([], Array(value.utf8)[...])
    while let byte = rest.first {
      if byte == UInt8(ascii: "&"), let (scalar, end) = HTMLEntities.webCharacter(rest, rest.startIndex) {
        text += Array(String(scalar).utf8)
        rest = rest[end...]
      } else {
        text.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  func all(_ name: String) -> [[String: String]] { tags.filter { $0.name == name }.map(\.attributes) }
  func first(_ name: String) -> [String: String]? { tags.first { $0.name == name }?.attributes }
  /// Returns the text between the first tag of a name and the next tag.
  func text(of name: String) -> String? {
    tags.first { $0.name == name }.map { tag in
      String(decoding: xml[tag.end...].prefix { $0 != UInt8(ascii: "<") }, as: UTF8.self).trimmed
    }
  }
}
