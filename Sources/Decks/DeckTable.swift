// Decks in the database: creating, finding, renaming, removing, counting. A deck `A::B` is within `A`.
// Invariant: the parents of a deck exist, and no two names differ only in case.

public import Storage
import Text

public enum DeckTable {
  private static let columns = "id, name, studied"

  // MARK: Finding

  /// All decks by name, each followed by the decks within it, and studied last when one of them was.
  public static func list(_ db: Database) throws -> [DeckRecord] {
    try db.rows("SELECT \(columns) FROM decks", [], record).listed
  }

  /// Finds the deck with exactly that name.
  /// - Throws: `deckNotFound` with the nearest name.
  public static func find(_ db: Database, named name: String) throws -> DeckRecord {
    if let wanted = lookupName(name), let found = try deck(db, key: wanted.key), found.name == wanted.text {
      return found
    }
    let names = try db.rows("SELECT name FROM decks") { $0.text(0) }
    throw DeckError.deckNotFound(name: name, suggestion: suggestion(for: name, among: names))
  }

  /// - Throws: `gone` if the deck was removed.
  public static func record(_ db: Database, _ id: DeckID) throws -> DeckRecord {
    let found = try db.firstRow("SELECT \(columns) FROM decks WHERE id = ?", [id.rawValue], record)
    guard let found else { throw DeckError.gone(what: "the deck") }
    return found
  }

  public static func exists(_ db: Database, _ id: DeckID) throws -> Bool {
    try db.hasRow("SELECT 1 FROM decks WHERE id = ?", [id.rawValue])
  }

  /// The decks within a deck, at any depth, in the order of `list`.
  public static func within(_ db: Database, _ id: DeckID) throws -> [DeckRecord] {
    let key = try record(db, id).name.lowercased()
    return try db.rows("SELECT \(columns) FROM decks WHERE \(isKeyWithin)", [key + "::", key + ":;"], record).listed
  }

  /// Whether a deck is within another one; needs the key of that one followed by `::` and by `:;`. The semicolon is the
  /// character after the colon.
  static let isKeyWithin = "name_key >= ? AND name_key < ?"

  /// The outermost decks, in the order of `list`.
  public static func outermost(_ db: Database) throws -> [DeckRecord] {
    try list(db).reduce(into: []) { found, deck in
      let isWithin = found.last.map { DeckName.isKey(deck.name.lowercased(), within: $0.name.lowercased()) } ?? false
      if !isWithin { found.append(deck) }
    }
  }

  // MARK: Counting

  /// Counts the deck's own cards, without those of the decks within it.
  /// Cards in learning are due from the beginning of their day, as in a session.
  public static func counts(_ db: Database, _ id: DeckID, at moment: StudyMoment) throws -> DeckCounts {
    let waiting = try WaitingCounts(db, id, at: moment)
    return DeckCounts(count: try count(db, id), newCount: waiting.new, dueCount: waiting.learning + waiting.due)
  }

  public static func count(_ db: Database, _ id: DeckID) throws -> Int {
    try db.count("SELECT count(*) FROM cards WHERE deck = ?", [id.rawValue])
  }

  /// Counts the deck's own cards that were never studied, without suspended and buried ones. SQLite answers it from
  /// indexes, without reading a card.
  /// - Parameter most: if given, at most this many cards are counted, however many the deck has.
  /// - Parameter buries: whether cards that the answer to another of them buries are left out; needs `most`.
  static func newCount(
    _ db: Database, _ id: DeckID, at moment: StudyMoment, upTo most: Int? = nil, buries: Bool = false
  ) throws -> Int {
    if let most {
      let sql = """
        SELECT count(*) FROM (
          SELECT 1 FROM cards INDEXED BY cards_new
          WHERE deck = :deck AND \(Siblings.isNewAndShown(buries: buries)) LIMIT :most)
        """
      let arguments = moment.arguments(of: sql, ["deck": id.rawValue, "most": most])
      return try db.count(sql, arguments)
    }
    let sql = """
      SELECT (SELECT count(*) FROM cards WHERE deck = :deck)
        - (SELECT count(*) FROM cards WHERE deck = :deck AND \(CardStatus.studied))
        - (SELECT count(*) FROM cards WHERE deck = :deck AND suspended = 1 AND \(CardStatus.new.sql()))
        - (SELECT count(*) FROM cards
           WHERE deck = :deck AND \(CardStatus.buried.sql()) AND \(CardStatus.new.sql()) AND suspended = 0)
      """
    return try db.count(sql, moment.arguments(of: sql, ["deck": id.rawValue]))
  }

  // MARK: Changing

  /// Creates a deck, and its parents that are missing.
  /// - Throws: `badName`, `exists`.
  @discardableResult
  public static func create(_ db: Database, name: String, now: Double) throws -> DeckRecord {
    let name = try DeckName(name)
    if let there = try deck(db, key: name.key) { throw DeckError.exists(name: there.name) }
    return try ensure(db, name, now: now)
  }

  /// Finds the deck with a name, case-insensitively, and creates it if it is missing.
  static func ensure(_ db: Database, _ name: DeckName, id: DeckID? = nil, now: Double) throws -> DeckRecord {
    if let there = try deck(db, key: name.key) { return there }
    let name = try spelled(db, name)
    for parent in name.parents where try deck(db, key: parent.key) == nil { try insert(db, parent, now: now) }
    return try record(db, insert(db, name, id, now: now))
  }

  /// Finds the deck with a name, case-insensitively, and creates it if it is missing.
  /// - Parameter id: the id for a new deck, if no deck has it.
  /// - Returns: the deck, and whether it is still empty, with neither cards nor a preset.
  public static func findOrMake(
    _ db: Database, named name: String, id: DeckID? = nil, now: Double
  ) throws -> (deck: DeckRecord, isFresh: Bool) {
    let deck = try ensure(db, DeckName(name), id: id, now: now)
    let sql =
      "SELECT 1 FROM decks WHERE id = ? AND preset IS NULL AND NOT EXISTS (SELECT 1 FROM cards WHERE deck = decks.id)"
    return (deck, try db.hasRow(sql, [deck.id.rawValue]))
  }

  /// Finds the deck with a name within another one, and creates it if it is missing.
  /// - Throws: `badName`.
  public static func ensure(_ db: Database, _ name: String, within outer: DeckID, now: Double) throws -> DeckRecord {
    try ensure(db, DeckName("\(record(db, outer).name)::\(name)"), now: now)
  }

  /// Returns the name with the spelling that its existing parents have, so that a deck's name begins with its parent's.
  private static func spelled(_ db: Database, _ name: DeckName, except renamed: DeckID? = nil) throws -> DeckName {
    for parent in name.parents.reversed() {
      guard let there = try deck(db, key: parent.key), there.id != renamed else { continue }
      return DeckName(parts: [there.name, DeckName.rest(of: name.text, below: parent.depth)])
    }
    return name
  }

  /// Renames a deck and the decks within it. Missing parents of the new name are created.
  /// - Throws: `badName`, `exists`, `gone`.
  public static func rename(_ db: Database, _ id: DeckID, to name: String, now: Double) throws {
    let old = try record(db, id)
    let target = try spelled(db, DeckName(name), except: id)
    if target.text.utf8.elementsEqual(old.name.utf8) { return }
    if DeckName.isKey(target.key, within: old.name.lowercased()) {
      throw DeckError.badName(name: name, reason: "cannot put the deck into itself")
    }
    let inner = try within(db, id)
    let depth = DeckName.split(old.name).count
    let moved = try inner.map { deck in
      (deck.id, try DeckName("\(target.text)::\(DeckName.rest(of: deck.name, below: depth))"))
    }
    let mine = Set([id] + inner.map(\.id))
    for (_, new) in [(id, target)] + moved {
      if let there = try deck(db, key: new.key), !mine.contains(there.id) { throw DeckError.exists(name: there.name) }
    }
    for parent in target.parents where try deck(db, key: parent.key) == nil { try insert(db, parent, now: now) }
    try SyncedTable.decks.keep(db, mine.map(\.rawValue))
    // First sets keys that no deck can have, because one of these decks may take the key of another.
    for (id, _) in [(id, target)] + moved {
      try db.execute(sql: "UPDATE decks SET name_key = char(0) || id WHERE id = ?", arguments: [id.rawValue])
    }
    for (id, new) in [(id, target)] + moved {
      try db.execute(
        sql: "UPDATE decks SET name = ?, name_key = ? WHERE id = ?", arguments: [new.text, new.key, id.rawValue])
    }
    try NoteTable.updateDeckNames(db, in: mine, now: now)
  }

  /// Removes a deck, the decks within it and all their cards.
  /// - Returns: how many cards were removed.
  @discardableResult
  public static func remove(_ db: Database, _ id: DeckID) throws -> Int {
    var count = 0
    for deck in try [record(db, id)] + within(db, id) {
      count += try removeCards(db, of: deck.id)
      try SyncedTable.decks.remove(db, deck.id.rawValue)
    }
    return count
  }

  /// Removes the cards of a deck.
  /// - Returns: how many were removed.
  private static func removeCards(_ db: Database, of deck: DeckID) throws -> Int {
    let ids = "SELECT id FROM cards WHERE deck = ? ORDER BY rank LIMIT ?"
    let most = CardTable.removedAtOnce
    var count = 0
    while true {
      try db.execute(sql: SyncedTable.cards.saveRemovedSQL(ids), arguments: [deck.rawValue, most])
      try db.execute(sql: "DELETE FROM cards WHERE id IN (\(ids))", arguments: [deck.rawValue, most])
      count += db.changesCount
      if db.changesCount < most { return count }
    }
  }

  /// Returns a name that no deck has: the given name, with `+` appended as needed, truncated to the maximum length of
  /// a name.
  public static func freeName(_ db: Database, like given: String) throws -> String {
    var (name, more) = (given, "")
    while try named(db, name) != nil {
      more += "+"
      name = given.prefix(DeckName.limit - more.count) + more
    }
    return name
  }

  /// The deck with a name, case-insensitively; nil if there is none.
  public static func named(_ db: Database, _ name: String) throws -> DeckRecord? {
    try lookupName(name).flatMap { try deck(db, key: $0.key) }
  }

  /// Removes a deck that has neither cards nor decks within it.
  /// - Returns: false if it has some; then it is not removed.
  public static func removeEmpty(_ db: Database, _ id: DeckID) throws -> Bool {
    guard try exists(db, id) else { return true }
    if try count(db, id) > 0 || !within(db, id).isEmpty { return false }
    try SyncedTable.decks.remove(db, id.rawValue)
    return true
  }

  /// The name in the form in which the table stores it; nil if no deck can have it.
  private static func lookupName(_ name: String) -> DeckName? {
    do throws(DeckError) {
      return try DeckName(name)
    } catch {
      // No deck can have this name; the caller reports that it was not found.
      return nil
    }
  }

  private static func deck(_ db: Database, key: String) throws -> DeckRecord? {
    try db.firstRow("SELECT \(columns) FROM decks WHERE name_key = ?", [key], record)
  }

  @discardableResult
  private static func insert(
    _ db: Database, _ name: DeckName, _ wanted: DeckID? = nil, now: Double
  ) throws -> DeckID {
    let id = try SyncedTable.decks.newID(db, named: name.text, wanted: wanted?.rawValue, now: now)
    try db.execute(
      sql: "INSERT INTO decks (id, name, name_key) VALUES (?, ?, ?)", arguments: [id, name.text, name.key])
    return DeckID(rawValue: id)
  }

  private static func record(_ row: Row) -> DeckRecord {
    DeckRecord(id: DeckID(rawValue: row.integer(0)), name: row.text(1), studied: row.optionalNumber(2))
  }
}

extension [DeckRecord] {
  /// The decks in the order of `DeckTable.list`, studied last when one of those within them was.
  var listed: [DeckRecord] {
    let unsorted = map { (parts: DeckName.split($0.name.lowercased()), deck: $0) }
    let keyed = unsorted.sorted { $0.parts.lexicographicallyPrecedes($1.parts) }
    var (decks, outer): ([DeckRecord], [Int]) = ([], [])
    for (place, (parts, deck)) in keyed.enumerated() {
      while let last = outer.last, !parts.starts(with: keyed[last].parts) { outer.removeLast() }
      for other in outer { decks[other].studied = [decks[other].studied, deck.studied].compactMap(\.self).max() }
      decks.append(deck)
      outer.append(place)
    }
    return decks
  }
}

/// Lists decks together with the decks within them.
public enum DeckFamilies {
  /// Decks with the decks within them, each once, in the order given. A given deck that is within another given deck
  /// is listed with that one.
  /// - Throws: `gone` if a deck was removed.
  public static func all(_ db: Database, of roots: [DeckID]) throws -> [DeckRecord] {
    let all = try DeckTable.list(db)
    let places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($0.element.id, $0.offset) })
    let outer = try roots.map { id in
      guard let place = places[id] else { throw DeckError.gone(what: "the deck") }
      return (place: place, name: DeckName(parts: [all[place].name]))
    }
    let keys = Set(outer.map(\.name.key))
    var (found, known): ([DeckRecord], Set<String>) = ([], [])
    for (place, name) in outer where !name.parents.contains(where: { keys.contains($0.key) }) {
      guard known.insert(name.key).inserted else { continue }
      found.append(all[place])
      found += all[(place + 1)...].prefix { DeckName.isKey($0.name.lowercased(), within: name.key) }
    }
    return found
  }
}
