// Games in the database: the one that was put away, and the finished ones. Invariant: at most one game is put away; its
// found words are rows that are only ever added while it is played; a result, once kept, never changes.

public import Storage

/// The steps of the schema for games.
///
///     Store(path: path, migrations: WordGamesSchema.migrations, isInterrupted: isInterrupted)
public enum WordGamesSchema {
  public static var migrations: [Migration] { [Migration("games.1", sql: first), Migration("games.2", sql: second)] }

  /// What of the database belongs to games.
  public static let tables: Set<String> = ["games_saved", "games_results", "games_found"]

  private static let first = """
    CREATE TABLE games_saved (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL, saved REAL NOT NULL) STRICT;
    CREATE TABLE games_results (id INTEGER PRIMARY KEY AUTOINCREMENT, result TEXT NOT NULL, finished REAL NOT NULL) STRICT;
    """

  /// `game` says which game stands in the row, `found` how many rows of found words it has. A game of step 1 has none:
  /// its words are in `state`.
  private static let second = """
    ALTER TABLE games_saved ADD COLUMN game INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE games_saved ADD COLUMN found INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE games_found (
      position INTEGER PRIMARY KEY, word TEXT NOT NULL, points INTEGER NOT NULL, player INTEGER NOT NULL
    ) STRICT;
    """
}

/// The game that was put away.
///
///     let saved = try GameTable.saved(db)
///     saved?.state.baseWord
public struct SavedGame: Equatable, Sendable {
  public let state: GameState
  /// What tells it from any other game.
  public let game: Int64
  /// How many found words have rows of their own.
  public let found: Int
}

/// The saved game and the results of finished ones.
///
///     try GameTable.save(db, game.state, game: number, now: now)
///     try GameTable.append(db, game.state(foundFrom: stored), game: number, after: stored, now: now)
public enum GameTable {
  /// Results that `results` gives at the most, the newest.
  private static let most = 10_000
  /// Found words of a game that is taken up again, at the most.
  private static let mostFound = 1_000_000

  /// Puts a game away in place of the one before.
  /// - Parameters:
  ///   - state: with all found words.
  ///   - game: what tells the game from any other.
  public static func save(_ db: Database, _ state: GameState, game: Int64, now: Double) throws {
    try db.execute(sql: "DELETE FROM games_found")
    try db.execute(
      sql: "INSERT OR REPLACE INTO games_saved (id, state, saved, game, found) VALUES (1, ?, ?, ?, ?)",
      arguments: [state.withoutFound.encoded, now, game, state.found.count])
    try add(db, state.found, after: 0)
  }

  /// Adds to the game that was put away what was found since.
  /// - Parameters:
  ///   - state: with the words that were found since.
  ///   - stored: how many words were stored before.
  /// - Returns: false when what is stored is another game, or not as it was; then nothing was changed.
  public static func append(
    _ db: Database, _ state: GameState, game: Int64, after stored: Int, now: Double
  ) throws -> Bool {
    let update = try db.cachedStatement(
      sql: "UPDATE games_saved SET state = ?, saved = ?, found = ? WHERE id = 1 AND game = ? AND found = ?")
    try update.execute(
      arguments: [state.withoutFound.encoded, now, stored + state.found.count, game, stored])
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

  /// Whether a game was put away.
  public static func hasSaved(_ db: Database) throws -> Bool { try db.hasRow("SELECT 1 FROM games_saved") }

  /// The game that was put away; nil when there is none.
  /// - Throws: `GameError.badState` when it cannot be read.
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
    return SavedGame(state: state, game: game, found: stored)
  }

  /// Forgets the game that was put away, when it is this one.
  public static func forgetSaved(_ db: Database, game: Int64) throws {
    try db.execute(sql: "DELETE FROM games_saved WHERE game = ?", arguments: [game])
    if db.changesCount > 0 { try db.execute(sql: "DELETE FROM games_found") }
  }

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
