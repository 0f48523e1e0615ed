-- `expect(x):equals(y)` and similar. A failed expectation is an error at its own line.
local function shown(value, depth)
  if type(value) == "string" then return (("%q"):format(value):gsub("\\\n", "\\n")) end
  if type(value) ~= "table" or depth == 0 then return tostring(value) end
  local parts = {}
  for key, item in pairs(value) do
    if #parts == 8 then parts[9] = "..." break end
    parts[#parts + 1] = (math.type(key) == "integer" and "" or tostring(key) .. " = ") .. shown(item, depth - 1)
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

local function same(a, b, depth)
  if a == b then return true end
  if type(a) ~= "table" or type(b) ~= "table" or depth == 0 then return false end
  for key, value in pairs(a) do
    if not same(value, b[key], depth - 1) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

local function check(holds, value, what)
  if not holds then error("expected " .. what .. ", got " .. shown(value, 3), 3) end
end

local function find(text, pattern)
  local ok, found = pcall(string.find, text, pattern)
  if not ok then error(found, 3) end
  return found
end

-- A table that does not say what it is, such as {code = "bad", message = "..."}, is its message.
local function words(problem)
  local text = tostring(problem)
  if type(problem) ~= "table" or not text:find("^table: ") then return text end
  local message = rawget(problem, "message")
  return type(message) == "string" and message or shown(problem, 3)
end

local methods = {}
function methods:equals(other) check(same(self.value, other, 32), self.value, shown(other, 3)) end
function methods:differs(other) check(not same(self.value, other, 32), self.value, "anything but " .. shown(other, 3)) end
function methods:is_nil() check(self.value == nil, self.value, "nil") end
function methods:is_truthy() check(self.value, self.value, "a true value") end
function methods:is_falsy() check(not self.value, self.value, "false or nil") end
function methods:matches(pattern)
  local holds = type(self.value) == "string" and find(self.value, pattern)
  check(holds, self.value, "a text with " .. shown(pattern, 1))
end
function methods:fails(pattern)
  local ok, problem = pcall(self.value)
  check(not ok, "no error", "an error")
  if pattern then
    local text = words(problem)
    check(find(text, pattern), text, "an error with " .. shown(pattern, 1))
  end
end

local metatable = { __index = methods }
function expect(value) return setmetatable({ value = value }, metatable) end
