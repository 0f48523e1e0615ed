-- Only the run reads lines and writes to standard output; what a script prints is a message.
local tell = ...
local tostring, select, concat = tostring, select, table.concat
function print(...)
  local parts = {}
  for i = 1, select("#", ...) do parts[i] = tostring((select(i, ...))) end
  tell(concat(parts, "\t"))
end
io.input("/dev/null")
io.output(io.stderr)
