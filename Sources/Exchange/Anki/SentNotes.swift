// Writes notes to a package.
// Invariant: a note is written once, before the first of its cards, under its own id unless that id is taken in the
// package.

import Decks
import Storage
import Templates
import Text

struct SentNotes {
  private let db: Database
  private let writer: CollectionWriter
  private let note: Statement
  private let keepsMarks: Bool
  private var types: [Int64: NoteType] = [:]
  /// The new ids of notes whose id was taken in the package.
  private var renumbered: [Int64: Int64] = [:]
  private var last: (note: Int64, id: Int64)?
  /// When the last written note was modified, in seconds since 1970.
  private(set) var lastModified = 0.0
  private(set) var mediaNames: Set<String> = []

  /// - Parameter keepsMarks: whether the tags that come from studying are written.
  init(_ db: Database, _ writer: CollectionWriter, keepsMarks: Bool) throws {
    (self.db, self.writer, self.keepsMarks) = (db, writer, keepsMarks)
    note = try Statement(db, "SELECT guid, type, mod, tags, fields, \(NoteTable.foreignData) FROM notes WHERE id = ?1")
  }

  /// The types of the notes that were written.
  var usedTypes: [NoteType] { types.sorted { $0.key < $1.key }.map(\.value) }

  /// Writes the note of a card unless it has been written.
  /// - Returns: its id in the package.
  mutating func add(_ card: ListedCard) throws -> Int64 {
    let id = card.note.rawValue
    if let last, last.note == id { return last.id }
    if let known = renumbered[id] { return known }
    note.bind(1, id)
    let added = try note.first { row in try addNote(id, row) }
    guard let added else { throw DeckError.gone(what: "the note") }
    if added != id { renumbered[id] = added }
    last = (id, added)
    return added
  }

  private mutating func addNote(_ id: Int64, _ row: Row) throws -> Int64 {
    lastModified = row.number(2)
    let type = try type(row.integer(1))
    if let written = try writer.guid(of: id),
      written == row.text(0) || written == CollectionWriter.distinctGuid(row.text(0), of: id)
    {
      return id
    }
    let column = row.bytes(4)
    let fields = column.split(separator: 0x1F, omittingEmptySubsequences: false).map(TextBytes.init(rebasing:))
    // Each field by itself: a tag that is not closed ends with its field.
    for field in fields where field.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "[") }) {
      mediaNames.formUnion(MediaNames.inHTML(String(decoding: field, as: UTF8.self)) { _ in true })
    }
    let sorted = fields.indices.contains(type.sortField) ? fields[type.sortField] : fields[0]
    return try SentNotes.withText(of: fields[0]) { first in
      try SentNotes.withText(of: sorted) { sorted in
        try writer.add(
          CollectionWriter.Note(
            id: id, guid: row.bytes(0), type: type.id.rawValue, modified: row.integer(2), tags: tags(row.text(3)),
            fields: column, first: first, sorted: sorted, data: row.text(5)))
      }
    }
  }

  /// Passes the text that a field is compared and sorted by to `body`; a field without markup is that text already.
  private static func withText<T>(of field: TextBytes, _ body: (TextBytes) throws -> T) throws -> T {
    guard field.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else { return try body(field) }
    var text = FieldHTML.sortText(String(decoding: field, as: UTF8.self))
    return try text.withUTF8(body)
  }

  private func tags(_ column: String) -> String {
    keepsMarks ? column : Tags.joined(Tags.withoutMarks(Tags.separated(column)))
  }

  private mutating func type(_ id: Int64) throws -> NoteType {
    if let known = types[id] { return known }
    let type = try NoteTypeTable.record(db, NoteTypeID(rawValue: id))
    types[id] = type
    for side in type.cards.flatMap({ [$0.front, $0.back] }) {
      mediaNames.formUnion(MediaNames.inHTML(side) { _ in true })
    }
    return type
  }
}
