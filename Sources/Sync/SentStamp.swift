// How far the rows here are known to be on the server: a sync that finds nothing to do need not look at every row then.
// Invariant: whatever is written in an operation, undone, or put back from a backup gives the stamp another value, so
// that a stamp of old never hides a change.

import Decks
public import Storage

/// A moment of a collection.
///
///     let (found, stamp) = try store.read { db in (try SyncTables.unsent(db), try SentStamp.toKeep(db)) }
///     if found.total == 0, let stamp { try stamp.keep(db) }   // nothing is looked for until something is written
public struct SentStamp: Equatable, Sendable {
  /// The last step that was written to the log of undo.
  private let step: Int64
  /// Undoing writes no step, but gives this another value.
  private let epoch: Int64

  /// Undo passes over a table of this name.
  static let migrations = [
    Migration(
      "sync.sent",
      sql: """
        CREATE TABLE undo_sent (
          id INTEGER PRIMARY KEY CHECK (id = 1), step INTEGER NOT NULL, epoch INTEGER NOT NULL
        ) STRICT;
        """)
  ]

  /// That of now; nil where it is kept already, or where no step was ever written.
  public static func toKeep(_ db: Database) throws -> SentStamp? {
    let now = try current(db)
    return try now == kept(db) ? nil : now
  }

  /// Whether everything is known to be on the server.
  static func holds(_ db: Database) throws -> Bool {
    let now = try current(db)
    return try now != nil && now == kept(db)
  }

  private static func current(_ db: Database) throws -> SentStamp? {
    guard let step = try UndoLog.lastStep(db) else { return nil }
    return SentStamp(step: step, epoch: try SearchLog.epoch(db))
  }

  private static func kept(_ db: Database) throws -> SentStamp? {
    try db.firstRow("SELECT step, epoch FROM undo_sent") { SentStamp(step: $0.integer(0), epoch: $0.integer(1)) }
  }

  /// Everything was on the server at that moment.
  public func keep(_ db: Database) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO undo_sent (id, step, epoch) VALUES (1, ?, ?)", arguments: [step, epoch])
  }

  /// Nothing is known of another server.
  static func forget(_ db: Database) throws { try db.execute(sql: "DELETE FROM undo_sent") }
}
