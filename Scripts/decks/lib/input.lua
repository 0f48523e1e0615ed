-- Input of the scripts next to this folder. When something cannot be read, the script ends with a message without a
-- position in the script, because the error is in the user's file or name.
--
--   local input = dofile((arg[0]:match("^.*/") or "") .. "lib/input.lua")
--   for line in input.lines("words.tsv") do print(line) end

local input = {}

---Returns the value, or ends the script with the problem's message.
function input.need(value, problem)
  if not value then error(tostring(problem), 0) end
  return value
end

---The lines of a file; `-` is standard input.
function input.lines(path)
  if path == "-" then return io.lines() end
  local is_open, lines = pcall(files.lines, path)
  return input.need(is_open and lines, lines)
end

---The text of a file in UTF-8; `-` is standard input.
function input.text(path)
  local text = path == "-" and io.read("a") or input.need(files.read(path))
  local length, byte = utf8.len(text)
  return input.need(length and text, ('"%s" is not text in UTF-8: see its byte %d'):format(path, byte or 0))
end

---The deck with a name, which is created if it does not exist.
function input.deck(name) return decks.open(name) or input.need(decks.create(name)) end

---A number with its word: `1 card`, `2 cards`.
function input.counted(number, word) return ("%d %s%s"):format(number, word, number == 1 and "" or "s") end

return input
