-- Adds the game mode `NAME`: words with two of the same letter side by side. `help modes` lists rules and functions.

---@param word string
---@return boolean
local function has_double(word)
  local last
  for _, code in utf8.codes(word) do
    if code == last then return true end
    last = code
  end
  return false
end

assert(games.mode {
  name = "NAME",
  title = "Double letters",
  summary = "Words with a double letter.",
  rules = { "min_length:3", "unused", "in_dictionary" },
  accept = function(_, word)
    if has_double(word) then return true end
    return nil, "No letter is double"
  end,
})
