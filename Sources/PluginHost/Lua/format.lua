-- Adds the format `NAME`: lines such as `perro = dog`. `help decks.format` describes the other kinds of files.

assert(decks.format {
  name = "NAME",
  title = "Lines with an equals sign",
  ending = "NAME",
  kind = "lines",
  holds = { "notes" },
  read = function(file, emit)
    local rows = {}
    for number, line in ipairs(file.lines) do
      local prompt, answer = line:match("^%s*(.-)%s*=%s*(.-)%s*$")
      if prompt then
        rows[#rows + 1] = { line = number, prompt = prompt, answer = answer }
      elseif line:find("%S") then
        rows[#rows + 1] = { line = number, left = "no equals sign" }
      end
    end
    emit(rows)
  end,
})
