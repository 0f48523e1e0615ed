// Frames that take as much memory as they can: the state that they are for stays within its limit, whatever they hold.

import CLua
import Testing
import Wire

@testable import LuaRuntime

@Suite struct CrossingLimitTests {
  private static let limit = 2 << 20
  /// What may be made before room is looked for, and the state itself.
  private static let allowance = 64 << 10

  /// A value of each tag, as a frame has it.
  private static let leaves: [(name: String, bytes: [UInt8])] = [
    ("null", [tag(.null)]), ("no", [tag(.no)]), ("integer", [tag(.integer)] + bytes(of: 7)),
    ("number", [tag(.number)] + bytes(of: 0.5)), ("bytes", [tag(.bytes)] + word(3) + Array("abc".utf8)),
    ("table", table([], count: 0)), ("wide table", table([], count: 0, pairs: 62, [tag(.nothing), tag(.null)])),
    ("frozen", table([], count: 0, kind: .frozen, advice: "x")), ("problem", table([], count: 0, kind: .problem)),
    ("with metatable", table([], count: 0, kind: .withMetatable) + [UInt8](repeating: tag(.nothing), count: 5)),
    ("seen table", [tag(.seenTable)] + word(0)), ("own function", [tag(.ownFunction)] + word(1) + word(1) + [0x66]),
    ("named function", [tag(.ownFunction)] + word(1) + word(300) + [UInt8](repeating: 0x66, count: 300)),
    ("own table", [tag(.ownTable)] + word(1)), ("coroutine", [tag(.coroutine)]), ("nothing", [tag(.nothing)]),
  ]

  private static func tag(_ tag: ValueTag) -> UInt8 { tag.rawValue }
  private static func word(_ value: Int) -> [UInt8] { bytes(of: UInt32(value)) }
  private static func bytes<Number>(of value: Number) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

  private static func table(
    _ element: [UInt8], count: Int, pairs: Int = 0, _ pair: [UInt8] = [], kind: TableKind = .plain,
    advice: String? = nil
  ) -> [UInt8] {
    var frame = [tag(.table)] + word(count) + word(pairs) + [kind.rawValue]
    if let advice { frame += word(advice.utf8.count) + Array(advice.utf8) }
    for _ in 0..<count { frame += element }
    for _ in 0..<pairs { frame += pair }
    return frame
  }

  /// Tables of `width` elements, two deep, as many as it takes to hold more than the limit.
  private static func frame(of leaf: [UInt8], width: Int) -> [UInt8] {
    let one = table(table(leaf, count: width), count: width)
    let count = 1 + min(300_000 / (width * width), (4 << 20) / one.count)
    var frame = [1] + word(count)
    for _ in 0..<count { frame += one }
    return frame
  }

  @Test(arguments: [33, 62, 63, 64]) func `no frame takes a state over its limit`(_ width: Int) throws {
    for (name, leaf) in Self.leaves {
      let state = try LuaState(memoryLimit: Self.limit)
      state.register(DistantTable.type)
      let crossing = LuaCrossing(state, NoChannel(), longestFrame: 1 << 30)
      let frame = Self.frame(of: leaf, width: width)
      try state.withStack { stack in
        let failure = #expect(throws: LuaFailure.self, "\(name)") {
          try frame.withUnsafeBytes { bytes in
            var decoder = try CrossingDecoder(WireReader(bytes), stack.pointer, crossing)
            _ = try decoder.values()
          }
        }
        #expect(failure == .memory && state.memoryUsed < Self.limit + Self.allowance, "\(name): \(state.memoryUsed)")
      }
      // The next frame has the full memory.
      state.collect()
      #expect(state.memoryUsed < Self.limit / 2, "\(name): \(state.memoryUsed)")
    }
  }

  @Test func `a value that is short here and long in a frame is charged before it is written`() throws {
    let state = try LuaState(memoryLimit: Self.limit)
    let crossing = LuaCrossing(state, NoChannel(), longestFrame: 1 << 30)
    for code in [
      "local s = ('x'):rep(10000) local t = {} for i = 1, 1000 do t[i] = s end return t",
      "local t = {} for i = 1, 12000 do t[i] = {i} end return t",
    ] {
      try state.load(code, name: "test").call([]) { stack in
        let before = state.memoryUsed
        var encoder = CrossingEncoder(.values, stack.pointer, crossing)
        #expect(throws: LuaFailure.memory) { try encoder.values(from: lua_gettop(stack.pointer)) }
        #expect(before + encoder.writer.count <= Self.limit && state.memoryUsed <= Self.limit)
      }
    }
  }
}

private final class NoChannel: LuaChannel {
  func send(_ frame: [UInt8]) throws {}
  func receive(_ waiting: () throws -> Void) throws -> [UInt8] { throw WireError() }
}
