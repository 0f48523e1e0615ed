// Plugins through the built program. What plugin authors get: a template, tests, types.

import Glibc
import TestSupport

@Suite struct PluginAuthoringTests {
  private let home = Home()

  @Test func `the files of lua-types name each argument, and mark the optional ones`() throws {
    #expect(try home.run("lua-types", home.path + "/types").status == 0)
    let stubs = text(of: home.path + "/types/deck.lua")
    for line in [
      "---@param query? string\n", "---@param position integer\n", "function deck:cards(query) end\n",
      "function deck:card(position) end\n",
    ] { #expect(stubs.contains(line), "\(line)") }
    #expect(text(of: home.path + "/types/card.lua").contains("---@param ... string tags\nfunction card:tag(...) end\n"))
    let globals = text(of: home.path + "/types/problem.lua")
    for name in ["test", "expect", "run", "ask", "import", "card", "read"] {
      #expect(globals.contains("\n\(name) = function() end\n"), "\(name)")
    }
  }

  @Test func `a new plugin that cannot be written leaves nothing`() throws {
    let run = try home.sh("ulimit -f 1; exec \"$@\"", ["plugin", "new", "own"])
    #expect(run.status == 1 && run.errors.contains("could not be written: file too large"), "\(run)")
    #expect(try home.run("plugin", "new", "own").status == 0)
  }

  @Test func `a new plugin passes its own test, and a failing test ends with status 1`() throws {
    #expect(try home.run("plugin", "new", "own").status == 0)
    let passed = try home.run("plugin", "test", "own")
    #expect(passed.status == 0 && passed.lines.last == "2 tests passed.")
    for name in ["deck", "end", "Own", "own", "palindromes", "../x", ""] {
      #expect(try home.run("plugin", "new", name).status != 0, "\(name)")
    }
    _ = try home.write(
      """
      test("fine", function() expect({1, {2}}):equals {1, {2}} expect("abc"):matches("b") expect(nil):is_nil() end)
      test("not fine", function()
        expect(1 + 1):equals(3)
      end)
      test("fails as it should", function() expect(function() error("oh no") end):fails("oh") end)
      test("never ends", function() while true do end end)
      test("decks are not granted", function() expect(decks):is_nil() end)
      test("contains a test", function() test("inner", function() error("not run") end) end)
      test("fails with a table", function() expect(function() error{code = "c", message = "mm"} end):fails("^mm$") end)
      test("bad pattern", function() expect("x"):matches("[") end)
      """, to: "data/plugins/own/test.lua")
    #expect(try home.run("plugin", "limit", "own", "--seconds", "1").status == 0)
    let failed = try home.run("plugin", "test", "own")
    #expect(failed.status == 1 && failed.lines.last == "4 of 8 tests failed.")
    #expect(failed.output.contains("FAILED  not fine\n          test.lua:3: expected 3, got 2\n"))
    #expect(failed.output.contains("stopped after 1 s in the test \"never ends\" (test.lua:6)"))
    #expect(failed.output.contains("a test within a test would not run"), "\(failed)")
    #expect(failed.output.contains("FAILED  bad pattern\n          test.lua:10: malformed pattern"), "\(failed)")
    #expect(try home.run("plugin", "test", "own", "--json").lines.count == 8)
  }

  @Test func `a key of plugin.json that is not known is remarked on to its author`() throws {
    try home.plugin("own", manifest: #""comands": ["own"]"#, "")
    _ = try home.write("test('it', function() end)", to: "data/plugins/own/test.lua")
    for words in [
      ["enable", "own", "--grant"], ["test", "own"], ["check", "own"], ["pack", "own", home.path + "/p.tgz"],
    ] {
      let run = try home.run(["plugin"] + words)
      #expect(
        run.errors.contains(#"own: plugin.json: "comands" is not a known key (did you mean "commands"?)"#), "\(run)")
    }
  }

  @Test func `the files of a plugin may begin with a byte order mark and a line for the system`() throws {
    #expect(try home.run("plugin", "new", "own").status == 0)
    let mark = "\u{FEFF}#!/usr/bin/lua\n"
    try home.write(
      mark + "shell.command{name = 'own', run = function() return require('part') end}", to: "data/plugins/own/init.lua"
    )
    try home.write(mark + "return 'read'", to: "data/plugins/own/part.lua")
    #expect(try home.run("plugin", "enable", "own", "--grant").status == 0)
    #expect(try home.run("own").output == "read\n")
  }

  @Test func `a format of XML refuses a file that is cut off, frames what it writes, and its problems name the file`()
    throws
  {
    try home.plugin(
      "kv", permissions: "[\"formats\"]", manifest: #""formats": {"kv": ["kv"]}"#,
      """
      local function read(file, emit)
        if file.root.tag ~= "kv" then return nil, "there is no kv in it" end
        for _, e in ipairs(file.root) do emit{{line = e.line, prompt = e.attr.a, answer = e.text}} end
      end
      local function write(cards, deck, place)
        local text = place.first and "<kv>\\n" or ""
        for _, card in ipairs(cards) do text = text .. ("<e a='%s'>%s</e>\\n"):format(card.prompt, card.answer) end
        return text .. (place.last and "</kv>\\n" or "")
      end
      assert(decks.format{name = "kv", ending = "kv", kind = "xml", read = read, write = write})
      """)
    try home.enable("kv")
    let whole = "<kv>\n" + (1...501).map { "<e a='w\($0)'>m\($0)</e>\n" }.joined() + "</kv>\n"
    try home.write(whole, to: "a.kv")
    #expect(try home.run("deck", "import", "D", home.path + "/a.kv").status == 0)
    #expect(try home.run("deck", "export", "D", home.path + "/b.kv").status == 0)
    #expect(text(of: home.path + "/b.kv") == whole)
    for (content, words) in [
      (String(whole.dropLast(6)), "a.kv:503:1: </kv>, the end of what begins on line 1, expected"),
      ("<kv><e>x</kv>", "a.kv:1:1: </e>, the end of what begins on line 1, expected"),
      ("<other/>", "a.kv: there is no kv in it"),
    ] {
      try home.write(content, to: "a.kv")
      try home.run("deck", "import", "D", home.path + "/a.kv").fails(words)
    }
  }

  @Test func `a plugin that another shell wrote meanwhile is found by its name`() throws {
    let terminal = try home.terminal()
    terminal.wait(for: "> ")
    #expect(try home.run("plugin", "new", "later").status == 0)
    terminal.type("plugin test later\r", showing: "2 tests passed.")
  }

  @Test func `rows that a command returns are printed as a table, in colour where it sets colours`() throws {
    #expect(try home.run("plugin", "new", "own").status == 0)
    #expect(try home.run("plugin", "enable", "own", "--grant").status == 0)
    #expect(try home.run("own", "uno", "tres").lines == ["letters  word", "      3  uno", "      4  tres"])
    #expect(
      try home.run("--color=always", "own", "uno", "tres").lines
        == ["\u{1B}[1mletters  word\u{1B}[0m", "      3  uno", "      4  tres"])
  }

  @Test(arguments: ["mode", "command", "exercise", "format"])
  func `a new plugin of each kind passes its own test, in its own process`(kind: String) throws {
    #expect(try home.run("plugin", "new", "own", "--kind", kind).status == 0)
    let run = try home.run("plugin", "test", "own")
    #expect(run.status == 0 && run.lines.last?.hasSuffix(" passed.") == true, "\(run)")
    #expect(try home.run("plugin", "enable", "own", "--grant").status == 0)
    #expect(try home.run("plugin", "info", "own").output.contains("\(kind) own"))
    try home.run("plugin", "new", "other", "--kind", "x").fails("mode, command", status: 2)
  }

  @Test(arguments: [
    "palindromes", "spelling_bee", "hangman", "word_ladder", "dictation", "gap", "forms", "reorder", "arrivals",
    "spreadsheets",
  ])
  func `each bundled plugin passes its own test`(name: String) throws {
    let run = try Home().run("plugin", "test", name).succeeds()
    #expect(run.lines.last?.hasSuffix("passed.") == true)
  }

  @Test func `a test reaches no file beyond its own, and leaves the user's data alone`() throws {
    let outside = try home.write("out", to: "outside")
    try home.plugin(
      "own", permissions: #"["shell", "decks.read", "decks.write", "files.read:\#(home.path)", "shell.run"]"#,
      manifest: #""commands": ["own"]"#,
      """
      shell.command{name="own", arguments={{name="FILE", kind="file", access="read"}},
        run=function(args) return assert(files.read(args.file)) end}
      """)
    _ = try home.write(
      """
      test("no reach", function()
        expect(files.read("\(outside)")):is_nil()
        expect(select(2, run("own \(outside)")).code):equals("not_granted")
        expect(select(2, run("own " .. folder .. ("/.."):rep(40) .. "\(outside)")).code):equals("not_granted")
        expect(select(2, shell.run("version")).code):equals("not_granted")
        assert(decks.create("Thrown away"))
        assert(files.write(folder .. "/x", "in"))
        expect(run("own " .. folder .. "/x")):equals("in")
      end)
      """, to: "data/plugins/own/test.lua")
    try home.run("plugin", "test", "own").succeeds()
    #expect(try home.run("deck", "list").output.contains("Thrown away") == false)
  }

  @Test func `the files of lua-types and the real objects have the same members`() throws {
    let script = try home.write(Self.compareTypes, to: "compare.lua")
    try home.run("run", script, home.path + "/types").prints("same\n")
  }

  /// The real names come from the registry, which holds a type once it was described; `lua-types` describes them all.
  /// The stubs are read line by line.
  private static let compareTypes = """
    assert(shell.run("lua-types " .. arg[1]))
    local real, stubs, classes = {}, {}, {}
    local tables = {}
    for _, value in pairs(debug.getregistry()) do
      local names, count = {}, 0
      if type(value) == "table" and next(value) ~= nil and not rawget(value, "__name") and value ~= _G then
        for key, member in pairs(value) do
          local isMember = type(key) == "string" and (type(member) == "function" or type(member) == "userdata")
          if not isMember or key:find("^_") then names = nil break end
          names[key], count = true, count + 1
        end
        if names then tables[#tables + 1] = { names = names, count = count } end
      end
    end
    for name, module in pairs(deckhand) do
      if type(module) == "table" then
        for key in pairs(module) do real[name .. "_module." .. key] = true end
      end
    end
    for key in pairs(deckhand) do real["deckhand_module." .. key] = true end
    local computed = { deckhand = { "version", "api" }, auth = { "needs_authentication", "is_authenticating", "user" } }
    for module, keys in pairs(computed) do
      for _, key in ipairs(keys) do
        if pcall(function() return _G[module][key] end) then real[module .. "_module." .. key] = true end
      end
    end
    local list = assert(io.popen("ls " .. arg[1]))
    for file in list:lines() do
      local class
      assert(load(assert(files.read(arg[1] .. "/" .. file)), file))
      for line in io.lines(arg[1] .. "/" .. file) do
        class = line:match("^%-%-%-@class ([%w_]+)") or class
        local name = line:match("^%-%-%-@field ([%w_]+)") or line:match("^function [%w_]+[.:]([%w_]+)%(")
        if class and not class:find("_module$") then classes[class] = classes[class] or {} end
        if name and class ~= "problem" then
          if class:find("_module$") then stubs[class .. "." .. name] = true else classes[class][name] = true end
        end
      end
    end
    classes.problem, classes.expectation = nil, nil
    -- The members of a type are a table of the registry: each type has the one, and no such table is of no type.
    local function is_within(names, others)
      for name in pairs(names) do if not others[name] then return false end end
      return true
    end
    for class, names in pairs(classes) do
      local found = next(names) == nil
      for _, one in ipairs(tables) do found = found or is_within(names, one.names) and is_within(one.names, names) end
      if not found then real[class .. " has other members than its stub"] = true end
    end
    for _, one in ipairs(tables) do
      local found = false
      for _, names in pairs(classes) do found = found or is_within(one.names, names) end
      if not found then real["a type without a stub, with " .. next(one.names)] = true end
    end
    if #tables < 5 then real["the types were not found"] = true end
    local differences = {}
    for name in pairs(real) do if not stubs[name] then differences[#differences + 1] = "no stub: " .. name end end
    for name in pairs(stubs) do if not real[name] then differences[#differences + 1] = "only a stub: " .. name end end
    table.sort(differences)
    print(#differences == 0 and next(real) and "same" or table.concat(differences, "\\n"))
    """
}
