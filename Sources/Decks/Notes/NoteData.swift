// What is stored with a note besides its fields: the fields of its cards that have no meaning to Deckhand, or what
// another program wrote.
// Invariant: the fields come back with exactly the same characters; what another program wrote is unchanged until
// fields replace it.

public import Storage

extension NoteTable {
  /// The column `data` as other programs receive it: empty if it holds Deckhand's fields, unless it records conflicts
  /// that a merge could not resolve.
  public static let foreignData = """
    iif(\(NoteData.fieldsSQL) IS NULL OR instr(data, '"conflicts":') > 0, data, '')
    """
}

/// The fields that are stored with a note, for code that moves notes between collections.
public enum StoredFields {
  /// Sets the fields of a note. If there are none, what another program wrote is not touched.
  public static func set(_ db: Database, of note: NoteID, to fields: [CardField]) throws {
    let column = NoteData.column(try FieldText.column(fields))
    let isOther = "SELECT 1 FROM notes WHERE id = ?2 AND data <> ?1 AND (?1 <> '' OR \(NoteData.fieldsSQL) IS NOT NULL)"
    guard try db.hasRow(isOther, [column, note.rawValue]) else { return }
    try NoteData.write(db, note, column)
  }

  /// The fields in the column `data` of a note; none if another program wrote it.
  public static func list(inData data: String) -> [CardField] {
    guard let column = NoteData.fields(data) else { return [] }
    do { return try FieldText.list(column) } catch {
      // It only looks like a column of Deckhand.
      return []
    }
  }
}

/// The column `data` of a note.
enum NoteData {
  private static let start = "{\"fields\":"
  private static let end = "}"

  /// Sets the column of a note.
  static func write(_ db: Database, _ note: NoteID, _ data: String) throws {
    try SyncedTable.notes.keep(db, [note.rawValue])
    try db.cachedStatement(sql: "UPDATE notes SET data = ? WHERE id = ?").execute(arguments: [data, note.rawValue])
  }

  /// - Parameter fields: in the form that `FieldText` writes.
  static func column(_ fields: String?) -> String { fields.map { start + $0 + end } ?? "" }

  /// The fields in a column, in the form that `FieldText` reads; nil if the column has none.
  static func fields(_ column: String) -> String? {
    guard column.hasPrefix(start), column.hasSuffix(end) else { return nil }
    return String(column.dropFirst(start.count).dropLast(end.count))
  }

  /// SQL for the fields in a column, in the form that `FieldText` reads; NULL if the column has none.
  static let fieldsSQL = """
    iif(notes.data GLOB '\(start)*\(end)', substr(notes.data, \(start.utf8.count + 1), \
    length(notes.data) - \(start.utf8.count + end.utf8.count)), NULL)
    """
}
