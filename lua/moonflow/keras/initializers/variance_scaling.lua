--- VarianceScaling: a variance of scale / n, where n counts the inputs, the outputs, or their mean. Glorot's, He's and
-- LeCun's initializers are special cases.

local Initializer = require "moonflow.keras.initializers.initializer"
local dicts = require "moonflow.base.dict"
local drawing = require "moonflow.keras.initializers.drawing"
local errors = require "moonflow.base.errors"

local None = dicts.None

-- Axes of the shape that count as inputs and outputs, where they are not the usual ones.
local axes_rows = {{"input_axes", "integers", default = None}, {"output_axes", "integers", default = None}}

local VarianceScaling = Initializer:extend("VarianceScaling", {
  args = {
    {"scale", "number", default = 1.0, doc = "Factor of the variance, above 0."},
    {"mode", "string", default = "fan_in", one_of = {"fan_in", "fan_out", "fan_avg"}},
    {"distribution", "string", default = "truncated_normal"},
    drawing.seed_row, axes_rows[1], axes_rows[2],
  },
})

local distributions = {
  normal = "truncated_normal", truncated_normal = "truncated_normal", untruncated_normal = "untruncated_normal",
  uniform = "uniform",
}

function VarianceScaling:init(a)
  if a.scale <= 0 then
    errors.invalid(self.class_name, "argument 'scale': expected a number above 0, received %s", tostring(a.scale))
  end
  local distribution = distributions[a.distribution:lower()]
  if not distribution then
    errors.invalid(self.class_name, "argument 'distribution': expected one of 'uniform', 'truncated_normal', " ..
      "'untruncated_normal', received %s", errors.describe(a.distribution))
  end
  self.scale, self.mode, self.distribution = a.scale, a.mode, distribution
  self.input_axes, self.output_axes = a.input_axes, a.output_axes
  drawing.take_seed(self, a.seed)
end

local function product(shape, axes)
  local n = 1
  for _, axis in ipairs(type(axes) == "table" and axes or {axes}) do n = n * shape[axis < 0 and axis or axis + 1] end
  return n
end

--- How many inputs and outputs a weight of that shape joins: convolutions count the window.
local function fans(self, shape)
  if self.input_axes ~= nil and self.output_axes ~= nil then
    return product(shape, self.input_axes), product(shape, self.output_axes)
  end
  local rank = #shape
  if rank == 0 then return 1, 1 end
  if rank == 1 then return shape[1], shape[1] end
  local window = 1
  for i = 1, rank - 2 do window = window * shape[i] end
  return shape[rank - 1] * window, shape[rank] * window
end

function VarianceScaling:call(shape, dtype)
  local fan_in, fan_out = fans(self, shape)
  local n = self.mode == "fan_in" and fan_in or self.mode == "fan_out" and fan_out or (fan_in + fan_out) / 2
  local scale = self.scale / math.max(1.0, n)
  if self.distribution == "uniform" then
    local limit = math.sqrt(3.0 * scale)
    return drawing.uniform(shape, -limit, limit, dtype, self.seed)
  end
  if self.distribution == "untruncated_normal" then
    return drawing.normal(shape, 0.0, math.sqrt(scale), dtype, self.seed)
  end
  -- cutting at two standard deviations leaves a standard deviation of 0.8796 of the normal's
  return drawing.truncated_normal(shape, 0.0, math.sqrt(scale) / 0.87962566103423978, dtype, self.seed)
end

-- ---- the special cases

local special = {
  GlorotUniform = {1.0, "fan_avg", "uniform"}, GlorotNormal = {1.0, "fan_avg", "truncated_normal"},
  HeUniform = {2.0, "fan_in", "uniform"}, HeNormal = {2.0, "fan_in", "truncated_normal"},
  LecunUniform = {1.0, "fan_in", "uniform"}, LecunNormal = {1.0, "fan_in", "truncated_normal"},
}

local classes = {VarianceScaling = VarianceScaling}

for class_name, values in next, special do
  local cls = VarianceScaling:extend(class_name, {
    args = {drawing.seed_row, axes_rows[1], axes_rows[2], {"scale", remove = true}, {"mode", remove = true},
      {"distribution", remove = true}},
  })
  function cls:init(a)
    self:super_init{scale = values[1], mode = values[2], distribution = values[3], seed = a.seed,
      input_axes = a.input_axes, output_axes = a.output_axes}
  end
  classes[class_name] = cls
end

return classes
