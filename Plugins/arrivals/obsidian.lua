-- Notes of Obsidian with the cards of its plugin Spaced Repetition: `a::b`, `a:::b`, `?` and `??` on a line, `==gaps==`.

local common = require("common")
local add, text_of = common.add, common.text

-- What the parts of an SR comment say, one for each card: SM-2 as `date,interval,ease`, or FSRS. 2000-01-01 is a new card.
local function schedules(comment)
  local cards = {}
  for part in comment:gmatch("!([^!]+)") do
    local cell = {}
    for one in (part .. ","):gmatch("([^,]*),") do
      cell[#cell + 1] = one
    end
    local number = function(place) return tonumber(cell[place]) end
    if cell[1] == "fsrs" then
      local schedule = { due = common.time(cell[2]), interval = number(3), stability = number(4) }
      schedule.difficulty, schedule.reps, schedule.lapses = number(5), number(7), number(8)
      schedule.last_review = common.time(cell[10])
      cards[#cards + 1] = { schedule = schedule }
    elseif cell[1] == "2000-01-01" then
      cards[#cards + 1] = {}
    else
      local ease = number(3)
      local schedule = { due = common.time(cell[1]), interval = number(2), ease = ease and ease / 100 }
      cards[#cards + 1] = { schedule = schedule }
    end
  end
  return cards
end

-- Turns `==x==` and `{{2::x}}` into clozes.
local function clozes(text)
  local count = 0
  local function cloze(inner, hint)
    count = count + 1
    return "{{c" .. count .. "::" .. inner .. (hint and "::" .. hint or "") .. "}}"
  end
  local function plain(inner) return cloze(inner) end
  local made = text:gsub("==(%S.-)==%^%[(.-)%]", cloze):gsub("==(%S.-)==%[%^.-%]", plain):gsub("==(%S.-)==", plain)
  made = made:gsub("{{([^{}]+)}}", function(inner)
    local number, rest = inner:match("^(%d+)::(.*)$")
    if inner:find("^c%d+::") then return nil end
    if not number then return cloze(inner) end
    count = count + 1
    return "{{c" .. number .. "::" .. rest .. "}}"
  end)
  return made, count
end

-- Splits a line at `:::` or `::` outside of code and of clozes.
local function sides(text)
  local plain = text:gsub("`[^`]*`", function(code) return ("\1"):rep(#code) end):gsub("{{.-}}", function(gap)
    return ("\1"):rep(#gap)
  end)
  local from, to = plain:find(":::", 1, true)
  if not from then from, to = plain:find("::", 1, true) end
  if from then return text:sub(1, from - 1), text:sub(to + 1), to - from == 2 end
end

local function read_block(items, lines, block, comments)
  local function row(item, line, to)
    item.line, item.to, item.deck, item.markup = line, to, block.deck, "markdown"
    for place = line, to do
      if comments[place] then item.cards = schedules(comments[place]) end
    end
    items[#items + 1] = item
  end
  for line = block.line, block.to do
    local mark = lines[line]:match("^%s*(%?%??)%s*$")
    if mark and line > block.line and line < block.to then
      local prompt, answer = text_of(lines, block.line, line - 1), text_of(lines, line + 1, block.to)
      return row({ prompt = prompt, answer = answer, reversed = mark == "??" }, block.line, block.to)
    end
  end
  local text, count = clozes(text_of(lines, block.line, block.to))
  if count > 0 and not text:find("%[%^%l+%]") then
    return row({ type = "Cloze", fields = { Text = text } }, block.line, block.to)
  end
  local line = block.line
  while line <= block.to do
    local prompt, answer, is_reversed = sides(lines[line])
    local last = line < block.to and comments[line + 1] and not lines[line + 1]:find("%S") and line + 1 or line
    if prompt then
      row({ prompt = prompt, answer = answer, reversed = is_reversed }, line, last)
    elseif lines[line]:find("%S") or comments[line] then
      add(items, "left", count > 0 and "overlapping clozes" or "outside", line, last)
    end
    line = last + 1
  end
end

local function read(file, emit)
  local items, lines, comments, deck, line = {}, file.lines, {}, nil, 1
  for place, text in ipairs(lines) do
    lines[place] = text:gsub("%s*<!%-%-SR:(.-)%-%->", function(comment)
      comments[place] = comment
      return ""
    end)
  end
  local function through(from, pattern)
    local to = from
    while to < #lines and not lines[to]:find(pattern) do
      to = to + 1
    end
    return to
  end
  while line <= #lines do
    local text, to = lines[line], line
    local fence = text:match("^%s*(```+)") or text:match("^%s*(~~~+)")
    local tag, rest = text:match("^#flashcards/?(%S*)%s*(.-)%s*$")
    if line == 1 and text == "---" and #lines > 1 then
      to = through(2, "^%-%-%-%s*$")
      add(items, "used", "front matter", 1, to)
    elseif fence then
      to = line < #lines and through(line + 1, "^%s*" .. fence) or line
      add(items, "left", "code", line, to)
    elseif text:find("^%s*<!%-%-") then
      to = through(line, "%-%->")
      add(items, "left", "comment", line, to)
    elseif tag and rest == "" then
      deck = tag:gsub("/", "::")
      add(items, "used", "deck", line)
    elseif text:find("%S") or comments[line] then
      while to < #lines and (lines[to + 1]:find("%S") or comments[to + 1]) and not lines[to + 1]:find("^%s*```") do
        to = to + 1
      end
      if tag then lines[line] = rest end
      read_block(items, lines, { line = line, to = to, deck = tag and tag:gsub("/", "::") or deck }, comments)
    end
    line = to + 1
  end
  emit(items)
end

assert(decks.format {
  name = "obsidian", title = "notes of Obsidian's Spaced Repetition", ending = "md",
  sniff = function(head)
    return (head:find("<!%-%-SR:!") or head:find("#flashcards", 1, true) and head:find("%S:::?%s?%S")) and 0.9 or 0
  end,
  read = read,
})
