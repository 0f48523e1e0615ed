-- Updates an existing deck from a table: changed answers are replaced, new rows are added at the bottom, and cards that
-- the table no longer has get the tag `gone`, or are removed with --prune; cards that it has again lose the tag. The
-- schedules of the cards stay.
-- `deckhand --dry-run run ...` shows what would change.
--
--   deckhand run Scripts/decks/update.lua FILE DECK [--prune] [--columns prompt=A,answer=B] [--format F]
--
-- The table is read as `deck import` reads it (.csv, .tsv and the others by their extensions; `-`, standard input,
-- with --format).

local folder = (arg[0]:match("^.*/") or "") .. "lib/"
local options, input = dofile(folder .. "options.lua"), dofile(folder .. "input.lua")
local given, path, name = options({ prune = false, columns = "", format = "" }, "FILE", "DECK")
local deck = input.need(decks.open(name))

-- The table is read into a deck of its own, which is removed again: every format is read, and refused rows are reported.
local draft = input.need(decks.create(name .. " (update)"))
local read = input.need(draft:import(path, {
  columns = given.columns ~= "" and given.columns or nil, format = given.format ~= "" and given.format or nil,
  two_columns = true,
}))
for _, one in ipairs(read.rejected) do print(("  line %d: %s"):format(one.line, one.message)) end
local rows, order = {}, {}
for card in draft:cards() do
  if not rows[card.prompt] then order[#order + 1] = card.prompt end
  rows[card.prompt] = { answer = card.answer, tags = card.tags }
end
input.need(decks.remove(draft.name))
if #order == 0 then error(path .. ": no row could be used; the deck was not changed", 0) end

local changed, gone, old, known = 0, 0, {}, {}
for card in deck:cards() do
  local row = rows[card.prompt]
  known[card.prompt] = true
  if not row then
    gone = gone + 1
    old[#old + 1] = card
  else
    if row.answer ~= card.answer then changed, card.answer = changed + 1, row.answer end
    for _, tag in ipairs(card.tags) do
      if tag == "gone" then card:untag("gone") end
    end
  end
end
for _, card in ipairs(old) do
  if given.prune then card:remove() else card:tag("gone") end
end
local added = 0
for _, prompt in ipairs(order) do
  if not known[prompt] then
    input.need(deck:append{ prompt = prompt, answer = rows[prompt].answer, tags = rows[prompt].tags })
    added = added + 1
  end
end
print(("%s: %d added, %d changed, %d %s"):format(name, added, changed, gone, given.prune and "removed" or "tagged gone"))
