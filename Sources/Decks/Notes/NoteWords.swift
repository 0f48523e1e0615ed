// The words of notes, and how well their cards are remembered: the words that a learner knows.
// Invariant: the index `notes_word` has the word of each note and is renewed by SQLite with every change to a note,
// whoever makes it. The fields of notes are only read to write it. SQLite takes the index for damaged when
// `NoteWords.word(ofField:)` returns something else than before, so a change of that raises `Schema.version`.

import Memory
public import Storage
import Templates
import Text

/// The word of each note, from its first field.
public enum NoteWords {
  static let function = SQLFunction("field_word", arguments: 1) {
    { call in
      let column = call.bytes(0)
      let end = NoteFieldText.place(of: NoteFieldText.separator, in: column) ?? column.count
      if let word = word(in: TextBytes(rebasing: column[..<end])) { call.answer(word) }
    }
  }

  /// The id comes first, so that new notes are added at the end.
  static let index = "CREATE INDEX notes_word ON notes(id, field_word(fields));"

  /// The bytes of the longest field that is taken for a word.
  private static let longest = 300

  /// Returns the word in a card's field, without HTML, brackets and whatever follows the word; nil for a longer text.
  public static func word(ofField field: String) -> String? { Array(field.utf8).withUnsafeBufferPointer(word(in:)) }

  private static func word(in field: TextBytes) -> String? {
    guard field.count <= longest else { return nil }
    return FieldHTML.withSortText(of: field) { text in
      var text = CardText.trimmed(text)
      // An article or a sound may come before the word: `(la) casa`, `[sound:casa.mp3] casa`.
      while let open = text.first, open == UInt8(ascii: "(") || open == UInt8(ascii: "["),
        let end = text.firstIndex(of: UInt8(ascii: open == UInt8(ascii: "(") ? ")" : "]"))
      {
        text = CardText.trimmed(TextBytes(rebasing: text[(end + 1)...]))
      }
      if let end = text.firstIndex(where: endsWord) { text = CardText.trimmed(TextBytes(rebasing: text[..<end])) }
      return text.isEmpty || hasFourWords(text) ? nil : String(decoding: text, as: UTF8.self).lowercased()
    }
  }

  // Both are called for each byte of every new note: a search in a text, or a list of words, takes ten times as long.

  private static func endsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "("), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "/"), UInt8(ascii: "["), 0x0A: true
    default: false
    }
  }

  private static func hasFourWords(_ text: TextBytes) -> Bool {
    var (words, last) = (0, UInt8(ascii: " "))
    for byte in text {
      if byte != UInt8(ascii: " "), last == UInt8(ascii: " ") { words += 1 }
      last = byte
    }
    return words > 3
  }

  static let sql = "SELECT id, field_word(fields) FROM notes INDEXED BY notes_word ORDER BY id"

  /// Calls `body` with each note that has a word.
  public static func forEach(_ db: Database, _ body: (NoteID, String) throws -> Void) throws {
    try db.forEachRow(sql) { row in
      if let word = row.optionalText(1) { try body(NoteID(rawValue: row.integer(0)), word) }
    }
  }

  /// Calls `body` with each new card of a deck, top first, and the word of its note.
  public static func forEachNewCard(
    _ db: Database, in deck: DeckID, _ body: (RankedCard, String?) throws -> Void
  ) throws {
    let sql = """
      SELECT cards.id, rank, field_word(fields)
      FROM cards CROSS JOIN notes INDEXED BY notes_word ON notes.id = cards.note
      WHERE deck = ? AND \(CardStatus.new.sql()) ORDER BY rank
      """
    try db.forEachRow(sql, [deck.rawValue]) {
      try body((CardID(rawValue: $0.integer(0)), $0.integer(1)), $0.optionalText(2))
    }
  }
}

/// How well the cards of a note are remembered.
public struct NoteMemory {
  /// Days; nil if no card was ever remembered.
  public fileprivate(set) var stability: Double?
  public fileprivate(set) var isStudied = false
  /// Whether all its cards are suspended.
  public fileprivate(set) var isSuspended = true
  /// The probability that its best card is remembered now; 0 if none was studied.
  public fileprivate(set) var recall = 0.0
}

/// Reads how well notes are remembered.
public struct NoteMemories {
  /// A list of ids in JSON; nil for all decks.
  private let decks: String?
  private let moment: StudyMoment
  private let memories: CardMemories

  /// - Parameter deck: the deck, with the decks within it; nil for all decks.
  public init(_ db: Database, in deck: DeckID? = nil, at moment: StudyMoment) throws {
    self.moment = moment
    decks = try deck.map { CardTable.list(([$0] + (try DeckTable.within(db, $0).map(\.id))).map(\.rawValue)) }
    memories = CardMemories(try DeckTable.allOptions(db, at: moment))
  }

  /// Returns how well a note's cards are remembered; nil if it has none in the decks.
  public func memory(_ db: Database, of note: NoteID) throws -> NoteMemory? {
    let sql = """
      SELECT stability, \(CardStatus.studied) OR reps > 0, suspended, deck, last_review, id FROM cards
      WHERE note = ?1 AND (?2 IS NULL OR deck IN (SELECT value FROM json_each(?2)))
      """
    var memory: NoteMemory?
    try db.forEachRow(sql, [note.rawValue, decks]) { row in
      var best = memory ?? NoteMemory()
      defer { memory = best }
      if row.integer(2) == 0 { best.isSuspended = false }
      guard row.integer(1) > 0 else { return }
      best.isStudied = true
      guard let stability = row.optionalNumber(0) else { return }
      best.stability = max(stability, best.stability ?? 0)
      let (card, deck) = (CardID(rawValue: row.integer(5)), DeckID(rawValue: row.integer(3)))
      let entry = try memories.entry(db, of: card, in: deck, stability: stability, last: row.optionalNumber(4))
      best.recall = max(entry?.recall(at: moment) ?? 0, best.recall)
    }
    return memory
  }
}
