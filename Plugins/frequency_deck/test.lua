-- There is no data for Turkish, so each form is its own word.
local text = folder .. "/text.txt"
assert(files.write(text, [[
the cat sat on the mat. Where is the cat?
“the dog,” she said, “sees
the cat!” año nuevo

the end]]))

local function make(words) return run("frequency-deck " .. text .. " " .. words .. " --language turkish") end

test("the most frequent word is on top, with the sentence that shows it best", function()
  local report = assert(make("Words"))
  expect(report.deck):equals("Words")
  local deck = assert(decks.open("Words"))
  expect(deck:card(1).prompt):equals("the")
  expect(deck:card(2).prompt):equals("cat")
  expect(deck:card(2).answer):equals("Where is the cat?")
  expect(deck.count):equals(report.words)
end)

test("a sentence continues in the next line", function()
  local deck = assert(decks.open("Words"))
  expect(deck:find("prompt:dog")[1].answer):equals("“the dog,” she said, “sees the cat!” año nuevo")
end)

test("--count limits the number of words", function()
  assert(make("Few --count 2"))
  expect(assert(decks.open("Few")).count):equals(2)
end)

test("existing words are left alone", function()
  expect(assert(make("Few --count 2")).skipped):equals(2)
end)

test("a text without words and a count of 0 are refused", function()
  assert(files.write(folder .. "/empty.txt", "12 34\n"))
  expect(select(2, run("frequency-deck " .. folder .. "/empty.txt None --language turkish")).code):equals("no_words")
  expect(select(2, make("None --count 0")).code):equals("bad_value")
end)
