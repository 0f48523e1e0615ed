-- Adds the mode `word_ladder`: from a first word to a last one, with one letter changed at each step, each step a real word. The
-- last word is found by a walk from the first, so there is always a solution.

local rungs = 5

---The words that differ from a word in exactly one letter.
---@param lexicon lexicon
---@param word string
---@return string[]
local function neighbours(lexicon, word)
  local found = {}
  for position = 1, utf8.len(word) do
    local before = word:sub(1, utf8.offset(word, position) - 1)
    local after = word:sub(utf8.offset(word, position + 1))
    for _, other in ipairs(lexicon:match(before .. "?" .. after) or {}) do
      if other ~= word then found[#found + 1] = other end
    end
  end
  return found
end

---In how many places two words of the same length have the same letter.
---@param a string
---@param b string
---@return integer
local function likeness(a, b)
  local letters, same = {}, 0
  for _, code in utf8.codes(a) do
    letters[#letters + 1] = code
  end
  local position = 0
  for _, code in utf8.codes(b) do
    position = position + 1
    if letters[position] == code then same = same + 1 end
  end
  return same
end

---The words of the game's list, common or not. A list of the game's own has another name than its language.
---@param game game
---@return lexicon
local function all_words(game)
  if game.lexicon.name ~= game.language then return game.lexicon end
  return assert(words.lexicon(game.language))
end

---A walk of `rungs` steps that begins with `start` and visits no word twice; nil if it ends too early.
---@param lexicon lexicon
---@param start string
---@return string[]?
local function walk(lexicon, start)
  local seen, word, ladder = { [start] = true }, start, { start }
  for _ = 1, rungs do
    local away, level = {}, {}
    for _, other in ipairs(neighbours(lexicon, word)) do
      local change = likeness(other, start) - likeness(word, start)
      local ways = change < 0 and away or change == 0 and level or {}
      if not seen[other] then ways[#ways + 1] = other end
    end
    -- Away from the start where there is a way, so that the ladder is worth climbing.
    local ways = #away > 0 and away or level
    if #ways == 0 then return nil end
    word = ways[math.random(#ways)]
    seen[word] = true
    ladder[#ladder + 1] = word
  end
  return ladder
end

---@param game game
---@return table? setup
---@return table? problem
local function setup(game)
  local start, ladder = game.base_word, nil
  for try = 1, 420 do
    -- A walk may end where there is no way on. Only if the first word has no ladder, another one takes its place; and there may be
    -- too few common words for a ladder.
    local lexicon = try <= 220 and game.lexicon or all_words(game)
    if try > 20 then start = lexicon:random { length = utf8.len(game.base_word) } or start end
    ladder = walk(lexicon, start)
    if ladder then break end
  end
  if not ladder then
    local message = "no ladder of words of %d letters was found in %s; try shorter words, which have more steps"
    return nil,
      {
        code = "no_base_word",
        title = "No base word",
        message = message:format(utf8.len(game.base_word), game.language),
      }
  end
  game.data.goal, game.data.ladder = ladder[#ladder], ladder
  return {
    base = start,
    rules = { "length:" .. utf8.len(start), "unused", "ladder_step", "in_dictionary" },
  }
end

---The word that the next step changes.
---@param game game
---@return string
local function top(game)
  return game.found[1] or game.base_word
end

---@param game game
---@return string
local function show(game)
  return ("%s > ... > %s"):format(top(game), game.data.goal)
end

---No points for a step; for the last one, twenty points minus two for each rung, at least one.
---@param game game
---@param word string
---@return integer
local function score(game, word)
  if word ~= game.data.goal then return 0 end
  return math.max(1, 20 - 2 * (game.count + 1))
end

---@param game game
---@return boolean
local function finished(game)
  return top(game) == game.data.goal
end

---The step that comes nearest to the goal.
---@param game game
---@return string
local function hint(game)
  local used, best = { [game.base_word] = true }, nil
  for _, word in ipairs(game.found) do
    used[word] = true
  end
  for _, word in ipairs(neighbours(all_words(game), top(game))) do
    if not used[word] and (not best or likeness(word, game.data.goal) > likeness(best, game.data.goal)) then best = word end
  end
  return best and "Try " .. best or "There is no way on from here"
end

---The ladder from which the goal was chosen.
---@param game game
---@return string, string[]
local function solution(game)
  local ladder = game.data.ladder or {}
  return "A ladder: " .. table.concat(ladder, " > "), ladder
end

assert(games.mode {
  name = "word_ladder",
  title = "Word ladder",
  summary = "Climb from one word to another, changing one letter at a time.",
  length = 4,
  setup = setup,
  show = show,
  score = score,
  finished = finished,
  hint = hint,
  solution = solution,
})
