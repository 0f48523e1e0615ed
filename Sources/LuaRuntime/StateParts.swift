// What a Lua state holds in addition to its stack: memory that C reads, and error values that Swift may throw back
// into Lua. Invariant: memory that C points to lives until the state has been freed.

import CLua

/// The functions and C strings that were passed to a state, which points to them as long as it lives.
struct HostEntries {
  var functions: [(object: HostFunction, context: AnyObject?, entry: UnsafeMutablePointer<dh_function>)] = []
  private var names: [UnsafeMutablePointer<CChar>] = []

  /// Returns a C string that lives as long as the state.
  mutating func store(_ text: String) -> UnsafeMutablePointer<CChar> {
    let bytes = text.utf8
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
    copy[bytes.count] = 0
    names.append(copy)
    return copy
  }

  /// Frees the memory; call it only after the state has been freed.
  mutating func deallocate() {
    for function in functions { function.entry.deallocate() }
    for name in names { name.deallocate() }
    self = HostEntries()
  }
}

/// The last few error values, stored in case Swift rethrows their errors into Lua.
struct ErrorValues {
  private static let limit = 8
  private var values: [(number: Int, value: LuaReference)] = []
  private var count = 0

  /// Returns the number by which the value can be found.
  mutating func add(_ value: LuaReference) -> Int {
    count += 1
    if values.count == Self.limit { values.removeFirst() }
    values.append((count, value))
    return count
  }

  func value(_ number: Int) -> LuaReference? { values.first { $0.number == number }?.value }

  /// Removes the values. Numbers are not reused.
  mutating func removeAll() { values = [] }
}
