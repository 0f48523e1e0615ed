// The doctor: everything of an account looked at, what is wrong said in words, and mended when asked, after a backup.
// Invariant: looking changes nothing; what keeps it from looking at something is a finding, never silence.

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
  /// What it is about.
  public enum Area: String, CaseIterable, Sendable {
    case database, decks, documents, media, games, settings, undo, files, space
    /// Looked at by the shell.
    case plugins, words
  }

  public let area: Area
  /// Stable, for programs: `bad_schedule`.
  public let code: String
  /// What is wrong, in words.
  public let what: String
  /// Where: a file, or rows of a table.
  public let place: String
  /// What can be done about it.
  public let remedy: String
  /// Whether mending does it.
  public let isMendable: Bool

  public init(area: Area, code: String, what: String, place: String, remedy: String, isMendable: Bool) {
    (self.area, self.code, self.what) = (area, code, what)
    (self.place, self.remedy, self.isMendable) = (place, remedy, isMendable)
  }
}

/// What the doctor found and did.
public struct DoctorReport: Equatable, Sendable {
  public let findings: [DoctorFinding]
  /// The backup that was made before anything was mended.
  public let backup: String?
  /// What was found before and is no more.
  public var mended: [DoctorFinding] = []
  /// What could not be read of a damaged collection, in words.
  public var lost: [String] = []
}

extension Workspace {
  /// Looks at everything, or at some areas.
  public func diagnose(_ areas: Set<DoctorFinding.Area> = Set(DoctorFinding.Area.allCases)) throws -> [DoctorFinding] {
    guard isOpen else { throw WorkspaceError.signedOut(what: "workspace") }
    if isCollectionGone { return [goneCollection()] }
    try storeGames()
    var found: [DoctorFinding] = []
    for area in DoctorFinding.Area.allCases where areas.contains(area) {
      do { found += try findings(in: area) } catch let problem as any Problem where problem.code != "interrupted" {
        // That the database is damaged was said already.
        if (problem as? StorageError)?.isDamage == true, found.contains(where: { $0.code == Workspace.damaged }) {
          continue
        }
        let what = "this could not be looked at: \(problem.message)"
        // What keeps every area from being looked at is said once.
        if found.contains(where: { $0.what == what }) { continue }
        found.append(
          DoctorFinding(
            area: area, code: "unchecked", what: what, place: folder,
            remedy: "mend what the message says, then look again", isMendable: false))
      }
    }
    if areas == [.media], let removed = try removedMedia() { found.append(removed) }
    return found
  }

  private func goneCollection() -> DoctorFinding {
    let backup = newestBackup().map { "`restore \($0)` puts the newest backup back" } ?? "no backup is there"
    return DoctorFinding(
      area: .database, code: Workspace.gone, what: "the collection is empty or not there, though other data are",
      place: folder + "/collection.sqlite",
      remedy: "\(backup); mending begins an empty collection and keeps every backup", isMendable: true)
  }

  private func findings(in area: DoctorFinding.Area) throws -> [DoctorFinding] {
    switch area {
    case .database: try integrity()
    case .decks: try deckFindings()
    case .documents: try documentFindings()
    case .media: try mediaFindings()
    case .games: try gameFindings()
    case .settings: try settingFindings()
    case .undo: try undoFindings()
    case .files: try fileFindings()
    case .space: try spaceFindings()
    case .plugins, .words: []
    }
  }

  // MARK: The database

  private func integrity() throws -> [DoctorFinding] {
    try damage().map {
      DoctorFinding(
        area: .database, code: Workspace.damaged, what: $0, place: folder + "/collection.sqlite",
        remedy: "what can be read is brought over into a new collection; "
          + (newestBackup().map { "`restore \($0)` puts the newest backup back instead" } ?? "no backup is there"),
        isMendable: true)
    }
  }

  static let damaged = "damaged"
  static let gone = "collection_gone"
  static let removedMediaCode = "removed_media"

  private func damage() throws -> [String] {
    do {
      return try integrityProblems()
    } catch let error as StorageError where error.isDamage {
      return [error.reason]
    }
  }

  private func deckFindings() throws -> [DoctorFinding] {
    try read { try DecksCheck.findings($0, now: environment.clocks.now()) }.map { finding in
      let (what, remedy) = finding.kind.words(finding.count)
      let rows =
        finding.rows.map(String.init).joined(separator: ", ") + (finding.count > finding.rows.count ? ", …" : "")
      return DoctorFinding(
        area: .decks, code: finding.kind.rawValue, what: what, place: "\(finding.kind.table) \(rows)", remedy: remedy,
        isMendable: true)
    }
  }

  private func gameFindings() throws -> [DoctorFinding] {
    do {
      _ = try read { try GameTable.saved($0) }
      return []
    } catch let error as GameError {
      return [
        DoctorFinding(
          area: .games, code: "bad_saved_game", what: "the game that was put away cannot be read: \(error.message)",
          place: "games_saved", remedy: "the game is forgotten", isMendable: true)
      ]
    }
  }

  private func settingFindings() throws -> [DoctorFinding] {
    let preferences = try preferences()
    let system = preferences.systemWarning.map { warning in
      DoctorFinding(
        area: .settings, code: "system_settings", what: warning, place: sources.settings.systemFile ?? "",
        remedy: "whoever looks after this machine can correct the file", isMendable: false)
    }
    return (system.map { [$0] } ?? [])
      + preferences.refusals.map {
        DoctorFinding(
          area: .settings, code: "refused_setting", what: $0.message, place: "settings",
          remedy: "give the setting another value, or reset it", isMendable: false)
      }
  }

  private func undoFindings() throws -> [DoctorFinding] {
    try read { try UndoLog.damagedSteps($0) }.map { step in
      DoctorFinding(
        area: .undo, code: "damaged_step", what: "what is kept of \(quoted(step.name)) for undoing cannot be read",
        place: "undo_steps \(step.id)", remedy: "what can be undone is forgotten", isMendable: true)
    }
  }

  // MARK: Documents

  private func documentFindings() throws -> [DoctorFinding] {
    var found = try documentStore().check().map { id, problem in
      let pointer = problem.pointer.description
      return DoctorFinding(
        area: .documents, code: problem.code, what: problem.message,
        place: (problem.path ?? "documents \(id)") + (pointer.isEmpty ? "" : " at \(pointer)"),
        remedy: "correct the document, or restore it from a backup", isMendable: false)
    }
    let known = Set(try documentIDs())
    for (card, document) in try read({ try CardTable.documents($0) }) where !known.contains(document) {
      found.append(
        DoctorFinding(
          area: .documents, code: "missing_document", what: "a card shows document \(document), which is not there",
          place: "cards \(card.rawValue)", remedy: "the card shows none then", isMendable: true))
    }
    return found
  }

  // MARK: Media

  private func mediaFindings() throws -> [DoctorFinding] {
    let check = try checkMedia()
    func finding(_ code: String, _ what: String, _ place: String, _ remedy: String) -> DoctorFinding {
      DoctorFinding(area: .media, code: code, what: what, place: place, remedy: remedy, isMendable: false)
    }
    var found = try check.missing.map {
      finding(
        "missing_media", "\(quoted($0.name)) is used and is not there", try userNames($0.references),
        "add the file, or correct what names it")
    }
    found += check.damaged.map {
      finding("damaged_media", "the file of \(quoted($0)) is gone or was changed", "media", "restore it from a backup")
    }
    if !check.unused.isEmpty {
      let names = check.unused.prefix(Workspace.mostNames).map { quoted($0.name) }.joined(separator: ", ")
      let more = check.unused.count - Workspace.mostNames
      found.append(
        finding(
          "unused_media", "\(counted(check.unused.count, "media file")) that nothing uses",
          names + (more > 0 ? ", … \(grouped(more)) more" : ""), "remove them, or leave them"))
    }
    return found
  }

  private static let mostNames = 100

  /// What refers to a name: notes by their guids, types by their names.
  private func userNames(_ references: MediaReferences) throws -> String {
    let users = try users(of: references)
    let names =
      try users.notes.prefix(3).map { "note \(try $0.record().guid)" }
      + users.types.prefix(3).map { "note type \(try $0.record().name)" }
    let count = references.notes.count + references.types.count
    return names.joined(separator: ", ") + (count > names.count ? ", … \(grouped(count - names.count)) more" : "")
  }

  /// The content of removed media stays, so that the removal can be undone: no fault, and only mended when media are
  /// asked for.
  private func removedMedia() throws -> DoctorFinding? {
    let left = try checkMedia().leftover
    guard left.files > 0 else { return nil }
    return DoctorFinding(
      area: .media, code: Workspace.removedMediaCode,
      what: "\(counted(left.files, "file")) of removed media, \(counted(left.bytes, "byte"))", place: mediaFolder,
      remedy: "it is deleted; the removal cannot be undone then", isMendable: true)
  }

  // MARK: Files

  private func fileFindings() throws -> [DoctorFinding] {
    var found: [DoctorFinding] = []
    try look(at: folder, &found, depth: 0)
    return found
  }

  private func look(at path: String, _ found: inout [DoctorFinding], depth: Int) throws {
    guard let facts = try FileFacts.at(path, followingLinks: false) else { return }
    if facts.kind == .symbolicLink { return }
    if facts.owner != getuid() {
      found.append(file("foreign_file", "it belongs to another user", path, "change its owner", false))
    } else if facts.mode & 0o077 != 0 {
      found.append(file("open_to_others", "other users may read or write it", path, "it is made yours alone", true))
    }
    let name = lastPart(of: path)
    if facts.kind == .file, isLeftover(name, facts) {
      found.append(file("leftover", "a killed process left it", path, "it is removed", true))
    }
    guard facts.kind == .folder, depth < 8 else { return }
    for inner in try Folder.names(in: path) { try look(at: path + "/" + inner, &found, depth: depth + 1) }
  }

  private func file(_ code: String, _ what: String, _ path: String, _ remedy: String, _ mends: Bool) -> DoctorFinding {
    DoctorFinding(area: .files, code: code, what: what, place: path, remedy: remedy, isMendable: mends)
  }

  /// Whether a process that is gone left it, as far as its name says, or its age of more than an hour.
  private func isLeftover(_ name: String, _ facts: FileFacts) -> Bool {
    if Leftovers.contains(name) { return true }
    let isTemporary = name.hasSuffix(".tmp") || name == "credentials.new"
    return isTemporary && environment.clocks.now() - Double(facts.modified.seconds) > 3600
  }

  /// Bytes that a change and a backup may take.
  func neededSpace() throws -> Int { (64 << 20) + 2 * (try FileFacts.at(folder + "/collection.sqlite")?.size ?? 0) }

  private func spaceFindings() throws -> [DoctorFinding] {
    guard let free = Folder.freeBytes(in: folder), try free < neededSpace() else { return [] }
    return [
      DoctorFinding(
        area: .space, code: "little_space",
        what: "only \(grouped(free >> 20)) MiB are free; a change or a backup may not find room", place: folder,
        remedy: "make room", isMendable: false)
    ]
  }

  /// The libraries of the data and their versions.
  public static var libraryVersions: [(name: String, version: String)] {
    [("SQLite", sqliteVersion), ("zstd", zstdVersion)]
  }
}

extension DecksFinding.Kind {
  fileprivate var table: String {
    switch self {
    case .badReview: "reviews"
    case .noteWithoutCard, .missingGuid, .badFields: "notes"
    case .deckWithoutParent, .deckKey: "decks"
    default: "cards"
    }
  }

  /// What is wrong, and what mending does.
  fileprivate func words(_ count: Int) -> (String, String) {
    let cards = counted(count, "card")
    return switch self {
    case .cardWithoutDeck: ("\(cards) in no deck", "they come into the deck Recovered")
    case .noteWithoutType: ("\(counted(count, "note")) whose note type is gone", "they become notes of another type")
    case .cardWithoutNote: ("\(cards) whose note is gone", "they are removed: their texts are gone with it")
    case .noteWithoutCard: ("\(counted(count, "note")) without a card", "they are removed")
    case .deckWithoutParent: ("\(counted(count, "deck")) without the deck above", "the deck above is made")
    case .deckKey: ("\(counted(count, "deck")) that cannot be found by name", "the name is indexed anew")
    case .missingGuid: ("\(counted(count, "note")) without a guid", "each is given one")
    case .badSchedule: ("\(cards) with a schedule that cannot be", "it is brought within bounds, or begins anew")
    case .badReview: ("\(counted(count, "answer")) with a rating or time that cannot be", "they are removed")
    case .futureAnswer:
      ("\(cards) answered while the clock was in the future", "the last answer counts as given now")
    case .badFields: ("\(counted(count, "note")) whose further fields cannot be read", "those fields are dropped")
    }
  }
}
