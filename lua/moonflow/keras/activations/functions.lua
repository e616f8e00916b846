--- Activation functions. softmax and sigmoid note what they were computed from: losses use it (backend/marks.lua).

local core = require "moonflow.core"
local define = require "moonflow.keras.activations.define"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local marks = require "moonflow.keras.backend.marks"

local None = dicts.None
local get = core.op.get
local relu, relu6, elu, selu = get("Relu"), get("Relu6"), get("Elu"), get("Selu")
local softmax, log_softmax, sigmoid, tanh = get("Softmax"), get("LogSoftmax"), get("Sigmoid"), get("Tanh")
local softplus, softsign, exp, erf = get("Softplus"), get("Softsign"), get("Exp"), get("Erf")
local leaky_relu, select_op, greater = get("LeakyRelu"), get("SelectV2"), get("Greater")
local maximum, minimum, transpose, reshape, shape_of = get("Maximum"), get("Minimum"), get("Transpose"),
  get("Reshape"), get("Shape")
local to_tensor = core.tensor.to

local functions = {}

local function scalar(value, x)
  return to_tensor(value, x.dtype)
end

-- ---- rectifiers

functions.linear = define.activation("linear", "Linear", {}, function(x) return x end)

local function relu_with(x, slope, max_value, threshold)
  slope, threshold = slope or 0.0, threshold or 0.0
  if slope ~= 0 and max_value == nil and threshold == 0 then return leaky_relu(x, {alpha = slope}) end
  local negative = slope ~= 0 and relu(threshold ~= 0 and -x + threshold or -x)
  local y
  if threshold ~= 0 then
    y = select_op(greater(x, scalar(threshold, x)), x, scalar(0.0, x))
  elseif max_value == 6 then
    y, max_value = relu6(x), nil
  else
    y = relu(x)
  end
  if max_value ~= nil then y = minimum(maximum(y, scalar(0.0, x)), scalar(max_value, x)) end
  if negative then y = y - negative * slope end
  return y
end

functions.relu = define.activation("relu", "ReLU", {
  {"negative_slope", "number", default = 0.0}, {"max_value", "number", default = None},
  {"threshold", "number", default = 0.0},
}, function(x, slope, max_value, threshold)
  if slope == nil and max_value == nil and threshold == nil then return relu(x) end
  return relu_with(x, slope, max_value, threshold)
end)

functions.relu6 = define.activation("relu6", "Relu6", {}, function(x) return relu6(x) end)

functions.leaky_relu = define.activation("leaky_relu", "LeakyRelu", {{"negative_slope", "number", default = 0.2}},
  function(x, slope) return leaky_relu(x, {alpha = slope or 0.2}) end)

functions.elu = define.activation("elu", "Elu", {{"alpha", "number", default = 1.0}}, function(x, alpha)
  local y = elu(x)
  if alpha == nil or alpha == 1 then return y end
  return select_op(greater(x, scalar(0, x)), y, y * alpha)
end)

functions.selu = define.activation("selu", "Selu", {}, function(x) return selu(x) end)

functions.celu = define.activation("celu", "Celu", {{"alpha", "number", default = 1.0}}, function(x, alpha)
  alpha = alpha or 1.0
  return maximum(x, scalar(0.0, x)) + get("Expm1")(minimum(x, scalar(0.0, x)) / alpha) * alpha
end)

-- ---- exponentials

--- Runs an op of the last axis on another axis.
local function along(op, x, axis)
  local rank = x.rank
  if axis < 0 then axis = axis + rank end
  if axis < 0 or axis >= rank then
    errors.invalid("softmax", "argument 'axis': expected an axis of a tensor of rank %d, received %d", rank, axis)
  end
  if axis == rank - 1 then return op(x) end
  local order = {}
  for i = 0, rank - 1 do order[i + 1] = i end
  order[axis + 1], order[rank] = rank - 1, axis
  local perm = to_tensor(order, "int32")
  return transpose(op(transpose(x, perm)), perm)
end

--- axis: an integer, nil (-1), or false: all axes together.
local function normalized(op, x, axis)
  if axis == nil or axis == -1 then
    if x.rank == 0 then errors.invalid("softmax", "expected a tensor of at least rank 1, received a scalar") end
    return op(x)
  end
  if axis == false then return reshape(op(reshape(x, to_tensor({-1}, "int32"))), shape_of(x)) end
  return along(op, x, axis)
end

local function read_axis(axis, ...)
  if select("#", ...) == 0 and axis == nil then return false end
  return axis
end

local function softmax_of(x, axis)
  local y = normalized(softmax, x, axis)
  marks.set_logits(y, x)
  return y
end

local axis_row = {{"axis", "integer", default = -1, none = true}}

functions.softmax = define.activation("softmax", "Softmax", axis_row, function(x, ...)
  if select("#", ...) == 0 then return softmax_of(x) end
  return softmax_of(x, read_axis(...))
end)

functions.log_softmax = define.activation("log_softmax", "LogSoftmax", axis_row, function(x, ...)
  if select("#", ...) == 0 then return normalized(log_softmax, x) end
  return normalized(log_softmax, x, read_axis(...))
end)

functions.sigmoid = define.activation("sigmoid", "Sigmoid", {}, function(x)
  local y = sigmoid(x)
  marks.set_logits(y, x)
  return y
end)

functions.tanh = define.activation("tanh", "Tanh", {}, function(x) return tanh(x) end)
functions.softplus = define.activation("softplus", "Softplus", {}, function(x) return softplus(x) end)
functions.softsign = define.activation("softsign", "Softsign", {}, function(x) return softsign(x) end)
functions.exponential = define.activation("exponential", "Exp", {}, function(x) return exp(x) end)
functions.log_sigmoid = define.activation("log_sigmoid", "LogSigmoid", {}, function(x) return -softplus(-x) end)
functions.silu = define.activation("silu", "Silu", {}, function(x) return x * sigmoid(x) end)
functions.mish = define.activation("mish", "Mish", {}, function(x) return x * tanh(softplus(x)) end)

local approximate_row = {{"approximate", "boolean", default = false}}

functions.gelu = define.activation("gelu", "Gelu", approximate_row, function(x, approximate)
  if approximate then
    local inner = (x + get("Pow")(x, scalar(3.0, x)) * 0.044715) * 0.7978845608028654
    return x * 0.5 * (tanh(inner) + 1.0)
  end
  return x * 0.5 * (erf(x / 1.4142135623730951) + 1.0)
end)

return functions
