// Plain data that is passed between Lua and Swift, or between Lua states: copied, never shared. Invariant: a
// `LuaValue` refers to nothing in the state it came from; what cannot be copied is represented by its kind.

import Text
public import Values

public indirect enum LuaValue {
  case none
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  /// Lua strings are bytes; most are UTF-8.
  case bytes([UInt8])
  /// Elements 1...n of a sequence.
  case list([LuaValue])
  /// Any other table, in no particular order.
  case table([(key: LuaValue, value: LuaValue)])
  case object(any BoundObject)
  /// A value that cannot be copied: the name of its type ("function", "thread", "userdata").
  case opaque(String)

  public static func text(_ text: String) -> LuaValue { .bytes(Array(text.utf8)) }

  /// Returns a table with the named fields; nil ones are left out.
  public static func record(_ fields: KeyValuePairs<String, (any LuaRepresentable)?>) -> LuaValue {
    .table(fields.compactMap { name, value in value.map { (.text(name), $0.luaValue) } })
  }

  /// The value as text; nil unless it is a UTF-8 string that can be compared in bounded time.
  public var text: String? {
    guard case .bytes(let bytes) = self, let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return hasTooManyMarks(text) ? nil : text
  }

  /// Makes the Lua form of a plain value: records and lists both become tables.
  public init(_ value: Value) {
    self =
      switch value {
      case .null: .none
      case .boolean(let flag): .boolean(flag)
      case .integer(let number): .integer(number)
      case .number(let number): .number(number.value)
      case .text(let text): .text(text)
      case .list(let items): .list(items.map { LuaValue($0) })
      case .record(let record): .table(record.fields.map { (.text($0.name), LuaValue($0.value)) })
      }
  }

  /// The value as plain data, with fields sorted by name; nil when it contains other bytes, keys or kinds of values.
  public var plain: Value? {
    switch self {
    case .none: return .null
    case .boolean(let flag): return .boolean(flag)
    case .integer(let number): return .integer(number)
    case .number(let number): return number.isFinite ? .number(number) : nil
    case .bytes: return text.map { .text($0) }
    case .list(let elements):
      let items = elements.compactMap(\.plain)
      return items.count == elements.count ? .list(items) : nil
    case .table(let pairs):
      let fields = pairs.compactMap { pair in pair.key.text.flatMap { key in pair.value.plain.map { (key, $0) } } }
      return fields.count == pairs.count ? .record(fields.sorted { $0.0 < $1.0 }) : nil
    case .object, .opaque: return nil
    }
  }

  /// Returns the value for programs, whatever it contains: invalid UTF-8 is repaired, functions become null, keys are
  /// written as text and sorted, and `object` gives the value for a bound object.
  public func value(emptyTable: Value = .record([:]), object: (any BoundObject) -> Value) -> Value {
    switch self {
    case .none, .opaque: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(number)
    case .number(let number): .number(number)
    case .bytes(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    case .list(let items): .list(items.map { $0.value(emptyTable: emptyTable, object: object) })
    case .table(let pairs) where pairs.isEmpty: emptyTable
    case .table(let pairs):
      .record(
        pairs.map { ($0.key.fieldName, $0.value.value(emptyTable: emptyTable, object: object)) }
          .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) })
    case .object(let bound): object(bound)
    }
  }

  /// The key as JSON writes it.
  private var fieldName: String {
    switch self {
    case .integer(let number): String(number)
    case .number(let number): String(number)
    case .boolean(let flag): String(flag)
    default: text ?? "?"
    }
  }

  /// The value as JSON on one line; nil when it contains what JSON cannot represent.
  public var json: String? { plain?.json }

  public var isNone: Bool {
    if case .none = self { return true }
    return false
  }
}

/// A type that Swift can pass to Lua, and that can be read as plain data for `--json`.
public protocol LuaRepresentable {
  /// Pushes the value; returns how many Lua values that were (1, except for `LuaResults` and types that push nothing).
  /// There is room for one value; one that holds others reserves room for them, and throws when the stack is full.
  func push(on stack: borrowing LuaStack) throws -> Int32
  var luaValue: LuaValue { get }
}

/// A core object that Lua may hold. The state that receives it must have a `BoundType` for its class.
public protocol BoundObject: AnyObject, LuaRepresentable {}

extension BoundObject {
  public func push(on stack: borrowing LuaStack) -> Int32 {
    stack.push(object: self)
    return 1
  }
  public var luaValue: LuaValue { .object(self) }
}

extension Bool: LuaRepresentable {
  @inlinable public func push(on stack: borrowing LuaStack) -> Int32 {
    stack.push(self)
    return 1
  }
  public var luaValue: LuaValue { .boolean(self) }
}

extension Int: LuaRepresentable {
  @inlinable public func push(on stack: borrowing LuaStack) -> Int32 {
    stack.push(self)
    return 1
  }
  public var luaValue: LuaValue { .integer(self) }
}

extension Double: LuaRepresentable {
  @inlinable public func push(on stack: borrowing LuaStack) -> Int32 {
    stack.push(self)
    return 1
  }
  public var luaValue: LuaValue { .number(self) }
}

extension String: LuaRepresentable {
  @inlinable public func push(on stack: borrowing LuaStack) -> Int32 {
    stack.push(self)
    return 1
  }
  public var luaValue: LuaValue { .text(self) }
}

extension Optional: LuaRepresentable where Wrapped: LuaRepresentable {
  @inlinable public func push(on stack: borrowing LuaStack) throws -> Int32 {
    guard let self else {
      stack.pushNil()
      return 1
    }
    return try self.push(on: stack)
  }
  public var luaValue: LuaValue { if let value = self { value.luaValue } else { .none } }
}

extension Array: LuaRepresentable where Element: LuaRepresentable {
  public func push(on stack: borrowing LuaStack) throws -> Int32 {
    try stack.reserve(LuaStack.flatValue)
    stack.pushTable(array: count, fields: 0)
    for (offset, element) in enumerated() {
      try stack.memory.requireRoom()
      try stack.top.setElement(offset + 1, element)
    }
    return 1
  }
  public var luaValue: LuaValue { .list(map(\.luaValue)) }
}

extension LuaValue: LuaRepresentable {
  public var luaValue: LuaValue { self }

  public func push(on stack: borrowing LuaStack) throws -> Int32 {
    switch self {
    case .none: stack.pushNil()
    case .boolean(let value): stack.push(value)
    case .integer(let value): stack.push(value)
    case .number(let value): stack.push(value)
    case .bytes(let bytes): stack.push(bytes: bytes)
    case .list(let elements): return try elements.push(on: stack)
    case .table(let pairs):
      try stack.reserve(LuaStack.flatValue)
      stack.pushTable(array: 0, fields: pairs.count)
      for (key, value) in pairs {
        try stack.memory.requireRoom()
        try stack.top.setField(key, value)
      }
    case .object(let object): stack.push(object: object)
    case .opaque: stack.pushNil()
    }
    return 1
  }
}

public struct LuaResults: LuaRepresentable {
  public let values: [any LuaRepresentable]

  public init(_ values: any LuaRepresentable...) { self.values = values }

  public func push(on stack: borrowing LuaStack) throws -> Int32 {
    try stack.reserve(values.count + LuaStack.flatValue)
    return try values.reduce(0) { $0 + (try $1.push(on: stack)) }
  }
  public var luaValue: LuaValue { values.first?.luaValue ?? .none }
}

public struct LuaNothing: LuaRepresentable {
  public init() {}
  public func push(on stack: borrowing LuaStack) -> Int32 { 0 }
  public var luaValue: LuaValue { .none }
}

/// A list or a table, returned by a field: it can be read; writing at its top level raises `advice`.
public struct Frozen<Content: LuaRepresentable>: LuaRepresentable {
  private let content: Content
  private let advice: String

  public init(_ content: Content, advice: String) { (self.content, self.advice) = (content, advice) }

  public func push(on stack: borrowing LuaStack) throws -> Int32 {
    let count = try content.push(on: stack)
    if stack.kind(-1) == .table { stack.top.freeze(advice: advice) }
    return count
  }
  public var luaValue: LuaValue { content.luaValue }
}
