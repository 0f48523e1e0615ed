// The statements that put a card and its note into a deck, prepared once and fed with bytes in place.
// Invariant: a card is written only after its texts passed every rule, and never twice; two guids never meet silently;
// a card that is not written leaves no note.
// SQLite's own statements are used for speed: 100,000 cards through GRDB's take 1.6 times what these do.

import GRDB
import GRDBSQLite

/// The parts of a card to be written, lent by the caller for one call. An empty guid means none.
///
///     batch.write(try CheckedCard(CardBytes(prompt: prompt, answer: answer, guid: nil)))
public struct CardBytes {
  public var prompt: TextBytes
  public var answer: TextBytes
  public var guid: TextBytes?
  public var tags: [String]
  public var fields: [CardField]
  public var document: String?

  public init(
    prompt: TextBytes, answer: TextBytes, guid: TextBytes?, tags: [String] = [], fields: [CardField] = [],
    document: String? = nil
  ) {
    (self.prompt, self.answer, self.guid) = (prompt, answer, guid)
    (self.tags, self.fields, self.document) = (tags, fields, document)
  }
}

/// A card whose parts passed every rule: the only thing that can be written. Its parts are in the form of their
/// columns.
public struct CheckedCard {
  let prompt: TextBytes
  let answer: TextBytes
  let guid: TextBytes?
  let tags: String
  let fields: String?
  let document: String?

  /// - Throws: `DeckError` for the first rule that a part breaks.
  public init(_ card: CardBytes) throws(DeckError) {
    prompt = try CardText.cleaned(card.prompt, "prompt")
    answer = try CardText.cleaned(card.answer, "answer")
    if prompt.isEmpty { throw .emptyPrompt }
    if answer.isEmpty { throw .emptyAnswer }
    guid = if let guid = card.guid { try Guid.cleaned(guid) } else { nil }
    tags = try Tags.column(card.tags)
    fields = try FieldText.column(card.fields)
    document = if let document = card.document { try CardText.cleaned(document, "document") } else { nil }
  }

  /// The column of the note's fields where a text is another one in HTML; nil where they are the texts.
  var noteFields: String? {
    guard prompt.contains(where: HTMLText.isEscaped) || answer.contains(where: HTMLText.isEscaped) else { return nil }
    var fields = Bytes()
    fields.reserveCapacity(prompt.count + answer.count + 64)
    for byte in prompt { HTMLText.add(byte, ofPlainTo: &fields) }
    fields.append(NoteFieldText.separator)
    for byte in answer { HTMLText.add(byte, ofPlainTo: &fields) }
    return fields.text
  }
}

/// Writes cards into one deck.
final class CardWriter {
  enum Outcome: Equatable {
    case added(CardID)
    /// A card of the same guid, or of the same prompt and answer, is there.
    case found(CardID)
  }

  private let db: Database
  private let connection: OpaquePointer
  private let deck: DeckID
  private let random: () -> UInt64
  /// The bits of the guid that comes next; nil where they have to be chosen.
  private var nextGuid: UInt64?
  /// The type of the cards' notes; nil until the first is written.
  private var type: NoteTypeID?
  /// GRDB's own objects keep the raw statements alive.
  private let noteInsertion: Statement
  private let insertion: Statement
  private let search: Statement

  init(_ db: Database, deck: DeckID, random: @escaping () -> UInt64) throws {
    guard let connection = db.sqliteConnection else { throw DeckError.gone(what: "the database") }
    self.db = db
    self.connection = connection
    self.deck = deck
    self.random = random
    noteInsertion = try db.cachedStatement(
      sql: """
        INSERT INTO notes (id, guid, type, mod, tags, fields)
        VALUES ((\(NoteTable.freeIDQuery)), ?2, ?3, ?4, ?5, ifnull(?6, ?7 || char(31) || ?8))
        """)
    insertion = try db.cachedStatement(
      sql: """
        INSERT INTO cards
          (deck, rank, guid, content, prompt, answer, tags, fields, document, created, modified, note, ord)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?11, 0) ON CONFLICT (deck, guid) DO NOTHING
        """)
    search = try db.cachedStatement(
      sql: "SELECT id, prompt, answer FROM cards WHERE deck = ?1 AND content BETWEEN ?2 AND ?3 ORDER BY rank")
  }

  /// Writes a card at the rank, unless it is there.
  /// - Parameter now: seconds since 1970, the time of its creation.
  func write(_ card: CheckedCard, rank: Int64, now: Double) throws -> Outcome {
    let content = CardText.content(card.prompt, card.answer)
    if let guid = card.guid {
      if let id = try find(guid: guid) { return .found(id) }
      guard try insert(card, guid: guid, content, rank, now) else { throw failure() }
      return .added(lastID)
    }
    if let id = try find(card) { return .found(id) }
    for _ in 0..<8 {
      let bits = nextGuid ?? random()
      let isIn = try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Guid.length) { made in
        Guid.write(bits, into: made)
        return try insert(card, guid: TextBytes(made), content, rank, now)
      }
      nextGuid = isIn ? bits &+ 1 : nil
      if isIn { return .added(lastID) }
    }
    throw failure()
  }

  /// The topmost card of the same prompt and answer.
  func find(_ card: CheckedCard) throws -> CardID? {
    let content = CardText.content(card.prompt, card.answer)
    return try find(content: content...content, prompt: card.prompt, answer: card.answer)
  }

  /// The topmost card of that prompt for which `isWanted` holds.
  func find(prompt: TextBytes, where isWanted: (CardID) throws -> Bool) throws -> CardID? {
    try find(content: CardText.contents(ofPrompt: prompt), prompt: prompt, answer: nil, where: isWanted)
  }

  private var lastID: CardID { CardID(rawValue: sqlite3_last_insert_rowid(connection)) }

  /// Writes a card and its note.
  /// - Returns: false when the deck holds a card of that guid.
  private func insert(
    _ card: CheckedCard, guid: TextBytes, _ content: Int64, _ rank: Int64, _ now: Double
  ) throws -> Bool {
    let note = try insertNote(card, guid: guid, now)
    do {
      if try insert(card, of: note, guid: guid, content, rank, now) { return true }
    } catch {
      try removeNote(note)
      throw error
    }
    try removeNote(note)
    return false
  }

  private func insertNote(_ card: CheckedCard, guid: TextBytes, _ now: Double) throws -> Int64 {
    let type = try self.type ?? NoteTypeTable.basic(db, now: now)
    self.type = type
    let statement = noteInsertion.sqliteStatement
    sqlite3_bind_int64(statement, 1, NoteTable.firstID(now: now))
    bind(statement, 2, guid)
    sqlite3_bind_int64(statement, 3, type.rawValue)
    sqlite3_bind_int64(statement, 4, Int64(seconds(now)))
    bindCopy(statement, 5, card.tags)
    let fields = card.noteFields
    bindCopy(statement, 6, fields)
    if fields == nil {
      bind(statement, 7, card.prompt)
      bind(statement, 8, card.answer)
    }
    defer { release(statement) }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
    return sqlite3_last_insert_rowid(connection)
  }

  private func removeNote(_ note: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM notes WHERE id = ?").execute(arguments: [note])
  }

  private func insert(
    _ card: CheckedCard, of note: Int64, guid: TextBytes, _ content: Int64, _ rank: Int64, _ now: Double
  ) throws -> Bool {
    let statement = insertion.sqliteStatement
    sqlite3_bind_int64(statement, 1, deck.rawValue)
    sqlite3_bind_int64(statement, 2, rank)
    bind(statement, 3, guid)
    sqlite3_bind_int64(statement, 4, content)
    bind(statement, 5, card.prompt)
    bind(statement, 6, card.answer)
    bindCopy(statement, 7, card.tags)
    bindCopy(statement, 8, card.fields)
    bindCopy(statement, 9, card.document)
    sqlite3_bind_double(statement, 10, now)
    sqlite3_bind_int64(statement, 11, note)
    defer { release(statement) }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
    return sqlite3_changes(connection) == 1
  }

  private func find(guid: TextBytes) throws -> CardID? {
    let text = String(decoding: guid, as: UTF8.self)
    return try db.firstRow("SELECT id FROM cards WHERE deck = ? AND guid = ?", [deck.rawValue, text]) { row in
      CardID(rawValue: row.integer(0))
    }
  }

  private func find(
    content: ClosedRange<Int64>, prompt: TextBytes, answer: TextBytes?,
    where isWanted: (CardID) throws -> Bool = { _ in true }
  ) throws -> CardID? {
    let statement = search.sqliteStatement
    sqlite3_bind_int64(statement, 1, deck.rawValue)
    sqlite3_bind_int64(statement, 2, content.lowerBound)
    sqlite3_bind_int64(statement, 3, content.upperBound)
    defer { release(statement) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_DONE: return nil
      case SQLITE_ROW:
        guard matches(statement, 1, prompt), answer.map({ matches(statement, 2, $0) }) ?? true else { continue }
        let id = CardID(rawValue: sqlite3_column_int64(statement, 0))
        if try isWanted(id) { return id }
      default: throw failure()
      }
    }
  }

  private func matches(_ statement: OpaquePointer, _ column: Int32, _ text: TextBytes) -> Bool {
    let count = Int(sqlite3_column_bytes(statement, column))
    guard count == text.count, let stored = sqlite3_column_text(statement, column) else { return false }
    return TextBytes(start: stored, count: count).elementsEqual(text)
  }

  /// The bytes stay the caller's: the statement is reset before the call ends.
  private func bind(_ statement: OpaquePointer, _ index: Int32, _ text: TextBytes) {
    guard let start = text.baseAddress, text.count > 0 else {
      sqlite3_bind_text(statement, index, "", 0, nil)
      return
    }
    start.withMemoryRebound(to: CChar.self, capacity: text.count) {
      _ = sqlite3_bind_text(statement, index, $0, Int32(clamping: text.count), nil)
    }
  }

  private func bindCopy(_ statement: OpaquePointer, _ index: Int32, _ text: String?) {
    guard let text else {
      sqlite3_bind_null(statement, index)
      return
    }
    if text.isEmpty {
      sqlite3_bind_text(statement, index, "", 0, nil)
      return
    }
    // SQLITE_TRANSIENT, a macro that Swift cannot see: SQLite copies the text.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_text(statement, index, text, Int32(clamping: text.utf8.count), transient)
  }

  private func release(_ statement: OpaquePointer) {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
  }

  /// What SQLite said, as GRDB would have thrown it.
  private func failure() -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
      message: String(cString: sqlite3_errmsg(connection)))
  }
}
