-- The loops of `map` and `map --reduce`, in Lua, as calls from Lua to Lua are the cheapest. They call the host once for
-- each line or record that they read or write, and otherwise only to seed random numbers; whatever the script does to
-- its globals, the loops keep their own copies.
local reduces, next_item, put, put_card, seed, keep = ...
local pairs, type, error, sort, tostring = pairs, type, error, table.sort, tostring

-- Each line, each key and the end of the input has its own sequence of random numbers.
local random, randomseed = math.random, math.randomseed
local stale, now = true, ""
math.random = function(...)
  if stale then stale = false randomseed(seed(now)) end
  return random(...)
end
math.randomseed = function(...) stale = false return randomseed(...) end

if not reduces then
  local held, held_count = {}, 0
  local function flush()
    local keys = {}
    for key in pairs(held) do keys[#keys + 1] = key end
    sort(keys)
    for i = 1, #keys do put(keys[i], held[keys[i]]) end
    held, held_count = {}, 0
  end
  local function name(key)
    if type(key) == "number" then return tostring(key) end
    if type(key) ~= "string" then
      error("bad argument #1 to 'emit' (string expected, got " .. type(key) .. ")", 3)
    end
    return key
  end
  local combine
  function emit(key, value)
    if value == nil then return put_card(key) end
    if type(key) ~= "string" then key = name(key) end
    if not combine then return put(key, value) end
    local old = held[key]
    if old ~= nil then
      value = combine(key, old, value)
      if value == nil then error("combine returned nil for the key \"" .. key .. "\"", 2) end
      held[key] = value
      return
    end
    if held_count >= keep then flush() end
    held_count = held_count + 1
    held[key] = value
  end
  return function(only_flush)
    if only_flush then return flush() end
    local map, finish = map, finish
    combine = _G.combine
    for line in next_item do
      stale, now = true, line
      map(line)
    end
    stale, now = true, ""
    if finish then finish() end
    flush()
  end
end

function emit(key, value)
  if value == nil then return put_card(key) end
  if type(key) == "number" then key = tostring(key) end
  return put(key, value)
end
return function()
  local combine = combine
  local reduce = reduce or function(key, values)
    local sum = values()
    for value in values do
      sum = combine(key, sum, value)
      if sum == nil then error("combine returned nil for the key \"" .. key .. "\"") end
    end
    emit(key, sum)
  end
  local key, value = next_item()
  while key do
    local next_key
    local waiting = value
    local function values()
      if waiting == nil then return nil end
      local answer = waiting
      local record_key, record_value = next_item()
      if record_key == true then
        waiting = record_value
      else
        next_key, value, waiting = record_key, record_value, nil
      end
      return answer
    end
    stale, now = true, key
    reduce(key, values)
    while values() ~= nil do end
    key = next_key
  end
end
