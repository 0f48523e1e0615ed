-- What the scripts beside this folder read, and how they end when that cannot be: in words, without a place in the
-- script, because it is the user's file or name that is meant.
--
--   local input = dofile((arg[0]:match("^.*/") or "") .. "lib/input.lua")
--   for line in input.lines("words.tsv") do print(line) end

local input = {}

---The value, or the end of the script with what the problem says.
function input.need(value, problem)
  if not value then error(tostring(problem), 0) end
  return value
end

---The lines of a file, `-` of standard input.
function input.lines(path)
  if path == "-" then return io.lines() end
  local is_open, lines = pcall(files.lines, path)
  return input.need(is_open and lines, lines)
end

---The text of a file in UTF-8, `-` of standard input.
function input.text(path)
  local text = path == "-" and io.read("a") or input.need(files.read(path))
  local length, byte = utf8.len(text)
  return input.need(length and text, ('"%s" is no text in UTF-8: see its byte %d'):format(path, byte or 0))
end

---The deck of a name, which is made when it is missing.
function input.deck(name) return decks.open(name) or input.need(decks.create(name)) end

---A number with its word: `1 card`, `2 cards`.
function input.counted(number, word) return ("%d %s%s"):format(number, word, number == 1 and "" or "s") end

return input
