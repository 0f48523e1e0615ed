// What an account knows of the server that it is linked with: the link, and each row as the server has it.
// Invariant: a shadow is what the server gave, unchanged; `local` is the row here that was made of it, NULL where there
// is none, and `state` is what that row held then. The key is in neither table.

import Decks
public import Storage

/// An account's link with a server.
///
///     if let link = try SyncTables.link(db) { print(link.address, link.user) }
public struct SyncLink: Equatable, Sendable {
  public var address: String
  public var user: String
  /// What the server said at the last sync; nil before the first.
  public var meta: SyncMeta?
  /// When that was, in seconds since 1970.
  public var synced: Double?

  public init(address: String, user: String) { (self.address, self.user) = (address, user) }
}

/// What here is not on the server.
///
///     waiting.total   // 12
public struct UnsentChanges: Equatable, Sendable {
  public var notes = 0
  public var cards = 0
  public var answers = 0
  public var types = 0
  public var decks = 0
  public var presets = 0
  /// Cards and notes that were removed here.
  public var removals = 0

  public init() {}

  public var total: Int { notes + cards + answers + types + decks + presets + removals }
}

/// The tables of a sync.
public enum SyncTables {
  public static let migrations =
    [Migration("sync.1", sql: first), Migration("sync.2", sql: second)] + SentStamp.migrations

  private static let first = """
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
    CREATE TABLE sync_shadows (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind INTEGER NOT NULL,
      remote INTEGER NOT NULL,
      usn INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      json TEXT NOT NULL,
      local INTEGER,
      state TEXT
    ) STRICT;
    CREATE UNIQUE INDEX sync_shadows_remote ON sync_shadows(kind, remote);
    CREATE INDEX sync_shadows_local ON sync_shadows(kind, local) WHERE local IS NOT NULL;
    """

  /// What was deleted here and there: an id of it is never given again. `sent` is 1 for what was deleted here. Undoing
  /// leaves them: what comes back goes under another id. An answer that is taken back here stays on the server, and so
  /// its row does here.
  private static let second = """
    CREATE TABLE told_graves (
      kind INTEGER NOT NULL,
      remote INTEGER NOT NULL,
      sent INTEGER NOT NULL,
      PRIMARY KEY (kind, remote)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER sync_reviews_stay AFTER DELETE ON reviews
    WHEN OLD.usn >= 0 AND EXISTS (SELECT 1 FROM sync_link WHERE usn IS NOT NULL) BEGIN
      INSERT OR IGNORE INTO sync_shadows (kind, remote, usn, modified, json)
      VALUES (5, OLD.id, OLD.usn, 0, json_array(OLD.id, OLD.card, OLD.usn, OLD.rating, OLD.ivl,
        OLD.last_ivl, OLD.factor, OLD.time, OLD.kind));
    END;
    """

  // MARK: The link

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

  /// Forgets the server and all that it gave, as far as it is not cards here.
  public static func removeLink(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM sync_link; DELETE FROM told_graves; DELETE FROM told_media")
    try forgetRows(db)
  }

  /// Forgets what the server gave.
  public static func forgetRows(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM sync_shadows")
    try db.execute(sql: "DELETE FROM told_graves WHERE sent = 0")
    try SentStamp.forget(db)
  }

  // MARK: Figures

  /// What was changed here since the last sync. Every row is looked at, unless nothing was written since all was sent.
  public static func unsent(_ db: Database) throws -> UnsentChanges {
    if try SentStamp.holds(db) { return UnsentChanges() }
    func count(_ sql: String) throws -> Int { try db.firstRow(sql) { $0.count(0) } ?? 0 }
    var found = UnsentChanges()
    found.notes = try count("SELECT count(*) FROM notes WHERE \(unsentNote)")
    found.cards =
      try count("SELECT count(*) FROM cards WHERE \(isOnlyHere(.card, "cards"))")
      + count("SELECT count(*) \(changed(.card))")
    found.answers = try count("SELECT count(*) FROM reviews WHERE \(unsentReview) OR \(unsentStray)")
    // The types that everybody has go along with their notes.
    found.types = try count(
      """
      SELECT count(*) FROM note_types WHERE \(Unsent.sql)
        AND (id NOT BETWEEN 1600000000001 AND 1600000000006 OR NOT \(isOnlyHere(.noteType, "note_types")))
      """)
    // A deck around one of the server's is there because that one is.
    found.decks = try count(
      """
      SELECT count(*) FROM decks WHERE \(isOnlyHere(.deck, "decks")) AND NOT EXISTS (
        SELECT 1 FROM sync_shadows s JOIN decks inner_deck ON inner_deck.id = s.local
        WHERE s.kind = \(ShadowKind.deck.rawValue)
          AND substr(inner_deck.name_key, 1, length(decks.name_key) + 2) = decks.name_key || '::')
      """)
    found.decks += try count("SELECT count(*) \(changed(.deck))")
    found.presets =
      try count("SELECT count(*) FROM presets WHERE \(isOnlyHere(.preset, "presets"))")
      + count("SELECT count(*) \(changed(.preset))")
    for kind in [ShadowKind.note, .card, .deck] { found.removals += try count("SELECT count(*) \(gone(kind))") }
    return found
  }

  // MARK: What is not on the server, for those who count it and those who send it

  /// An answer of a card that is here.
  static let unsentReview = "(\(Unsent.sql) AND card IN (SELECT id FROM cards))"

  /// An answer of a card that was removed here: Anki never takes a row out of its log.
  static let unsentStray = """
    (\(Unsent.sql) AND card NOT IN (SELECT id FROM cards) AND EXISTS (SELECT 1 FROM sync_link))
    """

  static let unsentNote = "\(Unsent.sql) OR \(isOnlyHere(.note, "notes"))"

  /// Whether the server has no row for one of a table here.
  static func isOnlyHere(_ kind: ShadowKind, _ table: String) -> String {
    "NOT EXISTS (SELECT 1 FROM sync_shadows WHERE kind = \(kind.rawValue) AND local = \(table).id)"
  }

  /// The rows that both sides have and that were changed here; `s` is the shadow.
  static func changed(_ kind: ShadowKind) -> String {
    let (table, state) = kind.stated
    return """
      FROM sync_shadows s JOIN \(table) ON \(table).id = s.local
      WHERE s.kind = \(kind.rawValue) AND s.state IS NOT \(state)
      """
  }

  /// The shadows of rows that were removed here.
  static func gone(_ kind: ShadowKind) -> String {
    """
    FROM sync_shadows s WHERE s.kind = \(kind.rawValue) AND s.local IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM \(kind.stated.table) WHERE id = s.local)
    """
  }
}

/// What a shadow is of.
enum ShadowKind: Int {
  // As the kinds of deletions are numbered.
  case card = 0
  case note = 1
  case deck = 2
  case noteType = 3
  case preset = 4
  /// A row of the log that the log here has no place for.
  case review = 5
  /// All tags; `remote` is 0.
  case tags = 6
  /// The settings of the collection; `remote` is 0.
  case settings = 7

  /// What of a row here a change is told by.
  static let cardState = """
    json_array(cards.deck, iif(cards.state = 0, cards.rank, NULL), cards.suspended, cards.buried, cards.flag,
      cards.state, cards.step, cards.due, cards.stability, cards.difficulty, cards.reps, cards.lapses,
      cards.last_review)
    """
  static let deckState = "json_array(decks.name, decks.preset, decks.options)"
  static let presetState = "json_array(presets.name, presets.options)"
}
