// How far the media of an account are synced. Invariant: the stored number belongs to one user on one server; for any
// other, everything is compared anew. Sent deletions are remembered even if the sync is undone locally.

import Decks
public import Storage

public enum MediaTables {
  /// `sent_media` has the deletions that were sent, each with the number that the server gave it.
  public static let schema = Schema(
    """
    CREATE TABLE sync_media (
      address TEXT NOT NULL,
      user TEXT NOT NULL,
      usn INTEGER NOT NULL,
      PRIMARY KEY (address, user)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sent_media (name TEXT PRIMARY KEY, usn INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    """)

  public static func known(_ db: Database, of link: SyncLink) throws -> KnownMedia {
    var known = KnownMedia(states: try MediaTable.states(db), usn: try usn(db, of: link))
    try db.forEachRow("SELECT name, usn FROM sent_media") { known.deletions[$0.text(0)] = $0.count(1) }
    return known
  }

  public static func setDeletion(_ db: Database, of name: String, _ usn: Int) throws {
    try db.execute(sql: "INSERT OR REPLACE INTO sent_media (name, usn) VALUES (?, ?)", arguments: [name, usn])
  }

  /// Returns the number of the last change received from the server; 0 if there is none.
  public static func usn(_ db: Database, of link: SyncLink) throws -> Int {
    let sql = "SELECT usn FROM sync_media WHERE address = ? AND user = ?"
    return try db.count(sql, [link.address, link.user])
  }

  /// Stores the number of the last received change. The table has a single row, as an account has a single link.
  public static func setUSN(_ db: Database, _ usn: Int, of link: SyncLink) throws {
    try db.execute(sql: "DELETE FROM sync_media")
    try db.execute(
      sql: "INSERT INTO sync_media (address, user, usn) VALUES (?, ?, ?)", arguments: [link.address, link.user, usn])
  }
}
