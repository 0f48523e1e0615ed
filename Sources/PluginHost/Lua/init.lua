-- Adds the command `NAME`. It sees Lua's safe libraries and what plugin.json asks for; `help shell` lists the module.

---How many letters a word has; a letter with an accent is one.
---@param word string
---@return integer
local function letters(word)
  return utf8.len(word) or #word
end

shell.command {
  name = "NAME",
  summary = "Counts the letters of words.",
  example = "NAME perro gato",
  arguments = { "WORD...: the words" },
  run = function(args)
    local rows = {}
    for _, word in ipairs(args.word) do
      rows[#rows + 1] = { word = word, letters = letters(word) }
    end
    return rows
  end,
}
