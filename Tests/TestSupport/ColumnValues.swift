// Single values of a query, for checks of what a database contains, and statements that change it.

public import Storage

/// A type that a column is read as.
public protocol ColumnValue {
  init(_ row: Row, _ column: Int32)
}

extension ColumnValue {
  /// Returns the first column of the first row; nil if there is no row, or the value is NULL.
  public static func fetchOne(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> Self? {
    try db.firstRow(sql, arguments) { $0.isNull(0) ? nil : Self($0, 0) } ?? nil
  }

  /// Returns the first column of every row.
  public static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> [Self] {
    try db.rows(sql, arguments) { Self($0, 0) }
  }
}

extension Store {
  /// Runs statements as one operation.
  public func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try operation("x") { try $0.execute(sql: sql, arguments: arguments) }
  }
}

extension Bool: ColumnValue {
  public init(_ row: Row, _ column: Int32) { self = row.integer(column) != 0 }
}

extension Int: ColumnValue {
  public init(_ row: Row, _ column: Int32) { self = row.count(column) }
}

extension Int64: ColumnValue {
  public init(_ row: Row, _ column: Int32) { self = row.integer(column) }
}

extension Double: ColumnValue {
  public init(_ row: Row, _ column: Int32) { self = row.number(column) }
}

extension String: ColumnValue {
  public init(_ row: Row, _ column: Int32) { self = row.text(column) }
}
