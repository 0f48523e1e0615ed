-- Adds the exercise `reorder`: the words of a sentence are put in order. The sentence is a line of the card, best one
-- with the card's word that ends as a sentence does; the other lines of the card say what it means.

---@return string[]
local function words_of(text)
  local words = {}
  for word in text:gmatch("%S+") do words[#words + 1] = word end
  return words
end

---@return string? sentence, string[]? words
local function sentence_of(card)
  local best, sentence, words = 0, nil, nil
  for _, line in ipairs(card.sentences) do
    local parts, rank = words_of(line), (line:find("[.!?]$") or line:find("…$")) and 2 or 1
    for _, word in ipairs(card.words) do
      if line:lower():find(word:lower(), 1, true) then rank = rank + 2 end
    end
    if #parts <= 30 and rank > best then best, sentence, words = rank, line, parts end
  end
  return sentence, words
end

assert(study.exercise {
  name = "reorder",
  title = "Reorder",
  summary = "Put the words of a sentence in order.",
  input = "order",
  kind = "recognition",
  prepare = function(card, ask)
    local sentence, words = sentence_of(card)
    if not sentence then return nil, "no sentence" end
    local meaning = {}
    for line in (card.prompt .. "\n" .. card.answer):gmatch("[^\n]+") do
      if line ~= sentence then meaning[#meaning + 1] = line end
    end
    local tokens = ask.shuffle(words)
    if table.concat(tokens, " ") == sentence then tokens = ask.shuffle(tokens) end
    return {
      prompt = table.concat(meaning, "\n"),
      tokens = tokens,
      expected = sentence,
      reveal = sentence .. "\n" .. table.concat(meaning, "\n"),
    }
  end,
})
