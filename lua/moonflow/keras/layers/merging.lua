--- The layers that merge inputs element by element, and their functional forms: layers.add{a, b}.

local Merge = require "moonflow.keras.layers.merge"
local args = require "moonflow.base.args"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local get = core.op.get

local merging = {}

--- Folds the inputs with a binary op.
local function fold(op)
  return function(_, inputs)
    local y = inputs[1]
    for i = 2, #inputs do y = op(y, inputs[i]) end
    return y
  end
end

local function define(class_name, merge)
  local cls = Merge:extend(class_name)
  cls.merge = merge
  merging[class_name] = cls
  return cls
end

local add = fold(get("AddV2"))

define("Add", add)
define("Multiply", fold(get("Mul")))
define("Maximum", fold(get("Maximum")))
define("Minimum", fold(get("Minimum")))
define("Average", function(_, inputs) return add(nil, inputs) / #inputs end)

local Subtract = define("Subtract", function(_, inputs) return inputs[1] - inputs[2] end)

function Subtract:build(input_shape)
  Merge.build(self, input_shape)
  if #input_shape ~= 2 then
    errors.invalid("Subtract", "layer '%s' should be called on exactly 2 inputs, received %d", self.name, #input_shape)
  end
end

--- The functional form of a merging class: f(inputs, {axis = 1, name = "joined"}) makes a layer and calls it. `rows`
-- are the class's own arguments.
function merging.functional(name, get_class, rows)
  local spec = {name = "tf.keras.layers." .. name, {"inputs", "tensors"}, open = "kwargs"}
  for i, row in ipairs(rows or {}) do spec[i + 1] = row end
  local read = args.signature(spec)
  return function(...)
    local a = read:read_table(...)
    local keywords = {}
    for key, value in next, a.kwargs or {} do keywords[key] = value end
    for _, row in ipairs(rows or {}) do keywords[row[1]] = a[row[1]] end
    return get_class()(dicts.kw(keywords))(a.inputs)
  end
end

for _, class_name in ipairs{"Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract"} do
  local name = class_name:lower()
  merging[name] = merging.functional(name, function() return merging[class_name] end)
end

merging.concatenate = merging.functional("concatenate", function()
  return require "moonflow.keras.layers.concatenate"
end, {{"axis", "integer", default = -1}})

merging.dot = merging.functional("dot", function()
  return require "moonflow.keras.layers.dot"
end, {{"axes", "axes", default = -1}})

return merging
