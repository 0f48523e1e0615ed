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
  local word, meaning, kind = line:match("^%s*([^\t]-)%s*\t%s*([^\t]-)%s*%f[\t\0]\t?([^\t]*)")
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
  for i = #order, 1, -1 do
    local entry = entries[order[i]]
    local note, problem = deck:add_note{
      type = "Basic (and reversed card)", fields = { Front = html(order[i]), Back = html(meaning(entry)) }, tags = entry.tags,
    }
    if note then
      added = added + #note.cards
    elseif problem.code ~= "duplicate" then
      bad[#bad + 1] = order[i] .. ": " .. problem.message
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
