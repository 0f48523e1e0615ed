// The machine's stored data, read without the program's own code: every row of every table, and the names of other
// files. Invariant: what undo does not restore (its own log, settings, games) is kept separate.

import CSQLite
import Glibc

struct StoredData: Equatable {
  /// The rows of each table, as text.
  var tables: [String: [String]] = [:]
  /// The files beside the collection, with their sizes.
  var files: Set<String> = []
  /// The undo steps: their ids, and whether each is undone.
  var steps: [Int: Bool] = [:]
  /// Whether `undo ID` has undone a step before later ones, and a new step has made that final.
  var hasHole = false

  /// The tables that an undo step restores.
  var undoable: [String: [String]] {
    tables.filter { $0.key != "settings" && !$0.key.hasPrefix("games_") }
  }

  /// The ids of the cards that have an answer.
  var answered: Set<Substring> {
    func column(_ table: String, _ index: Int) -> Set<Substring> {
      Set((tables[table] ?? []).map { $0.split(separator: "|", omittingEmptySubsequences: false)[index] })
    }
    return column("cards", 0).intersection(column("reviews", 1))
  }

  var lastStep: Int { steps.keys.max() ?? 0 }

  /// Whether a step is undone although later ones are in effect: those may depend on it, and then stay.
  var isOutOfOrder: Bool {
    let last = steps.filter { !$0.value }.keys.max() ?? 0
    return hasHole || steps.contains { $0.value && $0.key < last }
  }

  static func == (one: StoredData, other: StoredData) -> Bool { one.tables == other.tables }

  /// Returns the first few rows that only one of the two has.
  func differences(from other: StoredData, in names: [String]? = nil) -> [String] {
    var found: [String] = []
    for name in Set(tables.keys).union(other.tables.keys).sorted() where names?.contains(name) ?? true {
      let (mine, theirs) = (tables[name] ?? [], other.tables[name] ?? [])
      if mine == theirs { continue }
      let (here, there) = (Set(mine), Set(theirs))
      found += theirs.filter { !here.contains($0) }.prefix(3).map { "\(name): - \($0.prefix(400))" }
      found += mine.filter { !there.contains($0) }.prefix(3).map { "\(name): + \($0.prefix(400))" }
    }
    return found
  }
}

struct RowsFault: Error, CustomStringConvertible { let description: String }

/// The simulator's own connection to the database.
final class Rows {
  private var handle: OpaquePointer?

  /// - Throws: `RowsFault` if the file is not a database.
  init(_ path: String) throws {
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { throw failure("opening") }
    sqlite3_busy_timeout(handle, 1000)
  }

  deinit { sqlite3_close_v2(handle) }

  private func failure(_ what: String) -> RowsFault {
    RowsFault(description: "\(what): \(String(cString: sqlite3_errmsg(handle)))")
  }

  /// Returns the rows of a query, each column as text that includes its type.
  func all(_ sql: String) throws -> [[String]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    defer { sqlite3_finalize(statement) }
    var rows: [[String]] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return rows }
      guard code == SQLITE_ROW else { throw failure(sql) }
      rows.append((0..<sqlite3_column_count(statement)).map { Rows.text(statement, $0) })
    }
  }

  /// Returns the rows of a table that can be read, scanning from both ends.
  func readable(_ table: String) -> Set<String> {
    var found: Set<String> = []
    for order in ["", " ORDER BY rowid DESC"] {
      var statement: OpaquePointer?
      sqlite3_prepare_v2(handle, "SELECT * FROM \"\(table)\"" + order, -1, &statement, nil)
      defer { sqlite3_finalize(statement) }
      while statement != nil, sqlite3_step(statement) == SQLITE_ROW {
        let columns = (0..<sqlite3_column_count(statement)).map { Rows.text(statement, $0) }
        found.insert(columns.joined(separator: "|"))
      }
    }
    return found
  }

  private static func text(_ statement: OpaquePointer?, _ column: Int32) -> String {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_NULL: return "nil"
    case SQLITE_BLOB:
      let count = Int(sqlite3_column_bytes(statement, column))
      return UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: count)
        .map { String($0, radix: 16) }.joined(separator: ".")
    default:
      let count = Int(sqlite3_column_bytes(statement, column))
      return String(
        decoding: UnsafeRawBufferPointer(start: sqlite3_column_text(statement, column), count: count), as: UTF8.self)
    }
  }
}

extension StoredData {
  /// For these tables some columns are left out: the modification time and the inode of a file come from the real
  /// disk.
  private static let columns = [
    "build_sources": "id, build, path, size, content, inputs", "build_media": "id, build, name, size, hash, path",
  ]

  /// - Parameter path: the path of the collection; a missing one holds nothing.
  init(_ path: String, data: String) throws {
    files = StoredData.files(in: data, "")
    guard access(path, F_OK) == 0 else { return }
    let rows = try Rows(path)
    let names = try rows.all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    for name in names.map({ $0[0] }) where !name.hasPrefix("undo_") {
      tables[name] = try rows.all("SELECT \(StoredData.columns[name] ?? "*") FROM \"\(name)\"")
        .map { $0.joined(separator: "|") }.sorted()
    }
    for step in try rows.all("SELECT id, undone FROM undo_steps") {
      if step[1] == "2" { hasHole = true } else if let id = Int(step[0]) { steps[id] = step[1] != "0" }
    }
  }

  /// Backups and SQLite's auxiliary files are left out, as they come and go.
  private static func files(in folder: String, _ below: String) -> Set<String> {
    guard let entries = opendir(folder + below) else { return [] }
    defer { closedir(entries) }
    var found: Set<String> = []
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if [".", ".."].contains(name) || name.hasPrefix("collection.sqlite") || name == "backups" { continue }
      let path = below + "/" + name
      if entry.pointee.d_type == UInt8(DT_DIR) { found.formUnion(files(in: folder, path)) } else { found.insert(path) }
    }
    return found
  }
}
