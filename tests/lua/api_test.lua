--- Public functions called as a user writes them, against what TensorFlow returned. tests/golden/README.md has the format.

local core = require "moonflow.core"
local tf = require "moonflow"
local golden = require "golden_data"

local None = tf.None
local folder = "tests/golden/api/"
local areas = {"array", "debugging", "image", "linalg", "math", "mistakes", "nn", "random", "reduce", "strings"}

local function argument(value)
  if value == None or type(value) ~= "table" then return value end
  if golden.is_tensor(value) then return golden.tensor(value) end
  local list = {}
  for i = 1, #value do list[i] = argument(value[i]) end
  return list
end

--- The public function of that name, or nil: asking for one that does not exist is an error.
local function find(name)
  local ok, found = pcall(function()
    local value = tf
    for part in name:gmatch("[^.]+") do
      if part ~= "tf" then value = value[part == "repeat" and "repeat_" or part] end
    end
    return value
  end)
  return ok and found or nil
end

local function uses_complex(values)
  for i = 1, #values do
    local value = values[i]
    if golden.is_tensor(value) and value.dtype:find("^complex") then return true end
  end
  return false
end

local function perform(row)
  local arguments, n = {}, #row.args
  for i = 1, n do
    local value = argument(row.args[i])
    if value ~= None then arguments[i] = value end
  end
  if row.kwargs then
    local keywords = {}
    for name, value in next, row.kwargs do keywords[name] = argument(value) end
    n = n + 1
    arguments[n] = tf.kw(keywords)
  end
  return find(row.call)(table.unpack(arguments, 1, n))
end

local difference

local function list_difference(got, want)
  if type(got) ~= "table" and core.args.kind(got) == "tensor" then return "expected a list, received a tensor" end
  for i = 1, #want do
    local wrong = difference(got[i], want[i])
    if wrong then return ("item %d: %s"):format(i, wrong) end
  end
  return #got ~= #want and ("%d items, expected %d"):format(#got, #want) or nil
end

function difference(got, want)
  if want == None or want == nil then
    return got ~= nil and got ~= None and "expected nothing, received " .. tostring(got) or nil
  end
  if type(want) ~= "table" then
    return got ~= want and ("expected %s, received %s"):format(tostring(want), tostring(got)) or nil
  end
  if want.as_dtype then return got.name ~= want.as_dtype and "expected dtype " .. want.as_dtype or nil end
  if golden.is_tensor(want) then return golden.difference(got, want) end
  return list_difference(got, want)
end

local function run(row)
  local results = table.pack(pcall(perform, row))
  if row.error then return results[1] and "the call succeeded, TensorFlow refuses it" or nil end
  if not results[1] then return tostring(results[2]) end
  local got = results[2]
  local is_list = type(row.result) == "table" and not golden.is_tensor(row.result) and not row.result.as_dtype
  if is_list and results.n > 2 then got = {table.unpack(results, 2, results.n)} end
  return difference(got, row.result)
end

describe("public functions", function()
  for _, area in ipairs(areas) do
    it(area .. " return what TensorFlow's return", function()
      local failures, n = {}, 0
      for i, row in ipairs(golden.read(folder .. area .. ".json").calls) do
        -- Functions that do not exist are counted by scripts/coverage, complex numbers come later.
        if find(row.call) ~= nil and not uses_complex(row.args) then
          n = n + 1
          local wrong = run(row)
          if wrong then failures[#failures + 1] = ("%s (call %d): %s"):format(row.call, i, wrong) end
        end
      end
      assert(n > 0 or area == "image", area .. ": no function exists")
      if #failures > 0 then error(#failures .. " of " .. n .. " calls:\n" .. table.concat(failures, "\n"), 0) end
    end)
  end
end)
