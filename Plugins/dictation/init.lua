-- Adds the exercise `dictation`: a card is heard and written. A sound of the card is played; without one, the prompt is
-- spoken, where there is a program for it.

assert(study.exercise {
  name = "dictation",
  title = "Dictation",
  summary = "Hear a card and write it.",
  input = "text",
  prepare = function(card, ask)
    local sounds = card.sounds
    if sounds.prompt[1] then
      return { say = { sound = sounds.prompt[1] }, expected = card.prompt, reveal = card.answer }
    elseif sounds.answer[1] then
      return { say = { sound = sounds.answer[1] }, expected = card.answer, reveal = card.prompt }
    elseif ask.can_speak then
      return { say = card.prompt, expected = card.prompt, reveal = card.answer }
    end
    return nil, "no sound"
  end,
})
