// The names of an account's media files in the database, and where notes and cards refer to them. Workspace manages the
// files themselves. Invariant: a name is one file; two names may share the same content. Files that are added here
// never have names that differ in the case of ASCII letters alone, unless their content is the same: on other systems
// they are one name. A name that was deleted here stays until the server knows; a name that is on the server but not
// wanted here has a digest and no content.

public import Storage
public import Templates
import Text

public struct MediaRecord: Equatable, Sendable {
  public let name: String
  /// SHA-256 of the content, 64 hexadecimal digits: the name of the file in the account's folder.
  public let hash: String
  /// Bytes.
  public let size: Int
}

public enum MediaTable {
  private static let columns = "name, hash, size"

  public static func list(_ db: Database) throws -> [MediaRecord] {
    try db.rows("SELECT \(columns) FROM media WHERE hash IS NOT NULL ORDER BY name", [], record)
  }

  public static func named(_ db: Database, _ name: String) throws -> MediaRecord? {
    try db.firstRow("SELECT \(columns) FROM media WHERE name = ? AND hash IS NOT NULL", [name.composed], record)
  }

  /// - Throws: `NoteError.mediaNotFound` with the nearest name.
  public static func find(_ db: Database, _ name: String) throws -> MediaRecord {
    if let found = try named(db, name) { return found }
    throw NoteError.mediaNotFound(name: name, suggestion: suggestion(for: name, among: try list(db).map(\.name)))
  }

  /// Adds a file. If the name belongs to other content, the new file gets another name.
  /// - Returns: the name of the file.
  /// - Throws: `NoteError.badMediaName`.
  public static func add(_ db: Database, name: String, hash: String, size: Int) throws -> String {
    let names = try MediaTable.names(of: MediaNames.checked(name), hash: hash)
    let free = try names.first { name in try alike(db, name).allSatisfy { $0.hash == hash } }
    let name = free ?? names[names.count - 1]
    try db.execute(
      sql: """
        INSERT INTO media (name, hash, size) VALUES (?1, ?2, ?3)
        ON CONFLICT (name) DO UPDATE SET hash = ?2, size = ?3, sha1 = NULL, pending = 1 WHERE hash IS NOT ?2
        """, arguments: [name, hash, size])
    return name
  }

  /// The files whose names are a name, or differ from it in the case of ASCII letters alone.
  public static func alike(_ db: Database, _ name: String) throws -> [MediaRecord] {
    let sql = "SELECT \(columns) FROM media WHERE name = ? COLLATE NOCASE AND hash IS NOT NULL"
    return try db.rows(sql, [name.composed], record)
  }

  /// The names that a file may get; it gets the first one that no other content has.
  private static func names(of name: String, hash: String) -> [String] {
    let own = MediaNames.distinct(name, hash: hash)
    return [name, own, MediaNames.distinct(own, hash: String(hash.reversed()))]
  }

  /// A file, and the files that were added under its name while other content had it.
  public static func namesakes(_ db: Database, of name: String) throws -> [MediaRecord] {
    try list(db).filter { names(of: name.composed, hash: $0.hash).contains($0.name) }
  }

  /// Gives a name the content of another file.
  public static func setContent(_ db: Database, of name: String, toThatOf other: MediaRecord) throws {
    let sql = "UPDATE media SET hash = ?, size = ?, sha1 = NULL, pending = 1 WHERE name = ?"
    try db.execute(sql: sql, arguments: [other.hash, other.size, name.composed])
  }

  /// Removes a name. The file stays while anything needs it; if a sync server has it, the removal is sent to the
  /// server.
  /// - Throws: `NoteError.mediaNotFound`.
  public static func remove(_ db: Database, _ name: String) throws {
    let known = try find(db, name)
    let state = try state(db, of: known.name)
    try set(db, known.name, to: state?.digest.map { MediaState(hash: nil, digest: $0) })
  }

  static func isThere(_ db: Database, _ name: String) throws -> Bool {
    try db.hasRow("SELECT 1 FROM media WHERE name = ? AND hash IS NOT NULL", [name])
  }

  public static func hashes(_ db: Database) throws -> Set<String> {
    Set(try db.rows("SELECT hash FROM media WHERE hash IS NOT NULL") { $0.text(0) })
  }

  /// The notes and types that refer to media files, by the names of the files.
  public static func references(_ db: Database) throws -> [String: MediaReferences] {
    var found: [String: MediaReferences] = [:]
    let known = Set(try db.rows("SELECT name FROM media WHERE hash IS NOT NULL") { $0.text(0) })
    let notes = "SELECT notes.id, fields, basic FROM notes JOIN note_types ON note_types.id = type ORDER BY notes.id"
    try db.forEachRow(notes) { row in
      for name in names(row.bytes(1), isBasic: row.integer(2) != 0, known: known.contains) {
        found[name, default: MediaReferences()].notes.append(NoteID(rawValue: row.integer(0)))
      }
    }
    for type in try NoteTypeTable.list(db) {
      let sides = type.cards.flatMap { [$0.front, $0.back] }
      for name in Set(sides.flatMap { MediaNames.inHTML($0, isThere: known.contains) }) {
        found[name, default: MediaReferences()].types.append(type.id)
      }
    }
    return found
  }

  /// The approximate number of bytes of the files that a deck's own cards show; a file is counted each time it is
  /// named.
  public static func size(_ db: Database, shownIn deck: DeckID) throws -> Int {
    let sizes = try db.rows("SELECT name, size FROM media WHERE hash IS NOT NULL") { ($0.text(0), $0.count(1)) }
    if sizes.isEmpty { return 0 }
    let sizeOf = Dictionary(firstOf: sizes)
    var sum = 0
    let sql = """
      SELECT notes.fields, basic FROM notes JOIN cards ON cards.note = notes.id
      JOIN note_types ON note_types.id = notes.type WHERE cards.deck = ?
      """
    try db.forEachRow(sql, [deck.rawValue]) { row in
      for name in names(row.bytes(0), isBasic: row.integer(1) != 0, known: { sizeOf[$0] != nil }) {
        sum += sizeOf[name] ?? 0
      }
    }
    return sum
  }

  /// The files that the fields of a note name. Most name none. In plain text of Basic, a tag is ordinary text, unless
  /// it names a known file.
  private static func names(_ column: TextBytes, isBasic: Bool, known: (String) -> Bool) -> Set<String> {
    let (tag, sound, entity) = (UInt8(ascii: "<"), UInt8(ascii: "["), UInt8(ascii: "&"))
    guard column.contains(where: { $0 == tag || $0 == sound || $0 == entity }) else { return [] }
    // Each field by itself: a tag that is not closed ends with its field.
    let fields = NoteFieldText.list(String(decoding: column, as: UTF8.self))
    let found = fields.reduce(into: Set<String>()) { $0.formUnion(MediaNames.inHTML($1, isThere: known)) }
    guard isBasic else { return found }
    return fields.compactMap(FieldHTML.plain).reduce(found) {
      $0.union(MediaNames.inHTML($1, isThere: known).filter(known))
    }
  }

  private static func record(_ row: Row) -> MediaRecord {
    MediaRecord(name: row.text(0), hash: row.text(1), size: row.count(2))
  }
}

/// The notes and types that refer to a media file.
public struct MediaReferences: Equatable, Sendable {
  public var notes: [NoteID] = []
  /// The types whose templates name it.
  public var types: [NoteTypeID] = []
}

public struct MediaState: Equatable, Sendable {
  /// The hash of the content here; nil if there is none.
  public var hash: String?
  public var size = 0
  /// The SHA-1 that the server has or had; nil if the server does not know the file.
  public var digest: String?
  /// Whether it was changed or deleted here, and the change was not sent yet.
  public var isPending = true

  public init(hash: String?, size: Int = 0, digest: String? = nil, isPending: Bool = true) {
    (self.hash, self.size, self.digest, self.isPending) = (hash, size, digest, isPending)
  }
}

extension MediaTable {
  /// All names that are here or on the server.
  public static func states(_ db: Database) throws -> [String: MediaState] {
    var states: [String: MediaState] = [:]
    try db.forEachRow("SELECT \(stateColumns), name FROM media") { states[$0.text(4)] = state($0) }
    return states
  }

  /// The current state of a name; nil if it is not known.
  public static func state(_ db: Database, of name: String) throws -> MediaState? {
    try db.firstRow("SELECT \(stateColumns) FROM media WHERE name = ?", [name], state)
  }

  private static let stateColumns = "hash, size, sha1, pending"

  private static func state(_ row: Row) -> MediaState {
    MediaState(
      hash: row.optionalText(0), size: row.count(1), digest: row.optionalText(2), isPending: row.integer(3) != 0)
  }

  /// Stores the state of a name; nil removes it.
  public static func set(_ db: Database, _ name: String, to state: MediaState?) throws {
    guard let state else { return try db.execute(sql: "DELETE FROM media WHERE name = ?", arguments: [name]) }
    try db.execute(
      sql: "INSERT OR REPLACE INTO media (name, hash, size, sha1, pending) VALUES (?, ?, ?, ?, ?)",
      arguments: [name, state.hash, state.size, state.digest, state.isPending])
  }
}
