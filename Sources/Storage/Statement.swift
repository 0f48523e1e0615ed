// An SQL statement: prepared once, given its values, and run, or iterated row by row. Invariant: a statement that ran
// is reset, whether it failed or not, so none is open when a transaction ends; bytes that are bound in place are
// released before the call that bound them ends. If SQLite refuses a value, running the statement throws.

import CSQLite

/// The columns of a row, which receive values; the first index is 0.
public protocol ColumnBinding {
  func put(_ column: Int, _ value: Int64)
  func put(_ column: Int, _ value: Double?)
  func put(_ column: Int, text: String?)
  func put(_ column: Int, text: UnsafeBufferPointer<UInt8>)
}

/// A statement that runs once for each row, or a query whose rows are iterated: two can be iterated side by side.
public final class Statement {
  let connection: Connection
  private let handle: OpaquePointer
  /// The error code of a value that could not be bound.
  private var refusal = SQLITE_OK

  public convenience init(_ db: Database, _ sql: String, _ arguments: StatementArguments? = nil) throws(StorageError) {
    try self.init(db.connection, sql, flags: 0)
    if let arguments { try bind(arguments) }
  }

  convenience init(_ connection: Connection, _ sql: String, flags: UInt32) throws(StorageError) {
    let outcome = sql.withCString { start in
      Result { () throws(StorageError) in try Statement.only(connection, start, flags) }
    }
    self.init(connection, try outcome.get())
  }

  init(_ connection: Connection, _ handle: OpaquePointer) { (self.connection, self.handle) = (connection, handle) }

  deinit { sqlite3_finalize(pointer) }

  /// SQLite's handle; waits until no second thread uses the database.
  var pointer: OpaquePointer {
    if connection.isLent { connection.wait() }
    return handle
  }

  var lentPointer: OpaquePointer { handle }

  /// Prepares a text that consists of exactly one statement.
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

  /// The bytes must stay valid until `run` returns.
  public func bind(_ place: Int32, inPlace text: UnsafeBufferPointer<UInt8>) { bind(place, text, nil) }

  private func bind(_ place: Int32, _ text: UnsafeBufferPointer<UInt8>, _ destructor: sqlite3_destructor_type?) {
    guard let start = text.baseAddress, text.count > 0 else {
      return check(sqlite3_bind_text(pointer, place, "", 0, nil))
    }
    start.withMemoryRebound(to: CChar.self, capacity: text.count) {
      check(sqlite3_bind_text64(pointer, place, $0, UInt64(text.count), destructor, UInt8(SQLITE_UTF8)))
    }
  }

  /// SQLite copies the bytes.
  func bind(_ place: Int32, bytes: [UInt8]) { bytes.withUnsafeBytes { bind(place, $0, Statement.copied) } }

  /// The bytes must stay valid until `run` returns.
  func bind(_ place: Int32, inPlace bytes: UnsafeRawBufferPointer) { bind(place, bytes, nil) }

  private func bind(_ place: Int32, _ bytes: UnsafeRawBufferPointer, _ destructor: sqlite3_destructor_type?) {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return check(sqlite3_bind_zeroblob(pointer, place, 0)) }
    check(sqlite3_bind_blob64(pointer, place, start, UInt64(bytes.count), destructor))
  }

  func bindNull(_ place: Int32) { check(sqlite3_bind_null(pointer, place)) }

  private func check(_ code: Int32) { if code != SQLITE_OK { refusal = code } }

  /// SQLITE_TRANSIENT, a macro that Swift cannot import: SQLite copies what is bound.
  static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

  /// Whether the statement gave a row and was neither run to its end nor reset.
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

  /// Runs the statement to its end with the bound values.
  func finish() throws(StorageError) {
    defer { reset() }
    while try step() {}
  }

  /// Runs the statement with the bound values; returns whether a row was written.
  @discardableResult public func run() throws(StorageError) -> Bool {
    try finish()
    return sqlite3_changes(connection.pointer) > 0
  }

  public func execute(arguments: StatementArguments) throws(StorageError) {
    try bind(arguments)
    try finish()
  }

  public func first<T>(_ read: (Row) throws -> T) throws -> T? {
    defer { reset() }
    return try step() ? try read(row) : nil
  }

  /// Returns whether a query with the bound values has a row.
  public func hasRow() throws(StorageError) -> Bool {
    defer { reset() }
    return try step()
  }

  public func first<T>(_ arguments: StatementArguments, _ read: (Row) throws -> T) throws -> T? {
    try bind(arguments)
    return try first(read)
  }

  /// Runs a query with the bound values and returns every row.
  public func rows<T>(_ read: (Row) throws -> T) throws -> [T] {
    var found: [T] = []
    try forEachRow { found.append(try read($0)) }
    return found
  }

  /// Runs a query with the bound values and calls the body with each row, while `goesOn` returns true.
  public func forEachRow(while goesOn: () -> Bool = { true }, _ body: (Row) throws -> Void) throws {
    defer { reset() }
    while goesOn(), try step() { try body(row) }
  }

  /// Returns the next row, valid until the next call; nil after the last.
  public func next() throws(StorageError) -> Row? {
    if try step() { return row }
    sqlite3_reset(pointer)
    return nil
  }

  private var row: Row { Row(statement: handle) }

  /// Ends the iteration and clears the bindings.
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
  /// The bytes must stay valid until `run` returns.
  public func put(_ column: Int, text: UnsafeBufferPointer<UInt8>) { bind(Int32(clamping: column + 1), inPlace: text) }
}
