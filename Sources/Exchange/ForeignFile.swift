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
  public static let limit = 256 << 20
  private static let mostRows = 1_000_000

  public let kind: Kind
  public let name: String
  public private(set) var size = 0
  /// The lines without their ends, in UTF-8; only of a file of lines.
  public private(set) var lines: [[UInt8]] = []
  /// The whole, of XML and JSON.
  public private(set) var text: [UInt8] = []
  let path: String
  private(set) var encoding = TextEncoding.utf8
  /// Of the lines; for other kinds each item of the reader is an element.
  private(set) var account = LineAccount()
  private var source: ByteSource?
  private var zip: ZipFile?
  private var database: ExclusiveDatabase?
  private var scratch: Scratch?
  private var unpacked = 0

  /// - Parameter scratch: where a folder is made for copies and unpacked files.
  init(
    _ path: String, as kind: Kind, _ options: SourceOptions, scratch parent: String,
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws {
    (self.path, self.kind, name) = (path, kind, fileName(path))
    switch kind {
    case .lines, .xml, .json: try read(ByteSource(path: path, options))
    case .zip:
      zip = try ZipFile.ofText(path, mostMembers: 100_000, isInterrupted: isInterrupted)
      scratch = try Scratch(.package, in: parent)
    case .sqlite:
      let head = try ByteFile(path, isInterrupted: isInterrupted).bytes(at: 0, count: 16)
      if !head.isEmpty, head != Array("SQLite format 3\0".utf8) { throw fault("a database of SQLite expected") }
      let folder = try Scratch(.package, in: parent)
      try copyDatabase(path, to: folder.path("data"), isInterrupted: isInterrupted)
      database = try ForeignDatabase.open(folder.path("data"), hasJournal: true, isInterrupted: isInterrupted)
      scratch = folder
    }
    if kind != .lines { account.countElements() }
    if size == 0 { size = try ByteFile(path, isInterrupted: isInterrupted).size ?? 0 }
  }

  private func read(_ source: ByteSource) throws {
    encoding = source.encoding
    if kind == .lines {
      (self.source, account) = (source, source.account)
      while let line = try source.takeLine() { lines.append(line) }
    } else {
      while try source.peek() != nil { source.take(into: &text) { _ in false } }
    }
    size = source.taken
  }

  /// The error for a text that is not what was expected.
  /// - Parameter member: the name of the text in a ZIP file.
  public func fault(_ expected: String, in member: String? = nil, line: Int = 1, column: Int = 1) -> ExchangeError {
    let start = member.map { printable($0) + ": " } ?? ""
    return .badFile(path: path, line: line, column: column, expected: start + expected)
  }

  /// Ends the reading: only media can be unpacked afterwards.
  func close() {
    (lines, text, database) = ([], [], nil)
    if let source { source.endAccount() } else { account.end(lines: 0) }
  }

  // MARK: Members of a ZIP file

  public var entries: [String] { zip?.members.keys.sorted() ?? [] }

  /// Returns the bytes of a member; nil if there is none of this name.
  public func entry(_ name: String) throws -> [UInt8]? {
    guard let zip, let member = zip.members[name] else { return nil }
    var bytes: [UInt8] = []
    try zip.read(member) { piece in
      unpacked += piece.count
      if unpacked > Self.limit { throw fault("at most \(Self.limit >> 20) MiB of unpacked files") }
      bytes += piece
    }
    return bytes
  }

  /// Writes a member to a file whose name is its own last part, beside those of others.
  /// - Returns: the path; nil without such a member.
  func unpack(_ name: String, as plain: String) throws -> String? {
    guard let scratch, let bytes = try entry(name) else { return nil }
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
