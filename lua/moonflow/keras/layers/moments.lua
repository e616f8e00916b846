--- Mean and variance over axes, as layers that normalize take them.

local constants = require "moonflow.keras.losses.constants"
local core = require "moonflow.core"

local get = core.op.get
local mean, squared_difference, stop, squeeze = get("Mean"), get("SquaredDifference"), get("StopGradient"),
  get("Squeeze")
local select_op, sum, cast = get("SelectV2"), get("Sum"), get("Cast")

local moments = {}

local keep = {keep_dims = true}

--- Mean and variance of x over `axes` (a tensor), with these axes of size 1. The variance's gradient does not go
-- through the mean: the terms cancel.
function moments.kept(x, axes)
  local m = mean(x, axes, keep)
  return m, mean(squared_difference(x, stop(m)), axes, keep)
end

--- The same without the axes; `squeezed` = {squeeze_dims = list of the axes}.
function moments.of(x, axes, squeezed)
  local m, v = moments.kept(x, axes)
  return squeeze(m, squeezed), squeeze(v, squeezed)
end

--- Mean and variance of the entries that a mask keeps; the mask has all axes of x but the last.
function moments.masked(x, mask, axes, squeezed, epsilon)
  local kept = get("BroadcastTo")(cast(get("ExpandDims")(mask, constants.last_axis), core.dtype.bool), get("Shape")(x))
  local zero = constants.scalar(0.0, x.dtype)
  local count = sum(cast(kept, x.dtype), axes, keep) + epsilon
  local m = sum(select_op(kept, x, zero), axes, keep) / count
  local v = sum(get("Square")(select_op(kept, x - m, zero)), axes, keep) / count
  return squeeze(m, squeezed), squeeze(v, squeezed)
end

return moments
