-- Mnemosyne 2: its database, with each answer, and shared sets of cards, without. A fact is a note; its cards are told apart
-- by their view, and those of a text with gaps by an index.

local common = require("common")

local ratings = { ["0"] = 1, ["1"] = 1, ["2"] = 2, ["3"] = 3, ["4"] = 3, ["5"] = 4 }
local kinds = { ["4"] = "a map", ["6"] = "a sentence", ["7"] = "a card of several sides" }
local back = "{{FrontSide}}<hr id=answer>"
local types = {
  { name = "Mnemosyne: Vocabulary", fields = { "Word", "Pronunciation", "Meaning", "Notes" },
    cards = {
      { name = "Recognition", front = "{{Word}}", back = back .. "{{Pronunciation}}<br>{{Meaning}}<br>{{Notes}}" },
      { name = "Production", front = "{{Meaning}}", back = back .. "{{Word}}<br>{{Pronunciation}}<br>{{Notes}}" },
    } },
}

local function history(card)
  local reviews, due = {}, card.next_rep
  for at, grade, seconds in (card.answers or ""):gmatch("(%d+) ([0-5]) (%d+)") do
    seconds = seconds ~= "0" and tonumber(seconds) or nil
    reviews[#reviews + 1] = { at = tonumber(at), rating = ratings[grade], seconds = seconds }
  end
  if (card.grade or -1) < 0 or not card.last_rep or card.last_rep <= 0 then return { reviews = reviews } end
  -- Its days are midnights of UTC.
  if due % 86400 == 0 then due = common.time(os.date("!%Y-%m-%d", due)) end
  return { reviews = reviews, schedule = common.plan(card.last_rep, due, card.easiness, card.grade >= 2, card) }
end

-- The row of a fact with its cards, whose files are below `folder`.
local function row_of(note, folder)
  local data, id, count = note.data, note[1] and note[1].card_type_id or "", 0
  local kind, row = id:match("^%d*"), { guid = note.guid, part = note.part, tags = common.words(note.tags), cards = {} }
  local function html(text) return common.html(row, text, folder) end
  if kind == "5" then
    data.text, count = common.clozes(data.text or "", "%[([^%]]+)%]", function(gap) return (gap:gsub(":", "::", 1)) end)
    row.type, row.fields, row.left = "Cloze", { Text = html(data.text) }, count == 0 and "no_cloze" or nil
  elseif kind:find("^[123]$") then
    count, row.reversed = kind == "1" and 1 or 2, kind == "2"
    common.sides(row, html(data.f), html(kind == "3" and data.m_1 or data.b))
    row.type = kind == "3" and types[1].name or nil
    row.fields = { Word = row.prompt, Pronunciation = html(data.p_1), Meaning = row.answer, Notes = html(data.n) }
  else
    row.left = kinds[kind] or id == "" and "no cards" or "kind " .. id
  end
  for place = 1, count do
    row.cards[place] = {}
  end
  for _, card in ipairs(note) do
    local index = (card.extra_data or ""):match("'index': (%d+)")
    local place = index and index + 1 or tonumber((card.fact_view_id or ""):match("%d+$"))
    if row.cards[place] then row.cards[place] = history(card) end
  end
  return row
end

-- The cards of 500 facts. Old answers are moved to another file; without the first one, the others say nothing.
local cards_after = [[
  select f._id as fact, f.id as guid, card_type_id, fact_view_id, c.extra_data, next_rep, last_rep, easiness, grade,
    acq_reps + ret_reps as reps, lapses,
    (select group_concat(key || char(31) || value || char(30), '') from data_for_fact where _fact_id = f._id) as data,
    (select group_concat(replace(name, ' ', '_'), ' ') from tags_for_card join tags on _id = _tag_id
      where _card_id = c._id and name != '__UNTAGGED__') as tags,
    (select case when min(acq_reps + ret_reps) < 2
        then group_concat(timestamp || ' ' || grade || ' ' || coalesce(thinking_time, 0), ';') end
      from log where object_id = c.id and event_type = 9) as answers
  from facts as f left join cards as c on c._fact_id = f._id
  where f._id in (select _id from facts where _id > ? order by _id limit 500) order by f._id, c._id]]

common.format {
  name = "mnemosyne", title = "the database of Mnemosyne 2", ending = "db", kind = "sqlite", types = types,
  -- Its list of tables mostly begins beyond the head. A program of Android writes a version there, and Mnemosyne none.
  sniff = function(head)
    local is_long = head:byte(101) == 5 and head:sub(61, 64) == "\0\0\0\0"
    return (is_long or head:find("data_for_fact", 1, true)) and not head:find("learning_data", 1, true) and 1 or 0
  end,
  read = function(file, add)
    local last, cards, note = 0, nil, nil
    repeat
      cards = file:query(cards_after, last)
      for place, card in ipairs(cards) do
        if card.fact ~= last then
          note, last = { guid = card.guid, part = "note " .. card.fact, tags = card.tags, data = {} }, card.fact
          for key, text in (card.data or ""):gmatch("(.-)\31(.-)\30") do
            note.data[key] = text
          end
        end
        note[#note + 1] = card
        if not cards[place + 1] or cards[place + 1].fact ~= last then add(row_of(note, file.name .. "_media/")) end
      end
    until #cards == 0
  end,
}

common.format {
  name = "mnemosyne", title = "cards of Mnemosyne 2", ending = "cards", kind = "zip", types = types,
  read = function(file, add)
    local root, tags, notes = file:entry("cards.xml", "xml"), { __UNTAGGED__ = "" }, {}
    if not root then return nil, "there is no cards.xml in it" end
    for _, entry in ipairs(root) do
      local attr, data, note = entry.attr, {}, notes[entry.attr.fact]
      for _, child in ipairs(entry) do
        data[child.tag] = child.text
      end
      if attr.type == "10" then
        tags[attr.o_id] = tags[attr.o_id] or (data.name or ""):gsub("%s", "_")
      elseif attr.type == "16" then
        notes[#notes + 1] = { guid = attr.o_id, part = "note " .. #notes + 1, data = data }
        notes[attr.o_id] = notes[#notes]
      elseif attr.type == "6" and note then
        note[#note + 1] = { card_type_id = attr.card_t, fact_view_id = attr.fact_v, extra_data = data.extra }
        note.tags = (attr.tags or ""):gsub("[^,]+", tags):gsub(",", " ")
      end
    end
    for _, note in ipairs(notes) do
      add(row_of(note, ""))
    end
  end,
}
