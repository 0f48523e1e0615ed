-- What several readers need: times, texts of lines, clozes.

local common = {}

-- Seconds since 1970 of a date with or without a time. Without a zone it is local; a date alone is the start of that day.
function common.time(text)
  local year, month, day, rest = (text or ""):match("(%d%d%d%d)-(%d%d)-(%d%d)(.*)")
  if not year then return nil end
  local hour, minute, second = rest:match("^%D*(%d%d):(%d%d):?([%d.]*)")
  local parts = {
    year = tonumber(year), month = tonumber(month), day = tonumber(day),
    hour = tonumber(hour or 4), min = tonumber(minute or 0), sec = math.floor(tonumber(second) or 0),
  }
  local time = os.time(parts)
  if not (hour and text:find("Z%s*$")) then return time end
  local utc = os.date("!*t", time)
  utc.isdst = os.date("*t", time).isdst
  return time + (time - os.time(utc))
end

function common.text(lines, from, to)
  return (table.concat(lines, "\n", from, to):gsub("^%s+", ""):gsub("%s+$", ""))
end

function common.cloze(text, extra) return { type = "Cloze", fields = { Text = text, ["Back Extra"] = extra or "" } } end

-- Adds lines that are left or used to the items.
function common.add(items, key, words, line, to) items[#items + 1] = { [key] = words, line = line, to = to or line } end

return common
