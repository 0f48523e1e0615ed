-- Adds the mode `hangman`: a hidden word is found letter by letter, or guessed as a whole. Eight misses end the game. The word
-- is stored in `game.data`, and the base word is a row of x, so that nothing reveals it.

local misses_allowed = 8

---The letters of a word, as they are guessed: ς is the letter σ at the end of a word.
---@param text string
---@return string[]
local function letters_of(text)
  local letters = {}
  for _, code in utf8.codes((text:gsub("ς", "σ"))) do
    letters[#letters + 1] = utf8.char(code)
  end
  return letters
end

---@param list string[]
---@return table<string, boolean>
local function set_of(list)
  local set = {}
  for _, item in ipairs(list) do
    set[item] = true
  end
  return set
end

---The known letters: those that were found, or all of them if the whole word was found.
---@param game game
---@return table<string, boolean>
local function known(game)
  local secret = game.data.secret
  local found = set_of(game.found)
  return found[secret] and set_of(letters_of(secret)) or found
end

---@param game game
---@return boolean
local function solved(game)
  local open = known(game)
  for _, letter in ipairs(letters_of(game.data.secret)) do
    if not open[letter] then return false end
  end
  return true
end

---@param game game
local function setup(game)
  local secret = game.base_word
  game.data.secret = secret
  game.data.missed = {}
  return { base = ("x"):rep(utf8.len(secret)), rules = { "min_length:1", "unused" } }
end

---The text after the letters: how the game ended, or which guesses were wrong.
---@param game game
---@return string
local function state_of(game)
  local missed = game.data.missed
  if solved(game) then return "   You won: the word is " .. game.data.secret .. "." end
  if #missed >= misses_allowed then return "   You lost: the word was " .. game.data.secret .. "." end
  if #missed == 0 then return "" end
  return ("   not: %s   %d left"):format(table.concat(missed, " "), misses_allowed - #missed)
end

---@param game game
---@return string
local function show(game)
  local open, lost = known(game), #game.data.missed >= misses_allowed
  local letters, shown = letters_of(game.data.secret), {}
  for _, code in utf8.codes(game.data.secret) do
    local letter = letters[#shown + 1]
    shown[#shown + 1] = (open[letter] or lost) and utf8.char(code) or "_"
  end
  return table.concat(shown, " ") .. state_of(game)
end

---@param game game
---@param word string
local function accept(game, word)
  local secret, missed = game.data.secret, game.data.missed
  if set_of(missed)[word] then
    return nil, { code = "already_used", title = "You already tried this", message = "Keep looking!" }
  end
  if word == secret or utf8.len(word) == 1 and set_of(letters_of(secret))[word] then return true end
  missed[#missed + 1] = word
  local left = misses_allowed - #missed
  return nil, {
    code = "not_in_word",
    title = utf8.len(word) == 1 and "This letter is not in the word" or "This is not the word",
    message = left > 0 and ("%d %s left"):format(left, left == 1 and "miss" or "misses") or "The word was " .. secret,
  }
end

---One point for each place of a letter; for the whole word, one point for each letter that was still hidden, plus five.
---@param game game
---@param word string
---@return integer
local function score(game, word)
  local open, points = known(game), 0
  for _, letter in ipairs(letters_of(game.data.secret)) do
    if letter == word or word == game.data.secret and not open[letter] then points = points + 1 end
  end
  return word == game.data.secret and points + 5 or points
end

---@param game game
---@return boolean
local function finished(game)
  return #game.data.missed >= misses_allowed or solved(game)
end

---@param game game
---@return string
local function hint(game)
  local open = known(game)
  for _, letter in ipairs(letters_of(game.data.secret)) do
    if not open[letter] then return "Try " .. letter end
  end
  return "You have it"
end

---The word as a text, and in a list so that its meaning is shown.
---@param game game
---@return string, string[]
local function solution(game)
  return "The word was " .. game.data.secret .. ".", { game.data.secret }
end

assert(games.mode {
  name = "hangman",
  title = "Hangman",
  summary = "Find a hidden word letter by letter; eight misses end the game.",
  rules = { "min_length:1", "unused" },
  length = 6,
  setup = setup,
  show = show,
  accept = accept,
  score = score,
  finished = finished,
  hint = hint,
  solution = solution,
})
