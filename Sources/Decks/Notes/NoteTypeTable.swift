// Note types in the database: finding, creating, and the stock types.
// Invariant: no two names differ only in case or in Unicode composition.

public import Storage
public import Templates
import Text
import Values

public enum NoteTypeTable {
  private static let columns = "id, name, cloze, mod, json"

  public static func list(_ db: Database) throws -> [NoteType] {
    try db.rows("SELECT \(columns) FROM note_types ORDER BY name_key", [], record)
  }

  /// The type with an id; nil if it no longer exists.
  public static func known(_ db: Database, _ id: NoteTypeID) throws -> NoteType? {
    try db.firstRow("SELECT \(columns) FROM note_types WHERE id = ?", [id.rawValue], record)
  }

  /// - Throws: `DeckError.gone`.
  public static func record(_ db: Database, _ id: NoteTypeID) throws -> NoteType {
    guard let found = try known(db, id) else { throw DeckError.gone(what: "the note type") }
    return found
  }

  /// The type with a name, case-insensitively; nil if there is none.
  public static func named(_ db: Database, _ name: String) throws -> NoteType? {
    try db.firstRow("SELECT \(columns) FROM note_types WHERE name_key = ?", [DeckName.key(name)], record)
  }

  /// - Throws: `NoteError.typeNotFound` with the nearest name, including those of stock types.
  public static func find(_ db: Database, named name: String) throws -> NoteType {
    if let found = try named(db, name) { return found }
    let names = try list(db).map(\.name) + StockNoteType.allCases.map(\.rawValue)
    throw NoteError.typeNotFound(name: name, suggestion: suggestion(for: name, among: names))
  }

  /// The type with a name; a stock type is created if it is missing.
  public static func findOrMake(_ db: Database, named name: String, now: Double) throws -> NoteType {
    if let found = try named(db, name) { return found }
    let key = DeckName.key(name)
    if let stock = StockNoteType.allCases.first(where: { $0.rawValue.lowercased() == key }) {
      return try create(db, stock.draft, now: now)
    }
    return try find(db, named: name)
  }

  /// A stock type: the type of that name if it has the shape of the stock type, else another type of that shape, else
  /// a new one.
  public static func stock(_ db: Database, _ stock: StockNoteType, now: Double) throws -> NoteType {
    if let known = try named(db, stock.rawValue), stock.isSame(as: known) { return known }
    if let other = try list(db).first(where: stock.isSame) { return other }
    var draft = stock.draft
    while try named(db, draft.name) != nil { draft.name += "+" }
    return try create(db, draft, now: now)
  }

  /// The type for notes made from a prompt and an answer: a type with the shape of Basic, preferably Basic itself.
  package static func basic(_ db: Database, now: Double) throws -> NoteTypeID {
    let sql = "SELECT id FROM note_types WHERE basic ORDER BY name_key <> 'basic', id LIMIT 1"
    if let known = try db.firstRow(sql, [], { NoteTypeID(rawValue: $0.integer(0)) }) { return known }
    return try stock(db, .basic, now: now).id
  }

  /// The types of the notes whose cards a deck holds, by name.
  public static func used(_ db: Database, in deck: DeckID) throws -> [NoteType] {
    let sql = "SELECT DISTINCT notes.type FROM cards JOIN notes ON notes.id = cards.note WHERE cards.deck = ?"
    let ids = try db.rows(sql, [deck.rawValue]) { NoteTypeID(rawValue: $0.integer(0)) }
    return try ids.map { try record(db, $0) }.sorted { $0.name < $1.name }
  }

  public static func noteCount(_ db: Database, _ id: NoteTypeID) throws -> Int {
    try db.count("SELECT count(*) FROM notes WHERE type = ?", [id.rawValue])
  }

  /// The number of notes of each type that has any, in one scan.
  public static func noteCounts(_ db: Database) throws -> [NoteTypeID: Int] {
    let rows = try db.rows("SELECT type, count(*) FROM notes GROUP BY type") { row in
      (NoteTypeID(rawValue: row.integer(0)), row.count(1))
    }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  /// - Parameter isFromFile: whether an export wrote the draft, perhaps from a type that another program made.
  /// - Throws: `NoteError.typeExists`, `.badType`, `.badTemplate`.
  @discardableResult
  public static func create(
    _ db: Database, _ draft: NoteTypeDraft, now: Double, isFromFile: Bool = false
  ) throws -> NoteType {
    let draft = try isFromFile ? draft.received() : draft.checked()
    if let known = try named(db, draft.name) { throw NoteError.typeExists(name: known.name) }
    let id = NoteTypeID(rawValue: try SyncedTable.noteTypes.freeID(db, now: now))
    let type = NoteType(draft, id: id, modified: seconds(now))
    try insert(db, type)
    return type
  }

  static func insert(_ db: Database, _ type: NoteType) throws {
    try db.execute(
      sql: "INSERT INTO note_types (id, name, name_key, cloze, basic, mod, json) VALUES (?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        type.id.rawValue, type.name, DeckName.key(type.name), type.isCloze, type.isBasic, type.modified, type.json,
      ])
  }

  static func write(_ db: Database, _ type: NoteType) throws {
    if let other = try named(db, type.name), other.id != type.id { throw NoteError.typeExists(name: other.name) }
    try SyncedTable.noteTypes.keep(db, [type.id.rawValue])
    try db.execute(
      sql: """
        UPDATE note_types SET name = ?, name_key = ?, cloze = ?, basic = ?, mod = ?, \(Unsent.sql), json = ?
        WHERE id = ?
        """,
      arguments: [
        type.name, DeckName.key(type.name), type.isCloze, type.isBasic, type.modified, type.json, type.id.rawValue,
      ])
    if db.changesCount == 0 { throw DeckError.gone(what: "the note type") }
  }

  /// - Throws: `NoteError.typeInUse` if it has notes.
  public static func remove(_ db: Database, _ id: NoteTypeID) throws {
    let type = try record(db, id)
    let notes = try noteCount(db, id)
    if notes > 0 { throw NoteError.typeInUse(name: type.name, notes: notes) }
    try SyncedTable.noteTypes.remove(db, id.rawValue)
  }

  private static func record(_ row: Row) throws -> NoteType {
    try NoteType(
      id: NoteTypeID(rawValue: row.integer(0)), name: row.text(1), isCloze: row.integer(2) != 0, modified: row.count(3),
      json: row.text(4))
  }
}

/// Whole seconds since 1970.
func seconds(_ now: Double) -> Int { Int(exactly: now.rounded(.down)) ?? 0 }

extension NoteType {
  private static let limits = JSONLimits(bytes: 64 << 20, depth: 64, values: 1_000_000, string: 16 << 20)

  /// Parses what `json` wrote, or what came from elsewhere.
  /// - Throws: `StorageError.damaged` if it is not a note type.
  init(id: NoteTypeID, name: String, isCloze: Bool, modified: Int, json: String) throws {
    let object = try NoteType.object(json, name)
    self.init(id: id, name: name, isCloze: isCloze, modified: modified, object: object)
  }

  /// Parses what `json` wrote, including its name and kind.
  /// - Throws: `StorageError.damaged` if it is not a note type.
  init(stored json: String) throws {
    let object = try NoteType.object(json, "")
    self.init(
      id: NoteTypeID(rawValue: Int64(object["id"]?.integer ?? 0)), name: object["name"]?.text ?? "",
      isCloze: object["type"]?.integer == 1, modified: object["mod"]?.integer ?? 0, object: object)
  }

  private static func object(_ json: String, _ name: String) throws -> Value.Record {
    do {
      guard let object = try JSONParser.parse(Array(json.utf8), limits: NoteType.limits).record else {
        throw NoteType.damaged(name)
      }
      return object
    } catch is JSONFailure {
      throw NoteType.damaged(name)
    }
  }

  private static func damaged(_ name: String) -> StorageError {
    .damaged(path: "the collection", detail: "the note type \(printable(name, limit: 40)) is not JSON")
  }
}
