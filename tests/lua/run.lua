--- Runs the Lua tests: `lua5.4 tests/lua/run.lua [files or parts of their names] [options]`, or with the moonflow
-- program.
--
-- Tests are written for busted (describe, it, before_each, assert.are.equal ...); this file replaces its command
-- line, because ours also runs inside the moonflow program, forbids stray globals, wants a reason for every skip and
-- says how to rerun one case.
--
--     --filter TEXT   only cases whose full name holds TEXT
--     --exact NAME    only the case with this full name
--     --list          print the names, run nothing
--     --verbose       print every case with its time
--     --record FILE   append the names of the functions that passing cases judged by TensorFlow called, one a line
--
-- The last line is `N passed, N failed` and nothing else; skipped cases are counted on the line before, with their
-- reasons.

local function folder_of(path)
  return path:match("^(.*)[/\\][^/\\]*$") or "."
end

local here = folder_of(arg[0])
local root = here .. "/../.."
package.path = table.concat({root .. "/lua/?.lua", root .. "/lua/?/init.lua", here .. "/?.lua", package.path}, ";")

local function read_command_line()
  local options, names = {}, {}
  local i = 1
  while arg[i] do
    local word = arg[i]
    if word == "--filter" or word == "--exact" or word == "--record" then
      i = i + 1
      options[word:sub(3)] = arg[i] or error(word .. " needs a value", 0)
    elseif word == "--list" or word == "--verbose" then
      options[word:sub(3)] = true
    elseif word:sub(1, 2) == "--" then
      error("unknown option " .. word .. " (--filter, --exact, --list, --verbose, --record)", 0)
    else
      names[#names + 1] = word
    end
    i = i + 1
  end
  return options, names
end

local options, names = read_command_line()

--- busted would keep a global that a test file assigns in an environment of its own; here it is an error, as it is in
-- modules.
local function forbid_globals_of_tests()
  local make = require "busted.environment"
  package.loaded["busted.environment"] = function(context)
    local environment = make(context)
    local wrap = environment.wrap
    function environment.wrap(run)
      wrap(run)
      getmetatable(require "busted.compatibility".getfenv(run)).__newindex = function(_, name)
        error("stray global '" .. tostring(name) .. "' (tests declare locals)", 2)
      end
    end
    return environment
  end
end

local found, busted = pcall(function()
  forbid_globals_of_tests()
  return require "busted.core"()
end)
if not found then
  io.stderr:write("the Lua tests need busted (Debian: lua-busted; LuaRocks: busted)\n", tostring(busted), "\n")
  print("0 passed, 1 failed")
  os.exit(1)
end
require "busted"(busted)
-- Files share loaded modules: the C core is opened once in a Lua state.
busted.register("file", "file", {})

-- ---- which files

local function test_files()
  local path = require "pl.path"
  local all = require "pl.dir".getallfiles(here, "*_test.lua")
  table.sort(all)
  if #names == 0 then return all end
  local chosen = {}
  for _, name in ipairs(names) do
    if path.isfile(name) then
      chosen[#chosen + 1] = name
    else
      for _, file in ipairs(all) do
        if file:find(name, 1, true) then chosen[#chosen + 1] = file end
      end
    end
  end
  return chosen
end

local function full_name(element)
  local parts = {element.name or element.descriptor}
  local parent = busted.context.parent(element)
  while parent and parent.name and parent.descriptor ~= "file" do
    table.insert(parts, 1, parent.name)
    parent = busted.context.parent(parent)
  end
  return table.concat(parts, " ")
end

local function file_of(element)
  while element and element.descriptor ~= "file" do element = busted.context.parent(element) end
  return element and element.name
end

-- ---- what happened

local passed, failed, skipped = 0, 0, {}
local said = {} -- element -> message of its failure
local recorded = {}

local function quote(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

local function interpreter()
  local i = 0
  while arg[i - 1] do i = i - 1 end
  return i < 0 and arg[i] or "moonflow"
end

local function print_failure(element, message)
  failed = failed + 1
  local name = full_name(element)
  print(("FAIL %s\n%s"):format(name, (tostring(message):gsub("[^\n]+", "  %0"))))
  local file = file_of(element)
  local only = element.descriptor == "it" and " --exact " .. quote(name) or ""
  print(("  again: %s %s %s%s"):format(interpreter(), arg[0], file and quote(file) or "", only))
end

local function take_calls()
  local core = package.loaded["moonflow.core"]
  return core and core.args and core.args.called() or {}
end

local function take_judged()
  local golden = package.loaded.golden_data
  return golden and golden.take_judged()
end

busted.subscribe({"error"}, function(element, _, message)
  if element.descriptor == "it" then
    said[element] = message or "error"
  else
    print_failure(element, message)
  end
  return nil, true
end)

busted.subscribe({"failure"}, function(element, _, message)
  if element.descriptor == "it" then
    said[element] = message or "failure"
  else
    print_failure(element, message)
  end
  return nil, true
end)

busted.subscribe({"pending"}, function(element, _, message)
  -- a message begins with the position when pending("reason") raised it
  local reason = tostring(message or ""):gsub("^[^\n]-:%d+: ", "")
  element.reason = reason ~= "" and reason ~= "Nil error" and reason or nil
  return nil, true
end)

busted.subscribe({"test", "start"}, function()
  if options.record then
    take_calls()
    take_judged()
  end
  return nil, true
end)

busted.subscribe({"test", "end"}, function(element, _, status)
  if options.verbose then print(("%-8s %6.3f s  %s"):format(status, element.duration or 0, full_name(element))) end
  if status == "pending" then
    if element.reason then
      skipped[#skipped + 1] = full_name(element) .. ": " .. element.reason
    else
      print_failure(element, "skipped without a reason: write pending(\"reason\") inside the case")
    end
  elseif status == "success" and not said[element] then
    passed = passed + 1
    if options.record and take_judged() then
      for name in next, take_calls() do recorded[name] = true end
    end
  else
    print_failure(element, said[element] or status)
  end
  return nil, true
end)

-- ---- which cases

local function full_name_now(name)
  local probe = {name = name, descriptor = "it"}
  local parts = {probe.name}
  local parent = busted.context.get()
  while parent and parent.name and parent.descriptor ~= "file" do
    table.insert(parts, 1, parent.name)
    parent = busted.context.parent(parent)
  end
  return table.concat(parts, " ")
end

local function wanted(name)
  local full = full_name_now(tostring(name))
  local take = not options.exact or full == options.exact
  if options.filter and not full:find(options.filter, 1, true) then take = false end
  if take and options.list then
    print(full)
    take = false
  end
  return nil, take
end

busted.subscribe({"register", "it"}, wanted, {priority = 1})
busted.subscribe({"register", "pending"}, wanted, {priority = 1})

-- ---- go

local files = test_files()
if #files == 0 then
  print("no test file matches " .. table.concat(names, " "))
  print("0 passed, 1 failed")
  os.exit(1)
end

setmetatable(_G, {
  __newindex = function(_, name)
    error("stray global '" .. tostring(name) .. "' (modules and tests declare locals)", 2)
  end,
})

require "busted.modules.test_file_loader"(busted, {"lua"})(files, {}, {excludes = {}, recursive = true})
require "busted.execute"(busted)(1, {})

if options.record then
  local lines = {}
  for name in next, recorded do lines[#lines + 1] = name .. "\n" end
  table.sort(lines)
  local file = assert(io.open(options.record, "a"))
  file:write(table.concat(lines))
  file:close()
end

if passed + failed + #skipped == 0 and not options.list then
  print("no case was run")
  failed = 1
end
if #skipped > 0 then
  for _, line in ipairs(skipped) do print("skip " .. line) end
  print(#skipped .. " skipped")
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0, true)
