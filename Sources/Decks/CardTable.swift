// Cards in the database: adding one, finding by position or id, reading pages, changing, moving, removing.
// Invariant: position 1 is the top; changed texts follow the same rules as added ones. Ids ascend in the order of
// creation, so whoever knows the cards up to an id finds the later ones by their ids. An id is not used again after its
// card was removed.

public import Storage

public enum CardTable {
  // MARK: Finding

  /// The ids of a deck's own cards, top first; 8 bytes each.
  public static func ids(_ db: Database, in deck: DeckID) throws -> [CardID] {
    try db.rows("SELECT id FROM cards WHERE deck = ? ORDER BY rank", [deck.rawValue], id)
  }

  public static func ids(
    _ db: Database, in deck: DeckID, matching query: CardQuery, at moment: StudyMoment
  ) throws -> [CardID] {
    try ids(db, among: "deck = \(deck.rawValue)", matching: query, at: moment, orderedBy: "rank")
  }

  /// The ids of the cards that a condition selects and a query matches.
  static func ids(
    _ db: Database, among condition: String, matching query: CardQuery, at moment: StudyMoment, orderedBy order: String
  ) throws -> [CardID] {
    let filter = QuerySQL(query, at: moment)
    let condition = filter.condition.map { "\(condition) AND (\($0))" } ?? condition
    if filter.isExact {
      return try Statement(db, "SELECT id FROM cards WHERE \(condition) ORDER BY \(order)").rows(id)
    }
    var ids: [CardID] = []
    var matcher = try QueryMatcher(db, query, at: moment)
    let sql = "SELECT \(QueryColumn.list(for: query)) FROM card_rows WHERE \(condition) ORDER BY \(order)"
    try Statement(db, sql).forEachRow { row in
      if try matcher.matches(row) { ids.append(id(row)) }
    }
    return ids
  }

  /// The ids of the cards of all decks that match a query, in the order in which they were made.
  public static func ids(
    _ db: Database, matching query: CardQuery, at moment: StudyMoment, _ cache: SearchCache
  ) throws -> [CardID] {
    if let found = try cache.cards(db, query, at: moment) {
      // The index still contains the texts of cards that were removed.
      return try db.rows(
        "SELECT id FROM cards WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", [list(found)], id)
    }
    return try ids(db, among: "1", matching: query, at: moment, orderedBy: "id")
  }

  /// The cards of a deck that match a query, top first, with their positions in the deck.
  /// - Parameter cache: the cache of earlier searches; the caller has refreshed it.
  public static func found(
    _ db: Database, in deck: DeckID, matching query: CardQuery, at moment: StudyMoment, _ cache: SearchCache? = nil
  ) throws -> (ids: [CardID], positions: [Int]) {
    if let cache, let cards = try cache.cards(db, query, at: moment) { return try cache.ordered(db, deck, cards) }
    let ids = try ids(db, in: deck, matching: query, at: moment)
    var (positions, position): ([Int], Int) = ([], 0)
    // SQLite reads only the index of ranks; both lists are in its order.
    try db.forEachRow(
      "SELECT id FROM cards WHERE deck = ? ORDER BY rank", while: { positions.count < ids.count }, [deck.rawValue]
    ) { row in
      position += 1
      if id(row) == ids[positions.count] { positions.append(position) }
    }
    return (ids, positions)
  }

  /// A page of the cards of a deck, top first.
  public static func page(_ db: Database, in deck: DeckID, offset: Int, count: Int) throws -> [CardRecord] {
    // SQLite skips to the first of them in the index of ranks alone.
    let sql = """
      SELECT \(ListedCard.columns) FROM card_rows
      WHERE id IN (SELECT id FROM cards WHERE deck = ? ORDER BY rank LIMIT ? OFFSET ?) ORDER BY rank
      """
    return try db.rows(sql, [deck.rawValue, count, offset], record)
  }

  /// The cards of a sprint: those of the selected decks and the decks within them, top first, without suspended ones.
  public static func stack(_ db: Database, _ selection: StudySelection, at moment: StudyMoment) throws -> [CardID] {
    let decks = try selection.allDecks(db)
    let wanted = try selection.query?.cards(db, in: decks.map(\.id), at: moment)
    let cards = try decks.flatMap { deck in
      let active = try db.rows(
        "SELECT id FROM cards WHERE deck = ? AND NOT \(CardStatus.suspended.sql()) ORDER BY rank", [deck.id.rawValue],
        id)
      return active.filter { wanted?.contains($0) ?? true }
    }
    return selection.limit.map { Array(cards.prefix(max(0, $0))) } ?? cards
  }

  /// The card at a position in a deck; nil if there is none.
  public static func id(_ db: Database, in deck: DeckID, at position: Int) throws -> CardID? {
    guard position >= 1 else { return nil }
    let sql = "SELECT id FROM cards WHERE deck = ? ORDER BY rank LIMIT 1 OFFSET ?"
    return try db.firstRow(sql, [deck.rawValue, position - 1], id)
  }

  /// The card with a guid in a deck; nil if there is none.
  public static func id(_ db: Database, guid: String, in deck: DeckID) throws -> CardID? {
    // With CROSS JOIN, SQLite looks up the few notes with the guid before their cards.
    let sql = "SELECT cards.id FROM notes CROSS JOIN cards ON note = notes.id WHERE guid = ? AND ord = ? AND deck = ?"
    if let found = try db.firstRow(sql, [guid, 0, deck.rawValue], id) { return found }
    guard let (note, ordinal) = Guid.parts(guid) else { return nil }
    return try db.firstRow(sql, [note, ordinal, deck.rawValue], id)
  }

  /// The cards of any deck whose guid begins with `start`; at most 10 of them.
  public static func ids(_ db: Database, guidBeginning start: String) throws -> [CardID] {
    // The highest character is the upper bound of the guids. A card appends a slash and a number to the guid of its
    // note.
    let sql = """
      SELECT card_rows.id FROM notes CROSS JOIN card_rows
      WHERE (notes.guid >= ?1 AND notes.guid < ?1 || char(1114111) OR notes.guid = ?2)
        AND note = notes.id AND substr(card_rows.guid, 1, length(?1)) = ?1
      ORDER BY card_rows.guid <> ?1, card_rows.id LIMIT 10
      """
    let note = start.lastIndex(of: "/").map { String(start[..<$0]) } ?? start
    return try db.rows(sql, [start, note], id)
  }

  /// A card's position in its deck: 1 is the top.
  /// - Throws: `gone`.
  public static func position(_ db: Database, of card: CardID) throws -> Int {
    let sql = """
      SELECT (SELECT count(*) FROM cards AS above WHERE above.deck = cards.deck AND above.rank <= cards.rank)
      FROM cards WHERE id = ?
      """
    guard let position = try db.firstRow(sql, [card.rawValue], { $0.count(0) }) else { throw gone }
    return position
  }

  /// A card as it is now; nil if it was removed.
  public static func card(_ db: Database, _ id: CardID) throws -> CardRecord? {
    try db.firstRow("SELECT \(ListedCard.columns) FROM card_rows WHERE id = ?", [id.rawValue], record)
  }

  /// The cards with these ids, in the same order, without removed ones. Meant for pages of some hundred cards.
  public static func cards(_ db: Database, ids: some Sequence<CardID>) throws -> [CardRecord] {
    try ids.compactMap { try card(db, $0) }
  }

  public static func documents(_ db: Database) throws -> [(card: CardID, document: String)] {
    try db.rows("SELECT id, document FROM cards WHERE document IS NOT NULL") { (id($0), $0.text(1)) }
  }

  /// The size of a deck that is to be shown whole: the number of its own cards that are not suspended, how many of
  /// them were studied and how many show a document, and the bytes of their texts.
  public static func textSize(
    _ db: Database, in deck: DeckID
  ) throws -> (cards: Int, studied: Int, documents: Int, bytes: Int) {
    let sql = """
      SELECT count(*), total(\(CardStatus.studied)), count(document),
        total(length(CAST(prompt AS BLOB)) + length(CAST(answer AS BLOB)))
      FROM card_rows WHERE deck = ? AND NOT \(CardStatus.suspended.sql())
      """
    return try db.firstRow(sql, [deck.rawValue]) { ($0.count(0), $0.count(1), $0.count(2), $0.count(3)) } ?? (
      0, 0, 0, 0
    )
  }

  /// What the cards of a deck have besides their texts: the names of their fields in the order of first use, top
  /// first, and whether any card shows a document.
  public static func extraParts(_ db: Database, in deck: DeckID) throws -> (fieldNames: [String], hasDocuments: Bool) {
    let sql = """
      SELECT fields, document FROM card_rows
      WHERE deck = ? AND (fields IS NOT NULL OR document IS NOT NULL) ORDER BY rank
      """
    var (names, seen, hasDocuments): ([String], Set<String>, Bool) = ([], [], false)
    try db.forEachRow(sql, [deck.rawValue]) { row in
      hasDocuments = hasDocuments || row.optionalText(1) != nil
      for field in try FieldText.list(row.optionalText(0)) where seen.insert(field.name).inserted {
        names.append(field.name)
      }
    }
    return (names, hasDocuments)
  }

  // MARK: Changing

  /// Removes a document from the cards that show it. Returns how many there were.
  @discardableResult
  public static func removeDocument(_ db: Database, _ document: String, now: Double) throws -> Int {
    try db.execute(
      sql: "UPDATE cards SET document = NULL, mod = ? WHERE document = ?", arguments: [now, document])
    return db.changesCount
  }

  /// Sets the document that a card shows; nil removes it.
  public static func setDocument(_ db: Database, _ id: CardID, to document: String?, now: Double) throws {
    let checked = if let document { try CardText.cleaned(document, "document") } else { String?.none }
    let sql = "UPDATE cards SET document = ?1, mod = iif(document IS ?1, mod, ?2) WHERE id = ?3"
    try change(db, sql, [checked, now, id.rawValue])
  }

  /// Moves a card to a position in its deck; a position beyond the last means the bottom, one below 1 the top.
  public static func move(_ db: Database, _ id: CardID, to position: Int) throws {
    guard let deck = try card(db, id)?.deck else { throw gone }
    let current = try self.position(db, of: id)
    let target = max(1, position)
    if current == target { return }
    // The last card is already at the bottom.
    if target > current, try self.id(db, in: deck, at: current + 1) == nil { return }
    // Positions count this card too: if it moves down, it passes the card at the target.
    let rank = try CardOrder.free(db, deck, after: target > current ? target : target - 1)
    try SyncedTable.savePlaces(db, [id])
    try change(db, "UPDATE cards SET rank = ? WHERE id = ?", [rank, id.rawValue])
  }

  /// Removes cards.
  /// - Returns: how many of them existed.
  @discardableResult
  public static func remove(_ db: Database, _ ids: some Sequence<CardID>) throws -> Int {
    var rest = Array(ids)[...]
    var count = 0
    while !rest.isEmpty {
      let some = rest.prefix(removedAtOnce)
      rest = rest.dropFirst(some.count)
      let list = list(some.lazy.map(\.rawValue))
      let ids = "SELECT value FROM json_each(?)"
      try db.run(SyncedTable.cards.saveRemovedSQL(ids), [list])
      try db.run("DELETE FROM cards WHERE id IN (\(ids))", [list])
      count += db.changesCount
    }
    return count
  }

  /// The most cards that one statement removes: SQLite keeps in memory what it needs to roll a statement back, and
  /// each statement looks at all that the operation has changed (SQLite's statement journal).
  static let removedAtOnce = 10_000

  /// Removes the cards at several positions at once: positions refer to the deck before the removal. Positions
  /// without a card are ignored.
  @discardableResult
  public static func remove(_ db: Database, in deck: DeckID, positions: some Collection<Int>) throws -> Int {
    if positions.count == 1, let position = positions.first {
      return try remove(db, [id(db, in: deck, at: position)].compactMap(\.self))
    }
    let all = try ids(db, in: deck)
    if all.isEmpty { return 0 }
    return try remove(db, Set(positions).compactMap { (1...all.count).contains($0) ? all[$0 - 1] : nil })
  }

  static var gone: DeckError { .gone(what: "the card") }

  /// Changing what a card shows fires a trigger. With `OR FAIL`, SQLite keeps no statement journal, for which each
  /// statement would look at all that the operation has changed. If it fails, the whole operation is rolled back.
  static let updateContent = "UPDATE OR FAIL cards SET content = ?, mod = ? WHERE id = ?"

  static func change(_ db: Database, _ sql: String, _ arguments: StatementArguments) throws {
    try db.run(sql, arguments)
    if db.changesCount == 0 { throw gone }
  }

  static func id(_ row: Row) -> CardID { CardID(rawValue: row.integer(0)) }

  private static func record(_ row: Row) throws -> CardRecord { try ListedCard(row).record() }
}

extension NewCard {
  /// Lends the bytes of prompt, answer and guid for the duration of the call.
  func withBytes<T>(_ body: (TextBytes, TextBytes, TextBytes) throws -> T) throws -> T {
    var (prompt, answer, guid) = (self.prompt, self.answer, self.guid ?? "")
    return try prompt.withUTF8 { prompt in
      try answer.withUTF8 { answer in try guid.withUTF8 { try body(prompt, answer, $0) } }
    }
  }

  /// Checks the card by every rule and lends it for the duration of the call.
  public func checked<T>(_ body: (CheckedCard) throws -> T) throws -> T {
    try withBytes {
      try body(CheckedCard(prompt: $0, answer: $1, guid: $2, tags: tags, fields: fields, document: document))
    }
  }
}

extension CardTable {
  /// An id that is more than this many milliseconds in the future comes from another computer whose clock is wrong.
  static let ahead: Int64 = 80_000_000

  /// Returns the id for a new card. The ids after it are free, too, as long as nothing else makes cards meanwhile.
  static func freeID(_ db: Database, now: Double) throws -> Int64 {
    let first = max(1, NoteTable.firstID(now: now))
    let last = try lastID(db)
    if last < first + ahead { return max(first, last + 1) }
    // Ids below one from the future cannot be recognised as new.
    try SearchLog.forget(db)
    return try SyncedTable.cards.freeID(db, now: now)
  }

  /// The highest id that any card has ever had.
  static func lastID(_ db: Database) throws -> Int64 {
    try db.firstRow("SELECT seq FROM sqlite_sequence WHERE name = 'cards'") { $0.integer(0) } ?? 0
  }

  /// Gives a card another id, which no card may have; its log entries follow.
  public static func renumber(_ db: Database, _ card: StoredCard, to id: CardID) throws {
    try change(db, "UPDATE cards SET id = ?, \(Unsent.sql) WHERE id = ?", [id.rawValue, card.id.rawValue])
    try db.execute(sql: "UPDATE reviews SET card = ? WHERE card = ?", arguments: [id.rawValue, card.id.rawValue])
    try SearchLog.note(db, [id.rawValue])
    try NoteTable.updatePlaces(db, of: [id], now: card.modified)
  }
}
