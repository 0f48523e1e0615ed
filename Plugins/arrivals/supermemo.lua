-- The XML of SuperMemo: elements within elements. Items are cards; the titles of the others are decks.

local common = require("common")

local function child(element, tag)
  for _, child in ipairs(element) do
    if child.tag == tag then return child end
  end
  return { text = "" }
end

local function text_of(element, tag) return child(element, tag).text:match("^%s*(.-)%s*$") end

-- A number, which may have a comma.
local function number(element, tag) return tonumber((text_of(element, tag):gsub(",", "."))) end

local function unescaped(text)
  return (text:gsub("&#(%d+);", utf8.char):gsub("&(%a+);", { lt = "<", gt = ">", quot = '"', amp = "&" }))
end

local function schedule(learnt)
  local day, month, year = text_of(learnt, "lastrepetition"):match("^(%d+)%.(%d+)%.(%d+)")
  local days, factor, reps = number(learnt, "interval") or 0, number(learnt, "afactor"), number(learnt, "repetitions")
  if not day or (reps or 0) == 0 then return nil end
  local last = common.time(("%s-%02d-%02d"):format(#year > 2 and year or (year < "80" and "20" or "19") .. year, day, month))
  local ease = factor and 1.3 + (factor - 1.2) / 5.7 * 2
  local known = { reps = reps, lapses = number(learnt, "lapses") }
  return last and common.plan(last, last + days * 86400, ease, days > 0, known)
end

-- A side of an item: HTML, which may be escaped once more than XML needs. Pictures and sounds are named beside the sides.
local function side(content, tag)
  local text = text_of(content, tag):gsub("%s+", " ")
  if not text:find("<%a") and text:find("&lt;/?%a") then text = unescaped(text) end
  for _, part in ipairs(content) do
    local form = part.tag == "image" and '<img src="%s">' or part.tag == "sound" and '<audio src="%s">'
    local path, is_front = (text_of(part, "url") .. part.text):gsub("%s+", " "), text_of(part, "question") == "T"
    if form and path:find("%S") and is_front == (tag == "question") then text = text .. " " .. form:format(path) end
  end
  return text
end

local function read(element, add, path)
  local kind, title = text_of(element, "type"):lower(), unescaped(text_of(element, "title"))
  local is_item = kind == "item" or kind == "" and title == ""
  if element.tag == "supermemoelement" then
    local row, content = { part = "element " .. text_of(element, "id"), deck = path }, child(element, "content")
    common.sides(row, common.html(row, side(content, "question")), common.html(row, side(content, "answer")))
    row.left = not is_item and (kind ~= "" and kind or "topic") or row.left
    row.schedule = schedule(child(element, "learningdata"))
    add(row)
  end
  if not is_item and title ~= "" then path = (path and path .. "::" or "") .. title end
  for _, below in ipairs(element) do
    read(below, add, path)
  end
end

common.format {
  name = "supermemo", title = "the XML of SuperMemo", ending = "xml", kind = "xml",
  sniff = function(head) return head:find("<SuperMemoCollection", 1, true) and 1 or 0 end,
  read = function(file, add) read(file.root, add) end,
}
