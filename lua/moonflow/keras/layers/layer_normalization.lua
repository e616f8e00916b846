--- LayerNormalization: every sample gets mean 0 and variance 1 over the given axes.

local Layer = require "moonflow.keras.layers.layer"
local arguments = require "moonflow.keras.layers.arguments"
local class = require "moonflow.base.class"
local constants = require "moonflow.keras.losses.constants"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local moments = require "moonflow.keras.layers.moments"

local LayerNormalization = Layer:extend("LayerNormalization", {
  args = {
    {"axis", "axis", default = -1, doc = "Axis, or list of axes."},
    {"epsilon", "number", default = 1e-3, doc = "Added to the variance."},
    {"center", "boolean", default = true, doc = "Whether beta is added."},
    {"scale", "boolean", default = true, doc = "Whether gamma multiplies."},
    arguments.initializer("beta", "zeros"), arguments.initializer("gamma", "ones"),
    arguments.regularizer("beta"), arguments.regularizer("gamma"), arguments.constraint("beta"),
    arguments.constraint("gamma"),
    {"rms_scaling", "boolean", default = false, keyword = true, doc = "Only divide by the standard deviation."},
  },
})

local get = core.op.get
local multiply, add, rsqrt, reshape, cast = get("Mul"), get("AddV2"), get("Rsqrt"), get("Reshape"), get("Cast")
local read = core.variable.read
local to_tensor, scalar = core.tensor.to, constants.scalar
local float32, float64 = core.dtype.float32, core.dtype.float64

function LayerNormalization:init(a)
  self:super_init(a)
  arguments.take(self, a, {"center", "scale", "rms_scaling", "beta_initializer", "gamma_initializer",
    "beta_regularizer", "gamma_regularizer", "beta_constraint", "gamma_constraint"})
  self.axis = a.axis
  if type(a.axis) == "table" then self.axis = table.move(a.axis, 1, #a.axis, 1, {}) end
  self.epsilon = a.epsilon
  self.supports_masking, self.autocast = true, false
end

function LayerNormalization:build(input_shape)
  local shape = core.shape.new(input_shape)
  local rank = #shape
  local axes = type(self.axis) == "table" and self.axis or {self.axis}
  table.sort(axes)
  self.axis = axes
  local sizes, spread, places = {}, {}, {}
  for i = 1, rank do spread[i] = 1 end
  for i, axis in ipairs(axes) do
    local at = axis < 0 and axis + rank or axis
    if at < 0 or at >= rank then
      errors.invalid("LayerNormalization", "layer '%s': axis %d is out of bounds for the input shape %s", self.name,
        axis, tostring(shape))
    end
    sizes[i], places[i] = shape[at + 1], at
    spread[at + 1] = sizes[i]
  end
  if self.scale or self.rms_scaling then
    self.gamma = self:add_weight{shape = sizes, name = "gamma", initializer = self.gamma_initializer,
      regularizer = self.gamma_regularizer, constraint = self.gamma_constraint}
  end
  if self.center and not self.rms_scaling then
    self.beta = self:add_weight{shape = sizes, name = "beta", initializer = self.beta_initializer,
      regularizer = self.beta_regularizer, constraint = self.beta_constraint}
  end
  local is_last = #axes == 1 and places[1] == rank - 1
  class.set_untracked(self, "_plan", {
    axes = to_tensor(places, "int32"), spread = not is_last and to_tensor(spread, "int32"),
  })
end

local function weight(self, name, dtype)
  local variable = self[name]
  if variable == nil then return nil end
  local value = read(variable)
  if value.dtype ~= dtype then value = cast(value, dtype) end
  local spread = self._plan.spread
  return spread and reshape(value, spread) or value
end

function LayerNormalization:call(x)
  local dtype = x.dtype
  if dtype ~= float32 and dtype ~= float64 then
    x, dtype = cast(x, float32), float32
  end
  local mean, variance = moments.kept(x, self._plan.axes)
  local factor = rsqrt(add(variance, scalar(self.epsilon, dtype)))
  local gamma = weight(self, "gamma", dtype)
  local y
  if self.rms_scaling then
    y = multiply(x, factor)
    if gamma then y = multiply(y, gamma) end
  else
    if gamma then factor = multiply(factor, gamma) end
    local shift, beta = multiply(-mean, factor), weight(self, "beta", dtype)
    if beta then shift = add(shift, beta) end
    y = add(multiply(x, factor), shift)
  end
  local wanted = self.dtype_policy.compute_object
  return dtype == wanted and y or cast(y, wanted)
end

function LayerNormalization:compute_output_shape(input_shape)
  return input_shape
end

return LayerNormalization
