-- Cards of the dictionary forms of the words of a corpus, each with its frequency and the best sentence for it: one that is
-- short, but not too short. Like frequency.lua, but `casas` counts as `casa`. Input: one sentence per line.
--
--   deckhand map Scripts/decks/lemma_frequency.lua spanish < text | LC_ALL=C sort > records
--   deckhand map --reduce Scripts/decks/lemma_frequency.lua spanish < records > cards.jsonl
--
-- Arguments: the language; for --reduce also the minimum count of a word that becomes a card (default: 3).

if arg[1] == "--help" then dofile((arg[0]:match("^.*/") or "") .. "lib/options.lua")({}) end
if decks then error("this script is for `deckhand map`; --help shows how to run it", 0) end
local language = arg[1] or error("LANGUAGE expected; --help shows how to run it", 0)
local least = tonumber(arg[2] or 3) or error("LEAST: a number expected, got '" .. arg[2] .. "'", 0)

-- What has been looked up, and what is counted, each by its lemma.
local options, lemmas, known = { language = language }, {}, 0
local counts, scores, sentences, held = {}, {}, {}, 0
local most = 200000

local function lemma_of(form)
  local lemma = lemmas[form]
  if not lemma then
    if known == most then lemmas, known = {}, 0 end
    lemma = words.lemma(form, options)
    lemmas[form], known = lemma, known + 1
  end
  return lemma
end

---Writes the collected lemmas in their order, so that the same text gives the same records.
local function flush()
  local list = {}
  for lemma in pairs(counts) do list[#list + 1] = lemma end
  table.sort(list)
  for _, lemma in ipairs(list) do emit(lemma, ("%d %d %s"):format(counts[lemma], scores[lemma], sentences[lemma])) end
  counts, scores, sentences, held = {}, {}, {}, 0
end

-- Punctuation beyond ASCII (¿ ¡ « » “ ” — …) becomes blanks, because its bytes would pass for letters. An apostrophe (’)
-- is a part of a word.
local function without_marks(text)
  return (text:gsub("\xC2[\xA0-\xA9\xAB\xBB\xBF]", "  "):gsub("\xE2\x80[\x80-\x8B\x90-\x98\x9A-\xBF]", "   "))
end

function map(line)
  if held > most then flush() end
  local score = math.abs(#line - 60)
  for form in without_marks(words.normalize(line, language)):gmatch("[%a\128-\255']+") do
    local lemma = lemma_of(form)
    local best = scores[lemma]
    if not best then
      held, counts[lemma] = held + 1, 0
    end
    counts[lemma] = counts[lemma] + 1
    if not best or score < best or (score == best and line < sentences[lemma]) then
      scores[lemma], sentences[lemma] = score, line
    end
  end
end

finish = flush

function reduce(lemma, values)
  local sum, best, sentence = 0, math.huge, nil
  for value in values do
    local count, score, text = value:match("^(%d+) (%d+) (.*)$")
    sum, score = sum + tonumber(count), tonumber(score)
    if score < best or (score == best and text < sentence) then best, sentence = score, text end
  end
  if sum < least then return end
  emit { prompt = lemma, answer = sentence, guid = "lemma:" .. lemma, fields = { count = sum } }
end
