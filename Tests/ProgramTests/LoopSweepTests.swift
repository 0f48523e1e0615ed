// Every function and field that a plugin can reach, called in an endless loop: the plugin's limits end each loop.
// Invariant: the test measures processor time, which does not grow on a busy machine, and the peak of memory.

import TestSupport

@Suite struct LoopSweepTests {
  private static let limit = 0.1
  /// Processor time that a loop may take beyond the limit, for the call under way when the limit was reached.
  private static let allowance = 1.0

  /// Mebibytes that the plugin may use, and that the program may use for it.
  private static let (memory, peak) = (128, 320)

  /// Calls all bindings with cheap arguments, most of them wrong. Skips what a plugin cannot reach and what would end
  /// the plugin.
  private static let plugin = #"""
    local function names(path)
      local fields, functions = {}, {}
      for line in assert(files.read(path)):gmatch("[^\n]+") do
        fields[#fields + 1] = line:match("^%-%-%-@field ([%w_]+)")
        functions[#functions + 1] = line:match("^function [%w_]+[.:]([%w_]+)%(")
      end
      return fields, functions
    end
    local arguments = {{}, {"x"}, {1, 1}, {{"plan"}}, {function() end}}
    local loops, order = {}, {}
    local function add(name, call) loops[name] = call order[#order + 1] = name end
    local function each(class, object, isMethod)
      local fields, functions = names(FOLDER .. "/types/" .. class .. ".lua")
      for _, field in ipairs(fields) do add(class .. "." .. field, function() return object[field] end) end
      for _, name in ipairs(functions) do
        add(class .. ":" .. name, function(n)
          local given = arguments[n % #arguments + 1]
          if isMethod then return object[name](object, given[1], given[2]) end
          return object[name](given[1], given[2])
        end)
      end
    end
    local tries = 0
    local function gather()
      loops, order, tries = {}, {}, tries + 1
      for name, module in pairs { decks = decks, notetypes = notetypes, media = media, documents = documents, words = words,
        games = games, settings = settings, shell = shell, files = files, texts = texts, deckhand = deckhand } do
        each(name, module)
      end
      local deck = decks.create("Swept" .. tries)
      local card = deck:add{prompt = "p", answer = "a"}
      local note = assert(deck:add_note{fields = {Front = "f", Back = "b"}})
      local document = assert(documents.create{})
      local lexicon = assert(words.lexicon("english"))
      for class, object in pairs { deck = deck, card = card, note = note, notetype = note.type, lexicon = lexicon,
        deck_options = deck.options, document = document, text = assert(texts.open(FOLDER .. "/text.txt", {language = "english"})),
         element = document:add_text{text = "x"},
        game = assert(games.new{base = "planets", language = "english"}) } do each(class, object, true) end
      add("asked", function() return shell.ask("x") or shell.confirm("y") end)
      add("compiled", function() return words.lexicon("english") end)
      add("unknown", function() return words.lexicon("klingon") end)
      add("defined", function(n) return lexicon:define("a" .. n) end)
      local kept = {}
      add("opened", function(n) kept[n] = texts.open(FOLDER .. "/text.txt", {language = "english"}) end)
      add("run", function() return shell.run("word check x") end)
    end
    shell.command{name = "gather", summary = "x", run = function() gather() return order end}
    shell.command{name = "loop", summary = "x", arguments = {"NAME"}, run = function(args)
      local call = loops[args[1]]
      for n = 1, 1e15 do pcall(call, n) end
    end}
    """#

  /// Runs each loop, and prints the processor time and the peak of memory of those that took too much.
  private static let script = #"""
    local count, isWhole, order = 0
    -- On a busy machine it may take longer than a plugin may.
    for _ = 1, 20 do
      isWhole, order = pcall(shell.run, "gather")
      if isWhole and order then break end
    end
    for _, name in ipairs(order) do
      local start = os.clock()
      local peak = assert(io.open("/proc/self/clear_refs", "w"))
      peak:write("5")
      peak:close()
      local isWhole, done, problem = pcall(shell.run, "loop " .. name)
      count = count + 1
      local time = os.clock() - start
      for line in io.lines("/proc/self/status") do peak = tonumber(line:match("^VmHWM:%s+(%d+)")) or peak end
      if time > MOST or peak > PEAK or isWhole and done then print(name, time, peak, tostring(problem)) end
    end
    print("loops", count)
    """#

  @Test func `a loop of any call ends at the plugin's limit`() throws {
    let home = Home()
    try home.run("lua-types", home.path + "/types")
    try home.write(String(repeating: "The cats sat on 7 mats. ", count: 500), to: "text.txt")
    #expect(try home.run("word", "check", "x").status < 2)
    let rights = [
      "decks.read", "decks.write", "documents.read", "documents.write", "words", "games", "study", "settings", "shell",
      "shell.run", "texts", "files.read:\(home.path)", "files.write:\(home.path)/written",
    ]
    try home.plugin(
      "loops", permissions: "[\(rights.map { "\"\($0)\"" }.joined(separator: ", "))]",
      manifest: #""commands": ["gather", "loop"]"#, "local FOLDER = \"\(home.path)\"\n" + Self.plugin)
    #expect(try home.run("plugin", "enable", "loops", "--grant").status == 0)
    #expect(
      try home.run("plugin", "limit", "loops", "--seconds", "\(Self.limit)", "--memory", "\(Self.memory)").status == 0)
    let bounds = "local MOST, PEAK = \(Self.limit + Self.allowance), \(Self.peak << 10)\n"
    let script = try home.write(bounds + Self.script, to: "loops.lua")
    let run = try home.run("run", script)
    let count = run.lines.last.flatMap { Int($0.split(separator: "\t").last ?? "") } ?? 0
    // The loops' own output has no tabs.
    let reports = run.lines.filter { $0.contains("\t") }
    #expect(run.status == 0 && reports.count == 1 && count > 150, "\(reports) \(run.errors.suffix(600))")
  }
}
