--- Rescaling: input * scale + offset; integers become floats.

local Layer = require "moonflow.keras.layers.layer"
local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"

local Rescaling = Layer:extend("Rescaling", {
  args = {
    {"scale", "numbers", doc = "Factor: a number, or one a channel."},
    {"offset", "numbers", default = 0.0, doc = "What is added: a number, or one a channel."},
  },
})

local get = core.op.get
local multiply, add, cast = get("Mul"), get("AddV2"), get("Cast")

function Rescaling:init(a)
  self:super_init(a)
  self.autocast = false
  self.scale, self.offset = a.scale, a.offset
  self.supports_masking = true
end

--- The numbers in the layer's dtype, by way of float32 as Keras casts them.
local function constant(self, name)
  local tensor = cast(core.tensor.to(self[name], "float32"), self.compute_dtype)
  if name == "scale" and tensor.rank > 0 and config.image_data_format() == "channels_first" then
    local shape = {tensor:dim(0), 1, 1}
    return get("Reshape")(tensor, core.tensor.to(shape, "int32"))
  end
  return tensor
end

function Rescaling:call(x)
  local dtype = self.dtype_policy.compute_object
  if x.dtype ~= dtype then x = cast(x, dtype) end
  return add(multiply(x, constant(self, "scale")), constant(self, "offset"))
end

function Rescaling:compute_output_shape(input_shape)
  return input_shape
end

return Rescaling
