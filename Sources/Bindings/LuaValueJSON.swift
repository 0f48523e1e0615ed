// JSON text as Lua data. Invariant: bounded in size and depth; what is no table is refused, as only tables are stored.

import LuaRuntime
import Values

extension LuaValue {
  /// The table in a text that `json` gave; nil for anything else.
  init?(json text: String) {
    let limits = JSONLimits(bytes: 1 << 20, depth: 64, values: 100_000, string: 1 << 20)
    do throws(JSONFailure) {
      let value = try JSONParser.parse(Array(text.utf8), limits: limits)
      guard value.list != nil || value.record != nil else { return nil }
      self.init(value)
    } catch {
      return nil
    }
  }
}
