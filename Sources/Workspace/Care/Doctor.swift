// The doctor's findings, and the check of every area of an account.
// Invariant: checking changes nothing; an area that cannot be checked is itself a finding.

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
  public static let unmadeCards = "unmade_cards"

  public init(area: Area, code: String, what: String, place: String, remedy: String, isMendable: Bool) {
    (self.area, self.code, self.what) = (area, code, what)
    (self.place, self.remedy, self.isMendable) = (place, remedy, isMendable)
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
    if isCollectionGone { return [goneCollection()] }
    try workspace.games.store()
    var found: [DoctorFinding] = []
    let diagnosis = Diagnosis(workspace: workspace)
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
            area: area, code: "unchecked", what: what, place: workspace.folder,
            remedy: "fix what the message says, then run `doctor` again", isMendable: false))
      }
    }
    if areas == [.media], let removed = try diagnosis.removedMedia() { found.append(removed) }
    return found
  }

  private func goneCollection() -> DoctorFinding {
    let backup =
      newestBackup().map { "`restore \(shellQuoted($0))` restores the newest backup" } ?? "there is no backup"
    return DoctorFinding(
      area: .database, code: DoctorFinding.gone, what: "the collection is empty or missing, but other data exists",
      place: workspace.collectionPath,
      remedy: "\(backup); --mend creates an empty collection and keeps every backup", isMendable: true)
  }

  /// Returns the space in bytes that a change and a backup may need.
  func neededSpace() throws -> Int { (64 << 20) + 2 * (try FileFacts.at(workspace.collectionPath)?.size ?? 0) }

  /// The libraries used for the data, with their versions.
  public static var libraryVersions: [(name: String, version: String)] {
    [("SQLite", sqliteVersion), ("zstd", zstdVersion)]
  }
}
