// The table that a mode stores with a game: `game.data`. Invariant: it lives in the Lua state that made the mode,
// whichever state reads it first; every other state gets a read-only copy.

import LuaRuntime
import Text
import WordGames

/// The tables of one mode's games that are in use.
final class ModeDataTable {
  private struct Entry { weak var data: LuaModeData? }
  private var entries: [Entry] = []
  /// Reports a value in a table that cannot be stored; the first one only.
  private let report: (String) -> Void
  private var hasReported = false

  init(report: @escaping (String) -> Void) { self.report = report }

  fileprivate func reportLoss(in value: LuaValue) {
    guard !hasReported, let place = value.placeOfLoss else { return }
    hasReported = true
    report(
      "game.data\(printable(place)) is not stored with the game; only UTF-8 texts, numbers, booleans, and tables of "
        + "these that do not contain themselves are")
  }

  fileprivate func add(_ data: LuaModeData) {
    entries.removeAll { $0.data == nil }
    entries.append(Entry(data: data))
  }

  /// Converts all of them to text, before their state is closed.
  func storeAll() {
    for entry in entries {
      do { _ = try entry.data?.text } catch {
        // What cannot be stored keeps its last stored text, with which the game continues.
        continue
      }
    }
  }
}

/// The table of one game, in the state of its mode.
final class LuaModeData: ModeData {
  let state: LuaState
  private let mode: String
  private let others: ModeDataTable
  /// The text that was stored before, and later the last one made from the table; used after the state is closed.
  private var stored: String?
  /// The maximum bytes of JSON, as a game is stored after each line that changes it.
  private static let limit = 8 << 20
  static let advice = "only the functions of its mode can write game.data"
  /// Made at its first use.
  private var table: LuaReference?

  init(in state: LuaState, stored: String?, mode: String, table others: ModeDataTable) {
    self.state = state
    self.stored = stored
    (self.mode, self.others) = (mode, others)
    others.add(self)
  }

  /// The table as JSON; the last stored text, or nil, if the table is not in use or its state is closed.
  var text: String? {
    get throws {
      guard let table, !state.isClosed else { return stored }
      let copy: LuaValue
      do { copy = try table.copiedWhole() } catch {
        if state.isClosed { return stored }
        throw GameError.tooMuchData(mode: mode, reason: "\(error)")
      }
      if let text = copy.storedText {
        guard text.utf8.count <= Self.limit else {
          throw GameError.tooMuchData(
            mode: mode,
            reason: "it takes \(grouped(text.utf8.count)) bytes as JSON; at most \(grouped(Self.limit)) are stored")
        }
        others.reportLoss(in: copy)
        stored = text
      }
      return stored
    }
  }

  func push(on stack: borrowing LuaStack) throws {
    let table = try opened()
    if stack.state === state {
      stack.push(table)
    } else {
      _ = try Frozen(table.copied(for: stack.state), advice: Self.advice).push(on: stack)
    }
  }

  /// A copy of the table.
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

/// `game.data` as it is passed to Lua; empty for a mode that stores nothing.
struct GameData: LuaRepresentable {
  let data: LuaModeData?

  init(data: (any ModeData)?) { self.data = data as? LuaModeData }

  func push(on stack: borrowing LuaStack) throws -> Int32 {
    if let data, !data.state.isClosed {
      try data.push(on: stack)
      return 1
    }
    return try Frozen(luaValue, advice: LuaModeData.advice).push(on: stack)
  }

  var luaValue: LuaValue { data?.value ?? .table([]) }
}
