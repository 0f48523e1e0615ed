-- Notes of Obsidian with the cards of its plugin Spaced Repetition: `a::b`, `a:::b`, `?` and `??` on a line, `==gaps==`.

local common = require("common")

-- What the parts of an SR comment say, one for each card: SM-2 as `date,interval,ease`, or FSRS. 2000-01-01 is a new card.
local function schedules(comment)
  local cards = {}
  for part in comment:gmatch("!([^!]+)") do
    local cell, schedule = {}, nil
    for one in (part .. ","):gmatch("([^,]*),") do
      cell[#cell + 1] = one
    end
    local function number(place) return tonumber(cell[place]) end
    if cell[1] == "fsrs" then
      schedule = { due = common.time(cell[2]), interval = number(3), stability = number(4), difficulty = number(5) }
      schedule.reps, schedule.lapses, schedule.last_review = number(7), number(8), common.time(cell[10])
    elseif cell[1] ~= "2000-01-01" then
      schedule = { due = common.time(cell[1]), interval = number(2), ease = number(3) and number(3) / 100 }
    end
    cards[#cards + 1] = { schedule = schedule }
  end
  return cards
end

-- Turns `==x==` and `{{2::x}}` into clozes.
local function clozes(text)
  local function plain(gap) return gap end
  local made, count = common.clozes(text, "==(%S.-)==%^%[(.-)%]", function(gap, hint) return gap .. "::" .. hint end)
  made, count = common.clozes(made, "==(%S.-)==%[%^.-%]", plain, count)
  made, count = common.clozes(made, "==(%S.-)==", plain, count)
  made = made:gsub("{{([^{}]+)}}", function(inner)
    local number, rest = inner:match("^(%d+)::(.*)$")
    if inner:find("^c%d+::") then return nil end
    count = count + 1
    return "{{c" .. (number or count) .. "::" .. (rest or inner) .. "}}"
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

local function read_block(add, lines, block, comments)
  local function row(item, line, to)
    item.line, item.to, item.deck, item.markup = line, to, block.deck, "markdown"
    for place = line, to do
      if comments[place] then item.cards = schedules(comments[place]) end
    end
    add(item)
  end
  for line = block.line, block.to do
    local mark = lines[line]:match("^%s*(%?%??)%s*$")
    if mark and line > block.line and line < block.to then
      local prompt, answer = common.text(lines, block.line, line - 1), common.text(lines, line + 1, block.to)
      return row({ prompt = prompt, answer = answer, reversed = mark == "??" }, block.line, block.to)
    end
  end
  local text, count = clozes(common.text(lines, block.line, block.to))
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
      add { left = count > 0 and "overlapping clozes" or "outside", line = line, to = last }
    end
    line = last + 1
  end
end

common.format {
  name = "obsidian", title = "notes of Obsidian's Spaced Repetition", ending = "md",
  sniff = function(head)
    return (head:find("<!%-%-SR:!") or head:find("#flashcards", 1, true) and head:find("%S:::?%s?%S")) and 0.9 or 0
  end,
  read = function(file, add)
    local lines, comments, deck = file.lines, {}, nil
    for place, text in ipairs(lines) do
      lines[place] = text:gsub("%s*<!%-%-SR:(.-)%-%->", function(comment)
        comments[place] = comment
        return ""
      end)
    end
    -- The first line from one on with a pattern, or the last of all.
    local function through(from, pattern)
      return common.last(lines, from, function(_, place) return not lines[place - 1]:find(pattern) end)
    end
    common.walk(lines, add, function(line, text)
      local to, fence = line, text:match("^%s*(```+)") or text:match("^%s*(~~~+)")
      local tag, rest = text:match("^#flashcards/?(%S*)%s*(.-)%s*$")
      if line == 1 and text == "---" and #lines > 1 then
        to = through(2, "^%-%-%-%s*$")
        add { used = "front matter", line = 1, to = to }
      elseif fence then
        to = line < #lines and through(line + 1, "^%s*" .. fence) or line
        add { left = "code", line = line, to = to }
      elseif text:find("^%s*<!%-%-") then
        to = through(line, "%-%->")
        add { left = "comment", line = line, to = to }
      elseif tag and rest == "" then
        deck = tag:gsub("/", "::")
        add { used = "deck", line = line }
      elseif text:find("%S") or comments[line] then
        to = common.last(lines, line, function(next, place)
          return (next:find("%S") or comments[place]) and not next:find("^%s*```")
        end)
        if tag then lines[line] = rest end
        read_block(add, lines, { line = line, to = to, deck = tag and tag:gsub("/", "::") or deck }, comments)
      end
      return to
    end)
  end,
}
