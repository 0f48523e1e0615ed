-- Makes a deck of sums to do in the head: every pair of numbers up to --most, or --limit of them drawn at random
-- (`deckhand --seed N run ...` draws the same again). Running it again adds only what is new.
--
--   deckhand run Scripts/decks/arithmetic.lua DECK [--operations "+-x:"] [--most 12] [--limit 500]
--
-- Differences are never below 0, and divisions leave no rest.

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
for operation in given.operations:gmatch(".") do
  local make = made[operation] or error("--operations: some of + - x : expected, got '" .. operation .. "'", 0)
  for a = 2, given.most do
    for b = 2, given.most do
      local prompt, answer = make(a, b)
      cards[#cards + 1] = { prompt = prompt, answer = tostring(answer), tags = { "arithmetic" }, guid = prompt }
    end
  end
end
-- A fair draw (Fisher and Yates): only as far as cards are wanted.
local count = math.min(given.limit, #cards)
for i = 1, count do
  local j = math.random(i, #cards)
  cards[i], cards[j] = cards[j], cards[i]
end

local deck = input.deck(name)
local report = assert(deck:add_all(table.move(cards, 1, count, 1, {})))
print(("%s: %d of %d sums added, %d were there already"):format(name, report.added, #cards, report.skipped))
