-- What a user does in an evening, by chance: `run sync_changes.lua SEED COUNT`.
local seed, count = tonumber(arg[1]), tonumber(arg[2])
math.randomseed(seed)
local function any(list) return list[math.random(#list)] end
local function cards(query)
  local found = {}
  for _, deck in ipairs(decks.list()) do
    for card in deck:cards(query) do found[#found + 1] = card end
  end
  return found
end
local words = {"uno", "a & b", "1 < 2", "日本語", "dos\nlineas", "é", "🐈"}
local function text(i) return any(words) .. " " .. seed .. "-" .. i .. " " .. any(words) end
local ops = {
  function(i) any(decks.list()):add{prompt = text(i), answer = text(-i), tags = any{{}, {"neu"}, {"b::c", "x" .. seed}}} end,
  function(i) any(decks.list()):append{prompt = text(i), answer = text(-i)} end,
  function(i)
    any(decks.list()):add_note{type = "Basic (and reversed card)", fields = {Front = "<b>" .. i .. "</b> " .. seed, Back = "r" .. i}}
  end,
  function(i) any(decks.list()):add_note{type = "Cloze", fields = {Text = "{{c1::a" .. i .. "}} {{c2::b}}" .. seed}} end,
  function(i) local card = any(cards()) if card.note then
    local note = card.note
    note.fields[note.type.fields[2]] = "hier <i>" .. i .. "</i>"
  else card.answer = text(i) end end,
  function(i)
    local card = any(cards())
    local note = card.note
    if note and note.type.cloze then note.fields.Text = any{"{{c1::x}} {{c3::y}} ", "{{c2::x}} ", "{{c1::z}} "} .. i .. " " .. seed end
  end,
  function(i) if math.random(4) == 1 then notetypes.open("Basic"):update{css = ".card { x: " .. seed .. i .. " }"} end end,
  function(i) any(presets.list()).name = "Vorlage " .. seed .. " " .. i end,
  function() any(decks.list()).options.desired_retention = any{0.8, 0.85, 0.9, 0.95} end,
  function() any(cards()):unbury() end,
  function() any(cards()):tag("hier", "x" .. math.random(3)) end,
  function() any(cards()):untag("a", "hier") end,
  function() any(cards()):suspend() end,
  function() any(cards()):resume() end,
  function() any(cards()).flag = math.random(0, 7) end,
  function() any(cards()):bury() end,
  function() any(cards()):move(math.random(5)) end,
  function() for _ = 1, 5 do any(cards()):move(math.random(30)) end end,
  function() local all = cards() if #all > 60 then any(all):remove() end end,
  function() local all = cards() local note = any(all).note if note and #all > 60 then note:remove() end end,
  function(i) decks.create(any{"Neu", "Neu::Innen " .. i, "Spanish::Hier " .. i, "Zwei"}) end,
  function(i) local deck = any(decks.list()) if deck.name ~= "Default" then deck.name = "Umbenannt " .. seed .. " " .. i end end,
  function() local deck = any(decks.list()) if deck.name ~= "Default" and #cards() > 80 and #deck < 20 then decks.remove(deck.name) end end,
  function() any(decks.list()).options.new_per_day = math.random(50) end,
}
local function answer()
  local deck = any(decks.list())
  local session = deck:study{mode = "review", limit = 3}
  for _ = 1, 3 do
    if not session.card then break end
    session:answer(any{"again", "hard", "good", "easy"})
  end
end
for i = 1, count do
  if math.random(4) == 1 then answer() else any(ops)(i) end
end
