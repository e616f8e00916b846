--- Merge: the base of layers that put several inputs of (nearly) the same shape together.
--
-- A class writes merge(inputs): a list of tensors of the same rank gives one.

local getmetatable = debug.getmetatable -- those of tensors are hidden from getmetatable

local Layer = require "moonflow.keras.layers.layer"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"

local None = dicts.None

local Merge = Layer:extend("Merge", {args = {}})

local get = core.op.get
local expand, logical_or = get("ExpandDims"), get("LogicalOr")
local one = core.tensor.to(1, "int32")

function Merge:init(a)
  self:super_init(a)
  self.supports_masking = true
end

--- The input shapes as a list of shape objects; an error unless it is a list.
function Merge:shapes(input_shape)
  local is_list = type(input_shape) == "table" and getmetatable(input_shape) == nil and #input_shape > 0 and
    math.type(input_shape[1]) == nil and input_shape[1] ~= None
  if not is_list then
    errors.invalid(self.class_name,
      "layer '%s' should be called on a list of at least 1 input, as layer{a, b}; received the input shape %s",
      self.name, tostring(input_shape))
  end
  local list = {}
  for i, shape in ipairs(input_shape) do list[i] = core.shape.new(shape) end
  return list
end

--- The shape without the batch that two shapes without theirs broadcast to.
local function broadcast(self, a, b, all)
  if #a < #b then a, b = b, a end
  local result, shift = {}, #a - #b
  for i = 1, #a do
    local m, n = a[i], i > shift and b[i - shift] or 1
    if m == None or n == None then
      result[i] = None
    elseif m ~= n and m ~= 1 and n ~= 1 then
      local texts = {}
      for k, shape in ipairs(all) do texts[k] = tostring(shape) end
      errors.invalid(self.class_name, "layer '%s': inputs have incompatible shapes: %s", self.name,
        table.concat(texts, ", "))
    else
      result[i] = m == 1 and n or m
    end
  end
  return result
end

local function without_batch(shape)
  local rest = {}
  for i = 2, #shape do rest[i - 1] = shape[i] end
  return rest
end

--- The output's shape; raises where inputs do not fit.
local function output_shape(self, shapes)
  local batch, sizes = None, without_batch(shapes[1])
  for i, shape in ipairs(shapes) do
    if i > 1 then sizes = broadcast(self, sizes, without_batch(shape), shapes) end
    if shape[1] ~= None then
      if batch ~= None and batch ~= shape[1] then
        errors.invalid(self.class_name, "layer '%s': cannot merge tensors with different batch sizes %d and %d",
          self.name, batch, shape[1])
      end
      batch = shape[1]
    end
  end
  return {batch, table.unpack(sizes)}
end

function Merge:build(input_shape)
  output_shape(self, self:shapes(input_shape))
end

--- Inputs of fewer axes get axes of size 1 behind the batch.
local function same_rank(inputs)
  local greatest, same = inputs[1].rank, true
  for i = 2, #inputs do
    local rank = inputs[i].rank
    same = same and rank == greatest
    greatest = math.max(rank, greatest)
  end
  if same then return inputs end
  local result = {}
  for i, x in ipairs(inputs) do
    for _ = 1, greatest - x.rank do x = expand(x, one) end
    result[i] = x
  end
  return result
end

function Merge:call(inputs)
  if type(inputs) ~= "table" then
    errors.invalid(self.class_name, "layer '%s' should be called on a list of inputs, received %s", self.name,
      errors.describe(inputs))
  end
  return self:merge(same_rank(inputs))
end

function Merge:compute_output_shape(input_shape)
  return output_shape(self, self:shapes(input_shape))
end

--- Masks of all inputs are joined by "or"; none if an input has none.
function Merge:compute_mask(inputs, mask)
  if mask == nil then return nil end
  local joined
  for i = 1, #inputs do
    local m = mask[i]
    if m == nil or m == None then return nil end
    joined = joined and logical_or(joined, m) or m
  end
  return joined
end

return Merge
