-- Makes a deck of the words of a text, the most frequent first: the prompt is the word, the answer a sentence of the
-- text that contains it, as close as possible to a good length. The field `count` has its frequency.
--
--   deckhand run Scripts/decks/words_of_text.lua FILE DECK [--limit 200] [--length 4] [--language NAME]
--
-- FILE may be `-`, standard input. --length is the minimum number of letters. With --language only words of that
-- language's list count. When you run it again with another text, words that the deck already has stay unchanged.

local folder = (arg[0]:match("^.*/") or "") .. "lib/"
local options, input = dofile(folder .. "options.lua"), dofile(folder .. "input.lua")
local given, path, name = options({ limit = 200, length = 4, language = "" }, "FILE", "DECK")
local lexicon = given.language ~= "" and input.need(words.lexicon(given.language)) or nil
local best_length = 80

-- Punctuation beyond ASCII (¿ ¡ « » “ ” ’ — …) becomes blanks, because its bytes would pass for letters.
local function without_marks(text)
  return (text:gsub("\xC2[\xA0-\xA9\xAB\xBB\xBF]", "  "):gsub("\xE2\x80[\x80-\x8B\x90-\xBF]", "   "))
end

---The text in pieces that end like sentences; line ends within one become spaces.
local function sentences(text)
  return text:gsub("%s+", " "):gmatch("[^.!?]+[.!?]?")
end

local counts, example, order = {}, {}, {}
for sentence in sentences(input.text(path)) do
  sentence = sentence:match("^%s*(.-)%s*$")
  local far = math.abs(#sentence - best_length)
  -- Letters of every script are bytes from 0x80 on.
  for word in without_marks(sentence):gmatch("[%a\x80-\xff]+") do
    word = words.normalize(word, given.language ~= "" and given.language or "english")
    if (utf8.len(word) or 0) >= given.length and (not lexicon or lexicon:contains(word)) then
      if not counts[word] then
        counts[word], order[#order + 1] = 0, word
      end
      counts[word] = counts[word] + 1
      if not example[word] or far < math.abs(#example[word] - best_length) then example[word] = sentence end
    end
  end
end
table.sort(order, function(a, b)
  if counts[a] ~= counts[b] then return counts[a] > counts[b] end
  return a < b
end)

local deck = input.deck(name)
local i = 0
local report = assert(deck:add_all(function()
  i = i + 1
  local word = order[i]
  if not word or i > given.limit then return nil end
  return { prompt = word, answer = example[word], guid = "word:" .. word, fields = { count = counts[word] } }
end))
print(("%s: %d of %d words added, %d already existed, %d refused"):format(
  name, report.added, #order, report.skipped, report.rejected_count))
