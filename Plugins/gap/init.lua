-- Adds the exercise `gap`: a sentence of the card has a gap for a word of the card, and the words to choose from are
-- those of the same deck. The word is the prompt, or what is bold on the card, such as the form that a text has.

---Where a word begins and ends in a text; only the whole word, at first as it is written.
---@return integer?, integer?
local function find(text, word)
  local pattern = "%f[%w\128-\255]" .. word:gsub("%p", "%%%0") .. "%f[^%w\128-\255]"
  local from, to = text:find(pattern)
  if from then return from, to end
  return text:lower():find(pattern:lower())
end

local function as_it_is(word) return word end

---The word without its article.
local function bare(word) return word:match("%S+$") or word end

---The first sentence with a word of the card and more, and how the word is written there.
---@return integer? number, fun(word: string): string shape, string? sentence, integer? from, integer? to
local function sentence_of(card)
  for number, word in ipairs(card.words) do
    for _, shape in ipairs { as_it_is, bare } do
      for _, sentence in ipairs(card.sentences) do
        local from, to = find(sentence, shape(word))
        if from and #sentence > #word + 3 then return number, shape, sentence, from, to end
      end
    end
  end
  return nil, as_it_is
end

assert(study.exercise {
  name = "gap",
  title = "Gap",
  summary = "Choose the word that is missing in a sentence.",
  input = "choice",
  kind = "recognition",
  prepare = function(card, ask)
    local number, shape, sentence, from, to = sentence_of(card)
    if not sentence then return nil, "no sentence with the word" end
    local word = shape(card.words[number])
    local choices, seen = { word }, { [word:lower()] = true }
    for _, other in ipairs(ask.others(12)) do
      local choice = shape(other.words[number] or other.words[1] or "")
      if #choices < 4 and choice ~= "" and not seen[choice:lower()] and not find(sentence, choice) then
        seen[choice:lower()] = true
        choices[#choices + 1] = choice
      end
    end
    if #choices < 3 then return nil, "too few other cards" end
    local lines = { sentence }
    for line in card.answer:gmatch("[^\n]+") do
      if line ~= sentence then lines[#lines + 1] = line end
    end
    return {
      prompt = sentence:sub(1, from - 1) .. "____" .. sentence:sub(to + 1),
      choices = ask.shuffle(choices),
      expected = word,
      reveal = table.concat(lines, "\n"),
    }
  end,
})
