// All that one signed-in user has open: the store, the objects handed out, the unit of work. Every change goes
// through an operation here. Invariant: once closed, neither it nor any handle of it reaches data again; this is
// checked in `store`.

public import Authentication
public import CardDocuments
import Decks
import Exchange
public import Files
import Glibc
public import Lexicon
public import Problems
package import Storage
import Sync
import Text
import ToggleSettings
public import WordGames

/// Names an operation: one transaction, one step of undo.
///
///     workspace.unitSummary   // "adding cards (2 times), creating a deck"
public enum Operation: String, Sendable {
  case createDeck = "creating a deck"
  case renameDeck = "renaming a deck"
  case removeDeck = "removing a deck"
  case changeDeckOptions = "changing a deck's options"
  case changePresets = "changing presets"
  case addCards = "adding cards"
  case editCard = "editing a card"
  case moveCard = "moving a card"
  case removeCards = "removing cards"
  case importCards = "importing cards"
  case buildDeck = "building a deck"
  case mergeDeck = "merging into a deck"
  case settleConflicts = "settling conflicts"
  case answerCard = "answering a card"
  case importAnswers = "importing answers"
  case addNote = "adding a note"
  case editNote = "editing a note"
  case removeNotes = "removing notes"
  case createNoteType = "creating a note type"
  case editNoteType = "editing a note type"
  case removeNoteType = "removing a note type"
  case addMedia = "adding a media file"
  case removeMedia = "removing media files"
  case mineText = "adding cards from a text"
  case listWords = "changing the list of known words"
  case keepPlace = "keeping a place in a text"
  case speakCards = "adding speech"
  case keepGame = "keeping a game"
  case changeSettings = "changing settings"
  case changeDocuments = "changing documents"
  case removeDocument = "removing a document"
  case link = "linking with a sync server"
  case unlink = "ending the link with a sync server"
  case sync = "syncing"
  case syncMedia = "syncing media"
  case mend = "mending"
  case takeBack = "taking back an answer"
}

/// A user's data while it is open.
///
///     let deck = try workspace.openDeck("Spanish")
///     try workspace.beginUnit()
///     try deck.rename(to: "Castellano")
///     try workspace.rollbackUnit()   // the deck is "Spanish" again
public final class Workspace {
  /// The user's folder: `local`, or `accounts/NAME`.
  public let folder: String
  /// What the sign-in gave; it ends with the sign-out.
  @usableFromInline let access: AccountAccess
  let sources: WorkspaceSources
  public let environment: Environment
  public let rehearsal: Rehearsal
  /// Read at every call from Lua; nothing holds an access to it across another.
  @usableFromInline @exclusivity(unchecked) private(set) var isClosed = false
  let database: Store
  var handles = WorkspaceHandles()
  var opened = OpenedParts()
  /// Whether the collection was found, or is to be made.
  var hasCollection = false
  var unit = UnitRecord()
  var hooks = ChangeHooks()
  /// Whether everything is read as it was at a step.
  var isLookingBack = false
  /// Who is notified of what happens in games and sessions.
  public var observer: (any WorkspaceObserver)? {
    willSet { observer?.observesWordsDidChange = nil }
    didSet {
      observer?.observesWordsDidChange = { [weak self] in self?.refreshObserved() }
      refreshObserved()
    }
  }
  /// Whether it wants to know of found words.
  private(set) var observesWords = false

  /// Nothing is opened yet: the database is at its first use.
  /// - Parameters:
  ///   - access: what a sign-in handed out, or the local data's where there is no account.
  ///   - settings: the layers of settings from outside the account.
  ///   - lexicons: the word lists, which belong to nobody and outlive a sign-in.
  ///   - modes: the game modes, likewise.
  ///   - drawing: the program that decodes and draws pictures.
  /// - Throws: `AuthenticationError.required` when the access has ended.
  public init(
    _ access: AccountAccess, environment: Environment, settings: SettingSources, lexicons: LexiconLibrary,
    modes: ModeTable, drawing: DrawingProgram, rehearsal: Rehearsal = .off
  ) throws(AuthenticationError) {
    self.access = access
    sources = WorkspaceSources(settings: settings, lexicons: lexicons, modes: modes, drawing: drawing)
    folder = try access.folder()
    self.environment = environment
    self.rehearsal = rehearsal
    database = Store(
      path: folder + "/collection.sqlite",
      migrations: Workspace.migrations,
      isInterrupted: environment.isInterrupted, undoClock: environment.clocks.now,
      // They have `set --reset` and games of their own. A rehearsal shows what would become of them, too.
      unrecorded: rehearsal.isOn
        ? [] : SettingsTable.tables.union(WordGamesSchema.tables).union(ReadingPlaceTable.tables))
    if !rehearsal.isOn { for place in [folder, backupFolder] { Leftovers.sweep(place) } }
  }

  /// Every room's steps of the tables.
  package static var migrations: [Migration] {
    DecksSchema.migrations + WordGamesSchema.migrations + SettingsTable.migrations + UndoLog.migrations
      + BuildTable.migrations + SyncTables.migrations + MediaTables.migrations + DocumentTable.migrations
      + ListedWordTable.migrations + ReadingPlaceTable.migrations
  }

  public var lexicons: LexiconLibrary { sources.lexicons }
  public var modes: ModeTable { sources.modes }
  var drawing: DrawingProgram { sources.drawing }

  /// Ends the workspace: what a unit of work did is taken back unless it was committed. Handles answer "signed out".
  public func close() throws {
    guard !isClosed else { return }
    // What can't be stored must not keep the data open.
    let failure = isInUnit ? nil : storeFailure()
    isClosed = true
    opened.backup?.stop()
    opened.backup = nil
    (observer, unit.waitingGame, unit.adders) = (nil, nil, CardAdders())
    opened.documents = nil
    opened.preferences?.tree.endObserving()
    (opened.preferences, opened.player) = (nil, nil)
    try database.close()
    if let failure { throw failure }
  }

  private func refreshObserved() { observesWords = observer?.observesWords ?? false }

  private func storeFailure() -> (any Error)? {
    do {
      try storeGames()
      return nil
    } catch {
      return error
    }
  }

  // MARK: The gate

  /// Whether it can be used: neither closed, nor has the user signed out.
  @inlinable public var isOpen: Bool { !isClosed && access.isOpen }

  /// The one way to the data.
  func store(for what: String = "workspace") throws(WorkspaceError) -> Store {
    guard isOpen else { throw .signedOut(what: what) }
    if !hasCollection {
      if isCollectionGone { throw .collectionGone(path: folder + "/collection.sqlite", backup: newestBackup()) }
      hasCollection = true
    }
    return database
  }

  /// Runs a read.
  package func read<T>(_ body: (Database) throws -> T) throws -> T { try store().read(body) }

  /// Runs a change as one operation, which is one step of undo; within a unit of work it is a part of the unit's.
  /// - Parameters:
  ///   - subject: what is changed, for the step's name: a deck's name.
  ///   - isOneStatement: as in `Store.operation`.
  ///   - count: how many things were changed.
  func perform<T>(
    _ operation: Operation, on subject: @autoclosure () -> String? = nil, isOneStatement: Bool = false,
    count: @escaping (T) -> Int = { _ in 1 }, _ body: (Database) throws -> T
  ) throws -> T {
    let database = try store()
    if rehearsal.isOn, !database.isInUnit { throw WorkspaceError.rehearsal(operation.rawValue) }
    if isLookingBack { throw WorkspaceError.lookingBack(operation.rawValue) }
    noteChange()
    try requireRoomInUnit()
    opened.orders.refresh(changeCount)
    // Before the change: a deck that it removes has a name now.
    let subject = subject()
    let result: T
    if database.isInUnit || database.isInOperation {
      result = try database.operation(operation.rawValue, isOneStatement: isOneStatement, body)
    } else {
      result = try performAlone(operation, on: subject, count: count, body)
    }
    if operation.movesNoCard { opened.orders.goOn(to: changeCount) }
    if database.isInUnit {
      unit.operations[operation, default: 0] += 1
      unit.parts.add(operation, subject, count(result))
    }
    return result
  }

  /// Grows whenever rows that were read may be stale.
  package var changeCount: Int { database.changeCount }

  // MARK: Units of work

  /// Begins a unit: what follows is kept or taken back together. A script run is one.
  public func beginUnit() throws {
    if !isInUnit { try storeGames() }
    (unit.operations, unit.parts, unit.deckNames, unit.adders) = ([:], StepParts(), [:], CardAdders())
    unit.waiting.ofMakers = [:]
    try store().beginUnit()
    opened.documents?.beginUnit()
  }

  /// Keeps what the unit did, by one commit.
  public func commitUnit() throws {
    let store = try store()
    if let failure = storeFailure() {
      try rollbackUnit()
      throw failure
    }
    if let failure = opened.documents?.saveAll().first {
      try rollbackUnit()
      throw failure
    }
    unit.adders = CardAdders()
    do {
      try syncNewMedia()
      try store.commitUnit(named: unit.parts.words(from: hooks.origin()))
    } catch {
      opened.documents?.rollbackUnit()
      sweepNewMedia()
      if isOpen { try reloadSettings() }
      throw error
    }
    opened.documents?.endUnit()
    unit.newMedia = [:]
  }

  public func rollbackUnit() throws {
    let store = try store()
    unit.waitingGame?.isWaiting = false
    (unit.waitingGame, unit.adders, opened.rehearsedPictures) = (nil, CardAdders(), [:])
    opened.documents?.rollbackUnit()
    try store.rollbackUnit()
    sweepNewMedia()
    if unit.operations[.changeSettings] != nil { try reloadSettings() }
  }

  /// Runs code of a plugin: what waits for the end of the unit because of it, in all its calls, is at most so much.
  public func limitingWaiting<R>(of maker: String, to bytes: Int, _ body: () throws -> R) rethrows -> R {
    let (before, outer) = (database.waitingBytes, unit.waiting.most)
    let left = max(0, bytes - unit.waiting.ofMakers[maker, default: 0])
    unit.waiting.most = min(outer, before + left)
    defer {
      unit.waiting.most = outer
      if isInUnit { unit.waiting.ofMakers[maker, default: 0] += max(0, database.waitingBytes - before) }
    }
    return try body()
  }

  /// - Throws: `WorkspaceError.tooMuchWaits`.
  func requireRoomInUnit() throws(WorkspaceError) {
    if database.waitingBytes > unit.waiting.most { throw .tooMuchWaits }
  }

  public var isInUnit: Bool { isOpen && database.isInUnit }

  /// What the unit under way has done until now, in words: "adding cards (3 times), creating a deck".
  public var unitSummary: String {
    var operations = unit.operations
    if unit.waitingGame != nil { operations[.keepGame, default: 0] += 1 }
    return operations.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { $0.value == 1 ? $0.key.rawValue : "\($0.key.rawValue) (\($0.value) times)" }.joined(separator: ", ")
  }

  /// What is wrong with the database, in words; empty when all is well.
  public func integrityProblems() throws -> [String] { try store().integrityProblems() }

  // MARK: Settings

  /// The user's settings when they were read already.
  public var openedPreferences: Preferences? { opened.preferences }

  /// The user's settings, read at their first use. A database that is not there yet is not made for them.
  public func preferences() throws -> Preferences {
    _ = try store(for: "setting")
    if let known = opened.preferences { return known }
    let fresh = try Preferences(sources.settings, languages: lexicons.languages())
    if Glibc.access(folder + "/collection.sqlite", F_OK) == 0 {
      fresh.note(fresh.tree.load(try read { try SettingsTable.load($0) }, by: .user))
    }
    fresh.tree.keep = { [unowned self] changes in
      try perform(.changeSettings) { try SettingsTable.write(changes, $0) }
    }
    opened.preferences = fresh
    return fresh
  }

  /// Takes the settings from the database again, when it went back a step; observers are notified once of what changed.
  public func reloadSettings() throws {
    guard let tree = opened.preferences?.tree else { return }
    opened.preferences?.note(tree.load(try read { try SettingsTable.load($0) }, by: .user))
  }

  /// Between two lines: takes over what another process has set meanwhile.
  public func refreshSettings() throws {
    guard isOpen, opened.preferences != nil, !database.hasOpenTransaction,
      Glibc.access(folder + "/collection.sqlite", F_OK) == 0
    else { return }
    try read { _ in }
    if database.otherChanges == hooks.settingsSeen { return }
    hooks.settingsSeen = database.otherChanges
    try reloadSettings()
  }

  /// Takes back what an owner declared and observes.
  public func removeSettings(of owner: Owner) { opened.preferences?.tree.remove(owner) }

  // MARK: Handles: one object for one thing while it lives

  func handle(of deck: DeckID) -> DeckHandle {
    handles.decks[deck] { DeckHandle(deck, in: self) }
  }

  func handle(of card: CardID) -> CardHandle {
    handles.cards[card] { CardHandle(card, in: self) }
  }

  func handle(of lexicon: Lexicon) -> LexiconHandle {
    handles.lexicons[ObjectIdentifier(lexicon)] { LexiconHandle(lexicon, in: self) }
  }

  /// The handle of a game, for a mode's functions, which are given the game itself.
  public func handle(of game: Game) -> GameHandle {
    handles.games[ObjectIdentifier(game)] {
      GameHandle(game, in: self)
    }
  }

  func forget(_ game: Game) { handles.games.forget(ObjectIdentifier(game)) }
  func forget(_ deck: DeckID) { handles.decks.forget(deck) }
  func forget(_ card: CardID) { handles.cards.forget(card) }
}

/// Something that Lua may keep: it belongs to the workspace that made it and ends with it.
///
///     final class NoteHandle: WorkspaceHandle { let workspace: Workspace }
public protocol WorkspaceHandle: AnyObject {
  var workspace: Workspace { get }
}

/// Weakly held objects by their id. An object takes its entry out when it goes.
struct HandleTable<ID: Hashable, Handle: AnyObject> {
  private struct Entry { weak var handle: Handle? }
  private var entries: [ID: Entry] = [:]

  subscript(id: ID, make: () -> Handle) -> Handle {
    mutating get {
      if let known = entries[id]?.handle { return known }
      let made = make()
      entries[id] = Entry(handle: made)
      return made
    }
  }

  /// Called by an object that goes. A new one may have taken its place by then.
  mutating func forget(_ id: ID) {
    if entries[id]?.handle == nil { entries[id] = nil }
  }
}
