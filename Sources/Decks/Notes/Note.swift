// A note as it is stored, and a note to be added: the fields that its cards are made from.
// Invariant: a record is a copy of one row at one moment. The fields come back with exactly the same characters; what
// another program wrote is unchanged until fields replace it.

import Glibc
public import Storage
public import Templates
import Text

/// The id of a note: milliseconds since 1970.
public struct NoteID: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A copy of a note when it was read from the collection, a package or a server, with the ids that it has there.
public struct NoteRecord: Equatable, Sendable {
  public let id: NoteID
  public internal(set) var guid: String
  public internal(set) var type: NoteTypeID
  /// Seconds since 1970.
  public internal(set) var modified: Int
  public let tags: [String]
  /// HTML, in the order of the type's fields.
  public internal(set) var fields: [String]
  /// What other programs store with the note besides its fields; empty if it was read from the collection.
  public let data: String
  /// Whether the note has changed since it was sent.
  public internal(set) var isUnsent = true

  public init(
    id: NoteID, guid: String, type: NoteTypeID, modified: Int, tags: [String], fields: [String], data: String = ""
  ) {
    (self.id, self.guid, self.type, self.modified) = (id, guid, type, modified)
    (self.tags, self.fields, self.data) = (tags, fields, data)
  }

  /// Whether the fields of a note of Basic are plain text, so that a card's prompt and answer hold all of it.
  public var isPlain: Bool { Self.arePlain(fields) }

  static func arePlain(_ fields: [String]) -> Bool {
    fields.count == 2 && fields.allSatisfy { CardTexts.plainText($0) != nil }
  }
}

public struct NewNote: Equatable, Sendable {
  /// HTML by field name; fields that are not named are empty.
  public var fields: [String: String]
  public var tags: [String]
  /// If it is nil or empty, a guid is made.
  public var guid: String?
  /// Whether the note is added even if its first card is already in the deck. A note with a guid is always added.
  public var mayRepeat = false
  /// Whether its first field may be empty, and a note of a cloze type without a cloze: other programs have such notes.
  public var mayBeEmpty = false

  /// Where its cards go in the deck, the first one above the others.
  public var place = CardPlace.top

  public init(fields: [String: String], tags: [String] = [], guid: String? = nil) {
    (self.fields, self.tags, self.guid) = (fields, tags, guid)
  }

  /// Creates a note with fields of plain text.
  public static func plain(_ fields: [String: String], tags: [String] = []) -> NewNote {
    NewNote(fields: fields.mapValues { FieldHTML.html(ofPlain: $0.trimmed) }, tags: tags)
  }
}

/// The column that stores a note's fields.
enum NoteFieldText {
  static let separator = UInt8(0x1F)
  /// The most bytes of all fields of a note together.
  static let limit = 64_000_000

  /// - Throws: `badField`, `tooLarge`.
  static func column(_ fields: [String], names: [String]) throws(NoteError) -> String {
    for (name, field) in zip(names, fields) { try check(field, name) }
    if fields.reduce(0, { $0 + $1.utf8.count }) > limit {
      throw .tooLarge(what: "a note of more than \(grouped(limit)) bytes")
    }
    return fields.joined(separator: "\u{1F}")
  }

  private static func check(_ field: String, _ name: String) throws(NoteError) {
    var field = field
    func holds(_ byte: UInt8) -> Bool { field.withUTF8 { place(of: byte, in: $0) != nil } }
    if holds(0) { throw .badField(name: name, reason: "contains a NUL character") }
    if holds(separator) { throw .badField(name: name, reason: "contains the control character U+001F") }
    if hasTooManyMarks(field) {
      throw .badField(name: name, reason: "has more than \(longestMarkRun) combining marks in a row")
    }
  }

  /// The index of the first occurrence of a byte. It uses `memchr`, because fields may be long.
  static func place(of byte: UInt8, in text: TextBytes) -> Int? {
    guard let start = text.baseAddress, let found = memchr(start, Int32(byte), text.count) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(start)
  }

  /// Splits a column into its fields: as many as are stored, which may differ from the number in the type.
  static func list(_ column: String) -> [String] {
    Bytes(column.utf8).split(separator: separator, omittingEmptySubsequences: false).map(\.text)
  }
}

extension NoteTable {
  /// The column `data` as other programs receive it: empty if it holds Deckhand's fields, unless it records conflicts
  /// that a merge could not resolve.
  public static let foreignData = """
    iif(\(NoteData.fieldsSQL) IS NULL OR instr(data, '"conflicts":') > 0, data, '')
    """
}

/// The column `data` of a note, and the fields in it.
public enum NoteData {
  private static let start = "{\"fields\":"
  private static let end = "}"

  static func write(_ db: Database, _ note: NoteID, _ data: String) throws {
    try SyncedTable.notes.keep(db, [note.rawValue])
    try db.run("UPDATE notes SET data = ? WHERE id = ?", [data, note.rawValue])
  }

  /// - Parameter fields: in the form that `FieldText` writes.
  static func column(_ fields: String?) -> String { fields.map { start + $0 + end } ?? "" }

  /// The fields in a column, in the form that `FieldText` reads; nil if the column has none.
  static func fields(_ column: String) -> String? {
    guard column.hasPrefix(start), column.hasSuffix(end) else { return nil }
    return String(column.dropFirst(start.count).dropLast(end.count))
  }

  /// SQL for the fields in a column, in the form that `FieldText` reads; NULL if the column has none.
  static let fieldsSQL = """
    iif(notes.data GLOB '\(start)*\(end)', substr(notes.data, \(start.utf8.count + 1), \
    length(notes.data) - \(start.utf8.count + end.utf8.count)), NULL)
    """

  /// Sets the fields of a note. If there are none, what another program wrote is not touched.
  public static func set(_ db: Database, of note: NoteID, to fields: [CardField]) throws {
    let column = Self.column(try FieldText.column(fields))
    let isOther = "SELECT 1 FROM notes WHERE id = ?2 AND data <> ?1 AND (?1 <> '' OR \(fieldsSQL) IS NOT NULL)"
    guard try db.hasRow(isOther, [column, note.rawValue]) else { return }
    try write(db, note, column)
  }

  /// The fields in the column `data` of a note; none if another program wrote it.
  public static func list(inData data: String) -> [CardField] {
    guard let column = fields(data) else { return [] }
    do { return try FieldText.list(column) } catch {
      // It only looks like a column of Deckhand.
      return []
    }
  }
}
