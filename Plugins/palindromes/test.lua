test("a palindrome counts, once", function()
  local game = assert(games.new { mode = "palindromes", base = "rotators" })
  expect(game:guess("level")):equals(7)
  expect(select(2, game:guess("level")).code):equals("already_used")
end)

test("a word that is not a palindrome is refused before the dictionary is asked", function()
  local game = assert(games.new { mode = "palindromes", base = "rotators" })
  expect(select(2, game:guess("levels")).code):equals("not_a_palindrome")
  expect(select(2, game:guess("qxq")).code):equals("not_a_word")
end)

test("a hint is a word of the game's own list", function()
  local path = folder .. "/list.txt"
  assert(files.write(path, "anna\nlevel\n"))
  local game = assert(games.new { mode = "palindromes", lexicon = assert(words.load(path, { language = "english" })) })
  assert(game:guess("anna"))
  expect(game:hint()):equals("One has 5 letters and begins with l")
end)
