--- MaxNorm, MinMaxNorm, UnitNorm: bounds of the norm along an axis; NonNeg.

local Constraint = require "moonflow.keras.constraints.constraint"
local config = require "moonflow.keras.backend.config"
local core = require "moonflow.core"

local get = core.op.get
local maximum, minimum = get("Maximum"), get("Minimum")
local to_tensor = core.tensor.to

local axis_row = {"axis", "axes", default = 0, doc = "Axis, or axes, along which norms are taken."}

local function norms_of(w, axis)
  return get("Sqrt")(get("Sum")(get("Square")(w), to_tensor(axis, "int32"), {keep_dims = true}))
end

local function clip(x, low, high)
  return maximum(minimum(x, to_tensor(high, x.dtype)), to_tensor(low, x.dtype))
end

local MaxNorm = Constraint:extend("MaxNorm", {args = {{"max_value", "number", default = 2}, axis_row}})

function MaxNorm:init(a)
  self.max_value, self.axis = a.max_value, a.axis
end

function MaxNorm:call(w)
  local norms = norms_of(w, self.axis)
  return w * (clip(norms, 0, self.max_value) / (norms + config.epsilon()))
end

local MinMaxNorm = Constraint:extend("MinMaxNorm", {
  args = {
    {"min_value", "number", default = 0.0}, {"max_value", "number", default = 1.0}, {"rate", "number", default = 1.0},
    axis_row,
  },
})

function MinMaxNorm:init(a)
  self.min_value, self.max_value, self.rate, self.axis = a.min_value, a.max_value, a.rate, a.axis
end

function MinMaxNorm:call(w)
  local norms = norms_of(w, self.axis)
  local desired = clip(norms, self.min_value, self.max_value) * self.rate + norms * (1 - self.rate)
  return w * (desired / (norms + config.epsilon()))
end

local UnitNorm = Constraint:extend("UnitNorm", {args = {axis_row}})

function UnitNorm:init(a)
  self.axis = a.axis
end

function UnitNorm:call(w)
  return w / (norms_of(w, self.axis) + config.epsilon())
end

local NonNeg = Constraint:extend("NonNeg", {args = {}})

function NonNeg:call(w)
  return maximum(w, to_tensor(0, w.dtype))
end

return {MaxNorm = MaxNorm, MinMaxNorm = MinMaxNorm, UnitNorm = UnitNorm, NonNeg = NonNeg}
