-- Makes a deck from a dictionary in a table: word, a tab, meaning, and optionally a tab and the kind of word, which
-- becomes a tag. Lines with the same word become one card with numbered meanings. Running it again with a table that
-- has grown updates the existing cards. Invalid lines are reported and skipped.
--
--   deckhand run Scripts/decks/dictionary.lua FILE DECK [--reversed]
--
-- FILE may be `-`, standard input. --reversed makes notes with a card in each direction.

local folder = (arg[0]:match("^.*/") or "") .. "lib/"
local options, input = dofile(folder .. "options.lua"), dofile(folder .. "input.lua")
local given, path, name = options({ reversed = false }, "FILE", "DECK")

local entries, order, bad, number = {}, {}, {}, 0
for line in input.lines(path) do
  number = number + 1
  -- [^%S\t] is a blank that is not a tab: two tabs in a row are an empty column.
  local word, meaning, kind = line:match("^[^%S\t]*([^\t]-)[^%S\t]*\t[^%S\t]*([^\t]-)[^%S\t]*%f[\t\0]\t?([^\t]*)")
  if word and word ~= "" and meaning ~= "" then
    local entry = entries[word]
    if not entry then
      entry = { meanings = {}, tags = {} }
      entries[word], order[#order + 1] = entry, word
    end
    entry.meanings[#entry.meanings + 1] = meaning
    for tag in kind:gmatch("%S+") do entry.tags[#entry.tags + 1] = tag end
  elseif line:find("%S") then
    bad[#bad + 1] = ("line %d: a word, a tab and a meaning expected"):format(number)
  end
end

---A text as the field of a note.
local function html(text)
  return (text:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }):gsub("\n", "<br>"))
end

---The meanings of a word as one text.
local function meaning(entry)
  if #entry.meanings == 1 then return entry.meanings[1] end
  local lines = {}
  for i, text in ipairs(entry.meanings) do lines[i] = i .. ". " .. text end
  return table.concat(lines, "\n")
end

local deck = input.deck(name)
local added, changed = 0, 0
if given.reversed then
  local kind, known = "Basic (and reversed card)", {}
  for card in deck:cards() do
    local note = card.note
    if note.type.name == kind then known[note.fields.Front] = note end
  end
  for i = #order, 1, -1 do
    local front, back = html(order[i]), html(meaning(entries[order[i]]))
    local there = known[front]
    if not there then
      local note, problem = deck:add_note{
        type = kind, fields = { Front = front, Back = back }, tags = entries[order[i]].tags,
      }
      if note then
        added = added + #note.cards
      elseif problem.code ~= "duplicate" then
        bad[#bad + 1] = order[i] .. ": " .. problem.message
      end
    elseif there.fields.Back ~= back then
      there.fields.Back = back
      changed = changed + #there.cards
    end
  end
else
  local i = 0
  local report = assert(deck:add_all(function()
    i = i + 1
    local entry = entries[order[i]]
    return entry and { prompt = order[i], answer = meaning(entry), tags = entry.tags }
  end, { on_duplicate = "update" }))
  added, changed = report.added, report.updated
  for _, one in ipairs(report.rejected) do bad[#bad + 1] = order[one.index] .. ": " .. one.message end
end

local counted = input.counted
print(("%s: %s, %s added, %d changed, %s refused"):format(
  name, counted(#order, "word"), counted(added, "card"), changed, counted(#bad, "line")))
for i = 1, math.min(#bad, 20) do print("  " .. bad[i]) end
if #bad > 20 then print(("  and %d more"):format(#bad - 20)) end
