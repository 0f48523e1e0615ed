// What an account stores about its server: the link, and the view of all bases.
// Invariant: a base is what the server sent; none of the tables contains the key.

import Decks
public import Storage

/// An account's link with a server.
public struct SyncLink: Equatable, Sendable {
  public var address: String
  public var user: String
  /// The server's answer at the last sync; nil before the first.
  public var meta: SyncMeta?
  /// The time of the last sync, in seconds since 1970.
  public var synced: Double?

  public init(address: String, user: String) { (self.address, self.user) = (address, user) }
}

public enum SyncTables {
  public static let schema = Schema(linkTable + serverRows)

  private static let linkTable = """
    CREATE TABLE sync_link (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      address TEXT NOT NULL,
      user TEXT NOT NULL,
      modified INTEGER,
      schema INTEGER,
      usn INTEGER,
      media_usn INTEGER,
      synced REAL
    ) STRICT;
    """

  /// All bases: what the server had at the last sync.
  private static let serverRows = "CREATE VIEW server_rows AS \(SyncedTable.rows);"

  public static func link(_ db: Database) throws -> SyncLink? {
    try db.firstRow("SELECT address, user, modified, schema, usn, media_usn, synced FROM sync_link") { row in
      var link = SyncLink(address: row.text(0), user: row.text(1))
      if let modified = row.optionalInteger(2) {
        var meta = SyncMeta(modified: Int(modified), schema: row.count(3), usn: row.count(4))
        meta.mediaUSN = row.count(5)
        link.meta = meta
      }
      link.synced = row.optionalNumber(6)
      return link
    }
  }

  public static func setLink(_ db: Database, _ link: SyncLink) throws {
    try db.execute(
      sql: """
        INSERT INTO sync_link (id, address, user, modified, schema, usn, media_usn, synced)
        VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (id) DO UPDATE SET address = ?1, user = ?2, modified = ?3, schema = ?4, usn = ?5, media_usn = ?6,
          synced = ?7
        """,
      arguments: [
        link.address, link.user, link.meta?.modified, link.meta?.schema, link.meta?.usn, link.meta?.mediaUSN,
        link.synced,
      ])
  }

  /// Forgets the server and the bases; the local rows stay.
  public static func removeLink(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM sync_link; DELETE FROM sent_graves; DELETE FROM sent_media")
    try forgetRows(db)
    try db.execute(sql: "UPDATE reviews SET \(Unsent.sql) WHERE NOT \(Unsent.sql)")
  }

  /// Forgets the bases, so all local rows are unsent.
  static func forgetRows(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM bases; DELETE FROM undo_removed")
    for table in SyncedTable.allCases {
      try db.execute(sql: "UPDATE \(table.name) SET \(Unsent.sql) WHERE NOT \(Unsent.sql)")
    }
    try db.execute(sql: "DELETE FROM sent_graves WHERE sent = 0")
  }

  /// Counts the local edits since the last sync. It scans every row.
  public static func unsent(_ db: Database) throws -> SyncCounts {
    var found = SyncCounts()
    found.notes = try db.count("SELECT count(*) FROM notes WHERE \(unsentNote)")
    found.cards =
      try db.count("SELECT count(*) FROM cards WHERE \(unsentRow(.cards))")
      + db.count("SELECT count(*) \(changed(.cards))")
    found.answers = try db.count("SELECT count(*) FROM reviews WHERE \(unsentReview) OR \(unsentStray)")
    // The stock types are sent together with their notes.
    let stock = DecksSchema.stockIDs
    found.types = try db.count(
      """
      SELECT count(*) FROM note_types WHERE (\(Unsent.sql) OR \(unsentRow(.noteTypes)))
        AND (id NOT BETWEEN \(stock.lowerBound) AND \(stock.upperBound) OR NOT \(isOnlyHere(.noteTypes)))
      """)
    // A parent of a remote deck is not sent on its own account.
    found.decks = try db.count(
      """
      SELECT count(*) FROM decks WHERE \(unsentRow(.decks)) AND NOT EXISTS (
        SELECT 1 FROM decks within JOIN server_rows s ON s.kind = \(BaseKind.deck.rawValue) AND s.id = within.id
        WHERE s.here AND substr(within.name_key, 1, length(decks.name_key) + 2) = decks.name_key || '::')
      """)
    found.decks += try db.count("SELECT count(*) \(changed(.decks))")
    found.presets =
      try db.count("SELECT count(*) FROM presets WHERE \(unsentRow(.presets))")
      + db.count("SELECT count(*) \(changed(.presets))")
    for table in [SyncedTable.notes, .cards, .decks] {
      found.removals += try db.count("SELECT count(*) \(gone(table))")
    }
    return found
  }

  /// An answer of a card that exists locally.
  static let unsentReview = "(\(Unsent.sql) AND card IN (SELECT id FROM cards))"

  /// An answer of a card that was removed locally: Anki never removes a row from its log.
  static let unsentStray = """
    (\(Unsent.sql) AND card NOT IN (SELECT id FROM cards) AND EXISTS (SELECT 1 FROM sync_link))
    """

  /// Includes a note that exists again after its grave was sent.
  static let unsentNote = "(\(Unsent.sql) OR \(isDeleted(.notes)))"

  static func unsentRow(_ table: SyncedTable) -> String {
    "((\(Unsent.sql) OR \(isDeleted(table))) AND \(isOnlyHere(table)))"
  }

  private static func isDeleted(_ table: SyncedTable) -> String {
    "\(table.name).id IN (SELECT id FROM sent_graves WHERE kind = \(table.rawValue))"
  }

  /// Whether a row that is not its own base has no stored base either.
  private static func isOnlyHere(_ table: SyncedTable) -> String {
    "NOT EXISTS (SELECT 1 FROM bases WHERE kind = \(table.rawValue) AND bases.id = \(table.name).id AND here)"
  }

  /// The rows with local edits that the server has; `s` is the base.
  static func changed(_ table: SyncedTable) -> String {
    """
    FROM bases s JOIN \(table.name) ON \(table.name).id = s.id
    WHERE s.kind = \(table.rawValue) AND s.here AND s.state IS NOT \(table.state)
    """
  }

  /// The bases of rows that were removed locally.
  static func gone(_ table: SyncedTable) -> String {
    """
    FROM (SELECT id, json FROM bases WHERE kind = \(table.rawValue) AND here
      UNION ALL SELECT id, json FROM \(table.removed)) s
    WHERE NOT EXISTS (SELECT 1 FROM \(table.name) WHERE \(table.name).id = s.id)
    """
  }
}

enum BaseKind: Int {
  // Numbered as the tables are.
  case card = 0
  case note = 1
  case deck = 2
  case noteType = 3
  case preset = 4
  /// A row of the log that the local log cannot hold.
  case review = 5
  /// All tags; the id is 0.
  case tags = 6
  /// The settings of the collection; the id is 0.
  case settings = 7

  /// The table of this kind; nil for the kinds that have none.
  var table: SyncedTable? { SyncedTable(rawValue: rawValue) }
}
