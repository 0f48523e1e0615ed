-- Makes a deck of the words of a language: prompt, the letters of the word sorted; answer, the word; guid, language and word.
-- Running it again adds nothing twice.
--
--   deckhand run Scripts/decks/word_list.lua LANGUAGE [COUNT]

local language, wanted = ...
if not language then
  error("usage: word_list.lua LANGUAGE [COUNT]; languages here: " .. table.concat(words.languages(), ", "), 0)
end
local limit = math.huge
if wanted then
  limit = math.tointeger(tonumber(wanted))
  if not limit or limit < 1 then
    error(("COUNT: a whole number from 1 expected, got '%s'"):format(wanted), 0)
  end
end

local lexicon = assert(words.lexicon(language))
local name = language:sub(1, 1):upper() .. language:sub(2) .. " words"
local deck = decks.open(name) or assert(decks.create(name))

---The letters of a word in code point order.
---@param word string
---@return string
local function alphagram(word)
  local letters = {}
  for _, code in utf8.codes(word) do
    letters[#letters + 1] = code
  end
  table.sort(letters)
  return utf8.char(table.unpack(letters))
end

local next_word, given = lexicon:words(), 0
local report = assert(deck:add_all(function()
  if given >= limit then return nil end
  local word = next_word()
  if not word then return nil end
  given = given + 1
  return { prompt = alphagram(word), answer = word, guid = language .. ":" .. word }
end))

print(("%s: %d words added, %d were there already, %d refused; the deck has %d cards"):format(
  name, report.added, report.skipped, #report.rejected, #deck))
