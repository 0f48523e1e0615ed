-- Adds the command `frequency-deck FILE DECK`: the most frequent words of a text that you do not know become cards, with the
-- dictionary form as the prompt and a sentence as the answer. Deckhand decides what a word is and which words you know.

shell.command {
  name = "frequency-deck",
  summary = "Makes a deck of the most frequent words of a text that you do not know, each with a sentence from it.",
  example = "frequency-deck novel.txt Spanish::Novel --count 500",
  arguments = {
    { name = "FILE", kind = "file", access = "read", help = "a text, a book or subtitles" },
    "DECK: the deck; created if it does not exist",
    { name = "--count", kind = "integer", min = 1, max = 100000, help = "how many words (default: 100)" },
    "--language L: the language of the text (default: that of games)",
  },
  run = function(args)
    local text, problem = texts.open(args.file, { language = args.language })
    if not text then return nil, problem end
    local cards = {}
    for _, word in ipairs(text:words { unknown = true, limit = args.count or 100 }) do
      if word.sentence then
        cards[#cards + 1] = { prompt = word.lemma, answer = word.sentence, tags = { "frequency" }, fields = { count = word.count } }
      end
    end
    if #cards == 0 then
      return nil, { code = "no_words", title = "No words", message = args.file .. " has no words that you do not know" }
    end
    local deck = decks.open(args.deck) or assert(decks.create(args.deck))
    local report = assert(deck:add_all(cards))
    return { deck = deck.name, words = #cards, added = report.added, skipped = report.skipped }
  end,
}
