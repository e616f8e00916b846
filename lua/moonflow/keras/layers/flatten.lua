--- Flatten: all axes but the batch become one.

local KerasTensor = require "moonflow.keras.backend.keras_tensor"
local Layer = require "moonflow.keras.layers.layer"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"

local Flatten = Layer:extend("Flatten", {
  args = {{"data_format", "string", default = dicts.None, one_of = {"channels_last", "channels_first"}}},
})

local reshape = core.op.get("Reshape")

function Flatten:init(a)
  self:super_init(a)
  self.data_format = require "moonflow.keras.backend.config".standardize_data_format(a.data_format)
end

function Flatten:call(x)
  local shape = x.shape
  local size = 1
  for i = 2, #shape do
    if shape[i] == dicts.None then size = -1 break end
    size = size * shape[i]
  end
  local batch = shape[1] == dicts.None and -1 or shape[1]
  if batch == -1 and size == -1 then size = -1 end
  return reshape(x, core.tensor.to({batch, size}, "int32"))
end

function Flatten:compute_output_spec(x)
  local shape, size = x.shape, 1
  for i = 2, #shape do
    if shape[i] == dicts.None then size = dicts.None break end
    size = size * shape[i]
  end
  return KerasTensor.new({shape[1], size}, x.dtype)
end

return Flatten
