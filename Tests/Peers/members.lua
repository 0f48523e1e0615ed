-- Measures every member of the Lua interface: the processor time of a call or of a read, against that of a function in C of Lua's
-- own library. `Scripts/bench members` runs it.
-- Usage: deckhand --data DATA run members.lua FOLDER SECONDS; SECONDS is how long each member is measured, 0 for a single call.
-- Invariant: the members are those that `lua-types` writes. Each has a call here that works, or a reason why it has none; any
-- other one is named on standard error, and the exit status is 1.

local folder, budget = arg[1], tonumber(arg[2])
local count = 0
local function name()
  count = count + 1
  return "sample" .. count
end
local function write(path, text)
  assert(files.write(folder .. "/" .. path, text))
  return folder .. "/" .. path
end
local list = write("sample.txt", "paper\ncab\nThe cats sat on the roof. Dogs ran over it.\n")
local cards = write("sample.tsv", "prompt\tanswer\na\tb\n")
local picture = write("sample.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><path d="M0 0h8v8z"/></svg>')
local rings = {language = "english", base = "cambering"}

local function deck()
  local made = assert(decks.create(name()))
  for i = 1, 5 do assert(made:append{prompt = "prompt " .. i, answer = "answer " .. i}) end
  return made
end
local function document()
  local made = assert(documents.create{background = {1, 1, 1}})
  assert(made:add_text{text = "word {prompt}"}).group = "words"
  assert(made:add_text{text = "other"})
  return made
end
local function notetype()
  return assert(notetypes.create{name = name(), fields = {"A"}, cards = {{name = "C", front = "{{A}}", back = "{{A}}"}}})
end
local function text() return assert(texts.open(list, {language = "english"})) end
local function switches() return settings.switches("sample", {title = "Sample", children = {"one", "two"}}) end
local function choice() return settings.choice("sampled", {title = "Sampled", options = {"one", "two"}, default = "one"}) end
local function value() return settings.value("valued", {title = "Valued", kind = "text", default = "one"}) end

-- An object of each type.
local makers = {
  deck = deck, document = document, notetype = notetype, text = text, group = switches, choice = choice, value = value,
  deck_options = function() return deck().options end,
  card = function() return deck():card(1) end,
  cards = function() return deck():cards() end,
  note = function() return assert(deck():add_note{fields = {Front = "front", Back = "back"}}) end,
  preset = function() return assert(presets.create(name())) end,
  session = function() return assert(deck():study{}) end,
  lexicon = function() return assert(words.lexicon("english")) end,
  element = function() return document().elements[1] end,
  game = function() return assert(games.new(rings)) end,
  mode = function() return games.modes()[1] end,
  progress = function() return shell.progress("sample", 10) end,
  command = function() return shell.command{name = name(), summary = "A sample.", run = function() end} end,
  subscription = function() return shell.on("exiting", function() end) end,
}
local function of(maker, call) return {make = maker, call = call} end
local function typed(type, call) return of(makers[type], call) end
local open_deck, open_document, open_preset = deck().name, document().id, makers.preset().name
switches()
choice()
value()

-- A function is called again and again with the same object; `of` gives each call an object of its own. A text says why there is
-- no ratio.
local calls = {
  ["decks.create"] = function() return decks.create(name()) end,
  ["decks.open"] = function() return decks.open(open_deck) end,
  ["decks.remove"] = of(function() return deck().name end, function(deck) return decks.remove(deck) end),
  ["decks.format"] = function() return decks.format{name = name(), ending = name(), read = function() end} end,
  ["deck:add"] = function(deck) return deck:add{prompt = name(), answer = "answer"} end,
  ["deck:append"] = function(deck) return deck:append{prompt = name(), answer = "answer"} end,
  ["deck:add_note"] = function(deck) return deck:add_note{fields = {Front = name(), Back = "back"}} end,
  ["deck:add_all"] = function(deck) return deck:add_all{{prompt = name(), answer = "answer"}} end,
  ["deck:card"] = function(deck) return deck:card(1) end,
  ["deck:find"] = function(deck) return deck:find("prompt") end,
  ["deck:set_due"] = function(deck) return deck:set_due("prompt", "1") end,
  ["deck:remove"] = typed("deck", function(deck) return deck:remove(1) end),
  ["deck:import"] = typed("deck", function(deck) return deck:import(cards) end),
  ["deck:export"] = function(deck) return deck:export(folder .. "/deck.json") end,
  ["deck:diff"] = function(deck) return deck:diff(cards) end,
  ["deck:mine"] = of(function() return {deck(), text()} end, function(both) return both[1]:mine(both[2]) end),
  ["card:move"] = function(card) return card:move(1) end,
  ["card:tag"] = function(card) return card:tag("tag") end,
  ["card:untag"] = function(card) return card:untag("tag") end,
  ["card:remove"] = typed("card", function(card) return card:remove() end),
  ["note:remove"] = typed("note", function(note) return note:remove() end),
  ["preset:remove"] = typed("preset", function(preset) return preset:remove() end),
  ["notetypes.open"] = function() return notetypes.open("Basic") end,
  ["notetypes.create"] = notetype,
  ["notetype:update"] = function(type) return type:update{css = name()} end,
  ["notetype:remove"] = typed("notetype", function(type) return type:remove() end),
  ["presets.open"] = function() return presets.open(open_preset) end,
  ["presets.create"] = makers.preset,
  ["media.add"] = function() return media.add(picture) end,
  ["session:answer"] = typed("session", function(session) return session:answer("good") end),
  ["session:give"] = typed("session", function(session) return session:give("answer 1") end),
  ["session:restart"] = typed("session", function(session) return session:restart() end),
  ["session:suspend"] = typed("session", function(session) return session:suspend() end),
  ["session:bury"] = typed("session", function(session) return session:bury() end),
  ["session:flag"] = typed("session", function(session) return session:flag(1) end),
  ["session:undo"] = of(function()
    local session = makers.session()
    session:answer("good")
    return session
  end, function(session) return session:undo() end),
  ["study.exercise"] = function() return study.exercise{name = name(), input = "self", prepare = function() end} end,
  ["study.compare"] = function() return study.compare("casa", "caza") end,
  ["words.lexicon"] = makers.lexicon,
  ["words.load"] = function() return words.load(list) end,
  ["words.can_form"] = function() return words.can_form("cambering", "crab") end,
  ["words.normalize"] = function() return words.normalize(" Paper ", "english") end,
  ["words.lemma"] = function() return words.lemma("papers", {language = "english"}) end,
  ["words.forms"] = function() return words.forms("casa", {language = "spanish"}) end,
  ["lexicon:contains"] = function(lexicon) return lexicon:contains("cambering") end,
  ["lexicon:formable"] = function(lexicon) return lexicon:formable("cambering") end,
  ["lexicon:match"] = function(lexicon) return lexicon:match("c?mb?r") end,
  ["lexicon:anagrams"] = function(lexicon) return lexicon:anagrams("crab") end,
  ["lexicon:neighbours"] = function(lexicon) return lexicon:neighbours("crab") end,
  ["lexicon:define"] = function(lexicon) return lexicon:define("crab") end,
  ["texts.open"] = text,
  ["games.new"] = makers.game,
  ["games.mode"] = function() return games.mode{name = name(), rules = {"min_length:1"}} end,
  ["game:guess"] = function(game) return game:guess("crab") or true end,
  ["game:guess_all"] = function(game) return game:guess_all{"crab", "ring", "paper"} end,
  ["game:to_deck"] = of(function() return {makers.game(), deck()} end, function(both) return both[1]:to_deck(both[2]) end),
  ["documents.create"] = function() return documents.create{} end,
  ["documents.open"] = function() return documents.open(open_document) end,
  ["documents.sheet"] = of(document, function(made) return documents.sheet({made}, folder .. "/sheet.pdf") end),
  ["document:add_text"] = typed("document", function(made) return made:add_text{text = "x"} end),
  ["document:add_image"] = typed("document", function(made) return made:add_image(picture) end),
  ["document:set_panel"] = function(made) return made:set_panel(made.elements[1].group, {1, 1, 1}) end,
  ["document:raise"] = function(made) return made:raise(made.elements[1]) end,
  ["document:lower"] = function(made) return made:lower(made.elements[1]) end,
  ["document:remove_element"] = typed("document", function(made) return made:remove_element(made.elements[1]) end),
  ["document:fill"] = of(function() return {document(), deck()} end, function(both) return both[1]:fill(both[2]) end),
  ["document:remove"] = typed("document", function(made) return made:remove() end),
  ["document:render"] = function(made) return made:render(folder .. "/document.svg") end,
  ["settings.switches"] = switches,
  ["settings.choice"] = choice,
  ["settings.value"] = value,
  ["settings.get"] = function() return settings.get("sampled") end,
  ["settings.set"] = function() return settings.set("sampled", "two") end,
  ["settings.reset"] = function() return settings.reset("sampled") end,
  ["settings.update"] = function() return settings.update{sampled = "two"} end,
  ["settings.on_change"] = function() return settings.on_change("sampled", function() end) end,
  ["group:toggle"] = function(group) return group:toggle("one") end,
  ["shell.print"] = function() return shell.print("paper") end,
  ["shell.table"] = function() return shell.table({{"a", "b"}}, {"one", "two"}) end,
  ["shell.chart"] = function() return shell.chart{1, 2} end,
  ["shell.progress"] = makers.progress,
  ["shell.ask"] = "it waits for an answer",
  ["shell.confirm"] = "it waits for an answer",
  ["shell.run"] = function() return shell.run("help") end,
  ["shell.prompt"] = function() return shell.prompt{user = "ana"} end,
  ["shell.alias"] = function() return shell.alias("sample", "help") end,
  ["shell.on"] = makers.subscription,
  ["shell.at"] = "it waits for the program's own lines",
  ["shell.undo"] = "a script is one step, and it undoes only those before it",
  ["shell.redo"] = "a script is one step, and it redoes only those before it",
  ["shell.sync"] = "it waits for a server",
  ["shell.command"] = makers.command,
  ["subscription:cancel"] = typed("subscription", function(subscription) return subscription:cancel() end),
  ["files.read"] = function() return files.read(list) end,
  ["files.lines"] = function() return files.lines(list) end,
  ["files.write"] = function() return files.write(list .. ".copy", "paper") end,
  ["plugins.info"] = function() return plugins.info("hangman") end,
  ["plugins.enable"] = function() return plugins.enable("hangman") end,
  ["plugins.disable"] = function() return plugins.disable("hangman") end,
  ["plugins.reload"] = function() return plugins.reload("hangman") end,
  ["auth.login"] = "there is one sign-in, which the script runs in",
  ["auth.logout"] = "there is one sign-in, which the script runs in",
}

-- Calls `body` with the name of each member and of its owner, and with how it is read if it is a field.
local function each_member(body)
  assert(shell.run("lua-types '" .. folder .. "/types'"))
  local class
  for line in assert(io.popen("cat '" .. folder .. "'/types/*.lua")):lines() do
    class = line:match("^%-%-%-@class ([%w_]+)") or class
    local field = line:match("^%-%-%-@field ([%w_]+)")
    local owner, mark, member = line:match("^function ([%w_]+)([.:])([%w_]+)%(")
    if member then
      body(owner .. mark .. member, mark == ":" and owner)
    elseif field then
      local module = class:match("^(.+)_module$")
      if module then body(module .. "." .. field, nil, function() return _G[module][field] end)
      elseif makers[class] then body(class .. "." .. field, class, function(object) return object[field] end) end
    end
  end
end

-- The processor seconds of a call, on average.
local function seconds(call, objects, times)
  local start = os.clock()
  for i = 1, times do call(objects[i] or objects[1]) end
  return (os.clock() - start) / times
end

-- Returns the seconds of a call or a read, or nil and why there is no ratio.
local function measured(name, owner, read)
  local entry = calls[name] or read
  if type(entry) == "string" then return nil, entry end
  local given = type(entry) == "table" and entry
  local make, call = given and given.make or makers[owner], given and given.call or entry
  if owner and not make then error("no object of this type", 0) end
  if not call then call = function(object) return object[name:match(":(.+)")](object) end end
  if not owner and not calls[name] and not read then
    local module, member = name:match("(.+)%.(.+)")
    call = function() return _G[module][member]() end
  end
  local objects = {make and make()}
  local answer, problem = call(objects[1])
  if answer == nil and problem then error(problem.message, 0) end
  if budget == 0 then return 0 end
  local times = 1
  if given then
    times = 20
    for i = 1, times do objects[i] = make() end
    return seconds(call, objects, times)
  end
  while seconds(call, objects, times) * times < budget and times < 100000 do times = times * 4 end
  return seconds(call, objects, times)
end

local base = measured("rawlen", nil, function() return rawlen("paper") end)
local rows, reasons, faults = {}, {}, {}
each_member(function(name, owner, read)
  local isRun, time, reason = pcall(measured, name, owner, read)
  if not isRun then faults[#faults + 1] = name .. ": " .. tostring(time)
  elseif time then rows[#rows + 1] = {name = name, ratio = base > 0 and time / base or 0}
  else reasons[#reasons + 1] = name .. ": " .. reason end
end)
table.sort(rows, function(a, b) return a.ratio > b.ratio end)
local function say(text) io.stderr:write("    ", text, "\n") end
say(("%d measured against rawlen(\"paper\"), %d have a reason; the slowest:"):format(#rows, #reasons))
for i = 1, budget > 0 and 10 or 0 do say(("%s: %.0f times"):format(rows[i].name, rows[i].ratio)) end
for _, reason in ipairs(reasons) do say(reason) end
for _, fault in ipairs(faults) do say("could not be measured: " .. fault) end
os.exit(#faults == 0 and #rows > 200 and 0 or 1)
