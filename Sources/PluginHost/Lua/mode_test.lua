-- `plugin test NAME` runs this, with data of its own that is deleted afterwards.

local list = folder .. "/words.txt"
assert(files.write(list, "perro\ngato\nlluvia\n"))
local lexicon = assert(words.load(list, { name = "small", language = "spanish" }))

test("a word needs a double letter", function()
  local game = assert(games.new { mode = "NAME", base = "perro", lexicon = lexicon })
  expect(game:guess("perro")):equals(5)
  expect(game:guess("lluvia")):equals(6)
  expect(select(2, game:guess("gato")).message):matches("double")
end)
