// A file of another program's format, opened for the reader of a plugin: as lines, as a tree of XML, as JSON, as the
// members of a ZIP file, or as tables of SQLite.
// Invariant: the reader gets the content of this one file and nothing else, and only while it reads; the file is never
// written to: a database is a copy, of which only ordinary tables can be read.

import Files
public import Storage
import Templates
import Text
public import Values

public final class ForeignFile {
  /// How a file is opened. The raw value is its name in Lua.
  public enum Kind: String, CaseIterable, Sendable { case lines, xml, json, zip, sqlite }

  /// The limit in bytes on what is unpacked from a file, or read from it as a tree.
  static let limit = 256 << 20
  private static let mostRows = 1_000_000

  public let kind: Kind
  public let name: String
  public let size: Int
  /// The lines without their ends, in UTF-8; only of a file of lines.
  public private(set) var lines: [[UInt8]] = []
  public private(set) var root: XMLElement?
  public private(set) var value: Value?
  let path: String
  let encoding: TextEncoding
  /// Of the lines; for other kinds each item of the reader is an element.
  let account: LineAccount
  private let source: ByteSource?
  private var zip: ZipFile?
  private var database: ExclusiveDatabase?
  private let scratch: Scratch?
  private var unpacked = 0

  /// - Parameter scratch: where a folder is made for copies and unpacked files.
  init(
    _ path: String, as kind: Kind, _ options: SourceOptions, scratch parent: String,
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws {
    (self.path, self.kind) = (path, kind)
    name = fileName(path)
    guard kind == .zip || kind == .sqlite else {
      let source = try ByteSource(path: path, options)
      while let line = try source.takeLine() { lines.append(line) }
      (encoding, size, scratch) = (source.encoding, source.taken, nil)
      (self.source, account) = kind == .lines ? (source, source.account) : (nil, LineAccount())
      if kind != .lines { try parse() }
      return
    }
    (account, encoding, source) = (LineAccount(), .utf8, nil)
    size = try ByteFile(path, isInterrupted: isInterrupted).size ?? 0
    let folder = try Scratch(.package, in: parent)
    scratch = folder
    account.countElements()
    if kind == .zip {
      zip = try ZipFile.ofText(path, mostMembers: 100_000, isInterrupted: isInterrupted)
      return
    }
    for end in ["", "-wal"] where end.isEmpty || fileExists(path + end) {
      try AtomicFile.copy(path + end, to: folder.path("data" + end), isInterrupted: isInterrupted)
    }
    database = try ForeignDatabase.open(folder.path("data"), hasJournal: true, isInterrupted: isInterrupted)
  }

  private func parse() throws {
    let text = Array(lines.joined(separator: CollectionOfOne(UInt8(ascii: "\n"))))
    lines = []
    account.countElements()
    if kind == .json { value = try json(text, name) } else { root = XMLElement(text) }
    if kind == .xml, root == nil { throw fault("XML expected") }
  }

  private func json(_ text: [UInt8], _ name: String) throws(ExchangeError) -> Value {
    let limits = JSONLimits(bytes: Self.limit, depth: 64, values: 2_000_000, string: 16 << 20)
    do throws(JSONFailure) { return try JSONParser.parse(text, limits: limits) } catch {
      let start = name == self.name ? "" : printable(name) + ": "
      throw .badFile(path: path, line: error.line, column: error.column, expected: start + error.words)
    }
  }

  private func fault(_ expected: String) -> ExchangeError {
    .badFile(path: path, line: 1, column: 1, expected: expected)
  }

  /// Ends the reading: only media can be unpacked afterwards.
  func close() {
    (lines, root, value, database) = ([], nil, nil, nil)
    if let source { source.endAccount() } else { account.end(lines: 0) }
  }

  // MARK: Members of a ZIP file

  /// - Throws: `badFile` once the reader has ended.
  private func openZip() throws -> ZipFile {
    guard let zip else { throw fault("the file is closed") }
    return zip
  }

  public func entries() throws -> [String] { try openZip().members.keys.sorted() }

  /// Returns the bytes of a member; nil if there is none of this name.
  public func entry(_ name: String) throws -> [UInt8]? {
    let zip = try openZip()
    guard let member = zip.members[name] else { return nil }
    var bytes: [UInt8] = []
    try zip.read(member) { piece in
      unpacked += piece.count
      if unpacked > Self.limit { throw fault("at most \(Self.limit >> 20) MiB of unpacked files") }
      bytes += piece
    }
    return bytes
  }

  /// Returns a member as a tree: `xml` or `json`.
  public func tree(_ name: String, _ kind: Kind) throws -> (root: XMLElement?, value: Value?)? {
    guard let bytes = try entry(name) else { return nil }
    if kind == .json { return (nil, try json(bytes, name)) }
    guard let root = XMLElement(bytes) else { throw fault("\(printable(name)): XML expected") }
    return (root, nil)
  }

  /// Writes a member to a file whose name is its own last part, beside those of others.
  /// - Returns: the path; nil for a file that is no archive, or without such a member.
  func unpack(_ name: String, as plain: String) throws -> String? {
    guard kind == .zip, let scratch, let bytes = try entry(name) else { return nil }
    try AtomicFile.write(scratch.path(plain), bytes, .internalFile(temporaryName: "unpacked.new"))
    return scratch.path(plain)
  }

  // MARK: Tables

  /// Runs a query; each row has its values by the names of their columns.
  /// - Throws: `StorageError` for a query that is not valid, or reads anything but ordinary tables.
  public func query(_ sql: String, _ arguments: [(any Bindable)?]) throws -> [Value] {
    guard let database else { throw fault("the file is closed") }
    return try database.use { db in
      var rows: [Value] = []
      try Statement(db, sql, StatementArguments(arguments)).forEachRow { row in
        rows.append(.record(Array(Swift.zip(row.names, row.values))))
        if rows.count > Self.mostRows { throw fault("a query with at most \(grouped(Self.mostRows)) rows") }
      }
      return rows
    }
  }
}

/// An element of XML. Names of tags are in lower case, as they come from the reader of HTML.
public struct XMLElement {
  public let tag: String
  public let attributes: [(name: String, value: String)]
  /// The lines of the file that it begins and ends on.
  public let line: Int
  public private(set) var to: Int
  /// The text directly in it.
  public private(set) var text = ""
  public private(set) var children: [XMLElement] = []
  private static let deepest = 100
  private static let most = 2_000_000

  private init(_ tag: HTMLTag, line: Int) {
    (self.tag, attributes, self.line, to) = (tag.name, tag.attributes, line, line)
  }

  /// Parses a document; nil if it has no element. Elements that are not closed end with the one that they are in.
  init?(_ bytes: [UInt8]) {
    var (open, root, line, place, count): ([XMLElement], XMLElement?, Int, Int, Int) = ([], nil, 1, 0, 0)
    func close(_ open: inout [XMLElement]) {
      guard var last = open.popLast() else { return }
      last.to = line
      if open.isEmpty { root = root ?? last } else { open[open.count - 1].children.append(last) }
    }
    var reader = HTMLReader(bytes[...], isDocument: true) { _ in false }
    while let part = reader.next(), count < Self.most {
      let start = line
      while place < reader.index {
        if bytes[place] == 0x0A { line += 1 }
        place += 1
      }
      switch part {
      case .text(let text) where !open.isEmpty: open[open.count - 1].text += String(decoding: text, as: UTF8.self)
      case .character(let scalar) where !open.isEmpty: open[open.count - 1].text.unicodeScalars.append(scalar)
      case .tag(let tag) where tag.isClosing:
        guard let depth = open.lastIndex(where: { $0.tag == tag.name }) else { continue }
        while open.count > depth { close(&open) }
      case .tag(let tag) where (0x61...0x7A).contains(tag.name.utf8.first ?? 0) && open.count < Self.deepest:
        count += 1
        open.append(XMLElement(tag, line: start))
        if tag.rest.last == UInt8(ascii: "/") { close(&open) }
      default: continue
      }
    }
    while !open.isEmpty { close(&open) }
    guard let root else { return nil }
    self = root
  }
}
