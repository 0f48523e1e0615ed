-- Makes notes with clozes from Markdown notes: each paragraph or list item that has **bold** words becomes a note of
-- the type Cloze in which they are hidden one after the other. The headings above it are shown after the answer, and
-- the file's name becomes a tag. Running it again adds only what is new.
--
--   deckhand run Scripts/decks/cloze_notes.lua DECK FILE... [--mark "**"]
--
-- FILE may be `-`, standard input. --mark is the text on both sides of a word to hide. (`deck import` reads ==these==
-- and {{c1::these}} by itself.)

local folder = (arg[0]:match("^.*/") or "") .. "lib/"
local options, input = dofile(folder .. "options.lua"), dofile(folder .. "input.lua")
local all = table.pack(options({ mark = "**" }, "DECK", "FILE..."))
local given, name = all[1], all[2]
if given.mark == "" then error("--mark: one or more characters expected, got ''", 0) end
local mark = given.mark:gsub("%p", "%%%0")

local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }

---A paragraph as the field of a note; nil if nothing in it is marked.
local function cloze(paragraph)
  local number = 0
  local text = paragraph:gsub(mark .. "(.-)" .. mark, function(word)
    number = number + 1
    return ("{{c%d::%s}}"):format(number, word)
  end):gsub("[&<>]", escapes)
  return number > 0 and text or nil
end

---Calls `each` with every paragraph and item of a file, and the headings above it.
local function paragraphs(path, each)
  local headings, lines, in_code = {}, {}, false
  local function finish()
    if #lines > 0 then each(table.concat(lines, " "), table.concat(headings, " › ")) end
    lines = {}
  end
  for line in input.lines(path) do
    local level, title = line:match("^(#+)%s+(.-)%s*$")
    local item = line:match("^%s*[-*+]%s+(.-)%s*$") or line:match("^%s*%d+%.%s+(.-)%s*$")
    if line:find("^%s*```") then
      finish()
      in_code = not in_code
    elseif in_code then
      -- Code is not text.
    elseif level then
      finish()
      for i = #headings, #level, -1 do headings[i] = nil end
      for i = #headings + 1, #level - 1 do headings[i] = "" end
      headings[#level] = title
    elseif item then
      finish()
      lines[1] = item
    elseif line:find("%S") then
      lines[#lines + 1] = line:match("^%s*(.-)%s*$")
    else
      finish()
    end
  end
  finish()
end

local deck = input.deck(name)
local added, cards, there, refused = 0, 0, 0, {}
for i = 3, all.n do
  local tags = all[i] ~= "-" and { (all[i]:match("[^/]*$"):gsub("%s+", "_")) } or {}
  paragraphs(all[i], function(text, headings)
    local field = cloze(text)
    if not field then return end
    local note, problem = deck:add_note{
      type = "Cloze", fields = { Text = field, ["Back Extra"] = headings:gsub("[&<>]", escapes) }, tags = tags,
    }
    if note then
      added, cards = added + 1, cards + #note.cards
    elseif problem.code == "duplicate" then
      there = there + 1
    else
      refused[#refused + 1] = text:sub(1, 40) .. ": " .. problem.message
    end
  end)
end
print(("%s: %s with %s added, %d already existed, %d refused"):format(
  name, input.counted(added, "note"), input.counted(cards, "card"), there, #refused))
for i = 1, math.min(#refused, 20) do print("  " .. refused[i]) end
