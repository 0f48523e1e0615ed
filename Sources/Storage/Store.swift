// One user's database: opened at first use, read, and changed by named operations that happen wholly or not at all.
// Invariant: whatever ends with an error leaves nothing of itself behind. Inside a unit of work an operation is a
// savepoint, outside it is a transaction of its own; a unit whose transaction SQLite took back refuses to go on.

/// Rows that an operation writes together: until then they wait.
public protocol WaitingRows: AnyObject {
  /// How many wait, once none is being written.
  var waitingCount: Int { get }
  /// Writes them; they go on waiting where that fails.
  func flush() throws
}

/// A SQLite file in WAL mode, used from the thread that made it, and by a `WorkLane` while that thread leaves it alone.
/// `Database` values that a closure is given are good until the closure returns.
///
///     let store = Store(path: path, migrations: DecksSchema.migrations, isInterrupted: isInterrupted)
///     try store.operation("adding a deck") { db in try DeckTable.create(db, name: "Spanish", now: now) }
public final class Store {
  enum Unit {
    case none
    /// Begun by the caller, not yet by SQLite: its transaction begins at the first write.
    case waiting
    case open
  }

  /// The file, or nil for a database in memory.
  public let path: String?
  private let migrations: () -> [Migration]
  private let poll: StatementPoll
  private var database: ExclusiveDatabase?
  private var unit = Unit.none
  /// How many operations stand around the caller.
  private var depth = 0
  /// Grows with each commit of another process that a read noticed, and with each rollback.
  public private(set) var otherChanges = 0
  private var dataVersion: Int?
  /// What the operation or the unit under way changes; nil where nothing is recorded.
  let recorder: UndoRecorder?
  /// The step that the last operation outside a unit, or the last unit, wrote; nil where it changed nothing.
  var lastStep: Int?
  /// The part of the unit under way that began with it.
  weak var firstPart: RecordedChange?
  /// Rows of the operation under way that are not written yet.
  private var waitingRows: (any WaitingRows)?
  /// How many have the database now, one within the other.
  private var users = 0
  /// Why the database can only be read.
  public private(set) var readOnlyReason: (any Error)?

  /// Tries for another process's lock, each of which lets SQLite wait for 0.1 seconds.
  private let lockTries: Int

  /// Nothing is opened yet.
  /// - Parameters:
  ///   - path: the file; its folder is made when it is missing. nil: in memory, for tests.
  ///   - migrations: every room's steps, in order; asked for when the file is opened.
  ///   - deadline: seconds that another process's lock is waited for.
  ///   - isInterrupted: asked about every 0.1 seconds meanwhile, and in statements that take long; true gives up.
  ///   - undoClock: seconds since 1970. With it each operation is recorded as a step that can be undone;
  ///     `UndoLog.migrations` are among the migrations then.
  ///   - unrecorded: tables that no step holds.
  public init(
    path: String?, migrations: @autoclosure @escaping () -> [Migration], deadline: Double = 5,
    isInterrupted: @escaping @Sendable () -> Bool,
    undoClock: (() -> Double)? = nil, unrecorded: Set<String> = []
  ) {
    recorder = undoClock.map { UndoRecorder(now: $0, unrecorded: unrecorded) }
    lockTries = Int(min(36_000, max(1, deadline * 10)))
    self.path = path
    self.migrations = migrations
    poll = StatementPoll(isInterrupted)
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
  ///   - isOneStatement: whether one statement at most changes anything: SQLite takes it back itself when it fails,
  ///     so that a part of a unit needs no savepoint.
  ///   - step: what the step of undo is called, made of the result; `name` where it is nil. Outside a unit only.
  @discardableResult
  public func operation<T>(
    _ name: String, isOneStatement: Bool = false, step: ((T) -> String)? = nil, _ body: (Database) throws -> T
  ) throws -> T {
    try access(name, changes: true) { db in
      if depth > 0 || unit == .open { return try isOneStatement ? statement(db, body) : savepoint(db, body) }
      try begin(db, name)
      if unit == .waiting { return try first(db, body) }
      return try finish(db, body) { result in try writeStep(db, step?(result) ?? name) }
    }
  }

  /// Grows with whatever may have changed what a read answers: each row written, each rollback, and, noticed at the
  /// next `read` outside a transaction, each commit of another process. Rows that were kept are good while it stands
  /// still.
  public var changeCount: Int {
    let waiting = waitingRows?.waitingCount ?? 0
    return otherChanges &+ (database?.totalChanges ?? 0) &+ waiting
  }

  /// Runs a part of an operation that lets rows wait: whatever reads or changes the database inside it finds them
  /// written.
  public func writing<T>(_ rows: any WaitingRows, _ body: () throws -> T) throws -> T {
    let outer = waitingRows
    waitingRows = rows
    defer { waitingRows = outer }
    let result = try body()
    try rows.flush()
    return result
  }

  // MARK: Units of work

  /// Whether an operation is under way.
  public var isInOperation: Bool { depth > 0 }

  /// Whether a transaction is under way: a unit that has changed something, or an operation.
  public var hasOpenTransaction: Bool { unit == .open || depth > 0 }

  /// Whether a unit is under way.
  public var isInUnit: Bool { unit != .none }

  /// Begins a unit: every operation until `commitUnit` or `rollbackUnit` is kept or taken back together. The write lock
  /// is taken by the first operation. Inside a unit this does nothing.
  public func beginUnit() {
    if unit == .none { unit = .waiting }
  }

  /// Keeps what the unit did. Without a unit it does nothing. When it throws, nothing of the unit was kept.
  /// - Parameter name: what the step of undo is called.
  public func commitUnit(named name: String = "changes") throws {
    guard unit == .open else {
      unit = .none
      return
    }
    try access("saving the changes") { db in
      guard db.isInsideTransaction else { throw StorageError.rolledBack(path: shownPath) }
      do {
        try writeStep(db, name)
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
    try access("rolling back the changes") { try abandon($0) }
  }

  // MARK: Steps of undo

  private func writeStep(_ db: Database, _ name: String) throws {
    guard let recorder else { return }
    recorder.isRecording = false
    lastStep = try UndoLog.add(db, recorder, named: name, at: recorder.now())
    if let lastStep { firstPart?.becomeStep(lastStep, ifAll: recorder) }
    firstPart = nil
    recorder.clear()
  }

  // MARK: Care

  /// Takes back an open unit and closes the file. A later use opens it again.
  public func close() throws {
    try rollbackUnit()
    try database?.close()
    (database, dataVersion) = (nil, nil)
  }

  /// Gives the connection to what works on the database as a whole.
  func whole(_ name: String, _ body: (Database) throws -> Void) throws {
    guard unit != .open, depth == 0 else { throw UndoError.inUnit }
    try access(name, changes: true) { db in try waiting { try body(db) } }
  }

  func noteReplaced() {
    otherChanges &+= 1
    dataVersion = nil
  }

  // MARK: Transactions

  private var shownPath: String { path ?? "the database in memory" }

  /// Begins a transaction that holds the write lock, waiting a while for another process.
  func begin(_ db: Database, _ name: String) throws {
    if let readOnlyReason { throw readOnlyReason }
    try waiting { try db.begin() }
    recorder?.clear()
    recorder?.isRecording = true
  }

  /// Tries again while another process has the lock, until the deadline, or until the user asks to stop.
  private func waiting(_ attempt: () throws -> Void) throws {
    for tried in 1... {
      do {
        return try attempt()
      } catch let error as StorageError {
        guard case .busy = error else { throw error }
        if poll.isInterrupted() { throw StorageError.interrupted(path: shownPath) }
        if tried >= lockTries { throw error }
      }
    }
  }

  /// The body as a transaction that has begun.
  /// - Parameter atEnd: the last of what belongs to it.
  func finish<T>(
    _ db: Database, _ body: (Database) throws -> T, atEnd: (T) throws -> Void
  ) throws -> T {
    do {
      let result = try standing(db, body)
      try atEnd(result)
      try db.commit()
      return result
    } catch {
      try rollback(db)
      throw error
    }
  }

  /// The body as the first part of a unit: what takes it back is the end of the transaction. Within a savepoint SQLite
  /// would walk over all that the savepoint changed, at each statement.
  private func first<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    unit = .open
    do {
      return try standing(db, body)
    } catch {
      try rollback(db)
      unit = .waiting
      throw error
    }
  }

  /// The body as a part of the transaction under way. Without the check of `isInsideTransaction` what follows a
  /// rollback by SQLite itself would commit alone.
  private func savepoint<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    guard db.isInsideTransaction else { throw StorageError.rolledBack(path: shownPath) }
    let mark = recorder?.mark()
    do {
      return try db.savepoint { try inside { try body(db) } }
    } catch {
      otherChanges &+= 1
      if let mark { recorder?.goBack(to: mark) }
      throw error
    }
  }

  /// The same of a body in which one statement at most changes anything: SQLite takes it back by itself.
  private func statement<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    guard db.isInsideTransaction else { throw StorageError.rolledBack(path: shownPath) }
    let mark = recorder?.mark()
    do {
      return try standing(db, body)
    } catch {
      otherChanges &+= 1
      if let mark { recorder?.goBack(to: mark) }
      throw error
    }
  }

  /// What the body gives, where the transaction still stands after it.
  private func standing<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
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
    giveBackRoom(db)
  }

  /// What was taken back lies in the log: a large one gives its room back at once.
  private func giveBackRoom(_ db: Database) {
    guard let path, DatabaseFile.size(of: path + "-wal") > DatabaseFile.keptLog else { return }
    // Where another process reads, the room comes back when it ends.
    do { try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") } catch { return }
  }

  // MARK: Access

  /// Gives the open database to the body, which does what `name` says.
  func access<T>(_ name: String, changes: Bool = false, _ body: (Database) throws -> T) throws -> T {
    if changes { tryToChangeAgain() }
    let database = try opened(name)
    try waitingRows?.flush()
    users += 1
    defer { users -= 1 }
    return try database.use(for: name, body)
  }

  /// A database that could only be read is opened anew before a change: there may be room on the disk by now.
  private func tryToChangeAgain() {
    guard readOnlyReason != nil, users == 0, let database else { return }
    // Where a statement of somebody is left, the change says why it cannot be.
    do { try database.close() } catch { return }
    (self.database, dataVersion, readOnlyReason) = (nil, nil, nil)
    otherChanges &+= 1
  }

  /// Counts a commit of another process. While a transaction is open there can be none to see.
  private func noticeOthers(_ db: Database) throws {
    guard path != nil, !db.isInsideTransaction else { return }
    guard let version = try Int.fetchOne(db, sql: "PRAGMA data_version") else { return }
    // The first look cannot know what was committed before it.
    if dataVersion != version { otherChanges &+= 1 }
    dataVersion = version
  }

  private func opened(_ name: String) throws -> ExclusiveDatabase {
    if let database { return database }
    let migrations = migrations()
    let file = DatabaseFile(path: path, migrations: migrations, poll: poll)
    var fresh: ExclusiveDatabase?
    try waiting { (fresh, readOnlyReason) = try file.open(for: name) }
    guard let fresh else { throw StorageError.unreadable(path: shownPath, detail: "it could not be opened") }
    try fresh.use(for: name) { db in
      for migration in migrations { for function in migration.functions { try db.add(function) } }
      try prepare(db, migrations)
      try recorder?.attach(db)
    }
    database = fresh
    return fresh
  }

  /// Brings the tables to what the program expects, or refuses a file of the future.
  private func prepare(_ db: Database, _ migrations: [Migration]) throws {
    let known = Set(migrations.map(\.name))
    let applied = try appliedMigrations(db)
    let unknown = applied.subtracting(known)
    if !unknown.isEmpty {
      // A newer program knows all steps of this one.
      throw !known.isSubset(of: applied)
        ? StorageError.older(path: shownPath) : .newer(path: shownPath, migrations: unknown.sorted())
    }
    if applied == known { return }
    try begin(db, "updating the data")
    if let recorder { recorder.isRecording = false }
    try finish(db, { try migrate($0, by: migrations) }, atEnd: { _ in })
  }
}
