--- Batch renormalization: corrections that make training use (nearly) the statistics of inference, and their moving
-- averages.

local class = require "moonflow.base.class"
local constants = require "moonflow.keras.losses.constants"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local get = core.op.get
local sqrt, maximum, minimum = get("Sqrt"), get("Maximum"), get("Minimum")
local stop, cast = get("StopGradient"), get("Cast")
local read, assign = core.variable.read, core.variable.assign
local scalar = constants.scalar

local renorm = {}

--- Checks the argument renorm_clipping: a dict with rmax, rmin, dmax.
function renorm.check(clipping)
  local known = {rmax = true, rmin = true, dmax = true}
  for key in next, clipping do
    if not known[key] then
      errors.invalid("BatchNormalization",
        "argument 'renorm_clipping': expected the keys rmax, rmin, dmax, received '%s'", tostring(key))
    end
  end
  local rmax, rmin, dmax = clipping.rmax, clipping.rmin, clipping.dmax
  if rmax and rmin and rmax < rmin or dmax and dmax < 0 then
    errors.invalid("BatchNormalization",
      "argument 'renorm_clipping': expected rmin <= rmax and dmax >= 0, received rmin=%s, rmax=%s, dmax=%s",
      tostring(rmin), tostring(rmax), tostring(dmax))
  end
end

--- Makes the further variables: moving_stddev, renorm_mean, renorm_stddev.
function renorm.build(layer, shape)
  local function stddev(size, options)
    local variance = layer.moving_variance_initializer
    if class.of(variance) and variance.clone then variance = variance:clone() end
    return sqrt(variance(size, options))
  end
  local function add(name, initializer)
    layer[name] = layer:add_weight{shape = shape, name = name, initializer = initializer, trainable = false}
  end
  add("moving_stddev", stddev)
  add("renorm_mean", layer.moving_mean_initializer)
  add("renorm_stddev", stddev)
end

local function as(variable, dtype)
  local value = read(variable)
  return value.dtype == dtype and value or cast(value, dtype)
end

--- The factor and the shift that take the batch's statistics to the moving ones, clipped.
local function corrections(layer, mean, variance)
  local dtype, clipping = mean.dtype, layer.renorm_clipping or {}
  local epsilon = scalar(layer.epsilon, dtype)
  local bound = maximum(as(layer.renorm_stddev, dtype), sqrt(epsilon))
  local r = sqrt(variance + epsilon) / bound
  local d = (mean - as(layer.renorm_mean, dtype)) / bound
  if clipping.rmin then r = maximum(r, scalar(clipping.rmin, dtype)) end
  if clipping.rmax then r = minimum(r, scalar(clipping.rmax, dtype)) end
  if clipping.dmax then d = maximum(minimum(d, scalar(clipping.dmax, dtype)), scalar(-clipping.dmax, dtype)) end
  return stop(r), stop(d)
end

local function move(variable, value, momentum)
  local dtype = variable.dtype
  if value.dtype ~= dtype then value = cast(value, dtype) end
  local moved = read(variable) * momentum + value * (1.0 - momentum)
  assign(variable, moved)
  return moved
end

--- gamma and beta (either may be nil) with the corrections in them; moves all averages on.
function renorm.apply(layer, mean, variance, gamma, beta)
  local r, d = corrections(layer, mean, variance)
  local scale, shift = r, d
  if gamma then scale, shift = r * gamma, d * gamma end
  if beta then shift = shift + beta end
  local stddev = sqrt(variance + layer.epsilon)
  move(layer.renorm_mean, mean, layer.renorm_momentum)
  move(layer.renorm_stddev, stddev, layer.renorm_momentum)
  move(layer.moving_mean, mean, layer.momentum)
  local moved = move(layer.moving_stddev, stddev, layer.momentum)
  assign(layer.moving_variance, get("Relu")(moved * moved - layer.epsilon))
  return scale, shift
end

return renorm
