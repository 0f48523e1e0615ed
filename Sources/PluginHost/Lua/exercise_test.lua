-- `plugin test NAME` runs this. ask(NAME, CARDS) asks the first of the cards; with an answer, it returns what that is worth.

local cards = { { prompt = "el perro", answer = "the dog" } }

test("the prompt is asked for", function()
  local shown = assert(ask("NAME", cards))
  expect(shown.prompt):equals("the dog")
  expect(ask("NAME", cards, "El perro").rating):equals("good")
  expect(ask("NAME", cards, "el perrro").rating):equals("hard")
end)

test("a long answer is asked as usual", function()
  local shown, reason = ask("NAME", { { prompt = "x", answer = "one\ntwo" } })
  expect(shown):is_nil()
  expect(reason):matches("a long answer")
end)
