// One user's database: opened at first use, read, and changed by named operations that happen wholly or not at all.
// Invariant: whatever ends with an error leaves nothing of itself behind. Inside a unit of work an operation is a
// savepoint, outside it is a transaction of its own; a unit whose transaction SQLite took back refuses to go on.

import Files
public import GRDB
import GRDBSQLite
import Glibc

/// A SQLite file in WAL mode, used from the thread that made it. `Database` values that a closure is given are good
/// until the closure returns.
///
///     let store = try Store(path: path, migrations: DecksSchema.migrations)
///     try store.operation("adding a deck") { db in try DeckTable.create(db, name: "Spanish", now: now) }
public final class Store {
  private enum Unit {
    case none
    /// Begun by the caller, not yet by SQLite: its transaction begins at the first write.
    case waiting
    case open
  }

  /// The file, or nil for a database in memory.
  public let path: String?
  private let migrations: [Migration]
  private let interrupted: () -> Bool
  private let poll: Poll
  private var queue: DatabaseQueue?
  private var unit = Unit.none
  /// How many operations stand around the caller.
  private var depth = 0
  private var otherChanges = 0
  private var dataVersion: Int32?
  /// What the operation or the unit under way changes; nil where nothing is recorded.
  private let recorder: UndoRecorder?
  private let now: () -> Double
  /// Why the database can only be read.
  private var readOnlyReason: (any Error)?

  /// Tries for another process's lock, each of which lets SQLite wait for 0.1 seconds.
  private let lockTries: Int

  /// Nothing is opened yet.
  /// - Parameters:
  ///   - path: the file; its folder is made when it is missing. nil: in memory, for tests.
  ///   - migrations: every room's steps, in order.
  ///   - deadline: seconds that another process's lock is waited for.
  ///   - interrupted: asked about every 0.1 seconds meanwhile, and in statements that take long; true gives up.
  ///   - undoClock: seconds since 1970. With it each operation is recorded as a step that can be undone;
  ///     `UndoLog.migrations`
  ///     are among the migrations then.
  public init(
    path: String?, migrations: [Migration], deadline: Double = 5, interrupted: @escaping () -> Bool = { false },
    undoClock: (() -> Double)? = nil
  ) {
    recorder = undoClock.map { _ in UndoRecorder() }
    now = undoClock ?? { 0 }
    lockTries = Int(min(36_000, max(1, deadline * 10)))
    self.path = path
    self.migrations = migrations
    self.interrupted = interrupted
    poll = Poll(interrupted)
  }

  // MARK: Reading and changing

  /// Runs statements that change nothing. It never waits for a writer, and it may stand inside an operation.
  public func read<T>(_ body: (Database) throws -> T) throws -> T {
    try access("reading") { db in
      try noticeOthers(db)
      return try body(db)
    }
  }

  /// Runs one operation: all that `body` changes is kept, or nothing when it throws. It may stand inside a unit and
  /// inside another operation, whose failure takes it back too.
  /// - Parameters:
  ///   - name: what a user would call it ("adding cards"), for the message when it cannot start.
  ///   - step: what the step of undo is called, made of the result; `name` where it is nil. Outside a unit only.
  ///   - prepare: as that of `commitUnit`. Outside a unit only.
  @discardableResult
  public func operation<T>(
    _ name: String, step: ((T) -> String)? = nil, prepare: ((Database) throws -> [UndoFile])? = nil,
    _ body: (Database) throws -> T
  ) throws -> T {
    try access(name) { db in
      if depth > 0 { return try savepoint(db, body) }
      switch unit {
      case .none:
        try begin(db, name)
        return try finish(db, body) { result in
          let files = try prepare.map { prepare in try inside { try prepare(db) } } ?? []
          try writeStep(db, step?(result) ?? name, files)
        }
      case .waiting:
        try begin(db, name)
        unit = .open
        return try savepoint(db, body)
      case .open:
        return try savepoint(db, body)
      }
    }
  }

  /// Grows with whatever may have changed what a read answers: each row written, each rollback, and, noticed at the
  /// next `read` outside a transaction, each commit of another process. Rows that were kept are good while it stands
  /// still.
  public var changeCount: Int { otherChanges &+ (queue?.unsafeReentrantRead { $0.totalChangesCount } ?? 0) }

  // MARK: Units of work

  /// Whether an operation is under way.
  public var isInOperation: Bool { depth > 0 }

  /// Whether a unit is under way.
  public var isInUnit: Bool { unit != .none }

  /// Begins a unit: every operation until `commitUnit` or `rollbackUnit` is kept or taken back together. The write lock
  /// is taken by the first operation. Inside a unit this does nothing.
  public func beginUnit() {
    if unit == .none { unit = .waiting }
  }

  /// Keeps what the unit did. Without a unit it does nothing. When it throws, nothing of the unit was kept.
  /// - Parameters:
  ///   - name: what the step of undo is called.
  ///   - prepare: makes ready what is to be kept together with the database, and gives the files that this will change.
  ///     The
  ///     commit decides about them too. It runs, in a transaction, also when nothing was changed in the database.
  public func commitUnit(named name: String = "changes", prepare: ((Database) throws -> [UndoFile])? = nil) throws {
    guard unit == .open || prepare != nil else {
      unit = .none
      return
    }
    try access("keeping the changes") { db in
      if unit != .open {
        try begin(db, name)
        unit = .open
      }
      guard db.isInsideTransaction else { throw StorageError.rolledBack(path: shownPath) }
      do {
        let files = try prepare.map { prepare in try inside { try prepare(db) } } ?? []
        try writeStep(db, name, files)
        try db.commit()
      } catch {
        try abandon(db)
        throw error
      }
      unit = .none
    }
  }

  /// Takes back what the unit did, and ends it. Without a unit it does nothing.
  public func rollbackUnit() throws {
    guard unit == .open else {
      unit = .none
      return
    }
    try access("taking back the changes") { try abandon($0) }
  }

  // MARK: Undo

  /// The steps that can be undone or redone, the newest first.
  public func undoSteps(limit: Int = 1000) throws -> [UndoStep] {
    recorder == nil ? [] : try read { try UndoLog.steps($0, limit: limit) }
  }

  /// Undoes a step, or does one again that was undone: the last one, or that of an id.
  /// - Parameter restore: puts files back, as `before` says, and gives them as they were until now; the commit decides.
  /// - Throws: `UndoError`; nothing was changed then.
  @discardableResult
  public func undo(
    _ id: Int? = nil, again: Bool = false, restore: (Database, [UndoFile]) throws -> [UndoFile] = { _, files in files }
  ) throws -> UndoStep {
    guard let recorder else { throw again ? UndoError.nothingToRedo : UndoError.nothingToUndo }
    guard unit != .open, depth == 0 else { throw UndoError.inUnit }
    return try access(again ? "redoing" : "undoing") { db in
      // What a step changed has all its rows in the log, also those that a foreign key took along.
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      defer { turnOnForeignKeys(db) }
      try begin(db, "undoing")
      return try finish(db, { try apply($0, id, again, recorder, restore) }, atEnd: { _ in })
    }
  }

  private func apply(
    _ db: Database, _ id: Int?, _ again: Bool, _ recorder: UndoRecorder,
    _ restore: (Database, [UndoFile]) throws -> [UndoFile]
  ) throws -> UndoStep {
    let step = try UndoLog.step(db, id, isUndone: again)
    let others = try UndoLog.conflicts(db, step)
    if !others.isEmpty { throw UndoError.changedSince(step.name, by: others) }
    let isLast = try UndoLog.isLast(db, step)
    do {
      try UndoneRows(UndoLog.rows(db, of: step)).apply(db, recorder.tables, step: step.name)
    } catch is UndoDamage {
      throw UndoError.unreadable(step.name)
    } catch let error as DatabaseError where error.resultCode.primaryResultCode == .SQLITE_CONSTRAINT {
      throw UndoError.differs(step.name, what: error.message ?? "its rows no longer go together with the others")
    }
    if !isLast, let row = try Row.fetchOne(db, sql: "PRAGMA foreign_key_check") {
      throw UndoError.differs(step.name, what: "something of \(row[0] as String) was added to it since")
    }
    let files = try UndoLog.files(db, of: step)
    let before = files.isEmpty ? [] : try restore(db, files)
    recorder.isRecording = false
    try UndoLog.replace(db, step, with: recorder, files: before)
    return step
  }

  private func turnOnForeignKeys(_ db: Database) {
    sqlite3_exec(db.sqliteConnection, "PRAGMA foreign_keys = ON", nil, nil, nil)
  }

  private func writeStep(_ db: Database, _ name: String, _ files: [UndoFile]) throws {
    guard let recorder else { return }
    recorder.isRecording = false
    try UndoLog.add(db, recorder, named: name, at: now(), files: files)
    recorder.clear()
  }

  // MARK: Care

  /// What SQLite finds wrong with the file, in its words: empty when all is well.
  public func integrityProblems() throws -> [String] {
    try read { db in
      var found = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
      for row in try Row.fetchAll(db, sql: "PRAGMA foreign_key_check") {
        let table: String = row[0] ?? "?"
        let rowid: Int64 = row[1] ?? 0
        found.append("row \(rowid) of \(table) points to nothing in \(row[2] as String? ?? "?")")
      }
      return found
    }
  }

  /// Takes back an open unit and closes the file. A later use opens it again.
  public func close() throws {
    try rollbackUnit()
    guard let open = queue else { return }
    try translated("closing") { try open.close() }
    queue = nil
    dataVersion = nil
  }

  /// Gives the connection to what works on the database as a whole.
  func whole(_ name: String, _ body: (Database) throws -> Void) throws {
    guard unit != .open, depth == 0 else { throw UndoError.inUnit }
    try access(name) { db in try waiting { try body(db) } }
  }

  func noteReplaced() {
    otherChanges &+= 1
    dataVersion = nil
  }

  // MARK: Transactions

  private var shownPath: String { path ?? "the database in memory" }

  /// Begins a transaction that holds the write lock, waiting a while for another process.
  private func begin(_ db: Database, _ name: String) throws {
    if let readOnlyReason { throw readOnlyReason }
    try waiting { try db.beginTransaction(.immediate) }
    recorder?.clear()
    recorder?.isRecording = true
  }

  /// Tries again while another process has the lock, until the deadline, or until the user asks to stop.
  private func waiting(_ attempt: () throws -> Void) throws {
    for tried in 1... {
      do {
        return try attempt()
      } catch let error as DatabaseError where error.resultCode.primaryResultCode == .SQLITE_BUSY {
        if interrupted() { throw StorageError.interrupted(path: shownPath) }
        if tried >= lockTries { throw error }
      }
    }
  }

  /// The body as a transaction that has begun.
  /// - Parameter atEnd: the last of what belongs to it.
  private func finish<T>(
    _ db: Database, _ body: (Database) throws -> T, atEnd: (T) throws -> Void
  ) throws -> T {
    do {
      let result = try inside { try body(db) }
      guard db.isInsideTransaction else { throw StorageError.rolledBack(path: shownPath) }
      try atEnd(result)
      try db.commit()
      return result
    } catch {
      try rollback(db)
      throw error
    }
  }

  /// The body as a part of the transaction under way. Without the check of `isInsideTransaction` what follows a
  /// rollback by SQLite itself would commit alone.
  private func savepoint<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    guard db.isInsideTransaction else { throw StorageError.rolledBack(path: shownPath) }
    let mark = recorder?.mark()
    var result: T?
    do {
      try db.inSavepoint {
        result = try inside { try body(db) }
        return .commit
      }
    } catch {
      otherChanges &+= 1
      if let mark { recorder?.goBack(to: mark) }
      throw error
    }
    guard let result, db.isInsideTransaction else { throw StorageError.rolledBack(path: shownPath) }
    return result
  }

  private func inside<T>(_ body: () throws -> T) throws -> T {
    depth += 1
    defer { depth -= 1 }
    return try body()
  }

  private func abandon(_ db: Database) throws {
    unit = .none
    try rollback(db)
  }

  private func rollback(_ db: Database) throws {
    otherChanges &+= 1
    recorder?.isRecording = false
    recorder?.clear()
    if db.isInsideTransaction { try db.rollback() }
  }

  // MARK: Access

  /// Gives the open database to the body, and SQLite's errors their meaning.
  private func access<T>(_ name: String, _ body: (Database) throws -> T) throws -> T {
    try translated(name) {
      let queue = try opened()
      return try queue.unsafeReentrantWrite { try body($0) }
    }
  }

  /// What SQLite calls while a statement runs.
  private final class Poll {
    static let steps: Int32 = 5_000
    let isInterrupted: () -> Bool
    init(_ isInterrupted: @escaping () -> Bool) { self.isInterrupted = isInterrupted }
  }

  /// Statements that take long ask whether they are to end.
  private func pollDuringStatements(_ db: Database) {
    let context = Unmanaged.passUnretained(poll).toOpaque()
    sqlite3_progress_handler(
      db.sqliteConnection, Poll.steps,
      { context in context.map { Unmanaged<Poll>.fromOpaque($0).takeUnretainedValue().isInterrupted() } == true ? 1 : 0
      },
      context)
  }

  private func translated<T>(_ name: String, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw StorageError.ofDatabase(error, path: shownPath, operation: name)
    }
  }

  /// Counts a commit of another process. While a transaction is open there can be none to see.
  private func noticeOthers(_ db: Database) throws {
    guard path != nil, !db.isInsideTransaction else { return }
    let statement = try db.cachedStatement(sql: "PRAGMA data_version").sqliteStatement
    defer { sqlite3_reset(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else { return }
    let version = sqlite3_column_int(statement, 0)
    if let dataVersion, dataVersion != version { otherChanges &+= 1 }
    dataVersion = version
  }

  private func opened() throws -> DatabaseQueue {
    if let queue { return queue }
    var fresh: DatabaseQueue?
    let file = DatabaseFile(path: path, migrations: migrations)
    try waiting { (fresh, readOnlyReason) = try file.open() }
    guard let fresh else { throw StorageError.unreadable(path: shownPath, detail: "it did not open") }
    try prepare(fresh)
    try fresh.unsafeReentrantWrite { db in
      pollDuringStatements(db)
      try recorder?.attach(db)
    }
    queue = fresh
    return fresh
  }

  /// Brings the tables to what the program expects, or refuses a file of the future.
  private func prepare(_ fresh: DatabaseQueue) throws {
    try fresh.unsafeReentrantWrite { db in
      let known = Set(migrations.map(\.name))
      let applied = try appliedMigrations(db)
      let unknown = applied.subtracting(known)
      guard unknown.isEmpty else { throw StorageError.newer(path: shownPath, migrations: unknown.sorted()) }
      if applied == known { return }
      try begin(db, "bringing the data up to date")
      if let recorder { recorder.isRecording = false }
      try finish(db, { try migrate($0, by: migrations) }, atEnd: { _ in })
    }
  }
}
