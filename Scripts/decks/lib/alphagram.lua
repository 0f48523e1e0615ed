-- The letters of a word in code point order: the same for all its anagrams.

---@param word string
---@return string
return function(word)
  local letters = { utf8.codepoint(word, 1, -1) }
  table.sort(letters)
  return utf8.char(table.unpack(letters))
end
