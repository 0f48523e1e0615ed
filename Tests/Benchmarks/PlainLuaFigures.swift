// Plain Lua in Deckhand compared with Debian's `lua5.4`: the same code in both programs, each from start to exit.
// Invariant: a round is long enough to make the programs' start-up negligible.

enum PlainLuaFigures {
  /// Each code snippet loops `n` times; `n` is a local variable.
  private static let codes: [(title: String, wanted: Double, count: Int, code: String)] = [
    (
      "calls", 1.05, 1000,
      "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end for i = 1, n do fib(20) end"
    ),
    ("loops", 1.05, 100_000_000, "local x = 0 for i = 1, n do x = x + i % 7 end"),
    ("closures", 1.05, 6_000_000, "for i = 1, n do local function f() return i end f() end"),
    ("tables", 1.05, 400_000, "for i = 1, n do local t = {} for j = 1, 20 do t[j] = j end t.a, t.b = 1, 2 end"),
    (
      "sort", 1.05, 100_000,
      "local s = 42 for r = 1, 4 do local t = {} for i = 1, n do s = (s * 1103515245 + 12345) % 2147483648 t[i] = s end "
        + "table.sort(t) end"
    ),
    ("pcall", 1.05, 8_000_000, "local function f(x) return x end for i = 1, n do pcall(f, i) end"),
    ("xpcall", 1.2, 5_000_000, "local function f(x) return x end for i = 1, n do xpcall(f, print, i) end"),
    (
      "coroutines", 1.2, 5_000_000,
      "local co = coroutine.wrap(function() while true do coroutine.yield(1) end end) for i = 1, n do co() end"
    ),
  ]

  /// - Parameter deckhand: the program.
  static func all(_ deckhand: String) -> [Figure] {
    codes.compactMap { title, wanted, count, code in
      let code = "local n = \(sized(count)) \(code)"
      return compare("plain Lua against lua5.4: \(title)", wanted: wanted, rounds: 9, scale: 1e3, unit: "ms") {
        seconds(ofRunning: deckhand, ["--data", "/tmp/deckhand-bench/none", "--no-plugins", "--no-init", "-e", code])
      } reference: {
        seconds(ofRunning: "lua5.4", ["-e", code])
      }
    }
  }
}
