--- MaxPooling2D and AveragePooling2D: the greatest value or the mean of each window.

local InputSpec = require "moonflow.keras.layers.input_spec"
local Layer = require "moonflow.keras.layers.layer"
local arguments = require "moonflow.keras.layers.arguments"
local class = require "moonflow.base.class"
local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local windows = require "moonflow.keras.layers.windows"

local None = dicts.None

local function rows(pool_size)
  return {
    {"pool_size", "integers", default = pool_size, doc = "Height and width of the window."},
    {"strides", "integers", default = None, doc = "Steps between windows; the size when left out."},
    {"padding", "string", default = "valid", doc = "'valid' or 'same'."},
    {"data_format", "string", default = None, doc = "'channels_last' or 'channels_first'."},
    {"name", "string", default = None},
  }
end

local Pooling2D = Layer:extend("Pooling2D", {args = rows()})

function Pooling2D:init(a)
  self:super_init(a)
  self.pool_size = arguments.sizes(self, "pool_size", a.pool_size, 2)
  self.strides = arguments.sizes(self, "strides", a.strides or a.pool_size, 2)
  self.padding = windows.padding(self, a.padding)
  self.data_format = config.standardize_data_format(a.data_format)
  self.input_spec = InputSpec{ndim = 4}
  class.set_untracked(self, "_options", {
    ksize = windows.four(self.pool_size, "channels_last"), strides = windows.four(self.strides, "channels_last"),
    padding = self.padding:upper(),
  })
  self.built = true
end

local transpose = core.op.get("Transpose")
local to_last, to_first = core.tensor.to({0, 2, 3, 1}, "int32"), core.tensor.to({0, 3, 1, 2}, "int32")

function Pooling2D:call(x)
  if self.data_format == "channels_last" then return self.pool(x, self._options) end
  return transpose(self.pool(transpose(x, to_last), self._options), to_first)
end

function Pooling2D:compute_output_shape(input_shape)
  return windows.output_shape(self, input_shape, {size = self.pool_size, strides = self.strides,
    padding = self.padding, data_format = self.data_format})
end

local MaxPooling2D = Pooling2D:extend("MaxPooling2D", {args = rows{2, 2}})
MaxPooling2D.pool = core.op.get("MaxPool")

local AveragePooling2D = Pooling2D:extend("AveragePooling2D", {args = rows()})
AveragePooling2D.pool = core.op.get("AvgPool")

return {MaxPooling2D = MaxPooling2D, AveragePooling2D = AveragePooling2D}
