// Presets in the database: named sets of options, which decks share.
// Invariant: no two names differ only in case; when a preset is removed, its decks use that of the decks around them.

public import Storage
import Text

/// The id of a preset, here and in Anki. An id is never used again for another preset.
public struct PresetID: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
}

public struct PresetRecord: Equatable, Sendable {
  public let id: PresetID
  public let name: String
  public let options: DeckOptions
  /// The number of decks to which it is assigned directly.
  public let deckCount: Int
}

public enum PresetTable {
  private static let columns = "id, name, options, (SELECT count(*) FROM decks WHERE preset = presets.id)"

  // MARK: Finding

  public static func list(_ db: Database) throws -> [PresetRecord] {
    try db.rows("SELECT \(columns) FROM presets ORDER BY name_key", [], record)
  }

  /// The options of all presets; unlike `list`, it does not count their decks.
  static func options(_ db: Database) throws -> [PresetID: DeckOptions] {
    let rows = try db.rows("SELECT id, options FROM presets") { row in
      (PresetID(rawValue: row.integer(0)), try DeckOptions(json: row.text(1)))
    }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  /// Finds the preset with a name, case-insensitively.
  /// - Throws: `presetNotFound` with the nearest name.
  public static func find(_ db: Database, named name: String) throws -> PresetRecord {
    if let found = try named(db, name) { return found }
    let names = try db.rows("SELECT name FROM presets") { $0.text(0) }
    throw DeckError.presetNotFound(name: name, suggestion: suggestion(for: name, among: names))
  }

  /// Finds the preset with a name, and creates it if it is missing.
  /// - Throws: `badPresetName`.
  public static func findOrCreate(_ db: Database, named name: String, now: Double) throws -> PresetRecord {
    try named(db, name) ?? create(db, name: name, now: now)
  }

  private static func named(_ db: Database, _ name: String) throws -> PresetRecord? {
    try db.firstRow("SELECT \(columns) FROM presets WHERE name_key = ?", [DeckName.key(name)], record)
  }

  /// - Throws: `gone` if the preset was removed.
  public static func record(_ db: Database, _ id: PresetID) throws -> PresetRecord {
    let found = try db.firstRow("SELECT \(columns) FROM presets WHERE id = ?", [id.rawValue], record)
    guard let found else { throw DeckError.gone(what: "the preset") }
    return found
  }

  // MARK: Changing

  /// - Parameter id: its id, if no preset has it.
  /// - Throws: `presetExists`, `badPresetName`.
  @discardableResult
  public static func create(
    _ db: Database, name: String, options: DeckOptions = DeckOptions(), id: PresetID? = nil, now: Double
  ) throws -> PresetRecord {
    let name = try checked(db, name)
    let id = try SyncedTable.presets.newID(db, named: name, wanted: id?.rawValue, now: now)
    try db.execute(
      sql: "INSERT INTO presets (id, name, name_key, options) VALUES (?, ?, ?, ?)",
      arguments: [id, name, DeckName.key(name), options.json])
    return try record(db, PresetID(rawValue: id))
  }

  /// The local preset for a preset of a package: one with the same options and the given name, or that name with a
  /// number from `freeName`; else a new one, which gets another name if the given one is taken.
  /// - Parameter id: the id for a new one, if no preset has it.
  public static func receive(
    _ db: Database, named given: String, _ options: DeckOptions, id: PresetID? = nil, now: Double
  ) throws -> PresetID {
    let name = cleaned(given)
    for known in try list(db) where known.options == options && isNumbered(known.name, from: name) { return known.id }
    return try create(db, name: freeName(db, like: name), options: options, id: id, now: now).id
  }

  /// Whether a name is another one, or `freeName` made it from that.
  private static func isNumbered(_ name: String, from given: String) -> Bool {
    name == given || name.hasPrefix(given + " ") && Int(name.dropFirst(given.count + 1)) != nil
  }

  /// Changes a name to one that a preset can have.
  private static func cleaned(_ given: String) -> String {
    let name = String(given.unicodeScalars.filter { !DeckName.isControl($0) }.map(Character.init))
    let parts = DeckName.split(String(limitingMarks(name).trimmed.prefix(190))).map(\.trimmed).filter { !$0.isEmpty }
    return parts.isEmpty ? "Imported" : parts.joined(separator: "::")
  }

  /// Stores a preset of a server, under its id. A local preset that was not sent becomes this one if it has the same
  /// name and options; another local preset with the id gets a new id.
  /// - Parameter isOurs: whether a local preset is not on the server.
  public static func place(
    _ db: Database, _ id: PresetID, named given: String, _ options: DeckOptions, now: Double,
    isOurs: (PresetID) throws -> Bool
  ) throws {
    let same = try list(db).first {
      try $0.options == options && $0.name.lowercased() == given.lowercased() && isOurs($0.id)
    }
    if same?.id == id { return }
    if let same { return try SyncedTable.presets.take(db, id.rawValue, by: same.id.rawValue, now: now) }
    try SyncedTable.presets.makeRoom(db, for: id.rawValue, now: now)
    // If two presets on the server have the same name, each keeps its own row.
    try create(db, name: freeName(db, like: cleaned(given)), options: options, id: id, now: now)
  }

  /// - Throws: `presetExists`, `badPresetName`, `gone`.
  public static func rename(_ db: Database, _ id: PresetID, to name: String) throws {
    let name = try checked(db, name, except: id)
    try SyncedTable.presets.keep(db, [id.rawValue])
    try change(db, "UPDATE presets SET name = ?, name_key = ? WHERE id = ?", [name, DeckName.key(name), id.rawValue])
  }

  /// Changes the options, for all decks that have the preset.
  public static func setOptions(_ db: Database, _ id: PresetID, to options: DeckOptions) throws {
    try SyncedTable.presets.keep(db, [id.rawValue])
    try change(db, "UPDATE presets SET options = ? WHERE id = ?", [options.json, id.rawValue])
  }

  /// Removes a preset. From then on, its decks use the presets of the decks around them.
  public static func remove(_ db: Database, _ id: PresetID) throws {
    let decks = try db.rows("SELECT id FROM decks WHERE preset = ?", [id.rawValue]) { $0.integer(0) }
    try SyncedTable.decks.keep(db, decks)
    if try !SyncedTable.presets.remove(db, id.rawValue) { throw DeckError.gone(what: "the preset") }
  }

  /// Returns a name that no preset has: the given one, or that name with a number.
  public static func freeName(_ db: Database, like given: String) throws -> String {
    // Leaves room for the number; a long name is truncated to its last part.
    let name = given.count <= 190 ? given : String(DeckName.split(given).last?.prefix(190) ?? "").trimmed
    var (number, candidate) = (1, name)
    while try named(db, candidate) != nil {
      number += 1
      candidate = "\(name) \(number)"
    }
    return candidate
  }

  private static func change(_ db: Database, _ sql: String, _ arguments: StatementArguments) throws {
    try db.execute(sql: sql, arguments: arguments)
    if db.changesCount == 0 { throw DeckError.gone(what: "the preset") }
  }

  /// The rules for the names of presets are those for the names of decks.
  private static func checked(_ db: Database, _ given: String, except id: PresetID? = nil) throws -> String {
    let name: String
    do throws(DeckError) { name = try DeckName(given).text } catch {
      guard case .badName(_, let reason) = error else { throw error }
      throw DeckError.badPresetName(name: given, reason: reason)
    }
    if let there = try named(db, name), there.id != id { throw DeckError.presetExists(name: there.name) }
    return name
  }

  private static func record(_ row: Row) throws -> PresetRecord {
    PresetRecord(
      id: PresetID(rawValue: row.integer(0)), name: row.text(1), options: try DeckOptions(json: row.text(2)),
      deckCount: row.count(3))
  }
}
