--- tf.keras.ops: functions on tensors, numbers and KerasTensors. On KerasTensors a call is recorded; elsewhere it runs.
--
-- The functions are rows of table.lua.

local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local Node = require "moonflow.keras.ops.node"
local Operation = require "moonflow.keras.ops.operation"
local args = require "moonflow.base.args"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local read_signature = require "moonflow.api.row".read_signature
local rows = require "moonflow.keras.ops.table"

local by_name = {}
for _, row in ipairs(rows) do
  for name in row[1]:gmatch("%S+") do by_name[name] = row end
end

local function is_symbolic(value)
  return KerasTensor.is(value) or type(value) == "table" and Node.is_symbolic(value)
end

--- Makes the function of a row: it reads the call by the row's signature, then runs or records.
local function make(name, row)
  local read = args.signature(read_signature("ops." .. name, row[2]))
  local class_name, body = row[3], row[4]
  local function run(...)
    if class_name then
      for i = 1, select("#", ...) do
        if is_symbolic((select(i, ...))) then return Operation(class_name, body):symbolic_call(...) end
      end
    end
    return body(...)
  end
  return function(...) return run(read(...)) end
end

return setmetatable({}, {
  __name = "tf.keras.ops", __mf_namespace = "tf.keras.ops",
  __index = function(ops, name)
    local row = by_name[name]
    if not row then
      if type(name) ~= "string" or name:sub(1, 1) == "_" then return nil end
      local names = {}
      for key in next, by_name do names[#names + 1] = key end
      errors.no_member("tf.keras.ops", name, dicts.sorted(names))
    end
    local f = make(name, row)
    rawset(ops, name, f)
    return f
  end,
  __pairs = function(ops)
    local names, i = {}, 0
    for name in next, by_name do names[#names + 1] = name end
    dicts.sorted(names)
    return function()
      i = i + 1
      local name = names[i]
      if name then return name, ops[name] end
    end
  end,
})
