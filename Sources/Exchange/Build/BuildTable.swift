// The tables with the results of the last build of each folder: its sources, and the note of each of their rows.
// Invariant: a row names a note, and `base` is the note's content when it was built; undo reverts the tables together
// with the cards.

public import Decks
public import Storage

public enum BuildTable {
  /// `whole` and `front` are hashes of a row as the source has it, `base` is the note's content as it was built, and
  /// `modified` is the note's modification time then; `gone` marks rows that the source no longer has. The stamps of
  /// sources and media are size, time and inode. `hash` is the content's hash as accounts use it; `path` is the path
  /// by which a source named the file, and empty for files in the folder `media`.
  public static let schema = Schema(
    """
    CREATE TABLE builds (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, namespace TEXT NOT NULL,
      deck INTEGER REFERENCES decks(id) ON UPDATE CASCADE ON DELETE SET NULL)
      STRICT;
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
      base TEXT NOT NULL,
      modified REAL NOT NULL,
      gone INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX build_rows_source ON build_rows(source, place);
    CREATE INDEX build_rows_name ON build_rows(name);
    CREATE INDEX build_rows_gone ON build_rows(source) WHERE gone = 1;
    CREATE TABLE build_media (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      build INTEGER NOT NULL REFERENCES builds(id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      size INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      hash TEXT NOT NULL,
      path TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX build_media_name ON build_media(build, name);
    """)

  /// Returns the build of a folder into a deck, and creates it if it is missing. Results for an earlier deck, which
  /// is gone, are deleted, so that the folder is built as if for the first time.
  /// - Parameter isNew: whether the deck was made for this build.
  static func ensure(_ db: Database, _ folder: BuildFolder, into deck: DeckID, isNew: Bool) throws -> Int64 {
    if let known = try find(db, folder.description) {
      if !isNew {
        try db.execute(
          sql: "UPDATE builds SET deck = ?1 WHERE id = ?2 AND deck IS NOT ?1", arguments: [deck.rawValue, known])
        return known
      }
      try forget(db, build: known)
    }
    try db.execute(
      sql: "INSERT INTO builds (name, namespace, deck) VALUES (?, ?, ?)",
      arguments: [folder.name, folder.namespace, deck.rawValue])
    return db.lastInsertedRowID
  }

  private static func forget(_ db: Database, build: Int64) throws {
    for source in try sources(db, of: build).values { try forget(db, source: source.id) }
    try db.execute(sql: "DELETE FROM build_media WHERE build = ?", arguments: [build])
    try db.execute(sql: "DELETE FROM builds WHERE id = ?", arguments: [build])
  }

  /// Returns the deck that a folder was built into, whatever its name is now; nil when there is none.
  public static func deck(_ db: Database, of folder: BuildFolder) throws -> DeckRecord? {
    let sql = "SELECT deck FROM builds WHERE name = ? AND namespace = ?"
    let id = try db.firstRow(sql, [folder.name, folder.namespace]) { $0.optionalInteger(0) } ?? nil
    guard let id, try DeckTable.exists(db, DeckID(rawValue: id)) else { return nil }
    return try DeckTable.record(db, DeckID(rawValue: id))
  }

  static func find(_ db: Database, _ description: BuildDescription) throws -> Int64? {
    let sql = "SELECT id FROM builds WHERE name = ? AND namespace = ?"
    return try db.firstRow(sql, [description.name, description.namespace]) { $0.integer(0) }
  }

  static func sources(_ db: Database, of build: Int64, expecting count: Int = 0) throws -> [String: BuiltSource] {
    var sources = [String: BuiltSource](minimumCapacity: count)
    let sql = "SELECT id, path, content, inputs, size, modified, inode FROM build_sources WHERE build = ?"
    try db.forEachRow(sql, [build]) { row in
      let path = row.text(1)
      sources[path] = BuiltSource(
        id: row.integer(0), path: path, stamp: stamp(row, from: 4), content: row.integer(2), inputs: row.text(3))
    }
    return sources
  }

  private static func stamp(_ row: Row, from column: Int32) -> SourceStamp {
    SourceStamp(size: row.count(column), modified: row.count(column + 1), inode: row.count(column + 2))
  }

  /// Stores the state of a source, and its path, which may have got another Unicode normal form.
  /// - Parameter id: its id; nil for a new source.
  /// - Returns: its id.
  @discardableResult
  static func save(
    _ db: Database, _ source: BuildSource, _ id: Int64?, of build: Int64, content: Int64, inputs: String
  ) throws -> Int64 {
    let sql =
      id == nil
      ? "INSERT INTO build_sources (build, path, size, modified, inode, content, inputs) VALUES (?, ?, ?, ?, ?, ?, ?)"
      : """
      UPDATE build_sources SET path = ?2, size = ?3, modified = ?4, inode = ?5, content = ?6, inputs = ?7 WHERE id = ?1
      """
    let stamp = source.stamp
    try db.run(sql, [id ?? build, source.path, stamp.size, stamp.modified, stamp.inode, content, inputs])
    return id ?? db.lastInsertedRowID
  }

  static func forget(_ db: Database, source: Int64) throws {
    try db.execute(sql: "DELETE FROM build_rows WHERE source = ?", arguments: [source])
    try db.execute(sql: "DELETE FROM build_sources WHERE id = ?", arguments: [source])
  }

  // MARK: Media

  static func media(_ db: Database, of build: Int64) throws -> [String: BuiltMedia] {
    var media: [String: BuiltMedia] = [:]
    let sql = "SELECT name, hash, path, size, modified, inode FROM build_media WHERE build = ?"
    try db.forEachRow(sql, [build]) { row in
      media[row.text(0)] = BuiltMedia(
        name: row.text(0), stamp: stamp(row, from: 3), hash: row.text(1), path: row.text(2))
    }
    return media
  }

  static func save(_ db: Database, _ file: BuildMediaFile, of build: Int64, hash: String) throws {
    let values: StatementArguments = [
      build, file.name, file.stamp.size, file.stamp.modified, file.stamp.inode, hash, file.place,
    ]
    // An existing row is not upserted, because an insertion that turns into an update would use up an id.
    let update = """
      UPDATE build_media SET size = ?3, modified = ?4, inode = ?5, hash = ?6, path = ?7 WHERE build = ?1 AND name = ?2
      """
    try db.run(update, values)
    if db.changesCount > 0 { return }
    try db.run(
      "INSERT INTO build_media (build, name, size, modified, inode, hash, path) VALUES (?, ?, ?, ?, ?, ?, ?)", values)
  }

  static func forget(_ db: Database, media name: String, of build: Int64) throws {
    try db.execute(sql: "DELETE FROM build_media WHERE build = ? AND name = ?", arguments: [build, name])
  }

  // MARK: Rows

  private static let columns = "r.name, r.whole, r.front, r.note, r.base, r.line, r.gone"

  private static func row(_ row: Row) -> BuiltRow {
    BuiltRow(
      name: row.text(0), whole: row.integer(1), front: row.integer(2),
      note: row.optionalInteger(3).map(NoteID.init), base: BuiltContent(stored: row.text(4)), line: row.count(5),
      isGone: row.integer(6) != 0)
  }

  static func notes(_ db: Database, of build: Int64) throws -> Set<NoteID> {
    let sql = """
      SELECT DISTINCT r.note FROM build_rows r JOIN build_sources s ON s.id = r.source
      WHERE s.build = ? AND r.note IS NOT NULL
      """
    return Set(try db.rows(sql, [build]) { NoteID(rawValue: $0.integer(0)) })
  }

  static func rows(_ db: Database, of source: Int64) throws -> [BuiltRow] {
    try db.rows("SELECT \(columns) FROM build_rows r WHERE r.source = ? ORDER BY r.place", [source], row)
  }

  /// SQL for the last modification of a note or any of its cards.
  private static func modified(_ note: String) -> String {
    "(SELECT max(notes.mod, (SELECT max(cards.mod) FROM cards WHERE note = notes.id)) FROM notes WHERE id = \(note))"
  }

  static func gone(_ db: Database, of build: Int64) throws -> [Int64: [BuiltRow]] {
    try rowsBySource(db, of: build, where: "r.gone = 1")
  }

  private static func rowsBySource(
    _ db: Database, of build: Int64, where condition: String
  ) throws -> [Int64: [BuiltRow]] {
    let sql = """
      SELECT \(columns), r.source FROM build_rows r CROSS JOIN build_sources s ON s.id = r.source
      WHERE s.build = ? AND \(condition) ORDER BY r.source, r.place
      """
    var rows: [Int64: [BuiltRow]] = [:]
    try db.forEachRow(sql, [build]) { rows[$0.integer(7), default: []].append(row($0)) }
    return rows
  }

  static func setGone(_ db: Database, of source: Int64, to rows: [BuiltRow]) throws {
    try db.execute(sql: "DELETE FROM build_rows WHERE source = ? AND gone = 1", arguments: [source])
    let next = try db.count("SELECT coalesce(max(place) + 1, 0) FROM build_rows WHERE source = ?", [source])
    try insert(db, rows, into: source, from: next)
  }

  /// Returns the rows whose note is gone or was modified since it was built, by source.
  static func touched(_ db: Database, of build: Int64) throws -> [Int64: [BuiltRow]] {
    // Few rows differ from one of the cards of their note; joining them all costs a third of looking at each note.
    let isTouched = """
      r.id IN (
        SELECT r.id FROM build_rows r LEFT JOIN notes ON notes.id = r.note LEFT JOIN cards ON cards.note = notes.id
        WHERE r.gone = 0 AND r.note IS NOT NULL AND max(notes.mod, cards.mod) IS NOT r.modified)
      AND \(modified("r.note")) IS NOT r.modified
      """
    return try rowsBySource(db, of: build, where: isTouched)
  }

  /// Whether a row has this id, given by its source or assigned.
  static func hasRow(_ db: Database, named name: String, in build: Int64) throws -> Bool {
    let sql = """
      SELECT 1 FROM build_rows r JOIN build_sources s ON s.id = r.source
      WHERE r.name IN (?1, '\(BuiltRow.given)' || ?1) AND s.build = ?2 LIMIT 1
      """
    return try db.hasRow(sql, [name, build])
  }

  /// Whether any source except the given ones has a row.
  static func hasRow(_ db: Database, in build: Int64, besides sources: [Int64]) throws -> Bool {
    try self.sources(db, of: build).values.contains { source in
      try !sources.contains(source.id)
        && db.hasRow("SELECT 1 FROM build_rows WHERE source = ? AND gone = 0 LIMIT 1", [source.id])
    }
  }

  static func cards(_ db: Database, of source: Int64) throws -> [(id: CardID, deck: DeckID, note: NoteID)] {
    let sql = """
      SELECT c.id, c.deck, c.note FROM build_rows r JOIN cards c ON c.note = r.note
      WHERE r.source = ? AND r.gone = 0 ORDER BY r.place, c.ord
      """
    return try db.rows(sql, [source]) {
      (CardID(rawValue: $0.integer(0)), DeckID(rawValue: $0.integer(1)), NoteID(rawValue: $0.integer(2)))
    }
  }

  /// Returns the last card in a deck that comes from the sources before the given one.
  static func lastCard(_ db: Database, of build: Int64, in deck: DeckID, before source: Int64) throws -> CardID? {
    let sql = """
      SELECT c.id FROM build_sources s JOIN build_rows r ON r.source = s.id JOIN cards c ON c.note = r.note
      WHERE s.build = ? AND s.path < (SELECT path FROM build_sources WHERE id = ?) AND r.gone = 0 AND c.deck = ?
      ORDER BY s.path DESC, r.place DESC, c.ord DESC LIMIT 1
      """
    return try db.firstRow(sql, [build, source, deck.rawValue]) { CardID(rawValue: $0.integer(0)) }
  }

  /// Returns an id that the sources give to two rows, with the places of the first two such rows.
  static func repeated(_ db: Database, in build: Int64) throws -> (id: String, places: [(path: String, line: Int)])? {
    let sql = """
      SELECT r.name FROM build_rows r JOIN build_sources s ON s.id = r.source
      WHERE s.build = ? AND r.name >= '=' AND r.name < '>' GROUP BY r.name HAVING count(*) > 1 LIMIT 1
      """
    guard let name = try db.firstRow(sql, [build], { $0.text(0) }) else { return nil }
    let rows = """
      SELECT s.path, r.line FROM build_rows r JOIN build_sources s ON s.id = r.source
      WHERE s.build = ? AND r.name = ? ORDER BY s.path, r.place LIMIT 2
      """
    return (String(name.dropFirst()), try db.rows(rows, [build, name]) { ($0.text(0), $0.count(1)) })
  }

  static func setRows(_ db: Database, of source: Int64, _ rows: [BuiltRow]) throws {
    try db.execute(sql: "DELETE FROM build_rows WHERE source = ?", arguments: [source])
    try insert(db, rows, into: source, from: 0)
  }

  private static func insert(_ db: Database, _ rows: [BuiltRow], into source: Int64, from start: Int) throws {
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO build_rows (source, place, line, name, whole, front, note, base, gone, modified)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, iif(?, 0, coalesce(\(modified("?7")), 0)))
        """)
    for (place, row) in rows.enumerated() {
      try statement.execute(
        arguments: [
          source, start + place, row.line, row.name, row.whole, row.front, row.note?.rawValue, row.base.stored,
          row.isGone ? 1 : 0, row.isEdited ? 1 : 0,
        ])
    }
  }
}

struct BuiltSource {
  let id: Int64
  let path: String
  let stamp: SourceStamp
  let content: Int64
  let inputs: String
}

struct BuiltMedia {
  let name: String
  let stamp: SourceStamp
  let hash: String
  /// The path within the folder, for a file that a source named; otherwise empty.
  let path: String
}

struct BuiltRow {
  /// The prefix of a name that is an id given by the source.
  static let given = "="

  /// The id that the source gives the row, or one derived from its front.
  var name: String
  /// Hashes of the whole row, and of its prompt or first field.
  var whole: Int64
  var front: Int64
  /// Nil when the row was refused, or its note was removed from the deck.
  var note: NoteID?
  /// The note's content according to the source.
  var base: BuiltContent
  var line: Int
  var isGone = false
  var isEdited = false

  var hasGivenID: Bool { name.hasPrefix(Self.given) }
  var givenID: String { hasGivenID ? plainName : "" }
  var plainName: String { hasGivenID ? String(name.dropFirst()) : name }
}

/// The content that a build gave a note: its fields and tags.
struct BuiltContent: Equatable {
  var fields: [String] = []
  var tags: [String] = []

  init(_ fields: [String] = [], tags: [String] = []) { (self.fields, self.tags) = (fields, tags) }

  init(stored: String) {
    let parts = stored.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
    tags = parts[0].split(separator: " ").map(String.init)
    fields = Array(parts.dropFirst())
  }

  /// Compares two contents. Tags are unordered, and a missing field equals an empty one.
  static func == (left: BuiltContent, right: BuiltContent) -> Bool {
    let count = max(left.fields.count, right.fields.count)
    return left.padded(count) == right.padded(count) && Set(left.tags) == Set(right.tags)
  }

  /// The tags, separated by spaces, and the fields, all separated by U+001F, which no field contains.
  var stored: String { ([tags.joined(separator: " ")] + fields).joined(separator: "\u{1F}") }
}
