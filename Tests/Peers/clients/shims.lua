-- What the clients in Lua have of their programs: JSON, and requests by curl.
local json = { null = setmetatable({}, { __tostring = function() return "null" end }) }

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
end

function json.encode(value)
  if type(value) == "string" then return quoted(value) end
  if type(value) ~= "table" then return value == json.null and "null" or tostring(value) end
  local parts = {}
  -- An empty table is a list, as mpv and rapidjson have it by themselves.
  if #value > 0 or next(value) == nil then
    for _, part in ipairs(value) do parts[#parts + 1] = json.encode(part) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for key, part in pairs(value) do parts[#parts + 1] = quoted(tostring(key)) .. ":" .. json.encode(part) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

function json.decode(text)
  local at = 1
  local value
  local function blanks() at = text:find("%S", at) or #text + 1 end
  local function string()
    local out = {}
    at = at + 1
    while true do
      local stop = assert(text:find('["\\]', at), "a text that does not end")
      out[#out + 1] = text:sub(at, stop - 1)
      at = stop + 1
      if text:sub(stop, stop) == '"' then return table.concat(out) end
      local kind = text:sub(at, at)
      if kind == "u" then out[#out + 1] = utf8.char(tonumber(text:sub(at + 1, at + 4), 16)) at = at + 4
      else out[#out + 1] = escapes[kind] or kind end
      at = at + 1
    end
  end
  local function members(close, read)
    local found = {}
    at = at + 1
    blanks()
    while text:sub(at, at) ~= close do
      read(found)
      blanks()
      if text:sub(at, at) == "," then at = at + 1 blanks() end
    end
    at = at + 1
    return found
  end
  function value()
    blanks()
    local first = text:sub(at, at)
    if first == '"' then return string() end
    if first == "[" then return members("]", function(list) list[#list + 1] = value() end) end
    if first == "{" then
      return members("}", function(record)
        local key = string()
        blanks()
        at = at + 1
        record[key] = value()
      end)
    end
    local word = assert(text:match("^[%w%.+-]+", at), "no JSON at " .. at)
    at = at + #word
    if word == "null" then return json.null end
    if word == "true" or word == "false" then return word == "true" end
    return assert(math.tointeger(tonumber(word)) or tonumber(word))
  end
  return value()
end

--- Runs a program given as words; its output and status.
local function run(words)
  local line = {}
  for _, word in ipairs(words) do line[#line + 1] = "'" .. word:gsub("'", "'\\''") .. "'" end
  local pipe = assert(io.popen(table.concat(line, " ") .. " 2>/dev/null"))
  local output = pipe:read("a")
  local _, _, status = pipe:close()
  return output, status
end

--- What code of Lua 5.1 has besides.
unpack = table.unpack
return { json = json, run = run, here = arg[0]:match("^(.*)/") }
