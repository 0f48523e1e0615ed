-- Makes a deck of the words of a language: the prompt is the sorted letters of a word, the answer the word, the guid
-- language and word. A list may have a million words, so only --limit words are used, chosen evenly from the whole
-- list, with the lengths of --length. Running it again adds only what is new.
--
--   deckhand run Scripts/decks/word_list.lua LANGUAGE [--limit 1000] [--length 5-8] [--all]
--
-- --all uses every word of the list.

local folder = (arg[0]:match("^.*/") or "") .. "lib/"
local options, input = dofile(folder .. "options.lua"), dofile(folder .. "input.lua")
local alphagram = dofile(folder .. "alphagram.lua")
local given, language = options({ limit = 1000, length = "5-8", all = false }, "LANGUAGE")
local shortest, longest = given.length:match("^(%d%d?)%f[%-\0]%-?(%d?%d?)$")
if not shortest then error("--length: a number or a range such as 5-8 expected, got '" .. given.length .. "'", 0) end
shortest = math.tointeger(shortest)
longest = longest == "" and shortest or math.tointeger(longest)
if shortest < 1 or longest < shortest then
  error("--length: a range such as 5-8 with the smaller number first expected, got '" .. given.length .. "'", 0)
end

local lexicon = input.need(words.lexicon(language))
local name = language:sub(1, 1):upper() .. language:sub(2) .. " words"
local deck = input.deck(name)

---The wanted words, one per call.
local function wanted()
  if given.all then return lexicon:words() end
  local total = 0
  for length = shortest, longest do
    for _ in lexicon:words{ length = length } do total = total + 1 end
  end
  local length, next_word, seen, taken = shortest, lexicon:words{ length = shortest }, 0, 0
  return function()
    while taken < given.limit do
      local word = next_word()
      if word then
        seen = seen + 1
        -- The word at which the share of the list reaches the share of the limit.
        if seen * given.limit // total > taken or total <= given.limit then
          taken = taken + 1
          return word
        end
      elseif length < longest then
        length = length + 1
        next_word = lexicon:words{ length = length }
      else
        return nil
      end
    end
  end
end

local next_word = wanted()
local report = assert(deck:add_all(function()
  local word = next_word()
  return word and { prompt = alphagram(word), answer = word, guid = language .. ":" .. word }
end))

print(("%s: %s added, %d already existed, %d refused; the deck has %s"):format(
  name, input.counted(report.added, "word"), report.skipped, report.rejected_count, input.counted(#deck, "card")))
