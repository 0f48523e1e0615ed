-- Org files with cards of org-drill (headings tagged `:drill:`) or org-srs (a drawer `:SRSITEMS:`). Of org-drill there is no
-- log of answers, so its interval and ease are taken; org-srs has each answer.

local common = require("common")
local add = common.add

local sided = {
  name = "Org: two sides",
  fields = { "Text", "First", "Second", "More" },
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
        items = { kind = name:match("::card::(%a+)") or name:match("::cloze::(.+)") or "card", reviews = {} }
        table.insert(card.tables, items)
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

-- Makes `[x]` or `[x||hint]` clozes, numbered unless all are one card.
local function drill_clozes(text, is_one)
  local count = 0
  local made = text:gsub("%f[%[]%[([^%[%]\n]+)%]%f[^%]]", function(inner)
    if inner:find("^fn:") or inner:find("^%d%d%d%d%-") then return nil end
    count = count + 1
    return "{{c" .. (is_one and 1 or count) .. "::" .. inner:gsub("||", "::") .. "}}"
  end)
  return made, count
end

local function drill(card, title)
  local kind, body, parts = card.facts.DRILL_CARD_TYPE, card.parts[1].text, card.parts
  if not kind or kind == "simple" or kind:find("^hide") or kind:find("^show") then
    local is_one = not kind or kind == "simple"
    local text, count = drill_clozes(body, is_one)
    local below = parts[2] and parts[2].text or ""
    if count > 0 then return common.cloze(text, below), is_one and 1 or count end
    if body == "" and below == "" then return { left = "empty" }, 0 end
    if below == "" then return { left = "no answer" }, 0 end
    return { prompt = body == "" and title or body, answer = below }, 1
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
  local by_kind, order = {}, {}
  for _, item in ipairs(card.tables) do
    by_kind[item.kind] = item
  end
  local text, count = card.parts[1].text:gsub("{{(%w+)}{(.-)}}", function(key, inner)
    order[#order + 1] = by_kind[key] or {}
    return "{{c" .. #order .. "::" .. inner:gsub("}{", "::") .. "}}"
  end)
  local function history(item) return { reviews = item and item.reviews, schedule = item and item.schedule } end
  local row
  if count > 0 then
    row = common.cloze(text)
    row.cards = {}
    for place, item in ipairs(order) do
      row.cards[place] = history(item)
    end
    return row
  end
  local front, back = title, text
  for _, part in ipairs(card.parts) do
    if part.title == "Front" then front = part.text elseif part.title == "Back" then back = part.text end
  end
  row = { prompt = front, answer = back, cards = { history(by_kind.card or by_kind.front or by_kind.back) } }
  if by_kind.front and by_kind.back then
    row.reversed, row.cards = true, { history(by_kind.front), history(by_kind.back) }
  end
  return row
end

local function row_of(lines, first, to, tags)
  local card, facts, row, count = parse(lines, first, to), nil, nil, nil
  local title = lines[first]:match("^%*+%s+(.-)%s*$"):gsub("%s+:[%w_@#%%:]+:$", "")
  if #card.tables > 0 then row = srs(card, title) else row, count = drill(card, title) end
  if row.left then return { left = row.left, line = first, to = to } end
  facts = card.facts
  if facts.DRILL_LAST_REVIEWED then
    local schedule = {
      due = card.due, interval = tonumber(facts.DRILL_LAST_INTERVAL), ease = tonumber(facts.DRILL_EASE),
      reps = tonumber(facts.DRILL_TOTAL_REPEATS), lapses = tonumber(facts.DRILL_FAILURE_COUNT),
      last_review = common.time(facts.DRILL_LAST_REVIEWED),
    }
    row.cards = {}
    for place = 1, count do
      row.cards[place] = { schedule = schedule }
    end
  end
  row.line, row.to, row.guid, row.tags = first, to, facts.ID, {}
  for tag in (tags or ""):gmatch("[^:]+") do
    if tag ~= "drill" then table.insert(row.tags, tag) end
  end
  return row
end

assert(decks.format {
  name = "org", title = "Org files of org-drill and org-srs", ending = "org", types = { sided },
  read = function(file, emit)
    local items, lines, line = {}, file.lines, 1
    while line <= #lines do
      local stars, to = lines[line]:match("^(%*+)%s"), line
      local function is_card(place)
        local drawer = place
        while lines[drawer + 1] and not lines[drawer + 1]:find("^%*") and not lines[drawer]:find("^%s*:SRSITEMS:") do
          drawer = drawer + 1
        end
        return lines[place]:match("(:[%w_@#%%:]*drill[%w_@#%%:]*:)%s*$") or lines[drawer]:find("^%s*:SRSITEMS:")
      end
      if stars then
        local is_own = is_card(line)
        while lines[to + 1] do
          local below = lines[to + 1]:match("^(%*+)%s")
          if below and (not is_own or #below <= #stars or is_card(to + 1)) then break end
          to = to + 1
        end
        local tags = lines[line]:match("%s(:[%w_@#%%:]+:)%s*$")
        if is_own then items[#items + 1] = row_of(lines, line, to, tags) else add(items, "left", "outside", line, to) end
      elseif lines[line]:find("^#%+") then
        add(items, "used", "keyword", line)
      elseif lines[line]:find("%S") then
        add(items, "left", "outside", line)
      end
      line = to + 1
    end
    emit(items)
  end,
})
