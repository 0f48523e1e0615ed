// Lua's own test suite in a user's state. It is not part of this repository: LUA_SUITE names the folder `testes` of
// lua/lua at tag v5.4.4, which should also be the working folder; without it these tests are skipped.

import Glibc
import LuaRuntime
import Testing

private let folder = getenv("LUA_SUITE").map { String(cString: $0) }

private let files = [
  "api", "attrib", "big", "bitwise", "bwcoercion", "calls", "closure", "code", "constructs", "coroutine", "cstack",
  "db",
  "errors", "events", "files", "gc", "gengc", "goto", "literals", "locals", "main", "math", "nextvar", "pm", "sort",
  "strings", "tpack", "tracegc", "utf8", "vararg", "verybig",
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
