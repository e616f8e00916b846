--- Losses of numbers and of signs: values for each sample, the mean over the last axis.

local config = require "moonflow.keras.backend.config"
local constants = require "moonflow.keras.losses.constants"
local core = require "moonflow.core"
local reduction = require "moonflow.keras.losses.reduction"

local get = core.op.get
local mean, sum, max, absolute, square = get("Mean"), get("Sum"), get("Max"), get("Abs"), get("Square")
local subtract, squared_difference, cast = get("Sub"), get("SquaredDifference"), get("Cast")
local log, maximum, minimum, select_op = get("Log"), get("Maximum"), get("Minimum"), get("SelectV2")
local to_tensor, scalar, last_axis = core.tensor.to, constants.scalar, constants.last_axis

local regression = {}

--- Both in the dtype of the predictions and of one rank.
local function pair(y_true, y_pred)
  if y_true.dtype ~= y_pred.dtype then y_true = cast(y_true, y_pred.dtype) end
  return reduction.squeeze_or_expand(y_true, y_pred)
end

function regression.mean_squared_error(y_true, y_pred)
  y_true, y_pred = pair(y_true, y_pred)
  return mean(squared_difference(y_true, y_pred), last_axis)
end

function regression.mean_absolute_error(y_true, y_pred)
  y_true, y_pred = pair(y_true, y_pred)
  return mean(absolute(subtract(y_true, y_pred)), last_axis)
end

function regression.mean_absolute_percentage_error(y_true, y_pred)
  y_true, y_pred = pair(y_true, y_pred)
  local bound = maximum(absolute(y_true), scalar(config.epsilon(), y_pred.dtype))
  return mean(absolute((y_true - y_pred) / bound), last_axis) * 100.0
end

function regression.mean_squared_logarithmic_error(y_true, y_pred)
  y_true, y_pred = pair(y_true, y_pred)
  local epsilon = scalar(config.epsilon(), y_pred.dtype)
  return mean(square(log(maximum(y_pred, epsilon) + 1.0) - log(maximum(y_true, epsilon) + 1.0)), last_axis)
end

--- kwargs: delta.
function regression.huber(y_true, y_pred, kwargs)
  y_true, y_pred = pair(y_true, y_pred)
  local delta = scalar(kwargs and kwargs.delta or 1.0, y_pred.dtype)
  local difference = y_pred - y_true
  local size = absolute(difference)
  local inside = square(difference) * 0.5
  return mean(select_op(get("LessEqual")(size, delta), inside, delta * size - square(delta) * 0.5), last_axis)
end

function regression.log_cosh(y_true, y_pred)
  y_true, y_pred = pair(y_true, y_pred)
  local x = y_pred - y_true
  return mean(x + get("Softplus")(x * -2.0) - math.log(2.0), last_axis)
end

local function unit(x, axis)
  local norm = get("Rsqrt")(sum(square(x), axis, {keep_dims = true}))
  return x * minimum(norm, scalar(1.0 / config.epsilon(), x.dtype))
end

--- The cosine of the angle along an axis. kwargs: axis.
function regression.cosine(y_true, y_pred, kwargs)
  y_true, y_pred = pair(y_true, y_pred)
  local axis = kwargs and kwargs.axis or -1
  axis = axis == -1 and last_axis or to_tensor(axis, "int32")
  return sum(unit(y_true, axis) * unit(y_pred, axis), axis)
end

function regression.cosine_similarity(y_true, y_pred, kwargs)
  return -regression.cosine(y_true, y_pred, kwargs)
end

-- ---- signs

local function as_prediction(y_true, y_pred)
  return y_true.dtype == y_pred.dtype and y_true or cast(y_true, y_pred.dtype)
end

--- Labels of 0 and 1 become -1 and 1; others stay as they are.
local function signs(y_true, y_pred)
  y_true = as_prediction(y_true, y_pred)
  local zero, one = scalar(0, y_true.dtype), scalar(1, y_true.dtype)
  local binary = get("LogicalOr")(get("Equal")(y_true, zero), get("Equal")(y_true, one))
  return select_op(get("All")(binary, reduction.axes_tensor(y_true)), y_true * 2.0 - 1.0, y_true)
end

local function hinge_values(y_true, y_pred)
  return maximum(1.0 - signs(y_true, y_pred) * y_pred, scalar(0.0, y_pred.dtype))
end

function regression.hinge(y_true, y_pred)
  return mean(hinge_values(y_true, y_pred), last_axis)
end

function regression.squared_hinge(y_true, y_pred)
  return mean(square(hinge_values(y_true, y_pred)), last_axis)
end

function regression.categorical_hinge(y_true, y_pred)
  y_true = as_prediction(y_true, y_pred)
  local right = sum(y_true * y_pred, last_axis)
  local wrong = max((1.0 - y_true) * y_pred, last_axis)
  return maximum(wrong - right + 1.0, scalar(0.0, y_pred.dtype))
end

-- ---- distributions

function regression.kl_divergence(y_true, y_pred)
  y_true = as_prediction(y_true, y_pred)
  local low, high = scalar(config.epsilon(), y_pred.dtype), scalar(1.0, y_pred.dtype)
  local p, q = maximum(minimum(y_true, high), low), maximum(minimum(y_pred, high), low)
  return sum(p * log(p / q), last_axis)
end

function regression.poisson(y_true, y_pred)
  y_true = as_prediction(y_true, y_pred)
  return mean(y_pred - y_true * log(y_pred + config.epsilon()), last_axis)
end

return regression
