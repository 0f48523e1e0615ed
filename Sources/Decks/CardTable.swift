// Cards in the database: adding one, finding by position or id, reading by the page, changing, moving, removing.
// Invariant: position 1 is the top; every change goes by the same rules of text as an addition.

public import Storage

/// The table `cards`: reading, adding, changing, moving and removing cards.
///
///     let ids = try CardTable.ids(db, in: deck)   // top first
///     try CardTable.move(db, ids[4], to: 1)
public enum CardTable {
  // MARK: Finding

  /// The ids of a deck's own cards, top first; 8 bytes a card.
  public static func ids(_ db: Database, in deck: DeckID) throws -> [CardID] {
    try db.rows("SELECT id FROM cards WHERE deck = ? ORDER BY rank", [deck.rawValue], id)
  }

  /// The ids of the deck's own cards that a query finds, top first.
  public static func ids(
    _ db: Database, in deck: DeckID, matching query: CardQuery, at moment: StudyMoment
  ) throws -> [CardID] {
    try ids(db, among: "deck = \(deck.rawValue)", matching: query, at: moment, orderedBy: "rank")
  }

  private static func ids(
    _ db: Database, among condition: String, matching query: CardQuery, at moment: StudyMoment, orderedBy order: String
  ) throws -> [CardID] {
    let filter = QuerySQL(query, at: moment)
    let condition = filter.condition.map { "\(condition) AND (\($0))" } ?? condition
    var ids: [CardID] = []
    if filter.isExact {
      let statement = try db.makeStatement(sql: "SELECT id FROM cards WHERE \(condition) ORDER BY \(order)")
      try statement.forEachRow { ids.append(id($0)) }
      return ids
    }
    var matcher = try QueryMatcher(db, query, at: moment)
    let sql = "SELECT \(QueryMatcher.columns) FROM card_rows WHERE \(condition) ORDER BY \(order)"
    try db.makeStatement(sql: sql).forEachRow { row in
      if try matcher.matches(row) { ids.append(id(row)) }
    }
    return ids
  }

  /// The cards of all decks that a query finds, in the order in which they were made.
  public static func ids(
    _ db: Database, matching query: CardQuery, at moment: StudyMoment, _ cache: SearchCache
  ) throws -> [CardID] {
    if let found = try cache.cards(db, query, at: moment) {
      // The index still has the texts of cards that were removed.
      return try db.rows(
        "SELECT id FROM cards WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", [list(found)], id)
    }
    return try ids(db, among: "1", matching: query, at: moment, orderedBy: "id")
  }

  /// The cards of a deck that a query finds, top first, with their positions in the deck.
  /// - Parameter cache: what searches read before, refreshed by the caller.
  public static func found(
    _ db: Database, in deck: DeckID, matching query: CardQuery, at moment: StudyMoment, _ cache: SearchCache? = nil
  ) throws -> (ids: [CardID], positions: [Int]) {
    if let cache, let cards = try cache.cards(db, query, at: moment) { return try cache.ordered(db, deck, cards) }
    if let rows = try cache?.rows(db, deck, query) {
      var matcher = try QueryMatcher(db, query, at: moment)
      return try rows.found(&matcher)
    }
    let ids = try ids(db, in: deck, matching: query, at: moment)
    var (positions, position): ([Int], Int) = ([], 0)
    // The index of ranks alone is walked: both lists are in its order.
    try db.forEachRow(
      "SELECT id FROM cards WHERE deck = ? ORDER BY rank", while: { positions.count < ids.count }, [deck.rawValue]
    ) { row in
      position += 1
      if id(row) == ids[positions.count] { positions.append(position) }
    }
    return (ids, positions)
  }

  /// Some cards of a deck, top first.
  /// - Parameter offset: how many cards above them are passed over.
  public static func page(_ db: Database, in deck: DeckID, offset: Int, count: Int) throws -> [CardRecord] {
    // The index of ranks alone is walked to the first of them.
    let sql = """
      SELECT \(ListedCard.columns) FROM card_rows
      WHERE id IN (SELECT id FROM cards WHERE deck = ? ORDER BY rank LIMIT ? OFFSET ?) ORDER BY rank
      """
    return try db.rows(sql, [deck.rawValue, count, offset], record)
  }

  /// The cards that a sprint races through: of the selected decks and those within them, top first, without suspended
  /// ones.
  public static func stack(_ db: Database, _ selection: StudySelection, at moment: StudyMoment) throws -> [CardID] {
    let cards = try selection.allDecks(db).flatMap { deck in
      let active = try db.rows(
        "SELECT id FROM cards WHERE deck = ? AND NOT \(CardStatus.suspended.sql()) ORDER BY rank", [deck.id.rawValue],
        id)
      guard let query = selection.query else { return active }
      let wanted = Set(try ids(db, in: deck.id, matching: query, at: moment))
      return active.filter(wanted.contains)
    }
    return selection.limit.map { Array(cards.prefix(max(0, $0))) } ?? cards
  }

  /// The card at a position of a deck, nil when there is none.
  public static func id(_ db: Database, in deck: DeckID, at position: Int) throws -> CardID? {
    guard position >= 1 else { return nil }
    let sql = "SELECT id FROM cards WHERE deck = ? ORDER BY rank LIMIT 1 OFFSET ?"
    return try db.firstRow(sql, [deck.rawValue, position - 1], id)
  }

  /// The card of a guid in a deck.
  public static func id(_ db: Database, guid: String, in deck: DeckID) throws -> CardID? {
    // SQLite looks the few notes of a guid up before their cards.
    let sql = "SELECT cards.id FROM notes CROSS JOIN cards ON note = notes.id WHERE guid = ? AND ord = ? AND deck = ?"
    if let found = try db.firstRow(sql, [guid, 0, deck.rawValue], id) { return found }
    guard let (note, ordinal) = Guid.parts(guid) else { return nil }
    return try db.firstRow(sql, [note, ordinal, deck.rawValue], id)
  }

  /// The cards whose guid begins like that, in any deck; at most `limit` of them.
  public static func ids(_ db: Database, guidBeginning start: String, limit: Int = 10) throws -> [CardID] {
    // The highest character bounds guids from above. What a card adds to the guid of its note begins with a slash.
    let sql = """
      SELECT card_rows.id FROM notes CROSS JOIN card_rows
      WHERE (notes.guid >= ?1 AND notes.guid < ?1 || char(1114111) OR notes.guid = ?2)
        AND note = notes.id AND substr(card_rows.guid, 1, length(?1)) = ?1
      ORDER BY card_rows.guid <> ?1, card_rows.id LIMIT ?3
      """
    let note = start.lastIndex(of: "/").map { String(start[..<$0]) } ?? start
    return try db.rows(sql, [start, note, limit], id)
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

  /// A card as it is now, nil when it was removed.
  public static func card(_ db: Database, _ id: CardID) throws -> CardRecord? {
    try db.firstRow("SELECT \(ListedCard.columns) FROM card_rows WHERE id = ?", [id.rawValue], record)
  }

  /// The cards of those ids in that order; removed ones are left out. Meant for pages of some hundred.
  public static func cards(_ db: Database, ids: some Sequence<CardID>) throws -> [CardRecord] {
    try ids.compactMap { try card(db, $0) }
  }

  /// The cards that show a document, and which.
  public static func documents(_ db: Database) throws -> [(card: CardID, document: String)] {
    try db.rows("SELECT id, document FROM cards WHERE document IS NOT NULL") { (id($0), $0.text(1)) }
  }

  /// How large a deck is to be shown whole: its own cards that are not suspended, how many of them were studied and how
  /// many show a document, and the bytes of their texts.
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

  /// What cards of a deck keep beside their texts: the names of their fields as they come, top first, and whether one
  /// shows a document.
  public static func keptBeside(_ db: Database, in deck: DeckID) throws -> (fieldNames: [String], hasDocuments: Bool) {
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

  // MARK: Adding

  /// Adds a card.
  /// - Parameters:
  ///   - place: where it comes, the top when nothing is said.
  ///   - now: seconds since 1970.
  ///   - random: 64 random bits a call, for the guid of a card without one.
  /// - Throws: `emptyPrompt`, `emptyAnswer`, `badText`, `badTag`, `badGuid`, `duplicate`, `gone`.
  @discardableResult
  public static func add(
    _ db: Database, _ card: NewCard, to deck: DeckID, at place: CardPlace = .top, now: Double,
    random: @escaping () -> UInt64
  ) throws -> CardID {
    let adder = try CardAdder(db, deck: deck, random: random)
    return try card.checked { try adder.add($0, at: place, now: now) }
  }

  // MARK: Changing

  /// Takes a document away from the cards that show it; how many there were.
  @discardableResult
  public static func removeDocument(_ db: Database, _ document: String, now: Double) throws -> Int {
    try db.execute(
      sql: "UPDATE cards SET document = NULL, mod = ? WHERE document = ?", arguments: [now, document])
    return db.changesCount
  }

  /// Sets or, with nil, takes away the document that a card shows.
  public static func setDocument(_ db: Database, _ id: CardID, to document: String?, now: Double) throws {
    let checked = if let document { try CardText.cleaned(document, "document") } else { String?.none }
    let sql = "UPDATE cards SET document = ?1, mod = iif(document IS ?1, mod, ?2) WHERE id = ?3"
    try change(db, sql, [checked, now, id.rawValue])
  }

  /// A suspended card is not studied in reviews until it is resumed.
  public static func setSuspended(_ db: Database, _ id: CardID, _ isSuspended: Bool, now: Double) throws {
    try SyncedTable.cards.keep(db, [id.rawValue])
    let sql = "UPDATE cards SET suspended = ?1, mod = iif(suspended = ?1, mod, ?2) WHERE id = ?3"
    try change(db, sql, [isSuspended, now, id.rawValue])
  }

  /// Brings a card to a position of its deck; beyond the last it is the bottom, below 1 the top.
  public static func move(_ db: Database, _ id: CardID, to position: Int) throws {
    guard let deck = try card(db, id)?.deck else { throw gone }
    let current = try self.position(db, of: id)
    let target = max(1, position)
    if current == target { return }
    // The last card is at the bottom already.
    if target > current, try self.id(db, in: deck, at: current + 1) == nil { return }
    // Positions count this card too: on its way down it passes the one at the target.
    let rank = try CardOrder.free(db, deck, after: target > current ? target : target - 1)
    try SyncedTable.keepPlaces(db, [id])
    try change(db, "UPDATE cards SET rank = ? WHERE id = ?", [rank, id.rawValue])
  }

  /// Puts cards of one deck into the places that they have together, in the order given; others stay where they are.
  /// - Throws: `gone`.
  public static func arrange(_ db: Database, _ ids: [CardID]) throws { try CardOrder.arrange(db, ids) }

  /// Removes cards.
  /// - Returns: how many were there.
  @discardableResult
  public static func remove(_ db: Database, _ ids: some Sequence<CardID>) throws -> Int {
    var rest = Array(ids)[...]
    var count = 0
    while !rest.isEmpty {
      // Many statements would each look at all that the operation has changed (the journal of SQLite's statements).
      let some = rest.prefix(removedAtOnce)
      rest = rest.dropFirst(some.count)
      let list = list(some.lazy.map(\.rawValue))
      let ids = "SELECT value FROM json_each(?)"
      try db.cachedStatement(sql: SyncedTable.cards.keepRemoved(ids)).execute(arguments: [list])
      try db.cachedStatement(sql: "DELETE FROM cards WHERE id IN (\(ids))").execute(arguments: [list])
      count += db.changesCount
    }
    return count
  }

  private static let removedAtOnce = 10_000

  /// Removes the cards at several positions at once: all are counted before any goes. Positions without a card are
  /// passed over.
  @discardableResult
  public static func remove(_ db: Database, in deck: DeckID, positions: some Collection<Int>) throws -> Int {
    if positions.count == 1, let position = positions.first {
      return try remove(db, [id(db, in: deck, at: position)].compactMap(\.self))
    }
    let all = try ids(db, in: deck)
    if all.isEmpty { return 0 }
    return try remove(db, Set(positions).compactMap { (1...all.count).contains($0) ? all[$0 - 1] : nil })
  }

  // MARK: Rows

  static var gone: DeckError { .gone(what: "the card") }

  /// A change of what a card shows has a trigger. With FAIL SQLite keeps no journal of the statement, which at each one
  /// would look at all that the operation has changed: it is the operation that is taken back.
  static let updateContent = "UPDATE OR FAIL cards SET content = ?, mod = ? WHERE id = ?"

  /// One statement that changes one card.
  static func change(_ db: Database, _ sql: String, _ arguments: StatementArguments) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
    if db.changesCount == 0 { throw gone }
  }

  private static func id(_ row: Row) -> CardID { CardID(rawValue: row.integer(0)) }

  private static func record(_ row: Row) throws -> CardRecord { try ListedCard(row).record() }
}

extension NewCard {
  /// Lends the bytes of prompt, answer and guid for one call.
  func withBytes<T>(_ body: (TextBytes, TextBytes, TextBytes) throws -> T) throws -> T {
    var (prompt, answer, guid) = (self.prompt, self.answer, self.guid ?? "")
    return try prompt.withUTF8 { prompt in
      try answer.withUTF8 { answer in try guid.withUTF8 { try body(prompt, answer, $0) } }
    }
  }

  /// Lends the card for one call, once it has passed every rule.
  public func checked<T>(_ body: (CheckedCard) throws -> T) throws -> T {
    try withBytes {
      try body(
        CheckedCard(prompt: $0, answer: $1, guid: $2, tags: tags, fields: fields, document: document))
    }
  }
}
