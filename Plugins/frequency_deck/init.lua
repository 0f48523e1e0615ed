-- Adds the command `frequency-deck FILE DECK`: the most frequent words of a text become cards, the word as the prompt, a sentence
-- in which it stands as the answer. The file is read line by line, so that it may be long.

---What stands between words in UTF-8 beside the signs of ASCII: general punctuation, and the signs of Latin-1.
local between = { "\226\128[\128-\191]", "\194[\160-\191]" }

---@param text string
---@return string
local function without_signs(text)
  for _, pattern in ipairs(between) do
    text = text:gsub(pattern, " ")
  end
  return text
end

---Calls `give` with each sentence of a file. A sentence ends with its sign or with an empty line.
---@param path string
---@param give fun(sentence: string)
local function each_sentence(path, give)
  local pending = ""
  local function flush()
    local sentence = pending:match("^%s*(.-)%s*$")
    pending = ""
    if sentence ~= "" then give(sentence) end
  end
  for line in files.lines(path) do
    local rest = line
    while rest ~= "" do
      local sentence, tail = rest:match("^(.-[.!?]+[\"')\128-\255]*)%s+(.*)$")
      pending = pending .. " " .. (sentence or rest)
      if not sentence then
        if rest:find("[.!?][\"')\128-\255]*%s*$") then flush() end
        break
      end
      flush()
      rest = tail
    end
    if line:find("^%s*$") or #pending > 2000 then flush() end
  end
  flush()
end

---@class word_entry
---@field word string
---@field count integer
---@field sentence string

---The words of a file, the most frequent first; among equals by the alphabet.
---@param path string
---@param language string
---@return word_entry[]
local function counted_words(path, language)
  local entries, list = {}, {}
  each_sentence(path, function(sentence)
    for word in without_signs(words.normalize(sentence, language)):gmatch("[%a\128-\255]+") do
      local entry = entries[word]
      if not entry then
        entry = { word = word, count = 0, sentence = sentence }
        entries[word] = entry
        list[#list + 1] = entry
      elseif #sentence < #entry.sentence and #sentence > 2 * #word + 4 then
        -- A short example is a good one.
        entry.sentence = sentence
      end
      entry.count = entry.count + 1
    end
  end)
  table.sort(list, function(a, b)
    if a.count ~= b.count then return a.count > b.count end
    return a.word < b.word
  end)
  return list
end

shell.command {
  name = "frequency-deck",
  summary = "Makes a deck of the most frequent words of a text file, each with a sentence from it.",
  example = "frequency-deck novel.txt Spanish::Novel --count 500",
  arguments = {
    { name = "FILE", kind = "file", access = "read", help = "a text in UTF-8" },
    "DECK: the deck; it is made when it is not there",
    { name = "--count", kind = "integer", min = 1, max = 100000, help = "how many words; 100 when left out" },
    "--language L: whose rules make small letters; english when left out",
  },
  run = function(args)
    local list = counted_words(args.file, args.language or "english")
    if #list == 0 then
      return nil, { code = "no_words", title = "No words", message = args.file .. " has no words" }
    end
    local deck = decks.open(args.deck) or assert(decks.create(args.deck))
    local index = 0
    local report = assert(deck:add_all(function()
      index = index + 1
      local entry = index <= (args.count or 100) and list[index]
      if not entry then return nil end
      return { prompt = entry.word, answer = entry.sentence, tags = { "frequency" }, fields = { count = entry.count } }
    end))
    return { deck = deck.name, words = #list, added = report.added, skipped = report.skipped }
  end,
}
