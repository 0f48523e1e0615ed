local function play()
  return assert(games.new { mode = "word_ladder", base = "cold", language = "english" })
end

test("the goal is another word of the same length", function()
  local game = play()
  expect(utf8.len(game.data.goal)):equals(4)
  expect(game.data.goal):differs(game.base_word)
end)

test("the ladder begins with the word that was asked for, and ends with one that differs in nearly all letters", function()
  for seed = 1, 300 do
    local game = assert(games.new { mode = "word_ladder", base = "cold", language = "english", seed = seed })
    expect(game.base_word):equals("cold")
    local same = 0
    for position = 1, 4 do
      if game.base_word:byte(position) == game.data.goal:byte(position) then same = same + 1 end
    end
    expect(same < 2):is_truthy()
  end
end)

test("a step changes exactly one letter of the last word", function()
  local game = play()
  expect(game.base_word):equals("cold")
  expect(game:guess("cord")):is_truthy()
  expect(select(2, game:guess("bold")).code):equals("not_a_step")
  expect(select(2, game:guess("cards")).code):equals("wrong_length")
end)

test("hints lead somewhere, and reaching the goal ends the game", function()
  local game = play()
  for _ = 1, 30 do
    if game.finished then break end
    local word = game:hint():match("^Try (%S+)$")
    if not word then break end
    expect(game:guess(word)):is_truthy()
  end
  expect(game.count > 0):is_truthy()
  expect(game.finished == (game.found[1] == game.data.goal)):is_truthy()
end)

test("a game with a list of its own uses only its words", function()
  local function start(name, list)
    local path = folder .. "/" .. name
    assert(files.write(path, list))
    return games.new { mode = "word_ladder", lexicon = assert(words.load(path, { language = "english" })), base = "cold" }
  end
  expect(select(2, start("short.txt", "cold\nbold\nword\n")).code):equals("no_base_word")
  local game = assert(start("long.txt", "cold\ncord\ncard\nward\nwarn\nyarn\n"))
  expect(game:hint()):equals("Try cord")
end)
