--- Reshape: other axes behind the batch.

local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local Layer = require "moonflow.keras.layers.layer"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local shapes = require "moonflow.keras.layers.shapes"

local Reshape = Layer:extend("Reshape", {
  args = {{"target_shape", "shape", doc = "Sizes without the batch; one may be -1: what is left."}},
})

function Reshape:init(a)
  self:super_init(a)
  if type(a.target_shape) == "number" then
    errors.invalid("Reshape", "argument 'target_shape': expected a list of sizes, as {%s}; received a number", tostring(a.target_shape))
  end
  local target, free = {}, 0
  for i = 1, #a.target_shape do
    local size = a.target_shape[i]
    target[i] = size
    if size == -1 then
      free = free + 1
    elseif math.type(size) and size < -1 then
      errors.invalid("Reshape", "argument 'target_shape': expected sizes of at least -1, received %d", size)
    end
  end
  if free > 1 then
    errors.invalid("Reshape", "argument 'target_shape': there must be at most one unknown size (-1), received {%s}",
      table.concat(target, ", "))
  end
  self.target_shape = target
  self.built = true
end

local function sizes_for(self, shape)
  local given = {}
  for i = 2, #shape do given[i - 1] = shape[i] end
  return shapes.resolve("Reshape", given, self.target_shape)
end

function Reshape:call(x)
  return shapes.keep_batch(x, sizes_for(self, x.shape))
end

function Reshape:compute_output_shape(input_shape)
  local shape = core.shape.new(input_shape)
  return {shape[1], table.unpack(sizes_for(self, shape))}
end

function Reshape:compute_output_spec(x)
  return KerasTensor.new(self:compute_output_shape(x.shape), x.dtype)
end

return Reshape
