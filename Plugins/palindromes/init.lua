-- Adds the mode `palindromes`: any word of the language that reads the same from both ends. The word on the screen is only an
-- example; its letters need not be used.

---The longest palindromes are the hardest to think of: each letter beyond the third counts twice.
---@param game game
---@param word string
---@return integer
local function score(game, word)
  local letters = utf8.len(word)
  return letters + math.max(0, letters - 3)
end

---@param game game
---@return string
local function hint(game)
  local found = {}
  for _, word in ipairs(game.found) do
    found[word] = true
  end
  for _, word in ipairs(game.lexicon:palindromes()) do
    if not found[word] and utf8.len(word) > 2 then
      return ("One has %d letters and begins with %s"):format(utf8.len(word), word:sub(1, utf8.offset(word, 2) - 1))
    end
  end
  return "You have found them all"
end

assert(games.mode {
  name = "palindromes",
  title = "Palindromes",
  summary = "Words that read the same from both ends, made of any letters.",
  rules = { "min_length:2", "unused", "palindrome", "in_dictionary" },
  show = function() return "l e v e l" end,
  score = score,
  hint = hint,
})
