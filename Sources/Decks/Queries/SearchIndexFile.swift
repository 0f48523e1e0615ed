// The search index in a file beside the database, so that the first search of a process does not read every card; and
// the log of changed texts, from which it learns what to read again. Invariant: the file is only a copy, made again if
// it cannot be used. Each change to the texts of an existing card is logged, or the log gets another epoch.

import Files
public import Storage
import Wire

extension SearchIndex {
  private static let version = 5

  /// Loads an index; returns false if there is no intact one: the search then reads the cards and writes it again.
  func load(_ path: String) -> Bool {
    SealedFile.read(path) { reader throws(WireError) -> Void in
      guard try reader.integer() == Self.version else { throw WireError() }
      let (numbers, cards) = (try reader.array(of: Int64.self), try reader.array(of: Int64.self))
      let (ends, texts) = (try reader.array(of: UInt32.self), Array(try reader.data()))
      // The cells follow each other, separated by one byte, up to the end of the texts.
      guard numbers.count == 3, ends.count == cards.count * Self.cellsPerRow,
        (ends.last.map { Int($0) + 1 } ?? 0) == texts.count, zip(ends, ends.dropFirst()).allSatisfy(<)
      else { throw WireError() }
      replace(cards: cards, ends: ends, texts: texts)
      state = SearchLog.State(epoch: numbers[0], lastCard: numbers[1], lastChange: numbers[2])
    } != nil
  }

  /// Saves the index for the next process. If the folder is read-only or full, that process reads the cards itself.
  func save(_ path: String) {
    compact()
    readCount = 0
    do {
      try SealedFile.write(path) { writer in
        writer.integer(Self.version)
        writer.data([state.epoch, state.lastCard, state.lastChange])
        writer.data(cards)
        writer.data(ends)
        writer.data(texts)
      }
    } catch {
      // Nothing depends on the file.
    }
  }
}

/// The log of changed texts, in the tables `undo_search` and `undo_search_log`, which undo ignores.
///
///     try store.undo { db in try SearchLog.forget(db) }   // the triggers did not see what undo wrote
public enum SearchLog {
  /// A new card has a higher id than all others and is not logged, so adding cards costs nothing. Changed cards are
  /// logged, and new cards with lower ids from elsewhere; the last 4,096 entries are kept. Whoever changes the fields
  /// or tags of a note writes the content of its cards: a trigger on notes, whose index calls a function, would make
  /// SQLite keep a journal for each statement and look at all that the operation has changed.
  static let tables = """
    CREATE TABLE undo_search (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL) STRICT;
    INSERT INTO undo_search VALUES (1, random());
    CREATE TABLE undo_search_log (seq INTEGER PRIMARY KEY AUTOINCREMENT, card INTEGER NOT NULL) STRICT;
    CREATE TRIGGER cards_texts AFTER UPDATE OF content ON cards BEGIN
      INSERT INTO undo_search_log (card) VALUES (NEW.id);
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
    try db.run("INSERT INTO undo_search_log (card) SELECT value FROM json_each(?)", [CardTable.list(cards)])
  }

  static let logLimit = 1000

  /// Makes all search indexes invalid.
  public static func forget(_ db: Database) throws { try db.execute(sql: "UPDATE undo_search SET epoch = random()") }
}
