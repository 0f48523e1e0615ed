-- Adds the exercise `gap`: a sentence of the card has a gap for its prompt, and the words to choose from are prompts of
-- the same deck. The sentence is a field with the prompt in it, `Sentence` before the others, or the answer.

---Where a word begins and ends in a text; only the whole word, at first as it is written.
---@return integer?, integer?
local function find(text, word)
  local pattern = "%f[%w\128-\255]" .. word:gsub("%p", "%%%0") .. "%f[^%w\128-\255]"
  local from, to = text:find(pattern)
  if from then return from, to end
  return text:lower():find(pattern:lower())
end

---The first text with the word among others.
---@return string? sentence, integer? from, integer? to
local function sentence_of(card)
  local names = {}
  for name in pairs(card.fields) do names[#names + 1] = name end
  table.sort(names)
  local texts = { card.fields.Sentence }
  for _, name in ipairs(names) do texts[#texts + 1] = card.fields[name] end
  texts[#texts + 1] = card.answer
  for _, field in ipairs(texts) do
    local text = tostring(field)
    local from, to = find(text, card.prompt)
    if from and select(2, text:gsub("%S+", "")) > 2 then return text, from, to end
  end
end

assert(study.exercise {
  name = "gap",
  title = "Gap",
  summary = "Choose the word that is missing in a sentence.",
  input = "choice",
  kind = "recognition",
  prepare = function(card, ask)
    local sentence, from, to = sentence_of(card)
    if not sentence then return nil, "no sentence with the word" end
    local choices, seen = { card.prompt }, { [card.prompt:lower()] = true }
    for _, other in ipairs(ask.others(12)) do
      local low = other.prompt:lower()
      if #choices < 4 and not seen[low] and not find(sentence, other.prompt) then
        seen[low] = true
        choices[#choices + 1] = other.prompt
      end
    end
    if #choices < 3 then return nil, "too few other cards" end
    return {
      prompt = sentence:sub(1, from - 1) .. "____" .. sentence:sub(to + 1),
      choices = ask.shuffle(choices),
      expected = card.prompt,
      reveal = sentence .. "\n" .. card.answer,
    }
  end,
})
