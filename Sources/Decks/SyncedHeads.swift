// The ids of decks, presets and note types, which are the same in Anki, and the rows that Anki has of them.
// Invariant: a row of a server has the same id as there; a local row that happens to have this id gets another.

public import Storage

extension SyncedTable {
  /// Whether there is a row with that id.
  public func has(_ db: Database, _ id: Int64) throws -> Bool {
    try db.hasRow("SELECT 1 FROM \(name) WHERE id = ?", [id])
  }

  /// An id for a new row: the milliseconds since 1970, or the next after the last id that was used. An id far in the
  /// future is ignored.
  /// - Parameter now: seconds since 1970.
  public func freeID(_ db: Database, now: Double) throws -> Int64 {
    let first = max(1, NoteTable.firstID(now: now))
    let sql = """
      SELECT max(?1, ifnull(max(id), 0) + 1, ifnull(
        (SELECT seq FROM sqlite_sequence WHERE name = '\(name)' AND seq < ?2), 0) + 1)
      FROM \(name) WHERE id < ?2
      """
    return try db.firstRow(sql, [first, first + CardTable.ahead]) { $0.integer(0) } ?? first
  }

  /// The id of a new deck or preset.
  /// - Parameters:
  ///   - name: identifies the deck or preset that every collection of Anki has.
  ///   - wanted: used if no row has this id.
  func newID(_ db: Database, named name: String, wanted: Int64?, now: Double) throws -> Int64 {
    let wanted = wanted ?? (name == DeckRecord.firstName ? Int64(DeckRecord.firstNumber) : nil)
    if let wanted, (1...1_000_000_000_000_000).contains(wanted), try !has(db, wanted) { return wanted }
    return try freeID(db, now: now)
  }

  /// Gives a row another id, which no row may have; references to it follow.
  public func renumber(_ db: Database, _ id: Int64, to new: Int64) throws {
    let json = "iif(json = '{}', json, json_set(json, '$.id', ?1))"
    try db.execute(
      sql: "UPDATE \(name) SET id = ?1, json = \(json), \(Unsent.sql) WHERE id = ?2", arguments: [new, id])
  }

  /// Gives the local row that has an id, if there is one, another id.
  public func makeRoom(_ db: Database, for id: Int64, now: Double) throws {
    if try has(db, id) { try renumber(db, id, to: freeID(db, now: now)) }
  }

  /// Gives a row the id that it has on a server; another row that has this id gets a new one.
  public func take(_ db: Database, _ id: Int64, by row: Int64, now: Double) throws {
    try makeRoom(db, for: id, now: now)
    try renumber(db, row, to: id)
  }

  // MARK: The rows in Anki

  /// A deck or a preset as it was last received or sent; `{}` for one that was neither.
  public func json(_ db: Database, _ id: Int64) throws -> String {
    try db.firstRow("SELECT json FROM \(name) WHERE id = ?", [id]) { $0.text(0) } ?? "{}"
  }

  /// Stores what came with a deck or a preset, unless something was stored earlier.
  public func receive(_ db: Database, _ id: Int64, json: String) throws {
    try db.execute(
      sql: "UPDATE \(name) SET json = ? WHERE id = ? AND json = '{}' AND \(Unsent.sql)", arguments: [json, id])
  }
}
