// The doctor: its findings, the check of every area of an account, and the repairs of `doctor --mend`. Invariant:
// checking changes nothing; an area that cannot be checked is itself a finding. The existing data is saved before
// anything is changed, and whatever is lost from a damaged collection is listed. Until the user asks for it, no new
// collection replaces the missing one and no backup is removed.

import Archives
import Authentication
import CardDocuments
import Decks
import Files
import Glibc
import Problems
import Storage
import Templates
import Text
import ToggleSettings
import Values
import WordGames

/// Something that is wrong, or that could go wrong.
public struct DoctorFinding: Equatable, Sendable {
  public enum Area: String, CaseIterable, Sendable {
    case database, decks, documents, media, games, settings, undo, files, space
    /// Checked by the shell.
    case plugins, words
  }

  public static let areasOfCards: Set<Area> = [.database, .decks, .undo]

  public let area: Area
  /// A stable code for programs, such as `bad_schedule`.
  public let code: String
  public let what: String
  /// The location: a file, or rows of a table.
  public let place: String
  public let remedy: String
  /// Whether `--mend` can do what the remedy says.
  public let isMendable: Bool

  static let damaged = "damaged"
  static let gone = "collection_gone"
  static let removedMedia = "removed_media"
  static let unusedMedia = "unused_media"
  public static let unmadeCards = "unmade_cards"

  public init(
    _ area: Area, _ code: String, _ what: String, at place: String, _ remedy: String, mends: Bool = false
  ) {
    (self.area, self.code, self.what) = (area, code, what)
    (self.place, self.remedy, isMendable) = (place, remedy, mends)
  }
}

public struct DoctorReport: Equatable, Sendable {
  public let findings: [DoctorFinding]
  /// The backup that was made before any repair.
  public let backup: String?
  /// Findings that the repair has resolved.
  public var mended: [DoctorFinding] = []
  /// Descriptions of what could not be read from a damaged collection.
  public var lost: [String] = []
}

extension CareOperations {
  /// Whether checking the database takes longer than a second.
  public var isCheckLong: Bool {
    do { return try FileFacts.at(workspace.collectionPath)?.size ?? 0 > 100 << 20 } catch {
      // The check itself reports what is wrong with the file.
      return false
    }
  }

  /// Checks everything, or some areas.
  /// - Parameter progress: called before each area with the number of areas that were checked and of all.
  public func diagnose(
    _ areas: Set<DoctorFinding.Area> = Set(DoctorFinding.Area.allCases), progress: (Int, Int) -> Void = { _, _ in }
  ) throws -> [DoctorFinding] {
    guard workspace.isOpen else { throw WorkspaceError.signedOut(what: "workspace") }
    if isCollectionGone {
      let backup = newestBackup().map { "`restore \(shellQuoted($0))` restores the newest backup" }
      return [
        DoctorFinding(
          .database, DoctorFinding.gone, "the collection is empty or missing, but other data exists",
          at: workspace.collectionPath,
          "\(backup ?? "there is no backup"); --mend creates an empty collection and keeps every backup", mends: true)
      ]
    }
    try workspace.games.store()
    var found: [DoctorFinding] = []
    let diagnosis = Diagnosis(workspace: workspace, isOfMedia: areas == [.media])
    for (place, area) in DoctorFinding.Area.allCases.filter(areas.contains).enumerated() {
      progress(place, areas.count)
      do {
        found += try diagnosis.findings(in: area)
        if area == .decks, areas == DoctorFinding.areasOfCards, let unmade = try diagnosis.unmadeCards() {
          found.append(unmade)
        }
      } catch let problem as any Problem where problem.code != "interrupted" {
        // The damage of the database has already been reported.
        if (problem as? StorageError)?.isDamage == true, found.contains(where: { $0.code == DoctorFinding.damaged }) {
          continue
        }
        let what = "this could not be checked: \(problem.message)"
        // A problem that prevents every check is reported once.
        if found.contains(where: { $0.what == what }) { continue }
        found.append(
          DoctorFinding(
            area, "unchecked", what, at: workspace.folder, "fix what the message says, then run `doctor` again"))
      }
    }
    if areas == [.media], let removed = try diagnosis.removedMedia() { found.append(removed) }
    return found
  }

  /// Returns the space in bytes that a change and a backup may need.
  func neededSpace() throws -> Int { (64 << 20) + 2 * (try FileFacts.at(workspace.collectionPath)?.size ?? 0) }

  /// The libraries used for the data, with their versions.
  public static var libraryVersions: [(name: String, version: String)] {
    [("SQLite", sqliteVersion), ("zstd", zstdVersion)]
  }

  /// Repairs what can be repaired, after a backup of everything.
  /// - Parameter removesUnmade: whether cards that their notes no longer make are removed where they are found.
  /// - Parameter progress: as for `diagnose`, for each of its checks.
  /// - Returns: the remaining findings, and what was repaired.
  public func mend(
    _ areas: Set<DoctorFinding.Area> = Set(DoctorFinding.Area.allCases), removesUnmade: Bool = false,
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws -> DoctorReport {
    let all = try diagnose(areas, progress: progress)
    let found = removesUnmade ? all : all.filter { $0.code != DoctorFinding.unmadeCards }
    guard found.contains(where: \.isMendable) else { return DoctorReport(findings: all, backup: nil) }
    if workspace.rehearsal.isOn { throw WorkspaceError.rehearsal("repairing the data") }
    try makePrivateFolder(backupFolder)
    var report: DoctorReport
    if found.contains(where: { $0.code == DoctorFinding.gone }) {
      try beginAgain()
      report = DoctorReport(findings: try diagnose(areas, progress: progress), backup: nil)
    } else if found.contains(where: { $0.code == DoctorFinding.damaged }) {
      let (kept, lost) = try salvage()
      // Salvaging again would not fix the remaining findings.
      let rest = try diagnose(areas, progress: progress)
      try mend(rest.filter { $0.code != DoctorFinding.unmadeCards })
      report = DoctorReport(findings: try diagnose(areas, progress: progress), backup: kept)
      report.lost = lost
      report.mended = rest.filter { $0.isMendable && !report.findings.contains($0) }
    } else {
      let path = try backup(as: "before-mending").path
      try mend(found)
      // The content of media that were just removed is kept for `undo`, which is no finding.
      let left = try diagnose(areas, progress: progress).filter { $0.code != DoctorFinding.removedMedia }
      report = DoctorReport(findings: left, backup: path)
    }
    report.mended += found.filter { $0.isMendable && !report.findings.contains($0) && !report.mended.contains($0) }
    return report
  }

  /// Applies the remedy of each finding.
  private func mend(_ found: [DoctorFinding]) throws {
    if found.contains(where: { $0.code == DoctorFinding.removedMedia }) { try workspace.media.clean() }
    try removingOnFailure { created in
      let values = found.contains { $0.area == .decks } ? try workspace.read { try DecksCheck.unreadable($0) } : []
      if !values.isEmpty {
        let path = try freeBackupPath("set-aside", ending: ".txt")
        try AtomicFile.write(path, values.map(\.line).joined().utf8)
        created.append(path)
      }
      try mendRows(found)
    }
    for finding in found where finding.isMendable && finding.area == .files {
      let isFolder = try FileFacts.at(finding.place, followingLinks: false)?.kind == .folder
      if finding.code == "open_to_others" {
        chmod(finding.place, isFolder ? 0o700 : 0o600)
      } else if isFolder {
        try Folder.removeTree(finding.place)
      } else {
        try Folder.removeFile(finding.place)
      }
    }
  }

  private func mendRows(_ found: [DoctorFinding]) throws {
    func has(_ code: String) -> Bool { found.contains { $0.code == code } }
    try workspace.perform(.mend) { db in
      if found.contains(where: { $0.area == .decks }) {
        _ = try DecksCheck.mend(db, now: workspace.now, random: workspace.environment.random.entropy)
      }
      // The rows that cards, notes and decks refer to exist by now.
      if has(DoctorFinding.damaged) { try db.applyDeleteActions() }
      if has("bad_document_id") { try DocumentTable.removeUnnamed(db) }
      if has("missing_document") || has("bad_document_id") {
        let known = Set(try DocumentTable.ids(db))
        for (card, document) in try CardTable.documents(db) where !known.contains(document) {
          try CardTable.setDocument(db, card, to: nil, now: workspace.now)
        }
      }
      if has("bad_saved_game") { try GameTable.removeSaved(db) }
      if found.contains(where: { $0.code == DoctorFinding.unusedMedia && $0.isMendable }) {
        for media in try workspace.media.check().unused { try MediaTable.remove(db, media.name) }
      }
      if has(DoctorFinding.unmadeCards) {
        try CardTable.remove(db, NoteOrdinals.unmade(db, isInterrupted: workspace.isInterrupted))
      }
      if has("damaged_step") { try UndoLog.removeAll(db) }
    }
  }

  /// Salvages the readable rows of a damaged collection. Keeps the damaged file unchanged.
  /// - Returns: the path of the damaged file, and what was lost.
  private func salvage() throws -> (kept: String, lost: [String]) {
    let scratch = try Scratch(.restore, in: workspace.folder)
    let (copy, made) = (scratch.path("damaged.sqlite"), scratch.path("rows.sqlite"))
    try copyCollection(to: copy)
    let new = NewStore(at: made, schema: Workspace.schema, isInterrupted: workspace.isInterrupted)
    let losses = try new.salvage(from: copy)
    // A failure until here leaves nothing behind.
    let kept = try copyDamaged()
    try workspace.database.replaceAll(from: made)
    workspace.stopFitting()
    workspace.opened.orders.forget()
    try workspace.settings.reload()
    return (kept, losses.map(\.words))
  }
}

extension UnreadableValue {
  /// The line in the file of what a repair replaced.
  fileprivate var line: String { "\(table) \(row), \(column): \(text)\n" }
}

extension CareOperations {
  /// Whether the collection is missing while media or backups exist. SQLite would create an empty one.
  var isCollectionGone: Bool {
    do {
      let path = workspace.collectionPath
      // A dangling link or a pipe counts as existing: opening it fails with an error that says what it is.
      if try FileFacts.at(path, followingLinks: false) != nil {
        guard let facts = try FileFacts.at(path), facts.kind == .file, facts.size == 0 else { return false }
      }
      return try hasFile(in: "backups") { $0.hasSuffix(CareOperations.backupEnding) }
        || hasFile(in: "media") { _ in true }
    } catch { return false }  // An unreadable file is reported when it is opened.
  }

  private func hasFile(in inner: String, where isData: (String) -> Bool) throws -> Bool {
    try Folder.names(in: workspace.folder + "/" + inner).contains(where: isData)
  }

  /// Creates an empty collection. Renames the automatic backups, so that none of them is ever removed automatically.
  func beginAgain() throws {
    for name in try Folder.names(in: backupFolder) where name.hasPrefix(DailyBackup.start) {
      let rest = name.dropFirst(DailyBackup.start.count)
      let ending = rest.hasSuffix(CareOperations.backupEnding) ? CareOperations.backupEnding : ""
      // On the same day this may happen again, and the first backup is the one with the data.
      let kept = try freePath("\(backupFolder)/kept-\(rest.dropLast(ending.count))", ending)
      try Folder.move(backupFolder + "/" + name, to: kept)
    }
    // A connection that was opened before the file was removed would still write to that file.
    try workspace.database.close()
    workspace.hasCollection = true
    try workspace.database.operation("making a new collection") { _ in }
  }
}
