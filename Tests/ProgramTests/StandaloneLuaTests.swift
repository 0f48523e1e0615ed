// `deckhand lua` beside lua(1): the same output, messages and status for every option, and Lua's own test of its
// interpreter. That is not part of this repository: LUA_SUITE names the folder `testes` of lua/lua at tag v5.4.4;
// without it the one test is skipped.

import Glibc
import TestSupport
import Testing

private let suite = getenv("LUA_SUITE").map { String(cString: $0) }
private let reference = "/usr/bin/lua5.4"

@Suite struct StandaloneLuaTests {
  private static let script = "print(arg[0], arg[1], arg[-1], ...) warn('careful') return 5"

  /// Arguments, input and environment of a run.
  private static let runs: [(arguments: [String], input: String, environment: [String])] = [
    (["-v"], "", []), (["-v", "-e", "print(1)"], "", []), (["-e", "print(1)", "-eprint(2)"], "", []),
    (["-e", "x = 5", "-i"], "x\nx +\n1\n=x, nil\nerror{}\n", []), (["-i"], "", []), (["-i"], "print(1)", []),
    (["-i", "s.lua", "a"], "#arg\n", []), (["-l", "math", "-e", "print(math.pi)"], "", []),
    (["-lm=math", "-e", "print(m.pi)"], "", []), (["-l", "nothing_here"], "", []),
    (["-E", "-e", "print(package.path)"], "", ["LUA_PATH=x;;", "LUA_INIT=error('x')"]),
    (["-e", "print(package.path)"], "", ["LUA_PATH=x;;"]), (["-W", "s.lua"], "", []), (["s.lua", "-v"], "", []),
    (["-", "a", "b"], "print(...)", []), (["--", "s.lua", "x"], "", []), (["--"], "print('in')", []),
    ([], "print('in', ...)", []), (["-"], "syntax error here", []), (["nobody.lua"], "", []),
    (["-e", "error('text')"], "", []), (["-e", "error({})"], "", []), (["-e", "error()"], "", []),
    (["-e", "error(setmetatable({}, {__tostring = function() return 'mine' end}))"], "", []),
    (["-e", "os.exit(3)"], "", []), (["-e", "os.exit(false)"], "", []), (["-e", "local x <close> = nil"], "", []),
    (["-x"], "", []), (["-vv"], "", []), (["---"], "", []), (["-e"], "", []), (["-l"], "", []), (["-Ex"], "", []),
    (["-e", "print(arg[0], arg[-1], #arg)", "s.lua", "1"], "", []), (["s.lua"], "", ["LUA_INIT=X = 1 print(X)"]),
    (["-e", "print(1)"], "", ["LUA_INIT_5_4=print('newer')", "LUA_INIT=print('older')"]),
    (["-e", "print(1)"], "", ["LUA_INIT=@init.lua"]), (["-e", "print(1)"], "", ["LUA_INIT=@missing.lua"]),
    (["-e", "print(1)"], "", ["LUA_INIT=error('bad')"]), (["-e", "arg = nil", "s.lua"], "", []),
  ]

  @Test(.enabled(if: access(reference, X_OK) == 0), arguments: runs.indices)
  func `each option does what lua5.4 does`(index: Int) throws {
    let run = Self.runs[index]
    let home = try Home()
    try home.write(Self.script, to: "s.lua")
    try home.write("print('init')", to: "init.lua")
    func result(_ program: [String]) throws -> Run {
      let words = (program + run.arguments).map { "'" + $0.replacing("'", with: "'\\''") + "'" }
      let child = try Child(
        ["/bin/sh", "-c", "cd '\(home.path)' && exec " + words.joined(separator: " ")],
        environment: home.environment + run.environment)
      return try child.finish(input: run.input)
    }
    func named(_ text: String) -> String {
      text.replacing(reference, with: "lua").replacing("lua5.4", with: "lua")
        .replacing(#/table: 0x[0-9a-f]+/#, with: "table: 0x")
    }
    let (mine, theirs) = (try result(home.words(["lua"])), try result([reference]))
    #expect(mine.status == theirs.status, "\(run) \(mine) \(theirs)")
    #expect(named(mine.output) == named(theirs.output), "\(run)")
    #expect(named(mine.errors) == named(theirs.errors), "\(run)")
  }

  @Test(.enabled(if: suite != nil)) func `Lua's own test of its interpreter passes`() throws {
    let home = try Home()
    let program = try home.write(
      "#!/bin/sh\nexec '\(builtProgram("deckhand"))' lua \"$@\"\n", to: "lua")
    #expect(chmod(program, 0o700) == 0)
    let folder = try #require(suite)
    try home.write(try #require(contents(of: folder + "/main.lua")), to: "main.lua")
    let child = try Child(
      ["/bin/sh", "-c", "cd '\(home.path)' && exec ./lua main.lua"],
      environment: home.environment.filter { !$0.hasPrefix("PATH=") } + ["PATH=\(home.path):/usr/bin:/bin"])
    let run = try child.finish(input: "")
    #expect(run.status == 0 && run.output.hasSuffix("OK\n"), "\(run)")
  }
}
