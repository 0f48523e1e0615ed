-- hashcards: texts with `Q:`, `A:` and `C:`, and the JSON of `hashcards export`, which has the answers.

local common = require("common")
local add, text_of = common.add, common.text

-- Makes each `[x]` a cloze of its own. A bracket after a backslash is text, and one after `!` a picture.
local function clozes(text)
  local count = 0
  local made = text:gsub("\\%[", "\1"):gsub("\\%]", "\2"):gsub("(!?)(%b[])", function(mark, inner)
    if mark == "!" then return nil end
    count = count + 1
    return "{{c" .. count .. "::" .. inner:sub(2, -2) .. "}}"
  end)
  return made:gsub("\1", "["):gsub("\2", "]"), count
end

-- A side without its mark; `@/` begins a path from the root.
local function side(lines, from, to) return text_of(lines, from, to):sub(3):gsub("%]%(@/", "]("):match("^%s*(.-)%s*$") end

-- The row of an open card, or the reason why it is none.
local function finished(open, lines, last)
  local item, count = { left = "unfinished" }, 1
  if open.answer then
    item = { prompt = side(lines, open.line, open.answer - 1), answer = side(lines, open.answer, last) }
  elseif open.mark == "C" then
    item = { type = "Cloze", fields = {} }
    item.fields.Text, count = clozes(side(lines, open.line, last))
  end
  if count == 0 then item = { left = "no_cloze" } end
  item.line, item.to, item.markup = open.line, last, not item.left and "markdown" or nil
  return item
end

-- The line that ends the front matter, and the name in it.
local function front_matter(lines)
  if lines[1] ~= "---" and lines[1] ~= "+++" then return 0, nil end
  for line = 2, #lines do
    if lines[line] == lines[1] then
      return line, table.concat(lines, "\n", 1, line):match('\nname%s*=%s*"([^"\n]*)"')
    end
  end
  return 0, nil
end

assert(decks.format {
  name = "hashcards", title = "hashcards", ending = "md",
  sniff = function(head) return head:find("^%-%-%-\nname%s*=") and (head:find("\n[QC]:") and 0.9) or 0 end,
  read = function(file, emit)
    local items, lines, open = {}, file.lines, nil
    local first, deck = front_matter(lines)
    if first > 0 then add(items, "used", "front matter", 1, first) end
    local function close(last)
      if not open then return end
      local item = finished(open, lines, last)
      item.deck, items[#items + 1], open = not item.left and deck or nil, item, nil
    end
    for line = first + 1, #lines do
      local mark = lines[line]:match("^([QAC]):")
      if lines[line]:find("^%-%-%-%s*$") then
        close(line - 1)
        add(items, "used", "separator", line)
      elseif mark == "A" and open and open.mark == "Q" and not open.answer then
        open.answer = line
      elseif mark == "A" then
        close(line - 1)
        add(items, "left", "answer without question", line)
      elseif mark then
        close(line - 1)
        open = { mark = mark, line = line }
      elseif not open and lines[line]:find("%S") then
        add(items, "left", "outside", line)
      end
    end
    close(#lines)
    emit(items)
  end,
})

local ratings = { forgot = 1, hard = 2, good = 3, easy = 4 }

local function history(card, reviews)
  local known = card.performance
  return {
    reviews = reviews,
    schedule = known and {
      due = common.time(known.dueDate), interval = known.intervalRaw, stability = known.stability,
      difficulty = known.difficulty, last_review = common.time(known.lastReviewedAt), reps = known.reviewCount,
    },
  }
end

-- The row of the cards of a text with several gaps, whose places are bytes.
local function cloze_row(group, reviews)
  table.sort(group, function(a, b) return a.content.cloze.start < b.content.cloze.start end)
  local text, out, at, cards = group[1].content.cloze.text, {}, 1, {}
  for number, card in ipairs(group) do
    local gap = card.content.cloze
    local hidden = text:sub(gap.start + 1, gap["end"] + 1)
    out[#out + 1] = text:sub(at, gap.start) .. "{{c" .. number .. "::" .. hidden .. "}}"
    at, cards[number] = gap["end"] + 2, history(card, reviews[card.hash])
  end
  out[#out + 1] = text:sub(at)
  return { type = "Cloze", fields = { Text = table.concat(out) }, cards = cards }
end

assert(decks.format {
  name = "hashcards", title = "hashcards, exported with its answers", ending = "json", kind = "json",
  sniff = function(head) return head:find('"familyHash"', 1, true) and 1 or 0 end,
  read = function(file, emit)
    local items, reviews, families, known = {}, {}, {}, {}
    for _, card in ipairs(file.value.cards) do
      known[card.hash] = true
    end
    for _, session in ipairs(file.value.sessions or {}) do
      for _, review in ipairs(session.reviews) do
        if known[review.hash] then
          reviews[review.hash] = reviews[review.hash] or {}
          table.insert(reviews[review.hash], { at = common.time(review.reviewedAt), rating = ratings[review.grade] })
        else
          items[#items + 1] = { left = "the card is not in the file", part = "review " .. review.reviewId }
        end
      end
    end
    for number, card in ipairs(file.value.cards) do
      local row = card.content.basic
      if row then
        row = { prompt = row.question, answer = row.answer, cards = { history(card, reviews[card.hash]) } }
      else
        local family = card.familyHash or card.hash
        local is_first = not families[family]
        families[family] = families[family] or {}
        table.insert(families[family], card)
        row = is_first and { family = family } or nil
      end
      if row then
        row.part, row.deck, row.markup = "card " .. number, card.deckName, "markdown"
        items[#items + 1] = row
      end
    end
    for place, item in ipairs(items) do
      if item.family then
        local row = cloze_row(families[item.family], reviews)
        row.part, row.deck, row.markup = item.part, item.deck, item.markup
        items[place] = row
      end
    end
    emit(items)
  end,
})
