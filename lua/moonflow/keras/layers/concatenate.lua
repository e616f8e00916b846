--- Concatenate: inputs one behind the other along an axis.

local Merge = require "moonflow.keras.layers.merge"
local constants = require "moonflow.keras.losses.constants"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local None = dicts.None

local Concatenate = Merge:extend("Concatenate", {
  args = {{"axis", "integer", default = -1, doc = "Axis along which inputs are joined."}},
})

local get = core.op.get
local concat = get("ConcatV2")
local to_tensor = core.tensor.to

function Concatenate:init(a)
  self:super_init(a)
  self.axis = a.axis
end

local function fail(self, shapes)
  local texts = {}
  for i, shape in ipairs(shapes) do texts[i] = tostring(shape) end
  errors.invalid("Concatenate",
    "layer '%s': inputs must have the same shape except for the concatenation axis %d, received %s",
    self.name, self.axis, table.concat(texts, ", "))
end

local function output_shape(self, shapes)
  local first = shapes[1]
  local rank = #first
  local at = self.axis < 0 and self.axis + rank + 1 or self.axis + 1
  if at < 1 or at > rank then fail(self, shapes) end
  local result = first:as_list()
  for i = 2, #shapes do
    local shape = shapes[i]
    if #shape ~= rank then fail(self, shapes) end
    for k = 1, rank do
      local a, b = result[k], shape[k]
      if k == at then
        result[k] = a ~= None and b ~= None and a + b or None
      elseif a == None then
        result[k] = b
      elseif b ~= None and a ~= b then
        fail(self, shapes)
      end
    end
  end
  return result
end

function Concatenate:build(input_shape)
  output_shape(self, self:shapes(input_shape))
  rawset(self, "_axis", to_tensor(self.axis, "int32"))
end

function Concatenate:call(inputs)
  if #inputs == 1 then return inputs[1] end
  return concat(inputs, self._axis)
end

function Concatenate:compute_output_shape(input_shape)
  return output_shape(self, self:shapes(input_shape))
end

--- Inputs without a mask count as kept.
function Concatenate:compute_mask(inputs, mask)
  if mask == nil then return nil end
  local masks, any = {}, false
  for i, x in ipairs(inputs) do
    local m = mask[i]
    if m == nil or m == None then
      masks[i] = get("Cast")(get("OnesLike")(x), core.dtype.bool)
    else
      any = true
      if m.rank < x.rank then
        local zeros = get("Cast")(get("ZerosLike")(x), core.dtype.bool)
        m = get("LogicalOr")(get("ExpandDims")(m, constants.last_axis), zeros)
      end
      masks[i] = m
    end
  end
  if not any then return nil end
  return get("Any")(concat(masks, to_tensor(self.axis, "int32")), constants.last_axis)
end

return Concatenate
