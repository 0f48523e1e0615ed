-- Every function of the interface with the worst arguments that there are, for WorstArgumentTests: `worst NAME N` runs the N-th
-- of NAME. A function that cannot take long has an empty list, so that each new one is thought about.

local text = function() return ("x"):rep(30000000) end
local marks = function() return ("\u{301}"):rep(15000000) end
local mixed_marks = function() return ("\u{301}\u{316}"):rep(7000000) end
local short_marks = function() return ("\u{301}\u{316}"):rep(200000) end
local letters = function() return ("abcdefghijklmnopqrstuvwxyz?"):rep(30000) end

local function list(count, value)
  local made = {}
  for i = 1, count do made[i] = value end
  return made
end

local function big() return assert(decks.open("Big")) end
local function long() return assert(decks.open("Long")) end
local function english() return assert(words.lexicon("english")) end
local function game() return assert(games.new{base = "conversationalist", language = "english"}) end
local function loop() while true do end end
local function endless() return function() return {prompt = "p" .. math.random(1e12), answer = "a"} end end

-- A call of `f` with each long text.
local function texts(f)
  return {
    function() return f(text()) end, function() return f(marks()) end, function() return f(mixed_marks()) end,
    function() return f(short_marks()) end, function() return f(letters()) end,
  }
end

local function query()
  local parts = {}
  for i = 1, 1600 do parts[i] = "-aaab" .. i end
  return table.concat(parts, " "):sub(1, 9990)
end
local function alternatives() return (("x*y*z*w or "):rep(900)) .. "q" end
local function nested() return ("(-("):rep(15) .. "a" .. ("))"):rep(15) end

local function word_type(name, front)
  return notetypes.open(name) or assert(notetypes.create{name = name, fields = {"Front", "Back"},
    cards = {{name = "one", front = front or "{{Front}}", back = "{{Back}}"}}})
end
local made_notes = 0
local function a_note()
  made_notes = made_notes + 1
  return assert(big():add_note{fields = {Front = "note " .. made_notes .. math.random(1e12), Back = "x"}})
end

local document = function() return assert(documents.create{}) end
local function element(f)
  return function(v)
    local made = document():add_text{text = "x"}
    return f(made, v)
  end
end

-- The module; the name without `deckhand.` is the function above.
local open_text = deckhand.texts.open
local function a_text()
  assert(files.write(FOLDER .. "/worst.txt", ("The cats sat. Dogs ran. "):rep(2000)))
  return assert(open_text(FOLDER .. "/worst.txt", {language = "english"}))
end
-- A text without full stops: each of its words comes with its sentence.
local function one_sentence() return assert(open_text(FOLDER .. "/one.txt", {language = "english"})) end
-- Tables within tables, all different, of 62 elements each, with a value that is one byte on its way to the program.
local function wide(depth, value)
  local made = {}
  for i = 1, 62 do made[i] = depth > 1 and wide(depth - 1, value) or value end
  return made
end

worst = {
  ["card:tag"] = texts(function(t) return big():card(1):tag(t) end),
  ["card:untag"] = texts(function(t) return big():card(1):untag(t) end),
  ["card:move"] = {function() for i = 1, 1e9 do big():card(20000):move(1) end end},
  ["card:remove"] = {}, ["card:suspend"] = {}, ["card:resume"] = {},
  ["card.prompt="] = texts(function(t) big():card(1).prompt = t end),
  ["card.answer="] = texts(function(t) big():card(1).answer = t end),
  ["card.tags="] = {function() big():card(1).tags = list(1000000, "tag") end,
    function() big():card(1).tags = {short_marks(), mixed_marks()} end},
  ["card.document="] = {},
  ["deck:add"] = {
    function() big():add{prompt = marks(), answer = "a"} end, function() big():add{prompt = "p", answer = mixed_marks()} end,
    function() big():add{prompt = short_marks(), answer = short_marks(), guid = short_marks()} end,
    function() big():add{prompt = "p", answer = "a", tags = list(1000000, "tag")} end,
    function()
      local fields = {}
      for i = 1, 200000 do fields["f" .. i] = "v" end
      big():add{prompt = "p", answer = "a", fields = fields}
    end,
    function() big():add{prompt = "p", answer = "a", fields = {[short_marks()] = 1, [short_marks() .. "x"] = 2}} end,
  },
  ["deck:append"] = {
    function() big():append{prompt = marks(), answer = "a"} end,
    function() for i = 1, 1e9 do big():append{prompt = "p" .. i, answer = "a"} end end,
    function() for i = 1, 1e9 do big():add{prompt = "p" .. i, answer = "a", at = 20000} end end,
  },
  ["deck:add_note"] = {
    function() big():add_note{fields = {Front = text(), Back = marks()}} end,
    function() big():add_note{fields = {Front = short_marks()}} end,
    function() big():add_note{fields = {Front = ("<b>"):rep(5000000), Back = "x"}} end,
    function() big():add_note{type = word_type("Many", ("{{Front}}"):rep(100000)), fields = {Front = ("<i>a</i>"):rep(1000)}} end,
    function() big():add_note{type = "Cloze", fields = {Text = ("{{c1::"):rep(2000000)}} end,
    function()
      local parts = {}
      for i = 1, 20000 do parts[i] = "{{c" .. i .. "::a}}" end
      big():add_note{type = "Cloze", fields = {Text = table.concat(parts)}}
    end,
    function() big():add_note{fields = list(1000000, "x")} end, function() big():add_note{type = marks(), fields = {}} end,
  },
  ["shell.sync"] = {function() shell.sync(text()) end},
  ["shell.at"] = {function() shell.at(2 ^ 53, text) end, function() shell.at(1, function() return list(1000000, "x") end) end},
  ["shell.undo"] = {function() shell.undo(2 ^ 53) end}, ["shell.redo"] = {function() shell.redo(2 ^ 53) end},
  ["note.tags="] = {function() a_note().tags = list(1000000, "tag") end, function() a_note().tags = {short_marks()} end},
  ["note:remove"] = {},
  ["note_fields.[string]="] = texts(function(t)
    local note = a_note()
    note.fields.Front = t
  end),
  ["notetypes.list"] = {},
  ["notetypes.open"] = texts(notetypes.open),
  ["notetypes.create"] = {
    function() notetypes.create{name = text(), fields = {"a"}, cards = {}} end,
    function() notetypes.create{name = "a", fields = list(1000000, "a"), cards = {}} end,
    function()
      local names = {}
      for i = 1, 200000 do names[i] = "f" .. i end
      notetypes.create{name = "a", fields = names, cards = {{name = "c", front = "{{f1}}", back = ""}}}
    end,
    function() notetypes.create{name = "a", fields = {"a"}, cards = list(200000, {name = "c", front = "{{a}}"})} end,
    function() notetypes.create{name = "a", fields = {"a"}, cards = {{name = "c", front = ("{{#a}}"):rep(160000)}}} end,
    function() notetypes.create{name = short_marks(), fields = {short_marks()}, cards = {}} end,
  },
  ["notetype:update"] = {
    function() word_type("Once"):update{name = text()} end,
    function() word_type("Once"):update{fields = list(1000000, "a")} end,
    function() word_type("Once"):update{css = text()} end,
    function() word_type("Once"):update{cards = {{name = "c", front = ("{{"):rep(500000)}}} end,
  },
  ["notetype:remove"] = {},
  ["media.add"] = {
    function() media.add(FOLDER .. "/quote.csv") end, function() media.add(FOLDER .. "/pipe.csv") end,
    function() media.add(text()) end,
  },
  ["media.list"] = {},
  ["deck:add_all"] = {
    function() big():add_all(endless()) end, function() big():add_all(list(1000000, {prompt = "p", answer = "a"})) end,
    function() big():add_all(setmetatable({}, {__index = function() return {} end, __len = function() return 2 ^ 53 end})) end,
    function() big():add_all(list(1000000, 1)) end,
  },
  ["deck:cards"] = {
    function() big():cards(query()) end, function() for _ in big():cards() do end end,
    function() long():cards(alternatives()) end, function() long():cards(query()) end,
  },
  ["deck:find"] = {
    function() big():find(query()) end, function() big():find(alternatives()) end, function() big():find(nested()) end,
    function() long():find(query()) end, function() long():find(alternatives()) end, function() big():find("") end,
    function() big():find(marks()) end, function() big():find(short_marks()) end,
    function() long():find(("b"):rep(5000)) end, function() big():find("added:99999 tag:" .. ("*"):rep(5000)) end,
  },
  ["deck:card"] = {function() for i = 1, 20000 do big():card(i) end end},
  ["deck:remove"] = {function() big():remove(list(1000000, 1)) end},
  ["deck:import"] = {
    function() assert(big():import(FOLDER .. "/huge.csv")) end, function() assert(big():import(FOLDER .. "/quote.csv")) end,
    function() assert(big():import(FOLDER .. "/deep.json")) end, function() assert(big():import(FOLDER .. "/marks.json")) end,
    function() assert(big():import(FOLDER .. "/pipe.csv")) end, function() big():import(list(1000000, "x.csv")) end,
    function() big():import(FOLDER .. "/quote.csv", {columns = text()}) end,
    function() big():import(FOLDER .. "/huge.csv", {columns = {prompt = 10000, answer = short_marks()}}) end,
  },
  ["deck:export"] = {
    function() big():export(FOLDER .. "/out.json") end, function() long():export(FOLDER .. "/out.csv") end,
    function() big():export(FOLDER .. "/pipe.csv") end,
  },
  ["deck:diff"] = {
    function() big():diff(text()) end, function() big():diff(long()) end, function() big():diff(FOLDER .. "/marks.json") end,
    function() big():diff(FOLDER .. "/huge.csv") end, function() big():diff("Big@1") end,
  },
  ["deck:study"] = {
    function() big():study{query = query()} end, function() long():study{mode = "sprint", query = alternatives()} end,
    function() big():study{mode = "sprint"} end,
  },
  ["deck.name="] = texts(function(t) big().name = t end),
  ["deck.goal="] = texts(function(t) big().goal = {date = t} end),
  ["deck_options.minimum_lapse_interval="] = {}, ["deck_options.maximum_answer_seconds="] = {},
  ["deck_options.new_per_day="] = {}, ["deck_options.reviews_per_day="] = {}, ["deck_options.desired_retention="] = {},
  ["deck_options.leech_threshold="] = {}, ["deck_options.maximum_interval="] = {},
  ["deck_options.new_ignores_review_limit="] = {}, ["deck_options.bury_new="] = {},
  ["deck_options.bury_reviews="] = {}, ["deck_options.bury_learning="] = {}, ["deck_options.fuzz="] = {},
  ["deck_options.short_term="] = {}, ["deck_options.load_balance="] = {},
  ["deck_options.easy_days="] = {function() big().options.easy_days = list(1000000, 1) end},
  ["deck_options.learning_steps="] = {function() big().options.learning_steps = list(1000000, 60) end,
    function() big().options.learning_steps = ("1m "):rep(300000) end},
  ["deck_options.relearning_steps="] = {function() big().options.relearning_steps = list(1000000, 60) end},
  ["deck_options.parameters="] = {function() big().options.parameters = list(1000000, 1.5) end,
    function() big().options.parameters = ("1 "):rep(500000) end},
  ["deck_options.keep_fields="] = texts(function(t) big().options.keep_fields = t end),
  ["deck_options.leech_action="] = texts(function(t) big().options.leech_action = t end),
  ["deck_options.new_gather="] = texts(function(t) big().options.new_gather = t end),
  ["deck_options.new_sort="] = texts(function(t) big().options.new_sort = t end),
  ["deck_options.new_mix="] = texts(function(t) big().options.new_mix = t end),
  ["deck_options.review_order="] = texts(function(t) big().options.review_order = t end),
  ["deck_options.answer_time="] = texts(function(t) big().options.answer_time = t end),
  ["deck:set_due"] = {
    function() big():set_due(text(), "1") end, function() big():set_due("", text()) end, function() big():set_due("", "0-9!") end,
  },
  ["deck_options.model="] = texts(function(t) big().options.model = t end),
  ["deck.preset="] = texts(function(t) big().preset = t end),
  ["deck:stats"] = texts(function(t) big():stats(t) end),
  ["presets.list"] = {}, ["preset:remove"] = {},
  ["presets.open"] = texts(presets.open),
  ["presets.create"] = texts(presets.create),
  ["preset.name="] = texts(function(t) (presets.open("Worst") or assert(presets.create("Worst"))).name = t end),
  ["card.flag="] = {}, ["card.due="] = {}, ["card:forget"] = {}, ["card:bury"] = {}, ["card:unbury"] = {},
  ["session:suspend"] = {}, ["session:bury"] = {}, ["session:flag"] = {},
  ["decks.create"] = texts(decks.create),
  ["texts.open"] = {
    function() open_text(text()) end, function() open_text(marks()) end, function() open_text(list(1000000, "x")) end,
    function() open_text(FOLDER .. "/pipe.csv") end, function() open_text(list(10000, FOLDER .. "/none.txt")) end,
    function() one_sentence() end,
    function() open_text("x.txt", {translation = list(1000000, "x"), encoding = text()}) end,
  },
  ["text:words"] = {function() one_sentence():words{} end, function() a_text():words{limit = 1000000} end, function() a_text():words{[short_marks()] = 1} end},
  ["text:sentences"] = {function() one_sentence():sentences{unknown_at_most = 1000} end, function() a_text():sentences{limit = 1000000, unknown_at_most = 1000} end},
  ["text:plan"] = {function() one_sentence():plan{} end, function() a_text():plan{limit = 1000000} end},
  ["deck:mine"] = {function() big():mine(a_text(), {count = 1000000}) end, function() big():mine(a_text(), {[short_marks()] = 1}) end},
  ["words.lemma"] = texts(words.lemma),
  ["words.forms"] = texts(function(word) return words.forms(word, {language = "italian"}) end),
  ["decks.open"] = texts(decks.open),
  ["decks.list"] = {},
  ["decks.format"] = {
    function() decks.format{name = short_marks(), ending = text(), read = loop} end,
    function() decks.format{name = "worst", endings = list(1000000, "x"), read = loop} end,
    function() decks.format{name = "worst", ending = "x", types = list(100000, {name = text()}), read = loop} end,
  },
  ["decks.remove"] = texts(decks.remove),
  ["document:add_text"] = texts(function(t) document():add_text{text = t} end),
  ["document:add_image"] = texts(function(t) document():add_image(t) end),
  ["document:raise"] = texts(function(t) document():raise(t) end),
  ["document:lower"] = texts(function(t) document():lower(t) end),
  ["document:remove_element"] = texts(function(t) document():remove_element(t) end),
  ["document:duplicate"] = {}, ["document:save"] = {}, ["document:remove"] = {},
  ["document:render"] = {
    function()
      local made = document()
      for i = 1, 300 do made:add_text{text = ("word "):rep(100), x = i, y = i} end
      made:render(FOLDER .. "/out.png", {width = 8000})
    end,
    function() document():render(FOLDER .. "/pipe.png") end,
  },
  ["document:check"] = {},
  ["document:fill"] = {
    function()
      local made = document()
      made:add_text{text = ("{prompt} "):rep(5000), size = 100}
      made:fill(big())
    end,
    function()
      local made = document()
      made:add_text{text = "{prompt}"}
      made:fill(big(), {query = query()})
    end,
    function()
      local made = document()
      made:add_text{text = ("{"):rep(99000)}
      made:fill(big())
    end,
  },
  ["document:set_panel"] = texts(function(t)
    local made = document()
    made:add_text{text = "x", wraps = true}.group = "g"
    made:set_panel(t, {1, 1, 1})
    made:set_panel("g", list(1000000, 1))
  end),
  ["document.background="] = {function() document().background = list(1000000, 1) end},
  ["documents.create"] = {function() documents.create{background = list(1000000, 1)} end},
  ["documents.open"] = texts(documents.open),
  ["documents.list"] = {},
  ["documents.sheet"] = {
    function() documents.sheet(list(1000000, document()), FOLDER .. "/sheet.pdf") end,
    function()
      local made = document()
      for i = 1, 300 do made:add_text{text = ("word "):rep(100), x = i, y = i} end
      documents.sheet(list(10000, made), FOLDER .. "/sheet.pdf")
    end,
  },
  ["element.x="] = {}, ["element.y="] = {}, ["element.width="] = {}, ["element.height="] = {}, ["element.rotation="] = {},
  ["element.frame="] = texts(element(function(e, t) e.frame = t end)),
  ["element.text="] = texts(element(function(e, t) e.text = t end)),
  ["element.font="] = texts(element(function(e, t) e.font = t end)),
  ["element.align="] = texts(element(function(e, t) e.align = t end)),
  ["element.size="] = {}, ["element.grows="] = {element(function(e) e.grows = true end)},
  ["element.group="] = texts(element(function(e, t) e.group = t end)),
  ["element.wraps="] = {
    function()
      local made = document():add_text{text = ("word "):rep(20000), wraps = true}
      made.wraps = false
    end,
  },
  ["element.cropped="] = {element(function(e) e.cropped = true end)},
  ["element.alt="] = texts(element(function(e, t) e.alt = t end)),
  ["element.color="] = {element(function(e) e.color = list(1000000, 1) end)},
  ["files.lines"] = {
    function() for _ in files.lines(FOLDER .. "/huge.csv") do end end, function() files.lines(FOLDER .. "/pipe.csv") end,
    function() for _ in files.lines(FOLDER .. "/quote.csv") do end end,
  },
  ["files.read"] = {
    function() files.read(FOLDER .. "/huge.csv") end, function() files.read(FOLDER .. "/pipe.csv") end,
    function() files.read(text()) end,
  },
  ["files.write"] = {
    function() files.write(FOLDER .. "/out.txt", text()) end, function() files.write(FOLDER .. "/pipe.csv", "x") end,
  },
  ["game:guess"] = texts(function(t) game():guess(t) end),
  ["game:guess_all"] = {
    function() game():guess_all(list(1000000, "ant")) end,
    function() game():guess_all{text(), marks()} end,
    function()
      local all = {}
      for word in english():words() do all[#all + 1] = word end
      game():guess_all(all)
    end,
  },
  ["game:possible"] = {function() for i = 1, 1000 do game():possible() end end},
  ["game:missed"] = {function() for i = 1, 1000 do game():missed() end end},
  ["game:hint"] = {function() for i = 1, 1000 do game():hint() end end},
  ["game:to_deck"] = {function() for i = 1, 1000 do game():to_deck(big()) end end},
  ["game:new_word"] = {function() for i = 1, 1000 do game():new_word() end end},
  ["games.modes"] = {},
  ["games.mode"] = {
    function() games.mode{name = "many", rules = list(1000000, "in_dictionary")} end,
    function()
      local rules = {}
      for i = 1, 200000 do rules[i] = {code = "c" .. i, check = function() return true end} end
      local mode = games.mode{name = "many", rules = rules}
      game():guess("ant")
    end,
    function() games.mode{name = short_marks(), title = marks(), summary = mixed_marks()} end,
  },
  ["games.new"] = {
    function() games.new{base = short_marks(), language = "english"} end,
    function() games.new{base = letters(), language = "english"} end,
    function() games.new{base = text(), language = marks()} end,
    function() for i = 1, 1e6 do games.new{language = "english", length = 9} end end,
  },
  ["group:toggle"] = texts(function(t) settings.switches("worst.g", {children = {"a", "b"}}):toggle(t) end),
  ["group.value="] = {},
  ["choice.value="] = texts(function(t) settings.choice("worst.c", {options = {"a", "b"}, default = "a"}).value = t end),
  ["value.value="] = texts(function(t) settings.value("worst.v", {kind = "text", default = "", pattern = ".-b*b*b*b*"}).value = t end),
  ["lexicon:contains"] = texts(function(t) return english():contains(t) end),
  ["lexicon:random"] = {function() for i = 1, 1e6 do english():random{length = 15, difficulty = "easy"} end end},
  ["lexicon:formable"] = texts(function(t) return english():formable(t) end),
  ["lexicon:match"] = {
    function() english():match("*a*a*a*a*a*a*") end, function() english():match(("*?"):rep(30)) end,
    function() english():match("*") end, function() english():match(text()) end, function() english():match(short_marks()) end,
    function() english():match("*[" .. ("abcdefghij"):rep(90) .. "]*") end,
    function() english():match(("[abcdefghijklmnopqrstuvwxyz]*"):rep(35)) end,
  },
  ["lexicon:anagrams"] = texts(function(t) return english():anagrams(t) end),
  ["lexicon:neighbours"] = texts(function(t) return english():neighbours(t) end),
  ["lexicon:define"] = texts(function(t) return english():define(t) end),
  ["lexicon:word_of_the_day"] = {},
  ["lexicon:palindromes"] = {function() for i = 1, 1e6 do english():palindromes() end end},
  ["lexicon:words"] = {function() for _ in english():words() do end end, function() english():words{prefix = short_marks()} end},
  ["progress:step"] = {}, ["progress:done"] = {},
  ["session:answer"] = {function()
    local session = big():study{mode = "sprint"}
    while session:answer("wrong") do end
  end, function() big():study():answer(text()) end},
  ["session:give"] = texts(function(t) return big():study{cram = true, schedule = false}:give(t) end),
  ["study.compare"] = {
    function() return study.compare(text(), marks()) end, function() return study.compare(letters(), letters()) end,
    function() return study.compare(("casa "):rep(100000), ("caza "):rep(100000)) end,
  },
  ["study.exercise"] = {function()
    for i = 1, 1e6 do study.exercise{name = "e" .. i, input = "self", prepare = loop} end
  end, function()
    study.exercise{name = "endless", input = "self", prepare = loop}
    return big():study{cram = true, exercise = "endless"}.question
  end},
  ["session:pause"] = {}, ["session:resume"] = {},
  ["session:restart"] = {function()
    local session = big():study{mode = "sprint"}
    for i = 1, 1e6 do session:restart() end
  end},
  ["session:undo"] = {},
  ["settings.switches"] = {
    function()
      local names = {}
      for i = 1, 200000 do names[i] = "s" .. i end
      settings.switches("worst.many", {children = names})
    end,
    function() settings.switches(short_marks(), {title = marks(), children = {mixed_marks()}}) end,
  },
  ["settings.choice"] = {function()
    local names = {}
    for i = 1, 200000 do names[i] = "s" .. i end
    settings.choice("worst.choices", {options = names, default = "s1"})
  end},
  ["settings.value"] = {
    function() settings.value("worst.w", {kind = "text", default = ("a"):rep(900000), pattern = ("a-"):rep(250) .. "b"}) end,
  },
  ["settings.get"] = texts(settings.get),
  ["settings.set"] = texts(function(t) settings.set("worst.w", t) end),
  ["settings.update"] = {function()
    local all = {}
    for i = 1, 200000 do all["w" .. i] = i end
    settings.update(all)
  end},
  ["settings.reset"] = texts(settings.reset),
  ["settings.on_change"] = {function()
    settings.value("worst.heard", {kind = "number", default = 1})
    for i = 1, 1000 do settings.on_change("", loop) end
    settings.set("worst.heard", 2)
  end},
  ["shell.print"] = {
    function() shell.print(list(1000000, "x")) end, function() shell.print(text()) end,
    function() shell.print(wide(3, coroutine.create(loop))) end, function() error(wide(3, coroutine.create(loop))) end,
    function() shell.print(mixed_marks()) end, function() shell.print(short_marks()) end,
    function() shell.print{[short_marks()] = 1, [short_marks() .. "x"] = 2} end,
    function()
      local wide = {}
      for i = 1, 20000 do wide["k" .. i] = i end
      shell.print(list(50, wide))
    end,
  },
  ["shell.table"] = {
    function()
      local row, columns = {}, {}
      for i = 1, 20000 do
        row["c" .. i] = i
        columns[i] = "c" .. i
      end
      shell.table(list(50, row), columns)
    end,
    function() shell.table(list(300000, {"a", "b"}), {"x", "y"}) end,
    function() shell.table({{text()}, {short_marks()}, {mixed_marks()}}, {"x"}) end,
    function() shell.table({}, list(1000000, "x")) end,
  },
  ["shell.chart"] = {
    function() shell.chart(list(1000000, 1)) end,
    function() shell.chart{[short_marks()] = 1, [short_marks() .. "x"] = 2} end,
    function() shell.chart({1, 2}, {title = short_marks()}) end,
  },
  ["shell.progress"] = texts(shell.progress),
  ["shell.ask"] = {}, ["shell.confirm"] = {},
  ["shell.run"] = {
    function() shell.run("card list Big " .. query()) end, function() shell.run(short_marks()) end,
    function() shell.run(("x "):rep(400000)) end, function() shell.run("deck import Big " .. FOLDER .. "/pipe.csv") end,
    function() shell.run("word match " .. ("*a"):rep(400)) end, function() shell.run(text()) end,
    function() shell.run("deck export Big " .. FOLDER .. "/pipe.csv") end,
  },
  ["shell.prompt"] = texts(function(t) return shell.prompt{user = t, deck = t} end),
  ["shell.alias"] = {
    function() shell.alias("aa", ("x "):rep(400000)) end, function() shell.alias(short_marks(), "help") end,
  },
  ["shell.on"] = texts(function(t) shell.on(t, loop) end),
  ["shell.command"] = {
    function() shell.command{name = short_marks(), summary = marks(), run = loop} end,
    function() shell.command{name = "zz", summary = "x", arguments = list(200000, "[A]"), run = loop} end,
    function() shell.command{name = ("a "):rep(400000), summary = "x", run = loop} end,
  },
  ["subscription:cancel"] = {},
  ["words.languages"] = {},
  ["words.lexicon"] = texts(words.lexicon),
  ["words.load"] = {
    function() words.load(FOLDER .. "/huge.csv") end, function() words.load(FOLDER .. "/pipe.csv") end,
    function() words.load(FOLDER .. "/words.txt") end,
  },
  ["words.can_form"] = {
    function() words.can_form(letters(), letters()) end, function() words.can_form(text(), text()) end,
    function() words.can_form(short_marks(), short_marks() .. "x") end,
    function() words.can_form(marks(), mixed_marks()) end,
  },
  ["words.normalize"] = {
    function() words.normalize(marks(), "spanish") end, function() words.normalize("x", marks()) end,
    function() words.normalize("x", short_marks()) end, function() words.normalize(short_marks(), "spanish") end,
    function() words.normalize(("\u{e9}"):rep(400000), "greek") end, function() words.normalize(("Σ"):rep(400000), "greek") end,
    function() words.normalize(text(), "english") end,
  },
}

shell.command{
  name = "worst", summary = "Runs a function with its worst arguments.", arguments = {"NAME", "N"},
  run = function(args)
    worst[args[1]][math.tointeger(tonumber(args[2]))]()
    return "ended by itself"
  end,
}
shell.command{
  name = "worst-list", summary = "How many there are of each.",
  run = function()
    local counts = {}
    for name, list in pairs(worst) do counts[#counts + 1] = name .. " " .. #list end
    table.sort(counts)
    return table.concat(counts, "\n")
  end,
}
