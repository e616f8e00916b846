--- The rows of tf.keras.ops: {names, signature, class or false, body}. The class is Keras's name of the operation in a
-- functional model; false: the function makes no node. Signatures are written as in api/row.lua; a body gets the values in
-- their order.

local core = require "moonflow.core"
local promotion = require "moonflow.keras.ops.promotion"

local tf = setmetatable({}, {__index = function(t, name)
  local value = require "moonflow"[name]
  rawset(t, name, value)
  return value
end})

local None = core.args.None
local tensor, float, pair = promotion.tensor, promotion.float, promotion.pair

local rows = {}

local function add(names, signature, class, body)
  rows[#rows + 1] = {names, signature, class, body}
end

-- ---- two operands

local function binary(names, class, name)
  add(names, "x1, x2", class, function(a, b)
    a, b = pair(a, b)
    return tf[name](a, b)
  end)
end
binary("add", "Add", "add")
binary("subtract", "Subtract", "subtract")
binary("multiply", "Multiply", "multiply")
binary("floor_divide", "FloorDivide", "floordiv")
binary("mod", "Mod", "math_mod")
binary("power", "Power", "pow")
binary("maximum", "Maximum", "maximum")
binary("minimum", "Minimum", "minimum")
binary("equal", "Equal", "equal")
binary("not_equal", "NotEqual", "not_equal")
binary("less", "Less", "less")
binary("less_equal", "LessEqual", "less_equal")
binary("greater", "Greater", "greater")
binary("greater_equal", "GreaterEqual", "greater_equal")

local raw = core.op.get
local direct = {floordiv = "FloorDiv", math_mod = "FloorMod"}
for name, op in next, direct do rawset(tf, name, raw(op)) end

local function divide(a, b)
  a, b = pair(a, b)
  return raw("RealDiv")(float(a), float(b))
end
add("divide", "x1, x2", "Divide", divide)
add("true_divide", "x1, x2", "TrueDivide", divide)
add("divide_no_nan", "x1, x2", "DivideNoNan", function(a, b)
  a, b = pair(a, b)
  return raw("DivNoNan")(float(a), float(b))
end)
add("matmul", "x1, x2", "Matmul", function(a, b)
  a, b = pair(a, b)
  return tf.matmul(a, b)
end)

local function logical(name, class, op)
  add(name, "x1, x2", class, function(a, b)
    return raw(op)(raw("Cast")(tensor(a), "bool"), raw("Cast")(tensor(b), "bool"))
  end)
end
logical("logical_and", "LogicalAnd", "LogicalAnd")
logical("logical_or", "LogicalOr", "LogicalOr")
add("logical_not", "x", "LogicalNot", function(x) return raw("LogicalNot")(raw("Cast")(tensor(x), "bool")) end)

-- ---- one operand

local function unary(names, class, op, as_float)
  add(names, "x", class, function(x) return raw(op)(as_float and float(x) or tensor(x)) end)
end
unary("negative", "Negative", "Neg")
unary("abs absolute", "Absolute", "Abs")
unary("sign", "Sign", "Sign")
unary("square", "Square", "Square")
unary("exp", "Exp", "Exp", true)
unary("expm1", "Expm1", "Expm1", true)
unary("log", "Log", "Log", true)
unary("log1p", "Log1p", "Log1p", true)
unary("sqrt", "Sqrt", "Sqrt", true)
unary("rsqrt", "Rsqrt", "Rsqrt", true)
unary("reciprocal", "Reciprocal", "Reciprocal", true)
unary("sin", "Sin", "Sin", true)
unary("cos", "Cos", "Cos", true)
unary("tan", "Tan", "Tan", true)
unary("tanh", "Tanh", "Tanh", true)
unary("floor", "Floor", "Floor", true)
unary("ceil", "Ceil", "Ceil", true)
unary("sigmoid", "Sigmoid", "Sigmoid", true)
unary("relu", "Relu", "Relu", true)
unary("relu6", "Relu6", "Relu6", true)
unary("softplus", "Softplus", "Softplus", true)
unary("softsign", "Softsign", "Softsign", true)
unary("elu", "Elu", "Elu", true)
unary("selu", "Selu", "Selu", true)
unary("stop_gradient", "StopGradient", "StopGradient")
unary("isnan", "Isnan", "IsNan", true)
unary("isfinite", "Isfinite", "IsFinite", true)
unary("zeros_like", "ZerosLike", "ZerosLike")
unary("ones_like", "OnesLike", "OnesLike")
add("softmax", "x, axis=-1", "Softmax", function(x, axis) return tf.nn.softmax(float(x), axis) end)
add("log_softmax", "x, axis=-1", "LogSoftmax", function(x, axis) return tf.nn.log_softmax(float(x), axis) end)
add("clip", "x, x_min, x_max", "Clip", function(x, low, high)
  x = tensor(x)
  local at_most
  x, at_most = pair(x, high)
  x = raw("Minimum")(x, at_most)
  local at_least
  x, at_least = pair(x, low)
  return raw("Maximum")(x, at_least)
end)

-- ---- reductions

local function reduction(names, class, name, as_float)
  add(names, "x, axis=None, keepdims=False", class, function(x, axis, keepdims)
    return tf[name](as_float and float(x) or tensor(x), {axis = axis == nil and None or axis, keepdims = keepdims})
  end)
end
reduction("sum", "Sum", "reduce_sum")
reduction("mean", "Mean", "reduce_mean", true)
reduction("prod", "Prod", "reduce_prod")
reduction("max amax", "Max", "reduce_max")
reduction("min amin", "Min", "reduce_min")
reduction("all", "All", "reduce_all")
reduction("any", "Any", "reduce_any")
add("var", "x, axis=None, keepdims=False", "Var", function(x, axis, keepdims)
  return tf.math.reduce_variance(float(x), {axis = axis == nil and None or axis, keepdims = keepdims})
end)
add("std", "x, axis=None, keepdims=False", "Std", function(x, axis, keepdims)
  return tf.math.reduce_std(float(x), {axis = axis == nil and None or axis, keepdims = keepdims})
end)

local function position(name, class, op)
  add(name, "x, axis:any=None, keepdims=False", class, function(x, axis, keepdims)
    x = tensor(x)
    if axis == nil then x = raw("Reshape")(x, {-1}) end
    local result = raw(op)(x, axis or 0, {output_type = "int32"})
    if keepdims and axis ~= nil then result = raw("ExpandDims")(result, axis) end
    return result
  end)
end
position("argmax", "Argmax", "ArgMax")
position("argmin", "Argmin", "ArgMin")

-- ---- shapes

add("reshape", "x, newshape:shape", "Reshape", function(x, newshape) return tf.reshape(tensor(x), newshape) end)
add("transpose", "x, axes=None", "Transpose", function(x, axes)
  return tf.transpose(tensor(x), axes == nil and None or axes)
end)
add("expand_dims", "x, axis", "ExpandDims", function(x, axis) return tf.expand_dims(tensor(x), axis) end)
add("squeeze", "x, axis=None", "Squeeze", function(x, axis)
  return tf.squeeze(tensor(x), {axis = axis == nil and None or axis})
end)
add("broadcast_to", "x, shape", "BroadcastTo", function(x, shape) return tf.broadcast_to(tensor(x), shape) end)

local function tensors_of(list)
  local first, result = list[1], {}
  for i, item in ipairs(list) do
    first, result[i] = pair(first, item)
  end
  for i, item in ipairs(result) do
    if item.dtype ~= first.dtype then result[i] = raw("Cast")(item, first.dtype) end
  end
  return result
end
add("concatenate", "xs:tensors, axis=0", "Concatenate", function(xs, axis) return tf.concat(tensors_of(xs), axis) end)
add("stack", "x:tensors, axis=0", "Stack", function(xs, axis) return tf.stack(tensors_of(xs), axis) end)
add("split", "x, indices_or_sections:any, axis=0", "Split", function(x, sections, axis)
  if math.type(sections) == "integer" then return tf.split(tensor(x), sections, axis) end
  local sizes, last = {}, 0
  for i, at in ipairs(sections) do sizes[i], last = at - last, at end
  sizes[#sizes + 1] = tensor(x):dim(axis) - last
  return tf.split(tensor(x), sizes, axis)
end)
add("take", "x, indices, axis:any=None", "Take", function(x, indices, axis)
  x = tensor(x)
  if axis == nil then x, axis = raw("Reshape")(x, {-1}), 0 end
  return raw("GatherV2")(x, tensor(indices), axis)
end)
add("where", "condition, x1=None, x2=None", "Where", function(condition, a, b)
  if a == nil then return raw("Where")(tensor(condition)) end
  a, b = pair(a, b)
  return raw("SelectV2")(raw("Cast")(tensor(condition), "bool"), a, b)
end)
add("get_item", "x, key:any", "GetItem", function(x, key) return tensor(x)[key] end)
add("one_hot", "x, num_classes:integer, axis=-1, dtype=None, sparse=False", "OneHot", function(x, n, axis, dtype)
  return tf.one_hot(tensor(x), n, {axis = axis, dtype = dtype or "float32"})
end)
add("cast", "x, dtype", "Cast", function(x, dtype) return raw("Cast")(tensor(x), dtype) end)

-- ---- what makes no node

add("shape", "x", false, function(x) return x.shape end)
add("ndim", "x", false, function(x) return x.shape.rank end)
add("convert_to_tensor", "x, dtype=None, sparse=None, ragged=None", false, function(x, dtype)
  if core.args.kind(x) == "keras_tensor" then return x end
  x = tensor(x, dtype)
  if dtype and x.dtype ~= core.dtype.get(dtype) then x = raw("Cast")(x, dtype) end
  return x
end)
add("zeros", "shape, dtype=None", false, function(shape, dtype)
  return tf.zeros(shape, dtype or require "moonflow.keras.backend.config".floatx())
end)
add("ones", "shape, dtype=None", false, function(shape, dtype)
  return tf.ones(shape, dtype or require "moonflow.keras.backend.config".floatx())
end)
add("arange", "start:any, stop:any=None, step:any=None, dtype=None", false, function(start, stop, step, dtype)
  if stop == nil then start, stop = 0, start end
  local result = tf.range(start, stop, step or 1)
  if dtype then result = raw("Cast")(result, dtype) end
  return result
end)
add("is_tensor", "x:any", false, function(x) return core.args.kind(x) == "tensor" end)

return rows
