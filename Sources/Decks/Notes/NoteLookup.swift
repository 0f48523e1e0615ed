// Notes as other programs refer to them: by id, and by the text of their first field.
// Invariant: a question about many notes takes a single pass over the table.

public import Storage
public import Templates
import Text

/// The notes among which a first field is looked for.
///
///     FirstFieldScope(type: type.id, decks: nil)   // of the type, in all decks
public struct FirstFieldScope: Hashable, Sendable {
  /// Nil for the notes of every type.
  public var type: NoteTypeID?
  /// Nil for all decks.
  public var decks: [DeckID]?

  public init(type: NoteTypeID?, decks: [DeckID]? = nil) { (self.type, self.decks) = (type, decks) }
}

extension NoteTable {
  /// The key by which first fields are compared: the text without tags, with the names of media.
  public static func firstFieldKey(_ field: String) -> String { FieldHTML.sortText(field).trimmed.composed }

  /// Returns those of the keys that belong to the first field of some note.
  /// - Parameter keys: results of `firstFieldKey`.
  public static func taken(_ db: Database, _ keys: Set<String>, in scope: FirstFieldScope) throws -> Set<String> {
    var found: Set<String> = []
    try forEachFirstField(db, in: scope) { key in if keys.contains(key) { found.insert(key) } }
    return found
  }

  /// Calls `body` with the keys of all first fields.
  public static func forEachFirstField(
    _ db: Database, in scope: FirstFieldScope, _ body: (String) -> Void
  ) throws {
    var conditions: [String] = []
    let decks = scope.decks.map { "(" + $0.map { String($0.rawValue) }.joined(separator: ",") + ")" }
    if let type = scope.type { conditions.append("type = \(type.rawValue)") }
    if let decks { conditions.append("id IN (SELECT note FROM cards WHERE deck IN \(decks))") }
    let clause = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    let first = "substr(fields, 1, instr(fields || char(31), char(31)) - 1)"
    try Statement(db, "SELECT \(first) FROM notes\(clause)").forEachRow { body(key(ofField: $0.bytes(0))) }
  }

  private static func key(ofField bytes: TextBytes) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    return isShownAsWritten(bytes) ? text : firstFieldKey(text)
  }

  /// Whether the key is the field itself: most fields are a word in ASCII.
  private static func isShownAsWritten(_ bytes: TextBytes) -> Bool {
    guard let first = bytes.first, let last = bytes.last, first != 0x20, last != 0x20 else { return bytes.isEmpty }
    return bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }
  }

  /// The notes of some cards, each once, in the order of the cards.
  public static func notes(_ db: Database, ofCards ids: [CardID]) throws -> [NoteID] {
    let sql = """
      SELECT note FROM (SELECT key AS place, value AS wanted FROM json_each(?))
      CROSS JOIN cards ON cards.id = wanted ORDER BY place
      """
    return try db.rows(sql, [CardTable.list(ids.lazy.map(\.rawValue))]) { NoteID(rawValue: $0.integer(0)) }
      .distinct(by: \.self)
  }

  /// Whether all notes of a type with the shape of Basic that have cards in a deck are plain: see
  /// `NoteRecord.isPlain`.
  public static func arePlain(_ db: Database, of type: NoteTypeID, in deck: DeckID) throws -> Bool {
    let sql = "SELECT notes.fields FROM cards JOIN notes ON notes.id = note WHERE deck = ? AND type = ?"
    var arePlain = true
    try db.forEachRow(sql, while: { arePlain }, [deck.rawValue, type.rawValue]) { row in
      arePlain = NoteRecord.arePlain(NoteFieldText.list(row.text(0)))
    }
    return arePlain
  }

  /// All tags of all notes, sorted.
  public static func tags(_ db: Database) throws -> [String] {
    var tags: Set<String> = []
    try db.forEachRow("SELECT DISTINCT tags FROM notes WHERE tags <> ''") { tags.formUnion(Tags.list($0.text(0))) }
    return tags.sorted()
  }
}
