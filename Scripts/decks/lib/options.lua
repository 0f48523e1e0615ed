-- Arguments and options of the scripts next to this folder. `--help` prints the comment at the beginning of a script.
--
--   local options = dofile((arg[0]:match("^.*/") or "") .. "lib/options.lua")
--   local given, file, deck = options({ limit = 100, all = false }, "FILE", "DECK")

---Prints the comment at the beginning of the running script, with its path as it was called.
local function help()
  local folder = arg[0]:match("^.*/") or ""
  for line in io.lines(arg[0]) do
    if line:sub(1, 2) ~= "--" then break end
    print((line:sub(4):gsub("Scripts/decks/", function() return folder end)))
  end
end

local function wrong(text)
  error(text .. "; --help shows more", 0)
end

---The value of an option, with the type of its initial value; a whole number is at least 1.
local function value(name, text, initial)
  if not text then wrong("--" .. name .. ": a value is missing") end
  if math.type(initial) ~= "integer" then return text end
  local number = math.tointeger(tonumber(text))
  if not number or number < 1 then wrong(("--%s: a whole number from 1 expected, got '%s'"):format(name, text)) end
  return number
end

---@param known table  The options by name with their initial values; false for a flag.
---@param ... string  The names of the arguments; the last may end in "..." and takes all remaining ones.
---@return table given  The values by name, including initial ones.
---@return string ...  The arguments.
return function(known, ...)
  local given, rest, index = {}, {}, 1
  for name, initial in pairs(known) do given[name] = initial end
  while arg[index] do
    local word = arg[index]
    local name = word:match("^%-%-(.+)$")
    if name == "help" then
      help()
      os.exit(0)
    elseif not name then
      rest[#rest + 1] = word
    elseif known[name] == nil then
      wrong("no option is called --" .. name)
    elseif known[name] == false then
      given[name] = true
    else
      index = index + 1
      given[name] = value(name, arg[index], known[name])
    end
    index = index + 1
  end
  local names = { ... }
  local takesRest = #names > 0 and names[#names]:sub(-3) == "..."
  if #rest < #names or #rest > #names and not takesRest then
    wrong("usage: " .. arg[0]:match("[^/]*$") .. " " .. table.concat(names, " ") .. " [OPTION]...")
  end
  return given, table.unpack(rest)
end
