--- Flatten: all axes but the batch become one.

local InputSpec = require "moonflow.keras.layers.input_spec"
local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local Layer = require "moonflow.keras.layers.layer"
local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local shapes = require "moonflow.keras.layers.shapes"

local None = dicts.None

local Flatten = Layer:extend("Flatten", {
  args = {{"data_format", "string", default = None,
    doc = "'channels_first' images are brought to channels_last before."}},
})

function Flatten:init(a)
  self:super_init(a)
  self.data_format = config.standardize_data_format(a.data_format)
  self.input_spec = InputSpec{min_ndim = 1}
end

local function flat_size(shape)
  local size = 1
  for i = 2, #shape do
    if shape[i] == None then return None end
    size = size * shape[i]
  end
  return size
end

function Flatten:call(x)
  local rank = x.rank
  if self.data_format == "channels_first" and rank > 1 then
    local order = {0}
    for i = 2, rank - 1 do order[i] = i end
    order[rank] = 1
    x = core.op.get("Transpose")(x, core.tensor.to(order, "int32"))
  end
  return shapes.keep_batch(x, {flat_size(x.shape)})
end

function Flatten:compute_output_shape(input_shape)
  local shape = core.shape.new(input_shape)
  return {shape[1], flat_size(shape)}
end

function Flatten:compute_output_spec(x)
  return KerasTensor.new(self:compute_output_shape(x.shape), x.dtype)
end

return Flatten
