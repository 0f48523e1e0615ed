// Everything that a signed-in user has open: the database, the handles, the unit of work. The folders beside this one
// contain its operations, by noun: `workspace.decks`, `.cards`, `.care`. Every change goes through `perform`.
// Invariant: after closing, neither the workspace nor any of its handles reaches data again; `store` checks that.

public import Authentication
public import CardDocuments
import Decks
public import Exchange
public import Files
public import Lexicon
import Problems
package import Storage
import Sync
public import Text
import ToggleSettings
public import WordGames

/// A user's data while it is open.
///
///     let deck = try workspace.decks.open("Spanish")
///     try workspace.beginUnit()
///     try deck.rename(to: "Castellano")
///     try workspace.rollbackUnit()   // the deck is "Spanish" again
public final class Workspace {
  /// The user's folder: `local`, or `accounts/NAME`.
  public let folder: String
  let collectionPath: String
  /// The access granted by the sign-in; it ends with the sign-out.
  @usableFromInline let access: AccountAccess
  let sources: WorkspaceSources
  public let environment: Environment
  public let rehearsal: Rehearsal

  /// Read at every call from Lua. No code keeps an access to it open during another one, so the check is off.
  @usableFromInline @exclusivity(unchecked) private(set) var isClosed = false

  let database: Store
  var handles = WorkspaceHandles()
  var opened = OpenedParts()
  /// Whether the collection was found, or may be created.
  var hasCollection = false
  var unit = UnitRecord()
  var hooks = ChangeHooks()
  /// The formats and exercises that plugins add, which outlive a sign-in.
  public var formats = FormatTable() { didSet { formats.folder = folder } }
  public var exercises = ExerciseTable()
  /// Whether all data is read as it was at an undo step.
  public internal(set) var isReadingPastStep = false

  /// Receives the events of games and sessions.
  public var observer: (any WorkspaceObserver)? {
    willSet { observer?.observesWordsDidChange = nil }
    didSet {
      observer?.observesWordsDidChange = { [weak self] in self?.refreshObserved() }
      refreshObserved()
    }
  }

  /// Whether the observer wants to be notified of found words.
  private(set) var observesWords = false

  /// Creates a workspace without opening anything: the database is opened at its first use.
  /// - Throws: `AuthenticationError.required` if the access has ended.
  public init(
    _ access: AccountAccess, environment: Environment, settings: SettingSources, lexicons: LexiconLibrary,
    modes: ModeTable, drawing: DrawingProgram, rehearsal: Rehearsal = .off
  ) throws(AuthenticationError) {
    self.access = access
    sources = WorkspaceSources(settings: settings, lexicons: lexicons, modes: modes, drawing: drawing)
    folder = try access.folder()
    collectionPath = folder + "/collection.sqlite"
    (self.environment, self.rehearsal) = (environment, rehearsal)
    database = Store(
      path: collectionPath, schema: Workspace.schema, isInterrupted: environment.isInterrupted,
      undoClock: environment.clocks.now,
      // Undo does not cover these tables: settings have `set --reset`, and games their own commands. A rehearsal
      // records them too, to show how they would change.
      unrecorded: rehearsal.isOn
        ? [] : SettingsTable.tables.union(WordGamesSchema.tables).union(ReadingPlaceTable.tables))
    if !rehearsal.isOn {
      let dictionaries = lexicons.meanings.ownFolders.first
      for case let place? in [folder, care.backupFolder, dictionaries] { Leftovers.sweep(place) }
    }
  }

  package static var schema: Schema {
    DecksSchema.schema + WordGamesSchema.schema + SettingsTable.schema + UndoLog.schema
      + BuildTable.schema + SyncTables.schema + MediaTables.schema + DocumentTable.schema
      + ListedWordTable.schema + ReadingPlaceTable.schema
  }

  public var lexicons: LexiconLibrary { sources.lexicons }
  public var modes: ModeTable { sources.modes }
  var drawing: DrawingProgram { sources.drawing }

  /// Closes the workspace: rolls back an uncommitted unit of work. Handles fail with "signed out" afterwards.
  public func close() throws {
    guard !isClosed else { return }
    // A failure to store a game must not keep the data open.
    let stored = Result { if !isInUnit { try games.store() } }
    isClosed = true
    opened.backup?.stop()
    opened.backup = nil
    stopFitting()
    (observer, unit.waitingGame, unit.adders) = (nil, nil, [:])
    opened.documents = nil
    opened.preferences?.tree.endObserving()
    (opened.preferences, opened.player, opened.speech) = (nil, nil, nil)
    try database.close()
    try stored.get()
  }

  private func refreshObserved() { observesWords = observer?.observesWords ?? false }

  // MARK: Access to the data

  /// Whether the workspace can be used: it is not closed and the user has not signed out.
  @inlinable public var isOpen: Bool { !isClosed && access.isOpen }

  /// Returns the store. This is the only access to the data.
  func store(for what: String = "workspace") throws(WorkspaceError) -> Store {
    guard isOpen else { throw .signedOut(what: what) }
    if !hasCollection {
      if care.isCollectionGone { throw .collectionGone(path: collectionPath, backup: care.newestBackup()) }
      hasCollection = true
    }
    return database
  }

  package func read<T>(for what: String = "workspace", _ body: (Database) throws -> T) throws -> T {
    try store(for: what).read(body)
  }

  /// Runs a change as one operation, which is one undo step; within a unit of work it becomes part of the unit's step.
  /// - Parameter subject: the object that is changed, for the step's name: a deck's name.
  /// - Parameter count: how many objects were changed, for the step's name.
  /// - Parameter became: the operation that names the result, if it is a different one.
  func perform<T>(
    _ operation: Operation, on subject: @autoclosure () -> String? = nil,
    count: @escaping (T) -> Int = { _ in 1 }, details: ((T) -> String)? = nil,
    became: @escaping (T) -> Operation? = { _ in nil }, _ body: (Database) throws -> T
  ) throws -> T {
    let database = try store()
    if rehearsal.isOn, !database.isInUnit { throw WorkspaceError.rehearsal(operation.rawValue) }
    if isReadingPastStep { throw WorkspaceError.lookingBack(operation.rawValue) }
    dailyBackups.noteChange()
    try checkPendingLimit()
    unit.adders = [:]
    opened.orders.refresh(changeCount)
    // Evaluated before the change, because a deck that is removed still has its name now.
    let subject = subject()
    let result: T
    // A commit of another process just before the transaction began is counted at the next read after it.
    var hasUncounted = false
    if database.isInUnit || database.isInOperation {
      let (media, isFirst) = (unit.newMedia.count, !database.hasOpenTransaction)
      do {
        result = try database.operation(operation.rawValue) { db in
          if isFirst { hasUncounted = try db.dataVersion != database.dataVersion }
          return try body(db)
        }
      } catch {
        // Its files are removed when the unit or the outer operation ends: until then, either may use them.
        if unit.newMedia.count > media { unit.mayHaveUnnamedMedia = true }
        throw error
      }
    } else {
      result = try performAlone(
        operation, words: { (became($0) ?? operation).words(subject, count($0), details?($0)) }, body)
    }
    if Operation.unmoving.contains(operation), !hasUncounted { opened.orders.changeCount = changeCount }
    if database.isInUnit { note(became(result) ?? operation, subject, count(result)) }
    return result
  }

  /// Notes what an operation of the unit did.
  func note(_ operation: Operation, _ subject: String?, _ count: Int) {
    unit.operations[operation, default: 0] += 1
    // What was done within another operation is described by that one.
    if !database.isInOperation { unit.parts.add(operation, subject, count) }
  }

  /// Seconds since 1970.
  var now: Double { environment.clocks.now() }

  /// The current time, in the form that scheduling uses.
  var moment: StudyMoment { StudyMoment(now: now, zoneOffset: environment.clocks.zoneOffset) }

  var isInterrupted: @Sendable () -> Bool { environment.isInterrupted }

  /// - Throws: `WorkspaceError.interrupted` if the user interrupted.
  func poll() throws { if isInterrupted() { throw WorkspaceError.interrupted } }

  /// Returns `progress` as a function that first checks whether the user interrupted.
  func polled(_ progress: @escaping (Double) throws -> Void) -> (Double) throws -> Void {
    { share in
      try self.poll()
      try progress(share)
    }
  }

  /// Increases whenever rows that were read may be stale.
  package var changeCount: Int { database.changeCount }

  // MARK: Units of work

  /// Begins a unit: all changes that follow are committed or rolled back together. A script run is a unit.
  public func beginUnit() throws {
    if !isInUnit { try games.store() }
    (unit.operations, unit.parts, unit.deckNames, unit.adders) = ([:], StepParts(), [:], [:])
    unit.waiting.ofMakers = [:]
    try store().beginUnit()
    opened.documents?.beginUnit()
  }

  /// - Parameter receipt: stored with the undo step, if the unit changed anything.
  public func commitUnit(receipt: String? = nil) throws {
    let store = try store()
    do {
      try games.store()
      if let failure = opened.documents?.saveAll().first { throw failure }
      unit.adders = [:]
      try media.settleNew()
      try store.commitUnit(named: unit.parts.words(from: hooks.origin()), receipt: receipt)
    } catch {
      // A file that could not be made durable leaves the unit open.
      if isOpen { try rollbackUnit() }
      throw error
    }
    opened.documents?.endUnit()
    (unit.newMedia, unit.undone) = ([:], [])
  }

  /// Runs the body as a unit, which is rolled back if the body throws. Within a unit, the body is part of that unit.
  public func asUnit<T>(_ body: () throws -> T) throws -> T {
    if isInUnit || isInOperation { return try body() }
    try beginUnit()
    do {
      let result = try body()
      // The body may have signed out, which ended its unit.
      if isInUnit { try commitUnit() }
      return result
    } catch {
      if isInUnit { try rollbackUnit() }
      throw error
    }
  }

  public func rollbackUnit() throws {
    let store = try store()
    unit.waitingGame?.isWaiting = false
    (unit.waitingGame, unit.adders, opened.rehearsedPictures) = (nil, [:], [:])
    opened.documents?.rollbackUnit()
    try store.rollbackUnit()
    media.discardNew()
    if unit.operations[.changeSettings] != nil { try settings.reload() }
    while let step = unit.undone.popLast() { _ = try step.isUndone ? care.undo(step.id) : care.redo(step.id) }
  }

  /// Runs code of a plugin and limits the bytes of its changes, what they replace and what they add, over all its calls
  /// in a unit.
  public func limitingPending<R>(of maker: String, to bytes: Int, _ body: () throws -> R) throws -> R {
    let (before, outer) = (try changedBytes, unit.waiting.most)
    let left = max(0, bytes - unit.waiting.ofMakers[maker, default: 0])
    unit.waiting.most = min(outer, before + left)
    let result = Result { try body() }
    unit.waiting.most = outer
    if isInUnit { unit.waiting.ofMakers[maker, default: 0] += max(0, try changedBytes - before) }
    return try result.get()
  }

  /// - Throws: `WorkspaceError.tooMuchWaits`.
  func checkPendingLimit() throws {
    if unit.waiting.most < .max, try changedBytes > unit.waiting.most { throw WorkspaceError.tooMuchWaits }
  }

  /// Outside a unit each operation is committed by itself, so that growth of the file says nothing.
  private var changedBytes: Int { get throws { isInUnit ? try database.changedBytes : database.waitingBytes } }

  public var isInUnit: Bool { isOpen && database.isInUnit }

  /// Describes what the current unit has done so far: "adding cards (3 times), creating a deck".
  public var unitSummary: String {
    var operations = unit.operations
    if unit.waitingGame != nil { operations[.saveGame, default: 0] += 1 }
    return operations.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { $0.value == 1 ? $0.key.rawValue : "\($0.key.rawValue) (\($0.value) times)" }.joined(separator: ", ")
  }

  /// Whether an operation is running; a unit of work cannot end within one.
  public var isInOperation: Bool { isOpen && database.isInOperation }

  func performAlone<T>(
    _ operation: Operation, words: @escaping (T) -> String, _ body: (Database) throws -> T
  ) throws -> T {
    opened.documents?.beginUnit()
    let result: T
    do {
      result = try database.operation(
        operation.rawValue, step: { words($0) + (self.hooks.origin().map { " (\($0))" } ?? "") }
      ) { db in
        let result = try body(db)
        try media.settleNew()
        return result
      }
    } catch {
      opened.documents?.rollbackUnit()
      media.discardNew()
      throw error
    }
    opened.documents?.endUnit()
    unit.newMedia = [:]
    return result
  }

  /// The user's settings, if they have been read.
  public var openedPreferences: Preferences? { opened.preferences }

  /// Returns the user's settings and reads them at their first use. Does not create a missing database for that.
  public func preferences() throws -> Preferences {
    _ = try store(for: "setting")
    if let known = opened.preferences { return known }
    let fresh = try Preferences(sources.settings, languages: lexicons.languages())
    if fileExists(collectionPath) { fresh.note(fresh.tree.load(try read { try SettingsTable.load($0) }, by: .user)) }
    fresh.tree.save = { [unowned self] changes in try perform(.changeSettings) { try SettingsTable.write(changes, $0) }
    }
    opened.preferences = fresh
    return fresh
  }
}
