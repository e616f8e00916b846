--- GlobalAveragePooling2D and GlobalMaxPooling2D: one number a channel.

local InputSpec = require "moonflow.keras.layers.input_spec"
local Layer = require "moonflow.keras.layers.layer"
local class = require "moonflow.base.class"
local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"

local GlobalPooling2D = Layer:extend("GlobalPooling2D", {
  args = {
    {"data_format", "string", default = dicts.None, doc = "'channels_last' or 'channels_first'."},
    {"keepdims", "boolean", default = false, doc = "Whether height and width stay as axes of size 1."},
  },
})

local axes = {channels_last = core.tensor.to({1, 2}, "int32"), channels_first = core.tensor.to({2, 3}, "int32")}

function GlobalPooling2D:init(a)
  self:super_init(a)
  self.data_format = config.standardize_data_format(a.data_format)
  self.keepdims = a.keepdims
  self.input_spec = InputSpec{ndim = 4}
  class.set_untracked(self, "_axes", axes[self.data_format])
  self.built = true
end

function GlobalPooling2D:call(x)
  return self.reduce(x, self._axes, self.keepdims)
end

function GlobalPooling2D:compute_output_shape(input_shape)
  local shape = core.shape.new(input_shape)
  if self.data_format == "channels_first" then
    return self.keepdims and {shape[1], shape[2], 1, 1} or {shape[1], shape[2]}
  end
  return self.keepdims and {shape[1], 1, 1, shape[-1]} or {shape[1], shape[-1]}
end

local GlobalAveragePooling2D = GlobalPooling2D:extend("GlobalAveragePooling2D")
GlobalAveragePooling2D.reduce = core.op.get("Mean")

local GlobalMaxPooling2D = GlobalPooling2D:extend("GlobalMaxPooling2D")
GlobalMaxPooling2D.reduce = core.op.get("Max")

return {GlobalAveragePooling2D = GlobalAveragePooling2D, GlobalMaxPooling2D = GlobalMaxPooling2D}
