-- Cards of the words of a corpus, with how often each stands there and the best sentence for it: one that is short, but not
-- too short. Lines in, one sentence a line; for as many machines as there are.
--
--   deckhand map Scripts/decks/frequency.lua < text | LC_ALL=C sort | deckhand map --reduce Scripts/decks/frequency.lua > cards.jsonl
--   deckhand deck import Words cards.jsonl
--
-- Arguments of --reduce: the least count of a word that becomes a card (3).

if arg[1] == "--help" then dofile((arg[0]:match("^.*/") or "") .. "lib/options.lua")({}) end
local least = tonumber(arg[1] or 3)
if not least then error("LEAST: a number expected, got '" .. arg[1] .. "'", 0) end

-- A value is "COUNT SCORE SENTENCE" in one text: a table for each word costs twice the time.
local function parts(value)
  local count, score, sentence = value:match("^(%d+) (%d+) (.*)$")
  return tonumber(count), tonumber(score), sentence
end

---How far a sentence is from 60 bytes, the best length to learn from.
local function score(sentence)
  return math.abs(#sentence - 60)
end

function map(line)
  local seen = {}
  for word in line:lower():gmatch("[%a\128-\255]+") do
    if #word > 1 then
      -- The sentence counts once for a word that stands in it twice.
      emit(word, seen[word] and "1 9999 " or ("1 %d %s"):format(score(line), line))
      seen[word] = true
    end
  end
end

function combine(_, a, b)
  local count_a, score_a, sentence_a = parts(a)
  local count_b, score_b, sentence_b = parts(b)
  if score_b < score_a or (score_b == score_a and sentence_b < sentence_a) then
    score_a, sentence_a = score_b, sentence_b
  end
  return ("%d %d %s"):format(count_a + count_b, score_a, sentence_a)
end

function reduce(word, values)
  local sum = values()
  for value in values do sum = combine(word, sum, value) end
  local count, _, sentence = parts(sum)
  if count < least then return end
  emit { prompt = word, answer = sentence, guid = "freq:" .. word, fields = { count = count } }
end
