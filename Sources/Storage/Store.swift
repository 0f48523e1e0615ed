// One user's database: opened at first use, read, and changed by named operations that happen completely or not at all.
// Invariant: an operation or unit that ends with an error leaves no changes. Inside a unit of work an operation is a
// savepoint, outside it is its own transaction; a unit whose transaction SQLite rolled back refuses to go on.

/// Rows that an operation collects and writes together.
public protocol WaitingRows: AnyObject {
  /// How many rows wait to be written; waits first until none is being written.
  var waitingCount: Int { get }
  /// Writes the rows; they keep waiting if that fails.
  func flush() throws
}

/// A SQLite file in WAL mode, used from the thread that created it, and by a `WorkLane` while that thread does not use
/// it. A `Database` passed to a closure is valid until the closure returns.
///
///     let store = Store(path: path, schema: schema, isInterrupted: isInterrupted)
///     try store.operation("adding a deck") { db in try DeckTable.create(db, name: "Spanish", now: now) }
public final class Store {
  enum Unit {
    case none
    /// Begun by the caller, not yet by SQLite: the transaction begins with the first write.
    case waiting
    case open
  }

  /// The path of the file, or nil for an in-memory database.
  public let path: String?
  private let schema: () -> Schema
  private let poll: StatementPoll
  private var database: ExclusiveDatabase?
  private var unit = Unit.none
  /// How deeply operations are nested at the moment.
  private var depth = 0
  /// The depth of the operation that `asOne` runs for.
  private var wholeDepth = Int.max
  /// Increases with each commit of another process that a read noticed, and with each rollback.
  public private(set) var otherChanges = 0
  /// `Database.dataVersion` at the last read outside a transaction.
  public private(set) var dataVersion: Int?
  /// Records what the current operation or unit changes; nil if nothing is recorded.
  let recorder: UndoRecorder?
  /// The undo step that the last operation outside a unit, or the last unit, wrote; nil if it changed nothing.
  var lastStep: Int?
  /// The name of the last step that is too large to be undone; whoever tells the user sets it to nil.
  public var largeStep: String?
  /// The recorded change that began at the start of the current unit.
  weak var firstPart: RecordedChange?
  /// The recorded change that takes the steps written now along.
  var extendedChange: RecordedChange?
  /// Rows of the current operation, or of earlier ones of the unit, that are not written yet.
  private var waitingRows: (any WaitingRows)?
  private var pagesAtOpening = 0
  /// How many nested calls use the database now.
  private var users = 0
  /// Why the database can only be read; nil if it can be changed.
  public private(set) var readOnlyReason: (any Error)?

  /// How often to try for a lock that another process holds; in each try, SQLite waits for 0.1 seconds.
  private let lockAttempts: Int

  /// Creates a store. The file is opened at first use.
  /// - Parameters:
  ///   - path: the file; its folder is created if it is missing. nil: in memory, for tests.
  ///   - schema: the tables of every module; evaluated when the file is opened.
  ///   - deadline: how many seconds to wait for another process's lock.
  ///   - isInterrupted: polled about every 0.1 seconds meanwhile, and during long statements; true gives up.
  ///   - undoClock: returns seconds since 1970. If it is given, each operation is recorded as an undo step, and
  ///     `UndoLog.schema` must be part of the schema.
  ///   - unrecorded: tables whose changes are not recorded.
  public init(
    path: String?, schema: @autoclosure @escaping () -> Schema, deadline: Double = 5,
    isInterrupted: @escaping @Sendable () -> Bool, undoClock: (() -> Double)? = nil, unrecorded: Set<String> = []
  ) {
    recorder = undoClock.map { UndoRecorder(now: $0, unrecorded: unrecorded) }
    lockAttempts = Int(min(36_000, max(1, deadline * 10)))
    (self.path, self.schema) = (path, schema)
    poll = StatementPoll(isInterrupted)
  }

  // MARK: Reading and changing

  /// Runs statements that change nothing. Never waits for a writer; may be called inside an operation.
  public func read<T>(_ body: (Database) throws -> T) throws -> T {
    try access("reading") { db in
      // A commit of another process is counted. While a transaction is open, none is visible.
      if path != nil, !db.isInsideTransaction {
        let version = try db.dataVersion
        // The first call counts, too: it cannot know what was committed before.
        if dataVersion != version { otherChanges &+= 1 }
        dataVersion = version
      }
      return try body(db)
    }
  }

  /// Runs one operation: all changes of `body` are committed, or none if it throws. An operation may run inside a unit
  /// and inside another operation, whose failure rolls it back too.
  /// - Parameters:
  ///   - name: what a user would call it ("adding cards"), for the message when it cannot start.
  ///   - step: returns the name of the undo step for a result; nil: `name`. Only used outside a unit.
  @discardableResult public func operation<T>(
    _ name: String, step: ((T) -> String)? = nil, _ body: (Database) throws -> T
  ) throws -> T {
    try access(name, changes: true) { db in
      if depth > 0 || unit == .open { return try part(db, body) }
      try begin(db)
      if unit == .waiting { return try first(db, body) }
      return try finish(db, body) { result in try writeStep(db, step?(result) ?? name) }
    }
  }

  /// Increases with everything that may have changed the result of a read: each row written, each rollback, and,
  /// noticed at the next `read` outside a transaction, each commit of another process. Cached rows are valid while it
  /// stays the same.
  public var changeCount: Int {
    let waiting = waitingRows?.waitingCount ?? 0
    return otherChanges &+ (database?.totalChanges ?? 0) &+ waiting
  }

  /// Runs a part of an operation that collects rows: they are written before anything inside it uses the database.
  public func writing<T>(_ rows: any WaitingRows, _ body: () throws -> T) throws -> T {
    let outer = waitingRows
    waitingRows = rows
    defer { waitingRows = outer }
    let result = try body()
    try rows.flush()
    return result
  }

  /// Lets rows wait from one operation of the unit to the next: they are written before anything uses the database.
  /// - Returns: false outside a unit that has changed something, and while something uses the database.
  public func letWait(_ rows: any WaitingRows) throws -> Bool {
    guard unit == .open, users == 0 else { return false }
    if waitingRows !== rows { try waitingRows?.flush() }
    waitingRows = rows
    return true
  }

  /// Runs operations as one with the operation that calls this, which has to end with the error of any that fails. So
  /// they need no savepoint, in which SQLite keeps the pages that each statement changes.
  public func asOne<T>(_ body: () throws -> T) rethrows -> T {
    let outer = wholeDepth
    wholeDepth = depth
    defer { wholeDepth = outer }
    return try body()
  }

  // MARK: Units of work

  public var isInOperation: Bool { depth > 0 }

  /// Whether a transaction is open: that of a unit that has changed something, or of an operation.
  public var hasOpenTransaction: Bool { unit == .open || depth > 0 }

  public var isInUnit: Bool { unit != .none }

  /// Begins a unit: every operation until `commitUnit` or `rollbackUnit` is committed or rolled back together. The
  /// first operation takes the write lock. Inside a unit this does nothing.
  public func beginUnit() {
    if unit == .none { unit = .waiting }
  }

  /// Commits the unit. Without a unit it does nothing. If it throws, nothing of the unit is stored.
  /// - Parameter receipt: stored with the undo step, if there is one.
  public func commitUnit(named name: String = "changes", receipt: String? = nil) throws {
    guard unit == .open else {
      unit = .none
      return
    }
    try access("saving the changes") { db in
      guard db.isInsideTransaction else { throw StorageError.rolledBack(path: shownPath) }
      do {
        try writeStep(db, name, receipt)
        try db.commit()
      } catch {
        try abandon(db)
        throw error
      }
      unit = .none
    }
  }

  /// Rolls back the unit and ends it. Without a unit it does nothing.
  public func rollbackUnit() throws {
    waitingRows = nil
    guard unit == .open else {
      unit = .none
      return
    }
    try access("rolling back the changes") { try abandon($0) }
  }

  // MARK: Undo steps

  private func writeStep(_ db: Database, _ name: String, _ receipt: String? = nil) throws {
    guard let recorder else { return }
    recorder.isRecording = false
    lastStep = try UndoLog.add(db, recorder, named: name, receipt: receipt, at: recorder.now())
    if let lastStep {
      if recorder.isTooLarge { largeStep = name }
      firstPart?.setStep(lastStep, ifAll: recorder)
      extendedChange?.laterSteps.append(lastStep)
    }
    firstPart = nil
    recorder.clear()
  }

  // MARK: Maintenance

  /// Rolls back an open unit and closes the file. The next use opens it again.
  public func close() throws {
    try rollbackUnit()
    let changes = database?.totalChanges ?? 0
    try database?.close()
    (database, dataVersion) = (nil, nil)
    // The next connection counts from 0, but `changeCount` must not take a value again.
    otherChanges &+= changes &+ 1
  }

  /// Lends the connection to work on the whole database, outside units and operations.
  func whole(_ name: String, _ body: (Database) throws -> Void) throws {
    guard unit != .open, depth == 0 else { throw UndoError.inUnit }
    try access(name, changes: true) { db in
      try db.requireInPlace()
      try waiting { try body(db) }
    }
  }

  func didReplaceDatabase() {
    otherChanges &+= 1
    dataVersion = nil
  }

  // MARK: Transactions

  private var shownPath: String { path ?? "the database in memory" }

  /// Begins a transaction that holds the write lock, waiting for another process until the deadline.
  func begin(_ db: Database) throws {
    if let readOnlyReason { throw readOnlyReason }
    try db.requireInPlace()
    try waiting { try db.begin() }
    recorder?.clear()
    recorder?.isRecording = true
  }

  /// Tries again while another process has the lock, until the deadline, or until the user interrupts.
  private func waiting(_ attempt: () throws -> Void) throws {
    for tried in 1... {
      do { return try attempt() } catch let error as StorageError {
        guard case .busy = error else { throw error }
        if poll.isInterrupted() { throw StorageError.interrupted(path: shownPath) }
        if tried >= lockAttempts { throw error }
      }
    }
  }

  /// Runs the body in a transaction that has begun.
  func finish<T>(_ db: Database, _ body: (Database) throws -> T, atEnd: (T) throws -> Void) throws -> T {
    do {
      let result = try requiringTransaction(db, body)
      try atEnd(result)
      try db.commit()
      return result
    } catch {
      try rollback(db)
      throw error
    }
  }

  /// Runs the body in a transaction that is not recorded, and rolls it back.
  func rollingBack<T>(_ db: Database, _ body: () throws -> T) throws -> T {
    try begin(db)
    recorder?.isRecording = false
    let outcome = Result { try requiringTransaction(db) { _ in try body() } }
    try rollback(db)
    return try outcome.get()
  }

  /// Runs the body as the first part of a unit: if it throws, the whole transaction is rolled back. In a savepoint,
  /// SQLite would walk over everything that the savepoint changed, at each statement.
  private func first<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    unit = .open
    do { return try requiringTransaction(db, body) } catch {
      try rollback(db)
      unit = .waiting
      throw error
    }
  }

  /// Runs the body as a part of the open transaction, in a savepoint. After a rollback by SQLite, further statements
  /// would be committed on their own.
  private func part<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    guard db.isInsideTransaction else { throw StorageError.rolledBack(path: shownPath) }
    if depth == wholeDepth { return try requiringTransaction(db, body) }
    let mark = recorder?.mark()
    do {
      return try db.savepoint { try inside { try body(db) } }
    } catch {
      otherChanges &+= 1
      if let mark { recorder?.rewind(to: mark) }
      throw error
    }
  }

  private func requiringTransaction<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    let result = try inside { try body(db) }
    guard db.isInsideTransaction else { throw StorageError.rolledBack(path: shownPath) }
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
    firstPart = nil
    if db.isInsideTransaction { try db.rollback() }
    guard let path, DatabaseFile.size(of: path + "-wal") > DatabaseFile.walLimit else { return }
    // A large write-ahead log still contains what was rolled back. While another process reads, the log stays; it
    // shrinks when that process ends.
    do { try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") } catch { return }
  }

  // MARK: Access

  /// Lends the open database to the body; `name` says what the body does.
  func access<T>(_ name: String, changes: Bool = false, _ body: (Database) throws -> T) throws -> T {
    if changes { reopenForWriting() }
    let database = try opened(name)
    try waitingRows?.flush()
    if depth == 0 { waitingRows = nil }
    users += 1
    defer { users -= 1 }
    return try database.use(for: name, body)
  }

  /// The number of pages of 4 KiB that the file has grown by since it was opened, including those that are not
  /// committed. Unlike a read, this does not write the rows that wait.
  var addedPages: Int { get throws { try database.map { try $0.use { try $0.pageCount } - pagesAtOpening } ?? 0 } }

  /// Reopens a read-only database before a change: the disk may have room by now.
  private func reopenForWriting() {
    guard readOnlyReason != nil, users == 0, let database else { return }
    // If somebody still has an open statement, the change itself fails and gives the reason.
    do { try database.close() } catch { return }
    (self.database, dataVersion, readOnlyReason) = (nil, nil, nil)
    otherChanges &+= 1
  }

  private func opened(_ name: String) throws -> ExclusiveDatabase {
    if let database { return database }
    let schema = schema()
    let file = DatabaseFile(path: path, schema: schema, poll: poll)
    var fresh: ExclusiveDatabase?
    try waiting { (fresh, readOnlyReason) = try file.open(for: name) }
    guard let fresh else { throw StorageError.unreadable(path: shownPath, detail: "it could not be opened") }
    try fresh.use(for: name) { db in
      try db.addFunctions(of: schema)
      try prepare(db, schema)
      db.noteLog()
      try recorder?.attach(db)
      pagesAtOpening = try db.pageCount
    }
    database = fresh
    return fresh
  }

  /// Makes the tables in an empty file, or refuses a file of another version.
  private func prepare(_ db: Database, _ schema: Schema) throws {
    if try Schema.isMade(db, path: shownPath) { return }
    try begin(db)
    if let recorder { recorder.isRecording = false }
    try finish(db, { try schema.make($0, path: shownPath) }, atEnd: { _ in })
  }
}
