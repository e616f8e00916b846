--- Command line of scripts/coverage: main.lua NAMES OPS [options], the first two written by tests/lua/run.lua --record.

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local root = here .. "/../.."
package.path = here .. "/?.lua;" .. package.path

local calls = require "calls"
local lists = require "lists"
local measure = require "measure"
local report = require "report"

local function read_command_line()
  local options, i = {}, 3
  while arg[i] do
    local word = arg[i]
    if word == "--missing" then
      i = i + 1
      options.missing = arg[i] or error("coverage: --missing needs a part", 0)
    elseif word == "--check" or word == "--write" or word == "--differences" then
      options[word:sub(3)] = true
    else
      error("coverage: unknown option " .. word .. " (--check, --write, --missing, --differences)", 0)
    end
    i = i + 1
  end
  return options
end

local function read_file(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

local function write_file(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  file:close()
end

local options = read_command_line()
local called = calls.read(arg[1], arg[2])
local found = measure.all(lists.api(root .. "/tests/api/api.tsv"), lists.ops(root .. "/tests/api/ops.tsv"), called)

local path = root .. "/docs/coverage.md"
if options.missing then
  print(report.missing(found, options.missing))
elseif options.differences then
  print(report.differences(found))
elseif options.write then
  write_file(path, report.document(found))
  print("coverage: wrote docs/coverage.md")
elseif options.check then
  if read_file(path) ~= report.document(found) then
    print("coverage: docs/coverage.md is out of date: run scripts/coverage --write")
    os.exit(1)
  end
  print("coverage: docs/coverage.md is up to date")
else
  print(report.tables(found))
end
