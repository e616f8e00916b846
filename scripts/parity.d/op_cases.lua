--- One side of op_cases.py: runs the op harness of the tests over the golden files of a folder.
--
--     op_cases.lua FOLDER
-- Prints one line for each case that differs, then a line with the counts.

local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/../../tests/lua/?.lua;" .. package.path

local core = require "moonflow.core"
local golden = require "golden_data"
local harness = require "op_harness"

--- The cases in which TensorFlow's answer is a fault of its own: the table that the test of all ops declares.
local function deviations()
  local file = assert(io.open(here .. "/../../tests/lua/ops_test.lua", "r"))
  local block = file:read("a"):match("\nlocal deviations = (%b{})")
  file:close()
  return block and assert(load("return " .. block, "deviations", "t", {}))() or {}
end

local folder = arg[1]
local excused = deviations()
local ran, differ, missing, known = 0, 0, 0, 0
for _, op in ipairs(core.op.names()) do
  local path = folder .. "/" .. op .. ".json"
  local file = io.open(path, "r")
  if file then
    file:close()
    for _, case in ipairs(golden.read(path).cases) do
      local ok, wrong, is_missing = pcall(harness.run_case, op, case)
      if not ok then wrong = tostring(wrong) end
      ran = ran + 1
      if is_missing then missing = missing + 1 end
      if wrong and excused[op] and excused[op][case.name] then
        known = known + 1
      elseif wrong then
        differ = differ + 1
        print(("%s/%s: %s"):format(op, case.name, wrong))
      end
    end
  end
end
print(("%d cases, %d differ, %d are known deviations, %d without a kernel"):format(ran, differ, known, missing))
