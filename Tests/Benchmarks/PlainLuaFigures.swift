// Plain Lua in Deckhand against Debian's `lua5.4`: the same code in both programs, each from its start to its end.
// Invariant: a round is long enough that the programs' starts do not count.

enum PlainLuaFigures {
  private static let codes: [(title: String, wanted: Double, code: String)] = [
    ("calls", 1.05, "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end fib(34)"),
    ("loops", 1.05, "local x = 0 for i = 1, 1e8 do x = x + i % 7 end"),
    ("closures", 1.05, "for i = 1, 6e6 do local function f() return i end f() end"),
    ("tables", 1.05, "for i = 1, 4e5 do local t = {} for j = 1, 20 do t[j] = j end t.a, t.b = 1, 2 end"),
    (
      "sort", 1.05,
      "local s = 42 for r = 1, 4 do local t = {} for i = 1, 1e5 do s = (s * 1103515245 + 12345) % 2147483648 t[i] = s end "
        + "table.sort(t) end"
    ),
    ("pcall", 1.05, "local function f(x) return x end for i = 1, 8e6 do pcall(f, i) end"),
    ("xpcall", 1.2, "local function f(x) return x end for i = 1, 5e6 do xpcall(f, print, i) end"),
    (
      "coroutines", 1.2,
      "local co = coroutine.wrap(function() while true do coroutine.yield(1) end end) for i = 1, 5e6 do co() end"
    ),
  ]

  /// - Parameter deckhand: the program.
  static func all(_ deckhand: String) -> [Figure] {
    codes.compactMap { title, wanted, code in
      compare("plain Lua against lua5.4: \(title)", wanted: wanted, rounds: 9, scale: 1e3, unit: "ms") {
        seconds(ofRunning: deckhand, ["--data", "/tmp/deckhand-bench/none", "--no-plugins", "--no-init", "-e", code])
      } reference: {
        seconds(ofRunning: "lua5.4", ["-e", code])
      }
    }
  }
}
