-- Makes a deck of mental arithmetic: every pair of numbers up to --most, or --limit of them chosen at random
-- (`deckhand --seed N run ...` chooses the same ones again). Running it again adds only what is new.
--
--   deckhand run Scripts/decks/arithmetic.lua DECK [--operations "+-x:"] [--most 12] [--limit 500]
--
-- Differences are never below 0, and divisions have no remainder.

local folder = (arg[0]:match("^.*/") or "") .. "lib/"
local options, input = dofile(folder .. "options.lua"), dofile(folder .. "input.lua")
local given, name = options({ operations = "+-x:", most = 12, limit = 500 }, "DECK")

local made = {
  ["+"] = function(a, b) return ("%d + %d"):format(a, b), a + b end,
  ["-"] = function(a, b) return ("%d - %d"):format(a + b, b), a end,
  ["x"] = function(a, b) return ("%d × %d"):format(a, b), a * b end,
  [":"] = function(a, b) return ("%d : %d"):format(a * b, b), a end,
}

local cards = {}
for operation in given.operations:gmatch(utf8.charpattern) do
  local make = made[operation] or error("--operations: one or more of + - x : expected, got '" .. operation .. "'", 0)
  for a = 2, given.most do
    for b = 2, given.most do
      local prompt, answer = make(a, b)
      cards[#cards + 1] = { prompt = prompt, answer = tostring(answer), tags = { "arithmetic" }, guid = prompt }
    end
  end
end
-- A fair shuffle (Fisher and Yates), only as far as cards are needed.
local count = math.min(given.limit, #cards)
for i = 1, count do
  local j = math.random(i, #cards)
  cards[i], cards[j] = cards[j], cards[i]
end

local deck = input.deck(name)
local report = assert(deck:add_all(table.move(cards, 1, count, 1, {})))
print(("%s: %d of %d sums added, %d already existed"):format(name, report.added, #cards, report.skipped))
