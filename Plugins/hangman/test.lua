local list = folder .. "/words.txt"
assert(files.write(list, "letter\nlatter\n"))
local lexicon = assert(words.load(list, { name = "small", language = "english" }))

local function play()
  return assert(games.new { mode = "hangman", base = "letter", lexicon = lexicon })
end

test("the word is hidden", function()
  local game = play()
  expect(game.base_word):equals("xxxxxx")
  expect(game.length):equals(6)
end)

test("a letter counts for each of its places", function()
  local game = play()
  expect(game:guess("t")):equals(2)
  expect(game:guess("l")):equals(1)
  expect(select(2, game:guess("t")).code):equals("already_used")
end)

test("a miss is counted once", function()
  local game = play()
  expect(select(2, game:guess("a")).message):equals("7 misses left")
  expect(select(2, game:guess("a")).code):equals("already_used")
  expect(#game.data.missed):equals(1)
end)

test("the whole word ends the game", function()
  local game = play()
  game:guess("t")
  expect(game:guess("letter")):equals(9)
  expect(game.finished):is_truthy()
end)

test("eight misses also end the game and show the word", function()
  local game = play()
  local problem
  for _, letter in ipairs { "a", "b", "c", "d", "f", "g", "h", "i" } do
    problem = select(2, game:guess(letter))
  end
  expect(problem.message):equals("The word was letter")
  expect(game.finished):is_truthy()
end)

test("a hint names a hidden letter", function()
  local game = play()
  game:guess("l")
  expect(game:hint()):equals("Try e")
end)

test("a sigma at the end of a word is found like any other", function()
  local greek = folder .. "/greek.txt"
  assert(files.write(greek, "σεισμός\n"))
  local secret = assert(words.load(greek, { name = "small greek", language = "greek" }))
  local game = assert(games.new { mode = "hangman", base = "σεισμός", lexicon = secret })
  expect(game:guess("ς")):equals(3)
  for _, letter in ipairs { "ε", "ι", "μ", "ό" } do
    game:guess(letter)
  end
  expect(game.finished):is_truthy()
end)
