// `help`: every entry has an example, and each example runs.

import TestSupport

@Suite struct HelpTests {
  /// Has everything that the examples name: decks, cards, a document, files.
  private let home = Home()

  init() throws {
    try home.write("el libro\tthe book\n", to: "words.tsv")
    try home.write("El perro come pan. El gato duerme.\n", to: "novel.txt")
    try home.write("cab\nring\n", to: "list.txt")
    try home.write("not a sound", to: "perro.mp3")
    try home.write("a password\n", to: "password.txt")
    try home.write(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"><path d=\"M0 0h8v8z\"/></svg>", to: "dog.svg")
    let code = """
      local deck = decks.create("Spanish")
      for i, pair in ipairs{{"el perro", "the dog"}, {"el gato", "the cat"}, {"la casa", "the house"}} do
        deck:add{prompt = pair[1], answer = pair[2], tags = {i < 3 and "animal" or "other"}}
      end
      for i = 1, 4 do deck:add{prompt = "p" .. i, answer = "a" .. i} end
      decks.create("Old")
      local document = documents.create{background = {1, 1, 1}}
      document:add_text{text = "el perro"} document:add_text{text = "the dog {prompt}"}
      document:save()
      """
    #expect(try home.lua(code).status == 0)
  }

  @Test func `topics, Lua, settings and codes are explained, and a search finds them`() throws {
    let all = try home.run("--json", "help", "-k", "").lines
    for kind in ["topic", "command", "Lua", "setting", "problem"] {
      #expect(all.contains { $0.contains("\"kind\": \"\(kind)\"") })
    }
    #expect(all.count > 400)
    for name in ["queries", "patterns", "keys", "modes", "plugins", "documents", "formats", "game.length", "not_found"]
    {
      #expect(try home.run("help", name).status == 0, "\(name)")
    }
    let found = try home.run("help", "-k", "accent").output
    for name in ["game.fold_accents", "study.forgive_accents", "word match", "queries"] {
      #expect(found.contains(name))
    }
    #expect(try home.run("help", "-k", "xyzzy").output.contains("Nothing was found"))
    #expect(try home.run("help", "querys").errors.contains("did you mean \"queries\"?"))
    #expect(try home.run("help", "plugins").output.contains("plugins.list()"))
    #expect(try home.run("help", "shell.command").output.contains("details="))
    #expect(try home.run("help", "deck:import").output.contains("notetype"))
  }

  /// Runs Lua code for each entry of some kinds, with the entry as `entry`; every line it prints is a failure.
  private func failures(_ kinds: [String], _ body: String) throws -> [String] {
    let script = """
      local kinds = {\(kinds.map { "[\"\($0)\"] = true" }.joined(separator: ", "))}
      local count = 0
      local function mended()
        local deck = decks.open("Spanish") or decks.open("Español") or decks.create("Spanish")
        deck.name = "Spanish"
        while #deck:find('"el oso"') > 0 do deck:find('"el oso"')[1]:remove() end
        while #deck < 8 do deck:add{prompt = "p" .. math.random(1e9), answer = "a", tags = {"animal"}} end
        if not decks.open("Old") then decks.create("Old") end
        for _, name in ipairs{"Italian", "Missed"} do if decks.open(name) then decks.remove(name) end end
        for _, one in ipairs{"Slow", "Fast"} do local preset = presets.open(one) if preset then preset:remove() end end
        if notetypes.open("Word") then notetypes.open("Word"):remove() end
        while #documents.list() < 2 do
          local document = documents.create{}
          document:add_text{text = "x"} document:add_text{text = "y {prompt}"}
          document:save()
        end
        local document = documents.list()[1]
        local isTemplate = false
        for _, element in ipairs(document.elements) do
          if (element.text or ""):find("{prompt}", 1, true) then isTemplate = true end
        end
        if not isTemplate then document:add_text{text = "{prompt}"} end
        while #document.elements < 2 do document:add_text{text = "x"} end
        document.elements[1].group = "verbs"
        document:save()
      end
      -- What depends on what is there is no fault of the example.
      local function isFault(problem)
        local excused = {exists = true, duplicate = true, not_found = true, over = true, nothing_to_undo = true,
          nothing_to_redo = true, too_few_reviews = true, no_word_list = true, not_here = true, in_script = true,
          no_drawing = true, no_player = true, in_use = true, file_missing = true, editor_failed = true, no_terminal = true}
        return type(problem) ~= "table" or not excused[problem.code]
      end
      for _, entry in ipairs(shell.run("help -k ''")) do
        if kinds[entry.kind] then
          count = count + 1
          if entry.example == "" then print("fault: " .. entry.name .. ": no example") end
          mended()
          local function failed(why) print("fault: " .. entry.name .. ": " .. entry.example .. ": " .. tostring(why)) end
          \(body)
        end
      end
      io.stderr:write(count, " entries\\n")
      """
    let path = try home.write(script, to: "run.lua")
    let run = try home.runInside(["run", path])
    #expect(run.status == 0 && run.errors.hasSuffix(" entries\n") && !run.errors.hasPrefix("0"), "\(run)")
    return run.lines.filter { $0.hasPrefix("fault: ") }
  }

  /// The typed text is erased after each Tab; the list that a Tab shows is read before more is typed.
  @Test func `a Tab anywhere in any example runs nothing and fails nowhere`() throws {
    let listed = try home.lua(
      "for _, e in ipairs(shell.run([[help -k '']])) do if e.kind == 'command' then print(e.example) end end")
    let steps = try home.run("--json", "undo", "--list").output
    let terminal = try home.terminal([], columns: 40, rows: 12)
    terminal.wait(for: "> ")
    let examples = Set(listed.lines).sorted().filter { !$0.isEmpty }
    #expect(examples.count > 100)
    for (number, example) in examples.enumerated() {
      for word in example.split(separator: " ") {
        for end in [example.index(after: word.startIndex), word.endIndex] {
          terminal.type(String(example[..<end]) + "\t\u{15}")
          _ = terminal.takeOutput(milliseconds: 50)
        }
      }
      terminal.type("1000 * \(number + 1) + 7\r", showing: "\((number + 1) * 1000 + 7)")
      // A key pressed before the prompt is handled by the terminal, not by the line editor.
      terminal.wait(for: "> ")
    }
    #expect(terminal.ended(after: "\u{4}") == 0)
    #expect(try home.run("--json", "undo", "--list").output == steps)
  }

  @Test func `colours of an example's result are sent as escapes, not shown as text`() throws {
    let code = """
      for _, e in ipairs(shell.run([[help -k '']])) do
        if e.kind == 'command' or e.kind == 'topic' then print(e.example) end
      end
      """
    // Skips what runs until it is stopped, reads the rest of the input, or takes long.
    let skipped = [
      "quit", "exit", "serve", "lsp", "mcp", "map", "word compile", "study", "play", "text read", "doc edit",
    ]
    let examples = try home.lua(code).lines.filter { line in
      !skipped.contains { line == $0 || line.hasPrefix($0 + " ") }
    }
    #expect(examples.count > 100 && examples.contains { $0.hasPrefix("deck simulate") })
    let run = try home.runInside(["--color=always"], input: examples.joined(separator: "\n") + "\n")
    #expect(run.output.contains("\u{1B}[1m"), "\(run)")
    let shown = (run.lines + run.errors.split(separator: "\n").map(String.init)).filter { $0.contains("\\x1B") }
    #expect(shown == [])
  }

  @Test func `the prompt that the help shows works without an account`() throws {
    let home = Home()
    let text = try home.run("help", "prompt").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let start = try #require(text.firstRange(of: "shell.prompt = ")).lowerBound
    let end = try #require(text.firstRange(of: " end ")).lowerBound
    #expect(try home.lua("\(text[start..<end]) end print(shell.prompt{})").output == "> \n")
  }

  @Test func `every example in Lua runs`() throws {
    let found = try failures(
      ["Lua", "problem"],
      """
      -- What ends the session, and what wants a server.
      local skips = {
        ["auth.login"] = true, ["auth.logout"] = true, ["shell.undo"] = true, ["shell.redo"] = true, ["shell.sync"] = true,
        -- It reads the past, and the script has changed something by then.
        ["shell.at"] = true,
        -- The data of its language is not in the folders of the test.
        ["words.forms"] = true,
      }
      local chunk, wrong = load("return " .. entry.example)
      if not chunk then chunk, wrong = load(entry.example) end
      if not chunk then
        failed(wrong)
      elseif not skips[entry.name] then
        local print = print
        _G.print = function() end
        local ok, first, second = pcall(chunk)
        _G.print = print
        if not ok then failed(first) elseif first == nil and second ~= nil and isFault(second) then failed(second) end
      end
      """)
    #expect(found == [])
  }

  @Test func `every example of a command, a topic and a setting runs`() throws {
    let found = try failures(
      ["command", "topic", "setting"],
      """
      local function is(shape, value)
        if shape == "" then return true end
        if shape == "nothing" then return value == nil end
        if shape == "text" then return type(value) == "string" end
        if shape == "number" or shape == "integer" then return type(value) == "number" end
        if shape == "boolean" then return type(value) == "boolean" end
        local fields = shape:match("^{(.*)}$")
        if not fields then return type(value) == "userdata" and getmetatable(value) == shape end
        if type(value) == "userdata" then return true end
        if type(value) ~= "table" then return false end
        local open, known = false, {}
        for field in fields:gmatch("[^, ]+") do
          local name, optional = field:match("^(.-)(%??)$")
          known[name] = true
          if name:match("^%u+$") then open = true
          elseif optional == "" and value[name] == nil then return false end
        end
        for name in pairs(value) do if not open and not known[name] then return false end end
        return true
      end
      function matches(shapes, value)
        for shape in (shapes .. " or "):gmatch("(.-) or ") do
          local element = shape:match("^(.*)%.%.%.$")
          if element and type(value) == "table" then
            local all = true
            for _, one in ipairs(value) do all = all and is(element, one) end
            if all then return true end
          elseif is(shape, value) then
            return true
          end
        end
        return false
      end
      -- What waits for a user, is for the command line alone, or ends the session.
      local skips = {study = true, play = true, modes = true,
        account = true, login = true, logout = true, passwd = true,
        quit = true, exit = true, run = true, scripts = true, map = true, serve = true, sync = true, lsp = true,
        restore = true, backup = true, build = true, undo = true, redo = true, doctor = true, ["card history"] = true}
      local first = entry.name:match("^%S+")
      if not skips[entry.name] and not skips[first] then
        local ids = {}
        for i, document in ipairs(documents.list()) do ids[i] = document.id:sub(1, 8) end
        local line = entry.example:gsub("6D92", ids[1]):gsub("8808", ids[2])
        local isLua = line:match("^lua (.*)$")
        if isLua then
          if not pcall(load("return " .. isLua)) then failed("Lua") end
        else
          local answer, problem = shell.run(line)
          if answer == nil and problem and isFault(problem) then failed(problem) end
          if entry.kind == "command" and (entry.answer == "" or entry.answer:find("%f[%w]any%f[%W]")) then
            failed("no shape of its answer")
          end
          if not (answer == nil and problem) and not matches(entry.answer, answer) then
            failed("its answer is no " .. entry.answer .. ": " .. tostring(answer))
          end
        end
      end
      """)
    #expect(found == [])
  }
}

extension Home {
  /// Runs with the home as the working folder.
  func runInside(_ arguments: [String], input: String = "") throws -> Run {
    try sh("cd '\(path)' && exec \"$@\"", arguments, input: input)
  }
}
