// A statement of SQL: prepared once, given its values, and run or walked row by row.
// Invariant: a statement that ran is reset, whether it failed or not, so that none is open when a transaction ends;
// what is bound in place is given up before the call that bound it ends. A value that SQLite refuses is an error when
// the statement runs.

import CSQLite

/// A row whose columns are given their values; the first is 0.
///
///     target.put(0, 12)
///     target.put(1, text: "animal")
public protocol ColumnBinding {
  func put(_ column: Int, _ value: Int64)
  func put(_ column: Int, _ value: Double?)
  func put(_ column: Int, text: String?)
  func put(_ column: Int, text: UnsafeBufferPointer<UInt8>)
}

/// A statement, run for one row after the other, or a query whose rows are walked: two walks can go on side by side.
///
///     let insertion = try Statement(db, "INSERT INTO tags (name, count) VALUES (?1, ?2)")
///     insertion.bind(1, "animal")
///     insertion.bind(2, 12)
///     try insertion.run()
public final class Statement {
  let connection: Connection
  private let handle: OpaquePointer
  /// Why a value could not be bound.
  private var refusal = SQLITE_OK

  /// - Parameter arguments: of a query that is walked by `next`.
  public convenience init(
    _ db: Database, _ sql: String, _ arguments: StatementArguments? = nil
  ) throws(StorageError) {
    try self.init(db.connection, sql, flags: 0)
    if let arguments { try bind(arguments) }
  }

  convenience init(_ connection: Connection, _ sql: String, flags: UInt32) throws(StorageError) {
    let outcome = sql.withCString { start in
      Result { () throws(StorageError) in try Statement.only(connection, start, flags) }
    }
    self.init(connection, try outcome.get())
  }

  init(_ connection: Connection, _ handle: OpaquePointer) {
    (self.connection, self.handle) = (connection, handle)
  }

  deinit { sqlite3_finalize(pointer) }

  /// SQLite's handle, once no second thread uses the database.
  var pointer: OpaquePointer {
    if connection.isLent { connection.wait() }
    return handle
  }

  /// The handle for what the lane does.
  var lentPointer: OpaquePointer { handle }

  /// The one statement of a text.
  private static func only(
    _ connection: Connection, _ start: UnsafePointer<CChar>, _ flags: UInt32
  ) throws(StorageError) -> OpaquePointer {
    let (made, rest) = try connection.prepare(start, flags: flags)
    guard let made else { throw connection.failure(SQLITE_MISUSE, "there is no statement") }
    if rest.pointee != 0 {
      let (more, _) = try connection.prepare(rest, flags: 0)
      if more != nil {
        sqlite3_finalize(more)
        sqlite3_finalize(made)
        throw connection.failure(SQLITE_MISUSE, "there are several statements")
      }
    }
    return made
  }

  // MARK: Values

  public func bind(_ place: Int32, _ value: Int64) { check(sqlite3_bind_int64(pointer, place, value)) }

  public func bind(_ place: Int32, _ value: Int) { bind(place, Int64(value)) }

  public func bind(_ place: Int32, _ value: Double?) {
    if let value { check(sqlite3_bind_double(pointer, place, value)) } else { bindNull(place) }
  }

  /// SQLite copies the text.
  public func bind(_ place: Int32, _ text: String?) {
    guard var text else { return bindNull(place) }
    text.withUTF8 { bind(place, $0, Statement.copied) }
  }

  /// The bytes stay the caller's until `run`.
  public func bind(_ place: Int32, inPlace text: UnsafeBufferPointer<UInt8>) { bind(place, text, nil) }

  private func bind(
    _ place: Int32, _ text: UnsafeBufferPointer<UInt8>, _ destructor: sqlite3_destructor_type?
  ) {
    guard let start = text.baseAddress, text.count > 0 else {
      return check(sqlite3_bind_text(pointer, place, "", 0, nil))
    }
    start.withMemoryRebound(to: CChar.self, capacity: text.count) {
      check(sqlite3_bind_text64(pointer, place, $0, UInt64(text.count), destructor, UInt8(SQLITE_UTF8)))
    }
  }

  /// SQLite copies the bytes.
  func bind(_ place: Int32, bytes: [UInt8]) {
    bytes.withUnsafeBytes { bind(place, $0, Statement.copied) }
  }

  /// The bytes stay the caller's until `run`.
  func bind(_ place: Int32, inPlace bytes: UnsafeRawBufferPointer) { bind(place, bytes, nil) }

  private func bind(_ place: Int32, _ bytes: UnsafeRawBufferPointer, _ destructor: sqlite3_destructor_type?) {
    guard let start = bytes.baseAddress, bytes.count > 0 else {
      return check(sqlite3_bind_zeroblob(pointer, place, 0))
    }
    check(sqlite3_bind_blob64(pointer, place, start, UInt64(bytes.count), destructor))
  }

  func bindNull(_ place: Int32) { check(sqlite3_bind_null(pointer, place)) }

  private func check(_ code: Int32) { if code != SQLITE_OK { refusal = code } }

  /// SQLITE_TRANSIENT, a macro that Swift cannot see: SQLite copies what is bound.
  static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

  // MARK: Running

  /// Whether it gave a row and was neither walked to its end nor reset.
  var isOpen: Bool { sqlite3_stmt_busy(pointer) != 0 }

  /// - Returns: false when there are no more rows.
  func step() throws(StorageError) -> Bool {
    if connection.isLent { try connection.drain() }
    if refusal != SQLITE_OK { throw connection.failure(refusal, String(cString: sqlite3_errstr(refusal))) }
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.failure(code)
    }
  }

  /// Runs it to its end with what is bound.
  func finish() throws(StorageError) {
    defer { reset() }
    while try step() {}
  }

  /// Runs it with what is bound.
  /// - Returns: whether a row was written.
  @discardableResult
  public func run() throws(StorageError) -> Bool {
    try finish()
    return sqlite3_changes(connection.pointer) > 0
  }

  /// Runs it with these arguments.
  public func execute(arguments: StatementArguments) throws(StorageError) {
    try bind(arguments)
    try finish()
  }

  /// Runs a query with what is bound and gives its first row.
  public func first<T>(_ read: (Row) throws -> T) throws -> T? {
    defer { reset() }
    return try step() ? try read(row) : nil
  }

  /// Whether a query with what is bound has a row.
  public func hasRow() throws(StorageError) -> Bool {
    defer { reset() }
    return try step()
  }

  /// Runs a query with these arguments and gives its first row.
  public func first<T>(_ arguments: StatementArguments, _ read: (Row) throws -> T) throws -> T? {
    try bind(arguments)
    return try first(read)
  }

  /// Runs a query with what is bound and gives every row.
  public func rows<T>(_ read: (Row) throws -> T) throws -> [T] {
    var found: [T] = []
    try forEachRow { found.append(try read($0)) }
    return found
  }

  /// Runs a query with what is bound and gives each row to the body, as long as it wants more.
  public func forEachRow(while goesOn: () -> Bool = { true }, _ body: (Row) throws -> Void) throws {
    defer { reset() }
    while goesOn(), try step() { try body(row) }
  }

  /// The next row of a walk, good until the next call; nil after the last.
  public func next() throws(StorageError) -> Row? {
    if try step() { return row }
    sqlite3_reset(pointer)
    return nil
  }

  /// The row that it stands on.
  private var row: Row { Row(statement: handle) }

  /// Ends a walk and gives up what is bound.
  public func reset() {
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
    refusal = SQLITE_OK
  }
}

extension Statement: ColumnBinding {
  public func put(_ column: Int, _ value: Int64) { bind(Int32(clamping: column + 1), value) }
  public func put(_ column: Int, _ value: Double?) { bind(Int32(clamping: column + 1), value) }
  public func put(_ column: Int, text: String?) { bind(Int32(clamping: column + 1), text) }
  /// The bytes stay the caller's until `run`.
  public func put(_ column: Int, text: UnsafeBufferPointer<UInt8>) { bind(Int32(clamping: column + 1), inPlace: text) }
}
