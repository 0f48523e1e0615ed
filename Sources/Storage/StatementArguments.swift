// The values for a statement's parameters, by position or by name. Invariant: every parameter gets a value, and every
// value by position a parameter; anything else is an error, never a silent NULL.

import CSQLite

/// A value that can be bound to a statement. SQLite copies it.
public protocol Bindable {
  func bind(to statement: Statement, _ place: Int32)
}

extension Bool: Bindable {
  public func bind(to statement: Statement, _ place: Int32) { statement.bind(place, self ? 1 : 0) }
}

extension Int: Bindable {
  public func bind(to statement: Statement, _ place: Int32) { statement.bind(place, Int64(self)) }
}

extension Int64: Bindable {
  public func bind(to statement: Statement, _ place: Int32) { statement.bind(place, self) }
}

extension Double: Bindable {
  public func bind(to statement: Statement, _ place: Int32) { statement.bind(place, self) }
}

extension String: Bindable {
  public func bind(to statement: Statement, _ place: Int32) { statement.bind(place, self) }
}

extension [UInt8]: Bindable {
  public func bind(to statement: Statement, _ place: Int32) { statement.bind(place, bytes: self) }
}

/// The arguments of a statement: `[deck, "animal", nil]`, or by name: `["deck": deck]` for a parameter `:deck`.
public struct StatementArguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  fileprivate enum Values {
    case inOrder([(any Bindable)?])
    case byName([String: (any Bindable)?])
  }

  fileprivate let values: Values

  public init(arrayLiteral elements: (any Bindable)?...) { self.init(elements) }

  public init(_ elements: [(any Bindable)?]) { values = .inOrder(elements) }

  public init(dictionaryLiteral elements: (String, (any Bindable)?)...) { self.init(Dictionary(elements) { $1 }) }

  public init(_ named: [String: (any Bindable)?]) { values = .byName(named) }

  /// The number of values by position.
  var count: Int {
    if case .inOrder(let values) = values { values.count } else { 0 }
  }
}

extension Statement {
  /// Binds the arguments, which must be as many as the parameters.
  func bind(_ arguments: StatementArguments) throws(StorageError) {
    var taken = 0
    try bind(arguments, from: &taken)
    if taken < arguments.count { throw connection.failure(SQLITE_RANGE, "there are more arguments than parameters") }
  }

  /// Binds the arguments.
  /// - Parameter taken: how many values by position earlier statements used; those used here are added.
  func bind(_ arguments: StatementArguments, from taken: inout Int) throws(StorageError) {
    let wanted = Int(sqlite3_bind_parameter_count(pointer))
    switch arguments.values {
    case .inOrder(let values):
      guard values.count - taken >= wanted else {
        throw connection.failure(SQLITE_RANGE, "there are more parameters than arguments")
      }
      for place in 0..<wanted { put(values[taken + place], Int32(truncatingIfNeeded: place + 1)) }
      taken += wanted
    case .byName(let values):
      for place in 0..<wanted {
        let place = Int32(truncatingIfNeeded: place + 1)
        let name = sqlite3_bind_parameter_name(pointer, place).map { String(cString: $0 + 1) } ?? ""
        guard let value = values[name] else {
          throw connection.failure(SQLITE_RANGE, "there is no argument for the parameter \(name)")
        }
        put(value, place)
      }
    }
  }

  private func put(_ value: (any Bindable)?, _ place: Int32) {
    if let value { value.bind(to: self, place) } else { bindNull(place) }
  }
}
