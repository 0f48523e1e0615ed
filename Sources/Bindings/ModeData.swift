// The table that a mode keeps with a game: `game.data`. Invariant: it lives in the Lua state that made the mode,
// whoever reads it first; every other state gets a copy that it cannot write to.

import LuaRuntime
import WordGames

/// The table of one game, in the state of its mode.
final class LuaModeData: ModeData {
  private let state: LuaState
  /// What was stored before, and later what was last made of the table: for when the state is gone.
  private var stored: String?
  static let advice = "game.data is written by the functions of its mode only"
  /// Whether its state is there.
  var isLive: Bool { !state.isClosed }
  /// Made at the first use.
  private var table: LuaReference?

  init(in state: LuaState, stored: String?) {
    self.state = state
    self.stored = stored
  }

  /// As JSON; nil while nothing uses it.
  var text: String? {
    guard let table, !state.isClosed, case let copy = table.copied(), !state.isClosed else { return stored }
    // What could not be copied now leaves what was stored before.
    if let text = copy.storedText { stored = text }
    return stored
  }

  func push(on stack: borrowing LuaStack) throws {
    let table = try opened()
    if stack.state === state {
      stack.push(table)
    } else {
      _ = try FrozenValue(table.copied(for: stack.state), advice: Self.advice).push(on: stack)
    }
  }

  /// A copy.
  var value: LuaValue {
    if let table, !state.isClosed { return table.copied() }
    return stored.flatMap(LuaValue.init(stored:)) ?? .table([])
  }

  private func opened() throws -> LuaReference {
    if let table { return table }
    let fresh = try state.makeTable(stored.flatMap(LuaValue.init(stored:)) ?? .none)
    table = fresh
    return fresh
  }
}

/// `game.data` on its way to Lua; empty for a mode that keeps nothing.
struct GameData: LuaRepresentable {
  let data: LuaModeData?

  init(data: (any ModeData)?) { self.data = data as? LuaModeData }

  func push(on stack: borrowing LuaStack) throws -> Int32 {
    if let data, data.isLive {
      try data.push(on: stack)
      return 1
    }
    return try FrozenValue(luaValue, advice: LuaModeData.advice).push(on: stack)
  }

  var luaValue: LuaValue { data?.value ?? .table([]) }
}
