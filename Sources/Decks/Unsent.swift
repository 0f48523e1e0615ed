// Which rows a sync server does not have in their present form.
// Invariant: all code that changes a note, a note type or the log marks the row as unsent in the same statement.

/// The mark of a row that was made or changed here since it was last sent, in SQL and in Swift.
///
///     "UPDATE notes SET tags = ?, \(Unsent.sql) WHERE id = ?"
public enum Unsent {
  /// The condition on a row of `notes`, `note_types` or `reviews`. After SET, it marks the row.
  public static let sql = "usn = -1"

  /// - Parameter usn: the value of the column `usn`.
  public static func holds(usn: Int64) -> Bool { usn == -1 }
}
