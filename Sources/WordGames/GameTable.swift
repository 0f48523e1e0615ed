// Games in the database: the saved one, and the finished ones. Invariant: at most one game is saved; while it is
// played, rows of found words are only ever added; a stored result never changes.

public import Storage

/// The tables of games.
///
///     Store(path: path, schema: WordGamesSchema.schema, isInterrupted: isInterrupted)
public enum WordGamesSchema {
  public static let tables: Set<String> = ["games_saved", "games_results", "games_found"]

  /// `game` identifies the game in the row; `found` is the number of rows of found words that it has.
  public static let schema = Schema(
    """
    CREATE TABLE games_saved (
      id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL, saved REAL NOT NULL, game INTEGER NOT NULL,
      found INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE games_results (id INTEGER PRIMARY KEY AUTOINCREMENT, result TEXT NOT NULL, \
    finished REAL NOT NULL) STRICT;
    CREATE TABLE games_found (
      position INTEGER PRIMARY KEY, word TEXT NOT NULL, points INTEGER NOT NULL, player INTEGER NOT NULL
    ) STRICT;
    """)
}

/// The saved game, and the number of its found words that have rows of their own.
///
///     let saved = try GameTable.saved(db)
///     saved?.state.baseWord
public typealias SavedGame = (state: GameState, game: Int64, found: Int)

/// The saved game and the results of finished ones.
///
///     try GameTable.save(db, game.state, game: number, now: now)
///     try GameTable.append(db, game.state(foundFrom: stored), game: number, after: stored, now: now)
public enum GameTable {
  /// The most results that `results` returns: the newest.
  private static let most = 10_000
  /// The most found words of a game that is resumed.
  private static let mostFound = 1_000_000

  /// Saves a game in place of the previous one.
  /// - Parameters:
  ///   - state: the state with all found words.
  ///   - game: the number that identifies the game.
  public static func save(_ db: Database, _ state: GameState, game: Int64, now: Double) throws {
    try db.execute(sql: "DELETE FROM games_found")
    try db.execute(
      sql: "INSERT OR REPLACE INTO games_saved (id, state, saved, game, found) VALUES (1, ?, ?, ?, ?)",
      arguments: [state.encoded, now, game, state.found.count])
    try add(db, state.found, after: 0)
  }

  /// Adds the words that were found since the last save to the saved game.
  /// - Parameters:
  ///   - state: the state with only the words that were found since.
  ///   - stored: the number of words that were stored before.
  /// - Returns: false if the stored game is another one, or was changed; then nothing is changed.
  public static func append(
    _ db: Database, _ state: GameState, game: Int64, after stored: Int, now: Double
  ) throws -> Bool {
    let update = try db.cachedStatement(
      sql: "UPDATE games_saved SET state = ?, saved = ?, found = ? WHERE id = 1 AND game = ? AND found = ?")
    try update.execute(arguments: [state.encoded, now, stored + state.found.count, game, stored])
    guard db.changesCount == 1 else { return false }
    try add(db, state.found, after: stored)
    return true
  }

  private static func add(_ db: Database, _ found: [GameState.Found], after stored: Int) throws {
    let insert = try db.cachedStatement(
      sql: "INSERT INTO games_found (position, word, points, player) VALUES (?, ?, ?, ?)")
    for (offset, word) in found.enumerated() {
      try insert.execute(arguments: [stored + offset + 1, word.word, word.points, word.player])
    }
  }

  public static func hasSaved(_ db: Database) throws -> Bool { try db.hasRow("SELECT 1 FROM games_saved") }

  /// The saved game; nil if there is none.
  /// - Throws: `GameError.badState` if it cannot be read.
  public static func saved(_ db: Database) throws -> SavedGame? {
    let saved = try db.firstRow("SELECT state, game, found FROM games_saved WHERE id = 1") { row in
      (state: row.text(0), game: row.integer(1), stored: row.count(2))
    }
    guard let (text, game, stored) = saved else { return nil }
    var state = try GameState(decoding: text)
    try db.forEachRow("SELECT word, points, player FROM games_found ORDER BY position LIMIT ?", [mostFound]) { row in
      let found = GameState.Found(word: row.text(0), points: row.count(1), player: row.count(2))
      guard GameRecord.bounds.contains(found.points) else {
        throw GameError.badState(reason: "points are out of bounds")
      }
      state.found.append(found)
    }
    guard state.found.count == stored else {
      throw GameError.badState(reason: "its number of found words is not that of their rows")
    }
    return (state, game, stored)
  }

  /// Deletes the saved game if it is this one.
  public static func forgetSaved(_ db: Database, game: Int64) throws {
    try db.execute(sql: "DELETE FROM games_saved WHERE game = ?", arguments: [game])
    if db.changesCount > 0 { try db.execute(sql: "DELETE FROM games_found") }
  }

  /// Deletes the saved game, even one that cannot be read.
  public static func removeSaved(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM games_saved; DELETE FROM games_found")
  }

  public static func keep(_ db: Database, _ result: GameResult) throws {
    try db.execute(
      sql: "INSERT INTO games_results (result, finished) VALUES (?, ?)", arguments: [result.encoded, result.finishedAt])
  }

  /// The finished games, newest first. A result that cannot be read is skipped, so that it does not hide the others.
  public static func results(_ db: Database) throws -> [GameResult] {
    let sql = "SELECT CAST(result AS TEXT) FROM games_results ORDER BY id DESC LIMIT ?"
    return try db.rows(sql, [most]) { $0.text(0) }.compactMap { text in
      do throws(GameError) { return try GameResult(decoding: text) } catch {
        return nil
      }
    }
  }
}
