-- What several readers need: times, texts of lines, clozes, elements, sides in HTML with their pictures and sounds.

local common = {}

-- Seconds since 1970 of a date with or without a time. Without a zone it is local; a date alone is the start of that day.
function common.time(text)
  local year, month, day, rest = (text or ""):match("(%d%d%d%d)-(%d%d)-(%d%d)(.*)")
  if not year then return nil end
  local hour, minute, second = rest:match("^%D*(%d%d):(%d%d):?([%d.]*)")
  local time = os.time {
    year = tonumber(year), month = tonumber(month), day = tonumber(day),
    hour = tonumber(hour or 4), min = tonumber(minute or 0), sec = math.floor(tonumber(second) or 0),
  }
  if not (hour and text:find("Z%s*$")) then return time end
  local utc = os.date("!*t", time)
  utc.isdst = os.date("*t", time).isdst
  return time + (time - os.time(utc))
end

function common.text(lines, from, to)
  return (table.concat(lines, "\n", from, to):gsub("^%s+", ""):gsub("%s+$", ""))
end

function common.cloze(text, extra) return { type = "Cloze", fields = { Text = text, ["Back Extra"] = extra or "" } } end

-- Makes clozes of what a pattern finds, numbered after `count`. `read` returns what is hidden, with its hint, or nil.
function common.clozes(text, pattern, read, count)
  count = count or 0
  local made = text:gsub(pattern, function(...)
    local gap = read(...)
    if not gap then return nil end
    count = count + 1
    return "{{c" .. count .. "::" .. gap .. "}}"
  end)
  return made, count
end

-- Adds a format. Its `read` gets the file and `add`, which takes one item; of one that is left only the reason is kept.
function common.format(format)
  local read = format.read
  format.read = function(file, emit)
    local items = {}
    local function add(item)
      local left = item.left and { left = item.left, part = item.part, line = item.line, to = item.to }
      items[#items + 1] = left or item
      if #items == 1000 then
        emit(items)
        items = {}
      end
    end
    local is_read, fault, problem = pcall(read, file, add)
    if not is_read and not tostring(fault):find("no such", 1, true) then error(fault, 0) end
    if not is_read then problem = file.name .. " is not " .. format.title end
    if problem then return nil, problem end
    emit(items)
  end
  assert(decks.format(format))
end

-- The last line of those after one that go on: `goes_on` gets each with its number.
function common.last(lines, line, goes_on)
  while lines[line + 1] and goes_on(lines[line + 1], line + 1) do
    line = line + 1
  end
  return line
end

-- Reads lines from first to last: `take` adds what begins on a line and returns its last one. Other text is left.
function common.walk(lines, add, take)
  local line = 1
  while line <= #lines do
    local to = take(line, lines[line])
    if not to and lines[line]:find("%S") then add { left = "outside", line = line } end
    line = (to or line) + 1
  end
end

-- The elements of a tag within another, in order.
function common.all(element, tag, found)
  found = found or {}
  for _, child in ipairs(element) do
    if child.tag == tag then found[#found + 1] = child end
    common.all(child, tag, found)
  end
  return found
end

-- Sets the sides of a row, and why it is left if one is empty.
function common.sides(row, prompt, answer)
  local why = not prompt:find("%S") and "the question is empty" or not answer:find("%S") and "the answer is empty" or nil
  row.prompt, row.answer, row.left = prompt, answer, why
end

-- What a program that counts like SM-2 knows of a card, whose last answer and plan are seconds. A card that was not
-- remembered has no interval.
function common.plan(last, due, ease, is_known, card)
  local interval = is_known and math.max(1, (due - last) / 86400) or 0
  return { due = due, last_review = last, interval = interval, ease = ease, reps = card.reps, lapses = card.lapses }
end

-- Returns a side with HTML in it, whose lines end as in a text. The files that it shows become those of the row: below
-- `folder`, or beside the file. A sound becomes `[sound:name]`, and a formula of Mnemosyne one of Anki.
function common.html(row, text, folder)
  row.markup, row.media = "html", row.media or {}
  local function show(tag, before, mark, path, after)
    local name = path:match("([^/\\]-)%s*$"):gsub('[:*?"<>|%[%]]', "")
    if name == "" or #name > 255 or path:find("://", 1, true) or path:find("^data:") then return nil end
    row.media[name] = folder and folder .. path or name
    if tag:lower() ~= "img" then return "[sound:" .. name .. "]" end
    return "<" .. tag .. before .. "src=" .. mark .. name .. mark .. after .. ">"
  end
  text = (text or ""):match("^%s*(.-)%s*$"):gsub("\r?\n", "<br>"):gsub("<(%a+)([^>]-%f[%a])src%s*=%s*([\"'])(.-)%3([^>]*)>", show)
  return (text:gsub("</audio>", ""):gsub("</video>", ""):gsub("<(/?%$%$?)>", "[%1]"):gsub("<(/?latex)>", "[%1]"))
end

function common.words(text)
  local words = {}
  for word in (text or ""):gmatch("%S+") do
    words[#words + 1] = word
  end
  return words
end

return common
