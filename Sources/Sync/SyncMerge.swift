// Merges remote rows one after the other into the collection, each with the local edit of the same row.
// Source: SyncRules.md, "Merging". Invariant: if both sides changed a row, one side's version is taken whole. What
// the server deleted is removed. A row that only has a local edit stays as it is, unsent.

import Decks
import Exchange
public import Storage
import Templates
import Text
import Values

final class SyncMerge {
  let db: Database
  let pulled: PulledCollection
  let bases: Bases
  let moment: StudyMoment
  let rows: ServerRows
  let isInterrupted: @Sendable () -> Bool
  var report = SyncReport()
  var heads = MergedHeads()
  private let progress: (Int, Int) throws -> Void
  private var done = 0

  /// - Parameter progress: called with the rows merged and their total; an error that it throws ends the merge.
  init(
    _ db: Database, _ pulled: PulledCollection, _ moment: StudyMoment, isInterrupted: @escaping @Sendable () -> Bool,
    progress: @escaping (Int, Int) throws -> Void
  ) throws {
    (self.db, self.pulled, self.moment, self.isInterrupted) = (db, pulled, moment, isInterrupted)
    self.progress = progress
    bases = try Bases(db)
    let head = pulled.staged.head
    rows = ServerRows(moment, created: head.created, settings: head.settings)
  }

  /// Merges all remote rows. Afterwards `SyncOutgoing` finds the local edits.
  /// - Parameter isFirst: nothing was synced before, so all local rows are unsent.
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
    for type in heads.changedTypes { try NoteTypeTable.updateTexts(db, of: type, isInterrupted: isInterrupted) }
  }

  /// Counts a remote row; every 256 rows reports the progress and checks for Ctrl-C.
  func step() throws {
    done += 1
    if done % 256 != 0 { return }
    if isInterrupted() { throw SyncError.interrupted }
    try progress(done, pulled.staged.counts.values.reduce(0, +))
  }

  /// Whether a remote row equals its base: when a whole collection was fetched, only the new rows matter.
  func isKnown(_ base: Base?, _ json: String) -> Bool {
    pulled.isWhole && base.map { $0.json.utf8.elementsEqual(json.utf8) } ?? false
  }

  /// Whether a remote row is older than its base: the server was restored from a backup, and the local version is sent.
  func isOlder(_ row: StagedRow, than base: Base?) -> Bool {
    pulled.isWhole && base.map { $0.modified > row.modified } ?? false
  }

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

  /// Returns the graves implied by a whole collection: the bases for which it has no row.
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
      // The local rows become unsent rows of this account.
      if kind != .deck { for id in gone { try bases.bury(kind, id) } }
    }
    return graves
  }

  private func keepSettings() throws {
    try bases.putSettings(pulled.staged.head)
    let known = try bases[.tags, 0]?.list ?? []
    let all = pulled.isWhole ? pulled.tags : known + pulled.tags.filter { !known.contains($0) }
    try bases.put(.tags, 0, Value.list(all).json, isHere: false)
  }
}

extension PulledCollection {
  /// Returns how many local cards were on the server before and are missing from the fetched (whole) collection.
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

/// What one part of a merge stores for the others.
struct MergedHeads {
  /// Note types whose cards may show different texts now.
  var changedTypes: [NoteTypeID] = []
  /// The previous versions of note types that have different fields or cards now.
  var reshaped: [(id: NoteTypeID, old: NoteType)] = []
  /// The guids of the notes that are in the report.
  var setAside: Set<String> = []
  /// Remote presets without a local row.
  var newPresets: Set<Int64> = []
  /// Cards whose remote rows do not say when they were last answered.
  var withoutLastReview: [Int64] = []
  var goingDecks: Set<Int64> = []
  /// The local decks of the remote decks looked up so far.
  var decks: [Int64: DeckID] = [:]
  var options: [Int64: DeckOptions] = [:]
}
