-- Neovim as the client of `deckhand lsp`: opens a source, waits for diagnostics, edits it, asks for each thing that the
-- server offers, and prints what came. PROGRAM, DATA and FILE are in the environment.
local program, data, file = os.getenv("PROGRAM"), os.getenv("DATA"), os.getenv("FILE")

local function say(name, value)
  io.stdout:write(name, ": ", (tostring(value):gsub("\n", " | ")), "\n")
end

local function check()
  vim.cmd("edit " .. file)
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({
    cmd = { program, "--data", data, "lsp" }, root_dir = vim.fn.fnamemodify(file, ":h"), name = "deckhand",
  })
  vim.lsp.buf_attach_client(buffer, client)
  local function wait(wanted)
    local done = vim.wait(60000, function()
      return wanted(vim.diagnostic.get(buffer))
    end, 20)
    if not done then error("nothing came") end
    return vim.diagnostic.get(buffer)
  end
  local function ask(method, parameters)
    local answers = vim.lsp.buf_request_sync(buffer, method, parameters, 60000) or {}
    for _, answer in pairs(answers) do
      if answer.err then error(method .. ": " .. answer.err.message) end
      return answer.result
    end
  end
  local found = wait(function(list) return #list > 0 end)
  say("diagnostic", (found[1].lnum + 1) .. ": " .. found[1].message)
  -- What is wrong is mended by typing.
  vim.api.nvim_buf_set_lines(buffer, found[1].lnum + 1, found[1].lnum + 1, false, { "A: the é \240\159\144\136 dog" })
  wait(function(list) return #list == 0 end)
  say("mended", "yes")
  vim.api.nvim_win_set_cursor(0, { 1, 4 })
  local first = vim.lsp.util.make_range_params()
  first.context = { diagnostics = {} }
  local actions = ask("textDocument/codeAction", first)
  say("action", actions[1].title)
  local chosen = actions[1].edit and actions[1] or ask("codeAction/resolve", actions[1])
  vim.lsp.util.apply_workspace_edit(chosen.edit, "utf-16")
  say("line", vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1])
  vim.api.nvim_buf_set_lines(buffer, 0, 1, false, { "## el gato <!-- tags: an" })
  vim.api.nvim_win_set_cursor(0, { 1, 23 })
  vim.cmd("startinsert!")
  local place = vim.lsp.util.make_position_params()
  place.position.character = 24
  local items = ask("textDocument/completion", place)
  say("completion", (items.items or items)[1].label)
  vim.lsp.get_client_by_id(client).stop()
  local ended = vim.wait(60000, function() return vim.lsp.client_is_stopped(client) end, 20)
  say("ended", ended)
end

local ok, problem = pcall(check)
if not ok then say("problem", problem) end
vim.cmd("qall!")
