-- Mochi: an archive with data.json in the long form of Transit, where `~:` begins a name and `~#` a kind of list. A card has
-- sides, divided by `---`, or the fields of a template. The other direction and each group of gaps have their own answers.

local common = require("common")

local function get(map, name) return map["~:" .. name] end

local function list(value) return value and (value["~#list"] or value["~#set"] or value) or {} end

local function seconds(value)
  local number = type(value) == "table" and value["~#dt"] or value and tonumber(value:match("^~[mt](%d+)$"))
  return number and number / 1000 or common.time(value)
end

local function history(answers)
  local reviews, due = {}, nil
  for place, answer in ipairs(answers or {}) do
    local at, days = seconds(get(answer, "date")), get(answer, "interval")
    reviews[place] = { at = at, rating = get(answer, "remembered?") and 3 or 1, seconds = get(answer, "duration") }
    due = seconds(get(answer, "due")) or days and at + days * 86400
  end
  return { reviews = reviews, schedule = due and { due = due } }
end

-- The content of a card by its template: `<< Name >>` is a field, and `<< #name >>` to `<< /name >>` is there if it is full.
-- Without a template, the first field is the front.
local function filled(template, fields)
  local values, names, others = {}, template and get(template, "fields") or {}, {}
  for key, field in pairs(fields) do
    local value = get(field, "value") or ""
    values[(names[key] and get(names[key], "name") or key):lower()] = value == true and "yes" or value
    if key ~= "~:name" then others[#others + 1] = "<< " .. key .. " >>" end
  end
  table.sort(others)
  local text = template and get(template, "content") or "<< ~:name >>\n---\n" .. table.concat(others, "\n\n")
  local function value(name) return values[name:lower()] or "" end
  text = text:gsub("<<%s*([#^])%s*(.-)%s*>>(.-)<<%s*/%s*%2%s*>>", function(mark, name, inner)
    return (value(name) ~= "") == (mark == "#") and inner or ""
  end)
  return (text:gsub("<<%s*(.-)%s*>>", value))
end

local function row_of(card, deck, templates)
  local row, text, last = { deck = deck.path, tags = {}, markup = "markdown" }, get(card, "content") or "", 0
  row.guid = (get(card, "id") or ""):gsub("^~:", "")
  if get(card, "fields") and not text:find("%S") then
    text = filled(templates[get(card, "template-id") or deck.template or ""], get(card, "fields"))
  end
  text = ("\n" .. text:gsub("\r", "")):gsub("%(@media/", "(")
  local front, back = text:match("^(.-)\n%-%-%-+[ \t]*\n(.*)$")
  -- Gaps without a number are one group.
  local gaps = (front or text):gsub("{{([^{}]+)}}", function(gap)
    local number, rest = gap:match("^(%d%d?)::(.*)$")
    last = math.max(last, tonumber(number or 1))
    return "{{c" .. tonumber(number or 1) .. "::" .. (rest or gap) .. "}}"
  end)
  if last > 0 then
    local own = get(card, "cloze/reviews") or {}
    row.type, row.fields, row.cards = "Cloze", { Text = gaps, ["Back Extra"] = back or "" }, {}
    for number = 1, last do
      row.cards[number] = history(own["~i" .. number] or own[tostring(number)] or number == 1 and get(card, "reviews"))
    end
  else
    local is_both = get(card, "review-reverse?")
    if is_both == nil then is_both = deck.is_both end
    common.sides(row, front or text, (back or ""):gsub("{{([^{}]+)}}", "%1"))
    row.left, row.reversed = not front and "one side" or row.left, is_both and true
    row.cards = { history(get(card, "reviews")), is_both and history(get(card, "reverse-reviews")) or nil }
  end
  if get(card, "trashed?") or deck.is_trashed then row.left = "in the trash" end
  row.suspended = (get(card, "archived?") or deck.is_archived) and true
  for place, tag in ipairs(list(get(card, "tags"))) do
    row.tags[place] = tag:gsub("%s", "_")
  end
  return row
end

-- What the cards of a deck need of it and of those that it is in.
local function deck_of(known, id, depth)
  local own = known[id]
  if not own or depth > 50 then return {} end
  local above = deck_of(known, get(own, "parent-id"), depth + 1)
  return {
    path = (above.path and above.path .. "::" or "") .. (get(own, "name") or ""), template = get(own, "template-id"),
    is_trashed = get(own, "trashed?") or above.is_trashed, is_archived = get(own, "archived?") or above.is_archived,
    is_both = get(own, "review-reverse?"),
  }
end

common.format {
  name = "mochi", title = "an export of Mochi", ending = "mochi", kind = "zip",
  read = function(file, add)
    local data, known, templates = file:entry("data.json", "json"), {}, {}
    if not data then return nil, "there is no data.json in it; export it from Mochi as JSON" end
    if not get(data, "decks") then return nil, "data.json has no decks, or is in the short form of Transit" end
    for _, template in ipairs(list(get(data, "templates"))) do
      templates[get(template, "id")] = template
    end
    for place, deck in ipairs(list(get(data, "decks"))) do
      known[get(deck, "id") or place] = deck
    end
    local function add_all(cards, deck)
      for _, card in ipairs(list(cards)) do
        local row = row_of(card, deck_of(known, deck or get(card, "deck-id"), 0), templates)
        row.part = "card " .. (row.guid ~= "" and row.guid or get(card, "name") or "")
        add(row)
      end
    end
    for place, deck in ipairs(list(get(data, "decks"))) do
      add_all(get(deck, "cards"), get(deck, "id") or place)
    end
    add_all(get(data, "cards"))
  end,
}
