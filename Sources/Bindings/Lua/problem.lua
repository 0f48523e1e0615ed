---How an expected failure is returned: `nil, problem`.
---It may have more fields, such as path, line and word.
---@class problem
---@field code string Stable, for programs.
---@field title string A few words.
---@field message string One line for people; `tostring` returns it.
---@field [string] any
local problem = {}

---In a script, the script's path at index 0 and its arguments from 1.
---@type table<integer, string>
arg = {}

---What `expect` returns in a plugin's test.lua.
---@class expectation
---@field equals fun(self: expectation, other: any) Tables are compared by their content. (read only)
---@field differs fun(self: expectation, other: any) The opposite of equals. (read only)
---@field is_nil fun(self: expectation) (read only)
---@field is_truthy fun(self: expectation) (read only)
---@field is_falsy fun(self: expectation) (read only)
---@field matches fun(self: expectation, pattern: string) The value is a text with the pattern. (read only)
---@field fails fun(self: expectation, pattern?: string) The value is a function, and calling it fails. (read only)
local expectation = {}

---In a plugin's test.lua: adds a test.
---@type fun(name: string, body: fun())
test = function() end

---In a plugin's test.lua: checks a value, as in `expect(1 + 1):equals(2)`.
---@type fun(value: any): expectation
expect = function() end

---In a plugin's test.lua: runs a line with a command of the plugin.
---@type fun(line: string): any, problem?
run = function() end

---In a plugin's test.lua: asks the first of some cards by an exercise of the plugin; with an answer, judges that.
---@type fun(exercise: string, cards: table[], given?: string|integer|integer[]): table?, string?
ask = function() end

---In a plugin's test.lua: the report of importing a text in a format of the plugin (`org`, or `pleco.xml` by its ending).
---@type fun(format: string, text: string): table?, problem?
import = function() end

---In a plugin's test.lua: a folder for files, which is deleted after the tests.
---@type string
folder = ""

---In a script of `build`: adds a card, with prompt and answer, or with type and fields.
---@type fun(card: {id?: string, prompt?: string, answer?: string, tags?: string[], subdeck?: string, type?: string, fields?: table<string, string>})
card = function() end

---In a script of `build`: the text of a file in the folder.
---@type fun(path: string): string?, problem?
read = function() end
