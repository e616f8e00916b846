--- Focal crossentropies, and the losses of overlaps: Dice and Tversky.

local config = require "moonflow.keras.backend.config"
local constants = require "moonflow.keras.losses.constants"
local core = require "moonflow.core"
local crossentropy = require "moonflow.keras.losses.crossentropy"
local reduction = require "moonflow.keras.losses.reduction"

local get = core.op.get
local mean, sum, log, pow, cast = get("Mean"), get("Sum"), get("Log"), get("Pow"), get("Cast")
local to_tensor, scalar, last_axis = core.tensor.to, constants.scalar, constants.last_axis

local focal = {}

local function axis_tensor(axis)
  return (axis == nil or axis == -1) and last_axis or to_tensor(axis, "int32")
end

local function as_prediction(y_true, y_pred)
  return y_true.dtype == y_pred.dtype and y_true or cast(y_true, y_pred.dtype)
end

--- kwargs: apply_class_balancing, alpha, gamma, from_logits, label_smoothing, axis.
function focal.binary(y_true, y_pred, kwargs)
  y_true = as_prediction(y_true, y_pred)
  local smoothing = kwargs.label_smoothing
  if smoothing and smoothing ~= 0 then y_true = y_true * (1.0 - smoothing) + 0.5 * smoothing end
  if kwargs.from_logits then y_pred = get("Sigmoid")(y_pred) end
  local values = crossentropy.binary_values(y_true, y_pred, false)
  local right = y_true * y_pred + (1 - y_true) * (1 - y_pred)
  values = pow(1.0 - right, scalar(kwargs.gamma or 2.0, y_pred.dtype)) * values
  if kwargs.apply_class_balancing then
    local alpha = kwargs.alpha or 0.25
    values = (y_true * alpha + (1 - y_true) * (1 - alpha)) * values
  end
  return mean(values, axis_tensor(kwargs.axis))
end

--- kwargs: alpha, gamma, from_logits, label_smoothing, axis.
function focal.categorical(y_true, y_pred, kwargs)
  y_true = as_prediction(y_true, y_pred)
  local smoothing, axis = kwargs.label_smoothing, axis_tensor(kwargs.axis)
  if smoothing and smoothing ~= 0 then y_true = crossentropy.smooth_classes(y_true, smoothing, y_pred.dtype) end
  if kwargs.from_logits then
    y_pred = require "moonflow.keras.activations".softmax(y_pred, kwargs.axis or -1)
  end
  local p = crossentropy.clip(y_pred / sum(y_pred, axis, {keep_dims = true}))
  local weight = pow(1.0 - p, scalar(kwargs.gamma or 2.0, p.dtype)) * (kwargs.alpha or 0.25)
  return sum(weight * (-y_true * log(p)), axis)
end

--- Sums over the axes of kwargs.axis, all of them without it.
local function sum_of(x, axis)
  return sum(x, axis and to_tensor(axis, "int32") or reduction.axes_tensor(x))
end

--- kwargs: axis.
function focal.dice(y_true, y_pred, kwargs)
  y_true = as_prediction(y_true, y_pred)
  local axis = kwargs.axis
  local both = sum_of(y_true * y_pred, axis)
  return 1 - both * 2.0 / (sum_of(y_true, axis) + sum_of(y_pred, axis) + config.epsilon())
end

--- kwargs: alpha, beta, axis.
function focal.tversky(y_true, y_pred, kwargs)
  y_true = as_prediction(y_true, y_pred)
  local axis = kwargs.axis
  local both = sum_of(y_true * y_pred, axis)
  local missed, wrong = sum_of((1 - y_pred) * y_true, axis), sum_of(y_pred * (1 - y_true), axis)
  return 1 - both / (both + missed * (kwargs.alpha or 0.5) + wrong * (kwargs.beta or 0.5) + config.epsilon())
end

return focal
