// The parts of a workspace: its inputs, what it opens, and the current unit of work.
// Invariant: they are plain records; only `Workspace` changes them.

import CardDocuments
import Decks
import Language
import Lexicon
import Storage
import Sync
import Templates
import ToggleSettings
import WordGames

/// The objects that outlive a sign-in, and the settings from outside the account.
struct WorkspaceSources {
  let settings: SettingSources
  let lexicons: LexiconLibrary
  let modes: ModeTable
  /// The program that decodes and draws pictures.
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
  /// The analysers of words, by language.
  var languages: LanguageLibrary?
  /// The common words of the list that the last game used.
  var commonWords: KnownCommonWords?
  /// The program that talks to a sync server.
  var sync: SyncProgram?
  var whileWaitingForServer: (() -> Void)?
  var player: SoundPlayer?
  /// The day's backup while it is being made in the background.
  var backup: BackgroundBackup?
  /// A fit of memory models running in the background, and the last answer for which a new fit was considered.
  var fit: BackgroundFit?
  var lastCheckedAnswer: Int?
}

/// State and callbacks around each change.
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
  /// How often each operation was performed.
  var operations: [Operation: Int] = [:]
  /// The operations as they are described in the undo step.
  var parts = StepParts()
  /// The steps that the unit has undone or redone, as they were before: each was committed on its own.
  var undone: [UndoStep] = []
  /// Cached deck names for the description: a loop asks for one deck's name many times.
  var deckNames: [DeckID: String] = [:]
  /// The game that was changed last and is not stored yet.
  var waitingGame: GameHandle?
  var adders = CardAdders()
  /// The most bytes that may wait for the end of the unit now, and the bytes that each plugin has waiting.
  var waiting = (most: Int.max, ofMakers: [String: Int]())
  /// Media files that the unit needs, and whether the unit wrote them; those are not yet synced to the disk.
  var newMedia: [String: Bool] = [:]
  /// Whether a rolled-back part of the unit wrote some of them.
  var mayHaveUnnamedMedia = false
}

/// The objects that add single cards to decks, cached for a loop that adds many.
struct CardAdders {
  private var adders: [DeckID: CardAdder] = [:]
  /// The change count for which the adders are valid.
  private var changeCount = 0

  /// - Parameter now: the change count; if it increased without a call of `keep`, something else has changed.
  mutating func adder(of deck: DeckID, at now: Int) -> CardAdder? {
    if now != changeCount { adders = [:] }
    return adders[deck]
  }

  /// Caches an adder that has just been used.
  mutating func keep(_ adder: CardAdder, of deck: DeckID, at now: Int) {
    if adders[deck] !== adder { adders[deck] = adder }
    changeCount = now
  }
}
