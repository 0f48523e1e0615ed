// A plugin's total memory, in Lua's heap and in the program's, through the built program.

import Glibc
import TestSupport

@Suite struct MemoryTests {
  private static let everything = """
    ["decks.read", "decks.write", "documents.read", "documents.write", "words", "texts", "games", "study", "settings", "shell", "shell.run", \
    "files.read:FOLDER"]
    """

  private let home = Home()

  init() throws {
    try home.write("paper\napple\npear\nape\nreap\nrape\npea\npap\ntea\n", to: "list.txt")
  }

  /// The program holds what an isolated plugin passes twice: as the object made of it, and in the frame it arrived in.
  @Test(arguments: [([], 160), (["--no-isolate"], 128)])
  func `no function, method or field drives the program far over a plugin's limit`(
    _ place: [String], _ mebibytes: Int
  ) throws {
    #expect(try home.run("lua-types", home.path + "/types").status == 0)
    try home.plugin(
      "fuzz", permissions: Self.everything.replacing("FOLDER", with: home.path), manifest: #""load": "startup""#,
      Self.fuzz.replacing("FOLDER", with: home.path))
    #expect(try home.run(["plugin", "enable", "fuzz", "--grant"] + place).status == 0)
    #expect(try home.run("plugin", "limit", "fuzz", "--seconds", "1").status == 0)
    let driver = Self.driver.replacing("peak > 128", with: "peak > \(mebibytes)")
    let run = try home.run("run", home.write(driver, to: "drive.lua"))
    let told = run.errors.split(separator: "\n").filter { $0.hasPrefix("case ") || $0.hasPrefix("tried ") }
    #expect(told.count == 1 && told.first?.hasPrefix("tried ") == true, "\(run.errors.suffix(4000))")
  }

  @Test(arguments: [
    "shell.on('command', function() end)", "shell.alias('a' .. n, 'deck list')",
    "kept[n] = games.new { lexicon = list, base = 'paper' } kept[n]:possible()", "kept[n] = deck:cards() kept[n]()",
    "kept[n] = shell.progress('label' .. n)", "kept[n] = words.load('FOLDER/list.txt', { language = 'english' })",
    "kept[n] = list:words() kept[n]()", "kept[n] = document.elements", "kept[n] = deck.options",
    "shell.command { name = 'c' .. n, summary = ('s'):rep(1000), run = function() end }",
    "kept[n] = documents.create {}", "kept[n] = deck:study { mode = 'sprint' }",
  ])
  func `what a plugin keeps in the program counts towards its limit`(act: String) throws {
    try home.plugin(
      "keeper", permissions: Self.everything.replacing("FOLDER", with: home.path), manifest: #""load": "startup""#,
      """
      shell.command { name = "keep", summary = "x", run = function()
        local kept, n = {}, 0
        local list = words.load("FOLDER/list.txt", { language = "english" })
        local deck, document = assert(decks.create("d")), documents.create {}
        deck:add { prompt = "p", answer = "a" }
        document:add_text { text = "x" }
        while true do
          n = n + 1
          \(act)
        end
      end }
      """.replacing("FOLDER", with: home.path))
    try home.enable("keeper")
    let script = """
      pcall(shell.run, "keep")
      for line in io.lines("/proc/self/status") do print(line:match("^VmHWM:%s+(%d+)") or "") end
      """
    let peak = try home.lua(script).lines.compactMap { Int($0) }.first
    #expect((peak ?? Int.max) < 128 << 10)
  }

  @Test func `a session of many cards that can undo a thousand answers holds its cards once`() throws {
    let script = """
      local deck = decks.create("d")
      local n = 0
      deck:add_all(function() n = n + 1 if n <= 30000 then return { prompt = "p" .. n, answer = "a" } end end)
      local session = deck:study { cram = true, schedule = false }
      for i = 1, 1000 do assert(session:answer("again")) end
      for i = 1, 3 do assert(session:undo()) end
      print(session.remaining, session.wrong, session.card.prompt)
      for line in io.lines("/proc/self/status") do print(line:match("^VmHWM:%s+(%d+)") or "") end
      """
    let run = try home.lua(script)
    #expect(run.lines.first == "30000\t997\tp998", "\(run.errors)")
    #expect((run.lines.compactMap { Int($0) }.first ?? Int.max) < 200 << 10)
  }

  @Test func `a loop over the lines of many files leaves no descriptor open`() throws {
    let run = try home.lua(
      """
      local last
      for i = 1, 3000 do last = files.lines("\(home.path)/list.txt") last() end
      for i = 1, 200 do for line in files.lines("\(home.path)/list.txt") do break end end
      local ok, why = pcall(function()
        local kept = {}
        for i = 1, 3000 do kept[i] = files.lines("\(home.path)/list.txt") end
      end)
      print(ok, why)
      print(#decks.list())
      """)
    #expect(run.lines.first?.contains("100 files are open") == true, "\(run.errors)")
    #expect(run.lines.last == "0")
  }
}
