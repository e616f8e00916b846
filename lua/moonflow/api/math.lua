--- Rows: elementwise mathematics.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local raw = require "moonflow.raw_ops"

local to, is_tensor = core.tensor.to, core.args.is_tensor
local dtypes = core.dtype

--- x and y as tensors of one dtype: a value that is no tensor takes the dtype of the one that is.
local function pair(x, y, op)
  if is_tensor(x) and not core.tensor.is(x) then x = to(x, nil, op, "x") end
  if is_tensor(y) and not core.tensor.is(y) then y = to(y, nil, op, "y") end
  if not is_tensor(x) then
    x = to(x, is_tensor(y) and y.dtype or nil, op, "x")
  end
  return x, is_tensor(y) and y or to(y, x.dtype, op, "y")
end

local function add(x, y)
  x, y = pair(x, y, "add")
  return x + y
end

local function divide(x, y)
  x, y = pair(x, y, "truediv")
  return x / y
end

local function logical_xor(x, y)
  return raw.LogicalAnd(raw.LogicalOr(x, y), raw.LogicalNot(raw.LogicalAnd(x, y)))
end

local function round(x)
  x = to(x, nil, "round", "x")
  if x.dtype.is_integer then return x end
  return raw.Round(x)
end

local function abs(x)
  x = to(x, nil, "abs", "x")
  if x.dtype.is_complex then return raw.ComplexAbs{x = x, Tout = x.dtype.real_dtype} end
  return raw.Abs(x)
end

local function add_n(inputs)
  if is_tensor(inputs) then inputs = {inputs} end
  if #inputs == 0 then errors.invalid("add_n", "inputs must be a list of at least one tensor") end
  if #inputs == 1 then return raw.Identity(inputs[1]) end
  return raw.AddN(inputs)
end

local function clip_by_value(t, low, high)
  t = to(t, nil, "clip_by_value", "t")
  local shape = t.shape
  t = raw.Maximum(raw.Minimum(t, to(high, nil, "clip_by_value", "clip_value_max", t.dtype)),
    to(low, nil, "clip_by_value", "clip_value_min", t.dtype))
  shape:merge_with(t.shape)
  return t
end

local function scalar_mul(scalar, x)
  local slices = require "moonflow.indexed_slices"
  if slices.is(x) then
    return slices.from_parts(raw.Mul(to(scalar, x.dtype, "scalar_mul", "scalar"), x.values), x.indices, x.dense_shape)
  end
  x = to(x, nil, "scalar_mul", "x")
  return raw.Mul(to(scalar, x.dtype, "scalar_mul", "scalar"), x)
end

local function polyval(coeffs, x)
  x = to(x, nil, "polyval", "x")
  if #coeffs < 1 then return raw.ZerosLike(x) end
  local p = to(coeffs[1], x.dtype, "polyval", "coeffs")
  for i = 2, #coeffs do p = to(coeffs[i], x.dtype, "polyval", "coeffs") + p * x end
  return p
end

local function softplus_of_minus(x)
  x = to(x, nil, "log_sigmoid", "x")
  return -raw.Softplus(-x)
end

local function conj(x)
  x = to(x, nil, "conj", "x")
  if not x.dtype.is_complex then return x end
  return raw.Conj(x)
end

local function reciprocal_no_nan(x)
  x = to(x, nil, "reciprocal_no_nan", "x")
  return raw.DivNoNan(raw.OnesLike(x), x)
end

local function multiply_no_nan(x, y)
  x, y = pair(x, y, "multiply_no_nan")
  return raw.MulNoNan(x, y)
end

local function divide_no_nan(x, y)
  x, y = pair(x, y, "divide_no_nan")
  return raw.DivNoNan(x, y)
end

local function complex(real, imag)
  real = to(real, nil, "complex", "real", dtypes.float32)
  imag = to(imag, nil, "complex", "imag", dtypes.float32)
  if real.dtype == dtypes.float64 then return raw.Complex{real = real, imag = imag, Tout = dtypes.complex128} end
  return raw.Complex{real = real, imag = imag, Tout = dtypes.complex64}
end

local function real_part(op, raw_name)
  return function(input)
    input = to(input, nil, op, "input")
    if not input.dtype.is_complex then
      if op == "real" then return input end
      return raw.ZerosLike(input)
    end
    return raw[raw_name]{input = input, Tout = input.dtype.real_dtype}
  end
end

local rows = {
  {"tf.add tf.math.add", "x, y, name=None", add, "x + y."},
  {"tf.subtract tf.math.subtract", "x, y, name=None", "Sub", "x - y."},
  {"tf.multiply tf.math.multiply", "x, y, name=None", "Mul", "x * y."},
  {"tf.divide tf.math.divide", "x:any, y:any, name=None", divide, "x / y as Python divides."},
  {"tf.truediv tf.math.truediv", "x:any, y:any, name=None", divide, "x / y; integers give floats."},
  {"tf.realdiv", "x, y, name=None", "RealDiv", "x / y for real types."},
  {"tf.floordiv tf.math.floordiv", "x, y, name=None", "FloorDiv", "x // y, rounded towards minus infinity."},
  {"tf.math.floormod tf.math.mod tf.floormod tf.mod", "x, y, name=None", "FloorMod", "The remainder of floordiv."},
  {"tf.truncatediv", "x, y, name=None", "TruncateDiv", "x / y of integers, rounded towards zero."},
  {"tf.truncatemod", "x, y, name=None", "TruncateMod", "The remainder of truncatediv."},
  {"tf.math.divide_no_nan", "x:any, y:any, name=None", divide_no_nan, "x / y, or 0 where y is 0."},
  {"tf.math.multiply_no_nan", "x:any, y:any, name=None", multiply_no_nan, "x * y, or 0 where y is 0."},
  {"tf.math.reciprocal_no_nan", "x, name=None", reciprocal_no_nan, "1 / x, or 0 where x is 0."},
  {"tf.pow tf.math.pow", "x, y, name=None", "Pow", "x to the power of y."},
  {"tf.abs tf.math.abs", "x, name=None", abs, "Absolute values."},
  {"tf.round tf.math.round", "x, name=None", round, "To the nearest integer, halves to even."},
  {"tf.math.logical_xor", "x, y, name:string='LogicalXor'", logical_xor, "Exclusive or."},
  {"tf.add_n tf.math.add_n", "inputs:tensors, name=None", add_n, "The sum of several tensors."},
  {"tf.math.accumulate_n", "inputs:tensors, shape=None, tensor_dtype:dtype=None, name=None", add_n, "The sum of several tensors."},
  {"tf.clip_by_value", "t, clip_value_min, clip_value_max, name=None", clip_by_value, "Values kept between two bounds."},
  {"tf.scalar_mul tf.math.scalar_mul", "scalar, x, name=None", scalar_mul, "x times a scalar."},
  {"tf.math.polyval", "coeffs:list, x, name=None", polyval, "A polynomial's values."},
  {"tf.math.log_sigmoid", "x, name=None", softplus_of_minus, "log(sigmoid(x))."},
  {"tf.math.conj", "x, name=None", conj, "Complex conjugate."},
  {"tf.complex tf.dtypes.complex", "real, imag, name=None", core.op.has("Complex") and complex or "Complex", "Complex numbers from parts."},
  {"tf.math.real", "input, name=None", real_part("real", "Real"), "Real parts."},
  {"tf.math.imag", "input, name=None", real_part("imag", "Imag"), "Imaginary parts."},
  {"tf.cumsum tf.math.cumsum", "x, axis:axis=0, exclusive=False, reverse=False, name=None", "Cumsum", "Cumulative sums."},
  {"tf.math.cumprod", "x, axis:axis=0, exclusive=False, reverse=False, name=None", "Cumprod", "Cumulative products."},
  {"tf.bitwise.bitwise_and", "x, y, name=None", "BitwiseAnd", "Bits set in both."},
  {"tf.bitwise.bitwise_or", "x, y, name=None", "BitwiseOr", "Bits set in either."},
  {"tf.bitwise.bitwise_xor", "x, y, name=None", "BitwiseXor", "Bits set in one only."},
  {"tf.bitwise.invert", "x, name=None", "Invert", "All bits flipped."},
  {"tf.bitwise.left_shift", "x, y, name=None", "LeftShift", "Bits moved left."},
  {"tf.bitwise.right_shift", "x, y, name=None", "RightShift", "Bits moved right."},
  {"tf.math.atan2 tf.atan2", "y, x, name=None", "Atan2", "The angle of (x, y)."},
  {"tf.math.polygamma", "a, x, name=None", "Polygamma", "The polygamma function."},
  {"tf.math.zeta", "x, q, name=None", "Zeta", "The Hurwitz zeta function."},
  {"tf.math.invert_permutation", "x, name=None", "InvertPermutation", "The inverse of a permutation."},
}

-- One argument: public names, the op, a sentence.
for _, item in ipairs{
  {"tf.negative tf.math.negative", "Neg", "-x."}, {"tf.sign tf.math.sign", "Sign", "-1, 0 or 1."},
  {"tf.square tf.math.square", "Square", "x * x."}, {"tf.sqrt tf.math.sqrt", "Sqrt", "Square root."},
  {"tf.math.rsqrt", "Rsqrt", "1 / sqrt(x)."}, {"tf.exp tf.math.exp", "Exp", "e to the power of x."},
  {"tf.math.expm1", "Expm1", "exp(x) - 1, exact near 0."}, {"tf.math.log", "Log", "Natural logarithm."},
  {"tf.math.log1p", "Log1p", "log(1 + x), exact near 0."}, {"tf.sin tf.math.sin", "Sin", "Sine."},
  {"tf.cos tf.math.cos", "Cos", "Cosine."}, {"tf.tan tf.math.tan", "Tan", "Tangent."},
  {"tf.asin tf.math.asin", "Asin", "Inverse sine."}, {"tf.acos tf.math.acos", "Acos", "Inverse cosine."},
  {"tf.atan tf.math.atan", "Atan", "Inverse tangent."}, {"tf.sinh tf.math.sinh", "Sinh", "Hyperbolic sine."},
  {"tf.cosh tf.math.cosh", "Cosh", "Hyperbolic cosine."}, {"tf.tanh tf.math.tanh tf.nn.tanh", "Tanh", "Hyperbolic tangent."},
  {"tf.asinh tf.math.asinh", "Asinh", "Inverse hyperbolic sine."},
  {"tf.acosh tf.math.acosh", "Acosh", "Inverse hyperbolic cosine."},
  {"tf.atanh tf.math.atanh", "Atanh", "Inverse hyperbolic tangent."},
  {"tf.sigmoid tf.math.sigmoid tf.nn.sigmoid", "Sigmoid", "1 / (1 + exp(-x))."},
  {"tf.math.erf", "Erf", "The error function."}, {"tf.math.erfc", "Erfc", "1 - erf(x)."},
  {"tf.math.erfinv", "Erfinv", "The inverse of erf."}, {"tf.math.ndtri", "Ndtri", "The inverse of the normal distribution."},
  {"tf.math.lgamma", "Lgamma", "log |gamma(x)|."}, {"tf.math.digamma", "Digamma", "The derivative of lgamma."},
  {"tf.floor tf.math.floor", "Floor", "The greatest integer not above x."}, {"tf.math.ceil", "Ceil", "The least integer not below x."},
  {"tf.math.rint", "Rint", "The nearest integer, halves to even."}, {"tf.math.reciprocal", "Reciprocal", "1 / x."},
  {"tf.math.is_nan", "IsNan", "Where x is not a number."}, {"tf.math.is_inf", "IsInf", "Where x is infinite."},
  {"tf.math.is_finite", "IsFinite", "Where x is finite."},
  {"tf.logical_not tf.math.logical_not", "LogicalNot", "Not."},
} do rows[#rows + 1] = {item[1], "x, name=None", item[2], item[3]} end

-- Two arguments that broadcast.
for _, item in ipairs{
  {"tf.maximum tf.math.maximum", "Maximum", "The greater of both."}, {"tf.minimum tf.math.minimum", "Minimum", "The lesser of both."},
  {"tf.greater tf.math.greater", "Greater", "x > y."}, {"tf.greater_equal tf.math.greater_equal", "GreaterEqual", "x >= y."},
  {"tf.less tf.math.less", "Less", "x < y."}, {"tf.less_equal tf.math.less_equal", "LessEqual", "x <= y."},
  {"tf.equal tf.math.equal", "Equal", "x == y, element by element."},
  {"tf.not_equal tf.math.not_equal", "NotEqual", "x ~= y, element by element."},
  {"tf.logical_and tf.math.logical_and", "LogicalAnd", "And."}, {"tf.logical_or tf.math.logical_or", "LogicalOr", "Or."},
  {"tf.math.squared_difference", "SquaredDifference", "(x - y)^2."}, {"tf.math.xlogy", "Xlogy", "x log(y), 0 where x is 0."},
  {"tf.math.xlog1py", "Xlog1py", "x log1p(y), 0 where x is 0."}, {"tf.math.xdivy", "Xdivy", "x / y, 0 where x is 0."},
} do rows[#rows + 1] = {item[1], "x, y, name=None", item[2], item[3]} end

return rows
