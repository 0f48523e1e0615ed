// The parts of a workspace: what it is given, what it opens, and the unit of work under way.
// Invariant: they are plain records; `Workspace` alone changes them.

import CardDocuments
import Decks
import Language
import Lexicon
import Sync
import Templates
import ToggleSettings
import WordGames

/// What outlives a sign-in, and the settings from outside the account.
struct WorkspaceSources {
  let settings: SettingSources
  let lexicons: LexiconLibrary
  let modes: ModeTable
  /// The program that decodes and draws pictures.
  let drawing: DrawingProgram
}

/// What is opened at its first use.
struct OpenedParts {
  var preferences: Preferences?
  var documents: DocumentStore?
  /// Pictures of documents in a rehearsal, which writes none.
  var rehearsedPictures: [ContentHash: [UInt8]] = [:]
  var orders = DeckOrders()
  var search: SearchCache?
  /// What words are analysed with.
  var languages: LanguageLibrary?
  /// The common words of the list of the last game.
  var commonWords: KnownCommonWords?
  /// The program that talks to a sync server.
  var sync: SyncProgram?
  var whileWaitingForServer: (() -> Void)?
  /// What plays sounds.
  var player: SoundPlayer?
  /// The day's backup while it is made beside the prompt.
  var backup: BackgroundBackup?
  /// A fitting of memory models beside the prompt, and up to which answer the log was looked at for one.
  var fit: BackgroundFit?
  var answersSeen: Int?
}

/// What is done around each change.
struct ChangeHooks {
  /// What does the changes now (`card add`, `run make.lua`), for the names of the steps of undo.
  var origin: () -> String? = { nil }
  /// Called with the error when the day's backup could not be made.
  var backupFailed: (any Error) -> Void = { _ in }
  /// From when on a change makes the day's backup due again, in seconds since 1970.
  var nextBackup = -Double.infinity
  var isBackupDue = false
  /// What `otherChanges` was when the settings were read last.
  var settingsSeen = 0
}

/// What the unit of work under way did so far.
struct UnitRecord {
  /// How often each operation was done.
  var operations: [Operation: Int] = [:]
  /// The operations in the words of the step of undo.
  var parts = StepParts()
  /// Names of decks, for those words: a loop asks for one deck's name many times.
  var deckNames: [DeckID: String] = [:]
  /// The game that was changed last and is not stored yet.
  var waitingGame: GameHandle?
  var adders = CardAdders()
  /// Bytes that may wait for the end of the unit now, and those that wait by who made them.
  var waiting = (most: Int.max, ofMakers: [String: Int]())
  /// Contents that the unit needs in the media folder, and whether it wrote them: they are not synced yet.
  var newMedia: [String: Bool] = [:]
}

/// What adds single cards to decks, for a loop that adds many.
struct CardAdders {
  private var adders: [DeckID: CardAdder] = [:]
  /// The count of changes that they are good for.
  private var changeCount = 0

  /// - Parameter now: the count of changes: when it grew without `keep`, something else has changed.
  mutating func adder(of deck: DeckID, at now: Int) -> CardAdder? {
    if now != changeCount { adders = [:] }
    return adders[deck]
  }

  /// An adder has just been used.
  mutating func keep(_ adder: CardAdder, of deck: DeckID, at now: Int) {
    if adders[deck] !== adder { adders[deck] = adder }
    changeCount = now
  }
}
