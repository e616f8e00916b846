--- Softmax: exp(x) over the sum of exp(x) along an axis, or several. Inputs that a mask leaves out get 0.

local Layer = require "moonflow.keras.layers.layer"
local activations = require "moonflow.keras.activations"
local core = require "moonflow.core"
local define = require "moonflow.keras.activations.define"

local Softmax = Layer:extend("Softmax", {args = {{"axis", "axis", default = -1, doc = "Axis, or list of axes."}}})

local get = core.op.get
local exp, sum, max, log, select_op = get("Exp"), get("Sum"), get("Max"), get("Log"), get("SelectV2")
local to_tensor = core.tensor.to
local softmax = define.body(activations.softmax)

function Softmax:init(a)
  self:super_init(a)
  self.axis = a.axis
  self.supports_masking = true
  self.built = true
end

--- Along several axes at once.
local function softmax_over(x, axes)
  local axis, keep = to_tensor(axes, "int32"), {keep_dims = true}
  local top = get("StopGradient")(max(x, axis, keep))
  return exp(x - (log(sum(exp(x - top), axis, keep)) + top))
end

local function normalize(x, axis)
  if type(axis) ~= "table" then return softmax(x, axis) end
  if #axis == 1 then return softmax(x, axis[1]) end
  return softmax_over(x, axis)
end

function Softmax:call(x, kw)
  local mask = kw.mask
  if mask == nil then return normalize(x, self.axis) end
  if mask.dtype ~= core.dtype.bool then mask = get("Greater")(mask, to_tensor(0.5, mask.dtype)) end
  local low = x.dtype == core.dtype.float16 and -3e4 or -1e9
  local y = normalize(select_op(mask, x, to_tensor(low, x.dtype)), self.axis)
  return select_op(mask, y, to_tensor(0.0, y.dtype))
end

function Softmax:compute_output_shape(input_shape)
  return input_shape
end

return Softmax
