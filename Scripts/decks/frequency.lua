-- Cards of the words of a corpus, each with its frequency and the best sentence for it: one that is short, but not too
-- short. Input: one sentence per line. It can be divided among many machines.
--
--   deckhand map Scripts/decks/frequency.lua < text | LC_ALL=C sort | deckhand map --reduce Scripts/decks/frequency.lua > cards.jsonl
--   deckhand deck import Words cards.jsonl
--
-- Argument of --reduce: the minimum count of a word that becomes a card (default: 3).

if arg[1] == "--help" then dofile((arg[0]:match("^.*/") or "") .. "lib/options.lua")({}) end
if decks then error("this script is for `deckhand map`; --help shows how to run it", 0) end
local least = tonumber(arg[1] or 3)
if not least then error("LEAST: a number expected, got '" .. arg[1] .. "'", 0) end

-- Separate tables, one for each part of a value, take half the time of emitting each word and combining two values.
local counts, scores, sentences, held = {}, {}, {}, 0
local most = 200000

---Writes the collected words in their order, so that the same text gives the same records.
local function flush()
  local words = {}
  for word in pairs(counts) do words[#words + 1] = word end
  table.sort(words)
  for _, word in ipairs(words) do emit(word, ("%d %d %s"):format(counts[word], scores[word], sentences[word])) end
  counts, scores, sentences, held = {}, {}, {}, 0
end

-- Punctuation beyond ASCII (¿ ¡ « » “ ” ’ — …) becomes blanks, because its bytes would pass for letters.
local function without_marks(text)
  return (text:gsub("\xC2[\xA0-\xA9\xAB\xBB\xBF]", "  "):gsub("\xE2\x80[\x80-\x8B\x90-\xBF]", "   "))
end

function map(line)
  if held > most then flush() end
  -- How far the sentence is from 60 bytes, the best length to learn from.
  local score = math.abs(#line - 60)
  for word in without_marks(line):lower():gmatch("[%a\128-\255][%a\128-\255]+") do
    local count = counts[word]
    if count then
      counts[word] = count + 1
      local best = scores[word]
      if score < best or (score == best and line < sentences[word]) then
        scores[word], sentences[word] = score, line
      end
    elseif #word > 4 or (utf8.len(word) or 0) > 1 then
      -- One letter, which has up to four bytes, is not counted.
      counts[word], scores[word], sentences[word] = 1, score, line
      held = held + 1
    end
  end
end

finish = flush

function reduce(word, values)
  local sum, best, sentence = 0, math.huge, nil
  for value in values do
    local count, score, text = value:match("^(%d+) (%d+) (.*)$")
    sum, score = sum + tonumber(count), tonumber(score)
    if score < best or (score == best and text < sentence) then best, sentence = score, text end
  end
  if sum < least then return end
  emit { prompt = word, answer = sentence, guid = "freq:" .. word, fields = { count = sum } }
end
