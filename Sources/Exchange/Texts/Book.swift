// Reads an EPUB: its container names a package, whose spine names the chapters (EPUB 3.3, OCF, Packages).
// Invariant: only members of the file are read, at most 10,000 of them, 64 MiB each and 256 MiB in all, counted as
// they are inflated.

import Files
import Templates
import Text

final class Book {
  private static let mostMembers = 10_000
  private static let mostOfOne = 64 << 20
  private static let mostOfAll = 256 << 20

  private let path: String
  private let zip: ZipFile
  private let isInterrupted: () -> Bool
  /// The encoding of text that is not UTF-8 if neither it nor the package's language determines it.
  private let legacy: TextEncoding?
  private var inflated = 0
  /// The language in the package (`dc:language`); set when the paragraphs are read.
  private(set) var language: String?
  /// The encoding of a file that is not UTF-8, if there is one.
  private(set) var encoding = TextEncoding.utf8

  init(_ path: String, legacy: TextEncoding?, isInterrupted: @escaping () -> Bool) throws {
    (self.path, self.legacy, self.isInterrupted) = (path, legacy, isInterrupted)
    zip = try ZipFile.ofText(path, mostMembers: Self.mostMembers, isInterrupted: isInterrupted)
  }

  /// Returns the paragraphs of all chapters, in the order of the book.
  func paragraphs() throws -> [TextParagraph] {
    let container = XMLTags(try content("META-INF/container.xml"))
    guard let root = container.first("rootfile")?["full-path"] else {
      throw TextFileError.damaged(path: path, reason: "it is not an EPUB: META-INF/container.xml names no package")
    }
    let package = XMLTags(try content(root))
    language = package.text(of: "language")
    let folder = root.lastIndex(of: "/").map { String(root[...$0]) } ?? ""
    var items: [String: String] = [:]
    for item in package.all("item") {
      guard let id = item["id"], let place = item["href"], isText(item["media-type"]) else { continue }
      items[id] = Self.resolved(place, in: folder)
    }
    let encrypted = try encryptedMembers()
    var paragraphs: [TextParagraph] = []
    for reference in package.all("itemref") where reference["linear"] != "no" {
      guard let name = reference["idref"].flatMap({ items[$0] }), zip.members[name] != nil else { continue }
      if encrypted.contains(name) {
        throw TextFileError.refused(path: path, reason: "its chapters are encrypted (it is sold with copy protection)")
      }
      if isInterrupted() { throw FileError(path, .read, .interrupted) }
      paragraphs += MarkupText.paragraphs(try content(name)).map { TextParagraph($0) }
    }
    return paragraphs
  }

  private func isText(_ type: String?) -> Bool { type == "application/xhtml+xml" || type == "text/html" }

  /// Returns the members that `META-INF/encryption.xml` names; often they are fonts.
  private func encryptedMembers() throws -> Set<String> {
    guard zip.members["META-INF/encryption.xml"] != nil else { return [] }
    let references = XMLTags(try content("META-INF/encryption.xml")).all("CipherReference")
    return Set(references.compactMap { $0["URI"].map { Self.resolved($0, in: "") } })
  }

  /// Resolves a reference: removes its fragment, decodes percent signs and resolves `..`. It never leads out of the
  /// file.
  private static func resolved(_ reference: String, in folder: String) -> String {
    var parts: [String] = folder.split(separator: "/").map(String.init)
    let plain = reference.prefix { $0 != "#" }
    for part in String(decoding: percentDecoded(plain.utf8), as: UTF8.self).split(separator: "/") {
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
    let (text, found) = try TextFile.decoded(
      Array(bytes.withoutMark), path: path, as: nil, legacy: assumed, isPage: true)
    if found != .utf8 { encoding = found }
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
      guard let quote = rest.first, quote == "\"" || quote == "'",
        let end = rest.dropFirst().firstIndex(of: quote)
      else { break }
      attributes[key] = Self.decoded(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...]
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
