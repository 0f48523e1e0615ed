// JSON text as Lua data. Invariant: bounded in size and depth; what is no table is refused, as only tables are kept.

import LuaRuntime
import Values

extension LuaValue {
  /// The table in a text that `json` gave; nil for anything else.
  init?(json text: String) {
    let limits = JSONLimits(bytes: 1 << 20, depth: 64, values: 100_000, string: 1 << 20)
    do throws(JSONFailure) {
      self = LuaValue(try JSONParser.parse(Array(text.utf8), limits: limits))
    } catch {
      return nil
    }
    switch self {
    case .list, .table: return
    default: return nil
    }
  }

  private init(_ value: JSONValue) {
    switch value {
    case .null: self = .none
    case .bool(let flag): self = .boolean(flag)
    case .number(let number): self = value.integer.map { .integer($0) } ?? .number(number.value)
    case .string(let text): self = .text(text)
    case .array(let items): self = .list(items.map { LuaValue($0) })
    case .object(let object): self = .table(object.members.map { (.text($0.key), LuaValue($0.value)) })
    }
  }
}
