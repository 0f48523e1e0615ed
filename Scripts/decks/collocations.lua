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

function map(line)
  local before
  for word in line:lower():gmatch("[%a\128-\255]+") do
    -- Short words occur next to everything.
    if before and #before > 3 and #word > 3 then emit(before .. " " .. word, 1) end
    before = word
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
