// What the last build of a folder made: its sources, and the card of each of their rows.
// Invariant: a row names a note, whose content was `built` when it was written; undo takes all of it
// back with the cards.

import Decks
public import Storage

/// The tables of builds.
public enum BuildTable {
  public static let migrations = [Migration("builds", sql: tables)]

  /// `whole` and `front` are hashes of a row as the source has it, `built` one of the content as the deck has it,
  /// `modified` the moment of it. The stamps of sources and media are their sizes, times and inodes; `hash` is the
  /// content's, as an account names it.
  private static let tables = """
    CREATE TABLE builds (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, namespace TEXT NOT NULL) STRICT;
    CREATE UNIQUE INDEX builds_name ON builds(name, namespace);
    CREATE TABLE build_sources (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      build INTEGER NOT NULL REFERENCES builds(id) ON DELETE CASCADE,
      path TEXT NOT NULL,
      size INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      content INTEGER NOT NULL,
      inputs TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE UNIQUE INDEX build_sources_path ON build_sources(build, path);
    CREATE TABLE build_rows (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      source INTEGER NOT NULL REFERENCES build_sources(id) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      line INTEGER NOT NULL,
      name TEXT NOT NULL,
      whole INTEGER NOT NULL,
      front INTEGER NOT NULL,
      note INTEGER,
      built INTEGER NOT NULL,
      modified REAL NOT NULL
    ) STRICT;
    CREATE INDEX build_rows_source ON build_rows(source, place);
    CREATE TABLE build_media (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      build INTEGER NOT NULL REFERENCES builds(id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      size INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      hash TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX build_media_name ON build_media(build, name);
    """

  /// The build of a deck, made when it is missing.
  static func ensure(_ db: Database, _ folder: BuildFolder) throws -> Int64 {
    if let known = try find(db, folder) { return known }
    try db.execute(
      sql: "INSERT INTO builds (name, namespace) VALUES (?, ?)", arguments: [folder.name, folder.namespace])
    return db.lastInsertedRowID
  }

  static func find(_ db: Database, _ folder: BuildFolder) throws -> Int64? {
    try db.firstRow("SELECT id FROM builds WHERE name = ? AND namespace = ?", [folder.name, folder.namespace]) {
      $0.integer(0)
    }
  }

  /// The sources of a build by path.
  static func sources(_ db: Database, of build: Int64) throws -> [String: BuiltSource] {
    var sources: [String: BuiltSource] = [:]
    let sql = "SELECT id, path, content, inputs, size, modified, inode FROM build_sources WHERE build = ?"
    try db.forEachRow(sql, [build]) { row in
      sources[row.text(1)] = BuiltSource(
        id: row.integer(0), stamp: stamp(row, from: 4), content: row.integer(2), inputs: row.text(3))
    }
    return sources
  }

  private static func stamp(_ row: Row, from column: Int32) -> SourceStamp {
    SourceStamp(size: row.count(column), modified: row.count(column + 1), inode: row.count(column + 2))
  }

  static func save(
    _ db: Database, _ source: BuildSource, of build: Int64, content: Int64, inputs: String
  ) throws -> Int64 {
    try db.execute(
      sql: """
        INSERT INTO build_sources (build, path, size, modified, inode, content, inputs) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (build, path) DO UPDATE SET size = excluded.size, modified = excluded.modified,
          inode = excluded.inode, content = excluded.content, inputs = excluded.inputs
        """,
      arguments: [
        build, source.path, source.stamp.size, source.stamp.modified, source.stamp.inode, content, inputs,
      ])
    return try db.firstRow("SELECT id FROM build_sources WHERE build = ? AND path = ?", [build, source.path]) {
      $0.integer(0)
    } ?? 0
  }

  static func forget(_ db: Database, source: Int64) throws {
    try db.execute(sql: "DELETE FROM build_rows WHERE source = ?", arguments: [source])
    try db.execute(sql: "DELETE FROM build_sources WHERE id = ?", arguments: [source])
  }

  // MARK: Media

  /// The media that a build brought in, by their names.
  static func media(_ db: Database, of build: Int64) throws -> [String: (stamp: SourceStamp, hash: String)] {
    var media: [String: (stamp: SourceStamp, hash: String)] = [:]
    try db.forEachRow("SELECT name, hash, size, modified, inode FROM build_media WHERE build = ?", [build]) { row in
      media[row.text(0)] = (stamp(row, from: 2), row.text(1))
    }
    return media
  }

  static func save(_ db: Database, _ file: BuildMediaFile, of build: Int64, hash: String) throws {
    try db.execute(
      sql: """
        INSERT INTO build_media (build, name, size, modified, inode, hash) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (build, name) DO UPDATE SET size = excluded.size, modified = excluded.modified,
          inode = excluded.inode, hash = excluded.hash
        """,
      arguments: [build, file.name, file.stamp.size, file.stamp.modified, file.stamp.inode, hash])
  }

  static func forget(_ db: Database, media name: String, of build: Int64) throws {
    try db.execute(sql: "DELETE FROM build_media WHERE build = ? AND name = ?", arguments: [build, name])
  }

  // MARK: Rows

  private static let columns = "r.name, r.whole, r.front, r.note, r.built, r.line"

  private static func row(_ row: Row) -> BuiltRow {
    BuiltRow(
      name: row.text(0), whole: row.integer(1), front: row.integer(2),
      note: row.optionalInteger(3).map(NoteID.init), built: row.integer(4), line: row.count(5))
  }

  /// The rows of a source in its order.
  static func rows(_ db: Database, of source: Int64) throws -> [BuiltRow] {
    try db.rows("SELECT \(columns) FROM build_rows r WHERE r.source = ? ORDER BY r.place", [source], row)
  }

  /// When a note, or one of its cards, was changed last.
  private static let noteModified = """
    (SELECT max(notes.mod, (SELECT max(cards.mod) FROM cards WHERE note = notes.id)) FROM notes WHERE id =
    """

  /// The rows whose note is gone, or was changed in some way since it was built, by their sources.
  static func touched(_ db: Database, of build: Int64) throws -> [Int64: [BuiltRow]] {
    let sql = """
      SELECT \(columns), r.source FROM build_sources s JOIN build_rows r ON r.source = s.id
      WHERE s.build = ? AND r.note IS NOT NULL AND \(noteModified) r.note) IS NOT r.modified
      ORDER BY r.source, r.place
      """
    var rows: [Int64: [BuiltRow]] = [:]
    try db.forEachRow(sql, [build]) { rows[$0.integer(6), default: []].append(row($0)) }
    return rows
  }

  /// An id that the sources give to two rows, with the two sources.
  static func repeated(_ db: Database, in build: Int64) throws -> (id: String, path: String, other: String)? {
    let sql = """
      SELECT r.name, min(s.path), max(s.path) FROM build_rows r JOIN build_sources s ON s.id = r.source
      WHERE s.build = ? AND r.name >= '=' AND r.name < '>' GROUP BY r.name HAVING count(*) > 1 LIMIT 1
      """
    return try db.firstRow(sql, [build]) { (String($0.text(0).dropFirst()), $0.text(1), $0.text(2)) }
  }

  /// Puts the rows of a source in place of those that it had.
  static func setRows(_ db: Database, of source: Int64, _ rows: [BuiltRow]) throws {
    try db.execute(sql: "DELETE FROM build_rows WHERE source = ?", arguments: [source])
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO build_rows (source, place, line, name, whole, front, note, built, modified)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, coalesce(\(noteModified) ?7), 0))
        """)
    for (place, row) in rows.enumerated() {
      try statement.execute(
        arguments: [
          source, place, row.line, row.name, row.whole, row.front, row.note?.rawValue, row.built,
        ])
    }
  }
}

/// A source as it was built last.
struct BuiltSource {
  let id: Int64
  let stamp: SourceStamp
  let content: Int64
  /// The files that a generator read, as `BuildInputs` writes them.
  let inputs: String
}

/// A row as it was built last.
struct BuiltRow {
  /// The id that the source gives it, or that it was given for its front.
  let name: String
  let whole: Int64
  let front: Int64
  /// Nil where the row was refused, or its note was taken away in the deck.
  var note: NoteID?
  var built: Int64
  var line: Int
}
