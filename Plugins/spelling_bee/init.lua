-- Adds the mode `spelling_bee`: words of four letters or more from seven letters, each used as often as you like. The middle
-- letter must be in every word; a word with all seven is a pangram and gives seven extra points.

---The different letters of a word, in the order in which they first occur; ς is the letter σ at the end of a word.
---@param word string
---@return string[]
local function letters_of(word)
  local letters, seen = {}, {}
  for _, code in utf8.codes((word:gsub("ς", "σ"))) do
    local letter = utf8.char(code)
    if not seen[letter] then
      seen[letter] = true
      letters[#letters + 1] = letter
    end
  end
  return letters
end

---A word with exactly seven different letters: the chosen one, or a random one.
---@param game game
---@return string
local function pangram(game)
  if #letters_of(game.base_word) == 7 then return game.base_word end
  for try = 1, 4000 do
    -- There may be no such common word.
    local lexicon = try <= 2000 and game.lexicon or assert(words.lexicon(game.language))
    local word = lexicon:random { length = 7 + try % 3 }
    if word and #letters_of(word) == 7 then return word end
  end
  error("no word of seven different letters was found in " .. game.language)
end

---@param game game
local function setup(game)
  local base = pangram(game)
  game.data.letters = letters_of(base)
  return {
    base = base,
    rules = { "min_length:4", "unused", "contains:" .. game.data.letters[4], "reusable_letters", "in_dictionary" },
  }
end

---The seven letters, with the one that must be in every word in brackets.
---@param game game
---@return string
local function show(game)
  local letters = game.data.letters
  return ("%s %s %s [%s] %s %s %s"):format(table.unpack(letters))
end

---One point for four letters, one point per letter for more, and seven extra points for a pangram.
---@param _ game
---@param word string
---@return integer
local function score(_, word)
  local length = utf8.len(word)
  local points = length == 4 and 1 or length
  return #letters_of(word) == 7 and points + 7 or points
end

assert(games.mode {
  name = "spelling_bee",
  title = "Spelling bee",
  summary = "Seven letters, used as often as you like; the middle one must be in every word.",
  length = 8,
  setup = setup,
  show = show,
  score = score,
})
