-- What `deckhand map` does with a script, in plain Lua, to measure it against:
--   lua5.4 map.lua [--reduce] SCRIPT < lines > records
-- Invariant: the same records as Deckhand's for a script whose values are texts or flat tables of texts and numbers.

local reduces = arg[1] == "--reduce"
if reduces then table.remove(arg, 1) end
local script = table.remove(arg, 1)
local out = io.stdout
out:setvbuf("full", 65536)

local escapes = { ["\t"] = "\\t", ["\n"] = "\\n", ["\r"] = "\\r", ["\\"] = "\\\\" }
local quotes = setmetatable({ ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }, {
  __index = function(_, mark) return ("\\u%04x"):format(mark:byte()) end,
})

local encode
local function encode_table(value)
  local names, parts = {}, {}
  for name in pairs(value) do names[#names + 1] = name end
  table.sort(names)
  for index, name in ipairs(names) do parts[index] = encode(name) .. ":" .. encode(value[name]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

function encode(value)
  if type(value) == "string" then return '"' .. value:gsub('[%c"\\]', quotes) .. '"' end
  return type(value) == "table" and encode_table(value) or tostring(value)
end

local unquotes = { n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }
local function decode(text)
  local inner = text:match '^"([^\\]*)"$'
  if inner then return inner end
  if text:sub(1, 1) ~= '"' then return tonumber(text) end
  return (text:sub(2, -2):gsub("\\u(%x%x%x%x)", function(hex) return utf8.char(tonumber(hex, 16)) end)
    :gsub("\\(.)", unquotes))
end

local function write(key, value)
  out:write((key:gsub("[\t\n\r\\]", escapes)), "\t", encode(value), "\n")
end

local held, holds = {}, 0
local function flush()
  local keys = {}
  for key in pairs(held) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do write(key, held[key]) end
  held, holds = {}, 0
end

function emit(key, value)
  if value == nil then
    out:write(encode(key), "\n")
  elseif not combine or reduces then
    write(key, value)
  else
    local old = held[key]
    if old == nil then
      if holds == 200000 then flush() end
      holds = holds + 1
      held[key] = value
    else
      held[key] = combine(key, old, value)
    end
  end
end

function count() end

assert(loadfile(script))(table.unpack(arg))
if reduces then
  local line = io.read("L")
  while line do
    local key = line:match("^[^\t]*")
    local first = line
    reduce(key:gsub("\\(.)", { t = "\t", n = "\n", r = "\r", ["\\"] = "\\" }), function()
      if first then
        local value = decode(first:sub(#key + 2, -2))
        line, first = io.read("L"), nil
        return value
      end
      if not line or line:match("^[^\t]*") ~= key then return nil end
      local value = decode(line:sub(#key + 2, -2))
      line = io.read("L")
      return value
    end)
  end
else
  for line in io.lines() do map(line) end
  if finish then finish() end
  flush()
end
