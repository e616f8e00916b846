--- The command line of the moonflow program.

local cli = {}

local usage = [=[
usage: moonflow [options] [script.lua [arguments]]

  moonflow                    interactive session
  moonflow script.lua ...     runs a script; `arg` holds the arguments, as in lua
  moonflow -                  runs what stands in the standard input
  moonflow doctor             checks this machine: processor, libraries, GPU, memory

options
  -e CODE       runs CODE
  -l NAME       require(NAME) into a global of that name
  -i            interactive session after the script or code
  -v, --version prints the version
  -h, --help    prints this text
]=]

local function report(message)
  io.stderr:write("moonflow: ", tostring(message), "\n")
  return 1
end

--- Error values keep their text, and get the stack of calls below it.
local function with_traceback(value)
  local text = type(value) == "string" and value or tostring(value)
  local trace = debug.traceback("", 2)
  -- what stands below the script is this program itself
  local program = trace:find("\n%s*%[C%]: in function 'moonflow.cli.terminal.interruptible'")
  return text .. (program and trace:sub(1, program - 1) or trace)
end

--- Runs a chunk so that Ctrl-C stops it; returns true, or false and the text.
local function run(chunk, ...)
  return require "moonflow.cli.terminal".interruptible(with_traceback, chunk, ...)
end

local function run_or_report(chunk, message, ...)
  if not chunk then return report(message) end
  local ok, text = run(chunk, ...)
  if not ok then return report(text) end
  return 0
end

local commands = {}

function commands.doctor()
  return require "moonflow.cli.doctor".main()
end

function commands.help()
  io.write(usage)
  return 0
end

local function version()
  local core = require "moonflow.core"
  return ("moonflow %s (%s)"):format(core.machine.version(), _VERSION)
end

--- Reads options in front of the script. Returns what to do, or nil and a message.
local function read_options(words)
  local todo, i = {chunks = {}}, 1
  while words[i] do
    local word = words[i]
    if word == "-e" or word == "-l" then
      local value = words[i + 1]
      if not value then return nil, ("'%s' needs an argument"):format(word) end
      todo.chunks[#todo.chunks + 1] = {word, value}
      i = i + 2
    elseif word == "-i" then
      todo.interactive, i = true, i + 1
    elseif word == "-v" or word == "--version" then
      todo.version, i = true, i + 1
    elseif word == "-h" or word == "--help" then
      todo.help, i = true, i + 1
    elseif word == "--" then
      todo.script = words[i + 1] and i + 1
      return todo
    elseif word ~= "-" and word:sub(1, 1) == "-" then
      return nil, ("unknown option '%s' (moonflow --help)"):format(word)
    else
      todo.script = i
      return todo
    end
  end
  return todo
end

local function run_chunks(chunks)
  for _, item in ipairs(chunks) do
    local code
    if item[1] == "-e" then
      local chunk, message = load(item[2], "=(command line)")
      code = run_or_report(chunk, message)
    else
      code = run_or_report(function() _G[item[2]:match("[^.]+$")] = require(item[2]) end)
    end
    if code ~= 0 then return code end
  end
  return 0
end

local function run_script(words, at)
  local path = words[at]
  local arguments = table.move(words, at + 1, #words, 1, {})
  local values = {[0] = path}
  for i, word in ipairs(arguments) do values[i] = word end
  for i = 1, at do values[-i] = words[at - i] end
  _G.arg = values
  local chunk, message
  if path == "-" then
    chunk, message = load(io.read("a"), "=stdin")
  else
    chunk, message = loadfile(path)
  end
  return run_or_report(chunk, message, table.unpack(arguments))
end

--- The program: argv[0] and the words behind it. Returns the exit code.
function cli.main(program, ...)
  local words = {[0] = program, ...}
  local todo, message = read_options(words)
  if not todo then
    report(message)
    return 2
  end
  if todo.help then return commands.help() end
  if todo.version then
    print(version())
    if not todo.script and #todo.chunks == 0 and not todo.interactive then return 0 end
  end
  local name = todo.script and words[todo.script]
  if name and commands[name] then return commands[name](table.unpack(words, todo.script + 1)) end
  local code = run_chunks(todo.chunks)
  if code == 0 and todo.script then code = run_script(words, todo.script) end
  if code ~= 0 and not todo.interactive then return code end
  if todo.interactive or not todo.script and #todo.chunks == 0 then
    return require "moonflow.cli.repl".main(version())
  end
  return code
end

return cli
