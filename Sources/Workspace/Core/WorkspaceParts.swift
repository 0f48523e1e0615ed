// The parts of a workspace: its inputs, what it opens, and the current unit of work.
// Invariant: they are plain records; only `Workspace` changes them. Each event is notified once, by the handle of the
// game or session, whether a screen, a pipe, Lua or a plugin caused it. The unit of work rolls back all changes of the
// user's data; any effect outside it (files elsewhere, plugins) asks here first, and is only announced in a rehearsal.

import CardDocuments
import Decks
import Files
import Language
import Lexicon
import Memory
import Storage
import Sync
import Synchronization
import Templates
import ToggleSettings
import WordGames

/// The objects that outlive a sign-in, and the settings from outside the account.
struct WorkspaceSources {
  let settings: SettingSources
  let lexicons: LexiconLibrary
  let modes: ModeTable
  let drawing: DrawingProgram
}

/// The parts that are opened at their first use.
struct OpenedParts {
  var preferences: Preferences?
  var documents: DocumentStore?
  /// Pictures of documents in a rehearsal, which writes no files.
  var rehearsedPictures: [ContentHash: [UInt8]] = [:]
  var orders = DeckOrders()
  var search: SearchCache?
  /// The number of notes of each type, valid while the change count stays the same.
  var noteCounts: (counts: [NoteTypeID: Int], changeCount: Int)?
  var languages: LanguageLibrary?
  var commonWords: (lexicon: Lexicon, words: CommonWords?)?
  var sync: SyncProgram?
  var whileWaitingForServer: (() -> Void)?
  var player: SoundPlayer?
  /// The sound that was last spoken, while it may be played.
  var speech: Scratch?
  /// The day's backup while it is being made in the background.
  var backup: BackgroundJob<Void>?
  /// A fit of memory models running in the background, and the last answer for which a new fit was considered.
  var fit: (preset: PresetID, job: BackgroundJob<ModelFitting>)?
  var lastCheckedAnswer: Int?
}

struct ChangeHooks {
  /// Names the origin of the current changes (`card add`, `run make.lua`), for the names of undo steps.
  var origin: () -> String? = { nil }
  /// Called with the error when the day's backup could not be made.
  var backupFailed: (any Error) -> Void = { _ in }
  /// The earliest time at which a change makes the next daily backup due, in seconds since 1970.
  var nextBackup = -Double.infinity
  var isBackupDue = false
  /// The value of `otherChanges` when the settings were last read.
  var settingsSeen = 0
}

/// What the current unit of work has done so far.
struct UnitRecord {
  var operations: [Operation: Int] = [:]
  var parts = StepParts()
  /// The steps that the unit has undone or redone, as they were before: each was committed on its own.
  var undone: [UndoStep] = []
  /// Cached deck names for the description: a loop asks for one deck's name many times.
  var deckNames: [DeckID: String] = [:]
  /// The game that was changed last and is not stored yet.
  var waitingGame: GameHandle?
  /// The objects that add single cards to decks, for a loop that adds many: valid until anything else is changed.
  var adders: [DeckID: CardAdder] = [:]
  /// The most bytes that may wait for the end of the unit now, and the bytes that each plugin has waiting.
  var waiting = (most: Int.max, ofMakers: [String: Int]())
  /// Media files that the unit needs, and whether the unit wrote them; those are not yet synced to the disk.
  var newMedia: [String: Bool] = [:]
  /// Whether a rolled-back part of the unit wrote some of them.
  var mayHaveUnnamedMedia = false
}

public enum WorkspaceEvent {
  case wordFound(GameHandle, word: String)
  case gameFinished(GameHandle)
  /// - Parameter answer: `right` or `wrong` in a sprint, else the rating's name.
  case cardAnswered(CardHandle, answer: String)
  case sessionFinished(right: Int, wrong: Int)
}

/// Receives the events. Declared here and implemented in a higher layer, by the table of events:
public protocol WorkspaceObserver: AnyObject {
  /// Whether anybody listens for found words, which are found on a hot path.
  var observesWords: Bool { get }
  var observesWordsDidChange: (() -> Void)? { get set }
  /// - Throws: only an interrupt (Ctrl-C, exit) of the code that was notified.
  func notify(_ event: WorkspaceEvent) throws
}

/// Whether the run is a rehearsal. In a rehearsal only a unit of work, which is rolled back, may change anything.
public struct Rehearsal {
  public let isOn: Bool
  /// Prints what would be done, as a line for the user.
  private let announce: (String) -> Void
  private let announced = Announced()

  /// Shared by the copies of a rehearsal.
  private final class Announced { var count = 0 }

  public init(isOn: Bool, announce: @escaping (String) -> Void) { (self.isOn, self.announce) = (isOn, announce) }

  /// Not a rehearsal: everything is done.
  public static var off: Rehearsal { Rehearsal(isOn: false) { _ in } }

  /// How many effects were announced until now.
  public var announcedCount: Int { announced.count }

  /// Whether an effect that no unit of work can roll back is allowed. In a rehearsal it is not, and the user is shown
  /// what would be done.
  /// - Parameter action: the effect, as it reads after "would": `write /tmp/words.csv`.
  public func mayActOutside(_ action: @autoclosure () -> String) -> Bool {
    guard isOn else { return true }
    announced.count += 1
    announce("dry run: would " + action())
    return false
  }
}

/// Work on a second thread while the prompt is in use. All members are called on the prompt's thread.
final class BackgroundJob<Outcome: Sendable> {
  fileprivate struct State {
    var progress = (done: 0, total: 0)
    var isStopped = false
    var outcome: Result<Outcome, any Error>?
  }

  final class Shared: Sendable {
    fileprivate let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }

    func setProgress(_ done: Int, _ total: Int) { state.withLock { $0.progress = (done, total) } }
  }

  private let lane = WorkLane(ahead: 1)
  private let shared = Shared()

  init(_ work: @escaping @Sendable (Shared) throws -> Outcome) throws {
    let shared = shared
    try lane.add {
      let outcome = Result { try work(shared) }
      shared.state.withLock { $0.outcome = outcome }
    }
  }

  var isOver: Bool { shared.state.withLock { $0.outcome != nil } }

  /// The bytes done and their total.
  var progress: (done: Int, total: Int) { shared.state.withLock { $0.progress } }

  /// Waits until the work is done.
  /// - Throws: what the work threw.
  @discardableResult
  func wait() throws -> Outcome? {
    lane.waitUntilIdle()
    return try shared.state.withLock { $0.outcome }?.get()
  }

  func stop() {
    shared.state.withLock { $0.isStopped = true }
    lane.waitUntilIdle()
  }
}
