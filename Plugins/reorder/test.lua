local cards = { { prompt = "el perro come pan", answer = "the dog eats bread" } }

test("the words are given in another order", function()
  local shown = assert(ask("reorder", cards))
  expect(shown.prompt):equals("the dog eats bread")
  local tokens = {}
  for place, token in ipairs(shown.tokens) do tokens[place] = token end
  table.sort(tokens)
  expect(table.concat(tokens, " ")):equals("come el pan perro")
  expect(ask("reorder", cards, "el perro come pan").rating):equals("good")
  expect(ask("reorder", cards, "perro el come pan").rating):equals("again")
end)

test("the sentence is a line of the card, and the other lines say what it means", function()
  local more = { { prompt = "gato", answer = "El gato duerme.\nNivel: 1, capítulo 2\ncat" } }
  local shown = assert(ask("reorder", more))
  expect(shown.expected):equals("El gato duerme.")
  expect(#shown.tokens):equals(3)
  expect(shown.prompt):equals("gato\nNivel: 1, capítulo 2\ncat")
end)

test("a card without a sentence is asked as usual", function()
  expect(select(2, ask("reorder", { { prompt = "perro", answer = "dog" } }))):matches("no sentence")
end)
