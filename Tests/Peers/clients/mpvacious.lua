-- mpvacious' module for Anki with its own helpers; what is mpv's is stood in for: its JSON and its subprocesses.
package.path = arg[0]:match("^(.*)/") .. "/?.lua;" .. os.getenv("CLIENT") .. "/mpvacious/?.lua;" .. package.path
local shims = require "shims"
local notes, errors = {}, {}

local function plain(value)
  if value == shims.json.null then return nil end
  if type(value) == "table" then for key, part in pairs(value) do value[key] = plain(part) end end
  return value
end
local function native(command)
  local output, status = shims.run(command.args)
  return { status = status, stdout = output, stderr = "" }
end
package.preload["mp"] = function()
  return {
    command_native = native, get_property = function() return nil end, get_property_native = function() return nil end,
    command_native_async = function(command, done) done(true, native(command), nil) end,
    osd_message = function(text) notes[#notes + 1] = text end,
  }
end
package.preload["mp.msg"] = function()
  local quiet = function() end
  return { info = quiet, verbose = quiet, debug = quiet, warn = quiet, error = function(text) errors[#errors + 1] = text end }
end
package.preload["mp.utils"] = function()
  return { format_json = shims.json.encode, parse_json = function(text) return plain(shims.json.decode(text)) end }
end
package.preload["mp.assdraw"] = function() return {} end

local anki = require("anki.ankiconnect").new()
anki.init {
  fail_if_not_ready = function() end,
  config = function()
    return {
      ankiconnect_url = os.getenv("DECKHAND_URL"), ankiconnect_api_key = "", deck_name = "mpvacious", model_name = "Basic",
      allow_duplicates = false, disable_gui_browse = false,
    }
  end,
}
local folder = assert(anki.get_media_dir_path())
local sound = assert(io.open(folder .. "/mpvacious_1.mp3", "w"))
sound:write("sound")
sound:close()
anki.create_deck("mpvacious")
anki.add_note({ Front = "犬", Back = "[sound:mpvacious_1.mp3]" }, "film", false)
assert(notes[#notes]:find("Note added"), notes[#notes])
anki.add_note({ Front = "犬", Back = "again" }, "film", false)
assert(notes[#notes]:find("duplicate"), notes[#notes])
local ids = anki.get_last_note_ids(1)
assert(#ids == 1)
assert(anki.get_note_fields(ids[1]).Front == "犬")
assert(anki.get_first_field("Basic") == "Front")
local finished
anki.append_media(ids[1], { Back = "a dog [sound:mpvacious_1.mp3]" }, "seen", function(problem) finished = problem or true end)
assert(finished == true, finished)
assert(anki.get_note_fields(ids[1]).Back == "a dog [sound:mpvacious_1.mp3]")
local found = anki.find_notes { query = "tag:film tag:seen" }
assert(#found == 1 and found[1] == ids[1])
anki.get_selected_note_ids()
assert(#errors == 1 and errors[1]:find("duplicate"), errors[#errors])
print("10 of its functions answer as it expects")
