-- Cloze cards for the words that you want to learn: for each word the shortest sentence that contains it.
--
--   deckhand map Scripts/decks/cloze_wanted.lua wanted.txt < text | LC_ALL=C sort \
--     | deckhand map --reduce Scripts/decks/cloze_wanted.lua wanted.txt > cards.jsonl
--
-- wanted.txt: one word per line.

if arg[1] == "--help" then dofile((arg[0]:match("^.*/") or "") .. "lib/options.lua")({}) end
if decks then error("this script is for `deckhand map`; --help shows how to run it", 0) end
local path = arg[1] or error("usage: cloze_wanted.lua WANTED.txt", 0)
local wanted = {}
for word in assert(io.lines(path)) do
  word = word:lower():match("^%s*(.-)%s*$")
  if word ~= "" then wanted[word] = true end
end

local function shorter(a, b)
  if #a ~= #b then return #a < #b and a or b end
  return a < b and a or b
end

-- Punctuation beyond ASCII (¿ ¡ « » “ ” ’ — …) becomes blanks, because its bytes would pass for letters; byte for
-- byte, so that places stay the same.
local function without_marks(text)
  return (text:gsub("\xC2[\xA0-\xA9\xAB\xBB\xBF]", "  "):gsub("\xE2\x80[\x80-\x8B\x90-\xBF]", "   "))
end

function map(line)
  if #line > 300 then return end
  for word in without_marks(line):lower():gmatch("[%a\128-\255]+") do
    if wanted[word] then emit(word, line) end
  end
end

function combine(_, a, b) return shorter(a, b) end

---A text as the field of a note.
local function html(text)
  return (text:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }))
end

function reduce(word, values)
  local best = values()
  for value in values do best = shorter(best, value) end
  -- The first place of the word that is not a part of a longer one.
  local lower, from = without_marks(best):lower(), 1
  while true do
    local first, last = lower:find(word, from, true)
    if not first then return count("without_place") end
    local before, after = lower:sub(first - 1, first - 1), lower:sub(last + 1, last + 1)
    if not before:find("[%a\128-\255]") and not after:find("[%a\128-\255]") then
      local text = html(best:sub(1, first - 1)) .. "{{c1::" .. best:sub(first, last) .. "}}" .. html(best:sub(last + 1))
      return emit { note_type = "Cloze", note_fields = { Text = text }, guid = "cloze:" .. word }
    end
    from = last + 1
  end
end
