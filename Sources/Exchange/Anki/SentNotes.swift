// Notes on their way out: those that cards are made from, and those that plain cards become.
// Invariant: a plain card becomes the same note each time: its id is made of its own, its guid is the card's.

import Decks
import Storage
import Text

struct SentNotes {
  private let db: Database
  private let writer: CollectionWriter
  private let note: Statement
  private let basic: NoteType
  private var types: [Int64: NoteType] = [:]
  /// Notes whose id another one had in the package.
  private var renumbered: [Int64: Int64] = [:]
  private var last: (note: Int64, id: Int64)?
  /// When the note of the last card was changed, in seconds since 1970.
  private(set) var lastModified = 0.0
  private(set) var mediaNames: Set<String> = []
  private var field: [UInt8] = []

  init(_ db: Database, _ writer: CollectionWriter) throws {
    (self.db, self.writer) = (db, writer)
    note = try Statement(db, "SELECT guid, type, mod, tags, fields, data FROM notes WHERE id = ?1")
    basic = try NoteTypeTable.basic(db)
  }

  /// The types of the notes that went out.
  var usedTypes: [NoteType] { types.sorted { $0.key < $1.key }.map(\.value) }

  /// An id that a card has where it has none yet: when it was made, in milliseconds, and its own number, so that cards
  /// that were made at once differ.
  func id(of card: SentCard) -> Int64 { milliseconds(card.created) + card.id.rawValue }

  /// Writes the note of a card unless it was.
  /// - Returns: its id in the package.
  mutating func add(_ card: SentCard) throws -> Int64 {
    guard let id = card.note?.rawValue else { return try addPlain(card) }
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
    let guid = row.text(0)
    if try writer.guid(of: id) == guid { return id }
    let fields = row.text(4)
    let list = fields.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
    if fields.utf8.contains(where: { "<[".utf8.contains($0) }) { mediaNames.formUnion(MediaNames.inHTML(fields)) }
    var first = FieldHTML.sortText(list.first ?? "")
    let place = type.sortField
    var sorted = place == 0 || !list.indices.contains(place) ? first : FieldHTML.sortText(list[place])
    return try first.withUTF8 { first in
      try sorted.withUTF8 { sorted in
        try writer.add(
          CollectionWriter.Note(
            id: id, guid: row.bytes(0), type: type.id.rawValue, modified: row.integer(2), tags: row.bytes(3),
            fields: row.bytes(4), first: first, sorted: sorted, data: row.text(5)))
      }
    }
  }

  private mutating func type(_ id: Int64) throws -> NoteType {
    if let known = types[id] { return known }
    let type = try NoteTypeTable.record(db, NoteTypeID(rawValue: id))
    types[id] = type
    for card in type.cards { mediaNames.formUnion(MediaNames.inHTML(card.front + card.back)) }
    return type
  }

  // MARK: Plain cards

  private mutating func addPlain(_ card: SentCard) throws -> Int64 {
    types[basic.id.rawValue] = basic
    lastModified = card.modified
    field.removeAll(keepingCapacity: true)
    SentNotes.append(card.prompt, to: &field)
    let end = field.count
    field.append(0x1F)
    SentNotes.append(card.answer, to: &field)
    if field.contains(where: { $0 == UInt8(ascii: "[") }) {
      mediaNames.formUnion(MediaNames.inHTML(String(decoding: field, as: UTF8.self)))
    }
    return try field.withUnsafeBufferPointer { fields in
      func add(_ first: TextBytes) throws -> Int64 {
        try writer.add(
          CollectionWriter.Note(
            id: id(of: card), guid: card.guid, type: basic.id.rawValue, modified: seconds(card.modified),
            tags: card.tags, fields: fields, first: first, sorted: first))
      }
      let first = TextBytes(rebasing: fields[..<end])
      guard first.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else { return try add(first) }
      var text = FieldHTML.sortText(String(decoding: first, as: UTF8.self))
      return try text.withUTF8(add)
    }
  }

  /// Plain text as HTML, without control characters.
  private static func append(_ text: TextBytes, to html: inout [UInt8]) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "&"): html.append(contentsOf: "&amp;".utf8)
      case UInt8(ascii: "<"): html.append(contentsOf: "&lt;".utf8)
      case UInt8(ascii: ">"): html.append(contentsOf: "&gt;".utf8)
      case UInt8(ascii: "\n"): html.append(contentsOf: "<br>".utf8)
      case UInt8(ascii: "\t"), 0x20...0x7E, 0x80...0xFF: html.append(byte)
      default: break
      }
    }
  }
}
