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

test("the gap is for a bold form where the sentence lacks the word, and only its line is shown", function()
  local mined = {
    { prompt = "comer", answer = "to eat", fields = { Text = "Los perros <b>comen</b> pan.", Level = 1 } },
    { prompt = "ser", answer = "to be", fields = { Text = "Tú <b>eres</b> muy alto." } },
    cards[2], cards[3],
  }
  local shown = assert(ask("gap", mined))
  expect(shown.prompt):equals("Los perros ____ pan.")
  expect(shown.expected):equals("comen")
  table.sort(shown.choices)
  expect(table.concat(shown.choices, " ")):equals("casa comen eres gato")
end)

test("an article that the sentence lacks is left out of all choices", function()
  local nouns = {
    { prompt = "la casa", answer = "Mi casa es grande.\nhouse" }, { prompt = "el gato", answer = "cat" },
    { prompt = "la luna", answer = "moon" },
  }
  local shown = assert(ask("gap", nouns))
  expect(shown.prompt):equals("Mi ____ es grande.")
  table.sort(shown.choices)
  expect(table.concat(shown.choices, " ")):equals("casa gato luna")
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
