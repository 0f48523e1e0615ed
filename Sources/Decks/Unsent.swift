// Which rows a sync server does not have as they are here. Invariant: whoever changes a note, a note type or the log
// makes this true of the row, in the same statement.

/// A row that was made or changed here since it was sent: in SQL and in Swift.
///
///     "UPDATE notes SET tags = ?, \(Unsent.sql) WHERE id = ?"
public enum Unsent {
  /// The condition on a row of `notes`, `note_types` or `reviews`, and what makes it true after SET.
  public static let sql = "usn = -1"

  /// - Parameter usn: what the column of that name holds.
  public static func holds(usn: Int64) -> Bool { usn == -1 }
}
