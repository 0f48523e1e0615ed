// What the undo log knows of a table: its columns and its key.
// Invariant: tables of SQLite itself, of the log, and of search indexes are not listed, so they are not recorded.

import Text
import Wire

/// A table whose changes are recorded.
struct UndoTable {
  let name: String
  let columns: [String]
  /// Whether rows are identified by the values of their key instead of a row id.
  let isKeyed: Bool
  /// The indexes of the key's columns, in the order of the key.
  let key: [Int]
  /// Whether undoing a step restores the table. What was sent to others (`sent_...`) stays sent, and the notes on
  /// removed rows (`undo_...`) have no meaning for rows that exist again.
  var isUndone: Bool { !name.hasPrefix("sent_") && !name.hasPrefix("undo_") }

  /// How the names of tables begin that hold no data of the account.
  private static let unlisted = ["sqlite_", "undo_steps", "undo_chunks", "undo_search"]

  /// Returns all tables of the database that hold data of the account.
  static func all(_ db: Database) throws -> [UndoTable] {
    let sql = "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name"
    return try db.rows(sql) { ($0.text(0), $0.integer(1) != 0) }.compactMap { name, isKeyed in
      if unlisted.contains(where: name.hasPrefix) { return nil }
      return try UndoTable(db, name, isKeyed: isKeyed)
    }
  }

  private init(_ db: Database, _ name: String, isKeyed: Bool) throws {
    (self.name, self.isKeyed) = (name, isKeyed)
    let sql = "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid"
    let found = try db.rows(sql, [name]) { (name: $0.text(0), rank: $0.count(1)) }
    columns = found.map(\.name)
    let ranks = found.map(\.rank)
    key = ranks.indices.filter { ranks[$0] > 0 }.sorted { ranks[$0] < ranks[$1] }
  }

  var quoted: String { UndoTable.quoted(name) }
  static func quoted(_ name: String) -> String { "\"" + name.replacing(text: "\"", with: "\"\"") + "\"" }

  /// SQL that inserts a row again; its row id, if it has one, is the first argument.
  var insertion: String {
    let names = columns.map(UndoTable.quoted)
    let first = isKeyed ? 1 : 2
    let values = columns.indices.map { "?\($0 + first)" }
    // If a column is an alias of the row id, both have the same value.
    let rowid = isKeyed ? ("", "") : ("rowid, ", "?1, ")
    return "INSERT INTO \(quoted) (\(rowid.0)\(names.joined(separator: ", "))) "
      + "VALUES (\(rowid.1)\(values.joined(separator: ", ")))"
  }

  /// SQL that restores the old values of columns if these hold the expected values. The arguments are the old values,
  /// the expected ones, then the row id or the key.
  func update(_ changed: [Int]) -> String {
    let names = changed.map { UndoTable.quoted(columns[$0]) }
    let sets = names.enumerated().map { index, name in "\(name) = ?\(index + 1)" }
    let expected = names.enumerated().map { index, name in "\(name) IS ?\(changed.count + index + 1)" }
    let last = changed.count * 2 + 1
    let place = isKeyed ? keyCondition(from: last) : "rowid = ?\(last)"
    return "UPDATE \(quoted) SET \(sets.joined(separator: ", ")) WHERE \(place) AND "
      + expected.joined(separator: " AND ")
  }

  /// Returns the key of an event's row: a changed row's payload begins with it, a removed row's has all columns.
  func key(of event: UndoneRows.Event) throws -> [UInt8] {
    var reader = WireReader(event.payload)
    var places: [Range<Int>] = []
    let count = event.kind == .changed ? key.count : (key.max() ?? -1) + 1
    while places.count < count, reader.left > 0 {
      let start = reader.position
      try reader.skipValue()
      places.append(start..<reader.position)
    }
    let parts = event.kind == .changed ? Array(key.indices) : key
    return parts.filter(places.indices.contains).flatMap { Array(event.payload[places[$0]]) }
  }

  func bind(_ key: [UInt8], to statement: Statement, _ body: () throws -> Void) throws {
    try key.withUnsafeBytes { raw in
      var reader = WireReader(raw)
      for index in self.key.indices { try reader.bind(statement, index + 1) }
      try body()
    }
  }

  func keyCondition(from first: Int) -> String {
    key.enumerated().map { "\(UndoTable.quoted(columns[$1])) IS ?\($0 + first)" }.joined(separator: " AND ")
  }
}
