// What a plugin's state keeps of Lua's libraries. Invariant: nothing in it reads or writes files, runs programs, loads bytecode
// or looks into other functions.

import LuaRuntime

/// Takes out of a fresh state what a plugin must not have.
func restrict(_ state: LuaState) throws {
  try state.load(restriction, name: "restriction").call([], results: 0) { _ in }
}

private let restriction = """
  local plain_load, plain_type, count = load, type, collectgarbage
  io, debug, package, require, dofile, loadfile = nil, nil, nil, nil, nil, nil
  os = {clock = os.clock, date = os.date, time = os.time}
  string.dump = nil
  function load(chunk, name, mode, ...)
    if plain_type(chunk) ~= "string" then error("load: text expected", 2) end
    return plain_load(chunk, name, "t", ...)
  end
  function collectgarbage(what)
    if what ~= nil and what ~= "count" then error("collectgarbage: only \\"count\\" is there", 2) end
    return count("count")
  end
  """
