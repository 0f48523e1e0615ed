// The checks of the doctor, area by area. Invariant: checking changes nothing.

import CardDocuments
import Decks
import Files
import Glibc
import Problems
import Storage
import Text
import ToggleSettings
import Values
import WordGames

struct Diagnosis {
  let workspace: Workspace
  /// Whether only the media are checked: then unused ones are removed.
  var isOfMedia = false

  func findings(in area: DoctorFinding.Area) throws -> [DoctorFinding] {
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
    let damage: [String]
    do { damage = try workspace.care.integrityProblems() } catch let error as StorageError where error.isDamage {
      damage = [error.reason]
    }
    let damaged = damage.map {
      DoctorFinding(
        .database, DoctorFinding.damaged, $0, at: workspace.collectionPath,
        "what can be read is copied into a new collection; "
          + (workspace.care.newestBackup().map { "`restore \(shellQuoted($0))` restores the newest backup instead" }
            ?? "there is no backup"),
        mends: true)
    }
    // A full disk is reported as a separate finding.
    guard let problem = workspace.database.readOnlyReason as? any Problem, problem.code != "storage_full" else {
      return damaged
    }
    let unwritable = DoctorFinding(
      .database, "read_only", "nothing can be changed: \(problem.message)", at: workspace.collectionPath,
      "fix what the message says, then run `doctor` again")
    return damaged + [unwritable]
  }

  private func deckFindings() throws -> [DoctorFinding] {
    try workspace.read { try DecksCheck.findings($0, now: workspace.now) }.map { finding in
      let (table, what, remedy) = finding.kind.words(finding.count)
      let rows =
        finding.rows.map(String.init).joined(separator: ", ") + (finding.count > finding.rows.count ? ", …" : "")
      return DoctorFinding(.decks, finding.kind.rawValue, what, at: "\(table) \(rows)", remedy, mends: true)
    }
  }

  /// Returns the cards that their notes no longer make. They were studied, or came so from another program, so they are
  /// removed only when the cards are requested by themselves.
  func unmadeCards() throws -> DoctorFinding? {
    let cards = try workspace.read { try NoteOrdinals.unmade($0, isInterrupted: workspace.isInterrupted) }
    if cards.isEmpty { return nil }
    let first = try workspace.read { try CardTable.cards($0, ids: Array(cards.prefix(20))) }.map(\.guid)
    return DoctorFinding(
      .decks, DoctorFinding.unmadeCards, "\(counted(cards.count, "card")) that their notes no longer make",
      at: "cards \(first.joined(separator: ", "))" + (cards.count > first.count ? ", …" : ""),
      "they are removed with their schedules, after a question; their answers still count", mends: true)
  }

  private func gameFindings() throws -> [DoctorFinding] {
    do {
      let state = try workspace.read { try GameTable.saved($0) }?.state
      // The mode of a plugin that is not loaded is not known here.
      if let state, let mode = workspace.modes.entries.first(where: { $0.name == state.mode })?.thing {
        try state.checkPlayers(of: mode)
      }
      return []
    } catch let error as GameError {
      let remedy = "the saved game is deleted"
      return [DoctorFinding(.games, "bad_saved_game", error.message, at: "games_saved", remedy, mends: true)]
    }
  }

  private func settingFindings() throws -> [DoctorFinding] {
    let preferences = try workspace.preferences()
    let refused = preferences.refusals.map {
      let remedy = "give the setting another value, or reset it"
      return DoctorFinding(.settings, "refused_setting", $0.message, at: "settings", remedy)
    }
    guard let warning = preferences.systemWarning else { return refused }
    let system = DoctorFinding(
      .settings, "system_settings", warning, at: workspace.sources.settings.systemFile ?? "",
      "the administrator of this machine can correct the file")
    return [system] + refused
  }

  private func undoFindings() throws -> [DoctorFinding] {
    try workspace.read { try UndoLog.damagedSteps($0) }.map { step in
      DoctorFinding(
        .undo, "damaged_step", "the undo data of \(UndoStep.quoted(step.name)) cannot be read",
        at: "undo_steps \(step.id)",
        "the undo history is deleted", mends: true)
    }
  }

  // MARK: Documents

  private func documentFindings() throws -> [DoctorFinding] {
    let problems = try workspace.documents.store().check().filter { DocumentTable.isNamed($0.id) }
    var found = problems.map { id, problem in
      let pointer = problem.pointer.description
      return DoctorFinding(
        .documents, problem.code, problem.message,
        at: (problem.path ?? "documents \(id)") + (pointer.isEmpty ? "" : " at \(pointer)"),
        "correct or remove the document, or restore it from a backup")
    }
    let known = Set(try workspace.documents.ids())
    for id in known.sorted() where !DocumentTable.isNamed(id) {
      found.append(
        DoctorFinding(
          .documents, "bad_document_id", "the id of a document is no UUID: \(quoted(id))",
          at: "documents \(printable(id, limit: 60))", "the document is removed", mends: true))
    }
    for (card, document) in try workspace.read({ try CardTable.documents($0) }) where !known.contains(document) {
      found.append(
        DoctorFinding(
          .documents, "missing_document", "a card shows document \(document), which does not exist",
          at: "cards \(card.rawValue)",
          "the reference is removed from the card", mends: true))
    }
    return found
  }

  // MARK: Media

  private func mediaFindings() throws -> [DoctorFinding] {
    let check = try workspace.media.check()
    var found = try check.missing.map {
      DoctorFinding(
        .media, "missing_media", "\(quoted($0.name)) is used but does not exist",
        at: try workspace.media.userNames($0.references), "add the file, or correct what refers to it")
    }
    found += check.damaged.map {
      let what = "the file of \(quoted($0)) is missing or changed"
      return DoctorFinding(.media, "damaged_media", what, at: "media", "restore it from a backup")
    }
    if !check.unused.isEmpty {
      let names = check.unused.prefix(Diagnosis.mostNames).map { quoted($0.name) }.joined(separator: ", ")
      let more = check.unused.count - Diagnosis.mostNames
      found.append(
        DoctorFinding(
          .media, DoctorFinding.unusedMedia, "\(counted(check.unused.count, "media file")) that nothing uses",
          at: names + (more > 0 ? ", … \(grouped(more)) more" : ""),
          isOfMedia ? "they are removed; `undo` restores them" : "leave them, or `doctor --mend media` removes them",
          mends: isOfMedia))
    }
    return found
  }

  private static let mostNames = 100

  /// Returns the contents of removed media, which are kept so that the removal can be undone. That is not a fault, so
  /// they are deleted only when the media area is requested by itself.
  func removedMedia() throws -> DoctorFinding? {
    let left = try workspace.media.check().leftover
    guard left.files > 0 else { return nil }
    return DoctorFinding(
      .media, DoctorFinding.removedMedia,
      "\(counted(left.files, "file")) of removed media, \(counted(left.bytes, "byte"))",
      at: workspace.media.folder, "they are deleted; after that the removal cannot be undone", mends: true)
  }

  // MARK: Files

  private func fileFindings() throws -> [DoctorFinding] {
    var found: [DoctorFinding] = []
    try checkFile(at: workspace.folder, &found, depth: 0)
    let future = try workspace.dailyBackups.future()
    if let first = future.first {
      let place =
        workspace.care.backupFolder + "/" + first + (future.count > 1 ? " to \(future[future.count - 1])" : "")
      found.append(
        DoctorFinding(
          .files, "future_backup",
          "\(counted(future.count, "daily backup")) dated after today, because the clock was wrong",
          at: place, "they do not replace other backups; remove or rename them"))
    }
    return found
  }

  private func checkFile(at path: String, _ found: inout [DoctorFinding], depth: Int) throws {
    guard let facts = try FileFacts.at(path, followingLinks: false) else { return }
    if facts.kind == .symbolicLink { return }
    func add(_ code: String, _ what: String, _ remedy: String, mends: Bool = false) {
      found.append(DoctorFinding(.files, code, what, at: path, remedy, mends: mends))
    }
    if facts.owner != getuid() {
      add("foreign_file", "it belongs to another user", "change its owner")
    } else if facts.mode & 0o077 != 0 {
      add("open_to_others", "other users may read or write it", "only you are given access", mends: true)
    }
    // The mode is checked because root may do anything, `access` because the disk may be read-only.
    let needed: mode_t = facts.kind == .folder ? 0o700 : 0o600
    if facts.mode & needed != needed || access(path, facts.kind == .folder ? R_OK | W_OK | X_OK : R_OK | W_OK) != 0 {
      let remedy = "`chmod u+\(facts.kind == .folder ? "rwx" : "rw")` on it, unless its disk is read-only"
      add("closed", "you cannot read and write it: changes fail", remedy)
    }
    let name = lastPart(of: path)
    let isScratch = Leftovers.isScratch(name)
    if facts.kind == .file || isScratch, isLeftover(name, facts) {
      add("leftover", "a killed process left it", "it is removed", mends: true)
    }
    // The contents of a process's scratch folder are not checked.
    guard facts.kind == .folder, !isScratch, depth < 8 else { return }
    for inner in try Folder.names(in: path) { try checkFile(at: path + "/" + inner, &found, depth: depth + 1) }
  }

  /// Whether the file was left by a process that has ended, judging by its name, or by its age of more than an hour.
  private func isLeftover(_ name: String, _ facts: FileFacts) -> Bool {
    if Leftovers.contains(name) { return true }
    let isTemporary = name.hasSuffix(".tmp") || name == "credentials.new"
    return isTemporary && workspace.now - Double(facts.modified.seconds) > 3600
  }

  private func spaceFindings() throws -> [DoctorFinding] {
    guard let free = Folder.freeBytes(in: workspace.folder), try free < workspace.care.neededSpace() else { return [] }
    let what = "only \(grouped(free >> 20)) MiB are free; a change or a backup may need more"
    return [DoctorFinding(.space, "little_space", what, at: workspace.folder, "free some space")]
  }
}

extension DecksFinding.Kind {
  /// Returns the table, what is wrong with its rows, and what a repair does.
  fileprivate func words(_ count: Int) -> (table: String, what: String, remedy: String) {
    let cards = counted(count, "card")
    let aside = "what is there now is set aside in a file beside the backups"
    let rows = "\(counted(count, "row")) with unreadable data of a server"
    let renewed = "\(aside); the next sync compares them anew"
    return switch self {
    case .deckRow: ("decks", rows, renewed)
    case .presetRow: ("presets", rows, renewed)
    case .cardRow: ("cards", rows, renewed)
    case .deckOptions:
      ("decks", "\(counted(count, "deck")) with unreadable options", "\(aside); their options are reset")
    case .presetOptions:
      ("presets", "\(counted(count, "preset")) with unreadable options", "\(aside); their options are reset")
    case .noteType:
      (
        "note_types", "\(counted(count, "note type")) that cannot be read",
        "\(aside); the fields get new names, and the cards plain templates"
      )
    case .cardWithoutDeck: ("cards", "\(cards) without a deck", "they are moved to the deck Recovered")
    case .noteWithoutType:
      ("cards", "\(counted(count, "note")) whose note type does not exist", "they get another note type")
    case .cardWithoutNote:
      ("cards", "\(cards) whose note does not exist", "they are removed: their texts were in the note")
    case .noteWithoutCard:
      (
        "notes", "\(counted(count, "note")) without a card",
        "their cards are made again, in the deck Recovered; a note without text is removed"
      )
    case .cardWithoutTemplate:
      ("cards", "\(cards) without a template", "each becomes the first card that its note makes")
    case .deckWithoutParent: ("decks", "\(counted(count, "deck")) without a parent deck", "the parent deck is created")
    case .deckKey:
      ("decks", "\(counted(count, "deck")) that cannot be found by name", "the name is indexed again, or changed")
    case .missingGuid: ("notes", "\(counted(count, "note")) without a guid", "each is given one")
    case .badSchedule: ("cards", "\(cards) with an invalid schedule", "it is corrected, or the card becomes new again")
    case .badReview: ("reviews", "\(counted(count, "answer")) with an invalid rating or time", "they are removed")
    case .futureAnswer: ("cards", "\(cards) answered while the clock was ahead", "the last answer counts as given now")
    case .badFields:
      ("notes", "\(counted(count, "note")) whose additional fields cannot be read", "those fields are removed")
    }
  }
}
