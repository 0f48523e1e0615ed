// Functions of Lua's libraries that the host replaces with its own versions in C: patterns, strings, tables, utf8,
// os.date. An input names one of them and its arguments. Invariant: each returns the same as the Lua function it
// replaces, errors included.

import CLua
import FuzzDriver
import LuaRuntime

func lua() throws -> FuzzTarget {
  let plain = PlainState()
  let state = try LuaState(memoryLimit: 64 << 20, libraries: .full, seed: 1)
  state.timeLimit = 5
  plain.run(prelude)
  _ = try state.load(prelude, name: "call").call()
  return FuzzTarget("lua") { bytes in
    var input = CallInput(bytes)
    guard let call = input.call() else { return }
    let expected = plain.run(call)
    let answer = try state.load(call, name: "call").call()
    guard let expected, case .bytes(let bytes) = answer else { return hold(false, "\(call)\nanswers no text") }
    hold(bytes == expected, "\(call)\nanswers \(told(bytes)), Lua \(told(expected))")
  }
}

private func told(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Runs first in both states: `answer` shows values as a string; the other functions wrap those that take functions or
/// change a table, so that plain arguments suffice.
private let prelude = """
  local function shown(value)
    if type(value) == "string" then return '"' .. value .. '"' end
    if type(value) == "number" then return math.type(value) .. ":" .. tostring(value) end
    if type(value) ~= "table" then return tostring(value) end
    local items = ""
    for i = 1, #value do items = items .. shown(value[i]) .. "," end
    return "{" .. items .. "}"
  end
  function answer(...)
    local values = ""
    for i = 1, select("#", ...) do values = values .. shown((select(i, ...))) .. ";" end
    return values
  end
  local function shown_list(...) return answer(...) end
  function all_matches(...)
    local found = {}
    for a, b in string.gmatch(...) do
      found[#found + 1] = shown_list(a, b)
      if #found > 100 then break end
    end
    return found
  end
  function replaced_by_calls(subject, pattern, limit)
    local calls = {}
    local result, count = string.gsub(subject, pattern, function(...)
      calls[#calls + 1] = shown_list(...)
      if #calls % 3 == 1 then return "<" .. #calls .. ">" end
      return #calls % 3 == 2 and #calls
    end, limit)
    return result, count, calls
  end
  function replaced_by_table(subject, pattern, from, to, limit)
    return string.gsub(subject, pattern, { [from or 1] = to, a = 1, [""] = "empty", [1] = false }, limit)
  end
  function all_codes(...)
    local found = {}
    for place, code in utf8.codes(...) do found[#found + 1] = place; found[#found + 1] = code end
    return found
  end
  function inserted(list, ...) table.insert(list, ...); return list end
  function removed(list, ...) local item = table.remove(list, ...); return item, list end
  function moved(list, ...) local other = table.move(list, ...); return other, list end
  function sorted(list) table.sort(list); return list end
  function sorted_by_text(list)
    table.sort(list, function(a, b) return shown(a) < shown(b) end)
    return list
  end
  function date(format, time, isLong)
    time = math.type(time) == "integer" and time or 0
    if not isLong then return os.date(format, time) end
    format = string.rep("x", 1015) .. format .. string.rep("%d", 600) .. format
    local ok, told = pcall(function() return os.date(format, time) end)
    -- A message quotes the rest of the format, or of the part that is worked on.
    return ok, ok and told or string.match(told, "^.*invalid conversion specifier") or told
  end
  """

/// A state as lua(1) has it.
private final class PlainState {
  private let state: OpaquePointer

  init() {
    guard let state = luaL_newstate() else { preconditionFailure("there is no memory for a state") }
    self.state = state
    luaL_openlibs(state)
  }

  /// Returns the string that a chunk returns.
  @discardableResult func run(_ text: String) -> [UInt8]? {
    defer { lua_settop(state, 0) }
    let status = luaL_loadbufferx(state, text, text.utf8.count, "=call", "t")
    hold(status == LUA_OK, "\(text) is no chunk")
    guard lua_pcallk(state, 0, 1, 0, 0, nil) == LUA_OK else { return nil }
    var count = 0
    guard let bytes = lua_tolstring(state, -1, &count) else { return nil }
    return UnsafeBufferPointer(start: bytes, count: count).map { UInt8(bitPattern: $0) }
  }
}

/// The bytes of an input, parsed as a call: the function, then its arguments, each preceded by a byte for its kind.
private struct CallInput {
  private var rest: ArraySlice<UInt8>
  /// Whether the function's time or memory depends on its numeric arguments.
  private var hasSmallNumbers = false

  private enum Care { case none, smallNumbers, pattern, format, packing }

  private static let functions: [(name: String, care: Care)] = [
    ("string.find", .pattern), ("string.match", .pattern), ("string.gsub", .pattern), ("all_matches", .pattern),
    ("replaced_by_calls", .pattern), ("replaced_by_table", .pattern), ("string.rep", .smallNumbers),
    ("string.lower", .none), ("string.upper", .none), ("string.reverse", .none), ("string.format", .format),
    ("string.pack", .packing), ("string.unpack", .packing), ("string.packsize", .packing), ("table.concat", .none),
    ("inserted", .none), ("removed", .none), ("moved", .smallNumbers), ("sorted", .none), ("sorted_by_text", .none),
    ("utf8.len", .none), ("utf8.offset", .none), ("all_codes", .none), ("date", .none),
  ]

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Returns the chunk that makes the call and shows its result; nil if that may take too long or legitimately
  /// differs.
  mutating func call() -> String? {
    guard let first = rest.popFirst() else { return nil }
    let function = Self.functions[Int(first) % Self.functions.count]
    hasSmallNumbers = function.care == .smallNumbers
    var arguments = ""
    var texts: [[UInt8]] = []
    while !rest.isEmpty, texts.count < 8 {
      var text: [UInt8] = []
      arguments += ", " + value(&text, isNested: function.care == .format)
      texts.append(text)
    }
    guard Self.isBounded(texts, function.care) else { return nil }
    return "return answer(pcall(\(function.name)\(arguments)))"
  }

  private static func isBounded(_ texts: [[UInt8]], _ care: Care) -> Bool {
    switch care {
    // Nested repetitions try all combinations.
    case .pattern: texts.count < 2 || texts[1].count { "*+-".utf8.contains($0) } < 5
    // Addresses differ between states.
    case .format: !(texts.first?.contains(UInt8(ascii: "p")) ?? false)
    case .packing:
      !texts.prefix(1).contains { text in
        text.split(whereSeparator: { !("0"..."9").contains(Character(UnicodeScalar($0))) }).contains { $0.count > 3 }
      }
    case .none, .smallNumbers: true
    }
  }

  private mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Returns a Lua literal; the bytes of a string are also stored in `text`.
  private mutating func value(_ text: inout [UInt8], isNested: Bool = false) -> String {
    switch byte() % 8 {
    case 0: return "nil"
    case 1: return byte() % 2 == 0 ? "true" : "false"
    case 2 where !hasSmallNumbers: return Self.numbers[Int(byte()) % Self.numbers.count]
    case 2, 3: return "\(Int8(bitPattern: byte()))"
    case 4 where !hasSmallNumbers: return "\(Double(Int8(bitPattern: byte())) / 4)"
    case 5 where !isNested:
      return "{" + (0..<Int(byte() % 12)).map { _ in value(&text, isNested: true) }.joined(separator: ", ") + "}"
    default:
      let count = min(Int(byte() % 48), rest.count)
      text = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      // A string of digits is a large number to a function that expects one.
      if hasSmallNumbers { text = text.map { (48...57).contains($0) ? $0 + 49 : $0 } }
      return "\"" + text.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
    }
  }

  private static let numbers = [
    "math.mininteger", "math.maxinteger", "1 << 31", "(1 << 31) - 1", "-(1 << 31)", "1 << 32", "1 << 53", "0/0",
    "1/0", "-1/0", "-0.0", "1e308", "0x1p-1074", "2^53", "2^63", "0.1", "0x10FFFF", "0x110000", "0x7FFFFFFF", "0xD800",
  ]
}
