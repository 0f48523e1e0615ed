-- Makes a deck of anagram drills: the prompt is some letters, the answer all words that use every one of them. Only
-- letters with several answers are used, those with the most words first. Running it again adds only what is new.
--
--   deckhand run Scripts/decks/anagrams.lua LANGUAGE [--length 7] [--limit 200] [--deck NAME]

local folder = (arg[0]:match("^.*/") or "") .. "lib/"
local options, input = dofile(folder .. "options.lua"), dofile(folder .. "input.lua")
local alphagram = dofile(folder .. "alphagram.lua")
local given, language = options({ length = 7, limit = 200, deck = "" }, "LANGUAGE")
local lexicon = input.need(words.lexicon(language))

local groups, order = {}, {}
for word in lexicon:words{ length = given.length } do
  local key = alphagram(word)
  local group = groups[key]
  if not group then
    group = {}
    groups[key] = group
  end
  group[#group + 1] = word
  if #group == 2 then order[#order + 1] = key end
end
table.sort(order, function(a, b)
  if #groups[a] ~= #groups[b] then return #groups[a] > #groups[b] end
  return a < b
end)

local name = given.deck ~= "" and given.deck or language:sub(1, 1):upper() .. language:sub(2) .. " anagrams"
local deck = input.deck(name)
local i = 0
local report = assert(deck:add_all(function()
  i = i + 1
  local key = order[i]
  if not key or i > given.limit then return nil end
  return {
    prompt = ("%s (%d words)"):format(key, #groups[key]), answer = table.concat(groups[key], ", "),
    guid = ("anagram:%s:%s"):format(language, key),
  }
end))
print(("%s: %d of %d drills added, %d already existed"):format(name, report.added, #order, report.skipped))
