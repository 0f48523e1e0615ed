// The notes of a package with their cards, one note at a time.
// Invariant: notes and cards are read by two parallel queries, so memory holds one note; a card is returned with its
// note or not at all.

import Decks
import Storage
import Templates
import Text

/// A note of a package with its cards.
struct PackagedNote {
  /// With the id and the note type id that it has in the package.
  let note: NoteRecord
  /// The cards, moved out of filtered decks.
  var cards: [AnkiCard] = []
  /// Whether cards were skipped because their ordinal was taken or out of range.
  var hasMoreCards = false
}

final class PackageRows {
  private let keepsMarks: Bool
  private let notes: Statement
  private let cards: Statement
  private var card: Row?
  /// The number of notes.
  let count: Int
  /// Whether cards were skipped because their note does not exist.
  private(set) var hasStrayCards = false
  /// The number of tags that were too long or too many.
  private(set) var refusedTags = 0

  static let cardColumns = """
    id, nid, did, ord, mod, type, queue, due, ivl, factor, reps, lapses, left, odue, odid, flags, data
    """

  /// - Parameter keepsMarks: whether notes keep the tags that come from studying.
  init(_ db: Database, keepsMarks: Bool = true) throws {
    self.keepsMarks = keepsMarks
    count = try db.count("SELECT count(*) FROM notes")
    notes = try Statement(db, "SELECT id, guid, mid, mod, tags, flds, data FROM notes ORDER BY id")
    cards = try Statement(db, "SELECT \(PackageRows.cardColumns) FROM cards ORDER BY nid, ord, id")
    card = try cards.next()
  }

  /// Returns the next note; nil after the last one.
  func next() throws -> PackagedNote? {
    guard let row = try notes.next() else {
      if card != nil { hasStrayCards = true }
      return nil
    }
    let id = row.integer(0)
    let tags = PackageRows.tags(row.text(4)) { _ in refusedTags += 1 }
    var note = PackagedNote(
      note: NoteRecord(
        id: NoteID(rawValue: min(AnkiCard.mostNumber, id)), guid: row.text(1),
        type: NoteTypeID(rawValue: row.integer(2)),
        modified: min(Int(AnkiCard.mostNumber), max(0, row.count(3))),
        tags: keepsMarks ? tags : Tags.withoutMarks(tags), fields: PackageRows.fields(row.bytes(5)), data: row.text(6)))
    while let next = card, next.integer(1) <= id {
      if next.integer(1) == id { append(next, to: &note) } else { hasStrayCards = true }
      card = try cards.next()
    }
    return note
  }

  /// Adds a card to its note. If two cards have the same ordinal, the first one is kept.
  private func append(_ row: Row, to note: inout PackagedNote) {
    let ordinal = row.count(3)
    guard (0..<500).contains(ordinal), note.cards.last?.ordinal != ordinal else { return note.hasMoreCards = true }
    var card = AnkiCard(row)
    card.separateRelearning()
    note.cards.append(card)
  }

  /// Splits the column `tags`; what cannot be a tag is passed to `refuse`.
  static func tags(_ text: String, refuse: (String) -> Void = { _ in }) -> [String] {
    if text.isEmpty { return [] }
    var tags: [String] = []
    for part in text.split(whereSeparator: \.isWhitespace) {
      let scalars = part.unicodeScalars.filter { $0.properties.generalCategory != .control }
      let tag = String(String.UnicodeScalarView(scalars))
      if tag.isEmpty { continue }
      if scalars.count > Tags.limit || tags.count == 1000 { refuse(tag) } else { tags.append(tag) }
    }
    return tags
  }

  /// Splits the column `flds` at U+001F. Bytes that are not UTF-8 are replaced, and NUL bytes are removed.
  static func fields(_ column: TextBytes) -> [String] {
    column.split(separator: 0x1F, omittingEmptySubsequences: false).map { field in
      if field.contains(0) { return String(decoding: field.filter { $0 != 0 }, as: UTF8.self) }
      return String(decoding: UnsafeBufferPointer(rebasing: field), as: UTF8.self)
    }
  }
}
