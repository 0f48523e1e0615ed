// What an account keeps of its settings, as a table of its database.
// Invariant: a row is one name; a row that this program does not understand is left as it is.

package import GRDB
import Problems
public import Storage
import Text

/// The table `settings`. The one who opens the database runs `migrations` and hands in the access.
///
///     tree.load(try SettingsTable.load(db), by: .user)
///     tree.keep = { changes in try SettingsTable.write(changes, db) }
public enum SettingsTable {
  /// The steps of the schema, in order.
  public static var migrations: [Migration] { [Migration("settings.1", sql: first)] }

  /// What of the database belongs to settings.
  public static let tables: Set<String> = ["settings"]

  private static let first = """
    CREATE TABLE settings (
      name TEXT PRIMARY KEY NOT NULL,
      kind TEXT NOT NULL,
      value ANY,
      set_by TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  /// All that is kept, for `SettingsTree.load`.
  package static func load(_ db: Database) throws -> [String: KeptSetting] {
    var kept: [String: KeptSetting] = [:]
    let rows = try Row.fetchCursor(db, sql: "SELECT name, kind, value, set_by FROM settings")
    while let row = try rows.next() {
      guard let name = String.fromDatabaseValue(row[0]), let kind = String.fromDatabaseValue(row[1]),
        let owner = String.fromDatabaseValue(row[3]), let value = value(kind, row[2])
      else { continue }
      kept[name] = KeptSetting(value, setBy: Owner(stored: owner) ?? .user)
    }
    return kept
  }

  /// Writes what `SettingsTree.keep` hands out.
  package static func write(_ changes: [KeptChange], _ db: Database) throws {
    let put = try db.cachedStatement(
      sql: "INSERT INTO settings (name, kind, value, set_by) VALUES (?, ?, ?, ?) "
        + "ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, value = excluded.value, set_by = excluded.set_by")
    let forget = try db.cachedStatement(sql: "DELETE FROM settings WHERE name = ?")
    for change in changes {
      if let setting = change.setting {
        let (kind, value) = row(setting.value)
        try put.execute(arguments: [change.name, kind, value, setting.setBy.stored])
      } else {
        try forget.execute(arguments: [change.name])
      }
    }
  }

  private static func row(_ value: KeptValue) -> (String, DatabaseValue) {
    switch value {
    case .value(.flag(let flag)): ("flag", (flag ? 1 : 0).databaseValue)
    case .value(.number(let number)): ("number", number.databaseValue)
    case .value(.text(let text)): ("text", text.databaseValue)
    case .lastMixed(let names): ("mixed", names.joined(separator: "\n").databaseValue)
    }
  }

  private static func value(_ kind: String, _ value: DatabaseValue) -> KeptValue? {
    switch kind {
    case "flag": Int64.fromDatabaseValue(value).map { .value(.flag($0 != 0)) }
    case "number": Double.fromDatabaseValue(value).flatMap { $0.isFinite ? .value(.number($0)) : nil }
    case "text": String.fromDatabaseValue(value).map { .value(.text($0)) }
    case "mixed": String.fromDatabaseValue(value).map { .lastMixed($0.split(separator: "\n").map(String.init)) }
    default: nil
    }
  }
}
