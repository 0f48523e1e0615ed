// Plugins that use as much memory as they can, for `MemoryTests`.

extension MemoryTests {
  /// A plugin that calls each function, method and field that the files of `lua-types` in `FOLDER/types` describe,
  /// with the largest arguments: `fuzz` prints how many cases there are, `fuzz N` runs one, `fuzz-name N` names it.
  static let fuzz = #"""
    local members = {}
    local folder = "FOLDER"
    -- The members of a type or a module, read from the files that lua-types wrote.
    local function read(owner)
      local fields, parameters = {}, {}
      for line in files.read(folder .. "/types/" .. owner .. ".lua"):gmatch("[^\n]+") do
        local field = line:match("^%-%-%-@field ([%a_]+)")
        local parameter, kind = line:match("^%-%-%-@param ([%w_.]+)%??%s+(%S+)")
        local separator, name = line:match("^function [%a_]+([.:])([%a_]+)%(")
        if field then
          local isFixed = line:find("(read only)", 1, true)
          members[#members + 1] =
            { owner = owner, name = field, kind = "field", fields = {}, parameters = isFixed and {} or { "any" } }
        elseif parameter then
          parameters[#parameters + 1] = kind
        elseif name then
          members[#members + 1] = { owner = owner, name = name, kind = separator, fields = fields, parameters = parameters }
          fields, parameters = {}, {}
        else
          for key in line:gmatch("([%a_]+)=") do fields[#fields + 1] = key end
        end
      end
    end
    for owner in ("card cards choice command deck deck_options decks document documents element files game games group lexicon " ..
      "lines media mode note note_fields notetype notetypes progress session settings shell subscription text texts value " ..
      "words"):gmatch("%a[%a_]*") do read(owner) end

    local counter = 0
    local function new(prefix) counter = counter + 1 return prefix .. counter end
    local makers = {}
    local function object(kind) return makers[kind]() end
    function makers.deck() return decks.open("fuzz") or decks.create("fuzz") end
    function makers.card()
      local deck = object "deck"
      -- A case before may have given the card a long text, which is slow to read.
      if deck:card(1) then deck:remove(1) end
      return deck:add { prompt = "p", answer = "a" } or deck:card(1)
    end
    function makers.note() return assert(object "deck":add_note { fields = { Front = new "f", Back = "b" } }) end
    function makers.note_fields() return object "note".fields end
    function makers.notetype() return notetypes.open "Basic" end
    function makers.cards() return (object "deck":cards()) end
    function makers.deck_options() return object "deck".options end
    function makers.session() return object "deck":study { mode = "sprint" } end
    function makers.document() return documents.list()[1] or documents.create {} end
    function makers.element()
      local document = object "document"
      return document.elements[1] or document:add_text { text = "x" }
    end
    function makers.lexicon() return assert(words.load(folder .. "/list.txt", { language = "english" })) end
    function makers.game() return assert(games.new { lexicon = object "lexicon", base = "paper" }) end
    function makers.mode() return games.modes()[1] end
    function makers.group() return settings.switches(new "g", { children = { "a" } }) end
    function makers.choice() return settings.choice(new "c", { options = { "a", "b" } }) end
    function makers.value() return settings.value(new "v", { default = "a" }) end
    function makers.progress() return shell.progress("x") end
    function makers.subscription() return shell.on("command", function() end) end
    function makers.command() return shell.command { name = new "c", summary = "x", run = function() end } end
    function makers.text() return assert(texts.open(folder .. "/list.txt", { language = "english" })) end
    function makers.lines() return (files.lines(folder .. "/list.txt")) end

    local function list(value, count)
      local made = {}
      for i = 1, count do made[i] = value end
      return made
    end
    -- Tables within tables, all different, of 62 elements each.
    local function wide(value, depth)
      local made = {}
      for i = 1, 62 do made[i] = depth > 1 and wide(value, depth - 1) or value end
      return made
    end
    local function nested(value, depth)
      for _ = 1, depth do value = { value, value } end
      return value
    end
    local defaults = {
      name = function() return new "n" end, prompt = function() return new "p" end, answer = function() return "a" end,
      run = function() return function() end end, text = function() return "t" end, summary = function() return "s" end,
      children = function() return { "a" } end, options = function() return { "a" } end, default = function() end,
    }
    local function record(fields, which, value)
      local made = {}
      for i, field in ipairs(fields) do
        if i == which then made[field] = value elseif defaults[field] then made[field] = defaults[field]() end
      end
      return made
    end
    local huge, large = 30000000, (1 << 20) - 1
    local strings = {
      function() return ("x"):rep(huge) end, function() return ("x"):rep(large) end,
      function() return ("e\u{301}"):rep(large // 3) end, function() return (" x\t\"'\\\27"):rep(large // 8) end,
    }
    local tables = {
      function() return list(("x"):rep(huge), 2000) end, function() return list(("x"):rep(large), 2000) end,
      function() return list(list(("x"):rep(large), 50), 50) end, function() return nested(("x"):rep(100000), 40) end,
      function() return list("some text of 20 bytes", 300000) end, function() return list(7, 1000000) end,
      function() return list(list(1, 1000), 100000) end,
      function() return wide(coroutine.create(function() end), 3) end,
      function() return list({ prompt = ("p"):rep(large), answer = ("a"):rep(large) }, 2000) end,
      function() local t = {} for i = 1, 100000 do t["key" .. i] = "value" end return t end,
    }
    local function argument(kind, value, text)
      if kind:find("table") or kind:find("%[%]") or kind == "any" then return value end
      if kind:find("string") then return text end
      if kind:find("integer") or kind:find("number") then return 1 end
      if kind:find("function") then return function() return value end end
      if kind:find("boolean") then return true end
      local maker = makers[kind:match("%a[%a_]*")]
      return maker and maker()
    end
    local cases = {}
    -- Adds a case: `make` gives the value of the parameters that take tables, and the text of those that take strings.
    local function add(member, make)
      cases[#cases + 1] = { member, function()
        local value, text = make()
        local arguments = {}
        for p, kind in ipairs(member.parameters) do arguments[p] = argument(kind, value, p == 1 and text or value == text and text or new "n") end
        return arguments
      end }
    end
    for _, member in ipairs(members) do
      local kinds = table.concat(member.parameters, " ")
      if kinds == "" then add(member, function() return {}, "n" end) end
      if kinds:find "string" or kinds:find "any" then
        for _, make in ipairs(strings) do
          add(member, function()
            local text = make()
            return kinds:find "any" and text or { "a" }, text
          end)
        end
      end
      if kinds:find "table" or kinds:find "%[%]" or kinds:find "any" or kinds:find "function" or kinds:find "%.%.%." then
        for i, make in ipairs(tables) do
          if member.kind ~= "field" or i == 1 or i == 5 then add(member, function() return make(), new "n" end) end
        end
        for which in ipairs(member.fields) do
          for _, make in ipairs { strings[2], tables[2], tables[5] } do
            add(member, function() return record(member.fields, which, make()), new "n" end)
          end
        end
      end
    end

    local function call(case)
      local member, arguments = case[1], case[2]()
      if member.owner == "card" and member.parameters[1] and type(arguments[1]) == "table" then arguments = arguments[1] end
      local owner = makers[member.owner] and object(member.owner) or _G[member.owner]
      if member.kind == "field" then
        local seen = owner[member.name]
        if #member.parameters > 0 then owner[member.name] = arguments[1] end
        return seen
      end
      if member.kind == ":" then return owner[member.name](owner, table.unpack(arguments)) end
      return owner[member.name](table.unpack(arguments))
    end
    shell.command { name = "fuzz", summary = "x", arguments = { "[N]" }, run = function(args)
      if not args.n then return #cases end
      local case = cases[tonumber(args.n)]
      return call(case)
    end }
    shell.command { name = "fuzz-name", summary = "x", arguments = { "N" }, run = function(args)
      local member = cases[tonumber(args.n)][1]
      return member.owner .. (member.kind == "field" and "." or member.kind) .. member.name
    end }
    """#

  /// Runs each case and prints those after which the process had held more than 128 MiB, or the limit given in its
  /// place.
  static let driver = #"""
    local function status(key)
      for line in io.lines("/proc/self/status") do
        local kilobytes = line:match("^" .. key .. ":%s+(%d+)")
        if kilobytes then return tonumber(kilobytes) // 1024 end
      end
    end
    local cases = shell.run("fuzz")
    for case = 1, cases do
      io.open("/proc/self/clear_refs", "w"):write("5"):close()
      pcall(shell.run, "fuzz " .. case)
      local peak = status("VmHWM")
      if peak > 128 then io.stderr:write("case ", case, " ", shell.run("fuzz-name " .. case), ": ", peak, " MiB\n") end
    end
    io.stderr:write("tried ", cases, "\n")
    """#
}
