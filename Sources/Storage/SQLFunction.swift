// SQL functions written in Swift.
// Invariant: a function returns the same result for the same arguments, changes nothing, and uses no database.

import CSQLite

/// A function that SQL statements can call. Each connection has its own instance.
public struct SQLFunction: Sendable {
  let name: String
  let argumentCount: Int32
  let make: @Sendable () -> (SQLCall) -> Void

  public init(_ name: String, arguments: Int, _ make: @escaping @Sendable () -> (SQLCall) -> Void) {
    (self.name, argumentCount, self.make) = (name, Int32(clamping: arguments), make)
  }
}

/// One call of an SQL function. Its arguments are valid until the call ends; without an answer the result is NULL.
public struct SQLCall {
  fileprivate let context: OpaquePointer
  fileprivate let arguments: UnsafeMutablePointer<OpaquePointer?>

  public func integer(_ place: Int) -> Int64 { sqlite3_value_int64(arguments[place]) }

  /// The bytes of a text, not copied.
  public func bytes(_ place: Int) -> UnsafeBufferPointer<UInt8> {
    guard let start = sqlite3_value_text(arguments[place]) else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(arguments[place])))
  }

  /// Bytes that are not UTF-8 are replaced.
  public func text(_ place: Int) -> String { String(decoding: bytes(place), as: UTF8.self) }

  /// Sets the result. SQLite copies the text.
  public func answer(_ text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress, text.count > 0 else { return sqlite3_result_text(context, "", 0, nil) }
    start.withMemoryRebound(to: CChar.self, capacity: text.count) {
      sqlite3_result_text64(context, $0, UInt64(text.count), Statement.copied, UInt8(SQLITE_UTF8))
    }
  }

  public func answer(_ text: String) {
    var text = text
    text.withUTF8 { answer($0) }
  }
}

extension Database {
  private final class Called {
    let body: (SQLCall) -> Void
    init(_ body: @escaping (SQLCall) -> Void) { self.body = body }
  }

  /// Registers a function for later statements.
  func add(_ function: SQLFunction) throws(StorageError) {
    let called = Unmanaged.passRetained(Called(function.make()))
    let code = sqlite3_create_function_v2(
      connection.pointer, function.name, function.argumentCount,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, called.toOpaque(),
      { context, _, arguments in
        guard let context, let arguments, let called = sqlite3_user_data(context) else { return }
        Unmanaged<Called>.fromOpaque(called).takeUnretainedValue().body(SQLCall(context: context, arguments: arguments))
      }, nil, nil, { $0.map { Unmanaged<Called>.fromOpaque($0).release() } })
    guard code == SQLITE_OK else { throw connection.failure(code) }
  }
}
