// What a Lua state holds besides its stack: memory that C reads, and the error values that Swift may throw back into
// Lua. Invariant: what C points at lives until the state has ended.

import CLua

/// The functions and C strings that were handed to a state, which points at them as long as it lives.
struct HostEntries {
  var functions: [(object: HostFunction, context: AnyObject?, entry: UnsafeMutablePointer<dh_function>)] = []
  private var names: [UnsafeMutablePointer<CChar>] = []

  /// A C string that lives as long as the state.
  mutating func keep(_ text: String) -> UnsafeMutablePointer<CChar> {
    let bytes = text.utf8
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
    copy[bytes.count] = 0
    names.append(copy)
    return copy
  }

  /// Gives their memory back: only after the state has ended.
  mutating func deallocate() {
    for function in functions { function.entry.deallocate() }
    for name in names { name.deallocate() }
    self = HostEntries()
  }
}

/// The last few error values, stored in case Swift throws their errors on into Lua.
struct ErrorValues {
  private static let limit = 8
  private var values: [(number: Int, value: LuaReference)] = []
  private var count = 0

  /// Answers the number under which the value is found again.
  mutating func add(_ value: LuaReference) -> Int {
    count += 1
    if values.count == Self.limit { values.removeFirst() }
    values.append((count, value))
    return count
  }

  func value(_ number: Int) -> LuaReference? { values.first { $0.number == number }?.value }

  /// Forgets the values. Later ones get numbers of their own.
  mutating func removeAll() { values = [] }
}
