local cards = { { prompt = "el perro come pan", answer = "the dog eats bread" } }

test("the words are given in another order, and put right by their numbers", function()
  local shown = assert(ask("reorder", cards))
  expect(shown.prompt):equals("the dog eats bread")
  local numbers = {}
  for word in shown.expected:gmatch("%S+") do
    for number, token in ipairs(shown.tokens) do
      if token == word then numbers[#numbers + 1] = number end
    end
  end
  expect(ask("reorder", cards, numbers).rating):equals("good")
  numbers[1], numbers[2] = numbers[2], numbers[1]
  expect(ask("reorder", cards, numbers).rating):equals("again")
end)

test("a card without a sentence is asked as usual", function()
  expect(select(2, ask("reorder", { { prompt = "perro", answer = "dog" } }))):matches("no sentence")
end)
