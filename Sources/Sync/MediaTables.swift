// How far the media of an account are synced. Invariant: the number is of one user on one server: for another one all
// is compared anew.

import Decks
public import GRDB
public import Storage

public enum MediaTables {
  public static let migrations = [Migration("sync.media", sql: first)]

  private static let first = """
    CREATE TABLE sync_media (
      address TEXT NOT NULL,
      user TEXT NOT NULL,
      usn INTEGER NOT NULL,
      PRIMARY KEY (address, user)
    ) STRICT, WITHOUT ROWID;
    """

  /// The last change there that is here; 0 for none.
  public static func usn(_ db: Database, of link: SyncLink) throws -> Int {
    let sql = "SELECT usn FROM sync_media WHERE address = ? AND user = ?"
    return try db.firstRow(sql, [link.address, link.user]) { $0.count(0) } ?? 0
  }

  /// There is one link.
  public static func setUSN(_ db: Database, _ usn: Int, of link: SyncLink) throws {
    try db.execute(sql: "DELETE FROM sync_media")
    try db.execute(
      sql: "INSERT INTO sync_media (address, user, usn) VALUES (?, ?, ?)", arguments: [link.address, link.user, usn])
  }
}
