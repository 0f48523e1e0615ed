// A log of the cards whose texts have changed, with a sequence number, from which a search index learns what it has
// to read again.
// Invariant: each change to the texts of an existing card is logged, or the log gets another epoch.

public import Storage

/// The log of changed texts, in the tables `undo_search` and `undo_search_log`, which undo ignores.
///
///     try store.undo { db in try SearchLog.forget(db) }   // the triggers did not see what undo wrote
public enum SearchLog {
  /// A new card has a higher id than all others and is not logged, so adding cards costs nothing. Changed cards are
  /// logged, and new cards with lower ids from elsewhere; the last 4,096 entries are kept.
  static let tables = """
    CREATE TABLE undo_search (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL) STRICT;
    INSERT INTO undo_search VALUES (1, random());
    CREATE TABLE undo_search_log (seq INTEGER PRIMARY KEY AUTOINCREMENT, card INTEGER NOT NULL) STRICT;
    CREATE TRIGGER cards_texts AFTER UPDATE OF content ON cards WHEN NEW.content <> OLD.content BEGIN
      INSERT INTO undo_search_log (card) VALUES (NEW.id);
      DELETE FROM undo_search_log WHERE seq <= (SELECT max(seq) FROM undo_search_log) - 4096;
    END;
    CREATE TRIGGER notes_texts AFTER UPDATE OF fields, tags ON notes BEGIN
      INSERT INTO undo_search_log (card) SELECT id FROM cards WHERE note = NEW.id;
      DELETE FROM undo_search_log WHERE seq <= (SELECT max(seq) FROM undo_search_log) - 4096;
    END;
    """

  /// The state of the cards that an index knows.
  struct State: Equatable {
    var epoch: Int64 = 0
    /// The highest id that any card has ever had.
    var lastCard: Int64 = 0
    /// The number of the last change.
    var lastChange: Int64 = 0
  }

  static func state(_ db: Database) throws -> State {
    let sql = """
      SELECT epoch, (SELECT seq FROM sqlite_sequence WHERE name = 'cards'),
        (SELECT seq FROM sqlite_sequence WHERE name = 'undo_search_log') FROM undo_search
      """
    return try db.firstRow(sql) { State(epoch: $0.integer(0), lastCard: $0.integer(1), lastChange: $0.integer(2)) }
      ?? State()
  }

  /// The cards that have changed between two states; nil if the log does not reach back that far.
  static func changes(_ db: Database, from old: State, to new: State) throws -> [Int64]? {
    guard old.epoch == new.epoch, old.lastCard <= new.lastCard, old.lastChange <= new.lastChange else { return nil }
    let logged = try db.rows("SELECT card FROM undo_search_log WHERE seq > ?", [old.lastChange]) { $0.integer(0) }
    return Int64(logged.count) == new.lastChange - old.lastChange ? logged : nil
  }

  /// Logs new cards with ids lower than those of others.
  static func note(_ db: Database, _ cards: [Int64]) throws {
    if cards.count > logLimit { return try forget(db) }
    try db.cachedStatement(sql: "INSERT INTO undo_search_log (card) SELECT value FROM json_each(?)")
      .execute(arguments: [CardTable.list(cards)])
  }

  private static let logLimit = 1000

  /// Makes all search indexes invalid.
  public static func forget(_ db: Database) throws { try db.execute(sql: "UPDATE undo_search SET epoch = random()") }
}
