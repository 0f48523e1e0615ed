// Games in the database: the one that was put away, and the finished ones. Invariant: at most one game is put away; a result,
// once kept, never changes.

public import GRDB
public import Storage

public enum WordGamesSchema {
  public static var migrations: [Migration] { [Migration("games.1", sql: first)] }

  private static let first = """
    CREATE TABLE games_saved (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL, saved REAL NOT NULL) STRICT;
    CREATE TABLE games_results (id INTEGER PRIMARY KEY AUTOINCREMENT, result TEXT NOT NULL, finished REAL NOT NULL) STRICT;
    """
}

public enum GameTable {
  /// Results that `results` gives at the most, the newest.
  private static let most = 10_000

  /// Puts a game away in place of the one before.
  public static func save(_ db: Database, _ state: GameState, now: Double) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO games_saved (id, state, saved) VALUES (1, ?, ?)", arguments: [state.encoded, now])
  }

  /// The game that was put away; nil when there is none.
  /// - Throws: `GameError.badState` when it cannot be read.
  public static func saved(_ db: Database) throws -> GameState? {
    guard let text = try String.fetchOne(db, sql: "SELECT CAST(state AS TEXT) FROM games_saved WHERE id = 1") else {
      return nil
    }
    return try GameState(decoding: text)
  }

  public static func forgetSaved(_ db: Database) throws { try db.execute(sql: "DELETE FROM games_saved") }

  public static func keep(_ db: Database, _ result: GameResult) throws {
    try db.execute(
      sql: "INSERT INTO games_results (result, finished) VALUES (?, ?)", arguments: [result.encoded, result.finishedAt])
  }

  /// The finished games, newest first. One that cannot be read is passed over: it must not hide the others.
  public static func results(_ db: Database) throws -> [GameResult] {
    let texts = try String.fetchAll(
      db, sql: "SELECT CAST(result AS TEXT) FROM games_results ORDER BY id DESC LIMIT ?", arguments: [most])
    return texts.compactMap { text in
      do throws(GameError) {
        return try GameResult(decoding: text)
      } catch {
        return nil
      }
    }
  }
}
