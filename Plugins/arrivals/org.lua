-- Org files with cards of org-drill (headings tagged `:drill:`) or org-srs (a drawer `:SRSITEMS:`). Of org-drill there is no
-- log of answers, so its interval and ease are taken; org-srs has each answer.

local common = require("common")

local sided = {
  name = "Org: two sides", fields = { "Text", "First", "Second", "More" },
  cards = {
    { name = "First", front = "{{Text}}<br>{{First}}", back = "{{FrontSide}}<hr id=answer>{{Second}}<br>{{More}}" },
    { name = "Second", front = "{{Text}}<br>{{Second}}", back = "{{FrontSide}}<hr id=answer>{{First}}<br>{{More}}" },
  },
}

local ratings = { again = 1, hard = 2, good = 3, easy = 4 }

-- Reads the lines of a card: its facts, its tables of answers, its text and the headings below.
local function parse(lines, first, to)
  local card = { facts = {}, tables = {}, parts = { { text = {} } } }
  local drawer, items
  for line = first + 1, to do
    local text = lines[line]
    local key, value = text:match("^%s*:([%w_%-]+):%s*(.-)%s*$")
    local heading = text:match("^%*+%s+(.-)%s*$")
    if drawer and key == "END" then
      drawer = nil
    elseif drawer == "PROPERTIES" and key then
      card.facts[key] = value
    elseif drawer then
      local name = text:match("^%s*#%+NAME:%s*srsitem:(.-)%s*$")
      local star, at, rating = text:match("^%s*|%s*(%*?)%s*|%s*(%d[^|]-)%s*|%s*:?(%a*)")
      if name then
        items = { reviews = {} }
        card.tables[name:match("::card::(%a+)") or name:match("::cloze::(.+)") or "card"] = items
      elseif items and at and star == "*" then
        items.schedule = { due = common.time(at) }
      elseif items and at and ratings[rating] then
        table.insert(items.reviews, { at = common.time(at), rating = ratings[rating] })
      end
    elseif key and value == "" then
      drawer = key
    elseif heading then
      table.insert(card.parts, { title = heading, text = {} })
    elseif text:find("^%s*SCHEDULED:") or text:find("^%s*DEADLINE:") then
      card.due = common.time(text:match("<(.-)>"))
    elseif not text:find("^%s*#%s") then
      table.insert(card.parts[#card.parts].text, text)
    end
  end
  for _, part in ipairs(card.parts) do
    part.text = common.text(part.text, 1, #part.text)
  end
  return card
end

local function drill(card, title)
  local kind, body, parts = card.facts.DRILL_CARD_TYPE, card.parts[1].text, card.parts
  if not kind or kind == "simple" or kind:find("^hide") or kind:find("^show") then
    -- `[x]` or `[x||hint]`, but for a footnote and a date.
    local text, count = common.clozes(body, "%f[%[]%[([^%[%]\n]+)%]%f[^%]]", function(gap)
      return not gap:find("^fn:") and not gap:find("^%d%d%d%d%-") and gap:gsub("||", "::")
    end)
    local below = parts[2] and parts[2].text or ""
    -- The gaps of a simple card are one.
    if not kind or kind == "simple" then text, count = text:gsub("{{c%d+::", "{{c1::"), math.min(1, count) end
    if count > 0 then return common.cloze(text, below), count end
    local why = below == "" and (body == "" and "empty" or "no answer") or nil
    return { prompt = body == "" and title or body, answer = below, left = why }, 1
  elseif (kind == "twosided" or kind == "multisided") and parts[3] then
    local more = {}
    for place = 4, #parts do
      more[#more + 1] = parts[place].title .. ": " .. parts[place].text
    end
    local fields = { Text = body, First = parts[2].text, Second = parts[3].text, More = table.concat(more, "\n") }
    return { type = sided.name, fields = fields }, 2
  end
  return { left = "kind " .. kind }, 0
end

local function srs(card, title)
  local tables, order, row, front = card.tables, {}, nil, title
  local text, count = common.clozes(card.parts[1].text, "{{(%w+)}{(.-)}}", function(key, gap)
    order[#order + 1] = tables[key] or {}
    return (gap:gsub("}{", "::"))
  end)
  if count > 0 then
    row = common.cloze(text)
    row.cards = order
    return row
  end
  for _, part in ipairs(card.parts) do
    if part.title == "Front" then front = part.text elseif part.title == "Back" then text = part.text end
  end
  local is_both = tables.front and tables.back and true
  row = { prompt = front, answer = text, reversed = is_both }
  row.cards = is_both and { tables.front, tables.back } or { tables.card or tables.front or tables.back or {} }
  return row
end

local function row_of(lines, first, to)
  local card, tags = parse(lines, first, to), lines[first]:match("%s(:[%w_@#%%:]+:)%s*$") or ""
  local title, row, count, facts = lines[first]:match("^%*+%s+(.-)%s*$"):gsub("%s+:[%w_@#%%:]+:$", ""), nil, 1, card.facts
  if next(card.tables) then row = srs(card, title) else row, count = drill(card, title) end
  if facts.DRILL_LAST_REVIEWED then
    row.cards = {}
    for place = 1, count do
      row.cards[place] = { schedule = {
        due = card.due, interval = tonumber(facts.DRILL_LAST_INTERVAL), ease = tonumber(facts.DRILL_EASE),
        reps = tonumber(facts.DRILL_TOTAL_REPEATS), lapses = tonumber(facts.DRILL_FAILURE_COUNT),
        last_review = common.time(facts.DRILL_LAST_REVIEWED),
      } }
    end
  end
  row.line, row.to, row.guid, row.tags = first, to, facts.ID, common.words((tags:gsub(":drill%f[:]", ""):gsub(":", " ")))
  return row
end

common.format {
  name = "org", title = "Org files of org-drill and org-srs", ending = "org", types = { sided },
  read = function(file, add)
    local lines = file.lines
    local function is_card(place)
      local drawer = common.last(lines, place, function(text, line)
        return not text:find("^%*") and not lines[line - 1]:find("^%s*:SRSITEMS:")
      end)
      return lines[place]:match("(:[%w_@#%%:]*drill[%w_@#%%:]*:)%s*$") or lines[drawer]:find("^%s*:SRSITEMS:")
    end
    common.walk(lines, add, function(line, text)
      local stars = text:match("^(%*+)%s")
      local is_own = stars and is_card(line)
      if stars then
        local to = common.last(lines, line, function(next, place)
          local below = next:match("^(%*+)%s")
          return not below or is_own and #below > #stars and not is_card(place)
        end)
        add(is_own and row_of(lines, line, to) or { left = "outside", line = line, to = to })
        return to
      elseif text:find("^#%+") then
        add { used = "keyword", line = line }
        return line
      end
    end)
  end,
}
