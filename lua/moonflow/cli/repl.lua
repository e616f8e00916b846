--- The interactive session: lines are edited, completed and remembered; values are shown; errors and Ctrl-C keep the session.

local completion = require "moonflow.cli.completion"
local echo = require "moonflow.cli.echo"
local terminal = require "moonflow.cli.terminal"

local repl = {}

--- Compiles what was typed: an expression, or statements. The second result is true when more lines are needed.
local function compile(source)
  local chunk = load("return " .. source, "=stdin", "t")
  if chunk then return chunk end
  local message
  chunk, message = load(source, "=stdin", "t")
  if chunk then return chunk end
  return nil, message:find("<eof>", 1, true) ~= nil, message
end

local function show(...)
  for i = 1, select("#", ...) do
    local ok, text = pcall(echo.text, (select(i, ...)))
    print(ok and text or "(no text: " .. tostring(text) .. ")")
  end
end

--- Errors with a stack only where one helps: not for the typed line itself.
local function describe(value)
  local text = type(value) == "string" and value or tostring(value)
  if text == "interrupted!" or text:match(": interrupted!$") then return "\ninterrupted" end
  local trace = debug.traceback("", 2):gsub("\n%s*%[C%]: in .-$", "")
  local lines = {}
  for line in trace:gmatch("[^\n]+") do
    if line:find("moonflow/cli/repl.lua", 1, true) or line:find("'moonflow.cli.", 1, true) then break end
    if not line:find("^%s*%[C%]:") and line ~= "stack traceback:" then lines[#lines + 1] = line end
  end
  if #lines > 1 then return text .. "\nstack traceback:\n" .. table.concat(lines, "\n") end
  return text
end

local function evaluate(chunk)
  local results = table.pack(terminal.interruptible(describe, chunk))
  if not results[1] then
    io.stderr:write(tostring(results[2]), "\n")
    return
  end
  if results.n > 1 then
    _G._ = results[2]
    show(table.unpack(results, 2, results.n))
  end
end

--- Reads a complete piece of input. Returns nil at the end of the input, false when it was dropped.
local function read_input()
  local lines = {}
  while true do
    local line = terminal.read_line(#lines == 0 and "> " or ">> ")
    if line == nil then
      if #lines == 0 then return nil end
      line = ""
    end
    if line == false then return false end
    lines[#lines + 1] = line
    local source = table.concat(lines, "\n")
    if #lines == 1 and not source:find("%S") then return false end
    source = source:gsub("^=", "return ")
    local chunk, unfinished, message = compile(source)
    if chunk or not unfinished or line == "" and #lines > 1 then
      if line ~= "" or #lines > 1 then terminal.add_history(table.concat(lines, " ")) end
      return chunk or load(source, "=stdin", "t"), message
    end
  end
end

local function history_path()
  local home = os.getenv("HOME")
  return os.getenv("MOONFLOW_HISTORY") or home and home .. "/.moonflow_history"
end

--- Names that a session has from the start.
local function prepare_globals()
  _G.tf = require "moonflow"
  _G.help = require "moonflow.help"
end

function repl.main(banner)
  prepare_globals()
  local is_terminal = terminal.is_terminal()
  local path = is_terminal and history_path()
  if is_terminal then
    print(banner .. "   tf is loaded; help() explains, Ctrl-D ends")
    terminal.set_completer(completion.complete)
    if path then terminal.load_history(path) end
  end
  while true do
    local chunk, message = read_input()
    if chunk == nil and message == nil then break end
    if chunk then
      evaluate(chunk)
    elseif message then
      io.stderr:write(message, "\n")
    end
  end
  if is_terminal then
    print()
    if path then terminal.save_history(path) end
  end
  return 0
end

return repl
