// Presets in the database: options by a name, which decks share.
// Invariant: no two names differ only in capitals; a preset that is removed leaves its decks to what is around them.

public import Storage
import Text

/// Which preset: never used again for another one.
public struct PresetID: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A preset as it was when it was read.
public struct PresetRecord: Equatable, Sendable {
  public let id: PresetID
  public let name: String
  public let options: DeckOptions
  /// The decks that have it themselves.
  public let deckCount: Int
}

public enum PresetTable {
  private static let columns = """
    id, name, options, (SELECT count(*) FROM decks WHERE preset = presets.id)
    """

  // MARK: Finding

  /// All presets, by name.
  public static func list(_ db: Database) throws -> [PresetRecord] {
    try db.rows("SELECT \(columns) FROM presets ORDER BY name_key", [], record)
  }

  /// The preset of that name, capitals aside.
  /// - Throws: `presetNotFound` with the nearest name.
  public static func find(_ db: Database, named name: String) throws -> PresetRecord {
    let key = name.trimmed.lowercased()
    if let found = try db.firstRow("SELECT \(columns) FROM presets WHERE name_key = ?", [key], record) { return found }
    let names = try db.rows("SELECT name FROM presets") { $0.text(0) }
    throw DeckError.presetNotFound(name: name, suggestion: suggestion(for: name, among: names))
  }

  /// The preset of that name, made when it is missing.
  /// - Throws: `badName`.
  public static func findOrCreate(_ db: Database, named name: String) throws -> PresetRecord {
    let sql = "SELECT \(columns) FROM presets WHERE name_key = ?"
    return try db.firstRow(sql, [name.trimmed.lowercased()], record) ?? create(db, name: name)
  }

  /// - Throws: `gone` when it was removed.
  public static func record(_ db: Database, _ id: PresetID) throws -> PresetRecord {
    let found = try db.firstRow("SELECT \(columns) FROM presets WHERE id = ?", [id.rawValue], record)
    guard let found else { throw DeckError.gone(what: "the preset") }
    return found
  }

  // MARK: Changing

  /// - Throws: `presetExists`, `badName`.
  @discardableResult
  public static func create(
    _ db: Database, name: String, options: DeckOptions = DeckOptions()
  ) throws -> PresetRecord {
    let name = try checked(db, name)
    try db.execute(
      sql: "INSERT INTO presets (name, name_key, options) VALUES (?, ?, ?)",
      arguments: [name, name.lowercased(), options.json])
    return try record(db, PresetID(rawValue: db.lastInsertedRowID))
  }

  /// A preset of a package: the one of that name where it has the same options, else a new one, of a name of its own
  /// where that one is taken.
  public static func receive(_ db: Database, named given: String, _ options: DeckOptions) throws -> PresetID {
    let name = String(given.unicodeScalars.filter { $0.properties.generalCategory != .control }.map(Character.init))
      .trimmed.prefix(190)
    for known in try list(db) where known.options == options && known.name.hasPrefix(name) { return known.id }
    let wanted = DeckName.split(String(name)).map(\.trimmed).filter { !$0.isEmpty }.joined(separator: "::")
    return try create(db, name: freeName(db, like: wanted.isEmpty ? "Imported" : wanted), options: options).id
  }

  /// - Throws: `presetExists`, `badName`, `gone`.
  public static func rename(_ db: Database, _ id: PresetID, to name: String) throws {
    let name = try checked(db, name, except: id)
    try change(
      db, "UPDATE presets SET name = ?, name_key = ? WHERE id = ?", [name, name.lowercased(), id.rawValue])
  }

  /// Changes the options of every deck that has the preset.
  public static func setOptions(_ db: Database, _ id: PresetID, to options: DeckOptions) throws {
    try change(db, "UPDATE presets SET options = ? WHERE id = ?", [options.json, id.rawValue])
  }

  /// Its decks go by the decks around them from then on.
  public static func remove(_ db: Database, _ id: PresetID) throws {
    try change(db, "DELETE FROM presets WHERE id = ?", [id.rawValue])
  }

  /// A name that no preset has: the given one, or that with a number.
  public static func freeName(_ db: Database, like given: String) throws -> String {
    // Room for the number; a long name is cut to its last part.
    let name = given.count <= 190 ? given : String(DeckName.split(given).last?.prefix(190) ?? "").trimmed
    for number in 1... {
      let candidate = number == 1 ? name : "\(name) \(number)"
      let sql = "SELECT 1 FROM presets WHERE name_key = ?"
      if try db.firstRow(sql, [candidate.lowercased()], { _ in true }) == nil { return candidate }
    }
    return name
  }

  // MARK: Rows

  private static func change(_ db: Database, _ sql: String, _ arguments: StatementArguments) throws {
    try db.execute(sql: sql, arguments: arguments)
    if db.changesCount == 0 { throw DeckError.gone(what: "the preset") }
  }

  /// The rules of a deck's name are those of a preset's.
  private static func checked(_ db: Database, _ given: String, except id: PresetID? = nil) throws -> String {
    let name = try DeckName(given).text
    let there = try db.firstRow("SELECT id, name FROM presets WHERE name_key = ?", [name.lowercased()]) {
      (PresetID(rawValue: $0.integer(0)), $0.text(1))
    }
    if let there, there.0 != id { throw DeckError.presetExists(name: there.1) }
    return name
  }

  private static func record(_ row: Row) throws -> PresetRecord {
    PresetRecord(
      id: PresetID(rawValue: row.integer(0)), name: row.text(1), options: try DeckOptions(json: row.text(2)),
      deckCount: row.count(3))
  }
}
