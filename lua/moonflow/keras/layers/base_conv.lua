--- What convolutions over images have in common: arguments, weights, shapes.

local InputSpec = require "moonflow.keras.layers.input_spec"
local Layer = require "moonflow.keras.layers.layer"
local activated = require "moonflow.keras.layers.activated"
local arguments = require "moonflow.keras.layers.arguments"
local class = require "moonflow.base.class"
local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local windows = require "moonflow.keras.layers.windows"

local None = dicts.None
local RANK = 2

local BaseConv = Layer:extend("BaseConv", {
  args = {
    {"filters", "integer", min = 1, doc = "Number of channels of the output."},
    {"kernel_size", "integers", doc = "Height and width of the window."},
    {"strides", "integers", default = {1, 1}, doc = "Steps between windows."},
    {"padding", "string", default = "valid", doc = "'valid' or 'same'."},
    {"data_format", "string", default = None, doc = "'channels_last' or 'channels_first'."},
    {"dilation_rate", "integers", default = {1, 1}, doc = "Distance between the points of a window."},
    {"groups", "integer", default = 1, min = 1, doc = "Channels are split into groups that do not mix."},
    {"activation", "activation", default = None}, {"use_bias", "boolean", default = true},
    arguments.initializer("kernel", "glorot_uniform"), arguments.initializer("bias", "zeros"),
    arguments.regularizer("kernel"), arguments.regularizer("bias"),
    {"activity_regularizer", "regularizer", default = None, doc = "Penalty on the output."},
    arguments.constraint("kernel"), arguments.constraint("bias"),
  },
  getters = activated.getters, setters = activated.setters,
})

local taken = {"filters", "groups", "activation", "use_bias", "kernel_initializer", "bias_initializer",
  "kernel_regularizer", "bias_regularizer", "kernel_constraint", "bias_constraint"}

local function check(self)
  if self.filters % self.groups ~= 0 then
    errors.invalid(self.class_name,
      "the number of filters must be divisible by the number of groups, received groups=%d, " ..
      "filters=%d", self.groups, self.filters)
  end
  if math.max(table.unpack(self.strides)) > 1 and math.max(table.unpack(self.dilation_rate)) > 1 then
    errors.invalid(self.class_name, "`strides` above 1 cannot be combined with `dilation_rate` above 1, received " ..
      "strides={%s}, dilation_rate={%s}", table.concat(self.strides, ", "), table.concat(self.dilation_rate, ", "))
  end
end

function BaseConv:init(a)
  self:super_init(a)
  arguments.take(self, a, taken)
  if a.activation == nil then self.activation = None end
  for _, name in ipairs{"kernel_size", "strides", "dilation_rate"} do
    self[name] = arguments.sizes(self, name, a[name], RANK)
  end
  self.padding = windows.padding(self, a.padding)
  self.data_format = config.standardize_data_format(a.data_format)
  self.input_spec = InputSpec{min_ndim = RANK + 2}
  check(self)
end

function BaseConv:build(input_shape)
  local shape = core.shape.new(input_shape)
  local axis = self.data_format == "channels_last" and -1 or 1
  local channels = shape[axis == -1 and -1 or 2]
  if channels == None then
    errors.invalid(self.class_name, "layer '%s': the number of channels must be known, received the shape %s",
      self.name, tostring(shape))
  end
  if channels % self.groups ~= 0 then
    errors.invalid(self.class_name,
      "layer '%s': the number of input channels must be divisible by the number of groups, " ..
      "received groups=%d and the shape %s", self.name, self.groups, tostring(shape))
  end
  self:compute_output_shape(shape)
  self.input_spec = InputSpec{min_ndim = RANK + 2, axes = dicts.dict{{axis, channels}}}
  self.kernel = self:add_weight{name = "kernel", initializer = self.kernel_initializer,
    shape = {self.kernel_size[1], self.kernel_size[2], channels // self.groups, self.filters},
    regularizer = self.kernel_regularizer, constraint = self.kernel_constraint}
  if self.use_bias then
    self.bias = self:add_weight{shape = {self.filters}, initializer = self.bias_initializer, name = "bias",
      regularizer = self.bias_regularizer, constraint = self.bias_constraint}
  end
  local format = windows.formats[self.data_format]
  class.set_untracked(self, "_options", {
    strides = windows.four(self.strides, self.data_format), padding = self.padding:upper(), data_format = format,
    dilations = windows.four(self.dilation_rate, self.data_format),
  })
  class.set_untracked(self, "_bias_options", {data_format = format})
end

function BaseConv:compute_output_shape(input_shape)
  return windows.output_shape(self, input_shape, {
    size = self.kernel_size, strides = self.strides, dilation = self.dilation_rate, padding = self.padding,
    data_format = self.data_format, channels = self.filters,
  })
end

return BaseConv
