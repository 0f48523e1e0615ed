-- Makes a deck, or adds to one, from a file of pairs: prompt, a tab, answer. Bad lines are told and passed over.
--
--   deckhand run Scripts/decks/from_tsv.lua FILE DECK

local path, name = ...
if not path or not name then
  error("usage: from_tsv.lua FILE DECK", 0)
end

local deck = decks.open(name) or assert(decks.create(name))
local next_line, number = files.lines(path), 0
local bad = {}

local report = assert(deck:add_all(function()
  for line in next_line do
    number = number + 1
    local prompt, answer = line:match("^([^\t]*)\t([^\t]*)")
    if prompt then
      return { prompt = prompt, answer = answer }
    elseif line:find("%S") then
      bad[#bad + 1] = ("line %d: no tab between prompt and answer"):format(number)
    end
  end
end))

for _, rejected in ipairs(report.rejected) do
  bad[#bad + 1] = ("card %d: %s"):format(rejected.index, rejected.message)
end
print(("%s: %d cards added, %d were there already, %d lines refused"):format(name, report.added, report.skipped, #bad))
for i = 1, math.min(#bad, 20) do
  print("  " .. bad[i])
end
if #bad > 20 then print(("  and %d more"):format(#bad - 20)) end
