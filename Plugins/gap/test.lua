local cards = {
  { prompt = "perro", answer = "dog", fields = { Sentence = "Mi perro duerme en casa." } },
  { prompt = "gato", answer = "cat" }, { prompt = "casa", answer = "house" }, { prompt = "luna", answer = "moon" },
  { prompt = "sol", answer = "sun" },
}

test("the word is one of four, and no other fits", function()
  local shown = assert(ask("gap", cards))
  expect(shown.prompt):equals("Mi ____ duerme en casa.")
  expect(#shown.choices):equals(4)
  table.sort(shown.choices)
  expect(table.concat(shown.choices, " ")):equals("gato luna perro sol")
end)

test("a choice is right or wrong, by its number or its text", function()
  expect(ask("gap", cards, "perro").rating):equals("good")
  expect(ask("gap", cards, "gato").rating):equals("again")
end)

test("without a sentence, or with too few cards, the card is asked as usual", function()
  local shown, reason = ask("gap", { cards[2], cards[1], cards[3] })
  expect(shown):is_nil()
  expect(reason):matches("no sentence with the word")
  expect(select(2, ask("gap", { cards[1], cards[2] }))):matches("too few other cards")
end)
