// Statements of SQLite that are run for many rows, with bytes in place, and rows that are walked one at a time.
// Invariant: what is bound in place is given up before the call that bound it ends; GRDB's own objects keep the
// statements alive. GRDB's way of running a statement takes 1.6 times as long.

public import GRDB
import GRDBSQLite

/// A statement that writes, run for one row after the other.
///
///     let insertion = try RepeatedStatement(db, "INSERT INTO tags (name, count) VALUES (?1, ?2)")
///     insertion.bind(1, "animal")
///     insertion.bind(2, 12)
///     try insertion.run()
public final class RepeatedStatement {
  private let kept: Statement
  private let statement: OpaquePointer
  private let connection: OpaquePointer?

  public init(_ db: Database, _ sql: String) throws {
    kept = try db.makeStatement(sql: sql)
    statement = kept.sqliteStatement
    connection = db.sqliteConnection
  }

  public func bind(_ place: Int32, _ value: Int64) { sqlite3_bind_int64(statement, place, value) }

  public func bind(_ place: Int32, _ value: Int) { bind(place, Int64(value)) }

  public func bind(_ place: Int32, _ value: Int64?) {
    if let value { bind(place, value) } else { sqlite3_bind_null(statement, place) }
  }

  public func bind(_ place: Int32, _ value: Double?) {
    if let value { sqlite3_bind_double(statement, place, value) } else { sqlite3_bind_null(statement, place) }
  }

  /// SQLite copies the text.
  public func bind(_ place: Int32, _ text: String?) {
    guard var text else {
      sqlite3_bind_null(statement, place)
      return
    }
    // SQLITE_TRANSIENT, a macro that Swift cannot see.
    text.withUTF8 { bind(place, $0, unsafeBitCast(-1, to: sqlite3_destructor_type.self)) }
  }

  /// The bytes stay the caller's until `run`.
  public func bind(_ place: Int32, inPlace text: TextBytes) { bind(place, text, nil) }

  private func bind(_ place: Int32, _ text: TextBytes, _ destructor: sqlite3_destructor_type?) {
    guard let start = text.baseAddress, text.count > 0 else {
      sqlite3_bind_text(statement, place, "", 0, nil)
      return
    }
    start.withMemoryRebound(to: CChar.self, capacity: text.count) {
      _ = sqlite3_bind_text(statement, place, $0, Int32(clamping: text.count), destructor)
    }
  }

  /// Runs it with what is bound.
  /// - Returns: whether a row was written.
  @discardableResult
  public func run() throws -> Bool {
    defer { release() }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw failure(connection) }
    return sqlite3_changes(connection) > 0
  }

  /// Runs a query with what is bound and gives its first row.
  public func first<T>(_ read: (Columns) throws -> T) throws -> T? {
    defer { release() }
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return try read(Columns(statement: statement))
    case SQLITE_DONE: return nil
    default: throw failure(connection)
    }
  }

  /// Runs a query with what is bound and gives every row.
  public func rows<T>(_ read: (Columns) throws -> T) throws -> [T] {
    defer { release() }
    var found: [T] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: found.append(try read(Columns(statement: statement)))
      case SQLITE_DONE: return found
      default: throw failure(connection)
      }
    }
  }

  private func release() {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
  }
}

/// The rows of a query, walked by its caller: two walks can go on side by side.
///
///     let walk = try RowWalk(db, "SELECT name FROM decks")
///     while let row = try walk.next() { print(row.text(0)) }
public final class RowWalk {
  private let kept: Statement
  private let connection: OpaquePointer?

  /// - Parameter arguments: of the query's `?1`, `?2` and so on.
  public init(_ db: Database, _ sql: String, _ arguments: Int64...) throws {
    kept = try db.makeStatement(sql: sql)
    connection = db.sqliteConnection
    for (index, argument) in arguments.enumerated() {
      sqlite3_bind_int64(kept.sqliteStatement, Int32(clamping: index + 1), argument)
    }
  }

  deinit { sqlite3_reset(kept.sqliteStatement) }

  /// The next row, good until the next call; nil after the last.
  public func next() throws -> Columns? {
    switch sqlite3_step(kept.sqliteStatement) {
    case SQLITE_ROW: return Columns(statement: kept.sqliteStatement)
    case SQLITE_DONE: return nil
    default: throw failure(connection)
    }
  }
}

/// What SQLite said, as GRDB would have thrown it.
func failure(_ connection: OpaquePointer?) -> DatabaseError {
  DatabaseError(
    resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
    message: String(cString: sqlite3_errmsg(connection)))
}
