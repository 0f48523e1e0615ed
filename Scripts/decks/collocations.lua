-- Cards of the pairs of words that often occur next to each other. Prompt: the first word and a gap; answer: both words.
-- Input: one sentence per line.
--
--   deckhand map Scripts/decks/collocations.lua < text | LC_ALL=C sort \
--     | deckhand map --reduce Scripts/decks/collocations.lua > cards.jsonl
--
-- Argument of --reduce: the minimum count of a pair (default: 5).

if arg[1] == "--help" then dofile((arg[0]:match("^.*/") or "") .. "lib/options.lua")({}) end
if decks then error("this script is for `deckhand map`; --help shows how to run it", 0) end
local least = tonumber(arg[1] or 5)
if not least then error("LEAST: a number expected, got '" .. arg[1] .. "'", 0) end

-- Punctuation beyond ASCII (¿ ¡ « » “ ” ’ — …) becomes blanks, because its bytes would pass for letters.
local function without_marks(text)
  return (text:gsub("\xC2[\xA0-\xA9\xAB\xBB\xBF]", "  "):gsub("\xE2\x80[\x80-\x8B\x90-\xBF]", "   "))
end

function map(line)
  -- The word before, if it is long: short words occur next to everything.
  local before
  for word in without_marks(line):lower():gmatch("[%a\128-\255]+") do
    local is_long = (utf8.len(word) or 0) > 3
    if before and is_long then emit(before .. " " .. word, 1) end
    before = is_long and word or nil
  end
end

function combine(_, a, b) return a + b end

function reduce(pair, values)
  local count = 0
  for value in values do count = count + value end
  if count < least then return end
  local first, second = pair:match("^(%S+) (%S+)$")
  emit {
    prompt = first .. " " .. second:gsub("[%z\1-\127\194-\244][\128-\191]*", "_"),
    answer = pair,
    guid = "pair:" .. pair,
    fields = { count = count },
  }
end
