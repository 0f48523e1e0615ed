-- Adds the exercise `reorder`: the words of a sentence are put in order. The sentence is the field `Sentence`, or the
-- first of prompt and answer that has at least three words; the other side says what it means.

local fewest, most = 3, 30

---@return string[]
local function words_of(text)
  local words = {}
  for word in tostring(text or ""):gmatch("%S+") do words[#words + 1] = word end
  return words
end

assert(study.exercise {
  name = "reorder",
  title = "Reorder",
  summary = "Put the words of a sentence in order.",
  input = "order",
  kind = "recognition",
  prepare = function(card, ask)
    local sides = { { card.prompt, card.answer }, { card.answer, card.prompt } }
    local sentence = card.fields.Sentence
    if sentence then table.insert(sides, 1, { tostring(sentence), card.prompt .. ", " .. card.answer }) end
    for _, side in ipairs(sides) do
      local words = words_of(side[1])
      if #words >= fewest and #words <= most then
        local tokens = ask.shuffle(words)
        if table.concat(tokens, " ") == table.concat(words, " ") then tokens = ask.shuffle(words) end
        return { prompt = side[2], tokens = tokens, expected = side[1], reveal = side[1] .. "\n" .. side[2] }
      end
    end
    return nil, "no sentence"
  end,
})
