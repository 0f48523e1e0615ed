// Lua sources of `build` through the built program: their limits, and where they run.

import Glibc
import TestSupport
import Testing

@Suite struct GeneratorTests {
  private let home: Home

  init() throws {
    home = Home()
    mkdir(home.path + "/es", 0o700)
  }

  private func build(_ code: String, _ more: String...) throws -> Run {
    try home.write(code, to: "es/made.lua")
    return try home.run(["build", home.path + "/es"] + more)
  }

  @Test(arguments: [
    "card{prompt = 'p', answer = 'a'} while true do end",
    "for i = 1, 1e9 do card{prompt = 'p' .. i, answer = 'a'} end",
    "while true do pcall(read, 'made.lua') end",
  ]) func `a time limit that passes is told as such, and nothing is built`(_ code: String) throws {
    let run = try build(code, "--seconds", "1")
    #expect(run.status == 1 && run.errors.contains("made.lua"), "\(run)")
    #expect(run.errors.contains("time limit has passed (1 s; `build --seconds N` sets it)"), "\(run)")
    #expect(try home.run("--json", "deck", "list").output.isEmpty)
  }

  @Test func `a source runs in a process of its own, or not at all`() throws {
    let code = "card{prompt = 'reach', answer = tostring(io) .. tostring(os.execute) .. read('made.lua'):sub(1, 4)}"
    #expect(try build(code).output.contains("1 added"))
    #expect(try home.run("-e", "decks.open('es'):card(1).answer").output.contains("nilnilcard"))
    // Without the program that confines it, it does not run.
    let alone = home.path + "/deckhand"
    #expect(Child.copy(builtProgram("deckhand"), to: alone))
    let words = [alone, "--data", home.path + "/other", "build", home.path + "/es"]
    let run = try Child(words, environment: home.environment).finish(input: "")
    #expect(run.status == 1 && run.errors.contains("made.lua: it cannot run in a process of its own"), "\(run)")
  }
}
