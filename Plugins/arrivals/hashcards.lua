-- hashcards: texts with `Q:`, `A:` and `C:`, and the JSON of `hashcards export`, which has the answers.

local common = require("common")

-- Makes each `[x]` a cloze of its own. A bracket after a backslash is text, and one after `!` a picture.
local function clozes(text)
  text = text:gsub("\\%[", "\1"):gsub("\\%]", "\2")
  local made, count = common.clozes(text, "(!?)(%b[])", function(mark, gap) return mark == "" and gap:sub(2, -2) end)
  return made:gsub("\1", "["):gsub("\2", "]"), count
end

-- A side without its mark; `@/` begins a path from the root.
local function side(lines, from, to) return common.text(lines, from, to):sub(3):gsub("%]%(@/", "]("):match("^%s*(.-)%s*$") end

-- The row of a card that begins at a mark and ends at a line.
local function row_of(lines, open, last, deck)
  local item = { line = open.line, to = last, deck = deck, markup = "markdown" }
  if open.answer then
    item.prompt, item.answer = side(lines, open.line, open.answer - 1), side(lines, open.answer, last)
  elseif open.mark == "C" then
    local text, count = clozes(side(lines, open.line, last))
    item.type, item.fields, item.left = "Cloze", { Text = text }, count == 0 and "no_cloze" or nil
  else
    item.left = "unfinished"
  end
  return item
end

common.format {
  name = "hashcards", title = "hashcards", ending = "md",
  sniff = function(head) return head:find("^%-%-%-\nname%s*=") and (head:find("\n[QC]:") and 0.9) or 0 end,
  read = function(file, add)
    local lines, open, deck = file.lines, nil, nil
    local first = common.last(lines, 1, function(text) return text ~= lines[1] end) + 1
    if lines[first] and (lines[1] == "---" or lines[1] == "+++") then
      deck = table.concat(lines, "\n", 1, first):match('\nname%s*=%s*"([^"\n]*)"')
      add { used = "front matter", line = 1, to = first }
    else
      first = 0
    end
    local function close(last)
      if open then add(row_of(lines, open, last, deck)) end
      open = nil
    end
    for line = first + 1, #lines do
      local mark, is_rule = lines[line]:match("^([QAC]):"), lines[line]:find("^%-%-%-%s*$")
      local is_answer = mark == "A" and open and open.mark == "Q" and not open.answer
      if (mark or is_rule) and not is_answer then close(line - 1) end
      if is_answer then
        open.answer = line
      elseif is_rule then
        add { used = "separator", line = line }
      elseif mark == "A" then
        add { left = "answer without question", line = line }
      elseif mark then
        open = { mark = mark, line = line }
      elseif not open and lines[line]:find("%S") then
        add { left = "outside", line = line }
      end
    end
    close(#lines)
  end,
}

local ratings = { forgot = 1, hard = 2, good = 3, easy = 4 }

local function history(card, answers)
  local known = card.performance
  return {
    reviews = answers[card.hash],
    schedule = known and {
      due = common.time(known.dueDate), interval = known.intervalRaw, stability = known.stability,
      difficulty = known.difficulty, last_review = common.time(known.lastReviewedAt), reps = known.reviewCount,
    },
  }
end

-- The row of the cards of a text with several gaps, whose places are bytes.
local function cloze_row(group, answers)
  table.sort(group, function(a, b) return a.content.cloze.start < b.content.cloze.start end)
  local text, out, at, cards = group[1].content.cloze.text, {}, 1, {}
  for number, card in ipairs(group) do
    local gap = card.content.cloze
    local hidden = text:sub(gap.start + 1, gap["end"] + 1)
    out[#out + 1] = text:sub(at, gap.start) .. "{{c" .. number .. "::" .. hidden .. "}}"
    at, cards[number] = gap["end"] + 2, history(card, answers)
  end
  return { type = "Cloze", fields = { Text = table.concat(out) .. text:sub(at) }, cards = cards }
end

common.format {
  name = "hashcards", title = "hashcards, exported with its answers", ending = "json", kind = "json",
  sniff = function(head) return head:find('"familyHash"', 1, true) and 1 or 0 end,
  read = function(file, add)
    local answers, families, groups = {}, {}, {}
    for number, card in ipairs(file.value.cards) do
      local family = card.content.basic and number or card.familyHash or card.hash
      if not families[family] then
        families[family] = { number = number }
        groups[#groups + 1] = families[family]
      end
      table.insert(families[family], card)
      answers[card.hash] = {}
    end
    for _, session in ipairs(file.value.sessions or {}) do
      for _, review in ipairs(session.reviews) do
        local own = answers[review.hash]
        if own then
          own[#own + 1] = { at = common.time(review.reviewedAt), rating = ratings[review.grade] }
        else
          add { left = "the card is not in the file", part = "review " .. review.reviewId }
        end
      end
    end
    for _, group in ipairs(groups) do
      local card, basic = group[1], group[1].content.basic
      local row = basic and { prompt = basic.question, answer = basic.answer, cards = { history(card, answers) } }
        or cloze_row(group, answers)
      row.part, row.deck, row.markup = "card " .. group.number, card.deckName, "markdown"
      add(row)
    end
  end,
}
