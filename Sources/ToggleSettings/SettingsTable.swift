// The settings that an account stores, as a table of its database.
// Invariant: a row is one name; a row that this program does not understand is left as it is.

import Problems
public import Storage
import Text
import Values

/// The table `settings`. The code that opens the database makes it and passes in the access.
///
///     tree.load(try SettingsTable.load(db), by: .user)
///     tree.save = { changes in try SettingsTable.write(changes, db) }
public enum SettingsTable {
  public static let tables: Set<String> = ["settings"]

  public static let schema = Schema(
    """
    CREATE TABLE settings (
      name TEXT PRIMARY KEY NOT NULL,
      kind TEXT NOT NULL,
      value ANY,
      set_by TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """)

  package static func load(_ db: Database) throws -> [String: StoredSetting] {
    var kept: [String: StoredSetting] = [:]
    try db.forEachRow("SELECT name, kind, value, set_by FROM settings") { row in
      guard let value = value(row.text(1), row.value(2)) else { return }
      kept[row.text(0)] = StoredSetting(value, setBy: Owner(stored: row.text(3)) ?? .user)
    }
    return kept
  }

  /// Writes the changes that `SettingsTree.save` passes on.
  package static func write(_ changes: [StoredChange], _ db: Database) throws {
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

  private static func row(_ value: StoredValue) -> (String, any Bindable) {
    switch value {
    case .value(.flag(let flag)): ("flag", flag)
    case .value(.number(let number)): ("number", number)
    case .value(.text(let text)): ("text", text)
    case .lastMixed(let names): ("mixed", names.joined(separator: "\n"))
    }
  }

  private static func value(_ kind: String, _ value: Value) -> StoredValue? {
    switch kind {
    case "flag": value.integer.map { .value(.flag($0 != 0)) }
    case "number": value.double.flatMap { $0.isFinite ? .value(.number($0)) : nil }
    case "text": value.text.map { .value(.text($0)) }
    case "mixed": value.text.map { .lastMixed($0.split(separator: "\n").map(String.init)) }
    default: nil
    }
  }
}
