-- Flashcards of Pleco, as text and as XML. The XML has when a card was last reviewed, and a score of which a hundred are a day.

local common = require("common")

local back = "{{FrontSide}}<hr id=answer>{{Pinyin}}{{#Traditional}} ({{Traditional}}){{/Traditional}}<br>{{Meaning}}"
local types = {
  { name = "Chinese", fields = { "Word", "Traditional", "Pinyin", "Meaning" },
    cards = { { name = "Recognition", front = "{{Word}}", back = back } } },
}

local function row(simple, full, pinyin, meaning)
  local other, marked = full ~= simple and full or "", pinyin:gsub("//", " ")
  return { type = "Chinese", fields = { Word = simple, Traditional = other, Pinyin = marked, Meaning = meaning } }
end

common.format {
  name = "pleco", title = "Pleco flashcards", ending = "txt", holds = { "deck", "notes" }, types = types,
  sniff = function(head)
    local is_category = head:find("^\u{FEFF}?//") or head:find("\n//")
    return is_category and head:find("\n[\xE3-\xE9][^\t\n]*\t%a+%d") and 0.9 or 0
  end,
  read = function(file, add)
    local deck
    for line, text in ipairs(file.lines) do
      local category = text:match("^//%s*(.-)%s*$")
      local head, pinyin, meaning = text:match("^(.-)\t([^\t]*)\t?(.*)$")
      if category then
        deck = category:gsub("/", "::")
        add { used = "category", line = line }
      elseif head and head:find("[\xE3-\xE9]") then
        local made = row(head:match("^(.-)%[") or head, head:match("%[(.-)%]"), pinyin, (meaning:gsub("\t", "\n")))
        made.deck, made.line = deck, line
        add(made)
      elseif text:find("%S") then
        add { left = "no headword", line = line }
      end
    end
  end,
  write = function(cards)
    local out = {}
    for place, card in ipairs(cards) do
      local fields = card.fields
      local full = (fields.Traditional or "") ~= "" and "[" .. fields.Traditional .. "]" or ""
      local cells = { (fields.Word or card.prompt) .. full, fields.Pinyin or "", fields.Meaning or card.answer }
      out[place] = table.concat(cells, "\0"):gsub("[\t\n]", " "):gsub("%z", "\t") .. "\n"
    end
    return table.concat(out)
  end,
}

local function schedule(card)
  local score = (common.all(card, "scoreinfo")[1] or { attr = {} }).attr
  local last, days = tonumber(score.lastreviewedtime), (tonumber(score.score) or 100) / 100
  if not last or last == 0 then return nil end
  return { interval = days, last_review = last, due = last + days * 86400, reps = tonumber(score.reviewed),
    lapses = tonumber(score.incorrect) }
end

common.format {
  name = "pleco", title = "Pleco flashcards", ending = "xml", kind = "xml", types = types,
  sniff = function(head) return head:find("<plecoflash", 1, true) and 1 or 0 end,
  read = function(file, add)
    for number, card in ipairs(common.all(file.root, "card")) do
      local heads, item = {}, { left = "no headword" }
      for _, head in ipairs(common.all(card, "headword")) do
        heads[head.attr.charset or "sc"] = head.text
      end
      if heads.sc or heads.tc then
        local pron, defn = common.all(card, "pron")[1], common.all(card, "defn")[1]
        item = row(heads.sc or heads.tc, heads.tc, pron and pron.text or "", defn and defn.text or "")
        item.schedule, item.tags = schedule(card), {}
        for _, category in ipairs(common.all(card, "catassign")) do
          local path = (category.attr.category or ""):gsub("/", "::")
          if item.deck then table.insert(item.tags, (path:gsub("%s", "_"))) else item.deck = path end
        end
      end
      item.part = "card " .. number
      add(item)
    end
  end,
}
