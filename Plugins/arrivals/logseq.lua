-- Pages of Logseq: a block with `#card`, its children the answer, or with `{{cloze x}}`.

local common = require("common")

-- The row of a card block that ends before `to`, or why it is none.
local function card(lines, first, to, indent)
  local item, facts, prompt, answer, tags = { line = first, to = to, markup = "markdown" }, {}, {}, {}, {}
  local is_child = false
  for line = first, to do
    local space, rest = lines[line]:match("^(%s*)%- ?(.*)$")
    is_child = is_child or line > first and space ~= nil and #space > indent
    local key, value = lines[line]:match("^%s*([%w%.%-]+):: (.*)$")
    if key then
      facts[key] = value
    else
      table.insert(is_child and answer or prompt, rest and (is_child and "- " or "") .. rest or lines[line])
    end
  end
  local text = table.concat(prompt, "\n"):gsub("%[%[card%]%]", ""):gsub("#([%w%-_/]+)", function(tag)
    if tag ~= "card" then tags[#tags + 1] = tag end
    return ""
  end)
  local filled, count = text:gsub("{{cloze (.-)}}", "{{c1::%1}}")
  item.tags, item.schedule = tags, facts["card-last-reviewed"] and {
    interval = tonumber(facts["card-last-interval"]), ease = tonumber(facts["card-ease-factor"]),
    due = common.time(facts["card-next-schedule"]), last_review = common.time(facts["card-last-reviewed"]),
    reps = tonumber(facts["card-repeats"]),
  }
  local below = #answer == 1 and answer[1]:gsub("^%- ", "") or table.concat(answer, "\n")
  if count > 0 then
    item.type, item.fields = "Cloze", { Text = filled:match("^%s*(.-)%s*$"), ["Back Extra"] = below }
  else
    item.prompt, item.answer, item.left = text:match("^%s*(.-)%s*$"), below, not below:find("%S") and "no answer" or nil
  end
  return item
end

common.format {
  name = "logseq", title = "pages of Logseq", ending = "md",
  sniff = function(head)
    return head:find("\n?[\t ]*%- [^\n]*#card") and (head:find("card%-[%w%-]+::") or head:find("\n\t%- ")) and 0.9 or 0
  end,
  read = function(file, add)
    local lines, is_page = file.lines, true
    common.walk(lines, add, function(line, text)
      is_page = is_page and text:find("^[%w%-]+:: ") ~= nil
      local is_card = text:find("^%s*%- ") and (text:find("#card%f[^%w%-_/]") or text:find("[[card]]", 1, true))
      if is_page then add { used = "property", line = line } end
      if is_page or not is_card then return is_page and line end
      local indent = #text:match("^%s*")
      local to = common.last(lines, line, function(next) return #next:match("^%s*") > indent or not next:find("%S") end)
      while not lines[to]:find("%S") do
        to = to - 1
      end
      add(card(lines, line, to, indent))
      return to
    end)
  end,
}
