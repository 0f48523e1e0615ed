// What a note keeps beside its fields: the fields of its cards that Deckhand gives no meaning, or what another program
// wrote.
// Invariant: the fields come back with the very characters that they had; what came from elsewhere stays as it came
// until fields take its place.

extension NoteTable {
  /// The column `data` as other programs see it: without fields of ours.
  public static let foreignData = "iif(\(NoteData.fieldsSQL) IS NULL, data, '')"
}

/// The column `data` of a note.
enum NoteData {
  private static let start = "{\"fields\":"
  private static let end = "}"

  /// - Parameter fields: as `FieldText` writes them.
  static func column(_ fields: String?) -> String { fields.map { start + $0 + end } ?? "" }

  /// The fields in a column, as `FieldText` reads them; NULL for a column that holds none.
  static let fieldsSQL = """
    iif(notes.data GLOB '\(start)*\(end)', substr(notes.data, \(start.utf8.count + 1), \
    length(notes.data) - \(start.utf8.count + end.utf8.count)), NULL)
    """
}
