-- Spreadsheets as lists: the rows of the first sheet that is not hidden, each with its cells as texts. What the columns mean
-- is decided as for any table.

---The elements of a tag within an element, in order.
---@param element table
---@param tag string
---@return table[]
local function all(element, tag, found)
  found = found or {}
  for _, child in ipairs(element) do
    if child.tag == tag then found[#found + 1] = child else all(child, tag, found) end
  end
  return found
end

---The text of all elements of a tag. In a spreadsheet of Excel, `rPh` is how Japanese is read aloud.
local function text_of(element, tag)
  local texts = {}
  for _, child in ipairs(element) do
    if child.tag == tag then texts[#texts + 1] = child.text elseif child.tag ~= "rph" then
      texts[#texts + 1] = text_of(child, tag)
    end
  end
  return table.concat(texts)
end

---A number as it is shown: 1, not 1.0.
local function number(text)
  local value = tonumber(text)
  return value and ("%.15g"):format(value) or text
end

---@param items table[]
---@param place integer
---@param cells string[]
---@param is_hidden boolean
local function add(items, place, cells, is_hidden)
  while cells[#cells] == "" do
    cells[#cells] = nil
  end
  local part = "row " .. place
  items[#items + 1] = is_hidden and #cells > 0 and { left = "a hidden row", part = part } or { cells = cells, part = part }
end

local function column(name)
  local index = 0
  for letter in name:gmatch("%a") do
    index = index * 26 + letter:upper():byte() - 64
  end
  return math.min(index, 16384)
end

local function read_xlsx(file, emit)
  local shared, items, target = {}, {}, nil
  local strings = file:entry("xl/sharedStrings.xml", "xml")
  for _, item in ipairs(strings and all(strings, "si") or {}) do
    shared[#shared + 1] = text_of(item, "t")
  end
  local book, links = file:entry("xl/workbook.xml", "xml"), file:entry("xl/_rels/workbook.xml.rels", "xml")
  for _, sheet in ipairs(book and all(book, "sheet") or {}) do
    for _, link in ipairs(links and all(links, "relationship") or {}) do
      local is_shown = (sheet.attr.state or "visible") == "visible"
      if is_shown and not target and link.attr.Id == sheet.attr["r:id"] then target = link.attr.Target end
    end
  end
  local path = target and (target:sub(1, 1) == "/" and target:sub(2) or "xl/" .. target) or "xl/worksheets/sheet1.xml"
  local sheet = file:entry(path, "xml")
  if not sheet then return nil, "the spreadsheet has no sheet" end
  for _, row in ipairs(all(sheet, "row")) do
    local cells, place = {}, tonumber(row.attr.r) or #items + 1
    while #items < place - 1 and place < 1100000 do
      add(items, #items + 1, {}, false)
    end
    for _, cell in ipairs(all(row, "c")) do
      local at = cell.attr.r and column(cell.attr.r) or #cells + 1
      local value, kind = text_of(cell, "v"), cell.attr.t
      for empty = #cells + 1, at - 1 do
        cells[empty] = ""
      end
      if kind == "s" then
        cells[at] = shared[(tonumber(value) or -1) + 1] or ""
      elseif kind == "inlineStr" then
        cells[at] = text_of(cell, "t")
      elseif kind == "b" then
        cells[at] = value == "1" and "TRUE" or "FALSE"
      else
        cells[at] = (kind == "str" or kind == "e") and value or number(value)
      end
    end
    add(items, place, cells, row.attr.hidden == "1")
  end
  emit(items)
end

local function read_ods(file, emit)
  local content, items = file:entry("content.xml", "xml"), {}
  local sheet = content and all(content, "table:table")[1]
  if not sheet then return nil, "the spreadsheet has no sheet" end
  for _, row in ipairs(all(sheet, "table:table-row")) do
    local cells, is_hidden = {}, row.attr["table:visibility"] ~= nil and row.attr["table:visibility"] ~= "visible"
    for _, cell in ipairs(row) do
      local lines = {}
      for _, paragraph in ipairs(all(cell, "text:p")) do
        lines[#lines + 1] = paragraph.text .. text_of(paragraph, "text:span")
      end
      local count = math.min(tonumber(cell.attr["table:number-columns-repeated"]) or 1, 100)
      for _ = 1, cell.tag:find("cell$") and count or 0 do
        cells[#cells + 1] = table.concat(lines, "\n")
      end
    end
    local count = math.min(tonumber(row.attr["table:number-rows-repeated"]) or 1, 1000)
    for _ = 1, count do
      add(items, #items + 1, { table.unpack(cells) }, is_hidden)
    end
  end
  while items[#items] and items[#items].cells and #items[#items].cells == 0 do
    items[#items] = nil
  end
  emit(items)
end

for name, read in pairs { xlsx = read_xlsx, ods = read_ods } do
  assert(decks.format { name = name, title = "a spreadsheet", ending = name, kind = "zip", read = read })
end
