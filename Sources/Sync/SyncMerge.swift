// Merging remote rows into the collection, one after the other, each with the local edit of the same row.
// Source: SyncRules.md, "Merging". Invariant: of a row that both sides changed one side is taken whole; what the server
// deleted is removed; a row with a local edit alone is left as it is, and unsent.

import Decks
import Exchange
public import Storage
import Templates
import Text
import Values

/// The merge of one sync.
final class SyncMerge {
  let db: Database
  let pulled: PulledCollection
  let bases: Bases
  let moment: StudyMoment
  let rows: ServerRows
  let isInterrupted: @Sendable () -> Bool
  var report = SyncReport()
  var heads: MergedHeads
  private let progress: (Int, Int) throws -> Void
  private var done = 0

  /// - Parameter progress: rows taken in and all of them; what it throws ends it.
  init(
    _ db: Database, _ pulled: PulledCollection, _ moment: StudyMoment, isInterrupted: @escaping @Sendable () -> Bool,
    progress: @escaping (Int, Int) throws -> Void
  ) throws {
    (self.db, self.pulled, self.moment, self.isInterrupted) = (db, pulled, moment, isInterrupted)
    self.progress = progress
    bases = try Bases(db)
    let head = pulled.staged.head
    rows = ServerRows(moment, created: head.created, settings: head.settings)
    heads = MergedHeads()
  }

  /// Merges all remote rows. `SyncOutgoing` finds the local edits after it.
  /// - Parameter isFirst: nothing was ever synced: all rows here are unsent.
  func run(isFirst: Bool) throws {
    if isFirst { try WholeCollection.removeStockTypes(db) }
    let changed = try changedCards()
    try keepSettings()
    try leaveRemoved()
    try mergeTypes()
    try reshapeNotes()
    try mergePresets()
    let graves = try pulled.isWhole ? missing() : pulled.graves
    heads.goingDecks = Set(graves.decks)
    try decks.merge()
    try bury(graves)
    let receiver = try NoteReceiver(db, now: moment.now, isInterrupted: isInterrupted)
    try mergeNotes(receiver)
    try mergeCards(receiver, changed)
    try mergeLog()
    try decks.bury(graves.decks)
    for type in heads.changedTypes { try NoteTypeTable.renewTexts(db, of: type, isInterrupted: isInterrupted) }
  }

  /// Counts a remote row; every so often the count is shown, and Ctrl-C looked for.
  func step() throws {
    done += 1
    if done % 256 != 0 { return }
    if isInterrupted() { throw SyncError.interrupted }
    try progress(done, pulled.staged.counts.values.reduce(0, +))
  }

  /// Whether a remote row equals its base: of a whole collection only what is new counts.
  func isKnown(_ base: Base?, _ json: String) -> Bool {
    pulled.isWhole && base.map { $0.json.utf8.elementsEqual(json.utf8) } ?? false
  }

  /// Whether a remote row is older than its base: the server was restored from a backup, and gets ours.
  func isOlder(_ row: StagedRow, than base: Base?) -> Bool {
    pulled.isWhole && base.map { $0.modified > row.modified } ?? false
  }

  // MARK: Bases and local edits

  /// The cards with local edits, and when they were changed.
  private func changedCards() throws -> [Int64: Int64] {
    var found: [Int64: Int64] = [:]
    let sql = """
      SELECT cards.id, cast(max(cards.mod, ifnull(cards.last_review, 0)) AS INTEGER)
      FROM cards LEFT JOIN bases s ON s.kind = \(BaseKind.card.rawValue) AND s.id = cards.id AND s.here
      WHERE iif(s.id IS NULL, \(SyncTables.unsentRow(.cards)), s.state IS NOT \(SyncedTable.cards.state))
      """
    try db.forEachRow(sql) { found[$0.integer(0)] = $0.integer(1) }
    return found
  }

  /// The graves of a whole collection: the bases that it has no row for.
  private func missing() throws -> SyncGraves {
    var graves = SyncGraves()
    for (kind, path) in [(StagedKind.cards, \SyncGraves.cards), (.notes, \.notes)] {
      let base: BaseKind = kind == .cards ? .card : .note
      let here = try db.rows("SELECT id FROM server_rows WHERE kind = ?", [base.rawValue]) { $0.integer(0) }
      var there: Set<Int64> = []
      if !here.isEmpty { try pulled.staged.forEachRow(kind) { there.insert($0.id) } }
      graves[keyPath: path] = here.filter { !there.contains($0) }
    }
    let head = pulled.staged.head
    for (kind, records) in [(BaseKind.deck, head.decks), (.noteType, head.types), (.preset, head.presets)] {
      let there = Set(records.map(ServerRows.id))
      let gone = try bases.all(kind).map(\.id).filter { !there.contains($0) }
      if kind == .deck { graves.decks = gone }
      // The rows here become unsent ones of this account.
      if kind != .deck { for id in gone { try bases.bury(kind, id) } }
    }
    return graves
  }

  private func keepSettings() throws {
    let head = pulled.staged.head
    let settings = Value.record(["crt": .integer(head.created), "conf": .record(head.settings)])
    try bases.put(.settings, 0, settings.json, isHere: false)
    let known = try bases[.tags, 0]?.list ?? []
    let all = pulled.isWhole ? pulled.tags : known + pulled.tags.filter { !known.contains($0) }
    try bases.put(.tags, 0, Value.list(all).json, isHere: false)
  }
}

extension PulledCollection {
  /// How many cards here are not among what was fetched, which is all that the server has, and were there before.
  public func missingCards(_ db: Database) throws -> Int {
    var there: Set<Int64> = []
    let sql = """
      SELECT s.id FROM server_rows s JOIN cards ON cards.id = s.id WHERE s.kind = \(BaseKind.card.rawValue) AND s.here
      """
    let here = try db.rows(sql) { $0.integer(0) }
    if !here.isEmpty { try staged.forEachRow(.cards) { there.insert($0.id) } }
    return here.count { !there.contains($0) }
  }
}

/// What one part of a merge keeps for the others.
struct MergedHeads {
  /// Types whose cards may show something else now.
  var changedTypes: [NoteTypeID] = []
  /// Types that have other fields or cards now, as they were.
  var reshaped: [(id: NoteTypeID, old: NoteType)] = []
  /// The guids of the notes that the report has.
  var setAside: Set<String> = []
  /// Remote presets that have no row here.
  var newPresets: Set<Int64> = []
  /// Cards whose remote rows do not say when they were answered last.
  var withoutLastReview: [Int64] = []
  /// The remote decks that were deleted.
  var goingDecks: Set<Int64> = []
  /// The decks for cards of remote decks, as far as they were asked for.
  var decks: [Int64: DeckID] = [:]
  /// The options that are good for a remote deck.
  var options: [Int64: DeckOptions] = [:]
}
