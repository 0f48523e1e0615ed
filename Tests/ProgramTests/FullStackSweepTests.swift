// Every function, method and field of the Lua API, called while the Lua stack is nearly full: each call returns or
// raises an error.

import TestSupport

@Suite struct FullStackSweepTests {
  /// Reads the names of all bindings from the files of `lua-types`, and calls each with the stack filled up to each of
  /// its last slots. Skips calls that destroy objects, exit or wait.
  private static let sweep = #"""
    local function words(name)
      local file = assert(io.open(FOLDER .. "/types/" .. name .. ".lua"))
      local fields, functions = {}, {}
      for line in file:lines() do
        fields[#fields + 1] = line:match("^%-%-%-@field ([%w_]+)")
        functions[#functions + 1] = line:match("^function [%w_]+[.:]([%w_]+)%(")
      end
      file:close()
      return fields, functions
    end
    local deep = "end"
    for i = 1, 60 do deep = {deep, x = i} end
    shell.command{name = "deep", run = function() return deep end}
    local deck = decks.create("D")
    local card = deck:add{prompt = "p", answer = "a", tags = {"t"}}
    games.mode{name = "own"}
    local game = assert(games.new{mode = "own", base = "planets"})
    game.data.deep = deep
    local document = assert(documents.create{})
    local note = assert(deck:add_note{fields = {Front = "f", Back = "b"}})
    local objects = {
      note = note, note_fields = note.fields, notetype = note.type,
      deck = deck, card = card, deck_options = deck.options, game = game, document = document, element = document:add_text{text = "x"},
      lexicon = words_module.lexicon("english"), subscription = shell.on("command", function() end), cards = deck:cards(),
      mode = games.mode{name = "swept"}, text = texts.open(FOLDER .. "/text.txt", {language = "english"}), group = settings.get and select(2, pcall(settings.get, "display")), problem = nil,
    }
    local skipped = {login = true, logout = true, ask = true, confirm = true, remove = true, exit = true, fork = true, run = true,
      disable = true, enable = true, reload = true, remove_element = true, cancel = true, close = true, write = true, command = true}
    local turn = 0
    local function once() turn = turn + 1 return turn % 2 == 1 and deep or nil end
    local arguments = {{}, {"x"}, {FOLDER .. "/x", "x"}, {1, 1}, {{"plan", "net"}}, {deep, deep}, {once}, {deck}}
    local calls = {}
    local function add(object, name, isMethod)
      if skipped[name] then return end
      calls[#calls + 1] = function(n)
        local given = arguments[n % #arguments + 1]
        if isMethod then return object[name](object, given[1], given[2]) else return object[name](given[1], given[2]) end
      end
    end
    for name, module in pairs { decks = decks, notetypes = notetypes, media = media, documents = documents, words = words_module, games = games, settings = settings,
      shell = shell, files = files, texts = texts, plugins = plugins, deckhand = deckhand, auth = auth } do
      local fields, functions = words(name)
      for _, field in ipairs(fields) do calls[#calls + 1] = function() return module[field] end end
      for _, name in ipairs(functions) do add(module, name, false) end
    end
    for class, object in pairs(objects) do
      local fields, methods = words(class)
      for _, field in ipairs(fields) do
        calls[#calls + 1] = function() return object[field] end
        calls[#calls + 1] = function(n) object[field] = arguments[n % #arguments + 1][1] end
      end
      for _, name in ipairs(methods) do add(object, name, true) end
      calls[#calls + 1] = function() return tostring(object), #object end
    end
    calls[#calls + 1] = function() return shell.run("deep") end
    calls[#calls + 1] = function() return game.data end
    calls[#calls + 1] = function() for card in deck:cards() do return card.prompt end end

    local big = {}
    for i = 1, 1000000 do big[i] = false end
    local function at(n, f)
      local function filled(...) f(n) return nil end
      return pcall(function() filled(table.unpack(big, 1, n)) end)
    end
    local low, high = 1, 1000000
    while low < high do
      local middle = (low + high + 1) // 2
      if at(middle, function() end) then low = middle else high = middle - 1 end
    end
    local good, full, other = 0, 0, 0
    -- Each of the last slots, where the room that a host function asks for ends, and some before them.
    local n = low - 200
    while n <= low do
      at(n, function()
        for i = 1, #calls do
          local ok, message = pcall(calls[i], n)
          if ok then good = good + 1
          elseif tostring(message):find("stack overflow", 1, true) then full = full + 1 else other = other + 1 end
        end
      end)
      n = n + (n < low - 80 and 8 or 1)
    end
    print(#calls, good, full, other)
    """#

  @Test func `the whole Lua API works on a nearly full stack`() throws {
    let home = Home()
    try home.run("lua-types", home.path + "/types")
    try home.write("The cats sat. Dogs ran.", to: "text.txt")
    let code = "FOLDER = \"\(home.path)\" local words_module = words\n" + Self.sweep
    let script = try home.write(code, to: "sweep.lua")
    // The stack of a million slots is allocated again and again: with huge pages that takes a tenth of the time.
    let environment = home.environment + ["GLIBC_TUNABLES=glibc.malloc.hugetlb=1"]
    let run = try Child(home.words(["run", script]), environment: environment).finish(input: "")
    let counts = (run.lines.last ?? "").split(separator: "\t").compactMap { Int($0) }
    #expect(run.status == 0 && counts.count == 4, "\(run.status) \(run.output.suffix(600)) \(run.errors.suffix(600))")
    #expect(counts.count == 4 && counts[0] > 120 && counts[1] > 5_000 && counts[2] > 5_000, "\(counts)")
  }
}
