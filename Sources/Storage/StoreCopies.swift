// The database as a whole: copied while it is in use, and replaced by a copy.
// Invariant: a copy is one moment's content; a replacement is one transaction, which other processes see whole or not
// at all.

extension Store {
  /// Writes the database, as it is now, to a file that is not there yet. Others may read and write meanwhile.
  /// The steps of undo are left out.
  /// - Parameter finish: what else is to be done to the copy.
  public func snapshot(to path: String, finish: (Database) throws -> Void = { _ in }) throws {
    try whole("copying") { db in
      let target = try ExclusiveDatabase(path)
      try target.use { copy in
        try db.backup(to: copy)
        try copy.execute(sql: "PRAGMA journal_mode = DELETE")
        try copy.execute(sql: "DELETE FROM undo_files; DELETE FROM undo_steps; DELETE FROM undo_batches")
        try finish(copy)
      }
      try target.close()
    }
  }

  /// Replaces everything in the database by what a file holds, in one transaction.
  public func replaceAll(from path: String) throws {
    try whole("replacing") { db in
      let source = try ExclusiveDatabase(path)
      try source.use { try $0.backup(to: db) }
      try source.close()
    }
    noteReplaced()
  }
}
