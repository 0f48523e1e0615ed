-- Adds the exercise `NAME`: the prompt is written from its answer. `help study.exercise` describes the other kinds.

assert(study.exercise {
  name = "NAME",
  title = "NAME",
  summary = "Write the prompt of a card from its answer.",
  input = "text",
  prepare = function(card)
    if card.answer:find("\n") then return nil, "a long answer" end
    return {
      prompt = card.answer,
      expected = card.prompt,
      hint = card.prompt:sub(1, utf8.offset(card.prompt, 2) - 1),
      reveal = card.prompt,
    }
  end,
})
