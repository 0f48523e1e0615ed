// What a note keeps beside its fields: the fields of its cards that Deckhand gives no meaning, or what another program
// wrote.
// Invariant: the fields come back with the very characters that they had; what came from elsewhere stays as it came
// until fields take its place.

public import Storage

extension NoteTable {
  /// The column `data` as other programs see it: without fields of ours, but for what a merge could not decide.
  public static let foreignData = """
    iif(\(NoteData.fieldsSQL) IS NULL OR instr(data, '"conflicts":') > 0, data, '')
    """
}

/// What a note keeps beside its fields, for who moves notes between collections.
public enum KeptFields {
  /// Sets them. What another program wrote there stays while there is nothing to keep.
  public static func set(_ db: Database, of note: NoteID, to fields: [CardField]) throws {
    let column = NoteData.column(try FieldText.column(fields))
    let isOther = "SELECT 1 FROM notes WHERE id = ?2 AND data <> ?1 AND (?1 <> '' OR \(NoteData.fieldsSQL) IS NOT NULL)"
    guard try db.hasRow(isOther, [column, note.rawValue]) else { return }
    try NoteData.write(db, note, column)
  }

  /// Those in the column `data` of a note; none in what another program wrote.
  public static func list(inData data: String) -> [CardField] {
    guard let column = NoteData.fields(data) else { return [] }
    do { return try FieldText.list(column) } catch {
      // It only looks like ours.
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

  /// - Parameter fields: as `FieldText` writes them.
  static func column(_ fields: String?) -> String { fields.map { start + $0 + end } ?? "" }

  /// The fields in a column, as `FieldText` reads them; nil for a column that holds none.
  static func fields(_ column: String) -> String? {
    guard column.hasPrefix(start), column.hasSuffix(end) else { return nil }
    return String(column.dropFirst(start.count).dropLast(end.count))
  }

  /// The fields in a column, as `FieldText` reads them; NULL for a column that holds none.
  static let fieldsSQL = """
    iif(notes.data GLOB '\(start)*\(end)', substr(notes.data, \(start.utf8.count + 1), \
    length(notes.data) - \(start.utf8.count + end.utf8.count)), NULL)
    """
}
