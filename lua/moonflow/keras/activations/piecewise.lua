--- Activation functions made of pieces: shrinking, thresholds, hard and sparse variants.

local core = require "moonflow.core"
local define = require "moonflow.keras.activations.define"
local errors = require "moonflow.base.errors"

local get = core.op.get
local relu6, sigmoid, tanh = get("Relu6"), get("Sigmoid"), get("Tanh")
local select_op, greater, less, less_equal = get("SelectV2"), get("Greater"), get("Less"), get("LessEqual")
local greater_equal, maximum, minimum, square = get("GreaterEqual"), get("Maximum"), get("Minimum"), get("Square")
local to_tensor = core.tensor.to

local piecewise = {}

local function scalar(value, x)
  return to_tensor(value, x.dtype)
end

local function hard_sigmoid(x)
  return relu6(x + 3.0) / 6.0
end

piecewise.hard_sigmoid = define.activation("hard_sigmoid", "HardSigmoid", {}, hard_sigmoid)

piecewise.hard_silu = define.activation("hard_silu", "HardSilu", {}, function(x) return x * hard_sigmoid(x) end)

piecewise.hard_tanh = define.activation("hard_tanh", "HardTanh", {}, function(x)
  return maximum(minimum(x, scalar(1.0, x)), scalar(-1.0, x))
end)

piecewise.tanh_shrink = define.activation("tanh_shrink", "TanhShrink", {}, function(x) return x - tanh(x) end)

local threshold_row = {{"threshold", "number", default = 0.5}}

piecewise.hard_shrink = define.activation("hard_shrink", "HardShrink", threshold_row, function(x, limit)
  return select_op(greater(get("Abs")(x), scalar(limit or 0.5, x)), x, scalar(0, x))
end)

piecewise.soft_shrink = define.activation("soft_shrink", "SoftShrink", threshold_row, function(x, limit)
  limit = limit or 0.5
  local low = select_op(less(x, scalar(-limit, x)), x + limit, scalar(0, x))
  return select_op(greater(x, scalar(limit, x)), x - limit, low)
end)

local threshold_rows = {{"threshold", "number"}, {"default_value", "number"}}

piecewise.threshold = define.activation("threshold", "Threshold", threshold_rows, function(x, limit, default_value)
  return select_op(greater(x, scalar(limit, x)), x, scalar(default_value, x))
end)

piecewise.sparse_plus = define.activation("sparse_plus", "SparsePlus", {}, function(x)
  local middle = select_op(less(x, scalar(1, x)), square(x + 1) * 0.25, x)
  return select_op(less_equal(x, scalar(-1, x)), scalar(0, x), middle)
end)

piecewise.sparse_sigmoid = define.activation("sparse_sigmoid", "SparseSigmoid", {}, function(x)
  local middle = select_op(greater_equal(x, scalar(1, x)), scalar(1.0, x), (x + 1) * 0.5)
  return select_op(less_equal(x, scalar(-1, x)), scalar(0.0, x), middle)
end)

piecewise.squareplus = define.activation("squareplus", "Squareplus", {{"b", "number", default = 4}}, function(x, b)
  return (x + get("Sqrt")(square(x) + (b or 4))) / 2
end)

piecewise.glu = define.activation("glu", "Glu", {{"axis", "integer", default = -1}}, function(x, axis)
  axis = axis or -1
  local size = x:dim(axis)
  if math.type(size) == "integer" and size % 2 ~= 0 then
    errors.invalid("activations.glu", "axis %d must be divisible by 2, received a tensor of shape %s", axis,
      tostring(x.shape))
  end
  local halves = get("Split")(to_tensor(axis, "int32"), x, 2)
  return halves[1] * sigmoid(halves[2])
end)

--- On the last axis: the Euclidean projection onto the simplex.
local function sparsemax_of_last(x)
  local size = x:dim(-1)
  local sorted = get("TopKV2")(x, to_tensor(size, "int32"))
  local last = to_tensor(-1, "int32")
  local sums = get("Cumsum")(sorted, last)
  local steps = get("Range")(scalar(1, x), scalar(size + 1, x), scalar(1, x))
  local support = greater(sorted - (sums - 1) / steps, scalar(0, x))
  local keep = {keep_dims = true}
  local count = get("Sum")(get("Cast")(support, x.dtype), last, keep)
  -- Keras adds the cumulative sums of the support, not its values
  local tau = (get("Sum")(select_op(support, sums, scalar(0.0, x)), last, keep) - 1) / count
  return maximum(x - tau, scalar(0.0, x))
end

local axis_row = {{"axis", "integer", default = -1}}

piecewise.sparsemax = define.activation("sparsemax", "Sparsemax", axis_row, function(x, axis)
  local rank = x.rank
  axis = axis or -1
  if axis < 0 then axis = axis + rank end
  if axis == rank - 1 then return sparsemax_of_last(x) end
  local order = {}
  for i = 0, rank - 1 do order[i + 1] = i end
  order[axis + 1], order[rank] = rank - 1, axis
  local perm = to_tensor(order, "int32")
  return get("Transpose")(sparsemax_of_last(get("Transpose")(x, perm)), perm)
end)

return piecewise
