-- My Clippings.txt of a Kindle. Its lines are in the language of the device, so no word is looked for: a range of places is
-- a highlight, one place a note, an entry without text a bookmark. A word within a longer highlight is a card with it.

local common = require("common")

local function entries(lines)
  local found, first = {}, 1
  for line, text in ipairs(lines) do
    if text:find("^==========%s*$") then
      local head = (lines[first + 1] or ""):gsub("%d+:%d%d.*$", ""):gsub("–", "-")
      local from, to = head:match("(%d+)%s*%-%s*(%d+)")
      found[#found + 1] = {
        line = first, to = line, title = lines[first]:gsub("\u{FEFF}", ""), from = tonumber(from), till = tonumber(to),
        text = common.text(lines, first + 2, line - 1),
      }
      first = line + 1
    end
  end
  return found, first
end

-- Whether the later of two entries of one place is an edit of the other.
local function replaces(new, old)
  if not new.from or new.from ~= old.from or new.title ~= old.title then return false end
  local a, b = new.text:gsub("%p+$", ""), old.text:gsub("%p+$", "")
  return a:find(b, 1, true) ~= nil or b:find(a, 1, true) ~= nil
end

-- The longest entry of the place that has the text of another one.
local function context(word, all)
  for _, other in ipairs(all) do
    local holds = other.from and not other.is_old and other.title == word.title and #other.text > #word.text
    if holds and other.from <= word.from and word.from <= other.till and other.text:find(word.text, 1, true) then
      return other.text
    end
  end
end

common.format {
  name = "clippings", title = "the clippings of a Kindle", ending = "txt",
  sniff = function(head) return head:find("\n%- [^\n]*%d[^\n]*\r?\n\r?\n[^\n]*\r?\n==========") and 1 or 0 end,
  read = function(file, add)
    local all, rest = entries(file.lines)
    for place, entry in ipairs(all) do
      for later = place + 1, #all do
        entry.is_old = entry.is_old or replaces(all[later], entry)
      end
    end
    for _, entry in ipairs(all) do
      local why = entry.text == "" and "bookmark" or not entry.from and "note" or entry.is_old and "superseded" or nil
      local answer = not why and context(entry, all) or entry.title
      add { line = entry.line, to = entry.to, prompt = entry.text, answer = answer, left = why }
    end
    common.walk(file.lines, add, function(line) return line < rest and line end)
  end,
}
