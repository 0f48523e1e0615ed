// Hostile scripts in a sandboxed state: each ends as the list of attacks says, and the next line works with its full
// memory.

import CLua
import Glibc
import Testing

@testable import LuaRuntime

/// The expected result of one script.
struct Attack: CustomTestStringConvertible {
  let testDescription: String
  let expected: Expected
  /// Nil for a file of Scripts.
  let code: String?

  enum Expected {
    case deadline, memory
    /// By a limit, of time or of memory.
    case stops
    case fails([String])
    case returns([String])
    /// Without a stop: it returns, or fails in its own way.
    case finishes
    /// In any way, provided that it ends: how depends on the speed of the machine.
    case ends
  }

  init(_ name: String, _ expected: Expected, code: String? = nil) {
    (testDescription, self.expected, self.code) = (name, expected, code)
  }

  /// Short if the script may run forever, long if it must end by itself, also on a busy machine.
  var seconds: Double {
    switch expected {
    case .deadline, .stops, .ends: 0.05
    case .memory, .fails, .returns, .finishes: 300
    }
  }
}

private let attacks: [Attack] = [
  Attack("01_loop", .deadline), Attack("02_pcall_swallow", .deadline), Attack("03_xpcall_swallow", .deadline),
  Attack("04_co_swallow", .deadline), Attack("06_gc_hook_off", .fails(["cannot have '__gc'"])),
  Attack("07_gc_at_close", .fails(["cannot have '__gc'"])), Attack("09_find_backtrack", .deadline),
  Attack("10_find_quadratic", .deadline), Attack("12_rep_empty", .returns(["0"])),
  Attack("13_rep_bomb", .fails(["resulting string too large"])), Attack("14_concat_double", .memory),
  Attack("15_table_fill", .memory), Attack("16_table_move", .fails(["too many elements to move"])),
  Attack("18_tremove_len", .fails(["too many elements to move"])),
  Attack("19_sort_len", .fails(["too many elements to sort"])), Attack("22_bytecode_load", .fails(["field 'dump'"])),
  Attack("24_string_mt_poison", .fails(["attempt to index a boolean value"])),
  Attack("25_string_mt_call", .fails(["attempt to index a boolean value"])),
  Attack("26_cg_thrash", .fails(["may only use \"count\""])), Attack("27_cg_stop", .fails(["may only use \"count\""])),
  Attack("29_err_tostring_bad", .fails(["(error object is a table value)"])), Attack("30_err_nil", .fails(["nil"])),
  Attack("31_recursion", .memory), Attack("32_cstack_gsub", .fails(["C stack overflow"])),
  Attack("33_cstack_cowrap", .fails(["C stack overflow"])), Attack("34_cstack_pcall", .returns(["true"])),
  Attack("35_xpcall_errerr", .returns(["error in error handling"])),
  Attack("37_parser_deep", .returns(["C stack overflow"])),
  Attack("38_parser_big", .returns(["chunk has more than 4 MiB"])),
  Attack("39_unpack", .fails(["too many results to unpack"])),
  Attack("40_next_mutation", .fails(["invalid key to 'next'"])), Attack("41_format_p", .returns(["no"])),
  Attack("42_tostring_addr", .returns(["no"])), Attack("43_getobjname_rec", .returns(["function"])),
  Attack("44_utf8_spurious", .fails(["invalid UTF-8 code"])), Attack("45_gsub_repl_mem", .memory),
  Attack("46_format_width", .returns(["409"])), Attack("47_math_seed_shared", .returns([""])),
  Attack("49_yield_top", .fails(["attempt to yield from outside a coroutine"])), Attack("51_error_level_mem", .memory),
  Attack("52_sort_invalid", .returns(["invalid order function"])), Attack("54_eq_long", .deadline),
  Attack("61_getobjname_env", .returns(["arithmetic on a nil value"])),
  Attack("62_getobjname_env_g", .returns(["arithmetic on a nil value"])),
  Attack("65_mem_near_limit", .memory),
]

private func script(_ name: String) throws -> [UInt8] {
  let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
  let file = try #require(fopen("/\(folder)/Scripts/\(name).lua", "r"), "Scripts/\(name).lua is missing")
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 16)
  bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
  return bytes
}

/// Returns a plugin's state as the host creates one.
private func plugin(_ seconds: Double) throws -> LuaState {
  let state = try LuaState(memoryLimit: 64 << 20, libraries: .sandboxed, seed: 7)
  state.timeLimit = seconds
  return state
}

/// Checks that the next line works, with its full memory, and that nothing of the stop remains.
private func expectUsable(_ state: LuaState) throws {
  state.timeLimit = 20
  let next = try state.load(
    "local t = {} for i = 1, 200000 do t[i] = i end local s = ('x'):rep(16000000) return #t + #s", name: "next"
  ).call()
  #expect(next.isInteger(16_200_000))
  #expect(lua_gethookmask(state.main) == 0)
  #expect(!state.isStopping)
}

@Suite struct SandboxTests {
  @Test(arguments: attacks + hostileScripts)
  func `an attack ends as listed, and the next line works`(attack: Attack) throws {
    let state = try plugin(attack.seconds)
    defer { state.close() }
    var answer = ""
    var failure: LuaError?
    do {
      let code = try attack.code.map { Array($0.utf8) } ?? script(attack.testDescription)
      answer = try state.load(code, name: attack.testDescription).call {
        lua_type($0.L, -1) == LUA_TFUNCTION
          ? "function" : try $0.kind(-1) == .text || $0.kind(-1) == .number ? $0.text(-1) : "other"
      }
    } catch let error as LuaError {
      failure = error
    }
    switch attack.expected {
    case .deadline: #expect(failure?.stopReason == .deadline, "\(String(describing: failure)) \(answer)")
    case .memory: #expect(failure?.stopReason == .memory, "\(String(describing: failure)) \(answer)")
    case .stops:
      #expect(failure?.stopReason == .deadline || failure?.stopReason == .memory, "\(String(describing: failure))")
    case .fails(let texts):
      #expect(failure?.stopReason == nil)
      for text in texts {
        #expect(failure?.description.contains(text) == true, "\(String(describing: failure)) \(answer)")
      }
    case .returns(let texts):
      #expect(failure == nil)
      for text in texts { #expect(answer.contains(text), "\(answer)") }
    case .finishes: #expect(failure?.stopReason == nil)
    case .ends: break
    }
    try expectUsable(state)
  }
}

private let folder = getenv("LUA_SUITE").map { String(cString: $0) }

private let files = [
  "api", "attrib", "big", "bitwise", "bwcoercion", "calls", "closure", "code", "constructs", "coroutine", "cstack",
  "db", "errors", "events", "files", "gc", "gengc", "goto", "literals", "locals", "main", "math", "nextvar", "pm",
  "sort", "strings", "tpack", "tracegc", "utf8", "vararg", "verybig",
]

@Suite(.enabled(if: folder != nil, "LUA_SUITE names no folder"), .serialized) struct LuaSuiteTests {
  @Test(arguments: files) func `a file of Lua's own suite passes unchanged`(name: String) throws {
    let path = try #require(folder) + "/\(name).lua"
    let state = try LuaState()
    defer { state.close() }
    #expect(chdir(try #require(folder)) == 0)
    let file = try #require(fopen(path, "r"), "\(path) is missing")
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
    if bytes.first == UInt8(ascii: "#") { bytes.replaceSubrange(0..<1, with: Array("--".utf8)) }
    try run("_port, _soft, _U, arg = true, true, true, {[0] = 'suite'}", in: state)
    do {
      try state.load(bytes, name: "\(name).lua").call([], results: 0) { _ in }
    } catch let error as LuaError {
      Issue.record("\(error)")
    }
  }
}
