local text = folder .. "/text.txt"
assert(files.write(text, [[
The cat sat on the mat. Where is the cat?
“The dog,” she said, “sees
the cat!” Año nuevo

The end]]))

test("the most frequent word is on top, with the shortest sentence that shows it", function()
  local report = assert(run("frequency-deck " .. text .. " Words"))
  expect(report.deck):equals("Words")
  local deck = assert(decks.open("Words"))
  expect(deck:card(1).prompt):equals("the")
  expect(deck:card(2).prompt):equals("cat")
  expect(deck:card(2).answer):equals("Where is the cat?")
  expect(deck.count):equals(report.words)
end)

test("a sentence goes on in the next line and ends at an empty one", function()
  local deck = assert(decks.open("Words"))
  expect(deck:find("prompt:dog")[1].answer):equals("“The dog,” she said, “sees the cat!”")
  expect(deck:find("prompt:año")[1].answer):equals("Año nuevo")
end)

test("--count says how many", function()
  assert(run("frequency-deck " .. text .. " Few --count 2"))
  expect(assert(decks.open("Few")).count):equals(2)
end)

test("words that are there are left alone", function()
  expect(assert(run("frequency-deck " .. text .. " Few --count 2")).skipped):equals(2)
end)

test("a text without words, and a count of none, are told", function()
  assert(files.write(folder .. "/empty.txt", "12 34\n"))
  expect(select(2, run("frequency-deck " .. folder .. "/empty.txt None")).code):equals("no_words")
  expect(select(2, run("frequency-deck " .. text .. " None --count 0")).code):equals("bad_value")
end)
