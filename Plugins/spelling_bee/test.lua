-- "centrum" has seven different letters; the middle one is t.
local list = folder .. "/words.txt"
assert(files.write(list, "centrum\ncurt\ncute\nmute\nteem\nterm\nmenu\nrecurrent\ntent\nten\n"))
local lexicon = assert(words.load(list, { name = "small", language = "english" }))

local function play()
  return assert(games.new { mode = "spelling_bee", base = "centrum", lexicon = lexicon })
end

test("four letters give one point, longer words one point per letter", function()
  expect(play():guess("term")):equals(1)
  expect(play():guess("recurrent")):equals(9)
end)

test("letters may repeat", function()
  expect(play():guess("tent")):equals(1)
end)

test("a pangram gives seven extra points", function()
  expect(play():guess("centrum")):equals(14)
end)

test("the middle letter and at least four letters are required", function()
  expect(select(2, play():guess("menu")).code):equals("letter_missing")
  expect(select(2, play():guess("ten")).code):equals("too_short")
end)

test("a base word without seven different letters is replaced", function()
  local game = assert(games.new { mode = "spelling_bee", base = "mute", lexicon = lexicon })
  expect(game.base_word):matches("^%a+$")
  expect(#game.data.letters):equals(7)
end)

test("a sigma at the end of a word is no letter of its own", function()
  local greek = folder .. "/greek.txt"
  assert(files.write(greek, "κλισέως\nκλισέων\n"))
  local small = assert(words.load(greek, { name = "small greek", language = "greek" }))
  local game = assert(games.new { mode = "spelling_bee", base = "κλισέως", lexicon = small })
  expect(game.base_word):equals("κλισέων")
end)
