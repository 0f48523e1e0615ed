// The rows of a server as they are kept here, one by one.
// Invariant: a shadow is what the server has, or what it is given in the operation under way; `state` is what the row
// here held when both said the same, NULL where it says another thing.

import Decks
import Exchange
import Storage
import Values

/// What is kept of a row.
struct Shadow {
  /// The row here; nil where there is none.
  let local: Int64?
  /// Seconds since 1970.
  let modified: Int64
  let json: String
  let state: String?
}

/// The shadows of an account.
final class Shadows {
  let db: Database
  private let find: Statement
  private let findRemote: Statement
  private let writing: Statement
  private let removal: Statement
  private let grave: Statement
  private let hasGrave: Statement
  private var states: [ShadowKind: Statement] = [:]

  init(_ db: Database) throws {
    self.db = db
    find = try Statement(
      db, "SELECT local, modified, json, state FROM sync_shadows WHERE kind = ?1 AND remote = ?2")
    findRemote = try Statement(db, "SELECT remote FROM sync_shadows WHERE kind = ?1 AND local = ?2")
    writing = try Statement(
      db,
      """
      INSERT INTO sync_shadows (kind, remote, usn, modified, json, local) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (kind, remote) DO UPDATE SET usn = ?3, modified = ?4, json = ?5, local = ?6, state = NULL
      """)
    removal = try Statement(db, "DELETE FROM sync_shadows WHERE kind = ?1 AND remote = ?2")
    grave = try Statement(db, "INSERT OR IGNORE INTO told_graves (kind, remote, sent) VALUES (?1, ?2, 0)")
    hasGrave = try Statement(db, "SELECT 1 FROM told_graves WHERE kind = ?1 AND remote = ?2")
  }

  subscript(kind: ShadowKind, remote: Int64) -> Shadow? {
    get throws {
      find.bind(1, kind.rawValue)
      find.bind(2, remote)
      return try find.first { row in
        Shadow(
          local: row.optionalInteger(0), modified: row.integer(1), json: row.text(2), state: row.optionalText(3))
      }
    }
  }

  /// The id that a row here has on the server.
  func remote(_ kind: ShadowKind, of local: Int64) throws -> Int64? {
    findRemote.bind(1, kind.rawValue)
    findRemote.bind(2, local)
    return try findRemote.first { $0.integer(0) }
  }

  /// Keeps a row as the server has it.
  func put(_ kind: ShadowKind, _ remote: Int64, usn: Int64, modified: Int64 = 0, _ json: String, local: Int64?) throws {
    writing.bind(1, kind.rawValue)
    writing.bind(2, remote)
    writing.bind(3, usn)
    writing.bind(4, modified)
    writing.bind(5, json)
    writing.bind(6, local)
    try writing.run()
  }

  func setLocal(_ kind: ShadowKind, _ remote: Int64, to local: Int64?) throws {
    try db.cachedStatement(sql: "UPDATE sync_shadows SET local = ? WHERE kind = ? AND remote = ?")
      .execute(arguments: [local, kind.rawValue, remote])
  }

  /// The row here says what the server's does.
  func agree(_ kind: ShadowKind, _ remote: Int64) throws {
    let statement = try states[kind] ?? Statement(db, Shadows.agreement(kind, "remote = ?1"))
    states[kind] = statement
    statement.bind(1, remote)
    try statement.run()
  }

  /// Of a card that both have: the deck of the one here is to be sent.
  func disagreeOnDeck(card remote: Int64) throws { try setPart(0, of: remote, to: "NULL") }

  /// Of a card that both have: when the one here was answered last is nothing that was changed.
  func agreeOnLastReview(card remote: Int64) throws {
    try setPart(12, of: remote, to: "(SELECT last_review FROM cards WHERE id = local)")
  }

  /// The cards of a note here are to be sent, whole.
  func forgetState(cardsOf note: Int64) throws {
    let sql = """
      UPDATE sync_shadows SET state = NULL
      WHERE kind = \(ShadowKind.card.rawValue) AND local IN (SELECT id FROM cards WHERE note = ?)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [note])
  }

  /// Puts another value into the state of a card.
  /// - Parameter index: of `ShadowKind.cardState`.
  private func setPart(_ index: Int, of card: Int64, to value: String) throws {
    let sql = """
      UPDATE sync_shadows SET state = json_set(state, '$[\(index)]', \(value))
      WHERE kind = \(ShadowKind.card.rawValue) AND remote = ?
      """
    try db.cachedStatement(sql: sql).execute(arguments: [card])
  }

  /// Keeps of the shadows of a kind for which a condition holds what the rows here say.
  static func agreement(_ kind: ShadowKind, _ condition: String) -> String {
    let (table, state) = kind.stated
    return """
      UPDATE sync_shadows SET state = (SELECT \(state) FROM \(table) WHERE \(table).id = local)
      WHERE kind = \(kind.rawValue) AND \(condition)
      """
  }

  /// It was deleted.
  func bury(_ kind: ShadowKind, _ remote: Int64) throws {
    removal.bind(1, kind.rawValue)
    removal.bind(2, remote)
    try removal.run()
    grave.bind(1, kind.rawValue)
    grave.bind(2, remote)
    try grave.run()
  }

  /// Its deletion is sent.
  func tell(_ kind: ShadowKind, _ remote: Int64) throws {
    try bury(kind, remote)
    try db.cachedStatement(sql: "UPDATE told_graves SET sent = 1 WHERE kind = ? AND remote = ?")
      .execute(arguments: [kind.rawValue, remote])
  }

  /// Whether its deletion was sent from here, also where that sync was undone since.
  func wasTold(_ kind: ShadowKind, _ remote: Int64) throws -> Bool {
    let sql = "SELECT 1 FROM told_graves WHERE kind = ? AND remote = ? AND sent = 1"
    return try db.firstRow(sql, [kind.rawValue, remote]) { _ in true } ?? false
  }

  /// Whether an id of the server's is in use or was.
  func isTaken(_ kind: ShadowKind, _ remote: Int64) throws -> Bool {
    if try self[kind, remote] != nil { return true }
    return try wasDeleted(kind, remote)
  }

  func wasDeleted(_ kind: ShadowKind, _ remote: Int64) throws -> Bool {
    hasGrave.bind(1, kind.rawValue)
    hasGrave.bind(2, remote)
    return try hasGrave.first { _ in true } ?? false
  }

  /// Every shadow of a kind.
  func all(_ kind: ShadowKind) throws -> [(remote: Int64, shadow: Shadow)] {
    try db.rows(
      "SELECT remote, local, modified, json, state FROM sync_shadows WHERE kind = ? ORDER BY remote", [kind.rawValue]
    ) { row in
      (
        row.integer(0),
        Shadow(
          local: row.optionalInteger(1), modified: row.integer(2), json: row.text(3), state: row.optionalText(4))
      )
    }
  }

  /// What the server has after all this.
  func counts() throws -> SyncCounts {
    var found: [Int: Int] = [:]
    try db.forEachRow("SELECT kind, count(*) FROM sync_shadows GROUP BY kind") { found[$0.count(0)] = $0.count(1) }
    func count(_ kind: ShadowKind) -> Int { found[kind.rawValue] ?? 0 }
    let reviews =
      try db.firstRow(
        """
        SELECT (SELECT count(*) FROM reviews WHERE NOT \(Unsent.sql))
          + (SELECT count(*) FROM sync_shadows WHERE kind = \(ShadowKind.review.rawValue)
             AND NOT EXISTS (SELECT 1 FROM reviews WHERE id = remote AND NOT \(Unsent.sql)))
        """
      ) { $0.count(0) } ?? 0
    return SyncCounts(
      cards: count(.card), notes: count(.note), reviews: reviews, types: count(.noteType), decks: count(.deck),
      presets: count(.preset))
  }
}

extension Shadows {
  /// What of a card was changed here since both said the same.
  func changedParts(of card: Int64, since state: String?) throws -> CardChanges {
    guard let state, let was = ServerRows.parse(state)?.list, was.count == 13,
      let now = try db.firstRow("SELECT \(ShadowKind.cardState) FROM cards WHERE id = ?", [card], { $0.text(0) }),
      let parts = ServerRows.parse(now)?.list, parts.count == 13
    else { return .all }
    var changes: CardChanges = []
    let isSame = zip(was, parts).map { $0 == $1 }
    if !isSame[0] { changes.insert(.deck) }
    if !isSame[1] { changes.insert(.place) }
    if !isSame[2] || !isSame[3] { changes.insert(.hiding) }
    if !isSame[4] { changes.insert(.flag) }
    if isSame[5...].contains(false) { changes.insert(.schedule) }
    return changes
  }
}

extension ShadowKind {
  /// The table of the rows here, and what of one a change is told by.
  var stated: (table: String, state: String) {
    switch self {
    case .card: ("cards", ShadowKind.cardState)
    case .deck: ("decks", ShadowKind.deckState)
    case .preset: ("presets", ShadowKind.presetState)
    case .noteType: ("note_types", "NULL")
    default: ("notes", "NULL")
    }
  }
}
